"""EZO-CNN: a net of values that learns from its own games of minimax search.

Every epoch plays a number of games, all at once, and learns from their positions once. A position's value moves
towards one minus that of the next, which the opponent sees; the end of a game is lost for the side to move. docs/ezo.md
has the equations and what the paper leaves open.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.learn.parts import lockstep, minimax_games, state, value_exam
from fingal.learn.parts.adam import Adam, levelled
from fingal.learn.parts.kinds import check_least, check_shares
from fingal.learn.parts.minimax_games import Played, Style
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.narrowing import Config, Narrowing
from fingal.nets.triangles import encode_boards


@dataclass(frozen=True)
class Ezo:
    """How to train."""

    size: int = 7
    """The board's side."""
    channels: int = 128
    """Filters of each layer."""
    dense: int = 168
    """Numbers between the last filters and the value."""
    epochs: int = 300
    """How often games are played and learned from, at most."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    games: int = 500
    """Games in an epoch."""
    latest_turn: int = 20
    """A random move is made at a random turn, at the latest this one; what follows is learned from."""
    noise: float = 0.05
    """How much is added to or taken from every value in self-play, at most."""
    depth: int = 1
    """Moves that self-play looks ahead: 1 or 2."""
    past: bool = True
    """Whether past selves play too: one side has the present net, the other it or one of the last two kept."""
    keep_epochs: int = 10
    """How often a net is kept, in epochs."""
    connections: bool = True
    """Whether virtual connections end the search where they decide the game."""
    target: Literal["complement", "literal", "best"] = "complement"
    """What a value moves towards: one minus the next; as the paper prints it, the next; or one minus the least that
    any move leads to."""
    residual: bool = False
    """Whether the next value moves too, as the loss says that it should, and not only the value before it."""
    labels: bool = False
    """Whether positions that connections have decided are learned as won or lost, like the end of a game."""
    copies: Literal["rotated", "mirrored", "none"] = "rotated"
    """What is learned from beside each position: it turned by 180 degrees; mirrored with colours exchanged, which a
    net cannot tell from the position itself; or nothing."""
    batch: int = 32
    """Positions in a step of learning, copies not counted."""
    learning_rate: float = 1e-3
    """Adam's."""
    decay_from: float = 1.0
    """The part of the run after which the learning rate falls, along a line, to a twentieth."""
    exam_epochs: int = 10
    """How often the net is examined and plays its older self, in epochs; 0 for never."""
    threads: int = 1
    """Threads that search connections."""
    graph: bool = True
    """Whether steps of learning are captured in a CUDA graph where there is a GPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_least(self, 1, "epochs", "games", "latest_turn", "keep_epochs", "batch", "threads")
        if self.depth not in (1, 2):
            raise ValueError(f"depth must be 1 or 2, not {self.depth}")
        for name in ("noise", "minutes", "learning_rate", "exam_epochs"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        check_shares(self, "decay_from")
        for name, choices in (("target", TARGETS), ("copies", ("rotated", "mirrored", "none"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        assert self.net  # its own refusals

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(self.size, self.channels, self.dense)


TARGETS = ("complement", "literal", "best")

PRESETS = {
    "cpu-5x5": Ezo(size=5, channels=64, games=100, epochs=200, latest_turn=10, decay_from=0.6),
    "cpu-7x7": Ezo(channels=48, games=100, decay_from=0.6),
    "paper-7x7": Ezo(epochs=20_000, minutes=15, decay_from=0.6, threads=12),
    "paper-9x9": Ezo(size=9, games=750, latest_turn=40, epochs=20_000, minutes=30, decay_from=0.6, threads=12),
    "paper-11x11": Ezo(size=11, games=750, latest_turn=60, epochs=20_000, minutes=60, decay_from=0.6, threads=12),
}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "epoch": "epochs",
    "games": "games",
    "positions": "positions",
    "loss": "loss",
    "length": "positions a game",
    "first_wins": "won by the first player",
    "against_older": "won against older self",
    "sign": "right about the winner",
    "keeps_win": "wins kept",
    "play_s": "seconds of play",
    "learn_s": "seconds of learning",
}
"""The figures to show, and what they are called."""

PANELS = (
    ("learning", ("loss",)),
    ("games", ("first_wins", "against_older")),
    ("against the truth", ("sign", "keeps_win")),
)
"""The picture's panels: titles and figures."""


