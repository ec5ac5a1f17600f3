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
from typing import Literal

import torch
from torch import Tensor

from fingal import _core
from fingal.game import Colour, Record, Result, formats
from fingal.learn.parts import state
from fingal.learn.parts.actor import Actor, judge_for
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
from fingal.nets import checkpoint, choice
from fingal.nets.card import Card
from fingal.nets.residual import LARGE, SMALL, Config, Residual
from fingal.nets.ringed import named, plain


@dataclass(frozen=True)
class AlphaZero:
    """How to train. Times are wall-clock minutes; a run that is resumed goes on with the minutes it has left."""

    net: Config = SMALL
    """The residual net's shape."""
    architecture: Literal["residual"] | choice.Name = "residual"
    """The net: the residual one, or one of paper 003's by its name, which learns one board size and no owners."""
    width: int = 32
    """The width of a net that is chosen by its name."""
    sizes: tuple[int, ...] = (7, 9, 11, 13)
    """Board sides; each has its own pools of games."""
    shares: tuple[float, ...] = ()
    """How much of the judging each size gets; all alike when empty."""
    games: int = 2048
    """Games at once in a pool. Every size has two pools."""
    threads: int = 1
    """Threads that play."""
    full_simulations: int = 32
    """Simulations for a move that becomes a policy target."""
    cheap_simulations: int = 8
    """Simulations for the other moves."""
    cheap_noise: float = 0.0
    """How much noise the cheap searches have: with 0 they play to win, with 1 they explore as the full ones do."""
    full_share: float = 0.5
    """The share of moves searched fully."""
    cheap_positions: bool = True
    """Whether positions that were searched cheaply are learned from too: they teach the value alone."""
    proven_positions: bool = False
    """Whether positions whose winner a search, even a cheap one, proved are learned from, with the moves that win."""
    considered: int = 16
    """Moves that the root of a full search considers; a cheap one a quarter of them."""
    c_scale: float = 0.4
    """Gumbel's weight of values against the policy."""
    resign_below: float = -0.95
    """A side whose value stays below this for three moves resigns, except in a tenth of the games."""
    opening_stones: int = 4
    """Games begin with 1 to this many random stones after which the net thinks the game is even."""
    opening_spread: float = 0.35
    """How even: the standard deviation of the kept values, roughly."""
    wild_share: float = 0.0
    """The share of games that begin with many more random stones: positions that play from the start never reaches."""
    drawn_share: float = 0.0
    """The share of games that begin in the middle of one whose moves were drawn from the policy, mistakes and all."""
    replay: int = 2_000_000
    """Positions to learn from at most; the oldest go first."""
    recent: float = 0.35
    """Learn from this share of all positions so far, the newest: what a weak net played is soon left behind."""
    replay_start: int = 20_000
    """Positions to gather before learning begins."""
    batch: int = 2048
    """Positions in a step of learning."""
    reuse: float = 3.0
    """How often a position is learned from, on average."""
    learning_rate: float = 2e-3
    """AdamW's, after warming up; it falls to a twentieth in the last part of the run."""
    decay_from: float = 0.5
    """The part of the run after which the learning rate falls."""
    warm_up: int = 200
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = 1e-4
    """AdamW's, on matrices and kernels."""
    averaging: float = 0.998
    """How much of the averaged weights stays at each step; they play and are kept."""
    search_share: float = 0.25
    """How much of the value target is the search's opinion; the rest is the game's result."""
    reply_weight: float = 0.15
    """The weight of the opponent's reply in the loss."""
    owner_weight: float = 0.15
    """The weight of the cells' owners in the loss."""
    stakes_weight: float = 0.0
    """How much more positions count for the policy where much is at stake: 1 + this times (best value - mean)."""
    minutes: float = 10.0
    """How long the run takes in all."""
    steps: int = 0
    """End after so many steps of learning instead, if not 0: then nothing depends on the clock."""
    checkpoint_minutes: float = 2.0
    """How often a checkpoint is written and openings are drawn anew."""
    checkpoint_steps: int = 0
    """Write one every so many steps instead, if not 0."""
    keep_state: bool = True
    """Whether a checkpoint has the replay, the optimiser and the games too, to go on exactly where it was."""
    teacher: str = ""
    """A net, a file or a shipped net's name, perhaps of another shape, whose games are learned from at first."""
    teacher_share: float = 0.25
    """The part of the run in which the teacher plays, if there is one."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("games", "threads", "full_simulations", "cheap_simulations", "considered", "replay", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.sizes or not all(2 <= size <= 19 for size in self.sizes) or len(set(self.sizes)) < len(self.sizes):
            raise ValueError(f"sizes must be different numbers from 2 to 19, not {self.sizes}")
        if self.shares and (len(self.shares) != len(self.sizes) or min(self.shares) <= 0):
            raise ValueError(f"shares must be {len(self.sizes)} numbers above 0, one a size, not {self.shares}")
        shares = ("full_share", "search_share", "teacher_share", "wild_share", "drawn_share")
        for name in (*shares, "recent", "averaging", "decay_from"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if self.wild_share + self.drawn_share > 1:
            raise ValueError(
                f"wild_share and drawn_share must be at most 1 together, not {self.wild_share + self.drawn_share}"
            )
        if not self.minutes > 0 and self.steps < 1:
            raise ValueError(f"minutes must be more than 0, not {self.minutes}")
        if self.architecture not in (named := ("residual", *choice.NAMES)):
            raise ValueError(f"architecture must be one of {', '.join(named)}, not {self.architecture!r:.40}")
        if self.architecture != "residual":
            choice.shape(self.architecture, self.sizes[0], self.width)
            if len(self.sizes) > 1:
                raise ValueError(f"sizes must be one size for a {self.architecture} net, not {self.sizes}")

    def selfplay(self) -> _core.SelfplaySettings:
        """The core's settings."""
        search = _core.SearchSettings()
        search.gumbel = True
        search.considered = self.considered
        search.c_scale = self.c_scale
        settings = _core.SelfplaySettings()
        settings.search = search
        settings.full_simulations = self.full_simulations
        settings.cheap_simulations = self.cheap_simulations
        settings.cheap_considered = max(1, self.considered // 4)
        settings.cheap_noise = self.cheap_noise
        settings.full_share = self.full_share
        settings.cheap_positions = self.cheap_positions
        settings.proven_positions = self.proven_positions
        settings.resign_below = self.resign_below
        return settings


PRESETS = {
    "cpu-5x5": AlphaZero(
        net=Config(blocks=3, channels=32, pool_channels=8, policy_channels=16, value_channels=16, value_hidden=32),
        sizes=(5,),
        games=64,
        full_simulations=24,
        cheap_simulations=6,
        opening_stones=3,
        replay=60_000,
        replay_start=2_000,
        batch=256,
        reuse=4,
        warm_up=50,
        averaging=0.99,
        minutes=8,
        checkpoint_minutes=1,
    ),
    "gpu-small": AlphaZero(
        sizes=(5, 7, 9, 11, 13),
        shares=(0.25, 0.5, 1.0, 1.25, 1.25),
        games=1024,
        threads=16,
        full_simulations=24,
        full_share=0.6,
        considered=12,
        replay=2_000_000,
        replay_start=150_000,
        batch=4096,
        reuse=2.5,
        averaging=0.9975,
        minutes=30,
        keep_state=False,
    ),
}
"""Named settings for ``--preset``."""
PRESETS["paper-3x3"] = replace(
    PRESETS["cpu-5x5"],
    architecture="convolutional",
    sizes=(3,),
    games=20,
    full_simulations=20,
    full_share=1.0,
    opening_stones=0,
    replay_start=100,
    batch=64,
    reuse=10,
    search_share=0.0,
    steps=250,
    checkpoint_steps=50,
)
PRESETS["gpu-large"] = replace(PRESETS["gpu-small"], net=LARGE)

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
        self._sums, self._summed = dict[str, Tensor](), 0
        self._behind = self._arrived = 0
        self._load_state()
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
        self._behind += int((progress.steps - delivery.began).sum())
        self._arrived += len(delivery.games)
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
        self._summed += 1

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
        means = {name: (value / max(1, self._summed)).item() for name, value in self._sums.items()}
        self._sums, self._summed = {}, 0
        if self._arrived:
            means["staleness"] = self._behind / self._arrived
        self._behind = self._arrived = 0
        tallies = self.progress.tallies.values()
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
        """Write the net and, if kept, everything else that is needed to go on exactly here."""
        self.source.rest()
        if self.config.keep_state:
            kept, about_source = self.source.kept()
            tensors = state.named("net", self.net.state_dict()) | state.named("average", self.average.state_dict())
            tensors |= state.named("optimiser", state.of_optimiser(self.optimiser))
            tensors |= state.named("replay", self.replay.kept()) | state.named("ledger", self.ledger.kept())
            tensors |= state.named("source", kept) | {"random": self.generator.get_state()}
            about = {"progress": asdict(self.progress), "seen": self.replay.seen, "source": about_source}
            state.save(self.run.checkpoints / "state.safetensors", tensors, about)
        name = f"net-{self.progress.steps:07d}.safetensors"
        checkpoint.save(plain(self.average), self.run.checkpoints / name, self.card())
        checkpoint.save(plain(self.average), self.run.checkpoints / "latest.safetensors", self.card())
        for by, (identity, _, winner, resigned, moves) in self.finished[-8:]:
            record = Record.of(list(moves), by.size)
            record.result = Result(Colour(winner), "resign" if resigned else "")
            formats.save(record, self.run.games / f"{by.size}-{by.actor[:12]}-{by.pool}-{identity}.sgf")
        self.finished.clear()
        # A run that goes on from the file begins with this, so this one does so too.
        self.source.renew()

    def close(self) -> None:
        """End what was started elsewhere."""
        self.source.close()
        if isinstance(self.descent, Together):
            self.descent.close()

    def _load_state(self) -> None:
        found = state.load(self.run.checkpoints / "state.safetensors")
        if found is None:
            return
        tensors, about = found
        if "source" not in about or "replay.stakes" not in tensors:
            raise ValueError(
                f"{self.run.folder} was begun by an older Fingal: begin anew, with --start NET for its net"
            )
        for name, net in (("net", self.net), ("average", self.average)):
            net.load_state_dict(state.under(tensors, name))
        state.into_optimiser(self.optimiser, state.under(tensors, "optimiser"))
        self.replay.restore(state.under(tensors, "replay"), about["seen"])
        self.ledger.restore(state.under(tensors, "ledger"))
        self.source.restore(state.under(tensors, "source"), about["source"])
        self.progress = Progress(**about["progress"])
        self.progress.tallies = {actor: Tally(*tally) for actor, tally in self.progress.tallies.items()}
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    """Run to the end; gives figures every ten seconds. It may be killed at any moment and gone on with."""
    try:
        yield from _train(trainer)
    except SourceError:
        trainer.save()
        raise
    finally:
        trainer.close()


def _train(trainer: Trainer) -> Iterator[dict[str, float]]:
    config, progress = trainer.config, trainer.progress
    older = copy.deepcopy(trainer.average)
    clock = time.perf_counter()
    saved = shown = progress.seconds
    judged = progress.judgements
    while trainer.done_share() < 1:
        save = False
        if progress.owed >= config.batch:
            trainer.learn()
            save = config.checkpoint_steps > 0 and progress.steps % config.checkpoint_steps == 0
        else:
            trainer.play()
        now = time.perf_counter()
        progress.seconds += now - clock
        clock = now
        if save or (not config.checkpoint_steps and progress.seconds - saved >= 60 * config.checkpoint_minutes):
            trainer.save()
            saved = progress.seconds
            newer = copy.deepcopy(trainer.average)
            trainer.source.begin_match(Match(progress.steps, newer, older, max(config.sizes), 128))
            older = newer
        yield from _scores(trainer)
        if progress.seconds - shown >= 10:
            figures = trainer.figures()
            figures["judgements_per_s"] = (progress.judgements - judged) / (progress.seconds - shown)
            trainer.run.log(progress.steps, figures)
            yield figures
            shown, judged = progress.seconds, progress.judgements
    trainer.save()
    yield from _scores(trainer, wait=True)
    yield trainer.figures()


def _scores(trainer: Trainer, wait: bool = False) -> Iterator[dict[str, float]]:
    """Log matches that have ended."""
    for version, score in trainer.source.scores(wait):
        trainer.run.log(version, {"against_older": score})
        yield {"against_older": score}
