"""Alpha-beta over resistance, in the manner of the engine Wolve: the few moves with the most energy, judged well."""

from __future__ import annotations

from dataclasses import dataclass

from fingal import _core
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


def alphabeta(board: Board, depth: int = 1, width: int = 15, *, connections: bool = True) -> Found:
    """Search ``depth`` moves ahead, ``width`` moves at each position; ValueError when the game is over.

    With ``connections``, what they prove is not searched, moves outside the must-play region are not tried, and they
    are wires of the circuit.
    """
    value, proof, line, nodes = _core.search_alphabeta(board, depth, width, connections)
    return Found(value, proof, tuple(line), nodes)
