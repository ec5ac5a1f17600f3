"""AlphaZero for Hex: a net plays itself with tree search and learns what the search found.

Gumbel search (Danihelka et al. 2022) chooses the moves, so that few simulations suffice; some moves are searched
fully and become policy targets, the others cheaply (playout cap randomisation, Wu 2019). Games begin with stones after
which the net thinks the position is even. One net learns every board size at once.
"""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fingal.game import Colour, Record, Result, formats
from fingal.learn.parts import state
from fingal.learn.parts.actor import Actor, judge_for
from fingal.learn.parts.alphazero_settings import PRESETS, AlphaZero
from fingal.learn.parts.delivery import Delivery, Net, Tally
from fingal.learn.parts.ledger import Ledger
from fingal.learn.parts.openings import Openings
from fingal.learn.parts.replay import Replay
from fingal.learn.parts.run import Run, minutes_on
from fingal.learn.parts.search_descent import Descent, Settings, follow, pace
from fingal.learn.parts.selfplay import DevicePool, Game
from fingal.learn.parts.source import Match, SourceError
from fingal.learn.parts.spread import Spread
from fingal.learn.parts.together import Together
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.residual import Residual
from fingal.nets.ringed import named, plain

__all__ = ["HERE", "PANELS", "PRESETS", "SHOWN", "AlphaZero", "Progress", "Trainer", "new_actor", "train"]

HERE = Spread()
"""One process plays and learns."""

SHOWN = {
    "minutes": "minutes",
    "games": "games",
    "positions": "positions",
    "judgements_per_s": "judgements/s",
    "policy": "policy loss",
    "value": "value loss",
    "owner": "owner loss",
    "learning_rate": "learning rate",
    "actors": "actors",
    "staleness": "steps behind",
    "against_older": "won against older self",
    "wrong_resignations": "wrong resignations",
}
"""The figures to show, and what they are called."""

PANELS = (
    ("losses", ("policy", "value", "owner")),
    ("speed", ("judgements_per_s",)),
    ("strength", ("against_older",)),
)
"""The picture's panels: titles and figures."""