def losses(logit: Tensor, following: Tensor, over: Tensor, known: Tensor, target: str) -> Tensor:
    """Equations (2) and (3): what a position costs, [B], where its value is v = sigmoid(logit).

    ``following`` is the value of the next position, or the least of all that could come next. A position that is over,
    or known (int [B]) to be lost, costs -log(1 - v), one that is known to be won -log v; others cost the square of
    what the value misses its aim by.
    """
    aim = following if target == "literal" else 1 - following
    missed = (torch.sigmoid(logit) - aim).square()
    missed = torch.where(known > 0, F.softplus(-logit), missed)
    return torch.where(over | (known < 0), F.softplus(logit), missed)


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    epochs: int = 0
    games: int = 0
    positions: int = 0
    steps: int = 0
    seconds: float = 0.0
    kept: list[int] = field(default_factory=list)
    """The epochs of the past nets that may play."""


AGAINST = ("present", "last", "earlier")
"""The nets that the present one plays: itself, the last one kept and the one kept before that."""


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Ezo, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        cuda = device.type == "cuda"
        torch.manual_seed(config.seed)
        net = Narrowing(config.net)
        if start is not None:
            checkpoint.fill(net, start)
        self.net: Narrowing = net.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.adam = Adam(self.net, config.learning_rate, device)
        self.past: list[Narrowing] = []
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        # On a GPU two groups take turns: one's connections are found while the other's moves are judged.
        counts = (config.games - config.games // 2, config.games // 2) if cuda and config.games > 1 else (config.games,)
        self.groups = [
            lockstep.Games(config.size, count, config.connections, config.threads, device) for count in counts
        ]
        most = config.games * (config.size**2 + 1) + 1
        self._boards = torch.zeros(most, 2, config.size, config.size, dtype=torch.bool, device=device)
        self._over = torch.zeros(most, dtype=torch.bool, device=device)
        self._known = torch.zeros(most, dtype=torch.int8, device=device)
        self._cost = torch.zeros((), device=device)
        self._repeated: Repeated | None = None
        run.resume(self)

    def chance(self, net: Narrowing) -> lockstep.Chance:
        """What a net says of boards."""
        dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32

        def judge(boards: Tensor) -> Tensor:
            count = len(boards)
            if dtype != torch.float32:  # a GPU prepares anew for every number of boards that it has not seen
                boards = F.pad(boards, (0, 0, 0, 0, 0, 0, 0, lockstep.rounded(count) - count))
            seen = encode_boards(boards[:, 0], boards[:, 1], dtype)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=dtype != torch.float32):
                return torch.sigmoid(net(seen).float())[:count]

        return judge

    def play(self) -> Played:
        """The games of an epoch."""
        config = self.config
        nets = [self.net, *(self.past if config.past else [])]
        style = Style(config.latest_turn, config.noise, config.depth)
        return minimax_games.play(self.groups, [self.chance(net) for net in nets], style, self.generator)

    def learn(self, played: Played) -> float:
        """One pass over the positions in a random order; gives the mean loss."""
        count, batch = len(played.over), self.config.batch
        if not count:
            return 0.0
        for place, found in ((self._boards, played.boards), (self._over, played.over), (self._known, played.known)):
            place[:count] = found
        if self._repeated is None:
            self._repeated = Repeated(self._update, 8, batch, [*self.adam.changing(), self._cost], self._graphed())
        self.adam.set_rate(self.learning_rate())
        self._cost.zero_()
        order = torch.randperm(count, generator=self.generator, device=self.device)
        whole = order[: count - count % batch].view(-1, batch)
        for some in torch.split(whole, self._repeated.times):
            if len(some) == self._repeated.times:
                self._repeated(some)
            else:
                for pick in some:
                    self._update(pick)
        if count % batch:
            self._update(order[len(whole) * batch :])
        self.progress.steps += math.ceil(count / batch)
        return float(self._cost) / count

    def learning_rate(self) -> float:
        """Level, then down along a line to a twentieth."""
        return levelled(self.config.learning_rate, self.done_share(), self.config.decay_from)

    def _graphed(self) -> bool:
        return self.config.graph and self.device.type == "cuda"

    def _update(self, pick: Tensor) -> None:
        """One step of learning from the positions with these numbers, int64 [B]."""
        config = self.config
        boards, over, known = self._boards[pick], self._over[pick], self._known[pick]
        if not config.labels:
            known = torch.zeros_like(known)
        following = self._boards[pick + 1]
        if config.copies != "none":
            boards, following = torch.cat((boards, self._copy(boards))), torch.cat((following, self._copy(following)))
            over, known = over.repeat(2), known.repeat(2)
        logit = self.net(encode_boards(boards[:, 0], boards[:, 1]))
        with torch.set_grad_enabled(config.residual):
            if config.target == "best":
                later = self._least(boards)
            else:
                later = torch.sigmoid(self.net(encode_boards(following[:, 0], following[:, 1])))
        loss = losses(logit, later, over, known, config.target).mean()
        self.adam.step(loss)
        self._cost += loss.detach() * len(pick)

    def _least(self, boards: Tensor) -> Tensor:
        """Equation (4): the least value of all positions that could come next, [B]; 1 where none could."""
        count, cells = len(boards), self.config.size**2
        row = torch.arange(count, device=self.device).repeat_interleave(cells)
        cell = torch.arange(cells, device=self.device).repeat(count)
        child = lockstep.after_moves(boards, row, cell)
        said = torch.sigmoid(self.net(encode_boards(child[:, 0], child[:, 1]))).view(count, cells)
        return said.masked_fill(~lockstep.empty_cells(boards), 1.0).amin(1)

    def _copy(self, boards: Tensor) -> Tensor:
        """Boards turned by 180 degrees; mirrored they look as they do, so there is nothing to do."""
        return boards.flip(2, 3) if self.config.copies == "rotated" else boards

    def epoch(self) -> dict[str, float]:
        """Play and learn once."""
        began = time.perf_counter()
        played = self.play()
        between = time.perf_counter()
        loss = self.learn(played)
        progress, config = self.progress, self.config
        against = {f"against_{name}": count for name, count in zip(AGAINST, played.against, strict=False)}
        epochs = {f"{name}_epoch": epoch for name, epoch in zip(AGAINST[1:], progress.kept, strict=False)}
        progress.epochs += 1
        progress.games += played.games
        progress.positions += len(played.over)
        now = time.perf_counter()
        figures = {
            "epoch": progress.epochs,
            "games": progress.games,
            "positions": progress.positions,
            "loss": loss,
            "learning_rate": self.learning_rate(),
            "first_wins": played.first_wins / max(1, played.games),
            "length": len(played.over) / max(1, played.games),
            "decided": float((played.known != 0).float().mean()) if len(played.over) else 0.0,
            "play_s": between - began,
            "learn_s": now - between,
            **against,
            **epochs,
        }
        if config.exam_epochs and progress.epochs % config.exam_epochs == 0:
            figures |= self.exam()
        if progress.epochs % config.keep_epochs == 0:
            self.past = [copy.deepcopy(self.net).requires_grad_(False), *self.past][:2]
            progress.kept = [progress.epochs, *progress.kept][:2]
        return figures

    def exam(self) -> dict[str, float]:
        """What the net is worth by its values alone: against the last net kept, and, on 3x3 to 7x7, the truth."""
        size, chance = self.config.size, self.chance(self.net)
        found = value_exam.examine(chance, size, self.device)
        if self.past:
            found["against_older"] = minimax_games.match(chance, self.chance(self.past[0]), size, self.device)
        return found

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep, or the last."""
        return self.progress.epochs % self.config.keep_epochs == 0 or self.done_share() >= 1

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        return share_done(self.progress.epochs / self.config.epochs, self.progress.seconds, self.config.minutes)

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "epochs": progress.epochs,
            "games": progress.games,
            "positions": progress.positions,
            "steps": progress.steps,
        }
        return Card("ezo", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        kept = self.progress.epochs % self.config.keep_epochs == 0
        numbered = {self.run.kept(self.progress.epochs).stem: self.net} if kept else {}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.net})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = {"random": self.generator.get_state(), **state.named("optimiser", self.adam.state())}
        for name, net in (("net", self.net), *((f"past{index}", net) for index, net in enumerate(self.past))):
            tensors |= state.named(name, net.state_dict())
        return tensors, asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about)
        self.net.load_state_dict(state.under(tensors, "net"))
        self.past = []
        for index in range(len(self.progress.kept)):
            self.past.append(copy.deepcopy(self.net).requires_grad_(False))
            self.past[-1].load_state_dict(state.under(tensors, f"past{index}"))
        self.adam.restore(state.under(tensors, "optimiser"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 30.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every epoch. It may be killed at any moment and gone on with."""
    return rounds(trainer, trainer.epoch, "epoch", save_seconds)
