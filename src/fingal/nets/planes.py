"""The encoder ``canonical-ring-1`` in numpy: packed positions to planes, and policies back to the board.

**The canonical view.** The net sees the side to move as Black, who joins top and bottom. When White is to move, the
board is transposed and the colours are exchanged, so one net plays both sides and knows no colours. A board of
width x height is seen as ``rows`` x ``columns``: height x width with Black to move, width x height with White.

**The ring.** The board stands in a ring one cell wide that shows the edges, so planes are [rows + 2, columns + 2]:

====  ==============================================================================================
 0    the side to move's stones
 1    the opponent's stones
 2    1 on the board, 0 on the ring
 3    the side to move's edges: the ring's top and bottom rows, corners included
 4    the opponent's edges: the ring's left and right columns, corners included
====  ==============================================================================================

Each corner of the ring belongs to both sides' edges: two of them touch a board cell that borders both.
``planes_torch`` holds the same encoder for the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fingal.game.board import MAX_SIDE, Board
from fingal.search.evaluator import Positions

ENCODER = "canonical-ring-1"
"""The name that a net's card gives for these planes. Planes that change in any way get another name."""

PLANES = 5
"""How many planes there are."""


def unpack(stones: NDArray[np.uint64], cells: int) -> NDArray[np.uint8]:
    """Bits to numbers: [..., words] to 0 or 1 in [..., cells]."""
    octets = np.ascontiguousarray(stones, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=cells, bitorder="little")


def pack(stones: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Numbers to bits, the way back from ``unpack``: [..., cells] to [..., words]."""
    cells = stones.shape[-1]
    octets = np.zeros((*stones.shape[:-1], (cells + 63) // 64 * 8), np.uint8)
    octets[..., : (cells + 7) // 8] = np.packbits(stones, axis=-1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def check(positions: Positions) -> None:
    """ValueError for a board that no net sees, or arrays that do not belong to it."""
    width, height = positions.width, positions.height
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ValueError(f"a board of {width}x{height} is outside 1x1 to {MAX_SIDE}x{MAX_SIDE}")
    shape, count = positions.stones.shape, len(positions.white_to_move)
    if shape != (2, count, (width * height + 63) // 64):
        raise ValueError(f"stones of shape {shape} are not {count} boards of {width}x{height}")


def split(positions: Positions) -> Iterator[tuple[NDArray[np.intp] | None, Positions]]:
    """Give parts that ``encode`` takes, each with the indices [B] of its positions; None stands for all of them.

    A board that is not square looks different to the two sides, so a batch of both is cut in two.
    """
    white = positions.white_to_move
    if positions.width == positions.height or not white.any() or white.all():
        yield None, positions
        return
    for index in (np.flatnonzero(~white), np.flatnonzero(white)):
        yield index, take(positions, index)


def positions_of(boards: Sequence[Board]) -> Positions:
    """Boards of one size, packed."""
    return Positions(
        boards[0].width,
        boards[0].height,
        np.stack([board.packed() for board in boards], 1),
        np.array([int(board.turn) == 1 for board in boards]),
        np.array([max(board.moves[-1], -1) if board.moves else -1 for board in boards], np.int32),
    )


def joined(parts: Sequence[Positions]) -> Positions:
    """Positions of one board size in one batch."""
    if len(parts) == 1:
        return parts[0]
    return Positions(
        parts[0].width,
        parts[0].height,
        np.concatenate([part.stones for part in parts], 1),
        np.concatenate([part.white_to_move for part in parts]),
        np.concatenate([part.last for part in parts]),
    )


def take(positions: Positions, index: NDArray[np.intp] | slice) -> Positions:
    """Some of the positions."""
    return positions._replace(
        stones=positions.stones[:, index],
        white_to_move=positions.white_to_move[index],
        last=positions.last[index],
    )


def encode(positions: Positions) -> NDArray[np.float32]:
    """Planes of positions that have one canonical shape: float32 [B, 5, rows + 2, columns + 2].

    ValueError for a board that is not square with both sides to move in one batch: see ``split``.
    """
    width, height, white = positions.width, positions.height, positions.white_to_move
    count = len(positions.white_to_move)
    grid = unpack(positions.stones, width * height).reshape(2, count, height, width)
    all_white = bool(white.all()) and count > 0
    rows, columns = (width, height) if all_white else (height, width)
    out = empty_planes(count, rows, columns)
    inside = out[:, :2, 1:-1, 1:-1]
    if all_white:
        inside[:] = grid[::-1].transpose(1, 0, 3, 2)
        return out
    inside[:] = grid.transpose(1, 0, 2, 3)
    if white.any():
        if width != height:
            raise ValueError(f"a batch on {width}x{height} holds both sides to move: split it first")
        inside[white] = grid[::-1, white].transpose(1, 0, 3, 2)
    return out


def stones(positions: Positions) -> NDArray[np.bool_]:
    """The side to move's stones and the opponent's in the canonical view, [B, 2, rows, columns], without the frame."""
    found: NDArray[np.bool_] = encode(positions)[:, :2, 1:-1, 1:-1] > 0
    return found


def empty_planes(count: int, rows: int, columns: int) -> NDArray[np.float32]:
    """Planes of boards with no stones: float32 [count, 5, rows + 2, columns + 2]."""
    out = np.zeros((count, PLANES, rows + 2, columns + 2), np.float32)
    out[:, 2, 1:-1, 1:-1] = 1
    out[:, 3, 0] = out[:, 3, -1] = 1
    out[:, 4, :, 0] = out[:, 4, :, -1] = 1
    return out


def to_board(
    canonical: NDArray[np.float32], white_to_move: NDArray[np.bool_], width: int, height: int
) -> NDArray[np.float32]:
    """What the net said of each cell, on the board as it is: [B, rows * columns] to [B, cells].

    The positions have one canonical shape, as for ``encode``.
    """
    if not white_to_move.any():
        return canonical
    if white_to_move.all():
        return canonical.reshape(-1, width, height).transpose(0, 2, 1).reshape(-1, width * height)
    if width != height:
        raise ValueError(f"a batch on {width}x{height} holds both sides to move: split it first")
    out = canonical.copy()
    mine = canonical[white_to_move].reshape(-1, width, height)
    out[white_to_move] = mine.transpose(0, 2, 1).reshape(-1, width * height)
    return out


def rotated(positions: Positions) -> Positions:
    """The positions turned by 180 degrees: the side to move, the winner and the value stay as they are."""
    cells = positions.width * positions.height
    return positions._replace(
        stones=pack(unpack(positions.stones, cells)[..., ::-1]),
        last=np.where(positions.last < 0, positions.last, cells - 1 - positions.last).astype(np.int32),
    )


def mirrored(positions: Positions) -> Positions:
    """The positions mirrored in the long diagonal with the colours exchanged: the same game with the names changed."""
    width, height = positions.width, positions.height
    grid = unpack(positions.stones, width * height).reshape(2, -1, height, width)
    last = positions.last
    row, column = np.divmod(last, width)
    return Positions(
        width=height,
        height=width,
        stones=pack(np.ascontiguousarray(grid[::-1].transpose(0, 1, 3, 2)).reshape(2, -1, width * height)),
        white_to_move=~positions.white_to_move,
        last=np.where(last < 0, last, column * height + row).astype(np.int32),
    )
