"""AMCPG: a policy learns from single moves of its games, each by the least of several results.

From every game one move is picked. Variant a plays k continuations after it, variant b one after each of the k most
likely replies; the move is worth the least result, as if the opponent had chosen. Beyond the paper the minimum may be
soft, and several results of one reply may be averaged first. docs/policy-gradient.md has the equations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from fingal.learn.parts import returns
from fingal.learn.parts.kinds import check_least
from fingal.learn.parts.policy_learning import PANELS, SHOWN, Learning, Lesson, PolicyGradient, train

__all__ = ["PANELS", "PRESETS", "SHOWN", "Amcpg", "Trainer", "train"]


@dataclass(frozen=True)
class Amcpg(PolicyGradient):
    """How to train."""

    variant: Literal["a", "b"] = "a"
    """a goes on from a move k times, b once after each of the k most likely replies."""
    k: int = 1
    """Continuations of each picked move; variant b has no more than there are replies."""
    temperature: float = 0.0
    """Of the soft minimum of the results: 0 for the minimum itself; the larger, the nearer to the mean."""
    repeats: int = 1
    """How often variant b goes on after each reply. From 2 on their mean stands for the reply, and the game's own
    result does not count."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        super().__post_init__()
        if self.variant not in ("a", "b"):
            raise ValueError(f"variant must be a or b, not {self.variant!r}")
        check_least(self, 1, "k", "repeats")
        if not 0 <= self.temperature <= math.inf:
            raise ValueError(f"temperature must be a number from 0 on, not {self.temperature}")
        if self.variant == "a" and self.repeats > 1:
            raise ValueError(f"repeats={self.repeats} is for variant b: all continuations of variant a are alike")

    @property
    def ways(self) -> int:
        """The continuations that there can be: an opening and a move leave so many replies."""
        return min(self.k, self.size**2 - 2) if self.variant == "b" else self.k


PRESETS = {
    "cpu-5x5": Amcpg(size=5, layers=4, channels=32),
    "cpu-7x7": Amcpg(size=7, layers=4, channels=32),
    "paper-9x9": Amcpg(),
    "paper-11x11": Amcpg(size=11),
}
"""Named settings for ``--preset``; the paper's runs begin from a net that has learned from games (``--start``)."""


class Trainer(Learning):
    """The loop, in parts that can be stopped, saved and gone on with."""

    config: Amcpg

    def name(self) -> str:
        """What the net's file calls it."""
        return f"amcpg-{self.config.variant}"

    def branches(self) -> int:
        """All continuations of a game."""
        return self.config.ways * self.config.repeats

    def lesson(self, rng: np.random.Generator) -> Lesson:
        """Play the games of one iteration."""
        config = self.config
        pairs, length, results, there = self.branched(rng, config.ways, config.repeats, replies=config.variant == "b")
        if config.repeats == 1:
            worth = returns.soft_minimum(results, config.temperature, there)
        else:
            of_replies = results[:, 1:].view(len(results), config.ways, config.repeats)
            least = returns.least_mean(of_replies, there[:, 1 :: config.repeats], config.temperature)
            worth = torch.where(torch.from_numpy(pairs.over), results[:, 0], least)
        return Lesson(pairs, worth.numpy(), config.games, length)
