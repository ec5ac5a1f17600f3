"""What the two networks of a board are like: how long each colour's ways are, how many, and how well they conduct.

A colour's network has its empty cells and stones as nodes; the opponent's stones are left out. Twelve numbers, six of
each colour's network, describe a position. The engine EZO judges by twelve such numbers; which, was never published, so
these are a substitute.

>>> import numpy as np
>>> from fingal.game import Board
>>> board = Board(3)
>>> dict(zip(NAMES, np.round(measure(board.packed()[:, None], 3, 3)[0, 0], 3).tolist()))
{'path': 1.0, 'path_cells': 1.0, 'two': 1.333, 'two_cells': 0.333, 'conductance': 0.247, 'evenness': 0.971}
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fingal.analysis import distance, resistance

NAMES = ("path", "path_cells", "two", "two_cells", "conductance", "evenness")
"""The six, in their order."""


def measure(stones: NDArray[np.uint64], width: int, height: int) -> NDArray[np.float64]:
    """Black's and White's characteristics of games that are not over, [2, B, 6], of stones [2, B, words].

    The shortest path, over the distance of the edges on an empty board; which share of all cells lie on one as short;
    the same two for the two-distance, which is 3 where there is none; the logarithm of the conductance; and the entropy
    of where the current's energy goes, over that of an even spread.
    """
    cells = width * height
    across = np.array([[height], [width]])
    out = np.empty((2, stones.shape[1], len(NAMES)))
    for at, two in ((0, False), (2, True)):
        _, least, count = distance.measure(stones, width, height, two=two)
        out[:, :, at] = np.where(least == distance.FAR, 3.0, least / across)
        out[:, :, at + 1] = count / cells
    conductance, energy = resistance.measure(stones, width, height)
    out[:, :, 4] = np.log(np.clip(conductance, 1e-3, 1e3))
    share = np.where(energy > 0, energy, 1.0)
    out[:, :, 5] = -(share * np.log(share)).sum(2) / max(np.log(cells), 1.0)
    return out
