"""What learners of a policy share: settings, the net and its optimiser, the step along a gradient, figures and files.

A learner adds what it learns from: ``lesson`` plays the games of one iteration and says which moves count, and how
much. docs/policy-gradient.md has the equations by number.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import returns, state
from fingal.learn.parts.kinds import check_least, check_seed
from fingal.learn.parts.policy import entropy, legal_in_planes, log_chances, surrogate
from fingal.learn.parts.policy_games import Games, Ints, Pairs, Rows
from fingal.learn.parts.policy_sampler import Sampler
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.learn.parts.truth import LARGEST, Truth
from fingal.nets import bridges, checkpoint
from fingal.nets.card import Card
from fingal.nets.convolutional import Config, Convolutional

CHUNK = {"cpu": 256, "cuda": 2048}
"""Pairs whose gradients are worked out in one go."""


@dataclass(frozen=True)
class PolicyGradient:
    """How to train a policy by the games that it plays."""

    size: int = 9
    """The board's side."""
    layers: int = 6
    """The net's layers."""
    channels: int = 128
    """Filters of each layer."""
    games: int = 128
    """Games in an iteration, played all at once."""
    iterations: int = 400
    """How often games are played and learned from, at most."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    optimiser: Literal["sgd", "adam"] = "sgd"
    """Plain steps along the gradient, as in the paper, or Adam's."""
    learning_rate: float = 1e-3
    """How far a step goes."""
    baseline: Literal["none", "mean", "standard"] = "none"
    """What is taken off the returns: nothing, the mean of the others' or, to unit spread, their mean."""
    keep_iterations: int = 10
    """How often a net is kept, in iterations."""
    exam_iterations: int = 10
    """How often the net is examined, in iterations, on boards whose truth is known; 0 for never."""
    half: bool = True
    """Whether the net's layers are worked out in bfloat16, where the machine knows it; weights are kept in float32."""
    graph: bool = True
    """Whether moves are drawn by CUDA graphs where there is a GPU."""
    threads: int = 1
    """Threads that make planes, and torch's own on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 2 <= self.size <= 19:
            raise ValueError(f"size must be from 2 to 19, not {self.size}: on 1x1 the opening alone ends the game")
        check_least(self, 1, "games", "iterations", "keep_iterations", "threads")
        for name in ("minutes", "learning_rate", "exam_iterations"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        for name, choices in (("optimiser", ("sgd", "adam")), ("baseline", tuple(BASELINES))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        check_seed(self, 31)
        assert self.net  # its own refusals

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(layers=self.layers, channels=self.channels)


BASELINES = {"none": lambda weights: weights, "mean": returns.centred, "standard": returns.standardised}

SHOWN = {
    "minutes": "minutes",
    "iteration": "iterations",
    "games": "games",
    "positions": "positions",
    "return": "mean return",
    "winning": "returns of +1",
    "entropy": "entropy",
    "length": "stones a game",
    "first_wins": "won by the first player",
    "gradient": "gradient's length",
    "value_loss": "critic's loss",
    "keeps_win": "wins kept",
    "first_vs_best": "first against best",
    "sign": "right about the winner",
    "games_per_s": "games/s",
}
"""The figures to show, and what they are called."""

PANELS = (
    ("returns", ("return", "winning", "first_wins")),
    ("policy", ("entropy", "gradient", "value_loss")),
    ("against the truth", ("keeps_win", "first_vs_best", "sign")),
)
"""The picture's panels: titles and figures."""


class Lesson(NamedTuple):
    """What one iteration learns from."""

    pairs: Pairs
    weights: NDArray[np.float32]
    """[P]: R, how much each pair's move is worth, for who made it."""
    divisor: float
    """What the sum of the gradients is divided by."""
    length: Ints
    """[games]: how many stones the games had at their ends."""


def of_every_move(pairs: Pairs, length: Ints, divisor: float | None = None) -> Lesson:
    """Every move [P] counts by who won its game; the divisor is the number of moves, if not given."""
    z = returns.signed(torch.from_numpy(length[pairs.game]), torch.from_numpy(pairs.ply))
    return Lesson(pairs, z.numpy(), len(z) if divisor is None else divisor, length)


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    iterations: int = 0
    games: int = 0
    positions: int = 0
    seconds: float = 0.0
    start: str = ""
    """The file of the net that it began from; empty for random weights."""
    opponent: int = 0
    """The iteration of the past net that plays, where one does."""


