"""A game shown in the ways that Gymnasium and PettingZoo name."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from fingal.game import Board, draw

MODES = ("human", "ansi", "rgb_array")


def render(board: Board, mode: str | None) -> str | NDArray[np.uint8] | None:
    """The board as text ("ansi"), as pixels, uint8 [rows, columns, 3] ("rgb_array"), or printed ("human": None)."""
    match mode:
        case "ansi":
            return str(board)
        case "rgb_array":
            return pixels(board)
        case "human":
            print(board)
    return None


def pixels(board: Board, scale: float = 1.0) -> NDArray[np.uint8]:
    """The board as RGB, uint8 [rows, columns, 3]: the picture that ``fingal.game.draw`` makes. Needs Pillow."""
    # First, so that a missing Pillow is explained there.
    file = io.BytesIO(draw.png(draw.picture(board), scale))
    from PIL import Image

    return np.array(Image.open(file).convert("RGB"))


def check_mode(mode: str | None) -> None:
    """ValueError for a render mode that there is not."""
    if mode not in (None, *MODES):
        raise ValueError(f"render_mode={mode!r} is not possible: it is None or one of {', '.join(MODES)}")
