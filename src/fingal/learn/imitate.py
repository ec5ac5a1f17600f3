"""A policy learns by imitation: which move a player chose in each position of its games.

The games come out of a file, or a player plays them first. The loss is the cross-entropy of the chosen moves, over the
empty cells alone; docs/imitate.md has the equations and what the paper leaves open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.learn.parts import game_lines, state, teacher_games
from fingal.learn.parts.adam import Adam, levelled
from fingal.learn.parts.game_lines import Game
from fingal.learn.parts.kinds import check_above_0, check_least, check_seed, check_shares
from fingal.learn.parts.pairs import Pairs, fingerprint
from fingal.learn.parts.policy import log_chances
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on
from fingal.learn.parts.truth import LARGEST, Truth
from fingal.nets import bridges, checkpoint
from fingal.nets.card import Card
from fingal.nets.convolutional import Config, Convolutional

AT_ONCE = 1024
"""Positions that are judged in one call where nothing is learned."""


@dataclass(frozen=True)
class Imitate:
    """How to train."""

    size: int = 9
    """The board's side."""
    file: str = ""
    """Games to learn from: a file with one a line, an SGF file or a folder of them. Empty for games of the player."""
    player: str = "uct:sims=1000"
    """Who plays the games where no file is given."""
    games: int = 4000
    """How many games it plays."""
    most_random: int = 3
    """A game of the player begins with 1 to so many random stones, which are not learned from."""
    jobs: int = 1
    """Processes that play."""
    layers: int = 6
    """The net's 3x3 layers."""
    channels: int = 128
    """Filters in each of them."""
    mirror: bool = True
    """Whether positions are also seen mirrored in the long diagonal with the colours exchanged."""
    turn: bool = True
    """Whether positions are also seen turned by 180 degrees."""
    held_out: float = 0.1
    """The share of the games that is not learned from, to measure on."""
    examined: int = 16_384
    """Positions of those that a row of figures is measured on, at most."""
    steps: int = 100_000
    """Steps of learning."""
    batch: int = 64
    """Positions in a step."""
    learning_rate: float = 1e-3
    """Adam's."""
    decay_from: float = 1.0
    """From this share of the steps on the rate falls, along a line, to a twentieth; 1 for never."""
    row_steps: int = 1000
    """A row of figures is kept after so many steps."""
    keep_rows: int = 20
    """A net is kept after so many rows."""
    graph: bool = True
    """Whether steps are captured in a CUDA graph where there is a GPU."""
    threads: int = 1
    """Torch's on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_least(
            self, 1, "games", "most_random", "jobs", "examined", "steps", "batch", "row_steps", "keep_rows", "threads"
        )
        if not 2 <= self.size <= 19:
            raise ValueError(f"size must be from 2 to 19, not {self.size}")
        check_above_0(self, "learning_rate")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must be between 0 and 1, not {self.held_out}")
        check_shares(self, "decay_from")
        check_seed(self, 63)
        _ = self.net

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(layers=self.layers, channels=self.channels)


PRESETS = {
    "cpu-5x5": Imitate(
        size=5,
        player="uct:sims=100,knowledge=0",
        games=2000,
        layers=4,
        channels=32,
        examined=4096,
        steps=5000,
        decay_from=0.5,
        row_steps=250,
    ),
    "cpu-7x7": Imitate(
        size=7,
        player="uct:sims=400,knowledge=0",
        games=5000,
        jobs=2,
        layers=4,
        channels=32,
        examined=4096,
        steps=20_000,
        decay_from=0.5,
    ),
    "paper-9x9": Imitate(),
}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "games": "games",
    "pairs": "positions learned from",
    "steps": "steps",
    "steps_per_s": "steps/s",
    "loss": "loss",
    "held_out_loss": "loss on other games",
    "top_1": "the move itself",
    "top_5": "among the five best",
    "keeps_win": "keeps a win",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("learning", ("loss", "held_out_loss")),
    ("on games that were not learned from", ("top_1", "top_5")),
    ("against the truth", ("keeps_win",)),
)
"""The picture's panels: titles and figures."""


