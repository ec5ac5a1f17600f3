"""Generations of deep Q-learning: a net learns to beat a pool of its past selves, then joins it.

Every game is one of the learner against the pool, which draws another member for every reply. A generation ends when
the learner has won fifty games in a row or has had its number of games. docs/dqn.md has the equations and what the
paper leaves open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.flat_net import FlatNet
from fingal.learn.parts.kinds import check_kinds, check_least, check_seed, check_shares
from fingal.learn.parts.marks import Marks
from fingal.learn.parts.mirror import random_cell
from fingal.learn.parts.opponent_games import LOTS, FirstStone, MirrorGames, OpponentGames
from fingal.learn.parts.opponent_pool import Likeliest, Pool
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done, time_out
from fingal.learn.parts.soft_q import SoftQ, Squash, exploration, published_rate
from fingal.learn.parts.tally import Tally
from fingal.learn.parts.time_ring import TimeRing
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.choice import Name, build, shape
from fingal.nets.signed_net import Signed


@dataclass(frozen=True)
class Dqn:
    """How to train."""

    size: int = 7
    """The board's side."""
    net: Name = "convolutional"
    """The net, by its name."""
    width: int = 128
    """The width of its layers."""
    opponent: Literal["pool", "self"] = "pool"
    """Who answers: the pool, as part of the environment, or the learner itself, whose values are then negated."""
    generations: int = 50
    """Generations after the first, which is numbered 0 and meets the random player alone."""
    episodes: int = 2000
    """Games of generation 0 at most."""
    more_episodes: int = 200
    """Games that each generation may have more than the one before."""
    streak: bool = True
    """Whether a generation ends early when it has won 50 games in a row against the pool."""
    decay: float = 0.9
    """How likely a member of the pool answers, compared with the next newer one."""
    likeliest: Likeliest = "newest"
    """Which member of the pool answers most often; ``oldest`` is a mistake of the public program."""
    join_above: float = 0.5
    """A generation joins the pool if it has won more than this share of its last 50 games, in the streak's order."""
    fresh: bool = False
    """Whether each generation begins with a new net, and not with the numbers of the one before."""
    opponent_starts: float = 0.5
    """How often a game begins with a stone of the opponent's; with ``self``, with a random one."""
    first_stone: FirstStone = "random"
    """Where that is: on a random cell, or where a member of the pool puts it."""
    squash: Squash = "sigmoid"
    """What values are: ``sigmoid`` from 0 to 1, learned by cross-entropy, or ``tanh`` from -1 to 1, by squares."""
    loss_reward: float = 0.0
    """The reward of a lost game; that of a won one is 1."""
    gamma: float = 0.9
    """What a value is multiplied by for each move."""
    epsilon: float = 0.9
    """How often a generation's first move is random."""
    last_epsilon: float = 0.05
    """How often its moves are random in the end."""
    epsilon_moves: float = 1000.0
    """In how many moves of all games the difference falls by a factor of e."""
    games: int = 1
    """Games at once."""
    groups: int = 8
    """Groups of games, each of which meets one member of the pool at a time."""
    updates_per_move: float = 1.0
    """Updates for every move that the learner makes."""
    batch: int = 32
    """Moves in an update."""
    capacity: int = 10_000
    """The newest moves that are kept to learn from, at least: as many of each game that goes on at once."""
    learning_rate: float = 1e-3
    """AdamW's."""
    schedule: Literal["constant", "published"] = "constant"
    """Whether the learning rate stays, or changes with each generation's games as in the public program."""
    softness: float = 0.005
    """How far the target net goes towards the net at every update."""
    double: bool = False
    """Whether the net chooses the move that follows and the target net only values it."""
    dueling: bool = False
    """Whether the net has a value of the position and adds what each move gains over it."""
    steps: int = 1
    """Moves whose rewards count before the rest is estimated."""
    prioritised: bool = False
    """Whether moves whose values were most wrong are drawn most often."""
    moves: int = 0
    """End after so many moves at the latest, if not 0."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    row_episodes: int = 50
    """A row of figures is kept after so many games."""
    marks_episodes: int = 0
    """What its best moves are worth is also measured, with a row, after so many games, if not 0."""
    compiled: bool = False
    """Whether updates are compiled: half a minute at the start, and faster from then on."""
    graph: bool = True
    """Whether moves and updates are captured in CUDA graphs where there is a GPU."""
    threads: int = 1
    """Torch's own, on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(self, 1, "episodes", "games", "groups", "batch", "steps", "row_episodes", "threads")
        if self.size < 2:
            raise ValueError(f"size must be at least 2, not {self.size}")
        shape(self.net, self.size, self.width)
        check_least(self, 0, "generations", "more_episodes", "moves", "marks_episodes")
        for name in ("updates_per_move", "learning_rate", "minutes", "epsilon_moves"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        if self.epsilon_moves == 0:
            raise ValueError("epsilon_moves must be more than 0")
        check_shares(self, "decay", "join_above", "opponent_starts", "gamma", "epsilon", "last_epsilon", "softness")
        if self.decay == 0:
            raise ValueError("decay must be more than 0")
        for name, known in (
            ("opponent", ("pool", "self")),
            ("likeliest", ("newest", "oldest")),
            ("first_stone", ("random", "chosen")),
            ("squash", ("sigmoid", "tanh")),
            ("schedule", ("constant", "published")),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be {' or '.join(known)}, not {getattr(self, name)!r}")
        low = 0.0 if self.squash == "sigmoid" else -1.0
        if not low <= self.loss_reward < 1:
            raise ValueError(f"loss_reward must be from {low:g} to below 1 with {self.squash}, not {self.loss_reward}")
        if self.opponent == "self" and self.squash == "sigmoid":
            raise ValueError("squash must be tanh where opponent is self: a negated value would be below 0")
        if self.opponent == "self":
            for name, only in (("loss_reward", -1.0), ("first_stone", "random"), ("likeliest", "newest")):
                if getattr(self, name) != only:
                    raise ValueError(f"{name} must be {only} where opponent is self, not {getattr(self, name)}")
        if self.capacity < max(self.games, self.batch):
            raise ValueError(f"capacity must be at least games and batch, not {self.capacity}")
        check_seed(self, 63)

    def untrained(self, generation: int = 0) -> Signed:
        """A net to begin with; one for each generation, where they begin anew."""
        torch.manual_seed(self.seed + 1_000_003 * generation)
        return build(self.net, self.size, width=self.width, head="q", squash=self.squash, dueling=self.dueling)

    def limit(self, generation: int) -> int:
        """Games of a generation at most."""
        return self.episodes + self.more_episodes * generation


CORRECTED: dict[str, Any] = {"squash": "tanh", "loss_reward": -1.0, "gamma": 1.0, "opponent": "self"}
"""Settings under which a value is what the game is worth: the share of wins minus that of losses, for both sides."""

_FIVE = Dqn(size=5, width=32, generations=10, games=16, groups=4, updates_per_move=0.5)

PRESETS = {
    "cpu-5x5": _FIVE,
    "cpu-5x5-corrected": replace(_FIVE, **CORRECTED),
    "paper-5x5": Dqn(size=5, games=256, batch=256, updates_per_move=0.125, row_episodes=200),
    "paper-7x7": Dqn(games=256, batch=256, updates_per_move=0.125, row_episodes=200),
}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "generation": "generation",
    "episodes": "games",
    "moves": "moves",
    "updates": "updates",
    "moves_per_s": "moves/s",
    "win_rate": "won of the last 50",
    "length": "moves a game",
    "epsilon": "random moves",
    "cost": "cost",
    "members": "pool",
    "first_vs_random": "first against random",
    "second_vs_random": "second against random",
    "keeps_win": "keeps a win",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("games", ("win_rate", "epsilon")),
    ("moves a game", ("length",)),
    ("learning", ("cost",)),
    ("against random and the truth", ("first_vs_random", "second_vs_random", "keeps_win")),
)
"""The picture's panels: titles and figures."""


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    generation: int = 0
    episodes: int = 0
    """Games that have ended, in all generations."""
    moves: int = 0
    """The learner's."""
    updates: int = 0
    owed: float = 0.0
    """Updates that the moves played so far call for."""
    seconds: float = 0.0
    joined: list[int] = field(default_factory=list)
    """The generations in the pool."""


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Dqn, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        if device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        net = config.untrained()
        if start is not None:
            checkpoint.fill(net, start)
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.flat = FlatNet(net, device)
        with_self = config.opponent == "self"
        self.ring = TimeRing(
            config.capacity,
            config.games,
            config.size,
            device,
            discount=-config.gamma if with_self else config.gamma,
            steps=config.steps,
            prioritised=config.prioritised,
        )
        self.q = SoftQ(
            self.flat,
            self.flat.vector(net),
            self.ring,
            rate=config.learning_rate,
            softness=config.softness,
            squash=config.squash,
            double=config.double,
            compiled=config.compiled,
        )
        nets = 1 if with_self else config.generations + 1
        self.pool = Pool(self.flat, nets, config.games, config.groups, config.decay, config.likeliest)
        self.table = self._table()
        self._plies = torch.zeros(config.games, device=device)
        self._moves = torch.zeros((), device=device)
        self._outcome = torch.zeros((2, config.games), device=device)
        self._numbers = torch.arange(config.games, device=device)
        self.tally = self._tally()
        self._playing: Repeated | None = None
        self._updating: Repeated | None = None
        self.marks = Marks(config.size)
        if not run.resume(self):
            self.ring.begin(self.table.boards)

    def _table(self) -> OpponentGames | MirrorGames:
        config = self.config
        if config.opponent == "self":
            return MirrorGames(config.size, config.games, self.generator, random_starts=config.opponent_starts)
        return OpponentGames(
            config.size,
            config.games,
            self.pool.reply,
            self.generator,
            opponent_starts=config.opponent_starts,
            first_stone=config.first_stone,
        )

    def _tally(self) -> Tally:
        """One for the generation that begins here."""
        return Tally.begin(self._plies.tolist())

    @torch.no_grad()
    def play(self, lots: Tensor) -> None:
        """One move in every game, and the replies, by numbers float32 [LOTS + 2, games] in [0, 1)."""
        config, table = self.config, self.table
        legal = table.legal
        often = self._often(self._moves + self._numbers)
        cell = torch.where(lots[0] < often, random_cell(legal, lots[1]), self.q.best(table.boards, legal))
        step = table.step(cell, lots[2:])
        reward = torch.where(step.reward < 0, config.loss_reward, step.reward)
        self.ring.add(cell, reward, step.done, step.boards)
        self._moves += config.games
        self._plies += 1
        self._outcome.copy_(torch.stack((step.reward, self._plies * step.done)))
        self._plies *= ~step.done

    def play_once(self) -> None:
        """One move in every game, with fresh numbers."""
        config, progress = self.config, self.progress
        if self._playing is None:
            self._playing = self._repeated(self.play, (LOTS + 2, config.games), torch.float32, 1)
        shape = (1, LOTS + 2, config.games)
        self._playing(torch.rand(shape, generator=self.generator, device=self.device))
        progress.moves += config.games
        before = self.tally.ended
        self.tally.note(*self._outcome.cpu().numpy())
        progress.episodes += self.tally.ended - before

    def step(self) -> None:
        """One move in every game and the updates that it calls for."""
        self.play_once()
        self.progress.owed += self.config.games * self.config.updates_per_move
        self._learn()

    def beaten(self) -> bool:
        """Whether the generation has won 50 games in a row; nobody does against itself."""
        return self.config.opponent == "pool" and self.tally.beaten

    def ended(self) -> bool:
        """Whether that, or all its games, are enough."""
        early = self.config.streak and self.beaten()
        return early or self.tally.ended >= self.config.limit(self.progress.generation)

    def _learn(self) -> None:
        """The updates that the moves so far call for."""
        config, progress = self.config, self.progress
        if progress.moves <= max(config.batch, config.games * config.steps):
            progress.owed = 0.0
            return
        if config.schedule == "published":
            self.q.optimiser.rate.fill_(published_rate(config.learning_rate, self.tally.ended))
        if self._updating is None:
            times = 8 if config.games * config.updates_per_move >= 8 else 1
            self._updating = self._repeated(self.q.update, (config.batch,), torch.float64, times)
        times = self._updating.times
        while progress.owed >= times:
            shape = (times, config.batch)
            self._updating(torch.rand(shape, generator=self.generator, device=self.device, dtype=torch.float64))
            progress.updates += times
            progress.owed -= times

    def _repeated(
        self, function: Callable[[Tensor], None], shape: tuple[int, ...], dtype: torch.dtype, times: int
    ) -> Repeated:
        graph = self.config.graph and self.device.type == "cuda"
        return Repeated(function, times, shape, [*self.changing().values(), self.q.cost], graph, dtype)

    def changing(self) -> dict[str, Tensor]:
        """All tensors that play and learning change, but the pool's."""
        kept = {"plies": self._plies, "moves": self._moves, "outcome": self._outcome}
        for prefix, part in (("table", self.table), ("ring", self.ring), ("q", self.q)):
            kept |= state.named(prefix, part.state())
        return kept

    def row(self) -> dict[str, float]:
        """Go on for one row of figures."""
        config, progress = self.config, self.progress
        began, before = time.perf_counter(), replace(progress)
        late = time_out(began, progress.seconds, config.minutes)
        self.q.cost.zero_()
        last = False
        while not (last or self.ended()) and progress.episodes < before.episodes + config.row_episodes:
            self.step()
            last = time.perf_counter() > late or 0 < config.moves <= progress.moves
        figures = {
            "generation": progress.generation,
            "episode": self.tally.ended,
            "episodes": progress.episodes,
            "moves": progress.moves,
            "updates": progress.updates,
            "members": self.pool.members,
            "cost": float(self.q.cost) / max(1, progress.updates - before.updates),
            "epsilon": float(self._often(self._moves)),
        }
        if config.opponent == "pool":
            figures["win_rate"] = self.tally.share()
        if (length := self.tally.length()) is not None:
            figures["length"] = length
        if self.ended():
            figures |= {"generation_episodes": self.tally.ended, "streak": float(self.beaten())}
            figures |= self._close()
        elif last or self._due(progress.episodes - before.episodes):
            figures |= self.marks(self.q.values, self.device)
        spent = time.perf_counter() - began
        progress.seconds += spent
        figures |= {"minutes": progress.seconds / 60, "moves_per_s": (progress.moves - before.moves) / spent}
        return figures

    def _due(self, episodes: int) -> bool:
        """Whether the best moves are to be measured after a row of so many games."""
        every = self.config.marks_episodes
        return every > 0 and self.progress.episodes % every < episodes

    def _often(self, move: Tensor) -> Tensor:
        config = self.config
        return exploration(move, config.epsilon, config.last_epsilon, config.epsilon_moves)

    def _close(self) -> dict[str, float]:
        """End a generation: keep its net, let it join the pool, and begin the next."""
        config, progress = self.config, self.progress
        figures = self.marks(self.q.values, self.device)
        net = self.flat.net(self.q.numbers)
        checkpoint.save(net, self._file(progress.generation), self.card())
        joins = config.opponent == "pool" and self.tally.share() > config.join_above
        if joins and progress.generation < config.generations:
            self.pool.add(self.q.numbers)
            progress.joined.append(progress.generation)
        progress.generation += 1
        self.tally = self._tally()
        if progress.generation <= config.generations:
            self._moves.zero_()
            again = self.flat.vector(config.untrained(progress.generation)) if config.fresh else None
            self.q.begin(again)
        return figures

    def _file(self, generation: int) -> Path:
        return self.run.checkpoints / f"generation-{generation:02d}.safetensors"

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        progress, config = self.progress, self.config
        within = min(1.0, self.tally.ended / config.limit(progress.generation))
        share = (progress.generation + within) / (config.generations + 1)
        if config.moves:
            share = max(share, progress.moves / config.moves)
        return share_done(share, progress.seconds, config.minutes)

    def card(self) -> Card:
        """What the net's file says of it."""
        progress, config = self.progress, self.config
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "generation": progress.generation,
            "games": progress.episodes,
            "moves": progress.moves,
            "updates": progress.updates,
        }
        return Card(f"dqn-{config.net}", {}, sizes=(f"{config.size}x{config.size}",), cost=cost)

    def keeps(self) -> bool:
        """Whether a generation has just ended, or the run."""
        return self.tally.ended == 0 or self.done_share() >= 1

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        self.run.save(self, self.card(), latest={"latest": self.flat.net(self.q.numbers)})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        about = {"progress": asdict(self.progress), "tally": asdict(self.tally)}
        return self.changing() | {"random": self.generator.get_state()}, about

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress, self.tally = Progress(**about["progress"]), Tally(**about["tally"])
        for name, part in (("table", self.table), ("ring", self.ring)):
            part.restore(state.under(tensors, name))
        for name, tensor in self.changing().items():
            if name.partition(".")[0] not in ("table", "ring"):
                tensor.copy_(tensors[name])
        for generation in self.progress.joined:
            net = self.config.untrained()
            checkpoint.fill(net, self._file(generation))
            self.pool.add(self.flat.vector(net))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and resumed."""
    return rounds(trainer, trainer.row, "episodes", save_seconds, timed=False)