@dataclass
class LastRow:
    """The last row of figures, and what has happened since."""

    following: int = 0
    """The step after the row's own."""
    seconds: float = 0.0
    """What the run had taken then."""
    judgements: int = 0
    """By all actors, until then."""
    steps: int = 0
    """Steps of learning since then."""
    arrived: int = 0
    """Games since then that are learned from."""
    behind: int = 0
    """How many steps the weights of these games were behind, in all."""


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    steps: int = 0
    delivered: int = 0
    """Games that came, those that came again included."""
    games: int = 0
    """Games that are learned from."""
    positions: int = 0
    seconds: float = 0.0
    owed: float = 0.0
    """Positions to learn from before more are gathered."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """By actor."""

    @property
    def duplicates(self) -> int:
        """Games that came again and were refused."""
        return self.delivered - self.games

    @property
    def judgements(self) -> int:
        """By all actors."""
        return sum(tally.judgements for tally in self.tallies.values())


def new_actor(config: AlphaZero, net: Net, device: torch.device, seed: int) -> Actor:
    """Somebody who plays as the settings say, under a name that nobody had before; weights for it come later."""
    judge, settings = judge_for(net, device), config.selfplay()
    pools = [
        DevicePool(size, config.games, settings, 1000 * seed + 2 * size + twin, config.threads, judge)
        for twin in (0, 1)
        for size in config.sizes
    ]
    openings = Openings(config.opening_stones, config.opening_spread, config.wild_share, config.drawn_share)
    generator = torch.Generator().manual_seed(seed)
    return Actor(uuid.uuid4().hex, pools, judge, config.shares or (1.0,), openings, generator)


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(
        self, config: AlphaZero, run: Run, device: torch.device, start: Path | None = None, spread: Spread = HERE
    ) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        spread.check_learners(config.batch, config.architecture, device)
        self.config, self.run, self.device = config, run, device
        cuda = device.type == "cuda"
        torch.manual_seed(config.seed)
        if cuda:
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        name = config.architecture
        net = Residual(config.net) if name == "residual" else named(name, config.sizes[0], config.width)
        if start is not None:
            checkpoint.fill(plain(net), start)
        self.net = net.train().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average: Net = copy.deepcopy(self.net).eval().requires_grad_(False)
        weights = (config.weight_decay, config.reply_weight, config.owner_weight, config.stakes_weight)
        settings = Settings(max(config.sizes), *weights)
        descent = Descent(self.net, device, settings)
        self.optimiser = descent.optimiser
        self.progress, self.ledger = Progress(), Ledger()
        self.teacher = checkpoint.load(checkpoint.find(config.teacher))[0].to(device) if config.teacher else None
        self.source = spread.source(partial(new_actor, config), self.newest, device, config.seed, config.threads)
        self.replay = Replay(config.replay, max(config.sizes), device)
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.finished: list[tuple[Delivery, Game]] = []
        self.matches: dict[int, Match] = {}
        """Matches that have begun and have no score yet, by the first net's version."""
        self.last = LastRow()
        self._sums = dict[str, Tensor]()
        run.resume(self)
        # Others begin from what the first one has, so it must have loaded its state.
        self.descent = Together(descent, spread.learners) if spread.learners > 1 else descent
        self.source.renew()

    def player(self) -> Net:
        """The net that plays: the teacher, if there is one, and later the net that learns, its weights averaged."""
        if self.teacher is not None and self.done_share() < self.config.teacher_share:
            return self.teacher
        return self.average

    def newest(self) -> tuple[int, Net]:
        """The net that plays, and its version: the steps that made it."""
        return self.progress.steps, self.player()

    def play(self) -> None:
        """Take in games that have finished, and play on."""
        for delivery in self.source.deliveries():
            self.take(delivery)
        if self.replay.seen < self.config.replay_start:
            self.progress.owed = 0.0
        del self.finished[:-64]

    def take(self, delivery: Delivery) -> None:
        """Take the positions of games that have not come before into the replay."""
        progress, actor = self.progress, delivery.actor
        new = self.ledger.take(actor, delivery.pool, delivery.slots, [identity for identity, *_ in delivery.games])
        progress.tallies[actor] = max(progress.tallies.get(actor, Tally()), delivery.tally)
        progress.delivered += len(new)
        delivery = delivery.only(new)
        added = self.replay.add(delivery.samples, delivery.size, self.config.search_share)
        progress.games += len(delivery.games)
        progress.positions += added
        progress.owed += added * self.config.reuse
        self.last.behind += int((progress.steps - delivery.began).sum())
        self.last.arrived += len(delivery.games)
        played = replace(delivery, games=[], samples={})
        self.finished.extend((played, game) for game in delivery.games)

    def learn(self) -> None:
        """One step of learning."""
        config, progress = self.config, self.progress
        newest = max(config.replay_start, int(config.recent * self.replay.seen))
        parts = self.descent.step(*self.replay.draw(config.batch, self.generator, newest), self.learning_rate())
        progress.steps += 1
        progress.owed -= config.batch
        follow(self.average, self.net, config.averaging, progress.steps)
        for name, value in parts.items():
            self._sums[name] = self._sums.get(name, torch.zeros((), device=self.device)) + value.detach()
        self.last.steps += 1

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        if self.config.steps:
            return min(1.0, self.progress.steps / self.config.steps)
        return min(1.0, self.progress.seconds / (60 * self.config.minutes))

    def learning_rate(self) -> float:
        """For the next step."""
        config = self.config
        return pace(config.learning_rate, self.progress.steps, config.warm_up, self.done_share(), config.decay_from)

    def figures(self) -> dict[str, float]:
        """The means since the last call."""
        last, progress = self.last, self.progress
        means = {name: (value / max(1, last.steps)).item() for name, value in self._sums.items()}
        if last.arrived:
            means["staleness"] = last.behind / last.arrived
        self._sums, self.last = {}, LastRow(last.following, progress.seconds, progress.judgements)
        tallies = progress.tallies.values()
        resigned = sum(tally.resignations for tally in tallies)
        return means | {
            "games": self.progress.games,
            "delivered": self.progress.delivered,
            "duplicates": self.progress.duplicates,
            "positions": self.progress.positions,
            "judgements": self.progress.judgements,
            "minutes": self.progress.seconds / 60,
            "learning_rate": self.learning_rate(),
            "wrong_resignations": sum(tally.wrong for tally in tallies) / resigned if resigned else 0.0,
            "replay": len(self.replay),
            **self.source.figures(),
        }

    def card(self) -> Card:
        """What the net's file says of it."""
        cost: dict[str, float | str] = {
            **minutes_on(self.device, self.progress.seconds),
            "games": self.progress.games,
            "positions": self.progress.positions,
            "judgements": self.progress.judgements,
            "steps": self.progress.steps,
        }
        return Card("alphazero", {}, sizes=tuple(f"{s}x{s}" for s in self.config.sizes), cost=cost)

    def save(self) -> None:
        """Write the net and, if kept, everything else that is needed to resume exactly here."""
        self.source.rest()
        games = []
        for by, (identity, _, winner, resigned, moves) in self.finished[-8:]:
            record = Record.of(list(moves), by.size)
            record.result = Result(Colour(winner), "resign" if resigned else "")
            games.append((f"{by.size}-{by.actor[:12]}-{by.pool}-{identity}", formats.write(record) + "\n"))
        self.finished.clear()
        net, card = plain(self.average), self.card()
        numbered = {f"net-{self.progress.steps:07d}": net}
        learner = self if self.config.keep_state else None
        self.run.save(learner, card, numbered=numbered, latest={"latest": net}, games=games)
        # A run that resumes from the file begins with this, so this one does so too.
        self.source.renew()

    def begin_match(self, match: Match) -> None:
        """Have a match played; its score comes with ``scores``, after a kill too."""
        self.matches[match.version] = match
        self.source.begin_match(match)

    def scores(self, wait: bool = False) -> list[dict[str, float]]:
        """Log matches that have ended, with ``wait`` all that have begun; gives their figures."""
        rows = []
        for version, score in self.source.scores(wait):
            self.matches.pop(version, None)  # two checkpoints without a step between them have one version
            rows.append({"against_older": score})
            self.run.log(version, rows[-1])
        return rows

    def close(self) -> None:
        """End what was started elsewhere."""
        self.source.close()
        if isinstance(self.descent, Together):
            self.descent.close()

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        kept, about_source = self.source.kept()
        tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
        tensors |= state.named("optimiser", state.of_optimiser(self.optimiser))
        tensors |= state.named("replay", self.replay.kept()) | state.named("ledger", self.ledger.kept())
        tensors |= state.named("source", kept) | {"random": self.generator.get_state()}
        tensors |= state.named("sums", self._sums)
        for version, match in self.matches.items():
            for name, net in (("first", match.first), ("second", match.second)):
                tensors |= state.named(f"match.{version}.{name}", net.state_dict())
        about = {"progress": asdict(self.progress), "last": asdict(self.last), "seen": self.replay.seen}
        matches = {str(version): [match.size, match.games] for version, match in self.matches.items()}
        return tensors, about | {"source": about_source, "matches": matches}

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.optimiser, state.under(tensors, "optimiser"))
        self.replay.restore(state.under(tensors, "replay"), about["seen"])
        self.ledger.restore(state.under(tensors, "ledger"))
        self.source.restore(state.under(tensors, "source"), about["source"])
        self.progress, self.last = Progress(**about["progress"]), LastRow(**about["last"])
        self.progress.tallies = {actor: Tally(*map(int, tally)) for actor, tally in self.progress.tallies.items()}
        self._sums = {name: value.to(self.device) for name, value in state.under(tensors, "sums").items()}
        state.set_random(self.generator, tensors["random"])
        for version, (size, games) in about["matches"].items():
            nets = []
            for name in ("first", "second"):
                nets.append(copy.deepcopy(self.average))
                nets[-1].load_state_dict(state.under(tensors, f"match.{version}.{name}"))
            self.begin_match(Match(int(version), nets[0], nets[1], size, games))


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    """Run to the end; gives figures every ten seconds and at the end.

    It may be killed at any moment and gone on with, if it keeps its state.
    """
    try:
        yield from _train(trainer)
    except SourceError:
        trainer.save()
        raise
    finally:
        trainer.close()


