"""A net learns from the positions that a run of alphazero has kept: nothing is played.

Every shape of net can so be taught by the same games and compared on the same others, in minutes.
"""

from __future__ import annotations

import copy
import functools
import math
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.delivery import Net
from fingal.learn.parts.kinds import check_above_0, check_from_0, check_kinds, check_least, check_seed, check_shares
from fingal.learn.parts.replay import Batch, Replay, make_batch
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.learn.parts.search_descent import Descent, Settings, follow, losses, pace
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.planes_torch import layout
from fingal.nets.residual import LARGE, SMALL, Config, Output, Residual
from fingal.nets.ringed import precision

AT_ONCE = 4096
"""Positions that are judged in one call where nothing is learned."""


@dataclass(frozen=True)
class Distil:
    """How to train."""

    source: str = "runs/alphazero"
    """The run of alphazero to learn from: its folder. It must have kept its state."""
    net: Config = SMALL
    """The net's shape."""
    also: tuple[str, ...] = ()
    """Other such runs, each once, whose positions are learned from too."""
    teacher: str = ""
    """A net, a file or a shipped net's name, that judges the positions before they are learned from."""
    teacher_weight: float = 0.5
    """How much of what is learned is the teacher's opinion: of the value, and of the policy. Where the search left no
    policy, all of it."""
    held_out: float = 0.01
    """The share of the source's positions that is not learned from, to measure on: the newest."""
    batch: int = 4096
    """Positions in a step of learning."""
    steps: int = 20_000
    """Steps of learning, at most."""
    minutes: float = 0.0
    """How long it learns at most; 0 for no limit."""
    learning_rate: float = 2e-3
    """AdamW's, after warming up; it falls to a twentieth in the last part of the run."""
    decay_from: float = 0.3
    """The part of the run after which the learning rate falls."""
    warm_up: int = 200
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = 1e-4
    """AdamW's, on matrices and kernels."""
    averaging: float = 0.998
    """How much of the averaged weights stays at each step; they are kept."""
    reply_weight: float = 0.15
    """The weight of the opponent's reply in the loss."""
    owner_weight: float = 0.15
    """The weight of the cells' owners in the loss."""
    row_steps: int = 500
    """A row of figures is kept after so many steps."""
    threads: int = 1
    """Torch's on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything, if no minutes are given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(self, 1, "batch", "steps", "row_steps", "threads")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must be between 0 and 1, not {self.held_out}")
        check_from_0(self, "minutes", "warm_up", "weight_decay", "reply_weight", "owner_weight")
        check_above_0(self, "learning_rate")
        check_shares(self, "decay_from", "averaging", "teacher_weight")
        check_seed(self, 63)
        folders = [Path(folder).resolve() for folder in (self.source, *self.also)]
        if len(set(folders)) < len(folders):
            # What is held out would be learned from, or some positions would count twice.
            raise ValueError(f"also must name other runs than the source, each once, not {self.also}")

    @property
    def unused(self) -> dict[str, str]:
        """Settings that have no effect beside the others, each with why, and what to do."""
        return {} if self.teacher else {"teacher_weight": "without a teacher: give teacher too"}


PRESETS = {"gpu-small": Distil(minutes=10), "gpu-large": Distil(net=LARGE, minutes=20)}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "steps": "steps",
    "positions_per_s": "positions/s",
    "policy": "policy loss",
    "value": "value loss",
    "held_out_policy": "policy loss on other games",
    "held_out_value": "value loss on other games",
    "top_1": "the search's best move",
    "learning_rate": "learning rate",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("policy loss", ("policy", "held_out_policy")),
    ("value loss", ("value", "held_out_value")),
    ("on games that were not learned from", ("top_1",)),
)
"""The picture's panels: titles and figures."""


