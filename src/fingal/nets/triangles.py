"""The encoder ``triangles``: a plane for each pattern of three cells that touch one another.

After EZO-CNN. The side to move is Black, who joins top and bottom (the canonical view, see ``planes``). A ring of
stones one cell wide stands around the board: the side to move's at top and bottom, the opponent's at left and right; a
corner is both. A cell A at (r, c) of the ringed board, B to its right and C below it touch one another. Each of the
three is empty (0), the side to move's (1) or the opponent's (2), and plane 9 a + 3 b + c is 1 at (r, c) when their
states are a, b and c. A triangle with a corner of the ring is in two planes.

The planes are [27, rows + 1, columns + 1] and hold (rows + 1)(columns + 1) + 3 ones: three of the ring's corners lie
in a triangle. Every two cells that touch are in exactly one of these triangles, so nothing is lost by leaving out
those that point the other way.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fingal.nets import planes
from fingal.search.evaluator import Positions

if TYPE_CHECKING:
    import torch
    from torch import Tensor

ENCODER = "triangles"
"""The name that a net's card gives for these planes."""

PLANES = 27
"""How many planes there are."""


def encode(positions: Positions) -> NDArray[np.float32]:
    """Planes of positions that have one canonical shape: float32 [B, 27, rows + 1, columns + 1].

    As for ``planes.encode``, a batch on a board that is not square has one side to move: see ``planes.split``.
    """
    import torch

    stones = torch.from_numpy(planes.stones(positions))
    found: NDArray[np.float32] = encode_boards(stones[:, 0], stones[:, 1]).contiguous().numpy()
    return found


def encode_boards(own: Tensor, opponent: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Planes of tensors: the side to move's and the opponent's stones on canonical boards,
    bool [B, rows, columns], to float32 (or another type) [B, 27, rows + 1, columns + 1], channels last in memory."""
    import torch
    import torch.nn.functional as F

    count, rows, columns = own.shape
    # 0 empty, 1 the side to move's, 2 the opponent's, 3 both.
    state = torch.zeros(count, rows + 2, columns + 2, device=own.device, dtype=torch.int32)
    state[:, 0] = state[:, -1] = 1
    state[:, :, 0] += 2
    state[:, :, -1] += 2
    state[:, 1:-1, 1:-1] = own + 2 * opponent.int()
    pattern = 16 * state[:, :-1, :-1] + 4 * state[:, :-1, 1:] + state[:, 1:, :-1]
    return F.embedding(pattern, _patterns(own.device, dtype)).permute(0, 3, 1, 2)


@functools.cache
def _patterns(device: torch.device, dtype: torch.dtype | None) -> Tensor:
    """The planes of three states, [64, 27]: row 16 a + 4 b + c."""
    import torch

    with torch.inference_mode(False):  # who asks first may learn nothing, but others do
        one = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]], device=device, dtype=dtype or torch.float32)
        return torch.einsum("ai,bj,ck->abcijk", one, one, one).reshape(64, PLANES)
