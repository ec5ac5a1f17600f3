"""The encoder ``walls-2`` in torch, on any device: what ``walls`` says, from packed positions or from stones."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets import planes_torch
from fingal.nets.planes_torch import Layout
from fingal.nets.walls import NEIGHBOURS, PADDING, PLANES


def encode(
    stones: Tensor, white_to_move: Tensor, where: Layout, frame: tuple[int, int], padding: int = PADDING
) -> Tensor:
    """Planes float32 [B, 6, rows + 2 * padding, columns + 2 * padding] of positions packed as int64 [2, B, words].

    ``where`` is ``planes_torch.layout`` for the same frame, rows x columns, which every board of the batch fills.
    """
    inside = planes_torch.encode(stones, white_to_move, where, frame)[:, :2, 1:-1, 1:-1]
    return from_stones(inside > 0, padding)


def from_stones(stones: Tensor, padding: int = PADDING) -> Tensor:
    """Planes float32 [B, 6, ...] of the side to move's stones and the opponent's, bool [B, 2, rows, columns]."""
    count, _, rows, columns = stones.shape
    out = walls(rows, columns, padding, stones.device).repeat(count, 1, 1, 1)
    inside = out[:, :, padding : padding + rows, padding : padding + columns]
    inside[:, :2] = stones
    inside[:, 2:] = chained(stones)
    return out


def walls(rows: int, columns: int, padding: int = PADDING, device: torch.device | None = None) -> Tensor:
    """Planes of a board with no stones, [1, 6, rows + 2 * padding, columns + 2 * padding]."""
    out = torch.zeros((1, PLANES, rows + 2 * padding, columns + 2 * padding), device=device)
    out[:, 0, :padding] = out[:, 2, :padding] = 1
    out[:, 0, -padding:] = out[:, 3, -padding:] = 1
    out[:, 1, :, :padding] = out[:, 4, :, :padding] = 1
    out[:, 1, :, -padding:] = out[:, 5, :, -padding:] = 1
    return out


def chained(stones: Tensor) -> Tensor:
    """Which stones are chained to a wall: bool [B, 2, rows, columns] to [B, 4, rows, columns].

    Given are the side to move's stones and the opponent's; the four are top, bottom, left and right.
    """
    mine = stones.repeat_interleave(2, dim=1)
    reached = torch.zeros_like(mine)
    reached[:, 0, 0], reached[:, 1, -1] = mine[:, 0, 0], mine[:, 1, -1]
    reached[:, 2, :, 0], reached[:, 3, :, -1] = mine[:, 2, :, 0], mine[:, 3, :, -1]
    rows, columns = stones.shape[2:]
    while True:
        wide = F.pad(reached, (1, 1, 1, 1))
        grown = reached.clone()
        for down, right in NEIGHBOURS:
            grown |= wide[:, :, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
        grown &= mine
        if torch.equal(grown, reached):
            return reached
        reached = grown


def turned(planes: Tensor) -> Tensor:
    """Planes [B, 6 or 8, rows, columns], with walls or without, of the boards turned by 180 degrees.

    What was chained to the top is now chained to the bottom, and so on; colours stay.
    """
    order = [0, 1, 3, 2, 5, 4, *range(PLANES, planes.shape[1])]
    return torch.stack([planes[:, plane] for plane in order], 1).flip(2, 3)
