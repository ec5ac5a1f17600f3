"""A net plays and a stronger one says what it would have done: no search, and every position is learned from once.

The apprentice makes most of the moves itself, so that it learns where its own play leads (Ross et al. 2011, DAgger).
All that a position costs is one judgement of the teacher, where self-play spends a search on it.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.learn.parts import state
from fingal.learn.parts.actor import judge_for
from fingal.learn.parts.kinds import check_kinds
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.learn.parts.search_descent import adamw, follow, pace
from fingal.nets import checkpoint
from fingal.nets.blocks import OFF_BOARD
from fingal.nets.card import Card
from fingal.nets.judge import Judge
from fingal.nets.planes_torch import encode, layout
from fingal.nets.residual import SMALL, Config, Residual
from fingal.nets.ringed import precision

MOST_GAMES = 1 << 20
"""More at once would need more memory than there is."""


@dataclass(frozen=True)
class Apprentice:
    """How to train."""

    teacher: str = "fingal-large"
    """The net that says what it would have done: a file, or a shipped net's name."""
    net: Config = SMALL
    """The shape of the net that learns."""
    sizes: tuple[int, ...] = (5, 7, 9, 11, 13)
    """Board sides."""
    shares: tuple[float, ...] = ()
    """How many of a step's positions each size has; all alike when empty."""
    batch: int = 4096
    """Positions in a step of learning: so many games are played at once, and a step is one move in each."""
    heat: float = 1.0
    """Moves are drawn from policies with temperatures from 0 to this: each side of a game has its own, a third 0."""
    teacher_share: float = 0.25
    """The share of sides whose moves are the teacher's."""
    stray: float = 0.1
    """The highest rate at which a side makes random moves instead: each has its own, half of them none."""
    wild_share: float = 0.15
    """The share of games that begin with many random moves; the others have one."""
    steps: int = 100_000
    """Steps of learning, at most."""
    minutes: float = 0.0
    """How long it learns at most; 0 for no limit."""
    checkpoint_minutes: float = 2.0
    """How often a checkpoint is written."""
    learning_rate: float = 1e-3
    """AdamW's, after warming up; it falls to a twentieth in the last part of the run."""
    decay_from: float = 0.3
    """The part of the run after which the learning rate falls."""
    warm_up: int = 200
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = 1e-4
    """AdamW's, on matrices and kernels."""
    averaging: float = 0.999
    """How much of the averaged weights stays at each step; they are kept."""
    row_steps: int = 200
    """A row of figures is kept after so many steps."""
    threads: int = 1
    """Torch's on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything, if no minutes are given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        for name in ("batch", "steps", "row_steps", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        possible = all(type(size) is int and 2 <= size <= 19 for size in self.sizes)
        if not self.sizes or not possible or len(set(self.sizes)) < len(self.sizes):
            raise ValueError(f"sizes must be different numbers from 2 to 19, not {self.sizes}")
        if self.shares and (
            len(self.shares) != len(self.sizes) or not 0 < min(self.shares) <= sum(self.shares) < math.inf
        ):
            raise ValueError(f"shares must be {len(self.sizes)} numbers above 0, one a size, not {self.shares}")
        if self.batch > MOST_GAMES:
            raise ValueError(f"batch must be at most {MOST_GAMES}, not {self.batch}")
        if min(self.counts()) < 1:
            raise ValueError(f"batch must have a position of every size, and {self.batch} are too few")
        for name in ("minutes", "heat", "warm_up", "weight_decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0, not {getattr(self, name)}")
        for name in ("learning_rate", "checkpoint_minutes"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {getattr(self, name)}")
        for name in ("teacher_share", "stray", "wild_share", "decay_from", "averaging"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed must be from 0 to 2**63 - 1, not {self.seed}")

    def counts(self) -> list[int]:
        """How many games are played on each size."""
        shares = self.shares or (1.0,) * len(self.sizes)
        return [int(self.batch * share / sum(shares)) for share in shares]


PRESETS = {
    "gpu-small": Apprentice(
        sizes=(5, 7, 9, 11, 13, 15),
        shares=(0.1, 0.25, 1.35, 1.15, 1.0, 0.15),
        batch=16_384,
        learning_rate=1.5e-3,
        averaging=0.998,
        row_steps=50,
        minutes=25,
    )
}
"""Named settings for ``--preset``."""

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


class Judged(NamedTuple):
    """B positions of one size as they are, and what the teacher says of them."""

    stones: Tensor
    """int64 [2, B, words]"""
    white: Tensor
    """bool [B]: whether White is to move."""
    policy: Tensor
    """[B, cells]: logits of the move."""
    value: Tensor
    """[B]: in [-1, 1], side to move's view."""


