"""A net learns from the positions that a run of alphazero has kept: nothing is played.

Every shape of net can so be taught by the same games and compared on the same others, in minutes.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.delivery import Net
from fingal.learn.parts.replay import Replay, make_batch
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.learn.parts.search_descent import Descent, Settings, follow, losses, pace
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.residual import LARGE, SMALL, Config, Residual

AT_ONCE = 4096
"""Positions that are judged in one call where nothing is learned."""


@dataclass(frozen=True)
class Distil:
    """How to train."""

    source: str = "runs/alphazero"
    """The run of alphazero to learn from: its folder. It must have kept its state."""
    net: Config = SMALL
    """The net's shape."""
    held_out: float = 0.01
    """The share of the positions that is not learned from, to measure on: the last ones."""
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
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("batch", "steps", "row_steps", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must be between 0 and 1, not {self.held_out}")
        if not 0 <= self.minutes < math.inf:
            raise ValueError(f"minutes must be at least 0, not {self.minutes}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate must be a number above 0, not {self.learning_rate}")
        for name in ("decay_from", "averaging"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")


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


def kept_positions(folder: Path) -> dict[str, Tensor]:
    """The rows of the replay that a run of alphazero has kept; ValueError where there are none."""
    found = state.load(folder / "checkpoints" / "state.safetensors")
    rows = {} if found is None else state.under(found[0], "replay")
    if not rows or "policy" not in rows:
        raise ValueError(f"{folder} holds no positions: give the folder of a run of alphazero that keeps its state")
    return rows


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    steps: int = 0
    seconds: float = 0.0
    positions: int = 0
    """That there are to learn from."""


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Distil, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        if device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        rows = kept_positions(Path(config.source))
        count = len(rows["value"])
        self.side = math.isqrt(rows["policy"].shape[1])
        self.sizes = sorted(set(rows["size"].tolist()))
        aside = max(1, round(config.held_out * count))
        if aside >= count:
            raise ValueError(f"{config.source} holds too few positions: some to learn from and some to measure on")
        self.held_out = {name: row[count - aside :].to(device) for name, row in rows.items()}
        self.replay = Replay(count - aside, self.side, device)
        self.replay.restore({name: row[: count - aside] for name, row in rows.items()}, count - aside)
        net = Residual(config.net)
        if start is not None:
            checkpoint.fill(net, start)
        self.net: Net = net.train().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average: Net = copy.deepcopy(self.net).eval().requires_grad_(False)
        self.descent = Descent(
            self.net, device, Settings(self.side, config.weight_decay, config.reply_weight, config.owner_weight)
        )
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.progress = Progress(positions=count - aside)
        self._load_state()

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
        while progress.steps < min(first + config.row_steps, config.steps) and self.done_share() < 1:
            drawn = self.replay.draw(config.batch, self.generator)
            parts = self.descent.step(*drawn, self.learning_rate())
            progress.steps += 1
            progress.seconds = learned + time.perf_counter() - began
            follow(self.average, self.net, config.averaging, progress.steps)
            sums = {name: sums.get(name, 0.0) + value for name, value in parts.items()}
        steps = max(1, progress.steps - first)
        figures = {name: float(value) / steps for name, value in sums.items()}
        progress.seconds = learned + time.perf_counter() - began
        speed = steps * config.batch / (progress.seconds - learned)
        figures |= {"steps": progress.steps, "positions_per_s": speed, "minutes": progress.seconds / 60}
        return figures | {"learning_rate": self.learning_rate(), **self.measure()}

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """The averaged net's losses on positions that it has not learned from, and how often it has the best move."""
        sums: dict[str, float] = {}
        count, searched = len(self.held_out["value"]), 0.0
        for begin in range(0, count, AT_ONCE):
            rows = {name: row[begin : begin + AT_ONCE] for name, row in self.held_out.items()}
            here = len(rows["value"])
            unturned = torch.zeros(here, dtype=torch.bool, device=self.device)
            batch = make_batch(rows, unturned, self.side, torch.float32)
            said = self.average(batch.planes.contiguous(memory_format=torch.channels_last), batch.mask)
            has_policy = batch.policy.sum(1) > 0
            policies = float(has_policy.sum())
            best = said.policy.float().masked_fill(batch.occupied, -torch.inf).argmax(1)
            hits = float(((best == batch.policy.argmax(1)) & has_policy).sum())
            parts = losses(said, batch)
            sums["held_out_policy"] = sums.get("held_out_policy", 0.0) + float(parts["policy"]) * policies
            sums["held_out_value"] = sums.get("held_out_value", 0.0) + float(parts["value"]) * here
            sums["top_1"] = sums.get("top_1", 0.0) + hits
            searched += policies
        among = {"held_out_policy": searched, "held_out_value": count, "top_1": searched}
        return {name: value / max(1.0, among[name]) for name, value in sums.items()}

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

    def save(self) -> None:
        """Write the net and everything else that is needed to go on exactly here."""
        checkpoint.save(self.average, self.run.checkpoints / "latest.safetensors", self.card())
        tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
        tensors |= state.named("optimiser", state.of_optimiser(self.descent.optimiser))
        tensors |= {"random": self.generator.get_state()}
        state.save(self.run.checkpoints / "state.safetensors", tensors, asdict(self.progress))

    def _load_state(self) -> None:
        """Take up the run in the folder, if there is one."""
        found = state.load(self.run.checkpoints / "state.safetensors")
        if found is None:
            return
        tensors, about = found
        progress = Progress(**about)
        if progress.positions != self.progress.positions:
            raise ValueError(
                f"{self.config.source} holds other positions than when the run began: choose another folder"
            )
        self.progress = progress
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.descent.optimiser, state.under(tensors, "optimiser"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and gone on with."""
    saved = time.monotonic()
    while trainer.done_share() < 1:
        figures = trainer.row()
        trainer.run.log(trainer.progress.steps, figures)
        yield figures
        if trainer.done_share() >= 1 or time.monotonic() - saved > save_seconds:
            trainer.save()
            saved = time.monotonic()