class Kept(NamedTuple):
    """The positions that a run has kept."""

    rows: dict[str, Tensor]
    """Those of its replay, by name."""
    slots: Tensor
    """Where they lie, from the oldest to the newest, int64 [positions]."""

    def fingerprint(self, found: int = 0) -> int:
        """A number that other positions do not have, nor these after others that had ``found``."""
        for name in sorted(self.rows):
            found = zlib.crc32(self.rows[name].numpy().data, found)
        return found


def kept_positions(folder: Path) -> Kept:
    """What is in the state of a run of alphazero; ValueError where there are no positions."""
    rows, about = state.part(folder / "checkpoints" / "state.safetensors", "replay") or ({}, {})
    if "policy" not in rows or "seen" not in about:
        raise ValueError(f"{folder} holds no positions: give the folder of a run of alphazero that keeps its state")
    count = len(rows["value"])
    # An older run did not keep what was at stake, and nothing here asks for it.
    rows.setdefault("stakes", torch.zeros(count, dtype=torch.float16))
    return Kept(rows, (torch.arange(count) + about["seen"]) % max(1, count))


def judged(
    net: Net, rows: dict[str, Tensor], side: int, dtype: torch.dtype
) -> Iterator[tuple[dict[str, Tensor], Batch, Output]]:
    """What a net says of rows of a replay, some thousands at a time: the rows themselves, unpacked, and its words."""
    for begin in range(0, len(rows["value"]), AT_ONCE):
        part = {name: row[begin : begin + AT_ONCE] for name, row in rows.items()}
        batch = make_batch(part, torch.zeros_like(part["white_to_move"]), side, dtype)
        with torch.no_grad(), torch.autocast(batch.planes.device.type, dtype, enabled=dtype == torch.bfloat16):
            said = net(batch.planes.contiguous(memory_format=torch.channels_last), batch.mask)
        yield part, batch, said