class Lesson(NamedTuple):
    """The same as the side to move sees them, half of them turned."""

    planes: Tensor
    """[B, 5, size + 2, size + 2]"""
    cell: Tensor
    """int64 [B, cells]: where each cell is on the board as it is."""
    taken: Tensor
    """bool [B, cells]: where a stone is."""
    policy: Tensor
    """[B, cells]: the teacher's logits."""
    value: Tensor
    """[B]: the teacher's."""


class Players(NamedTuple):
    """Who plays B games: Black's and White's column, except for the last."""

    heat: Tensor
    """[B, 2]: the temperature at which moves are drawn."""
    stray: Tensor
    """[B, 2]: how often a random move is made instead."""
    taught: Tensor
    """bool [B, 2]: whether the moves are the teacher's."""
    opening: Tensor
    """[B, 1]: how many random moves are left that the game begins with."""


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


class Games:
    """Games of one size that never stop: one that ends begins anew, with other players."""

    def __init__(self, size: int, count: int, config: Apprentice, teacher: Judge, generator: torch.Generator) -> None:
        """Begin; ``generator`` is on the teacher's device."""
        self.size, self.count, self.config, self.teacher, self.generator = size, count, config, teacher, generator
        self._core = _core.PolicyGames(size, size, count)
        self._rows = np.arange(count, dtype=np.int32)
        self.players = self._drawn()
        self.now = self._judged()
        """The games as they stand."""

    def _lots(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.generator, device=self.generator.device)

    def _drawn(self) -> Players:
        config, count = self.config, self.count
        heat = config.heat * (1.5 * self._lots(count, 2) - 0.5).clamp(min=0)
        stray = config.stray * (2 * self._lots(count, 2) - 1).clamp(min=0)
        taught = self._lots(count, 2) < config.teacher_share
        # With fewer than 2 (size - 1) stones nobody has won.
        many = 1 + (self._lots(count, 1) * (2 * self.size - 3)).floor()
        opening = torch.where(self._lots(count, 1) < config.wild_share, many, 1.0)
        return Players(heat, stray, taught, opening)

    def _sent(self, array: NDArray[Any]) -> Tensor:
        """An array on the device, which is not waited for."""
        return torch.from_numpy(array).to(self.teacher.device, non_blocking=True)

    def _judged(self) -> Judged:
        packed, turns, _ = self._core.pack(self._rows)
        stones, white = self._sent(packed.view(np.int64)), self._sent(turns)
        return Judged(stones, white, *self.teacher(stones, white, self.size, self.size))

    def lesson(self, dtype: torch.dtype) -> Lesson:
        """What there is to learn from the games as they stand."""
        now, frame = self.now, (self.size, self.size)
        where = layout(now.white, *frame, frame, self._lots(self.count) < 0.5)
        planes = encode(now.stones, now.white, where, frame, dtype)
        taken = planes[:, :2, 1:-1, 1:-1].flatten(2).any(1)
        return Lesson(planes, where.cell, taken, now.policy.gather(1, where.cell), now.value)

    @torch.no_grad()
    def choose(self, lesson: Lesson, policy: Tensor) -> Tensor:
        """Every game's next move, int64 [count], on the boards as they are; the apprentice's logits are given."""
        side = self.now.white.long().unsqueeze(1)
        heat, stray, taught = (each.gather(1, side) for each in self.players[:3])
        # To add Gumbel's noise times the temperature and take the best is to draw.
        noise = -(-self._lots(*policy.shape).clamp(1e-9, 1 - 1e-6).log()).log()
        scores = torch.where(taught, lesson.policy, policy.float()) + heat * noise
        random = (self.players.opening > 0) | (self._lots(self.count, 1) < stray)
        best = torch.where(random, noise, scores).masked_fill(lesson.taken, -torch.inf).argmax(1, keepdim=True)
        return lesson.cell.gather(1, best).squeeze(1)

    def move(self, cells: Tensor) -> NDArray[np.bool_]:
        """Make these moves, for which the device is waited for; gives which games have ended, [count]."""
        over = self._core.play(self._rows, cells.to("cpu", torch.int32).numpy())
        self._core.reset(self._rows[over])
        return over

    def after(self, lesson: Lesson, cells: Tensor, over: NDArray[np.bool_]) -> Lesson:
        """The lesson with what the moves that ``move`` made of it show of values; from now on the next one is due.

        Where a move was the teacher's best, the teacher's value of the position after it says as much of the one
        before, and their mean says more: it foresees results better than either.
        """
        ended, self.now = self._sent(over), self._judged()
        going = self.players._replace(opening=self.players.opening - 1)
        others = zip(self._drawn(), going, strict=True)
        self.players = Players(*(torch.where(ended.unsqueeze(1), new, old) for new, old in others))
        best = lesson.policy.masked_fill(lesson.taken, -torch.inf).argmax(1, keepdim=True)
        followed = lesson.cell.gather(1, best).squeeze(1) == cells
        next_value = torch.where(ended, 1.0, -self.now.value)  # that of the next position is the opponent's
        return lesson._replace(value=torch.where(followed, (lesson.value + next_value) / 2, lesson.value))

    def kept(self) -> dict[str, Tensor]:
        """What has to be kept to go on."""
        stones, white, last = self._core.pack(self._rows)
        core = {"stones": stones.view(np.int64), "white": white, "last": last}
        return {name: torch.from_numpy(array) for name, array in core.items()} | self.players._asdict()

    def restore(self, kept: dict[str, Tensor]) -> None:
        """Go on with what ``kept`` gave."""
        stones = kept["stones"].numpy().view(np.uint64)
        self._core.set(self._rows, stones, kept["white"].numpy(), kept["last"].numpy())
        self.players = Players(*(kept[name].to(self.teacher.device) for name in Players._fields))
        self.now = self._judged()


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
        found = state.load(run.checkpoints / "state.safetensors")
        if found is None and start is None:
            raise ValueError("start must name a net: an apprentice begins with what it has learned elsewhere")
        torch.manual_seed(config.seed)  # it draws the blocks that a net has more than the one that it begins from
        net = Residual(config.net)
        if found is None:
            assert start is not None
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
        if found is not None:
            self._restore(*found)

    def learning_rate(self) -> float:
        """For the next step."""
        config = self.config
        return pace(config.learning_rate, self.progress.steps, config.warm_up, self.done_share(), config.decay_from)

    def step(self) -> dict[str, Tensor]:
        """Learn from where the games stand, and make a move in each; gives the parts of the loss, means over all."""
        progress, total = self.progress, sum(games.count for games in self.games)
        dtype = precision(self.net, self.device)
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate()
        self.optimiser.zero_grad(set_to_none=True)
        asked = []
        for games in self.games:
            lesson = games.lesson(dtype)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=dtype == torch.bfloat16):
                said = self.net(lesson.planes.contiguous(memory_format=torch.channels_last))
            asked.append((games, lesson, said, games.choose(lesson, said.policy)))
        # All moves are made before more is asked of the device: so it is waited for once.
        over = [games.move(cells) for games, _, _, cells in asked]
        progress.games += sum(int(ended.sum()) for ended in over)
        figures = dict[str, Tensor]()
        for (games, lesson, said, cells), ended in zip(asked, over, strict=True):
            parts = losses(said.policy, said.value_logit, games.after(lesson, cells, ended))
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

    def save(self) -> None:
        """Write the net and everything else that is needed to go on exactly here."""
        for file in (self.run.kept(self.progress.steps), self.run.checkpoints / "latest.safetensors"):
            checkpoint.save(self.average, file, self.card())
        tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
        tensors |= state.named("optimiser", state.of_optimiser(self.optimiser))
        tensors |= {"random": self.generator.get_state()}
        for games in self.games:
            tensors |= state.named(f"games{games.size}", games.kept())
        state.save(self.run.checkpoints / "state.safetensors", tensors, asdict(self.progress))

    def _restore(self, tensors: dict[str, Tensor], about: dict[str, float]) -> None:
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.optimiser, state.under(tensors, "optimiser"))
        state.set_random(self.generator, tensors["random"])
        for games in self.games:
            games.restore(state.under(tensors, f"games{games.size}"))
        self.progress = Progress(**about)  # type: ignore[arg-type]


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and gone on with."""
    saved = trainer.progress.seconds
    while trainer.done_share() < 1:
        figures = trainer.row()
        trainer.run.log(trainer.progress.steps, figures)
        yield figures
        seconds = trainer.progress.seconds
        if trainer.done_share() >= 1 or seconds - saved > 60 * trainer.config.checkpoint_minutes:
            trainer.save()
            saved = seconds
