"""The encoder ``canonical-ring-1`` in torch, on any device: what ``planes`` says, for batches that may mix sizes.

Everything is gathers, shifts and masks with shapes known beforehand, so it compiles and can be captured in a CUDA
graph. A batch is given in a frame of ``rows`` x ``columns`` cells that its largest canonical board fills; smaller
boards stand in the frame's top-left corner and the rest is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fingal.nets.planes import PLANES


class Layout(NamedTuple):
    """Which cell of the board each cell of the frame shows. B positions, a frame of rows x columns."""

    cell: Tensor
    """int64 [B, rows * columns]: the cell on the board as it is; 0 off the board. ``gather`` a target with it."""
    on_board: Tensor
    """bool [B, rows * columns]"""
    rows: Tensor
    """int64 [B]: the canonical board's rows."""
    columns: Tensor
    """int64 [B]: the canonical board's columns."""


def layout(
    white_to_move: Tensor,
    width: Tensor | int,
    height: Tensor | int,
    frame: tuple[int, int],
    rotated: Tensor | None = None,
) -> Layout:
    """Where the cells of B canonical boards come from.

    ``white_to_move`` is bool [B]; ``width`` and ``height`` are those of the boards as they are, one for all or
    int64 [B]; ``frame`` is rows and columns. Positions with ``rotated`` bool [B] set are turned by 180 degrees.
    """
    device = white_to_move.device
    width, height = (
        # Filled on the device: a copy from the host would not go into a CUDA graph.
        side if isinstance(side, Tensor) else torch.full_like(white_to_move, side, dtype=torch.int64)
        for side in (width, height)
    )
    rows = torch.where(white_to_move, width, height)
    columns = torch.where(white_to_move, height, width)
    r = torch.arange(frame[0], device=device).view(1, -1, 1)
    c = torch.arange(frame[1], device=device).view(1, 1, -1)
    white, w = white_to_move.view(-1, 1, 1), width.view(-1, 1, 1)
    cell = torch.where(white, c * w + r, r * w + c)
    if rotated is not None:
        last = (width * height - 1).view(-1, 1, 1)
        cell = torch.where(rotated.view(-1, 1, 1), last - cell, cell)
    on_board = (r < rows.view(-1, 1, 1)) & (c < columns.view(-1, 1, 1))
    cell = torch.where(on_board, cell, 0)
    return Layout(cell.flatten(1), on_board.flatten(1), rows, columns)


def encode(
    stones: Tensor, white_to_move: Tensor, where: Layout, frame: tuple[int, int], dtype: torch.dtype = torch.float32
) -> Tensor:
    """Planes [B, 5, rows + 2, columns + 2] of positions packed as int64 [2, B, words] (uint64 seen as int64).

    ``where`` is the ``layout`` for the same frame. ``words`` may be more than the board needs.
    """
    white = white_to_move.unsqueeze(1)
    own = _bits(torch.where(white, stones[1], stones[0]), where)
    other = _bits(torch.where(white, stones[0], stones[1]), where)
    count, (rows, columns) = stones.shape[1], frame
    device = stones.device
    out = torch.zeros((count, PLANES, rows + 2, columns + 2), dtype=dtype, device=device)
    inside = torch.stack((own, other, where.on_board), 1).view(count, 3, rows, columns)
    out[:, :3, 1:-1, 1:-1] = inside.to(dtype)
    # Edges, given where each board ends in the frame.
    r = torch.arange(rows + 2, device=device).view(1, -1, 1)
    c = torch.arange(columns + 2, device=device).view(1, 1, -1)
    bottom, right = where.rows.view(-1, 1, 1) + 1, where.columns.view(-1, 1, 1) + 1
    out[:, 3] = (((r == 0) | (r == bottom)) & (c <= right)).to(dtype)
    out[:, 4] = (((c == 0) | (c == right)) & (r <= bottom)).to(dtype)
    return out


def mask(where: Layout, frame: tuple[int, int], dtype: torch.dtype = torch.float32) -> Tensor:
    """1 on each board and its ring, 0 in the rest of the frame: [B, 1, rows + 2, columns + 2].

    A net needs it when boards are smaller than the frame, and None otherwise.
    """
    r = torch.arange(frame[0] + 2, device=where.cell.device).view(1, -1, 1)
    c = torch.arange(frame[1] + 2, device=where.cell.device).view(1, 1, -1)
    inside = (r <= where.rows.view(-1, 1, 1) + 1) & (c <= where.columns.view(-1, 1, 1) + 1)
    return inside.unsqueeze(1).to(dtype)


def to_board(canonical: Tensor, white_to_move: Tensor, width: int, height: int) -> Tensor:
    """What a net said of each cell, on the board as it is: [B, cells] to [B, cells], boards of one size.

    Row i of ``canonical`` is the canonical board of position i row by row, whichever side is to move.
    """
    cell = torch.arange(width * height, device=canonical.device).unsqueeze(0)
    turned = cell % width * height + cell // width
    return canonical.gather(1, torch.where(white_to_move.unsqueeze(1), turned, cell))


def _bits(words: Tensor, where: Layout) -> Tensor:
    """The bits of int64 [B, words] at the layout's cells: bool [B, rows * columns]."""
    word = words.gather(1, where.cell >> 6)
    return ((word >> (where.cell & 63)) & 1).bool() & where.on_board
