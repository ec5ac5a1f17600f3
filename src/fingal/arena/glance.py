"""What one process lets another see of its game while it plays: since when who thinks, and the moves.

It lies in memory that both share. Nobody waits: a look costs the game nothing, and is there after a sudden death too.
"""

from __future__ import annotations

import math
import mmap
import time

import numpy as np

from fingal.game import Board

_HEAD = 6
"""Numbers before the moves."""

_MOVES = 512
"""Room for more moves than a game can have."""

BYTES = 8 * (_HEAD + _MOVES)
"""How large the shared memory is."""


class Glance:
    """A view of the shared memory.

    Its numbers: a clock, how many moves the opening has, how many there are in all, who moves, what Black and White
    have taken before; then the moves.
    """

    def __init__(self, file: int) -> None:
        """Open a file, by its descriptor, that has ``BYTES`` bytes."""
        self._values = np.frombuffer(mmap.mmap(file, BYTES), np.float64)

    def wait(self) -> None:
        """A game is to come: nobody thinks yet."""
        self._values[:_HEAD] = math.inf, -1, 0, 0, 0, 0

    def begin(self) -> None:
        """A game begins; what it takes to make the players counts as the thinking of the side to move."""
        self._values[0] = time.monotonic()

    def __call__(self, board: Board) -> None:
        """The side to move begins to think."""
        moves, now = board.moves, time.monotonic()
        if self._values[1] < 0:
            self._values[1] = len(moves)
        else:
            self._values[4 + int(self._values[3])] += now - self._values[0]
        self._values[_HEAD : _HEAD + len(moves)] = moves
        self._values[2] = len(moves)
        self._values[3] = board.turn
        self._values[0] = now

    def thinking(self) -> float:
        """Seconds that the side to move has taken so far; below 0 where no game has begun."""
        return float(time.monotonic() - self._values[0])

    def seconds(self) -> list[float]:
        """What Black and White took for the moves that they have made."""
        return [float(each) for each in self._values[4:_HEAD]]

    def moves(self) -> list[int]:
        """The moves that have been made after the opening."""
        opening, count = int(self._values[1]), int(self._values[2])
        return [int(move) for move in self._values[_HEAD + opening : _HEAD + count]] if opening >= 0 else []
