"""Policy gradients with a table instead of a net, on 2x2 and 3x3: several runs at once, measured exactly.

Every position has its own logits, so no estimator gains or loses by what a net makes of it, and what a policy is worth
against a best responder can be worked out. The learners are those of docs/policy-gradient.md; docs/alternating-games.md
has what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from fingal.learn.gradient_bias import chances
from fingal.learn.parts import returns
from fingal.learn.parts.exact_gradients import Estimator, Floats, SelfPlay, average
from fingal.learn.parts.truth import Truth

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Tabular:
    """How to learn."""

    estimator: Estimator
    """What a move's gradient is weighed with."""
    rate: float = 0.5
    """How far one sample of weight 1 moves the logits, along its gradient."""
    pool: int = 0
    """REINFORCE-A: the table is kept after so many iterations, and games are played against one that was; 0 for not."""
    games: int = 128
    """Games in an iteration."""
    iterations: int = 200
    runs: int = 5
    """Independent runs, side by side."""
    every: int = 50
    """Measured after so many iterations."""
    seed: int = 1
    """It decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("games", "iterations", "runs", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.pool < 0:
            raise ValueError(f"pool must be at least 0, not {self.pool}")
        if self.pool and self.estimator.kind != "reinforce-v":
            raise ValueError("pool is REINFORCE-A's, which takes every move: the estimator must be reinforce-v")
        if not self.rate > 0:
            raise ValueError(f"rate must be above 0, not {self.rate}")

    @property
    def name(self) -> str:
        """As tables show it."""
        return "reinforce-a" if self.pool else str(self.estimator)


@dataclass(frozen=True)
class Measured:
    """What the runs were worth at one moment; every tuple has one number for each run."""

    iteration: int
    sampled: tuple[float, ...]
    """The share of first moves after which the policy still wins what is to be won, against a best responder."""
    greedy: tuple[float, ...]
    """The same for its likeliest moves."""
    entropy: tuple[float, ...]
    """Of its moves, in nats, over the positions that its own games come by last."""
    weight: tuple[float, ...]
    """The mean weight R of the moves that were learned from last; 0 at the start."""


@dataclass(frozen=True)
class Learned:
    """One learner's runs."""

    config: Tabular
    rows: tuple[Measured, ...]
    """The first is the start."""
    logits: Floats
    """[runs, P, cells]: the tables at the end."""


class _Table:
    """Tables of several runs, and games between them, all at once."""

    def __init__(self, truth: Truth, logits: Floats, rng: np.random.Generator) -> None:
        if not truth.whole or truth.size < 2:
            raise ValueError(f"size={truth.size} is not possible: tables are learned on 2x2 and 3x3")
        self.truth, self.rng = truth, rng
        self.runs, self.positions, self.cells = logits.shape
        self.logits = logits.reshape(-1, self.cells).copy()
        self.plies = (truth.histories >= 0).sum(1)

    def finish(self, row: Ints, position: Ints) -> tuple[Ints, list[tuple[Ints, Ints, Ints]]]:
        """Play on to the end: the stones there [N], and of every ply who played, where and what.

        ``row`` [N, 2] says with which tables Black and White play, by the number of their first row.
        """
        over = len(self.plies)
        length = np.zeros(len(position), np.int64)
        going, made = np.arange(len(position)), []
        while len(going):
            plies = self.plies[position]
            rows = self.logits[row[going, plies % 2] + position]
            weight = np.exp(rows - rows.max(1, keepdims=True))
            # The least of exponential waiting times is a draw in proportion to the weights.
            cell = (self.rng.standard_exponential(weight.shape) / np.maximum(weight, 1e-300)).argmin(1)
            made.append((going, position, cell))
            child = self.truth.child[position, cell]
            length[going] = plies + 1
            going, position = going[child != over], child[child != over]
        return length, made

    def results(self, row: Ints, position: Ints, mover: Ints) -> Floats:
        """+1 or -1 [N] for whoever moved with so many stones on the board; ``position`` may be the end of a game."""
        found = np.ones(len(position))
        going = position < len(self.plies)
        length = self.finish(row[going], position[going])[0]
        found[going] = np.where((length - mover[going]) % 2 == 1, 1.0, -1.0)
        return found


def _openings(table: _Table, games: int) -> Ints:
    """The positions after a random first move, [runs * games]."""
    first: Ints = table.truth.child[0, table.rng.integers(table.cells, size=table.runs * games)]
    return first


def _weights(table: _Table, estimator: Estimator, row: Ints, position: Ints, cell: Ints, result: Floats) -> Floats:
    """The weight R [N] of moves whose own games ended with this result for their mover, [N]."""
    k, plies, count = estimator.k, table.plies[position], table.positions
    after = table.truth.child[position, cell]
    if estimator.kind in ("amcpg-b", "average"):
        each = estimator.m if estimator.kind == "average" else 1
        here, going = np.minimum(after, count - 1), after < count
        there = table.truth.legal[here] & going[:, None]
        opponent = row[np.arange(len(row)), (plies + 1) % 2]
        liked = np.where(there, table.logits[opponent + here], -np.inf)
        reply = np.argsort(-liked, axis=1, kind="stable")[:, :k]
        there, child = np.take_along_axis(there, reply, 1), table.truth.child[here[:, None], reply]
        # Where there is no reply the game counts as over and won, which lowers no minimum.
        begin = np.repeat(np.where(there, child, count).ravel(), each)
        wide = np.repeat(np.arange(len(row)), reply.shape[1] * each)
        by_reply = table.results(row[wide], begin, plies[wide]).reshape(len(row), -1, each)
        by_reply[there & (child == count)] = -1.0  # the reply has won
        if estimator.kind == "average":
            return returns.least_mean(torch.from_numpy(by_reply)).numpy()
        found = by_reply[:, :, 0]
    else:
        wide = np.repeat(np.arange(len(row)), k)
        found = table.results(row[wide], after[wide], plies[wide]).reshape(len(row), k)
    results = torch.from_numpy(np.concatenate([result[:, None], found], 1))
    return estimator.weight(results).numpy()


