"""Minimax over network characteristics (paths, two-distances, currents), a substitute for the engine EZO."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal.analysis import characteristics
from fingal.players.minimax import MinimaxPlayer, check_depth
from fingal.search.evaluator import Evaluation, Positions

OWN = np.array([1.774, -0.366, -4.516, 2.489, -0.09, -0.252])
OPPONENT = np.array([-0.88, -0.028, 3.211, -2.379, -1.033, -0.787])
CONSTANT = 2.355
"""What ``fingal.learn.characteristics`` found: the weights of both sides' characteristics, and what is added."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``characteristics:``."""

    depth: int = 1
    """Moves that it looks ahead: 1 or 2."""
    connections: bool = True
    """Whether virtual connections decide games that are decided, and leave out moves that lose."""

    def __post_init__(self) -> None:
        """Refuse what is not searched."""
        check_depth(self.depth)


def seen(positions: Positions) -> NDArray[np.float64]:
    """The twelve characteristics, [B, 12]: the side to move's network's six, then the opponent's."""
    both = characteristics.measure(positions.stones, positions.width, positions.height)
    mover = positions.white_to_move.astype(np.int64)
    at = np.arange(len(mover))
    return np.concatenate((both[mover, at], both[1 - mover, at]), axis=1)


def judge(positions: Positions) -> Evaluation:
    """Values of positions: 2 p - 1, where p is how likely the side to move wins by logistic regression."""
    said = seen(positions) @ np.concatenate((OWN, OPPONENT)) + CONSTANT
    cells = positions.width * positions.height
    return Evaluation(np.zeros((len(said), cells), np.float32), np.tanh(said / 2).astype(np.float32))


def make(settings: Settings) -> MinimaxPlayer:
    """A player as the settings say."""
    return MinimaxPlayer(judge, settings.depth, settings.connections, "characteristics")
