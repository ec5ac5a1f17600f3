"""Tree search with a net, planned by sequential halving as in Gumbel MuZero: strong at few simulations."""

from __future__ import annotations

from dataclasses import dataclass

from fingal.players.net_search import NetSearchSettings
from fingal.players.player import Player
from fingal.ranges import MOST_INT, MOST_WEIGHT, check_range


@dataclass(frozen=True)
class Settings(NetSearchSettings):
    """What a text may say after ``gumbel:``."""

    sims: int = 100
    """Simulations a move, on top of what is known from the moves before."""
    considered: int = 16
    """How many moves are looked at; half of them are dropped again and again."""
    scale: float = 0.4
    """How much the values found count against the policy."""
    noise: float = 0.0
    """The scale of the Gumbel noise at the root: 0 plays the best move, 1 explores as in training."""

    def __post_init__(self) -> None:
        """Reject numbers that the core's formula does not hold."""
        super().__post_init__()
        check_range(self, 1, MOST_INT, "considered")
        check_range(self, 0, MOST_WEIGHT, "scale")
        check_range(self, 0, 1, "noise")


def make(settings: Settings) -> Player:
    """A player as the settings say; ValueError, with one sentence, when there is no such net."""
    from fingal.search import tree

    how = tree.Settings(
        gumbel=True,
        c_scale=settings.scale,
        considered=settings.considered,
        noise=settings.noise,
        connections=settings.connections,
        batch=settings.batch,
    )
    return settings.player("gumbel", how)