def learn(truth: Truth, start: Floats, config: Tabular) -> Learned:
    """Learn from a table of logits [P, cells], -inf on stones, in all runs at once."""
    rng = np.random.default_rng(config.seed)
    runs, games = config.runs, config.games
    table = _Table(truth, np.repeat(start[None], runs, 0), rng)
    own = np.repeat(np.arange(runs) * table.positions, games)
    """The first row of each game's table."""
    past = [table.logits.copy()]
    weight = np.zeros(runs * games)
    run_of = np.repeat(np.arange(runs), games)
    seen = run_of, _openings(table, games)
    rows = [_measured(table, 0, *seen, np.zeros(runs))]
    for iteration in range(1, config.iterations + 1):
        row, learners = np.stack([own, own], 1), np.full(len(own), -1)
        if config.pool:
            # The opponent's table stands below the learner's; the colour that it plays is drawn.
            table.logits = np.concatenate([table.logits, past[rng.integers(len(past))]])
            learners = rng.integers(2, size=len(own))
            row[np.arange(len(own)), 1 - learners] += runs * table.positions
        length, made = table.finish(row, _openings(table, games))
        game, position, cell = (np.concatenate([ply[part] for ply in made]) for part in range(3))
        plies = table.plies[position]
        result = np.where((length[game] - plies) % 2 == 1, 1.0, -1.0)
        if config.estimator.kind == "reinforce-v":
            counted = (learners[game] < 0) | (learners[game] == plies % 2)
            game, position, cell, weight = game[counted], position[counted], cell[counted], result[counted]
        else:
            # Of every game one move: the highest of equal draws.
            lots = rng.random(len(game))
            order = np.lexsort((lots, game))
            one = order[np.append(game[order][1:] != game[order][:-1], True)]
            game, position, cell = game[one], position[one], cell[one]
            weight = _weights(table, config.estimator, row[game], position, cell, result[one])
        where = own[game] + position
        step = -chances(table.logits[where]) * weight[:, None]
        step[np.arange(len(step)), cell] += weight
        table.logits = table.logits[: runs * table.positions]
        np.add.at(table.logits, where, config.rate * step)
        if config.pool and iteration % config.pool == 0:
            past.append(table.logits.copy())
        if iteration % config.every == 0 or iteration == config.iterations:
            mean = np.bincount(run_of[game], weight, runs) / np.bincount(run_of[game], minlength=runs)
            rows.append(_measured(table, iteration, run_of[game], position, mean))
    return Learned(config, tuple(rows), table.logits.reshape(runs, table.positions, table.cells))


def _measured(table: _Table, iteration: int, run: Ints, position: Ints, weight: Floats) -> Measured:
    logits = table.logits.reshape(table.runs, table.positions, table.cells)
    policy = chances(logits)
    truth, here = table.truth, policy[run, position]
    entropy = -(here * np.log(np.maximum(here, 1e-300))).sum(1)
    mean = np.bincount(run, entropy, table.runs) / np.bincount(run, minlength=table.runs)
    kept = truth.openings_kept(policy), truth.openings_kept(truth.policy(logits))
    told = [tuple(figure.tolist()) for figure in (*kept, mean, weight)]
    return Measured(iteration, *told)


def learn_without_noise(truth: Truth, start: Floats, config: Tabular) -> Learned:
    """As ``learn``, but every iteration takes the exact mean of what the games of one would add: one run.

    What is left of an estimator then is its bias.
    """
    logits, rows = start.copy(), []
    for iteration in range(config.iterations + 1):
        play = SelfPlay(truth, chances(logits))
        mean = average(play, config.estimator)
        if iteration % config.every == 0 or iteration == config.iterations:
            seen = play.reach * (play.plies > 0)
            entropy = -(play.policy * np.log(np.maximum(play.policy, 1e-300))).sum(1)
            kept = truth.openings_kept(play.policy[None]), truth.openings_kept(truth.policy(logits[None]))
            figures = [*(float(share[0]) for share in kept), float((seen * entropy).sum() / seen.sum()), mean.weight]
            rows.append(Measured(iteration, *((figure,) for figure in figures)))
        if iteration < config.iterations:
            logits = logits + config.rate * config.games * mean.gradient
    return Learned(replace(config, runs=1), tuple(rows), logits[None])


def tuned(
    truth: Truth,
    start: Floats,
    config: Tabular,
    rates: Sequence[float],
    way: Callable[[Truth, Floats, Tabular], Learned] = learn,
) -> tuple[float, list[Learned]]:
    """Which of some rates leads to the best sampled policy, on average over the runs, and what each led to."""
    tried = [way(truth, start, replace(config, rate=rate)) for rate in rates]
    best = max(tried, key=lambda one: float(np.mean(one.rows[-1].sampled)))
    return best.config.rate, tried