def rank(logits: Tensor, legal: Tensor, cell: Tensor) -> Tensor:
    """How many legal moves the net likes better than the one that was made, int64 [B]."""
    liked = logits.masked_fill(~legal, -torch.inf)
    return (liked > liked.gather(1, cell.unsqueeze(1))).sum(1)


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    games: int = 0
    """That there are to learn from and to measure on."""
    steps: int = 0
    rows: int = 0
    seconds: float = 0.0
    """Of learning."""
    fingerprint: int = 0
    """Of the games."""
    best: float = math.inf
    """The least loss on other games so far."""


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Imitate, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        net = Convolutional(config.net)
        if start is not None:
            checkpoint.fill(net, start)
        if device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        self.net: Convolutional = net.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.adam = Adam(self.net, config.learning_rate, device)
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.file = Path(config.file) if config.file else run.games / "played.txt"
        """Where the games are."""
        self._played = 0
        self._cost = torch.zeros((), device=device)
        self._updates: Repeated | None = None
        self._truth: Truth | None = None
        run.resume(self)
        self.learned: Pairs
        """Pairs to learn from; there from ``gather`` on."""
        self.held_out: Pairs
        if config.file:
            self.gather()

    def play(self) -> Iterator[int]:
        """Let the player play what games are missing, and read them; gives how many there are."""
        config = self.config
        if config.file:
            return
        how = {"most_random": config.most_random, "seed": config.seed, "jobs": config.jobs}
        for played in teacher_games.play(self.file, config.player, config.size, config.games, **how):
            self._played = played
            yield played
        self._played = config.games
        self.gather()

    def gather(self) -> None:
        """Read the games, and set some aside to measure on."""
        config, progress = self.config, self.progress
        games = game_lines.read(self.file, config.size)
        found = fingerprint(games)
        if progress.steps and found != progress.fingerprint:
            raise ValueError(f"{self.file} holds other games than when the run began: choose another folder")
        progress.games, progress.fingerprint = len(games), found
        order = np.random.default_rng(config.seed).permutation(len(games)).tolist()
        aside = max(1, round(config.held_out * len(games)))
        self.held_out = self._pairs([games[number] for number in order[:aside]])
        self.learned = self._pairs([games[number] for number in order[aside:]])
        if not len(self.learned) or not len(self.held_out):
            raise ValueError(
                f"{self.file} holds too few games: there must be some to learn from and some to measure on"
            )

    def _pairs(self, games: list[Game]) -> Pairs:
        return Pairs(games, self.config.size, self.device, self.config.mirror, self.config.turn)

    def logits(self, planes: Tensor) -> Tensor:
        """What the net says, [B, cells]; on a GPU its layers are worked out in bfloat16."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            said: Tensor = self.net(planes.contiguous(memory_format=torch.channels_last))
        return said

    def _update(self, pick: Tensor) -> None:
        """One step of learning from pairs by number, int64 [batch]."""
        seen = self.learned.at(pick)
        loss = F.nll_loss(log_chances(self.logits(seen.planes), seen.legal), seen.cell)
        self.adam.step(loss)
        self._cost += loss.detach()

    def learn(self, steps: int) -> float:
        """So many steps; gives the mean loss."""
        config = self.config
        if self._updates is None:
            graph = config.graph and self.device.type == "cuda"
            kept = [*self.adam.changing(), self._cost]
            self._updates = Repeated(self._update, 8 if graph else 1, config.batch, kept, graph)
        self._cost.zero_()
        left, times = steps, self._updates.times
        while left:
            some = min(left, times)
            self.adam.set_rate(levelled(config.learning_rate, self.progress.steps / config.steps, config.decay_from))
            most, shape = len(self.learned) * self.learned.ways, (some, config.batch)
            picks = torch.randint(most, shape, generator=self.generator, device=self.device)
            if some == times:
                self._updates(picks)
            else:
                for pick in picks:
                    self._update(pick)
            left -= some
            self.progress.steps += some
        return float(self._cost) / steps

    def row(self) -> dict[str, float]:
        """Go on for one row of figures."""
        config, progress = self.config, self.progress
        began, steps = time.perf_counter(), min(config.row_steps, config.steps - progress.steps)
        loss = self.learn(steps)
        spent = time.perf_counter() - began
        progress.rows += 1
        figures = {"steps": progress.steps, "games": progress.games, "pairs": len(self.learned), "loss": loss}
        figures |= {"steps_per_s": steps / spent, **self.measure()}
        if figures["held_out_loss"] < progress.best:
            progress.best = figures["held_out_loss"]
            checkpoint.save(self.net, self.run.checkpoints / "best.safetensors", self.card())
        if config.size <= LARGEST and self.keeps():
            figures |= self.exam()
        progress.seconds += time.perf_counter() - began
        return figures | {"minutes": progress.seconds / 60}

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """How well the net foretells the moves of games that it has not learned from."""
        count = len(self.held_out)
        # The same ones every time, from all games.
        most = min(count, self.config.examined)
        chosen = torch.linspace(0, count - 1, most, dtype=torch.float64, device=self.device).round().long()
        sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        for some in torch.split(chosen, AT_ONCE):
            seen = self.held_out.at(some)
            said = self.logits(seen.planes).float()
            better = rank(said, seen.legal, seen.cell)
            loss = F.nll_loss(log_chances(said, seen.legal), seen.cell, reduction="sum")
            sums += torch.stack([loss.double(), (better < 1).sum().double(), (better < 5).sum().double()])
        loss, first, five = (sums / len(chosen)).tolist()
        return {"held_out_loss": loss, "top_1": first, "top_5": five}

    @torch.no_grad()
    def exam(self) -> dict[str, float]:
        """In how many of the won positions whose truth is known the net's best move wins."""
        if self._truth is None:
            self._truth = Truth(self.config.size)
        seen = torch.from_numpy(bridges.encode(self._truth.positions)).to(self.device)
        said = torch.cat([self.logits(some.float()).float() for some in torch.split(seen, AT_ONCE)])
        return {"keeps_win": float(self._truth.judge(said.cpu().numpy()[None])["keeps_win"][0])}

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep."""
        return self.progress.rows % self.config.keep_rows == 0 or self.progress.steps >= self.config.steps

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1; the player's games are half of it."""
        learned = self.progress.steps / self.config.steps
        return learned if self.config.file else (self._played / self.config.games + learned) / 2

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "games": progress.games,
            "positions": len(self.learned),
            "steps": progress.steps,
        }
        return Card("imitate", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        numbered = {f"net-{self.progress.steps:06d}": self.net} if self.keeps() else {}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.net})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = {"random": self.generator.get_state(), **state.named("net", self.net.state_dict())}
        return tensors | state.named("adam", self.adam.state()), asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about)
        self.net.load_state_dict(state.under(tensors, "net"))
        self.adam.restore(state.under(tensors, "adam"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and resumed."""
    told = time.monotonic()
    for games in trainer.play():
        if time.monotonic() - told > 10:
            yield {"games": games}
            told = time.monotonic()
    yield from rounds(trainer, trainer.row, "steps", save_seconds, timed=False)
