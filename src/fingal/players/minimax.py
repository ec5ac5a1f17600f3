"""Minimax over a net's values, one or two moves ahead, as EZO-CNN plays."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fingal.background import Flag
from fingal.game import SWAP, Record
from fingal.players.player import NO_LIMIT, Limit, open_board
from fingal.players.searching import even_opening, may_be_swapped, values_after
from fingal.ranges import MOST_THREADS, check_range, shown
from fingal.search.evaluator import Evaluator, check_size


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``minimax:``."""

    net: str
    """The net: a name that comes with Fingal, or a file (.onnx or .safetensors). It must have values."""
    depth: int = 1
    """Moves that it looks ahead: 1 or 2."""
    connections: bool = True
    """Whether virtual connections decide games that are decided, and leave out moves that lose."""
    threads: int = 1
    """Threads of the CPU that share the net's work."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net runs; auto takes a GPU when there is one."""

    def __post_init__(self) -> None:
        """Reject what is not searched."""
        check_depth(self.depth)
        check_range(self, 1, MOST_THREADS, "threads")


def check_depth(depth: int) -> None:
    """Refuse a depth that is not searched."""
    if depth not in (1, 2):
        raise ValueError(f"depth={shown(depth)} is not possible: 1 or 2")


class MinimaxPlayer:
    """Plays the move with the best value one or two moves later; the same one whenever it is asked."""

    def __init__(self, evaluator: Evaluator, depth: int = 1, connections: bool = True, name: str = "minimax") -> None:
        """Play by an evaluator's values."""
        self.name = name
        self.value: float | None = None
        """What the last search found the position worth."""
        self._evaluator, self._depth, self._connections = evaluator, depth, connections
        self._stop = Flag()

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The search's move. It swaps where that is better, and opens evenly where the opponent may swap.

        An interrupt and a limit of seconds end the look at the second move, the whole of which can take long.
        """
        end = math.inf if limit.seconds is None else time.monotonic() + limit.seconds
        try:
            return self._choose(record, lambda: self._stop.is_set() or time.monotonic() >= end)
        finally:
            self._stop.clear()

    def _choose(self, record: Record, is_over: Callable[[], bool]) -> int:
        import random

        from fingal.analysis.connections import must_play
        from fingal.search.alphabeta import alphabeta
        from fingal.search.minimax import minimax

        board = open_board(record)
        self.value = None
        if may_be_swapped(board):
            return even_opening(values_after(self._evaluator, board), 0.0, random.Random(0))
        moves = None
        if self._connections and not board.can_swap:
            known = alphabeta(board, 1)
            if known.proof:
                self.value = float(known.proof)
                return known.line[0]
            must = must_play(board)
            moves = None if must is None else sorted(must)
        found = minimax(board, self._evaluator, self._depth, moves, is_over)
        self.value = found.value
        # Mirrored, the position is the opponent's: a swap makes of a value its negative.
        return SWAP if board.can_swap and found.value < 0 else found.move

    def interrupt(self) -> None:
        """Be content, from any thread, with the moves that have been looked at."""
        self._stop.set()

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError for a board that the net does not evaluate."""
        check_size(self._evaluator, width, height)

    def close(self) -> None:
        """Nothing to let go of."""


def make(settings: Settings) -> MinimaxPlayer:
    """A player as the settings say; ValueError, with one sentence, when there is no such net or it has no values."""
    from fingal.nets.inference import open_evaluator

    evaluator = open_evaluator(settings.net, device=settings.device, threads=settings.threads)
    if getattr(getattr(evaluator, "card", None), "head", "") == "policy":
        raise ValueError(f"{settings.net} has no values, only a policy: minimax needs a net with values")
    return MinimaxPlayer(evaluator, settings.depth, settings.connections)
