"""Tree search with a net, guided by PUCT as in AlphaZero."""

from __future__ import annotations

from dataclasses import dataclass

from fingal.players.net_search import NetSearchSettings
from fingal.players.player import Player
from fingal.ranges import MOST_WEIGHT, check_range


@dataclass(frozen=True)
class Settings(NetSearchSettings):
    """What a text may say after ``puct:``."""

    c: float = 1.25
    """Exploration: how much the policy counts against the values found."""
    fpu: float = 0.05
    """How much less than the position itself a move that was never tried is worth."""
    noise: float = 0.0
    """The share of Dirichlet noise in the policy at the root, from 0 to 1."""

    def __post_init__(self) -> None:
        """Reject weights that the core's formula does not hold."""
        super().__post_init__()
        check_range(self, 0, MOST_WEIGHT, "c", "fpu")
        check_range(self, 0, 1, "noise")


def make(settings: Settings) -> Player:
    """A player as the settings say; ValueError, with one sentence, when there is no such net."""
    from fingal.search import tree

    how = tree.Settings(
        c_init=settings.c,
        fpu_reduction=settings.fpu,
        noise=settings.noise,
        connections=settings.connections,
        batch=settings.batch,
    )
    return settings.player("puct", how)
