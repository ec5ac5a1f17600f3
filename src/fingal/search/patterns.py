"""What was learned of local patterns, from the file beside this one; ``python -m fingal.learn.patterns`` writes it.

A pattern is the twelve cells around a cell: six that touch it, then six a bridge away, both in a circle. Each is empty
(0), of the side to move (1) or of the opponent (2); off the board stand the stones of the edges' owners. As a number,
the first is the lowest digit to the base 3. All is in the view of a side to move that joins top and bottom.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingal import _core

FILE = Path(__file__).with_name("patterns.npz")
PLACES, PATTERNS, RINGS, BINS = 12, 3**12, 3**6, 12
"""Places around a cell; patterns of them, and of the six that touch it; bins of energy."""
STEP = 1 / 16
"""Scores are kept as multiples of this, in a byte each."""
SHARPNESS = 1.5
"""Playouts draw moves with probability exp(SHARPNESS * score): above 1, they follow what was learned more strictly."""


@cache
def model() -> _core.PatternModel:
    """The scores for priors and for playouts, in the core."""
    with np.load(FILE) as file:
        return _core.PatternModel(scores(file, "prior"), scores(file, "playout"), SHARPNESS)


def scores(file: Mapping[str, NDArray[np.int8]], kind: str) -> _core.PatternScores:
    """All scores of a kind: those of frequent patterns by themselves, of others by the cells that touch."""
    every = np.arange(PATTERNS)
    pattern = file[f"{kind}_ring"].astype(np.float32)[every % RINGS]
    own = file[f"{kind}_pattern"].astype(np.float32)
    keys = file["patterns"]
    pattern[keys] += own
    turned = rotated(keys)
    pattern[turned[turned != keys]] += own[turned != keys]
    reply, energy = (file[f"{kind}_{name}"].astype(np.float32) for name in ("reply", "energy"))
    return _core.PatternScores(STEP * pattern, STEP * reply, STEP * energy)


def rotated(patterns: NDArray[np.integer], places: int = PLACES) -> NDArray[np.int64]:
    """Patterns of so many places, six or twelve, as they look when the board is turned by 180 degrees."""
    result = np.zeros(patterns.shape, np.int64)
    for place in range(places):
        result += patterns.astype(np.int64) // 3**place % 3 * 3 ** opposite(place)
    return result


def opposite(place: int) -> int:
    """The place on the other side of the cell."""
    return (place + 3) % 6 + (6 if place >= 6 else 0)
