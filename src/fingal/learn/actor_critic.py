"""Actor-critic on the mirrored board: a policy net plays, and a net of move values, by any rule of ``td``, judges.

After every move the critic is updated as ``td`` does it, and the actor along the gradient of the logarithm of its
policy, with an eligibility trace and, if asked for, the natural gradient. docs/td.md has the equations by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import rules
from fingal.learn.parts.history import History
from fingal.learn.parts.mirror import best_cell, random_cell
from fingal.learn.parts.natural import Window
from fingal.learn.parts.online import Measure, Plan, Runs, Told
from fingal.learn.parts.policy import draw
from fingal.learn.parts.stacks import run_stacks, truth_measure
from fingal.learn.td import TD, Learning, Trained
from fingal.nets.stacked import Stack, Trunk

Baseline = Literal["state", "move"]


@dataclass(frozen=True)
class ActorCritic(TD):
    """One run: the critic's settings as for ``TD``, and the actor's."""

    epsilon: float = 0.0
    """How often a move is random instead of the policy's."""
    policy_alpha: float = 0.01
    """The step size of the policy's parameters."""
    policy_trace: float = 0.0
    """Lambda of the policy: how far back an error is handed, 0 to 1."""
    policy_natural: bool = False
    """Whether the policy is updated along the natural gradient."""
    baseline: Baseline = "state"
    """What the actor's error is measured from: ``state``, the critic's mean value of the policy's moves in a position;
    or ``move``, the value of the move played, which is paper 000's delta and vanishes when the critic is right."""

    def __post_init__(self) -> None:
        """Refuse nonsense, by name."""
        super().__post_init__()
        if not 0 <= self.policy_alpha < float("inf"):
            raise ValueError(f"policy_alpha must be a number from 0 on, not {self.policy_alpha}")
        if not 0 <= self.policy_trace <= 1:
            raise ValueError(f"policy_trace must be from 0 to 1, not {self.policy_trace}")
        if self.baseline not in ("state", "move"):
            raise ValueError(f"baseline must be state or move, not {self.baseline!r}")

    @property
    def family(self) -> tuple[object, ...]:
        """What runs of one stack have in common."""
        metric = (self.metric_rate, self.metric_window, self.damping) if self.policy_natural else ()
        return (*super().family, self.policy_trace > 0, self.policy_natural, metric, self.baseline)


def sweep(
    settings: Sequence[ActorCritic],
    folder: str | Path | None = None,
    told: Told | None = None,
    start: Tensor | None = None,
) -> list[History]:
    """Train every setting; see ``train``."""
    return train(settings, folder, told, start).histories


def train(
    settings: Sequence[ActorCritic],
    folder: str | Path | None = None,
    told: Told | None = None,
    start: Tensor | None = None,
) -> Trained:
    """Train every setting as ``td.train`` does; ``start`` are critics. The parameters that it gives are the policies'.

    A row's measures are those of the player that plays the policy's most likely move; ``sign`` is the critic's.
    ``entropy`` is the policy's, in nats, averaged over the moves.
    """

    def begin(chosen: list[int]) -> Runs:
        these = [settings[index] for index in chosen]
        learner = Acting(these, None if start is None else start[chosen])
        plan = Plan(these[0].games, these[0].rows, these[0].bound)
        return Runs(learner, plan, [asdict(one) for one in these], measure_of(learner.stack))

    histories, parts = run_stacks([one.family for one in settings], begin, folder, told)
    stacks = [Stack(one.net) for one in settings]
    policies = [stack.narrow(parts[index][:, stack.width :]) for index, stack in enumerate(stacks)]
    found = torch.zeros(len(settings), max((policy.shape[1] for policy in policies), default=0))
    for index, policy in enumerate(policies):
        found[index, : policy.shape[1]] = policy[0]
    return Trained(histories, found)


