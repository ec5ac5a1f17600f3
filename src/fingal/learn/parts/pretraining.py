"""Nets that know something before they play: positions of random games, each move scored by virtual connections.

Paper 000 trains its value net on scored human games first ("H-search, as in NeuroHex"). There are no such games here,
so the positions are those of random legal games. A move is worth, for who makes it,

- 1 when it wins, or when the mover's edges are then joined by a full connection: the opponent cannot break it;
- -1 when the opponent's edges are then joined by a semi connection: the opponent moves and completes it;
- otherwise what the circuits say of the position after it (``fingal.analysis.resistance``, in [-1, 1], no connections).

The first two are proofs. On 3x3 they decide every move.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.analysis.connections import EDGES, Connections
from fingal.analysis.resistance import resistance
from fingal.game import Board
from fingal.learn.parts.descent import rmsprop
from fingal.learn.parts.mirror import lanes, uniform
from fingal.nets import hexagonal, planes, walls
from fingal.nets.planes import positions_of, unpack
from fingal.nets.stacked import Stack
from fingal.nets.stacked_recurrent import stack_of

CHUNK = 16
"""Nets that are trained at once."""


@dataclass(frozen=True)
class Pretraining:
    """How to train before the first game."""

    positions: int = 500
    """How many positions to score."""
    steps: int = 500
    """How many steps of RMSProp to make."""
    batch: int = 50
    """Positions in a step, drawn from all."""
    learning_rate: float = 0.001
    """RMSProp's rate."""
    seed: int = 1
    """Decides the positions; which of them a net sees when is decided by its own seed."""

    def __post_init__(self) -> None:
        """Refuse nonsense, by name."""
        for name in ("positions", "steps", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.learning_rate < float("inf"):
            raise ValueError(f"learning_rate must be a number above 0, not {self.learning_rate}")


class Examples(NamedTuple):
    """P scored positions, as the side to move sees them."""

    planes: Tensor
    """[P, 6, side, side]"""
    score: Tensor
    """[P, cells]: what each move is worth to the side to move; 0 where it is not legal."""
    legal: Tensor
    """[P, cells]: 1 where a move is legal."""


def score(board: Board, move: int) -> float:
    """What a legal move is worth to who makes it, from -1 to 1: by proof where connections prove it."""
    mover, after = board.turn, board.copy()
    after.push(move)
    if after.winner is not None or Connections(after, mover).won:
        return 1.0
    other = Connections(after, after.turn)
    if other.won or other.semi(*EDGES[after.turn]):
        return -1.0
    return resistance(after).value(mover)


def random_boards(size: int, count: int, seed: int) -> list[Board]:
    """Positions that are not over, each from a random legal game of its own, at a random ply of it."""
    draw = random.Random(f"pretraining {size} {seed}")
    found = []
    for _ in range(count):
        game = [Board(size)]
        while not game[-1].is_over():
            game.append(game[-1].copy())
            game[-1].push(draw.choice(game[-2].legal_moves))
        found.append(draw.choice(game[:-1]))
    return found


@functools.lru_cache(maxsize=8)
def examples(size: int, count: int, seed: int, padding: int = walls.PADDING) -> Examples:
    """Scored positions of random games."""
    boards = random_boards(size, count, seed)
    positions = positions_of(boards)
    scores = np.zeros((count, size * size), np.float32)
    for number, board in enumerate(boards):
        for move in board.legal_moves:
            scores[number, move] = score(board, move)
    empty: NDArray[np.float32] = 1 - unpack(positions.stones, size * size).max(0).astype(np.float32)
    # The way from the board to the canonical view is the way back, too: both transpose.
    seen = [planes.to_board(array, positions.white_to_move, size, size) for array in (scores, empty)]
    return Examples(torch.from_numpy(walls.encode(positions, padding)), *(torch.from_numpy(array) for array in seen))


def pretrain(
    net: hexagonal.Config, seeds: Sequence[int], settings: Pretraining | None = None, start: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Train a net for each seed: parameters [R, parameters] and the mean squared error of all scores [R].

    ``start`` [R, parameters] are nets to begin with; otherwise they are those that the learners begin with for these
    seeds. A net without a squash, a policy, learns which moves have the best score instead: a cross-entropy, which is
    then given for the error. A recurrent net is shown single boards.
    """
    how = settings or Pretraining()
    stack = stack_of(net)
    stacked = stack.initial(list(seeds)) if start is None else stack.wide(start.float())
    known = examples(net.size, how.positions, how.seed, net.padding)
    free = torch.zeros(stack.width).index_fill_(0, stack.free, 1.0)
    found = []
    for begin in range(0, len(stacked), CHUNK):
        part = stacked[begin : begin + CHUNK]
        square, rate = torch.zeros_like(part), torch.full((len(part),), how.learning_rate)
        drawing = lanes(np.array(seeds[begin : begin + CHUNK], np.uint64), how.batch)
        for step in range(how.steps):
            number, _ = uniform(drawing, np.full(len(drawing), step, np.uint64), 3)
            index = (number * how.positions).long().view(len(part), how.batch)
            batch = Examples(*(array[index] for array in known))
            with torch.enable_grad():
                leaf = part.detach().requires_grad_()
                errors = _error(stack, stack.values(leaf, batch.planes), batch)
                (gradient,) = torch.autograd.grad(errors.sum(), leaf)
            rmsprop(part, square, gradient * free, rate, 0.9, 1e-6)
        with torch.no_grad():
            found.append(_error(stack, stack.same_values(part, known.planes), known))
    return stack.narrow(stacked), torch.cat(found)


def _error(stack: Stack, said: Tensor, batch: Examples) -> Tensor:
    """The mean error of what nets say, [R, P, cells] to [R]: squared, or a cross-entropy for policies."""
    if stack.config.squash != "none":
        return (batch.legal * (said - batch.score).square()).sum((-1, -2)) / batch.legal.sum((-1, -2))
    logs = said.masked_fill(batch.legal == 0, -torch.inf).log_softmax(-1).masked_fill(batch.legal == 0, 0.0)
    worth = batch.score.masked_fill(batch.legal == 0, -2.0)
    best = (worth >= worth.amax(-1, keepdim=True) - 1e-6).float()
    return -(logs * best / best.sum(-1, keepdim=True)).sum(-1).mean(-1)
