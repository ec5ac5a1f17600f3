"""Judgement by chance: every move alike, and a value from random fillings of the board."""

from __future__ import annotations

import numpy as np

from fingal import _core
from fingal.search.evaluator import Evaluation, Positions


class RolloutEvaluator:
    """An evaluator with no knowledge: a uniform policy, and the share of random fillings that the side to move wins.

    What it says of a position depends on the position and the seed alone.
    """

    def __init__(self, fills: int = 1, seed: int = 0) -> None:
        """``fills`` random fillings are made of each position."""
        if fills < 1:
            raise ValueError(f"fills must be at least 1, not {fills}")
        self.fills = fills
        self.seed = seed

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions: logits [B, cells] of zeros, values [B] for the side to move."""
        count, cells = len(positions.white_to_move), positions.width * positions.height
        stones, white = np.ascontiguousarray(positions.stones), np.ascontiguousarray(positions.white_to_move)
        value = _core.fill_values(stones, white, positions.width, positions.height, self.fills, self.seed)
        return Evaluation(np.zeros((count, cells), np.float32), value)
