"""How far apart a colour's edges are, in cells that it has yet to take.

The **shortest path** is how many stones a colour needs if its opponent passes. The **two-distance** of a cell from an
edge supposes that the opponent takes the better of any two ways: it is 1 beside the edge, and elsewhere one more than
that of the second nearest neighbour (van Rijswijck, "Computer Hex: are bees better than fruitflies?", 2000). Both pass
through a colour's own stones.

>>> from fingal.game import Board
>>> shortest_path(Board(5)).least
(5, 5)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board

FAR = -1
"""No way leads there."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far apart both colours' edges are. ``FAR`` stands where there is no way, and on stones."""

    through: NDArray[np.int32]
    """[2, cells]: Black's and White's ways through each cell. By shortest path, the cells on the way; by two-distance,
    the sum of the cell's distances from both edges."""
    least: tuple[int, int]
    """The least of them: 0 for a side that has joined its edges."""
    count: tuple[int, int]
    """How many cells have it: 0 when the game is over."""


def shortest_path(board: Board) -> Distance:
    """By how many stones each colour needs when its opponent passes."""
    return _distance(board, two=False)


def two_distance(board: Board) -> Distance:
    """By the second best way."""
    return _distance(board, two=True)


def _distance(board: Board, two: bool) -> Distance:
    through, least, count = measure(board.packed()[:, None], board.width, board.height, two=two)
    return Distance(through[:, 0], (int(least[0, 0]), int(least[1, 0])), (int(count[0, 0]), int(count[1, 0])))


def measure(
    stones: NDArray[np.uint64], width: int, height: int, *, two: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Ways [2, B, cells], the least [2, B] and how many cells have it [2, B], of stones [2, B, words]."""
    return _core.measure_distance(np.ascontiguousarray(stones), width, height, two)