@torch.no_grad()
def teach(teacher: Net, rows: dict[str, Tensor], side: int, weight: float) -> None:
    """Mix a net's opinion into what rows of a replay say, in place."""
    for part, batch, said in judged(teacher, rows, side, precision(teacher, rows["value"].device)):
        chances = said.policy.float().masked_fill(batch.occupied, -torch.inf).softmax(1)
        size = part["size"].long()
        cell = layout(part["white_to_move"], size, size, (side, side)).cell  # 0 off the board, where no chance is
        opinion = torch.zeros_like(chances).scatter_add_(1, cell, chances)
        searched = batch.policy.sum(1, keepdim=True) > 0
        part["policy"].copy_(torch.lerp(part["policy"].float(), opinion, torch.where(searched, weight, 1.0)))
        part["value"].lerp_(said.value.float(), weight)


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    steps: int = 0
    seconds: float = 0.0
    positions: int = 0
    """That there are to learn from."""
    fingerprint: int = 0
    """Of all positions."""


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Distil, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        if device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        runs = [kept_positions(Path(folder)) for folder in (config.source, *config.also)]
        first, *others = runs
        aside = max(1, round(config.held_out * len(first.slots)))
        if len(first.slots) <= aside:
            raise ValueError(f"{config.source} holds too few positions: some to learn from and some to measure on")
        self.held_out = {name: row[first.slots[-aside:]].to(device) for name, row in first.rows.items()}
        learned = [Kept(first.rows, first.slots[:-aside]), *others]
        total = sum(len(kept.slots) for kept in learned)
        self.side = max(math.isqrt(kept.rows["policy"].shape[1]) for kept in runs)
        self.sizes = sorted({size for kept in runs for size in set(kept.rows["size"].tolist())})
        self.replay = Replay(total, self.side, device)
        for kept in learned:
            for name, row in kept.rows.items():  # one after the other: there may be gigabytes of them
                self.replay.put(name, row[kept.slots])
            self.replay.seen += len(kept.slots)
        if config.teacher:
            teacher: Net = checkpoint.load(checkpoint.find(config.teacher))[0]
            teacher = teacher.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
            teach(teacher, self.replay.arrays, self.side, config.teacher_weight)
        net = Residual(config.net)
        if start is not None:
            checkpoint.fill(net, start)
        self.net: Net = net.train().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average: Net = copy.deepcopy(self.net).eval().requires_grad_(False)
        self.descent = Descent(
            self.net, device, Settings(self.side, config.weight_decay, config.reply_weight, config.owner_weight)
        )
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        fingerprint = functools.reduce(lambda found, kept: kept.fingerprint(found), runs, 0)
        self.progress = Progress(positions=total, fingerprint=fingerprint)
        run.resume(self)

    def learning_rate(self) -> float:
        """For the next step."""
        config = self.config
        return pace(config.learning_rate, self.progress.steps, config.warm_up, self.done_share(), config.decay_from)

    def row(self) -> dict[str, float]:
        """Learn for one row of figures."""
        config, progress = self.config, self.progress
        began, learned = time.perf_counter(), progress.seconds
        sums: dict[str, Tensor] = {}
        first = progress.steps
        for _ in range(config.row_steps):
            drawn = self.replay.draw(config.batch, self.generator)
            parts = self.descent.step(*drawn, self.learning_rate())
            progress.steps += 1
            progress.seconds = learned + time.perf_counter() - began
            follow(self.average, self.net, config.averaging, progress.steps)
            sums = {name: sums.get(name, 0.0) + value for name, value in parts.items()}
            if self.done_share() >= 1:
                break
        steps = progress.steps - first
        figures = {name: float(value) / steps for name, value in sums.items()}
        progress.seconds = learned + time.perf_counter() - began
        speed = steps * config.batch / (progress.seconds - learned)
        figures |= {"steps": progress.steps, "positions_per_s": speed, "minutes": progress.seconds / 60}
        return figures | {"learning_rate": self.learning_rate(), **self.measure()}

    def measure(self) -> dict[str, float]:
        """The averaged net's losses on positions that it has not learned from, and how often it has the best move.

        Positions that were searched cheaply or are proven lost have no policy to compare with; where all are such ones,
        only the value is measured.
        """
        count, searched = len(self.held_out["value"]), 0.0
        policy = value = hits = 0.0
        for _, batch, said in judged(self.average, self.held_out, self.side, torch.float32):
            has_policy = batch.policy.sum(1) > 0
            best = said.policy.float().masked_fill(batch.occupied, -torch.inf).argmax(1)
            parts, among = losses(said, batch), float(has_policy.sum())
            hits += float(((best == batch.policy.argmax(1)) & has_policy).sum())
            policy += float(parts["policy"]) * among
            value += float(parts["value"]) * len(batch.value)
            searched += among
        found = {"held_out_policy": policy / searched, "top_1": hits / searched} if searched else {}
        return found | {"held_out_value": value / count}

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        progress = self.progress
        return share_done(progress.steps / self.config.steps, progress.seconds, self.config.minutes)

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "positions": progress.positions,
            "steps": progress.steps,
        }
        return Card("distil", {}, sizes=tuple(f"{s}x{s}" for s in self.sizes), cost=cost)

    def keeps(self) -> bool:
        """Whether the run has ended: no net is kept from on the way."""
        return self.done_share() >= 1

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        self.run.save(self, self.card(), latest={"latest": self.average})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
        tensors |= state.named("optimiser", state.of_optimiser(self.descent.optimiser))
        return tensors | {"random": self.generator.get_state()}, asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        progress = Progress(**about)
        if progress.fingerprint != self.progress.fingerprint:
            sources = " and ".join((self.config.source, *self.config.also))
            raise state.StateError(
                f"the positions in {sources} are others than when the run began: choose another folder"
            )
        self.progress = progress
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.descent.optimiser, state.under(tensors, "optimiser"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and resumed."""
    return rounds(trainer, trainer.row, "steps", save_seconds, timed=False)
