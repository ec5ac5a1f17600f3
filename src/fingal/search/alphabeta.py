"""Alpha-beta over resistance, in the manner of the engine Wolve: the few moves with the most energy, judged well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fingal import _core
from fingal.background import run_interruptibly
from fingal.game import Board


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, in the view of the side to move."""

    value: float
    """In [-1, 1]."""
    proof: int
    """1: proven to win, -1: proven to lose, 0: not proven."""
    line: tuple[int, ...]
    """The moves expected, the best one first."""
    nodes: int
    """Positions looked at."""


def alphabeta(
    board: Board,
    depth: int = 1,
    width: int = 15,
    *,
    connections: bool = True,
    is_over: Callable[[], bool] = lambda: False,
) -> Found:
    """Search ``depth`` moves ahead, ``width`` moves at each position; ValueError when the game is over.

    With ``connections``, what they prove is not searched, moves outside the must-play region are not tried, and they
    are wires of the circuit. ``is_over`` is called several times a second and ends the search when it returns true: the
    result is then the best of the moves whose search was complete, or else the next move in order.
    """
    stop = _core.StopFlag()

    def check() -> None:
        if is_over():
            stop.set()

    check()
    search = partial(_core.search_alphabeta, board, depth, width, connections, stop)
    [(value, proof, line, nodes)] = run_interruptibly([search], stop.set, check)
    return Found(value, proof, tuple(line), nodes)
