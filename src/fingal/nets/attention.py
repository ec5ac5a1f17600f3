"""Attention among the cells of a board, whatever its size.

What a cell learns of another depends on what both hold and on the offset between them, for which each head has a
learned number. Far offsets count as ``reach``, so that the same numbers serve every board.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.blocks import OFF_BOARD, Extent, Norm

REACH = 12
"""Offsets of more rows or columns than this count as so many, in the residual net."""


class Attention(nn.Module):
    """x + convolution(attention among the cells of norm(x)), all of one position: kernels are 1x1."""

    def __init__(self, channels: int, heads: int) -> None:
        """Make one that changes nothing yet: what it adds begins as 0. Its heads look near at first."""
        super().__init__()
        self.norm1 = Norm(channels)
        self.parts = nn.Conv2d(channels, 3 * channels, 1, bias=False)
        self.near = nn.Parameter(nearness(heads, REACH))
        self.mixed = nn.Conv2d(channels, channels, 1, bias=False)
        nn.init.normal_(self.parts.weight, std=1 / math.sqrt(channels))
        nn.init.zeros_(self.mixed.weight)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same; what is outside the extent is not looked at."""
        out: Tensor = x + self.mixed(attend(self.parts(self.norm1(x, extent.mask)), self.near, extent.mask))
        return out


def attend(parts: Tensor, near: Tensor, mask: Tensor | None = None) -> Tensor:
    """Queries, keys and values [B, 3C, H, W] to what the cells found [B, C, H, W].

    ``near`` [heads, offsets] is added to the logits; cells where the mask [B, 1, H, W] is 0 are not looked at.
    """
    count, _, rows, columns = parts.shape
    cells = parts.permute(0, 2, 3, 1).reshape(count, rows * columns, 3, len(near), -1)
    query, key, value = cells.permute(2, 0, 3, 1, 4).unbind(0)
    bias = near[:, offsets(rows, columns, REACH, parts)].unsqueeze(0).to(query.dtype)
    if mask is not None:
        bias = torch.where(mask.flatten(2).unsqueeze(2) > 0, bias, OFF_BOARD)
    found = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    return found.transpose(1, 2).reshape(count, rows, columns, -1).permute(0, 3, 1, 2)


def nearness(heads: int, reach: int) -> Tensor:
    """What offsets begin with, [heads, offsets]: minus the distance on the board, times 1 to 1/8 from head to head."""
    line = torch.arange(-reach, reach + 1)
    down, right = line.view(-1, 1), line.view(1, -1)
    # A step goes down, right, or both at once in opposite directions.
    distance = torch.maximum(torch.maximum(down.abs(), right.abs()), (down + right).abs()).flatten()
    slopes = 2.0 ** -torch.linspace(0, 3, heads)
    return -slopes.unsqueeze(1) * distance


def offsets(rows: int, columns: int, reach: int, like: Tensor) -> Tensor:
    """The number of the offset from each cell to each other, int64 [cells, cells]; far ones are cut to the reach."""
    row = torch.arange(rows, device=like.device).view(-1, 1).expand(rows, columns).flatten()
    column = torch.arange(columns, device=like.device).repeat(rows)
    down, right = ((at - at.unsqueeze(1)).clamp(-reach, reach) + reach for at in (row, column))
    return down * (2 * reach + 1) + right
