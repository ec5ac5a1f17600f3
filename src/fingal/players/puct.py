"""Tree search with a net, guided by PUCT as in AlphaZero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fingal.players.player import Player


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``puct:``."""

    net: str
    """The net: a name that comes with Fingal, or a file (.onnx or .safetensors)."""
    sims: int = 400
    """Simulations a move, on top of what is known from the moves before."""
    time: float | None = None
    """Seconds a move."""
    nodes: int | None = None
    """Positions a move that the tree grows by."""
    batch: int = 8
    """Positions that the net judges at once: 1 searches best, more are faster."""
    c: float = 1.25
    """Exploration: how much the policy counts against the values found."""
    fpu: float = 0.25
    """How much less than the position itself a move that was never tried is worth."""
    noise: float = 0.0
    """The share of Dirichlet noise in the policy at the root, from 0 to 1."""
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

    how = tree.Settings(c_init=settings.c, fpu_reduction=settings.fpu, noise=settings.noise, batch=settings.batch)
    manner = Manner(settings.temperature, settings.resign, settings.seed)
    limit = limit_of(settings.sims, settings.time, settings.nodes)
    evaluator = open_evaluator(settings.net, settings.device, threads=settings.threads, average=settings.average)
    return SearchPlayer("puct", evaluator, how, limit, manner)
