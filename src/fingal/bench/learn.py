"""``fingal bench learn``: updates a second of learners, each beside a plain loop of the same algorithm.

NeuroHex is in ``neurohex``, a policy gradient in ``amcpg``, generations of deep Q-learning in ``dqn``, PPO beside
Stable-Baselines3's in ``ppo``; here are the online learners of paper 000, many runs in a stack. The plain loop learns
one run, one move at a time, the way a first program would be written: a net as a torch module, its gradients by
autograd, a board that is played on. It makes the same moves and the same updates as a run in a stack, so the tests hold
the one against the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from rich.markup import escape
from rich.table import Table
from torch import Tensor

from fingal.bench import amcpg, dqn, neurohex, ppo
from fingal.game import Board
from fingal.learn.amcpg import Amcpg
from fingal.learn.dqn import Dqn
from fingal.learn.neurohex import NeuroHex
from fingal.learn.parts.mirror import uniform
from fingal.learn.ppo import PPO
from fingal.learn.td import GRADIENT_RULES, GREEDY_RULES, RULES, TD, Learning
from fingal.nets import walls
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.planes import positions_of

RUNS = 128
"""How many runs are trained at once."""


def measure(
    seconds: float = 2.0,
    *,
    runs: int = RUNS,
    config: NeuroHex | None = None,
    policy: Amcpg | None = None,
    generations: Dqn | None = None,
    clipped: PPO = ppo.CONFIG,
) -> dict[str, Any]:
    """Updates a second on one thread, in all runs together, for each rule; the keys without a rule are SARSA's.

    Beside them what ``measure`` of ``neurohex``, ``amcpg``, ``dqn`` and ``ppo`` gives, with ``config``, ``policy``,
    ``generations`` and ``clipped`` for them.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rules: dict[str, dict[str, float]] = {}
        for rule in RULES:
            stacked = _rate(Learning([TD(rule=rule, seed=seed) for seed in range(runs)]).step, seconds) * runs
            plain = _rate(Plain(TD(rule=rule)).step, seconds)
            rules[rule] = {"stacked": stacked, "plain": plain, "ratio": stacked / plain}
        deep: dict[str, Any] = neurohex.measure(seconds, config) | amcpg.measure(seconds, policy)
        deep |= dqn.measure(seconds, generations) | ppo.measure(seconds, clipped)
    finally:
        torch.set_num_threads(threads)
    return {
        "runs": runs,
        "td_updates_per_s": rules["sarsa"]["stacked"],
        "td_plain_updates_per_s": rules["sarsa"]["plain"],
        "ratio": rules["sarsa"]["ratio"],
        "rules": rules,
        **deep,
    }


def table(results: dict[str, Any]) -> Table:
    """The results for people."""
    title = f"updates a second: paper 000's net on 3x3, {results['runs']} runs at once, one thread; NeuroHex; AMCPG"
    shown = Table("rule", "at once", "plain loop", "ratio", title=title)
    for rule, figures in results["rules"].items():
        shown.add_row(rule, f"{figures['stacked']:,.0f}", f"{figures['plain']:,.0f}", f"{figures['ratio']:.0f}")
    name = "neurohex, {neurohex_board}, {neurohex_games:.0f} games, {neurohex_device}".format(**results)
    speeds = (results[f"neurohex_{key}transitions_per_s"] for key in ("", "serial_"))
    shown.add_row(name, *(f"{speed:,.0f}" for speed in speeds), f"{results['neurohex_ratio']:.1f}")
    name = "amcpg (games), {amcpg_board}, {amcpg_games} games, k = {amcpg_k}, {amcpg_device}".format(**results)
    speeds = (results[f"amcpg_{key}games_per_s"] for key in ("", "serial_"))
    shown.add_row(name, *(f"{speed:,.1f}" for speed in speeds), f"{results['amcpg_ratio']:.1f}")
    for key, what in (("env", "games"), ("train", "training")):
        name = f"dqn ({what}), " + "{dqn_board}, {dqn_games} games, {dqn_net}, {dqn_device}".format(**results)
        many, one = (results[f"dqn_{kind}{key}_steps_per_s"] for kind in ("", "serial_"))
        shown.add_row(name, f"{many:,.0f}", f"{one:,.0f}", f"{many / one:.1f}")
    for key, ratio, how in (("env", "ppo_ratio", "rollouts"), ("train", "ppo_train_ratio", "training")):
        speeds = (results[f"{whose}_{key}_steps_per_s"] for whose in ("ppo", "sb3_ppo"))
        name = "ppo {how} beside Stable-Baselines3 (moves), {ppo_board}, {ppo_games} games".format(how=how, **results)
        told = ("-" if speed is None else f"{speed:,.0f}" for speed in speeds)
        shown.add_row(name, *told, "-" if results[ratio] is None else f"{results[ratio]:.1f}")
    if results["ppo_ratio"] is None:
        shown.caption = escape("what is not measured needs: pip install 'fingal[sb3]'")
    return shown


