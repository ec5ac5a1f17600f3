"""PPO: a policy and a value of positions learn from clipped steps along the advantage of the moves that were played.

Hundreds of games go on at once against an opponent who answers inside the environment: random moves, the policy itself,
or one of its past selves. After some moves of every game the moves are learned from a few times over, and forgotten.
docs/ppo.md has the equations by number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.adam import Adam
from fingal.learn.parts.kinds import MOST_GAMES, check_kinds, check_least, check_most, check_seed, check_shares
from fingal.learn.parts.marks import Marks
from fingal.learn.parts.opponent_games import LOTS, OpponentGames, legal_cells
from fingal.learn.parts.policy import draw, entropy, log_chances
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.returns import standardised
from fingal.learn.parts.rival import KINDS, Kind, Rival
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done, time_out
from fingal.nets import checkpoint, choice
from fingal.nets.card import Card


@dataclass(frozen=True)
class PPO:
    """How to train."""

    size: int = 7
    """The board's side."""
    net: choice.Name = "convolutional"
    """The architecture."""
    width: int | None = None
    """How wide its layers are; None for the paper's width."""
    opponent: Kind = "self"
    """Who answers: random moves, the policy as it is, or a net of those that were kept, drawn for every iteration."""
    games: int = 256
    """Games at once."""
    steps: int = 16
    """Own moves in each of them before they are learned from."""
    iterations: int = 400
    """How often moves are played and learned from, at most."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    epochs: int = 4
    """How often each move is learned from."""
    batch: int = 1024
    """Moves in an update; games * steps is a multiple of it."""
    learning_rate: float = 1e-3
    """Adam's."""
    discount: float = 0.99
    """Gamma: what a win one own move later is worth."""
    trace: float = 0.95
    """Lambda: how far an advantage looks ahead, 0 for one move, 1 to the end of the game."""
    clip: float = 0.2
    """How much likelier or less likely an update may make a move before it has no more to gain."""
    value_weight: float = 0.5
    """The weight of the value's loss."""
    entropy: float = 0.01
    """How much the policy gains from being undecided."""
    longest: float = 0.5
    """The most that a gradient's length may be; 0 for no limit."""
    keep_iterations: int = 20
    """How often a net is kept, in iterations."""
    exam_iterations: int = 10
    """How often the policy's likeliest moves are measured, in iterations, and in the end; 0 for never."""
    graph: bool = True
    """Whether moves and updates are captured in CUDA graphs where there is a GPU."""
    threads: int = 1
    """Torch's own on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(self, 1, "games", "steps", "iterations", "epochs", "keep_iterations", "threads")
        check_most(self, MOST_GAMES, "games")
        for name in ("minutes", "learning_rate", "value_weight", "entropy", "longest", "exam_iterations"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        check_shares(self, "discount", "trace")
        if not 0 < self.clip < 1:
            raise ValueError(f"clip must be above 0 and below 1, not {self.clip}")
        if self.opponent not in KINDS:
            raise ValueError(f"opponent must be one of {', '.join(KINDS)}, not {self.opponent!r}")
        if self.batch < 2:
            raise ValueError(f"batch must be at least 2, not {self.batch}: of one move the advantage is always 0")
        if self.games * self.steps % self.batch:
            raise ValueError(f"batch must divide games * steps = {self.games * self.steps}, and {self.batch} does not")
        check_seed(self, 31)
        if self.size < 2:
            raise ValueError(f"size must be at least 2, not {self.size}: on 1x1 the first stone ends the game")
        choice.shape(self.net, self.size, self.width)  # its own refusals


PRESETS = {
    "cpu-5x5": PPO(
        size=5,
        net="convolutional-edges",
        width=16,
        opponent="past",
        games=64,
        steps=32,
        batch=512,
        iterations=100,
        entropy=0.02,
    ),
    "cpu-7x7": PPO(
        size=7,
        net="convolutional-edges",
        width=32,
        opponent="past",
        games=64,
        steps=32,
        batch=512,
        iterations=300,
        entropy=0.02,
    ),
    "baseline-5x5": PPO(size=5, net="feed-forward", opponent="random", games=64, steps=32, batch=512, iterations=100),
}
"""Named settings for ``--preset``; the last are those that Stable-Baselines3 can have too."""

SHOWN = {
    "minutes": "minutes",
    "iteration": "iterations",
    "games": "games",
    "moves": "moves",
    "moves_per_s": "moves/s",
    "won": "won games",
    "length": "own moves a game",
    "entropy": "entropy",
    "clipped": "clipped",
    "divergence": "divergence",
    "value_loss": "value's loss",
    "explained": "explained by the value",
    "first_vs_random": "first against random",
    "second_vs_random": "second against random",
    "keeps_win": "wins kept",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("games", ("won", "first_vs_random", "second_vs_random", "keeps_win")),
    ("policy", ("entropy", "divergence", "clipped")),
    ("value", ("value_loss", "explained")),
)
"""The picture's panels: titles and figures."""


