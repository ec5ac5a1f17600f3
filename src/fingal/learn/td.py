"""Temporal-difference learning of move values by self-play: SARSA, Q-learning, GTD2, TDC and Greedy-GQ, run in stacks.

Paper 000's online learners. Every move of every game is learned from at once. docs/td.md has the equations, what each
setting does, and when a learner diverges. A sweep trains any number of settings and seeds together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from fingal.learn.parts import rules
from fingal.learn.parts.history import History
from fingal.learn.parts.kinds import check_least, check_seed
from fingal.learn.parts.mirror import Games, best_cell, longest_opening, random_cell, uniform
from fingal.learn.parts.natural import Window
from fingal.learn.parts.online import Measure, Moved, Plan, Runs, Told
from fingal.learn.parts.stacks import run_stacks, truth_measure
from fingal.nets.hexagonal import PAPER_000, Activation, Config, slope_of_squash
from fingal.nets.stacked import Stack, Trunk

Rule = Literal["sarsa", "q", "gtd2", "tdc", "gq"]
Target = Literal["negamax", "literal"]

RULES: tuple[Rule, ...] = ("sarsa", "q", "gtd2", "tdc", "gq")
GRADIENT_RULES = ("gtd2", "tdc", "gq")
"""Those with a second vector w."""
GREEDY_RULES = ("q", "gq")
"""Those whose target is the best move's value, whatever is played."""


