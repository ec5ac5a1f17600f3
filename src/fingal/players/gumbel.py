"""Tree search with a net, planned by sequential halving as in Gumbel MuZero: strong at few simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fingal.players.player import Player


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``gumbel:``."""

    net: str
    """The net: a name that comes with Fingal, or a file (.onnx or .safetensors)."""
    sims: int = 100
    """Simulations a move, on top of what is known from the moves before."""
    time: float | None = None
    """Seconds a move."""
    nodes: int | None = None
    """Positions a move that the tree grows by."""
    batch: int = 8
    """Positions that the net judges at once: 1 searches best, more are faster."""
    considered: int = 16
    """How many moves are looked at; half of them are dropped again and again."""
    scale: float = 0.1
    """How much the values found count against the policy."""
    noise: float = 0.0
    """The scale of the Gumbel noise at the root: 0 plays the best move, 1 explores as in training."""
    temperature: float = 0.0
    """0 plays the best move; more draws by visits, the flatter the higher."""
    resign: float | None = None
    """Give up when the value, from -1 to 1, is below this; never, if not given."""
    average: bool = False
    """Whether the net is asked twice, the second time about the board turned by 180 degrees."""
    threads: int = 1
    """Threads of the CPU that share the net's work."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net runs; auto takes a GPU when there is one."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""


def make(settings: Settings) -> Player:
    """A player as the settings say; ValueError, with one sentence, when there is no such net."""
    from fingal.nets.inference import open_evaluator
    from fingal.players.searching import Manner, SearchPlayer, limit_of
    from fingal.search import tree

    how = tree.Settings(
        gumbel=True,
        c_scale=settings.scale,
        considered=settings.considered,
        noise=settings.noise,
        batch=settings.batch,
    )
    manner = Manner(settings.temperature, settings.resign, settings.seed)
    limit = limit_of(settings.sims, settings.time, settings.nodes)
    evaluator = open_evaluator(settings.net, settings.device, threads=settings.threads, average=settings.average)
    return SearchPlayer("gumbel", evaluator, how, limit, manner)
