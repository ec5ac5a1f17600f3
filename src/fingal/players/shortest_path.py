"""Shortens its own way and lengthens the opponent's, counted in stones that are still to be played."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from fingal.analysis import distance
from fingal.game import SWAP, Record
from fingal.players.player import NO_LIMIT, Limit, open_board


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``shortest-path:``."""

    seed: int | None = None
    """Start of the random numbers that choose among equal moves; without one, no two games are alike."""


class ShortestPathPlayer:
    """Plays a move after which its way is shortest, compared with the opponent's."""

    def __init__(self, seed: int | None = None) -> None:
        """With the same seed it gives the same answers to the same questions."""
        self.name = "shortest-path"
        self.careless = True  # it sees no bridges
        self._random = random.Random(seed)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """Any of the best moves; the swap where the opponent's stone has shortened its way."""
        board = open_board(record)
        own, opponent = int(board.turn), int(board.turn.other)
        if board.can_swap:
            ways = distance.shortest_path(board).least
            if ways[opponent] < ways[own]:
                return SWAP
        cells = np.array(board.empty_cells)
        stones = np.repeat(board.packed()[:, None], len(cells), axis=1)
        stones[own, np.arange(len(cells)), cells // 64] |= np.uint64(1) << (cells % 64).astype(np.uint64)
        _, least, count = distance.measure(stones, board.width, board.height, two=False)
        # An opponent that is cut off has the longest way of all. Among equal ways, the more cells there are to go by,
        # the harder it is to stop them all.
        way = np.where(least[opponent] == distance.FAR, board.cells, least[opponent]) - least[own]
        room = count[own] - count[opponent]
        score = way * (2 * board.cells + 1) + room
        return int(self._random.choice(cells[score == score.max()]))

    def close(self) -> None:
        """Nothing to let go of."""


def make(settings: Settings) -> ShortestPathPlayer:
    """A player as the settings say."""
    return ShortestPathPlayer(settings.seed)