@dataclass(frozen=True)
class TD:
    """One run: a rule, its settings, a seed."""

    rule: Rule = "sarsa"
    """How to learn: sarsa, q, gtd2, tdc or gq (Greedy-GQ)."""
    target: Target = "negamax"
    """Whose view the next value has: ``negamax`` turns its sign, since it is the opponent's; ``literal`` does not,
    which is paper 000's formula and is wrong for a game that one side loses."""
    alpha: float = 0.01
    """The step size of the net's parameters."""
    alpha_final: float | None = None
    """The step size at the end; it goes there in a straight line. None keeps alpha."""
    beta_ratio: float = 1.0
    """The step size of the second vector w, as a multiple of alpha."""
    epsilon: float = 0.1
    """How often a move is random."""
    epsilon_final: float | None = None
    """How often at the end; it goes there in a straight line. None keeps epsilon."""
    trace: float = 0.0
    """Lambda: how far back an error is handed, 0 to 1. Not for q."""
    hessian: bool = True
    """Whether gtd2, tdc and gq have their correction for a curved value, the term h; without it they are the rules of
    the linear theory."""
    natural: bool = False
    """Whether updates are made along the natural gradient."""
    metric_rate: float = 0.01
    """Zeta: how fast the natural gradient's metric follows."""
    metric_window: int = 32
    """How many gradients the metric is made of."""
    damping: float = 0.1
    """Kappa: what is added to the metric's diagonal."""
    opening_plies: int = 0
    """How many random moves a game begins with; they are not learned from."""
    size: int = 3
    """The board's side."""
    layers: tuple[tuple[int, int, int], ...] = PAPER_000.layers
    """The net's layers: how many filters of diameter 1, 3 and 5 each has."""
    activation: Activation = "relu"
    """What follows each layer of the net: relu, softplus or tanh."""
    games: int = 5000
    """How many games to play."""
    rows: int = 20
    """How many rows of figures to keep, evenly spread over the games."""
    bound: float = 1e4
    """A parameter beyond it means that the run has diverged."""
    seed: int = 1
    """Decides the initial net and every random move."""

    def __post_init__(self) -> None:
        """Refuse nonsense, by name; lists, as JSON has them, become tuples."""
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, not {self.rule!r}")
        if self.target not in ("negamax", "literal"):
            raise ValueError(f"target must be negamax or literal, not {self.target!r}")
        finals = {"alpha_final": self.alpha_final, "epsilon_final": self.epsilon_final}
        numbers = {name: getattr(self, name) for name in ("alpha", "beta_ratio", "damping", "bound")}
        for name, number in (numbers | {n: v for n, v in finals.items() if v is not None}).items():
            if not 0 <= number < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {number}")
        for name in ("epsilon", "epsilon_final", "trace", "metric_rate"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {share}")
        check_least(self, 1, "games", "rows", "metric_window")
        if self.rows > self.games:
            raise ValueError(f"rows must be at most games, {self.games}, not {self.rows}")
        if self.rule == "q" and self.trace:
            raise ValueError("trace must be 0 for q: an exploratory move would have to cut it; gq does that")
        most = longest_opening(self.size)
        if not 0 <= self.opening_plies <= most:
            raise ValueError(f"opening_plies must be from 0 to {most} on {self.size}x{self.size}: more could win")
        check_seed(self, 63)
        object.__setattr__(self, "layers", self.net.layers)

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(size=self.size, layers=self.layers, activation=self.activation)

    @property
    def sign(self) -> float:
        """What the next mover's value is multiplied with: g in the equations."""
        return -1.0 if self.target == "negamax" else 1.0

    @property
    def family(self) -> tuple[object, ...]:
        """What runs of one stack have in common: everything that decides what has to be computed."""
        plays = (self.games, self.rows, self.bound, self.opening_plies)
        metric = (self.metric_rate, self.metric_window, self.damping) if self.natural else ()
        bent = self.hessian and self.rule in GRADIENT_RULES
        return (self.net, self.rule in GRADIENT_RULES, self.trace > 0, bent, self.natural, metric, plays)


class Trained(NamedTuple):
    """What a sweep has made."""

    histories: list[History]
    """One for each setting, in order."""
    parameters: Tensor
    """[settings, parameters]: each net at its last row, as ``hexagonal.from_vector`` takes it. Nets of several shapes
    are filled up with zeros."""


def sweep(
    settings: Sequence[TD], folder: str | Path | None = None, told: Told | None = None, start: Tensor | None = None
) -> list[History]:
    """Train every setting; see ``train``."""
    return train(settings, folder, told, start).histories


def train(
    settings: Sequence[TD], folder: str | Path | None = None, told: Told | None = None, start: Tensor | None = None
) -> Trained:
    """Train every setting, many at once, each with its own games and random numbers.

    With a folder it may be killed at any moment and goes on from there when called again. ``told`` hears how far it is.
    ``start`` [settings, parameters] are nets to begin with, as pre-training leaves them; otherwise they are random.
    A run that diverges stops with a sentence in its history; the others go on.
    """

    def begin(chosen: list[int]) -> Runs:
        these = [settings[index] for index in chosen]
        learner = Learning(these, None if start is None else start[chosen])
        plan = Plan(these[0].games, these[0].rows, these[0].bound)
        return Runs(learner, plan, [asdict(one) for one in these], measure_of(these[0].net))

    histories, parts = run_stacks([one.family for one in settings], begin, folder, told)
    found = torch.zeros(len(settings), max((one.net.parameters for one in settings), default=0))
    for index, one in enumerate(settings):
        narrow = Stack(one.net).narrow(parts[index])
        found[index, : narrow.shape[1]] = narrow[0]
    return Trained(histories, found)


def measure_of(net: Config) -> Measure:
    """What greedy players with nets of this shape are worth."""
    return truth_measure(Stack(net))


class Learning:
    """R runs of one family, one move and one update at a time."""

    actor: dict[str, Tensor] = {}  # noqa: RUF012
    """What a learner with a policy of its own adds to the state."""

    def __init__(self, settings: Sequence[TD], start: Tensor | None = None, dtype: torch.dtype = torch.float32) -> None:
        """Begin with random nets, or with ``start`` [R, parameters]."""
        one = settings[0]
        self.one = one
        self.stack = Stack(one.net)
        self.games = Games(self.stack, dtype)
        runs = len(settings)
        theta = self.stack.initial([s.seed for s in settings]) if start is None else self.stack.wide(start)
        theta = theta.to(dtype)

        def each(*numbers: float | None) -> Tensor:
            return torch.tensor(numbers, dtype=dtype)

        self.state: dict[str, Tensor] = {
            **self.actor,
            "theta": theta,
            "sign": each(*(s.sign for s in settings)),
            "alpha": each(*(s.alpha for s in settings)),
            "alpha_final": each(*(s.alpha if s.alpha_final is None else s.alpha_final for s in settings)),
            "beta_ratio": each(*(s.beta_ratio for s in settings)),
            "epsilon": each(*(s.epsilon for s in settings)),
            "epsilon_final": each(*(s.epsilon if s.epsilon_final is None else s.epsilon_final for s in settings)),
            "trace": each(*(s.trace for s in settings)),
            "seed": torch.tensor([s.seed for s in settings]),
            "steps": torch.zeros(runs, dtype=torch.int64),
            "played": torch.zeros(runs, dtype=dtype),
            "ply": torch.zeros(runs, dtype=torch.int64),
            "board": self.games.begin(runs),
            "move": torch.zeros(runs, dtype=torch.int64),
            "rho": torch.ones(runs, dtype=dtype),
            "greedy": torch.tensor([s.rule in GREEDY_RULES for s in settings]),
            "gtd2": torch.tensor([s.rule == "gtd2" for s in settings]),
        }
        if one.rule in GRADIENT_RULES:
            self.state["w"] = torch.zeros_like(theta)
        if one.trace > 0:
            self.state["e"] = torch.zeros_like(theta)
            if self.bent:
                self.state["xi"] = torch.zeros_like(theta)
        if one.natural:
            self.state |= Window.empty(runs, self.stack.width, one.metric_window)
        self._begin()

    @property
    def bent(self) -> bool:
        """Whether there is a correction for a curved value."""
        return self.one.hessian and self.one.rule in GRADIENT_RULES

    def parameters(self) -> Tensor:
        """The nets, [R, width]."""
        return self.state["theta"]

    def refresh(self) -> None:
        """Look at the boards anew, and make room for as many gradients as there are runs."""
        self._columns = self.games.columns(self.state["board"])
        self._room = [torch.empty_like(self.state["theta"]) for _ in range(3)]
        self._some_gtd2 = bool(self.state["gtd2"].any())
        self._fixed = {
            name: torch.equal(self.state[name], self.state[f"{name}_final"]) for name in ("alpha", "epsilon")
        }

    def _begin(self) -> None:
        """The first game of every run: its opening and its first move."""
        state = self.state
        state["board"], state["ply"] = self._open(state["board"], torch.ones(len(state["ply"]), dtype=torch.bool))
        self.refresh()
        with torch.no_grad():
            values = self._values(self.stack.trunk(state["theta"], self._columns))
        legal = self.games.legal(state["board"])
        state["move"], state["rho"], _ = self._choose(values, legal, self._columns)

    def _open(self, board: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
        """Play the openings of games that are new, bool [R]: boards and plies played."""
        ply = torch.where(new, 0, self.state["ply"] + 1)
        for number in range(self.one.opening_plies):
            cell = random_cell(self.games.legal(board), self._uniform(1 + number)[0])
            after, _ = self.games.play(board, cell)
            board = torch.where(new.view(-1, *[1] * (board.ndim - 1)), after, board)
        return board, ply + self.one.opening_plies * new

    def _uniform(self, stream: int) -> tuple[Tensor, Tensor]:
        """Two random numbers for each run at this step, each [R]."""
        seeds, steps = self.state["seed"].numpy(), self.state["steps"].numpy()
        return uniform(seeds.view(np.uint64), steps.view(np.uint64), stream)

    def _values(self, done: Trunk) -> Tensor:
        return torch.tanh(self.stack.outputs(self.state["theta"], done)[:, 0] / 2)

    def _scheduled(self, name: str) -> Tensor:
        """A setting now, [R]: on its way from its first to its final number."""
        first, final = self.state[name], self.state[f"{name}_final"]
        if self._fixed[name]:
            return first
        return torch.lerp(first, final, (self.state["played"] / self.one.games).clamp(max=1))

    def _choose(self, values: Tensor, legal: Tensor, columns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Moves by epsilon-greedy choice: the move, its rho and the best move, each [R].

        Given are the values and which moves are legal, each [R, cells], and the columns that a net sees.
        """
        _, greedy = best_cell(values, legal)
        epsilon = self._scheduled("epsilon")
        whether, which = self._uniform(0)
        move = torch.where(whether < epsilon, random_cell(legal, which), greedy)
        rho = self.state["rho"]
        if self.one.rule in GRADIENT_RULES and self.one.trace > 0:
            rho = torch.where(self.state["greedy"], rules.importance(move == greedy, epsilon, legal.sum(1)), 1.0)
        return move, rho, greedy

    @torch.no_grad()
    def step(self) -> Moved:
        """Play the chosen move in every game, choose the next, and learn from the first."""
        state, stack = self.state, self.stack
        theta, move, sign = state["theta"], state["move"], state["sign"]
        done = stack.trunk(theta, self._columns)
        value = torch.tanh(stack.output(theta, done, move) / 2)

        board, over = self.games.play(state["board"], move)
        state["steps"] += 1
        first = state["ply"] % 2 == 0
        board, ply = self._open(board, over)
        columns = self.games.columns(board)
        next_done = stack.trunk(theta, columns)
        next_values = self._values(next_done)
        chosen, rho, greedy = self._choose(next_values, self.games.legal(board), columns)
        live = (~over).to(theta.dtype)
        aim = torch.where(state["greedy"], greedy, chosen)
        next_value = next_values.gather(1, aim.unsqueeze(1)).squeeze(1)
        delta = rules.td_error(1 - live, value, live * next_value, sign)

        more = self._actor(done, delta + value, delta, live)
        step, phi = self._rule(delta, done, value, next_done, next_value, aim, live)
        alpha = self._scheduled("alpha")
        if self.one.natural:
            metric = Window(state, self.one.metric_rate, self.one.damping)
            metric.meet(phi)
            theta.addcmul_(alpha.unsqueeze(1), metric.solve(rules.total(step.theta)))
        else:
            rules.add(theta, alpha, step.theta)
        if step.w:
            rules.add(state["w"], alpha * state["beta_ratio"], step.w)
        for name in ("e", "xi"):
            if name in state:
                state[name].mul_(live.unsqueeze(1))
        state["board"], state["move"], state["rho"], state["ply"] = board, chosen, rho, ply
        state["played"] += over
        self._columns = columns
        return Moved(value, first, over, torch.isfinite(delta), more)

    def _actor(self, done: Trunk, aimed: Tensor, delta: Tensor, live: Tensor) -> dict[str, Tensor]:
        """Where a learner with a policy of its own learns it: from the target R + g v' and from delta, each [R]."""
        return {}

    def _rule(
        self,
        delta: Tensor,
        done: Trunk,
        value: Tensor,
        next_done: Trunk,
        next_value: Tensor,
        aim: Tensor,
        live: Tensor,
    ) -> tuple[rules.Step, Tensor]:
        """What to add, and the gradient phi of the move's value."""
        state, stack, one = self.state, self.stack, self.one
        theta, move, sign, decay = state["theta"], state["move"], state["sign"], state["trace"]
        pull, room = slope_of_squash(value), self._room
        if one.rule not in GRADIENT_RULES:
            phi = stack.gradient_at(theta, done, move, pull, room[0])
            if one.trace > 0:
                state["e"] = rules.trace(state["e"], phi, sign, decay)
            return rules.sarsa(delta, state["e"] if one.trace > 0 else phi), phi

        w = state["w"]
        hw: Tensor | None = None
        if self.bent:
            phi, slope, hw = stack.curvature_at(theta, done, move, pull, -value * pull, w, (room[0], room[2]))
        else:
            phi = stack.gradient_at(theta, done, move, pull, room[0])
            slope = (phi * w).sum(1)
        phi_next = stack.gradient_at(theta, next_done, aim, slope_of_squash(next_value), room[1])
        e, along, curve = phi, slope, None if hw is None else rules.Curve(hw, hw)
        if one.trace > 0:
            rho = state["rho"]
            e = state["e"] = rules.trace(state["e"], phi, sign, decay, rho)
            along = (e * w).sum(1)
            if hw is not None:
                xi = state["xi"] = rules.trace(state["xi"], hw, sign, decay, rho)
                curve = rules.Curve(hw, xi)
        now = rules.Moment(delta, phi, phi_next, e, slope, along, live * sign * (1 - decay), curve)
        if not self._some_gtd2:
            return rules.tdc(now), phi
        return rules.either(state["gtd2"], rules.gtd2(now), rules.tdc(now)), phi
