"""Uniformly random legal moves, the swap included."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal.game import Record
from fingal.players.player import NO_LIMIT, Limit, open_board
from fingal.search.evaluator import Positions


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``random:``."""

    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""


class RandomPlayer:
    """Draws every move from the legal ones."""

    def __init__(self, seed: int | None = None) -> None:
        """With the same seed it gives the same answers to the same questions."""
        self.name = "random"
        self.careless = True
        self._random = random.Random(seed)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """Any legal move, each with the same probability."""
        return self._random.choice(open_board(record).legal_moves)

    def probabilities(self, positions: Positions) -> NDArray[np.float64]:
        """How probable every move is, [B, cells]: the same for all empty cells."""
        cells = np.arange(positions.width * positions.height)
        taken = positions.stones[0] | positions.stones[1]
        empty = (taken[:, cells // 64] >> (cells % 64).astype(np.uint64)) & np.uint64(1) == 0
        chances: NDArray[np.float64] = empty / empty.sum(axis=1, keepdims=True)
        return chances

    def close(self) -> None:
        """Nothing to let go of."""


def make(settings: Settings) -> RandomPlayer:
    """A player as the settings say."""
    return RandomPlayer(settings.seed)
