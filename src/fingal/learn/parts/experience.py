"""A ring of moves in games with an opponent inside: what was seen and played, what came of it, what was seen then.

Boards are int8 [n, n] as ``opponent_games`` has them, all in the learner's view. Moves stand in rows, one row for one
step of all games, and a row is written as a whole, so that a CUDA graph can write it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Moves(NamedTuple):
    """B moves."""

    boards: Tensor
    """int8 [B, n, n]: before the move."""
    cell: Tensor
    """int64 [B]"""
    reward: Tensor
    """float32 [B]"""
    done: Tensor
    """bool [B]: whether the move or the reply to it has ended the game."""
    following: Tensor
    """int8 [B, n, n]: after the reply. Where the game is over, nothing of it counts."""


class Experience:
    """The moves of the last ``rows`` steps of ``games`` games."""

    def __init__(self, rows: int, games: int, size: int, device: torch.device) -> None:
        """Make room."""
        self.rows, self.games, self.device = rows, games, device
        self.steps = 0
        """How many rows have ever been written."""

        def room(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros((rows, games, *shape), dtype=dtype, device=device)

        boards = (room(size, size, dtype=torch.int8) for _ in range(2))
        self.moves = Moves(
            next(boards), room(dtype=torch.int64), room(dtype=torch.float32), room(dtype=torch.bool), next(boards)
        )
        """Each [rows, games, ...]."""

    def __len__(self) -> int:
        """How many moves there are."""
        return min(self.steps, self.rows) * self.games

    def next_row(self) -> Tensor:
        """The row to write now, int64 [1]: the oldest. It counts as written."""
        row = torch.tensor([self.steps % self.rows], device=self.device)
        self.steps += 1
        return row

    def write(self, row: Tensor, moves: Moves) -> None:
        """Put moves, one of each game, into a row int64 [1]."""
        for mine, new in zip(self.moves, moves, strict=True):
            mine.index_copy_(0, row, new.unsqueeze(0))

    def draw(self, *shape: int, generator: torch.Generator) -> Tensor:
        """Numbers of moves for ``at``, int64, each move as likely as the others; there is at least one."""
        return torch.randint(len(self), shape, generator=generator, device=self.device)

    def at(self, pick: Tensor) -> Moves:
        """The moves with numbers int64 [B]."""
        return Moves(*(part.flatten(0, 1).index_select(0, pick) for part in self.moves))

    def state(self) -> dict[str, Tensor]:
        """Everything that was written."""
        return {name: part[: self.steps] for name, part in self.moves._asdict().items()}

    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        """Take over what ``state`` gave of a ring that had seen so many steps."""
        self.steps = steps
        for name, part in self.moves._asdict().items():
            part[:steps] = state[name].to(self.device)
