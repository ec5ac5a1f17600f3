"""How much of a game's clock one move gets: functions of numbers, for players that search and for the HTP engine."""

from __future__ import annotations

import math
from dataclasses import dataclass

LAG = 0.03
"""Seconds kept back for each move that may be left: for what passes between clock and player, and for late batches."""
SCARCE = 0.3
"""So many seconds for each move that may be left are shared as if the game were long: a busy machine may need them."""
LEAST_MOVES = 6
"""The time left is never shared among fewer moves than this."""
STRETCH = 2.5
"""A hard move may take so many times the usual."""
RESERVE = 0.15
"""Seconds kept back of a time that is for a few moves: the first late batch of the last one would lose the game."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one move gets of a clock, in seconds."""

    usual: float
    """For a move like most."""
    most: float
    """For the hardest. 0: there is no time to think at all."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a search that has not ended says of its best move."""

    moves: int
    """Moves that are not proven to lose."""
    best: float
    """How much it prefers the best move, from 0 on,"""
    second: float
    """and the next."""
    gap: float
    """Visits that the next is behind the best; infinite where visits do not decide."""
    fall: float
    """How much less the position is worth than when the search began, in values from -1 to 1."""


def share(left: float, empty: int, moves: int | None = None) -> Share:
    """What a move may take with so many seconds left, for the rest of the game or for ``moves``, and empty cells.

    A player may have to fill half of the cells, and a lag for each is kept back. Of the rest, while it is scarce, a
    move gets its part as if either side had a quarter of the cells to fill; what is beyond that goes to the moves that
    decide most games, as if they were a twelfth of the cells. Where the number of moves is given, all of them get the
    same part. Even if every move takes the most, and the lag on top, the clock never runs out.
    """
    count = _to_come(empty, moves)
    if moves is None:
        free = max(0.0, left - LAG * count)
        scarce = min(free, SCARCE * count)
        usual = scarce / max(LEAST_MOVES, empty / 4) + (free - scarce) / max(LEAST_MOVES, empty / 12)
        return Share(usual, STRETCH * usual)
    usual = max(0.0, left - RESERVE - LAG * count) / count
    # Of two moves the first may take three quarters, and the last of all has no other to take from.
    return Share(usual, min(STRETCH, (count + 1) / 2) * usual)


def without_lateness(left: float, empty: int, late: float, moves: int | None = None) -> float:
    """What is left of a clock when so much, instead of the lag, is kept back for each move that may be left."""
    return max(0.0, left - max(0.0, late - LAG) * _to_come(empty, moves))


def _to_come(empty: int, moves: int | None) -> int:
    """The most moves that are left on a clock."""
    filling = (empty + 1) // 2
    return filling if moves is None else max(1, min(moves, filling))


class Lateness:
    """How much more than they might moves take of the clock, by whoever keeps it.

    On a busy machine a batch of the net, the search of an ending and the way to the controller all take their time. A
    move that came late is forgotten slowly: others like it will come.
    """

    KEPT = 0.9
    """How much of the most that was seen still counts after another move."""
    OTHER = 1.0
    """Who misses more seconds than this after a move has set another clock."""

    def __init__(self) -> None:
        """Nothing was late so far."""
        self.seconds = 0.0
        self._last: float | None = None

    def moved(self, spent: float, meant: float) -> None:
        """A move took so many seconds and should have taken ``meant`` at the most."""
        self._last = spent - meant
        self.seconds = max(self.seconds * self.KEPT, self._last)

    def told(self, missing: float) -> None:
        """The controller says that so many seconds more are gone than the moves are known to have taken.

        It counts once after a move: clocks are also set for other reasons.
        """
        if self._last is not None and missing <= self.OTHER:
            self.seconds = max(self.seconds, self._last + missing)
        self._last = None


def wanted(share: Share, doubt: Doubt) -> float:
    """How many seconds a move should take in all: half of the usual when it is clear, more when moves are close.

    More, too, when the position looks worse and worse. None when there is only one move.
    """
    if doubt.moves == 1:
        return 0.0
    closeness = min(1.0, doubt.second / doubt.best) if doubt.best > 0 else 1.0
    return min(share.most, share.usual * (0.5 + closeness + 4 * min(0.25, max(0.0, doubt.fall))))


def is_enough(meant: float, doubt: Doubt, spent: float, rate: float) -> bool:
    """Whether a search need not go on after so many seconds, at so many visits a second.

    The time that it should take is over, or the best move could not be overtaken in the rest of it.
    """
    rest = meant - spent
    return rest <= 0 or (math.isfinite(doubt.gap) and rate > 0 and doubt.gap > rate * rest)
