"""What a learner is shown: planes of the board and a mask of the legal actions, as ``_core.Batch.observe`` has them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from fingal.game import SWAP, WHITE, Board, Colour

PLANES = 4
"""Own stones, the other side's stones, whether the viewer is White, whether swapping is possible now."""

Size: TypeAlias = int | tuple[int, int]
"""A side's length, or width and height."""


def sides(size: Size) -> tuple[int, int]:
    """Width and height of a size."""
    width, height = (size, size) if isinstance(size, int) else size
    return width, height


def plane_space(size: Size) -> spaces.Space[NDArray[np.bool_]]:
    """The space of one observation: a Box of bool [height, width, 4]."""
    width, height = sides(size)
    box: Any = spaces.Box  # its annotations leave bool out
    space: spaces.Space[NDArray[np.bool_]] = box(0, 1, (height, width, PLANES), np.bool_)
    return space


def planes(board: Board, viewer: Colour) -> NDArray[np.bool_]:
    """The board in a side's view, bool [height, width, 4].

    When the viewer is to move, the third plane says "White is to move", and the array is the one that
    ``HexVectorEnv`` gives for the same position.
    """
    stones = np.unpackbits(board.packed().astype("<u8").view(np.uint8), axis=1, count=board.cells, bitorder="little")
    out = np.empty((board.height, board.width, PLANES), np.bool_)
    out[..., 0] = stones[viewer].reshape(board.height, board.width)
    out[..., 1] = stones[viewer.other].reshape(board.height, board.width)
    out[..., 2] = viewer is WHITE
    out[..., 3] = board.can_swap
    return out


def action_mask(board: Board) -> NDArray[np.int8]:
    """1 for each legal action of the side to move, int8 [cells + 1]; all 0 when the board is won."""
    mask = np.zeros(board.cells + 1, np.int8)
    mask[[action_of(move, board.cells) for move in board.legal_moves]] = 1
    return mask


def action_of(move: int, cells: int) -> int:
    """The action for a move: swap-pieces comes after the last cell."""
    return cells if move == SWAP else move


def move_of(action: int, cells: int) -> int:
    """The move for an action; ValueError when it is out of range."""
    if not 0 <= action <= cells:
        raise ValueError(f"action {action} is out of range: actions run from 0 to {cells}")
    return SWAP if action == cells else int(action)
