"""Tree search with no knowledge but the rules: positions are judged by filling the board at random."""

from __future__ import annotations

from dataclasses import dataclass

from fingal.players.player import Player

OPENING_FILLS = 256
"""Random fillings of each first move where White may swap: enough to tell which is nearest to even."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``uct:``."""

    sims: int = 10_000
    """Simulations a move, on top of what is known from the moves before."""
    time: float | None = None
    """Seconds a move."""
    nodes: int | None = None
    """Positions a move that the tree grows by."""
    fills: int = 1
    """Random fillings of the board in each simulation."""
    c: float = 6.0
    """Exploration: how much moves that were tried little are favoured."""
    temperature: float = 0.0
    """0 plays the best move; more draws by visits, the flatter the higher."""
    resign: float | None = None
    """Give up when the value, from -1 to 1, is below this; never, if not given."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""


def make(settings: Settings) -> Player:
    """A player as the settings say."""
    import random

    from fingal.players.searching import Manner, SearchPlayer, limit_of
    from fingal.search import tree
    from fingal.search.rollout import RolloutEvaluator

    how = tree.Settings(c_init=settings.c, batch=1)
    manner = Manner(settings.temperature, settings.resign, settings.seed)
    limit = limit_of(settings.sims, settings.time, settings.nodes)
    seed = random.Random(settings.seed).getrandbits(62)
    evaluator, opener = RolloutEvaluator(settings.fills, seed), RolloutEvaluator(OPENING_FILLS, seed)
    return SearchPlayer("uct", evaluator, how, limit, manner, opener)