def _rate(step: Callable[[], object], seconds: float) -> float:
    """Calls a second."""
    for _ in range(3):
        step()
    begin, count = time.perf_counter(), 0
    while (spent := time.perf_counter() - begin) < seconds:
        step()
        count += 1
    return count / spent


class Plain:
    """One run of ``TD`` settings (no natural gradient, no schedules, no openings), one move at a time."""

    def __init__(self, config: TD, dtype: torch.dtype = torch.float32) -> None:
        """Begin as a run of a stack with these settings does."""
        self.config, self.dtype = config, dtype
        torch.manual_seed(config.seed)
        self.net = Hexagonal(config.net).to(dtype)
        self.parameters = list(self.net.parameters())
        self.w, self.e, self.xi = ([torch.zeros_like(p) for p in self.parameters] for _ in range(3))
        self.steps = 0
        self.board = Board(self.config.size)
        self.move, self.rho, _ = self.choose(self.values(self.board).detach(), self.board)

    def values(self, board: Board) -> Tensor:
        """[cells], as the side to move sees them."""
        planes = walls.encode(positions_of([board]))
        said: Tensor = self.net(torch.from_numpy(planes).to(self.dtype))[0]
        return said

    def cell(self, board: Board, seen: int) -> int:
        """The board's cell for one that the side to move sees, and the other way round."""
        row, column = divmod(seen, self.config.size)
        return column * self.config.size + row if board.turn else seen

    def choose(self, values: Tensor, board: Board) -> tuple[int, float, int]:
        """The move, its rho, and the best move, as the side to move sees them."""
        legal = sorted(self.cell(board, cell) for cell in board.empty_cells)
        greedy = max(legal, key=lambda cell: float(values[cell]))
        whether, which = uniform(np.array([self.config.seed], np.uint64), np.array([self.steps], np.uint64), 0)
        explores = float(whether) < self.config.epsilon
        move = legal[int(np.float32(which[0]) * np.float32(len(legal)))] if explores else greedy
        rho = 1 / (1 - self.config.epsilon + self.config.epsilon / len(legal)) if move == greedy else 0.0
        return move, rho, greedy

    def step(self) -> None:
        """One move and one update."""
        g, decay = self.config.sign, self.config.trace
        values = self.values(self.board)
        value = values[self.move]
        after = self.board.copy()
        after.push(self.cell(self.board, self.move))
        over = after.is_over()
        self.steps += 1
        start = Board(self.config.size) if over else after
        next_values = self.values(start)
        chosen, rho, greedy = self.choose(next_values.detach(), start)
        aim = greedy if self.config.rule in GREEDY_RULES else chosen
        delta = float(over) - value.item() + (0.0 if over else g * next_values[aim].item())
        bent = self.config.rule in GRADIENT_RULES
        phi = torch.autograd.grad(value, self.parameters, create_graph=bent and self.config.hessian)
        traced = g * decay * (self.rho if self.config.rule == "gq" else 1.0)
        if bent:
            slope = sum((p * w).sum() for p, w in zip(phi, self.w, strict=True))
            assert isinstance(slope, Tensor)
            hw = [torch.zeros_like(p) for p in self.parameters]
            if self.config.hessian and slope.requires_grad:
                hw = list(torch.autograd.grad(slope, self.parameters, allow_unused=True, materialize_grads=True))
            phi_next = [torch.zeros_like(p) for p in self.parameters]
            if not over:
                phi_next = list(torch.autograd.grad(next_values[aim], self.parameters))
        with torch.no_grad():
            for index, parameter in enumerate(self.parameters):
                p = phi[index].detach()
                e = self.e[index] = p + traced * self.e[index]
                if not bent:
                    parameter.add_(e, alpha=self.config.alpha * delta)
            along = sum(float((e * w).sum()) for e, w in zip(self.e, self.w, strict=True))
            for index, parameter in enumerate(self.parameters if bent else []):
                p, w, e, s = phi[index].detach(), self.w[index], self.e[index], float(slope)
                xi = self.xi[index] = hw[index] + traced * self.xi[index]
                way = s * p if self.config.rule == "gtd2" else delta * e
                way = way - g * (1 - decay) * along * phi_next[index] - delta * xi + s * hw[index]
                parameter.add_(way, alpha=self.config.alpha)
                w += self.config.alpha * self.config.beta_ratio * (delta * e - s * p)
            if over:
                for kept in (*self.e, *self.xi):
                    kept.zero_()
        self.board, self.move, self.rho = start, chosen, rho
