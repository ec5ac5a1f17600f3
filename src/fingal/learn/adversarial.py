"""An adversarial actor-critic: a policy learns from action values whose targets are the opponent's best reply.

One net gives a policy and, for each cell, the value of playing there. A move's value moves towards the least that the
opponent's replies leave, softly or not, mixed with how the game ended; the policy moves along what a move is worth
beyond the policy's own average. The paper calls for such a critic and leaves it open; docs/policy-gradient.md says what
is done here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import returns
from fingal.learn.parts.policy import entropy, legal_in_planes, log_chances, surrogate
from fingal.learn.parts.policy_games import Ints, Pairs
from fingal.learn.parts.policy_learning import (
    CHUNK,
    PANELS,
    SHOWN,
    Learning,
    Lesson,
    PolicyGradient,
    of_every_move,
    train,
)
from fingal.nets.convolutional import Config

__all__ = ["PANELS", "PRESETS", "SHOWN", "Adversarial", "Trainer", "train"]


@dataclass(frozen=True)
class Adversarial(PolicyGradient):
    """How to train."""

    optimiser: Literal["sgd", "adam"] = "adam"
    """Adam's steps, or plain ones along the gradient."""
    temperature: float = 0.0
    """Of the soft minimum over replies, each as likely as the policy has it: 0 for the minimum over all, infinite for
    what the policy's own replies leave on average."""
    outcome: float = 0.5
    """The share of the game's own result in what a value moves towards; the rest is the minimum over replies."""
    value_weight: float = 1.0
    """How much the critic's squared error counts beside the policy's gain."""
    entropy: float = 0.01
    """How much the policy gains from being undecided."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        super().__post_init__()
        if not 0 <= self.temperature <= math.inf:
            raise ValueError(f"temperature must be a number from 0 on, not {self.temperature}")
        if not 0 <= self.outcome <= 1:
            raise ValueError(f"outcome must be from 0 to 1, not {self.outcome}")
        for name in ("value_weight", "entropy"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        if self.baseline != "none":
            raise ValueError(f"baseline={self.baseline} is not possible: the critic is the baseline")

    @property
    def net(self) -> Config:
        """The net's shape: with action values."""
        return Config(layers=self.layers, channels=self.channels, values=True)


PRESETS = {
    "cpu-5x5": Adversarial(size=5, layers=4, channels=32),
    "cpu-7x7": Adversarial(size=7, layers=4, channels=32),
    "paper-9x9": Adversarial(),
    "paper-11x11": Adversarial(size=11),
}
"""Named settings for ``--preset``."""


def critic_target(values: Tensor, log_policy: Tensor, temperature: float) -> Tensor:
    """Equation (10): what the replies leave to who has moved, [B], from the opponent's values and policy [B, cells].

    The soft minimum of the negated values, weighted by the policy; with temperature 0 the minimum over legal replies.
    """
    # A reply that the policy all but rules out is a reply all the same.
    chance = torch.where(log_policy.isfinite(), log_policy.exp().clamp(min=1e-30), 0)
    return returns.weighted_soft_minimum(-values, chance, temperature)


def average_value(values: Tensor, log_policy: Tensor) -> Tensor:
    """Equation (11): v(s), the sum of pi(a|s) q(s, a), [B]; a move's advantage is its aim less that."""
    return (log_policy.exp() * values).sum(1)


class Trainer(Learning):
    """The loop, in parts that can be stopped, saved and gone on with."""

    config: Adversarial

    def name(self) -> str:
        """What the net's file calls it."""
        return "adversarial"

    def lesson(self, rng: np.random.Generator) -> Lesson:
        """Play the games of one iteration; the weights are the results."""
        return of_every_move(*self.games.play(self.draw, rng, every=True))

    def learn(self, lesson: Lesson, weights: Tensor) -> dict[str, float]:
        """One step of policy and values, with the results [P] of the games."""
        config, pairs = self.config, lesson.pairs
        left, average = self._judged(pairs)
        following = torch.from_numpy(next_pair(pairs))
        aim = torch.where(following < 0, 1.0, torch.lerp(left[following], weights, config.outcome))
        gain = aim - average
        self.optimiser.zero_grad()
        sums = torch.zeros(2, device=self.device)
        for start in range(0, len(aim), CHUNK[self.device.type]):
            part = slice(start, start + CHUNK[self.device.type])
            cells = torch.from_numpy(pairs.cells[part]).to(self.device)
            values, log_policy = self._asked(pairs.planes[part])
            said = values.gather(1, cells.unsqueeze(1)).squeeze(1)
            missed = (said - aim[part].to(self.device)).square().sum()
            undecided = entropy(log_policy).sum()
            loss = surrogate(log_policy, cells, gain[part].to(self.device))
            loss = loss + config.value_weight * missed - config.entropy * undecided
            (loss / lesson.divisor).backward()  # type: ignore[no-untyped-call]
            sums += torch.stack((undecided.detach(), missed.detach()))
        undecided_sum, missed_sum = (sums / len(aim)).tolist()
        return {"entropy": undecided_sum, "value_loss": missed_sum, "gradient": self.step()}

    def _asked(self, planes: NDArray[np.uint8]) -> tuple[Tensor, Tensor]:
        """Action values and the log of the policy, each [B, cells], of positions by their planes."""
        there = torch.from_numpy(planes).to(self.device)
        with self.rounding():
            logits, values = self.net.both(self.seen(there))
        return values.float(), log_chances(logits, legal_in_planes(there))

    @torch.no_grad()
    def _judged(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """What each position leaves to the player who moved before it, and v(s) for its side to move: [P] each."""
        left, average = [], []
        for start in range(0, len(pairs.cells), CHUNK[self.device.type]):
            values, log_policy = self._asked(pairs.planes[start : start + CHUNK[self.device.type]])
            left.append(critic_target(values, log_policy, self.config.temperature).cpu())
            average.append(average_value(values, log_policy).cpu())
        return torch.cat(left), torch.cat(average)

    @torch.inference_mode()
    def exam(self) -> dict[str, float]:
        """As for the others, and how often the best value has the right sign."""
        found = super().exam()
        if self._truth is not None:
            truth, planes = self._truth
            values = torch.cat([self._asked(planes[at : at + 256])[0].cpu() for at in range(0, len(planes), 256)])
            found["sign"] = float(truth.judge(values.numpy()[np.newaxis])["sign"][0])
        return found


def next_pair(pairs: Pairs) -> Ints:
    """The number of the pair that follows each in its game, [P]; -1 after the last."""
    place = np.full((int(pairs.game.max()) + 1, int(pairs.ply.max()) + 2), -1, np.int64)
    place[pairs.game, pairs.ply] = np.arange(len(pairs.ply))
    found: Ints = place[pairs.game, pairs.ply + 1]
    return found
