"""A net plays and a stronger one says what it would have done: no tree, and every position is learned from once.

The apprentice makes most of the moves itself, so that it learns where its own play leads (Ross et al. 2011, DAgger).
Where the choice is not clear the teacher looks at what its own moves and the apprentice's lead to: all that a position
costs is a handful of judgements, where self-play spends a search on it.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.actor import judge_for
from fingal.learn.parts.apprentice_settings import PRESETS, Apprentice
from fingal.learn.parts.lines import Coming
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.learn.parts.search_descent import adamw, follow, pace
from fingal.learn.parts.taught_games import Games, Lesson
from fingal.nets import checkpoint
from fingal.nets.blocks import OFF_BOARD
from fingal.nets.card import Card
from fingal.nets.residual import Residual
from fingal.nets.ringed import precision

__all__ = ["PANELS", "PRESETS", "SHOWN", "Apprentice", "Trainer", "losses", "train"]

SHOWN = {
    "minutes": "minutes",
    "steps": "steps",
    "games": "games",
    "positions_per_s": "positions/s",
    "policy": "policy loss",
    "value": "value loss",
    "top_1": "the teacher's best move",
    "learning_rate": "learning rate",
}
"""What the live table shows, with its titles."""

PANELS = (("policy loss", ("policy",)), ("value loss", ("value",)), ("the teacher's best move", ("top_1",)))
"""The picture's panels: titles and figures."""


def losses(policy: Tensor, value_logit: Tensor, lesson: Lesson) -> dict[str, Tensor]:
    """How far a net's logits [B, cells] and [B] are from a lesson's: each a sum over positions, and 0 is perfect."""
    said, taught = (
        F.log_softmax(logits.float().masked_fill(lesson.taken, OFF_BOARD), 1) for logits in (policy, lesson.policy)
    )
    chance = (lesson.value + 1) / 2
    least = torch.special.entr(chance) + torch.special.entr(1 - chance)
    return {
        "policy": F.kl_div(said, taught, reduction="sum", log_target=True),
        "value": (F.binary_cross_entropy_with_logits(value_logit.float(), chance, reduction="none") - least).sum(),
        "top_1": (said.argmax(1) == taught.argmax(1)).sum(),
    }


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    steps: int = 0
    seconds: float = 0.0
    games: int = 0
    positions: int = 0


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Apprentice, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run from a net, or go on with the one in the folder; ValueError where there is neither."""
        self.config, self.run, self.device = config, run, device
        if start is None and not run.has_state():
            raise ValueError("start must name a net: an apprentice begins with what it has learned elsewhere")
        torch.manual_seed(config.seed)  # it draws the blocks that a net has more than the one that it begins from
        net = Residual(config.net)
        if start is not None and not run.has_state():
            checkpoint.fill(net, start)
        # Boards of one size at a time have statistics of their own, so the norms keep those that they have.
        self.net = net.eval().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average: Residual = copy.deepcopy(self.net).requires_grad_(False)
        self.optimiser = adamw(self.net, config.weight_decay, device)
        teacher = checkpoint.load(checkpoint.find(config.teacher))[0].to(device)
        judge = judge_for(teacher, device)
        judge.refresh(teacher)
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        counts = zip(config.sizes, config.counts(), strict=True)
        self.games = [Games(size, count, config, judge, self.generator) for size, count in counts]
        self.progress = Progress()
        run.resume(self)

    def learning_rate(self) -> float:
        """For the next step."""
        config = self.config
        return pace(config.learning_rate, self.progress.steps, config.warm_up, self.done_share(), config.decay_from)

    def step(self) -> dict[str, Tensor]:
        """Learn from where the games stand, and make a move in each; gives the parts of the loss, means over all."""
        progress, total = self.progress, sum(games.count for games in self.games)
        looks = self.games if self.config.ahead and self.config.looked else []
        dtype = precision(self.net, self.device)
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate()
        self.optimiser.zero_grad(set_to_none=True)
        asked = []
        for games in self.games:
            lesson = games.lesson(dtype)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=dtype == torch.bfloat16):
                said = self.net(lesson.planes.contiguous(memory_format=torch.channels_last))
            asked.append((games, lesson, said, Coming(games.choose(lesson, said.policy))))
            if looks:
                games.look(lesson, said.policy)
        # One size after the other, a ply at a time: while the core makes one size's moves the device judges another's.
        for games in looks:
            games.begin_lines()
        over = [games.move(cells.array()) for games, _, _, cells in asked]
        for _ in range(self.config.plies - 1):
            for games in looks:
                games.lines.go_on()
        progress.games += sum(int(ended.sum()) for ended in over)
        figures = dict[str, Tensor]()
        for (games, lesson, said, _), ended in zip(asked, over, strict=True):
            parts = losses(said.policy, said.value_logit, games.seen(lesson) if looks else lesson)
            games.go_on(ended)
            ((parts["policy"] + parts["value"]) / total).backward()  # type: ignore[no-untyped-call]
            figures[f"policy_{games.size}"] = parts["policy"].detach() / games.count
            for name, part in parts.items():
                figures[name] = figures.get(name, 0.0) + part.detach() / total
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        progress.steps += 1
        progress.positions += total
        follow(self.average, self.net, self.config.averaging, progress.steps)
        return figures

    def row(self) -> dict[str, float]:
        """Learn for one row of figures."""
        progress = self.progress
        began, learned, first = time.perf_counter(), progress.seconds, progress.steps
        known, sums = progress.positions, dict[str, Tensor]()
        while progress.steps < first + self.config.row_steps and self.done_share() < 1:
            sums = {name: sums.get(name, 0.0) + value for name, value in self.step().items()}
            progress.seconds = learned + time.perf_counter() - began
        steps = progress.steps - first
        figures = {name: float(value) / steps for name, value in sums.items()}
        speed = (progress.positions - known) / (progress.seconds - learned)
        figures |= {"steps": progress.steps, "games": progress.games, "positions": progress.positions}
        return figures | {
            "positions_per_s": speed,
            "minutes": progress.seconds / 60,
            "learning_rate": self.learning_rate(),
        }

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        progress = self.progress
        return share_done(progress.steps / self.config.steps, progress.seconds, self.config.minutes)

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "games": progress.games,
            "positions": progress.positions,
            "steps": progress.steps,
        }
        return Card("apprentice", {}, sizes=tuple(f"{s}x{s}" for s in self.config.sizes), cost=cost)

    def keeps(self) -> bool:
        """Whether the run has ended."""
        return self.done_share() >= 1

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        numbered = {self.run.kept(self.progress.steps).stem: self.average}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.average})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
        tensors |= state.named("optimiser", state.of_optimiser(self.optimiser))
        tensors |= {"random": self.generator.get_state()}
        for games in self.games:
            tensors |= state.named(f"games{games.size}", games.kept())
        return tensors, asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.optimiser, state.under(tensors, "optimiser"))
        state.set_random(self.generator, tensors["random"])
        for games in self.games:
            games.restore(state.under(tensors, f"games{games.size}"))
        self.progress = Progress(**about)


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and resumed."""
    return rounds(trainer, trainer.row, "steps", 60 * trainer.config.checkpoint_minutes, timed=False)