class Learning(ABC):
    """A net that learns a policy, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: PolicyGradient, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        net = Convolutional(config.net)
        if start is not None:
            begin_from(net, start)
        self.net: Convolutional = net.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        kinds: dict[str, type[torch.optim.Optimizer]] = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
        self.optimiser = kinds[config.optimiser](self.net.parameters(), lr=config.learning_rate)  # type: ignore[call-arg]
        self.sampler = Sampler(self.net, device, half=config.half, graph=config.graph)
        self.games = Games(config.size, config.games, self.branches(), config.threads, pinned=device.type == "cuda")
        self.progress = Progress(start=start.name if start is not None else "")
        self._truth: tuple[Truth, NDArray[np.uint8]] | None = None
        if not run.resume(self):
            self.save()
        self.sampler.follow()

    @abstractmethod
    def name(self) -> str:
        """What the net's file calls it."""

    def branches(self) -> int:
        """How many continuations there are room for, for each game."""
        return 0

    @abstractmethod
    def lesson(self, rng: np.random.Generator) -> Lesson:
        """Play the games of one iteration."""

    def draw(self, rows: Rows, ply: int, planes: NDArray[np.uint8]) -> Rows:
        """The net's own moves, as ``Games.play`` asks for them."""
        return self.sampler.draw(planes)

    def branched(
        self, rng: np.random.Generator, k: int, repeats: int = 1, *, replies: bool = False
    ) -> tuple[Pairs, Ints, Tensor, Tensor]:
        """Play, pick one pair of each game, and go on from it ``repeats`` times in each of k ways.

        The ways are all alike or, with ``replies``, begin with the k most likely replies. Gives the pairs, the games'
        lengths [games], the results float [games, 1 + k * repeats] for who made the pair's move, the game's own first
        and then reply by reply, and which of them there are.
        """
        pairs, length = self.games.play(self.draw, rng, every=False)
        further = np.zeros((len(length), 0), np.int64)
        if k:
            best = self.best if replies else None
            further = self.games.branch(pairs, self.sampler.draw, k, repeats, best).reshape(len(length), -1)
        ended = torch.from_numpy(np.concatenate((length[:, None], further), 1))
        return pairs, length, returns.signed(ended, torch.from_numpy(pairs.ply)[:, None]), ended > 0

    def best(self, planes: NDArray[np.uint8], k: int) -> Rows:
        """The k most likely replies, as ``Games.branch`` asks for them; of equal ones the first cells."""
        found = self.sampler.logits(planes).sort(dim=1, descending=True, stable=True)
        return torch.where(found.values.isfinite(), found.indices, -1)[:, :k].int().contiguous().numpy()

    def iteration(self) -> dict[str, float]:
        """Play and learn once."""
        began, asked = time.perf_counter(), self.games.asked
        # Numbers of its own for every iteration, so that a run that goes on plays what it would have played.
        rng = np.random.default_rng((self.config.seed, self.progress.iterations))
        self.sampler.seed(int(rng.integers(2**62)))
        lesson = self.lesson(rng)
        figures = {
            "return": float(lesson.weights.mean()),
            "winning": float((lesson.weights == 1).mean()),
            "length": float(lesson.length.mean()),
            "first_wins": float((lesson.length % 2).mean()),
        }
        weights = BASELINES[self.config.baseline](torch.from_numpy(lesson.weights))
        figures |= self.learn(lesson, weights)
        self.sampler.follow()
        progress = self.progress
        progress.iterations += 1
        progress.games += len(lesson.length)
        progress.positions += self.games.asked - asked
        figures["games_per_s"] = len(lesson.length) / (time.perf_counter() - began)
        if self.config.exam_iterations and progress.iterations % self.config.exam_iterations == 0:
            figures |= self.exam()
        so_far = {"iteration": progress.iterations, "games": progress.games, "positions": progress.positions}
        return so_far | figures

    def learn(self, lesson: Lesson, weights: Tensor) -> dict[str, float]:
        """One step along the gradient of equation (3), with weights [P]."""
        self.optimiser.zero_grad()
        count, undecided = len(weights), torch.zeros((), device=self.device)
        for start in range(0, count, CHUNK[self.device.type]):
            part = slice(start, start + CHUNK[self.device.type])
            planes = torch.from_numpy(lesson.pairs.planes[part]).to(self.device)
            cells = torch.from_numpy(lesson.pairs.cells[part]).to(self.device)
            with self.rounding():
                logits = self.net(self.seen(planes))
            log_policy = log_chances(logits, legal_in_planes(planes))
            loss = surrogate(log_policy, cells, weights[part].to(self.device)) / lesson.divisor
            loss.backward()  # type: ignore[no-untyped-call]
            undecided += entropy(log_policy.detach()).sum()
        return {"entropy": float(undecided) / count, "gradient": self.step()}

    def rounding(self) -> torch.autocast:
        """Where the net's layers are worked out in bfloat16, if the settings and the machine say so."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.sampler.half)

    def seen(self, planes: Tensor) -> Tensor:
        """Planes uint8 as the learning net takes them."""
        return planes.float().contiguous(memory_format=torch.channels_last)

    def step(self) -> float:
        """Let the optimiser go along the gradient; gives its length."""
        gradients = [parameter.grad for parameter in self.net.parameters() if parameter.grad is not None]
        length = float(torch.nn.utils.get_total_norm(gradients))
        self.optimiser.step()
        return length

    @torch.inference_mode()
    def exam(self) -> dict[str, float]:
        """What the most likely moves are worth, on boards whose truth is known."""
        if self.config.size > LARGEST:
            return {}
        if self._truth is None:
            truth = Truth(self.config.size)
            self._truth = truth, bridges.encode(truth.positions)
        truth, planes = self._truth
        found = truth.measure(self.sampler.logits(planes).numpy()[np.newaxis])
        return {name: float(found[name][0]) for name in ("keeps_win", "first_vs_best") if name in found}

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
            "positions": progress.positions,
        }
        began = f"begun from {progress.start}" if progress.start else "begun from random weights"
        return Card(self.name(), {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost, notes=began)

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        numbered = {self.run.kept(self.progress.iterations).stem: self.net} if self.keeps() else {}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.net})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = state.named("net", self.net.state_dict())
        return tensors | state.named("optimiser", state.of_optimiser(self.optimiser)), asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about)
        self.net.load_state_dict(state.under(tensors, "net"))
        state.into_optimiser(self.optimiser, state.under(tensors, "optimiser"))


def begin_from(net: Convolutional, start: Path) -> None:
    """Give a net the weights of a file; one that has no values yet may be the start of one that has."""
    if net.config.values:
        kept, _ = checkpoint.load(start, Convolutional)
        if kept.config == replace(net.config, values=False):
            net.load_state_dict(kept.state_dict(), strict=False)
            return
    checkpoint.fill(net, start)


def train(trainer: Learning, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every iteration. It may be killed at any moment and gone on with."""
    return rounds(trainer, trainer.iteration, "iteration", save_seconds)
