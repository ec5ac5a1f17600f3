"""What the environments should say, worked out from OpenSpiel's states. It does not know that 1x1 ends at once."""

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

BLACK_SIGNS, WHITE_SIGNS = set("xyzX"), set("opqO")


def new_state(width: int, height: int, swap: bool = False) -> Any:
    return pyspiel.load_game("hex", {"num_cols": width, "num_rows": height, "swap": swap}).new_initial_state()


def planes(state: Any, width: int, height: int, viewer: int, swap: bool = False) -> NDArray[np.bool_]:
    """[height, width, 4], from the text that OpenSpiel prints."""
    signs = str(state).split()
    black = np.array([sign in BLACK_SIGNS for sign in signs]).reshape(height, width)
    white = np.array([sign in WHITE_SIGNS for sign in signs]).reshape(height, width)
    own, other = (white, black) if viewer == 1 else (black, white)
    can_swap = swap and len(state.history()) == 1
    return np.stack([own, other, np.full_like(own, viewer == 1), np.full_like(own, can_swap)], axis=2)


def mask(state: Any, width: int, height: int) -> NDArray[np.bool_]:
    """[cells + 1]; OpenSpiel gives swap-pieces the number after the last cell, too."""
    legal = np.zeros(width * height + 1, np.bool_)
    legal[state.legal_actions()] = True
    return legal
