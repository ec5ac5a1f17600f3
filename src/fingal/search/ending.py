"""The end of a game whose winner is known: won in the fewest moves, lost in the most, as far as a small search sees."""

from __future__ import annotations

from fingal import _core
from fingal.game import Board

NODES = 5_000
"""Positions looked at for one move: enough for the last five or six moves of a side, in a tenth of a second up to 13x13
and half a second on 19x19."""


def fewest_moves(board: Board, nodes: int = NODES) -> tuple[int, int] | None:
    """For a side to move that wins: how many of its moves it takes at least, and the first; None beyond ``nodes``."""
    moves, first = _core.fewest_moves(board, nodes)
    return (moves, first[0]) if first else None


def longest_defence(board: Board, nodes: int = NODES) -> list[int]:
    """For a side to move that loses: the moves that hold out longest, or as long as ``nodes`` let see."""
    return _core.longest_defence(board, nodes)[1]
