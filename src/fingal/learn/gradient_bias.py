"""How far each policy-gradient estimator is from what it is meant to follow, exactly, on 2x2 and 3x3.

A step size makes up for the length of a gradient, so what counts is its direction: the cosine of the angle between the
estimator's mean and the gradient that it is to follow. There are three of those: of self-play, of the least reply (the
paper's equation 12), and against a best responder. docs/alternating-games.md has the table.

>>> rows = table(2, policies=("even",), estimators=(Estimator("reinforce-v"), Estimator("amcpg-a", 1)))
>>> [(row.estimator, row.self_play > 0.9999) for row in rows]
[('reinforce-v', True), ('amcpg-a (k=1)', False)]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fingal.learn.parts.exact_gradients import (
    Estimator,
    Floats,
    SelfPlay,
    average,
    best_responder_gradient,
    least_reply_gradient,
    self_play_gradient,
)
from fingal.learn.parts.truth import Truth

ESTIMATORS = (
    Estimator("reinforce-v"),
    *(Estimator("reinforce-b", k) for k in (0, 1, 3, 9)),
    *(Estimator("amcpg-a", k) for k in (1, 3, 9)),
    *(Estimator("amcpg-b", k) for k in (1, 3, 9)),
    *(Estimator("soft", 3, temperature=heat) for heat in (0.5, 1.0, 2.0)),
    *(Estimator("average", k, m) for k in (3, 9) for m in (4, 16)),
)
"""Those of the table."""


@dataclass(frozen=True)
class Bias:
    """One estimator with one policy."""

    policy: str
    estimator: str
    self_play: float
    """The cosine between its mean and the gradient of self-play's results; 1 is the same direction."""
    least_reply: float
    """The same with the gradient in which each move counts what the worst reply leaves of it."""
    best_responder: float
    """The same with the gradient of what is won against a best responder."""
    length: float
    """The length of the mean, as a share of REINFORCE-V's."""
    noise: float
    """The standard deviation of one game's gradient, in lengths of the mean."""
    offset: float
    """How much more than its worth in self-play a move is given on average: below 0, most moves are pushed down."""
    moves: float
    """Moves that the policy makes for one game and those that continue it."""

    @property
    def bias(self) -> float:
        """How far its mean is from self-play's gradient with the best step size, as a share of that gradient."""
        return math.sqrt(max(0.0, 1 - self.self_play**2))

    @property
    def games(self) -> float:
        """How many games it takes for the mean to be as long as the noise around it."""
        return self.noise**2


def logits(truth: Truth, kind: str, seed: int = 1) -> Floats:
    """Logits [P, cells] of a kind of policy: -inf on stones.

    ``even`` is nearly uniform; ``rough`` has normal logits of deviation 1, ``peaked`` of 3; ``taught`` likes winning
    moves better, as one that has learned from good games would.
    """
    drawn = np.random.default_rng(seed).normal(size=truth.legal.shape)
    made: dict[str, Callable[[], Floats]] = {
        "even": lambda: 0.1 * drawn,
        "rough": lambda: drawn,
        "peaked": lambda: 3 * drawn,
        "taught": lambda: drawn + TAUGHT * truth.winning,
    }
    if kind not in made:
        raise ValueError(f"there is no policy {kind!r}: one of {', '.join(made)} is expected")
    return np.where(truth.legal, made[kind](), -np.inf)


TAUGHT = 2.0
"""How much better a taught policy likes a winning move, in logits."""


def chances(logits: Floats) -> Floats:
    """Softmax: the chance of every move, of the same shape; logits are -inf on stones."""
    weight = np.exp(logits - logits.max(-1, keepdims=True))
    chance: Floats = weight / weight.sum(-1, keepdims=True)
    return chance


def cosine(one: Floats, other: Floats) -> float:
    """Of the angle between two gradients."""
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))


def table(
    size: int,
    policies: Sequence[str] = ("even", "rough", "peaked", "taught"),
    estimators: Sequence[Estimator] = ESTIMATORS,
    seed: int = 1,
) -> list[Bias]:
    """Every estimator with every policy on a board of 2x2 or 3x3."""
    truth, rows = Truth(size), []
    for kind in policies:
        play = SelfPlay(truth, chances(logits(truth, kind, seed)))
        aims = [of(play) for of in (self_play_gradient, least_reply_gradient, best_responder_gradient)]
        full = float(np.sqrt((aims[0] ** 2).sum()))
        for estimator in estimators:
            found = average(play, estimator)
            length = float(np.sqrt((found.gradient**2).sum()))
            near = cosine(found.gradient, aims[0]), cosine(found.gradient, aims[1]), cosine(found.gradient, aims[2])
            noise = float(np.sqrt(found.variance)) / length
            rows.append(
                Bias(kind, str(estimator), *near, length / full, noise, found.weight - found.worth, found.moves)
            )
    return rows
