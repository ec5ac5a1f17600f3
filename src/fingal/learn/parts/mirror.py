"""Self-play with mirrored boards: many games of one size at once, each position seen by the side to move.

After every move the board is transposed and the colours are exchanged, so the side to move is always Black, who joins
top and bottom, and a learner knows no colours. On boards of at most nine cells every position is listed once and a game
is a number; on larger ones a game is its stones. Both give the same games.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.lockstep import after_moves
from fingal.nets import walls_torch
from fingal.nets.stacked import Stack

LARGEST_TABLE = 9
"""The most cells of a board whose positions are all listed."""


def play_stones(stones: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """Play on B boards: stones bool [B, 2, n, n] (side to move's, opponent's) and an empty cell int64 [B] each.

    Gives the boards as the opponent sees them and whether the move has won, bool [B].
    """
    after = after_moves(stones, torch.arange(len(stones), device=stones.device), cell)
    # The mover's stones are now the opponent's, who joins left and right.
    chains = walls_torch.chained(after)
    return after, chains[:, 2, :, -1].any(1)


def longest_opening(size: int) -> int:
    """The most plies that cannot end a game: the side that moved first has one stone too few."""
    return max(0, 2 * size - 2)


class Listed(NamedTuple):
    """Every position of a small board that is not over, from the empty one on: P of them."""

    stones: Tensor
    """bool [P, 2, n, n]: the side to move's and the opponent's."""
    child: Tensor
    """int64 [P, cells]: the position after each move; -1 where the move wins or the cell is taken."""
    legal: Tensor
    """bool [P, cells]"""
    wins: Tensor
    """bool [P, cells]: which moves win at once."""


@functools.cache
def listed(size: int) -> Listed:
    """All positions of a board of at most nine cells, by playing every move of every position."""
    cells = size * size
    if cells > LARGEST_TABLE:
        raise ValueError(f"{size}x{size} has too many positions to list: at most {LARGEST_TABLE} cells are possible")
    powers = 3 ** torch.arange(cells)
    level = torch.zeros((1, 2, size, size), dtype=torch.bool)
    stones, children, wins = [], [], []
    start = 0
    while len(level):
        count = len(level)
        child = torch.full((count, cells), -1)
        won = torch.zeros((count, cells), dtype=torch.bool)
        row, cell = (~level.any(1).flatten(1)).nonzero(as_tuple=True)
        after, over = play_stones(level[row], cell)
        code = (after[:, 0].flatten(1) * powers + after[:, 1].flatten(1) * 2 * powers).sum(1)
        codes, which = torch.unique(code[~over], return_inverse=True)
        child[row[~over], cell[~over]] = start + count + which
        won[row[over], cell[over]] = True
        stones.append(level)
        children.append(child)
        wins.append(won)
        start += count
        first = torch.full((len(codes),), len(code)).scatter_reduce(0, which, torch.arange(len(which)), "amin")
        level = after[~over][first]
    found = torch.cat(stones)
    return Listed(found, torch.cat(children), ~found.any(1).flatten(1), torch.cat(wins))


class Games:
    """R games in progress. A state is a tensor with one row a game; what it holds is nobody else's business."""

    def __init__(self, stack: Stack, dtype: torch.dtype = torch.float32) -> None:
        """For nets of one shape and precision."""
        self.stack, self.dtype = stack, dtype
        self.size, self.cells = stack.config.size, stack.cells
        self._table = listed(self.size) if self.cells <= LARGEST_TABLE else None
        if self._table is not None:
            planes = walls_torch.from_stones(self._table.stones, stack.config.padding)
            # As if every position were another net's.
            self._seen = stack.columns(planes.unsqueeze(1)).to(dtype)

    def begin(self, count: int) -> Tensor:
        """Empty boards."""
        if self._table is not None:
            return torch.zeros(count, dtype=torch.int64)
        return torch.zeros((count, 2, self.size, self.size), dtype=torch.bool)

    def legal(self, state: Tensor) -> Tensor:
        """The empty cells, bool [R, cells], as the side to move sees them."""
        if self._table is not None:
            return self._table.legal.index_select(0, state)
        return ~state.any(1).flatten(1)

    def play(self, state: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Play an empty cell int64 [R] in every game: the states after it and whether it has won, bool [R].

        A game that is won has begun again: its state is the empty board.
        """
        if self._table is not None:
            after = self._table.child.view(-1).index_select(0, state * self.cells + cell)
            return after.clamp(min=0), after < 0
        after, won = play_stones(state, cell)
        after[won] = False
        return after, won

    def columns(self, state: Tensor) -> Tensor:
        """What the nets' first layers see of the games, [R, 6 * taps, n]: one position for each net."""
        if self._table is not None:
            return self._seen.index_select(0, state)
        planes = walls_torch.from_stones(state, self.stack.config.padding)
        return self.stack.columns(planes.unsqueeze(1)).to(self.dtype)


def uniform(seeds: NDArray[np.uint64], step: NDArray[np.uint64], stream: int) -> tuple[Tensor, Tensor]:
    """Two numbers in [0, 1), each float32 [R], that depend on a run's seed, its own step and the stream alone.

    So a run plays the same games alone, in a sweep, and after it was stopped and taken up. SplitMix64's finaliser.
    """
    x = seeds * np.uint64(0xD1342543DE82EF95)
    x += step * np.uint64(8) + np.uint64(stream + 1)
    x *= np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    parts = x >> np.uint64(40), x & np.uint64(0xFFFFFF)
    high, low = (torch.from_numpy(part.astype(np.float32) * np.float32(2**-24)) for part in parts)
    return high, low


def lanes(seeds: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """Seeds for ``uniform`` of ``count`` things in each run, [R * count], from the runs' own [R]."""
    each: NDArray[np.uint64] = np.add.outer(seeds << np.uint64(20), np.arange(count, dtype=np.uint64)).reshape(-1)
    return each


def random_cell(legal: Tensor, number: Tensor) -> Tensor:
    """The legal cell that a number in [0, 1) picks, int64 [R]: each is as likely as the others."""
    order = legal.cumsum(1)
    nth = (number * order[:, -1]).long() + 1
    return (order < nth.unsqueeze(1)).sum(1)


def best_cell(values: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
    """The legal cell with the highest value [R, cells], the first of equals: its value [R] and int64 [R]."""
    found = values.masked_fill(~legal, -torch.inf).max(1)
    return found.values, found.indices