def advantages(reward: Tensor, value: Tensor, done: Tensor, discount: float, trace: float) -> Tensor:
    """Equations (2) and (3), generalised advantage estimation: [T, B].

    ``reward`` and ``done`` [T, B] are of T moves of B games; ``value`` [T + 1, B] is of the positions before them and
    of the one after the last. Nothing is carried over the end of a game.
    """
    out = torch.empty_like(reward)
    later = torch.zeros_like(reward[0])
    going = 1 - done.to(reward.dtype)
    for t in range(len(reward) - 1, -1, -1):
        error = reward[t] + discount * going[t] * value[t + 1] - value[t]
        later = error + discount * trace * going[t] * later
        out[t] = later
    return out


def clipped_gain(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """Equation (5): the lesser of the plain gain and the one with the ratio kept near 1, [B]."""
    return torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)


class Rollout(NamedTuple):
    """T own moves of each of B games, in tensors that stay where they are."""

    boards: Tensor
    """float [T, B, n, n], the learner's view."""
    cells: Tensor
    """int64 [T, B]"""
    log_chance: Tensor
    """[T, B]: of the move, when it was played."""
    value: Tensor
    """[T, B]: of the boards."""
    reward: Tensor
    """[T, B]: 1 where the game was won by the move, -1 where it was lost by the reply, otherwise 0."""
    done: Tensor
    """bool [T, B]"""

    @classmethod
    def empty(cls, steps: int, games: int, size: int, device: torch.device) -> Rollout:
        """Room for one."""

        def room(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((steps, games, *shape), dtype=dtype, device=device)

        return cls(room(size, size), room(dtype=torch.int64), room(), room(), room(), room(dtype=torch.bool))


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    iterations: int = 0
    games: int = 0
    moves: int = 0
    seconds: float = 0.0


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: PPO, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        net = choice.build(config.net, config.size, width=config.width, head="policy_value")
        if start is not None:
            checkpoint.fill(net, start)
        self.net = net.to(device)
        self.rival = Rival(config.opponent, self.net)
        self.adam = Adam(self.net, config.learning_rate, device)
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.games = OpponentGames(config.size, config.games, self.rival.reply, self.generator)
        moves = config.steps * config.games
        self.rollout = Rollout.empty(config.steps, config.games, config.size, device)
        self._at = torch.zeros(1, dtype=torch.int64, device=device)
        """The number of the next move of the rollout."""
        self._advantage, self._return = torch.zeros(moves, device=device), torch.zeros(moves, device=device)
        self._sums = torch.zeros(4, device=device)
        self.marks = Marks(config.size)
        if not run.resume(self):
            self.save()
        # Adam's memory is another after it was loaded, so graphs are captured now.
        graph = config.graph and device.type == "cuda"
        kept = [self._at, *self.rollout, *self.games.state().values()]
        self._moves = Repeated(self._move, config.steps, (LOTS + 1, config.games), kept, graph, torch.float32)
        kept = [self._sums, *self.adam.changing()]
        self._updates = Repeated(self._update, moves // config.batch, config.batch, kept, graph)

    @torch.no_grad()
    def _move(self, lots: Tensor) -> None:
        """Play and note a move in every game, by numbers in [0, 1): one for the policy, and those of the games."""
        boards, legal = self.games.boards.float(), self.games.legal
        logits, value = self.net.both(boards)
        log_policy = log_chances(logits, legal)
        cell = draw(log_policy.exp(), legal, lots[0])
        step = self.games.step(cell, lots[1:])
        chance = log_policy.gather(1, cell.unsqueeze(1)).squeeze(1)
        for held, new in zip(self.rollout, (boards, cell, chance, value, step.reward, step.done), strict=True):
            held.index_copy_(0, self._at, new.unsqueeze(0))
        self._at.copy_((self._at + 1) % self.config.steps)

    @torch.no_grad()
    def play(self) -> None:
        """A rollout, and the advantages of its moves."""
        config = self.config
        self._moves(torch.rand((config.steps, LOTS + 1, config.games), generator=self.generator, device=self.device))
        _, after = self.net.both(self.games.boards.float())
        value = torch.cat((self.rollout.value, after.unsqueeze(0)))
        reward, done = self.rollout.reward, self.rollout.done
        advantage = advantages(reward, value, done, config.discount, config.trace)
        self._advantage.copy_(advantage.flatten())
        self._return.copy_((advantage + self.rollout.value).flatten())

    def _update(self, pick: Tensor) -> None:
        """One step down the loss of equation (7), by the moves with numbers int64 [batch] of the rollout."""
        config = self.config
        boards, cells, before, *_ = (held.flatten(0, 1).index_select(0, pick) for held in self.rollout)
        logits, value = self.net.both(boards)
        log_policy = log_chances(logits, legal_cells(boards))
        log_ratio = log_policy.gather(1, cells.unsqueeze(1)).squeeze(1) - before
        ratio = log_ratio.exp()
        gain = clipped_gain(ratio, standardised(self._advantage.index_select(0, pick)), config.clip).mean()
        undecided = entropy(log_policy).mean()
        wrong = (value - self._return.index_select(0, pick)).square().mean()
        self.adam.step(config.value_weight * wrong - gain - config.entropy * undecided, config.longest)
        with torch.no_grad():
            # k3 of Schulman's "Approximating KL divergence": never below 0.
            divergence = (ratio - 1 - log_ratio).mean()
            beyond = ((ratio - 1).abs() > config.clip).float().mean()
            self._sums += torch.stack((undecided, divergence, beyond, wrong))

    def learn(self) -> dict[str, float]:
        """The epochs of one iteration; gives the means over their updates."""
        config = self.config
        self._sums.zero_()
        for _ in range(config.epochs):
            order = torch.randperm(config.steps * config.games, generator=self.generator, device=self.device)
            self._updates(order.view(-1, config.batch))
        means = self._sums / (config.epochs * (config.steps * config.games // config.batch))
        names = ("entropy", "divergence", "clipped", "value_loss")
        return dict(zip(names, means.tolist(), strict=True))

    def iteration(self) -> dict[str, float]:
        """Play and learn once."""
        config, progress = self.config, self.progress
        began = time.perf_counter()
        kept = range(0, progress.iterations + 1, config.keep_iterations)
        self.rival.change([self.run.kept(iteration) for iteration in kept], self.generator)
        self.play()
        ended, won = self.rollout.done.sum().item(), (self.rollout.reward > 0).sum().item()
        unexplained = (self._return - self.rollout.value.flatten()).var() / self._return.var().clamp(min=1e-6)
        figures = {"explained": 1 - unexplained.item()} | self.learn()
        progress.iterations += 1
        progress.games += int(ended)
        progress.moves += config.steps * config.games
        if ended:
            figures |= {"won": won / ended, "length": config.steps * config.games / ended}
        now = time.perf_counter()
        figures["moves_per_s"] = config.steps * config.games / (now - began)
        last = self.done_share() >= 1 or now > time_out(began, progress.seconds, config.minutes)
        if config.exam_iterations and (last or progress.iterations % config.exam_iterations == 0):
            figures |= self.marks(self.net, self.device)
        return {"iteration": progress.iterations, "games": progress.games, "moves": progress.moves} | figures

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        return share_done(self.progress.iterations / self.config.iterations, self.progress.seconds, self.config.minutes)

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep."""
        return self.progress.iterations % self.config.keep_iterations == 0 or self.done_share() >= 1

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "iterations": progress.iterations,
            "games": progress.games,
            "moves": progress.moves,
        }
        return Card("ppo", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        numbered = {self.run.kept(self.progress.iterations).stem: self.net} if self.keeps() else {}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.net})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = {"random": self.generator.get_state()}
        tensors |= state.named("net", self.net.state_dict()) | state.named("adam", self.adam.state())
        return tensors | state.named("games", self.games.state()), asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about)
        self.net.load_state_dict(state.under(tensors, "net"))
        self.adam.restore(state.under(tensors, "adam"))
        self.games.restore(state.under(tensors, "games"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every iteration. It may be killed at any moment and gone on with."""
    return rounds(trainer, trainer.iteration, "iteration", save_seconds)