def measure_of(stack: Stack) -> Measure:
    """What the policies' likeliest moves are worth, of critics and policies side by side [N, 2 * width]."""
    measure = truth_measure(stack)

    def both(parameters: Tensor) -> dict[str, NDArray[np.float64]]:
        values, policies = parameters[:, : stack.width], parameters[:, stack.width :]
        found = measure(policies)
        return found | {name: of for name, of in measure(values).items() if name == "sign"}

    return both


class Acting(Learning):
    """R runs of one family: the critic's update, and the actor's beside it."""

    def __init__(self, settings: Sequence[ActorCritic], start: Tensor | None = None) -> None:
        """Begin with random policies, and with random critics or with ``start`` [R, parameters]."""
        self.own = settings[0]
        stack = Stack(self.own.net)
        runs = len(settings)
        # Another seed than the critic's: a policy need not begin as its critic's likeness.
        policy = stack.initial([one.seed + 2**32 for one in settings])
        self.actor: dict[str, Tensor] = {
            "policy": policy,
            "policy_alpha": torch.tensor([one.policy_alpha for one in settings]),
            "policy_trace": torch.tensor([one.policy_trace for one in settings]),
        }
        if self.own.policy_trace > 0:
            self.actor["z"] = torch.zeros_like(policy)
        if self.own.policy_natural:
            self.actor |= Window.empty(runs, stack.width, self.own.metric_window, "policy_metric")
        super().__init__(settings, start)

    def parameters(self) -> Tensor:
        """Critics and policies, [R, 2 * width]."""
        return torch.cat((self.state["theta"], self.state["policy"]), 1)

    def _chances(self, columns: Tensor, legal: Tensor) -> tuple[Trunk, Tensor]:
        """The policies' chances of each move, [R, cells], 0 where it is not legal."""
        done, logits = self.stack.forward(self.state["policy"], columns)
        return done, torch.softmax(logits[:, 0].masked_fill(~legal, -torch.inf), 1)

    def _choose(self, values: Tensor, legal: Tensor, columns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Moves drawn from the policy: the move, its rho and the best move by value, each [R]."""
        _, greedy = best_cell(values, legal)
        _, chances = self._chances(columns, legal)
        drawn, which = self._uniform(0)
        move = draw(chances, legal, drawn)
        epsilon = self._scheduled("epsilon")
        if bool(epsilon.any()):
            whether, _ = self._uniform(7)
            move = torch.where(whether < epsilon, random_cell(legal, which), move)
        played = chances.gather(1, move.unsqueeze(1)).squeeze(1) * (1 - epsilon) + epsilon / legal.sum(1)
        rho = torch.where(move == greedy, 1 / played.clamp(min=1e-6), 0.0)
        return move, torch.where(self.state["greedy"], rho, 1.0), greedy

    def _actor(self, done: Trunk, aimed: Tensor, delta: Tensor, live: Tensor) -> dict[str, Tensor]:
        """Equations (12) and (13): z = grad log pi + g lambda z, and the policy moves along error * z."""
        state, stack = self.state, self.stack
        move = state["move"].unsqueeze(1)
        legal = self.games.legal(state["board"])
        seen, chances = self._chances(self._columns, legal)
        error = delta
        if self.own.baseline == "state":
            values = torch.tanh(stack.outputs(state["theta"], done)[:, 0] / 2)
            error = aimed - (chances * values).sum(1)
        pull = -chances
        pull.scatter_add_(1, move, torch.ones_like(error).unsqueeze(1))
        psi = stack.gradient(state["policy"], seen, pull)
        z = psi
        if self.own.policy_trace > 0:
            z = rules.trace(state["z"], psi, state["sign"], state["policy_trace"])
            state["z"] = z * live.unsqueeze(1)
        way = z
        if self.own.policy_natural:
            metric = Window(state, self.own.metric_rate, self.own.damping, "policy_metric")
            metric.meet(psi)
            way = metric.solve(z)
        state["policy"].addcmul_((state["policy_alpha"] * error).unsqueeze(1), way)
        return {"entropy": -torch.xlogy(chances, chances).sum(1)}