def _train(trainer: Trainer) -> Iterator[dict[str, float]]:
    config, progress = trainer.config, trainer.progress
    trainer.run.begin()
    older = copy.deepcopy(trainer.average)
    clock = time.perf_counter()
    saved = progress.seconds
    while trainer.done_share() < 1:
        save = False
        if progress.owed >= config.batch:
            trainer.learn()
            save = config.checkpoint_every > 0 and progress.steps % config.checkpoint_every == 0
        else:
            trainer.play()
        now = time.perf_counter()
        progress.seconds += now - clock
        clock = now
        save |= not config.checkpoint_every and progress.seconds - saved >= 60 * config.checkpoint_minutes
        if save:
            newer = copy.deepcopy(trainer.average)
            trainer.begin_match(Match(progress.steps, newer, older, max(config.sizes), 128))
            older = newer
        # All rows come before the checkpoint, which knows how many there are; the last checkpoint is after the loop.
        rows = trainer.scores()
        if progress.seconds - trainer.last.seconds >= 10:
            rows.append(_row(trainer))
        if save and trainer.done_share() < 1:
            trainer.save()
            saved = progress.seconds
        yield from rows
    yield from trainer.scores(wait=True)
    # A run that had ended before, and a step whose row is written, have nothing to add.
    row = progress.seconds > trainer.last.seconds and progress.steps >= trainer.last.following
    figures = _row(trainer) if row else trainer.figures()
    trainer.save()
    yield figures


def _row(trainer: Trainer) -> dict[str, float]:
    """Log a row of figures."""
    last, progress = trainer.last, trainer.progress
    seconds, judgements = progress.seconds - last.seconds, progress.judgements - last.judgements
    figures = trainer.figures() | {"judgements_per_s": judgements / seconds}
    trainer.last.following = progress.steps + 1
    trainer.run.log(progress.steps, figures)
    return figures
