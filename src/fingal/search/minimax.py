"""Minimax over an evaluator's values, one or two moves deep, all leaves of a move judged as one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingal.game import Board
from fingal.search.evaluator import Evaluator, Positions

FIRST_REPLIES = 8
"""How many replies are judged before the others: mostly one of them refutes a bad move already."""


class Found(NamedTuple):
    """What a search found."""

    move: int
    """The best move."""
    value: float
    """What the position is worth, for the side to move."""
    leaves: int
    """How many positions were judged."""


def minimax(
    board: Board,
    evaluator: Evaluator,
    depth: int = 1,
    moves: Sequence[int] | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Found:
    """The best of ``moves``, or of all, by the values one or two moves later.

    A move that wins is worth 1 exactly. At depth 2 a move is left as soon as a reply shows that it is no better than
    the best so far (alpha-beta), so the result is that of the whole tree. Before every batch of the second look it is
    asked whether the time ``is_over``: then the best of the moves that had the whole look is found, or, where these all
    lose at once, the first look's best among the others.
    """
    if depth not in (1, 2):
        raise ValueError(f"depth must be 1 or 2, not {depth}")
    tried = list(board.empty_cells if moves is None else moves)
    if not tried:
        raise ValueError("there is no move to try")
    after, worth = _children(board, tried, evaluator)
    best = int((-worth).argmax())
    if depth == 1 or worth[best] == -1:
        return Found(tried[best], float(-worth[best]), len(tried))
    leaves = len(tried)
    chosen, most, killer = tried[best], -np.inf, -1
    for index in np.argsort(worth, kind="stable"):
        child = after[index]
        # What the first look says of a cell as a move of ours says something of it as a reply.
        order = [tried[at] for at in np.argsort(worth, kind="stable") if tried[at] != tried[index]]
        replies = [cell for cell in [killer, *order] if cell in set(child.empty_cells)]
        replies = list(dict.fromkeys([*replies, *child.empty_cells]))
        least = np.inf
        for part in (replies[:FIRST_REPLIES], replies[FIRST_REPLIES:]):
            if not part or least <= max(most, -1):
                continue
            if is_over():
                found = (tried[index], -worth[index]) if most <= -1 else (chosen, most)
                return Found(found[0], float(found[1]), leaves)
            _, values = _children(child, part, evaluator)
            leaves += len(part)
            if values.min() < least:
                least, killer = float(values.min()), part[int(values.argmin())]
        # An equal value is not better, and may be a bound only.
        if least > most:
            chosen, most = tried[index], least
    return Found(chosen, float(most), leaves)


def _children(board: Board, cells: Sequence[int], evaluator: Evaluator) -> tuple[list[Board], NDArray[np.float64]]:
    """The positions after moves, and what they are worth to the side that then moves: -1 where it has lost."""
    after = []
    for cell in cells:
        child = board.copy()
        child.push(cell)
        after.append(child)
    worth = np.full(len(after), -1.0)
    going = [index for index, child in enumerate(after) if not child.is_over()]
    if going:
        packed = Positions(
            board.width,
            board.height,
            np.stack([after[index].packed() for index in going], 1),
            np.full(len(going), int(after[going[0]].turn) == 1),
            np.array([cells[index] for index in going], np.int32),
        )
        worth[going] = evaluator(packed).value
    return after, worth
