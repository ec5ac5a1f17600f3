"""Uniformly random legal moves, the swap included."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fingal.game import Record
from fingal.players.player import NO_LIMIT, Limit, open_board


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
        self._random = random.Random(seed)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """Any legal move, each with the same probability."""
        return self._random.choice(open_board(record).legal_moves)

    def close(self) -> None:
        """Nothing to let go of."""


def make(settings: Settings) -> RandomPlayer:
    """A player as the settings say."""
    return RandomPlayer(settings.seed)
