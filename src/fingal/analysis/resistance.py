"""The board as an electric circuit: how well each colour's edges are joined, and which cells carry the current.

A colour's stones conduct without resistance, the opponent's not at all. An empty cell has resistance 1: half of it lies
between the middle of the cell and each of its neighbours. With ``connections``, a virtual connection of two ends is a
wire between them: it conducts as if they touched, divided by one more than the number of cells that all connections of
the two need.

>>> from fingal.game import Board
>>> board = Board(3)
>>> resistance(board).black_value
0.0
>>> board.push("b2")
>>> round(resistance(board).black_value, 3)
0.483
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board, Colour


@dataclass(frozen=True, slots=True)
class Resistance:
    """What the circuits of both colours say of a position."""

    conductance: tuple[float, float]
    """Black's and White's, between their edges: infinite for a side that has joined them, and then 0 for the other."""
    energy: NDArray[np.float64]
    """[2, cells]: which share of each colour's energy a cell turns to heat: 0 on stones and when the game is over."""

    def resistance(self, colour: Colour) -> float:
        """Between a colour's edges."""
        conductance = self.conductance[colour]
        return 1 / conductance if conductance else math.inf

    @property
    def black_value(self) -> float:
        """In [-1, 1], Black's view: tanh of half the logarithm of White's resistance over Black's."""
        return _core.resistance_value(*self.conductance)

    def value(self, colour: Colour) -> float:
        """In [-1, 1], a colour's view. It does not depend on who is to move."""
        return -self.black_value if colour else self.black_value

    @property
    def order(self) -> list[int]:
        """The empty cells, those that matter most to both colours together first."""
        total = self.energy.sum(axis=0)
        return [int(cell) for cell in np.argsort(-total, kind="stable") if total[cell] > 0]


def resistance(board: Board, *, connections: bool = False) -> Resistance:
    """Measure a position, with virtual connections as wires or without."""
    conductance, energy = measure(board.packed()[:, None], board.width, board.height, connections=connections)
    return Resistance((float(conductance[0, 0]), float(conductance[1, 0])), energy[:, 0])


def measure(
    stones: NDArray[np.uint64], width: int, height: int, *, connections: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Conductances [2, B] and shares of energy [2, B, cells] of many positions, stones [2, B, words]."""
    return _core.measure_resistance(np.ascontiguousarray(stones), width, height, connections)
