"""What one process lets another see of its game while it plays: since when who thinks, and the moves.

It lies in memory that both share. Nobody waits: a look costs the game nothing, and is there after a sudden death too.
"""

from __future__ import annotations

import mmap
import time

import numpy as np

from fingal.game import Board

_MOVES = 512
"""Room for more moves than a game can have."""

BYTES = 8 * (2 + _MOVES)
"""How large the shared memory is."""


class Glance:
    """A view of the shared memory: a clock, the number of moves, and the moves."""

    def __init__(self, file: int) -> None:
        """Open a file, by its descriptor, that has ``BYTES`` bytes."""
        self._values = np.frombuffer(mmap.mmap(file, BYTES), np.float64)

    def begin(self) -> None:
        """A new game begins."""
        self._values[:2] = time.monotonic(), 0

    def __call__(self, board: Board) -> None:
        """The side to move begins to think."""
        moves = board.moves
        self._values[2 : 2 + len(moves)] = moves
        self._values[:2] = time.monotonic(), len(moves)

    def thinking(self) -> float:
        """Seconds that the side to move has taken so far."""
        return float(time.monotonic() - self._values[0])

    def moves(self) -> list[int]:
        """The moves so far."""
        return [int(move) for move in self._values[2 : 2 + int(self._values[1])]]
