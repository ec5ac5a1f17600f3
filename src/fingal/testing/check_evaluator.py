"""What every evaluator must get right, for people who write their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal.game.board import Board
from fingal.nets.planes import mirrored, positions_of, take, unpack
from fingal.search.evaluator import Evaluation, Evaluator, Positions

SIZES = ((1, 1), (2, 2), (3, 3), (3, 5), (5, 3), (11, 11))
"""Width and height of the boards that are tried."""


def check_evaluator(
    evaluator: Evaluator,
    sizes: Sequence[tuple[int, int]] = SIZES,
    *,
    tolerance: float = 1e-4,
    symmetric: bool = True,
    seed: int = 0,
) -> None:
    """AssertionError, with a sentence, unless an evaluator keeps the contract of ``fingal.search.evaluator``.

    ``tolerance`` is how far numbers may differ that should be equal: more for 8 and 16 bits. ``symmetric=False`` is
    for evaluators that know colours and so may judge the mirrored game otherwise.
    """
    for width, height in sizes:
        name = f"on {width}x{height}"
        positions = sample(width, height, seed)
        arrays: list[NDArray[Any]] = [positions.stones, positions.white_to_move, positions.last]
        before = [array.copy() for array in arrays]
        said = evaluator(positions)
        _check_form(said, positions, name)
        for array, copy in zip(arrays, before, strict=True):
            assert np.array_equal(array, copy), f"{name}, the evaluator changed the positions it was given"
        empty = unpack(positions.stones, width * height).max(0) == 0
        again = evaluator(positions)
        _check_equal(
            said, again, empty, tolerance, f"{name}, the same positions are judged differently the second time"
        )
        for i in range(len(said.value)):
            one = slice(i, i + 1)
            alone = evaluator(take(positions, one))
            same = Evaluation(said.logits[one], said.value[one])
            _check_equal(
                alone, same, empty[one], tolerance, f"{name}, a position alone and in a batch are judged differently"
            )
        if symmetric:
            turned = evaluator(mirrored(positions))
            _check_form(turned, mirrored(positions), name)
            logits = turned.logits.reshape(-1, width, height).transpose(0, 2, 1).reshape(-1, width * height)
            mirror = Evaluation(logits, turned.value)
            _check_equal(said, mirror, empty, tolerance, f"{name}, the mirrored game with colours exchanged differs")
        nothing = take(positions, slice(0, 0))
        _check_form(evaluator(nothing), nothing, f"{name} with no positions")


def sample(width: int, height: int, seed: int = 0) -> Positions:
    """About a dozen positions of random games on a board, both sides to move, none of them won."""
    random = np.random.default_rng(seed)
    boards: list[Board] = []
    for _ in range(4):
        board = Board(width, height)
        while not board.is_over() and len(boards) < 64:
            if board.ply < 2 or random.random() < 0.2:
                boards.append(board.copy())
            board.push(int(random.choice(board.legal_moves)))
    positions = positions_of(boards)
    keep = random.permutation(len(boards))[:12]
    return take(positions, np.sort(keep))


def _check_form(said: Evaluation, positions: Positions, name: str) -> None:
    count, cells = len(positions.white_to_move), positions.width * positions.height
    assert said.logits.shape == (count, cells), f"{name}, logits have shape {said.logits.shape}, not {(count, cells)}"
    assert said.value.shape == (count,), f"{name}, values have shape {said.value.shape}, not {(count,)}"
    for what, array in zip(("logits", "values"), said, strict=True):
        assert array.dtype == np.float32, f"{name}, {what} are {array.dtype}, not float32"
    empty = ~unpack(positions.stones, cells).any(0)
    assert np.isfinite(said.logits[empty]).all(), f"{name}, logits of empty cells are not all finite"
    assert np.isfinite(said.value).all(), f"{name}, values are not all finite"
    assert (np.abs(said.value) <= 1).all(), f"{name}, a value is outside [-1, 1]"


def _check_equal(
    first: Evaluation, second: Evaluation, empty: NDArray[np.bool_], tolerance: float, message: str
) -> None:
    logits = first.logits[empty], second.logits[empty]
    for what, (a, b) in (("logits", logits), ("values", (first.value, second.value))):
        off = float(np.abs(a - b).max(initial=0))
        assert off <= tolerance, f"{message}: {what} by {off:.3g}"
