"""Alpha-beta over electrical resistance, in the manner of the engine Wolve."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from fingal.background import Flag
from fingal.game import SWAP, Board, Record
from fingal.players.player import NO_LIMIT, Limit, open_board
from fingal.players.searching import may_be_swapped
from fingal.ranges import MOST_INT, check_range
from fingal.search.alphabeta import alphabeta


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``resistance:``."""

    depth: int = 1
    """Moves that it looks ahead."""
    width: int = 15
    """Moves that it tries at each position: those that take the most energy."""
    connections: bool = True
    """Whether virtual connections prove wins, prune moves and conduct."""

    def __post_init__(self) -> None:
        """Reject what cannot be searched."""
        check_range(self, 1, MOST_INT, "depth", "width")


class ResistancePlayer:
    """Plays the best move of a shallow search; the same one whenever it is asked."""

    def __init__(self, settings: Settings) -> None:
        """Search as the settings say."""
        self.name = "resistance"
        self.value: float | None = None
        """What the last search found the position worth; None where it moved without one."""
        self._settings = settings
        self._stop = Flag()

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The search's move. It swaps where that is better, and opens evenly where the opponent may swap.

        An interrupt and a limit of seconds end the search with the best move so far.
        """
        end = math.inf if limit.seconds is None else time.monotonic() + limit.seconds
        try:
            return self._choose(record, lambda: self._stop.is_set() or time.monotonic() >= end)
        finally:
            self._stop.clear()

    def _choose(self, record: Record, is_over: Callable[[], bool]) -> int:
        board = open_board(record)
        self.value = None
        if may_be_swapped(board):
            worth: dict[int, float] = {}
            for cell in board.empty_cells:
                worth[cell] = abs(self._worth(board, cell))
                if is_over():
                    break
            return min(worth, key=lambda cell: worth[cell])
        if board.can_swap and self._worth(board) < 0:
            return SWAP
        how = self._settings
        found = alphabeta(board, how.depth, how.width, connections=how.connections, is_over=is_over)
        self.value = found.value
        return found.line[0]

    def interrupt(self) -> None:
        """End the search under way, or the next one, soon."""
        self._stop.set()

    def close(self) -> None:
        """Nothing to let go of."""

    def _worth(self, board: Board, *moves: int) -> float:
        """What the position after some moves is worth to the side that moves there.

        A resistance does not know who is to move: the side that has moved last looks better. So the mean of one move
        ahead and two is taken.
        """
        after = board.copy()
        for move in moves:
            after.push(move)
        if after.is_over():
            return -1.0
        return sum(alphabeta(after, depth, connections=False).value for depth in (1, 2)) / 2


def make(settings: Settings) -> ResistancePlayer:
    """A player as the settings say."""
    return ResistancePlayer(settings)
