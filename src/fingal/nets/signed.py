"""The encoder ``signed-1``: one number a cell. No torch.

1 on the side to move's stones, -1 on the opponent's, 0 on empty cells, in the canonical view (the side to move joins
top and bottom). Paper 003 has the learner join left and right, and shows the second player the board mirrored in the
short diagonal; its view and this one are mirror images of each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fingal.nets import planes
from fingal.search.evaluator import Positions

ENCODER = "signed-1"
"""The name that a net's card gives for these boards."""


def encode(positions: Positions) -> NDArray[np.float32]:
    """Positions that have one canonical shape: float32 [B, rows, columns]."""
    own, other = planes.stones(positions).astype(np.float32).swapaxes(0, 1)
    signed: NDArray[np.float32] = own - other
    return signed
