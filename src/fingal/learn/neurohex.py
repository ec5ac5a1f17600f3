"""NeuroHex: a net of hexagonal filters learns the value of every move, first from a mentor, then from its own games.

The mentor scores all moves of a position by electrical resistance. Then games are played by the net itself, hundreds at
once, from positions of a database; every move goes into a ring on the device, and for every move there is one update:
the value of a move that wins is 1, and that of any other the opponent's best value, negated. docs/neurohex.md has the
equations and what the paper leaves open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from fingal.learn.parts import starts, state
from fingal.learn.parts.deep_q import NEVER, Descent, QLearning
from fingal.learn.parts.kinds import check_least, check_seed, check_shares
from fingal.learn.parts.lessons import Lessons
from fingal.learn.parts.lockstep import after_moves, empty_cells
from fingal.learn.parts.mirror import random_cell
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done, time_out
from fingal.learn.parts.transitions import Moves, Transitions
from fingal.learn.parts.truth import LARGEST, Truth
from fingal.nets import checkpoint, planes, walls
from fingal.nets.card import Card
from fingal.nets.hexagonal import Border, Config, Hexagonal
from fingal.nets.walls_torch import chained, turned

PAPER_LAYERS = ((0, 48, 80), (0, 64, 64), (0, 80, 48), (0, 96, 32), (0, 112, 16), *((0, 128, 0),) * 5)
"""The paper's layers: filters of diameter 1, 3 and 5."""

SMALL_LAYERS = ((0, 12, 20), (0, 16, 16), (0, 20, 12), (0, 24, 8), (0, 28, 4), (0, 32, 0))
"""The same pattern with 32 filters in six layers, for small boards on a CPU."""


@dataclass(frozen=True)
class NeuroHex:
    """How to train."""

    size: int = 13
    """The board's side."""
    layers: tuple[tuple[int, int, int], ...] = PAPER_LAYERS
    """The net's layers: how many filters of diameter 1, 3 and 5 each has."""
    border: Border = "zero"
    """What the layers say of the walls: ``zero`` after every layer, as the authors' program has it, or ``kept``."""
    mentoring: int = 40_000
    """Steps of learning from the mentor before play; 0 for none."""
    mentor_positions: int = 200_000
    """Positions that the mentor scores for it."""
    mentor_legal: bool = False
    """Whether only the values of empty cells are learned from it, and not -1 for the others."""
    database: bool = True
    """Whether games begin from positions of a database; otherwise from the empty board."""
    file: str = ""
    """The database: a file of games, one a line, cells as 'a1 b2'. Empty for games that the mentor plays itself."""
    own_games: int = 4096
    """How many games the mentor plays where no file is given."""
    own_random: float = 0.15
    """The share of random moves in them."""
    games: int = 256
    """Games at once."""
    epsilon: float = 0.1
    """How often a move is random."""
    target: Literal["negamax", "literal"] = "negamax"
    """What a value moves towards: the opponent's best value negated or, to see it fail, as it is."""
    updates_per_transition: float = 1.0
    """Updates for every move that is played."""
    batch: int = 64
    """Moves in an update."""
    capacity: int = 100_000
    """The newest moves that are kept to learn from."""
    learning_rate: float = 1e-3
    """RMSProp's."""
    clip: float = 0.0
    """The most that a gradient's length may be; 0 for no limit."""
    target_updates: int = 0
    """Targets come from the net as it was at the last multiple of so many updates; 0 for the net as it is."""
    actor: bool = False
    """Whether a policy is learned beside the values and plays instead of them; there are no other random moves."""
    entropy: float = 0.02
    """How much the policy gains from being undecided."""
    connections: bool = False
    """Whether the net sees two more planes, found by virtual connections: cells worth trying, and a move that wins."""
    transitions: int = 3_000_000
    """Moves to play."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    row_transitions: int = 8192
    """A row of figures is kept after so many moves, or so many steps of learning from the mentor."""
    keep_rows: int = 20
    """A net is kept after so many rows."""
    graph: bool = True
    """Whether updates are captured in a CUDA graph where there is a GPU."""
    threads: int = 1
    """Threads that search connections, and torch's own on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be; lists, as JSON has them, become tuples."""
        check_least(self, 1, "mentor_positions", "own_games", "games", "batch", "transitions")
        check_least(self, 1, "row_transitions", "keep_rows", "threads")
        check_least(self, 0, "mentoring", "target_updates")
        for name in ("updates_per_transition", "learning_rate", "clip", "entropy", "minutes"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        check_shares(self, "epsilon", "own_random")
        if self.target not in ("negamax", "literal"):
            raise ValueError(f"target must be negamax or literal, not {self.target!r}")
        if self.capacity < max(self.games, self.batch):
            raise ValueError(f"capacity must be at least games and batch, not {self.capacity}")
        check_seed(self, 63)
        object.__setattr__(self, "layers", self.net.layers)

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(self.size, self.layers, border=self.border, connections=self.connections)


PRESETS = {
    "cpu-5x5": NeuroHex(
        size=5,
        layers=SMALL_LAYERS,
        mentoring=1500,
        mentor_positions=20_000,
        own_games=2000,
        games=32,
        capacity=20_000,
        transitions=20_000,
        row_transitions=512,
    ),
    "cpu-7x7": NeuroHex(
        size=7,
        layers=SMALL_LAYERS,
        mentoring=4000,
        mentor_positions=40_000,
        own_games=2000,
        games=64,
        capacity=50_000,
        transitions=200_000,
        row_transitions=1024,
    ),
    "paper-13x13": NeuroHex(minutes=60),
}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "games": "games",
    "transitions": "moves",
    "updates": "updates",
    "transitions_per_s": "moves/s",
    "agreement": "agreement with the mentor",
    "mentor_cost": "mentor's cost",
    "cost": "cost",
    "value": "|value| of best moves",
    "explored": "|value| of random moves",
    "saturation": "beyond 0.99",
    "length": "moves a game",
    "keeps_win": "keeps a win",
    "sign": "right winner",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("learning", ("cost", "mentor_cost")),
    ("values", ("value", "explored", "saturation")),
    ("against the mentor and the truth", ("agreement", "keeps_win", "sign")),
)
"""The picture's panels: titles and figures."""


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    mentored: int = 0
    games: int = 0
    transitions: int = 0
    updates: int = 0
    owed: float = 0.0
    """Updates that the moves played so far call for."""
    rows: int = 0
    seconds: float = 0.0


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: NeuroHex, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        cuda = device.type == "cuda"
        net = Hexagonal(config.net)
        if start is not None:
            checkpoint.fill(net, start)
        if cuda:
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.critic = Descent(net, device, config.learning_rate, config.clip)
        self.actor: Descent | None = None
        if config.actor:
            # Its logits are the critic's values before the squash, so it begins as what the critic likes.
            logits = Hexagonal(replace(config.net, squash="none"))
            logits.load_state_dict(net.state_dict())
            self.actor = Descent(logits, device, config.learning_rate, config.clip)
        self.ring = Transitions(config.capacity, config.net.planes, config.size, device)
        self.q = QLearning(
            self.critic,
            self.ring,
            sign=-1.0 if config.target == "negamax" else 1.0,
            actor=self.actor,
            entropy=config.entropy,
            held_still=config.target_updates > 0,
        )
        self._updates: Repeated | None = None
        self._studies: Repeated | None = None
        self._lessons: Lessons | None = None
        self._starts = self._database()
        self.boards = torch.zeros((config.games, 2, config.size, config.size), dtype=torch.bool, device=device)
        """bool [games, 2, n, n]: where the games stand, each seen by its side to move."""
        self.plies = torch.zeros(config.games, device=device)
        """[games]: how many moves each has had since its start."""
        self._sums = torch.zeros(7, device=device)
        if not run.resume(self):
            self.boards = self._begin(config.games)
        self._seen = self.see(self.boards)
        self._truth: Truth | None = None

    def see(self, boards: Tensor) -> Tensor:
        """What the net sees of boards bool [B, 2, n, n], without the walls: bool [B, planes, n, n]."""
        parts = [boards, chained(boards)]
        if self.config.connections:
            parts.append(torch.from_numpy(walls.known(boards.cpu().numpy(), self.config.threads)).to(self.device))
        return torch.cat(parts, 1)

    def _database(self) -> starts.Starts | None:
        """The games that positions come from; they depend on the seed alone."""
        config = self.config
        if not config.database and not config.mentoring:
            return None
        if config.file:
            return starts.from_file(Path(config.file), config.size, self.device)
        generator = torch.Generator(device=self.device).manual_seed(config.seed)
        return starts.by_mentor(config.size, config.own_games, config.own_random, generator)

    def _begin(self, count: int) -> Tensor:
        """Boards to begin games from."""
        if self._starts is None or not self.config.database:
            return torch.zeros((count, *self.boards.shape[1:]), dtype=torch.bool, device=self.device)
        return self._starts.draw(count, self.generator).contiguous()

    def study(self, steps: int) -> dict[str, float]:
        """Learn from the mentor, at least ``steps`` times."""
        config, progress = self.config, self.progress
        if self._lessons is None:
            assert self._starts is not None
            generator = torch.Generator(device=self.device).manual_seed(config.seed + 1)
            self._lessons = Lessons(self._starts, config.mentor_positions, self.see, generator, config.mentor_legal)
        lessons, critic = self._lessons, self.critic
        if self._studies is None:
            self._studies = self._repeated(lambda pick: lessons.learn(critic, pick), [lessons.cost, *critic.state()])
        lessons.cost.zero_()
        before, times = progress.mentored, self._studies.times
        while progress.mentored < before + steps:
            shape = (times, config.batch)
            self._studies(torch.randint(len(lessons), shape, generator=self.generator, device=self.device))
            progress.mentored += times
        if progress.mentored >= config.mentoring:
            self.q.follow()
            if self.actor is not None:
                self.actor.take(critic.numbers)
        cost = float(lessons.cost) / (progress.mentored - before)
        return {"mentor_cost": cost, "agreement": lessons.agreement(critic)}

    @torch.no_grad()
    def play(self) -> None:
        """One move in every game."""
        config, generator = self.config, self.generator
        boards, seen = self.boards, self._seen
        legal = empty_cells(boards)
        lots = torch.rand((4, len(boards)), generator=generator, device=self.device)
        values = self.critic.values(seen).masked_fill(~legal, NEVER)
        best = values.argmax(1)
        if self.actor is None:
            cell = torch.where(lots[0] < config.epsilon, random_cell(legal, lots[1]), best)
        else:
            chance = self.actor.values(seen).masked_fill(~legal, -torch.inf).softmax(1).cumsum(1)
            reached = chance > (lots[1] * chance[:, -1]).unsqueeze(1)
            cell = (reached & legal).float().argmax(1)
        value, greedy = values.gather(1, cell.unsqueeze(1)).squeeze(1).abs(), cell == best
        after = after_moves(boards, torch.arange(len(boards), device=self.device), cell)
        following = self.see(after)
        # The mover is now the opponent, who joins left and right.
        won = following[:, 4, :, -1].any(1)
        kept = torch.where((lots[2] < 0.5).view(-1, 1, 1, 1), turned(following), following)
        self.ring.add(Moves(seen, cell, won, kept))
        self.plies += 1
        length = (self.plies * won).sum()
        parts = (value * greedy, greedy, value * ~greedy, ~greedy, value > 0.99, won)
        self._sums += torch.stack([*(part.sum().float() for part in parts), length])
        new = self._begin(len(boards))
        self.boards = torch.where(won.view(-1, 1, 1, 1), new, after)
        self._seen = torch.where(won.view(-1, 1, 1, 1), self.see(new), following)
        self.plies *= ~won
        self.progress.transitions += len(boards)
        self.progress.owed += len(boards) * config.updates_per_transition

    def learn(self) -> None:
        """The updates that the moves so far call for."""
        config, progress = self.config, self.progress
        if self.ring.seen <= config.batch:
            progress.owed = 0.0
            return
        if self._updates is None:
            self._updates = self._repeated(self.q.update, self.q.state())
        times = self._updates.times
        while progress.owed >= times:
            self._updates(self.ring.draw(times, config.batch, generator=self.generator))
            before, progress.updates = progress.updates, progress.updates + times
            progress.owed -= times
            if config.target_updates and before // config.target_updates != progress.updates // config.target_updates:
                self.q.follow()

    def _repeated(self, function: Callable[[Tensor], None], kept: list[Tensor]) -> Repeated:
        graph = self.config.graph and self.device.type == "cuda"
        times = 8 if self.config.games * self.config.updates_per_transition >= 8 else 1
        return Repeated(function, times, self.config.batch, kept, graph)

    def row(self) -> dict[str, float]:
        """Go on for one row of figures."""
        config, progress = self.config, self.progress
        began, moves, updates = time.perf_counter(), progress.transitions, progress.updates
        figures: dict[str, float] = {}
        if progress.mentored < config.mentoring:
            figures |= self.study(min(config.row_transitions, config.mentoring - progress.mentored))
        else:
            self._sums.zero_()
            self.q.cost.zero_()
            late = time_out(began, progress.seconds, config.minutes)
            while progress.transitions < min(config.transitions, moves + config.row_transitions):
                self.play()
                self.learn()
                if time.perf_counter() > late:
                    break
            figures |= self._figures(progress.transitions - moves, progress.updates - updates)
        progress.rows += 1
        progress.seconds += time.perf_counter() - began
        if config.size <= LARGEST and self.keeps():
            figures |= self.measure()
        spent = time.perf_counter() - began
        figures |= {"games": progress.games, "transitions": progress.transitions, "updates": progress.updates}
        figures |= {"minutes": progress.seconds / 60, "step": progress.mentored + progress.updates}
        if progress.transitions > moves:
            figures["transitions_per_s"] = (progress.transitions - moves) / spent
        return figures

    def _figures(self, moves: int, updates: int) -> dict[str, float]:
        """The means since the last row."""
        best, greedy, other, explored, beyond, ended, length = self._sums.tolist()
        self.progress.games += int(ended)
        figures = {"cost": float(self.q.cost) / max(1, updates), "value": best / max(1, greedy)}
        figures |= {"explored": other / max(1, explored), "saturation": beyond / max(1, moves)}
        if ended:
            figures["length"] = length / ended
        return figures

    def measure(self) -> dict[str, float]:
        """What the net's best moves and values are worth on positions whose truth is known."""
        if self._truth is None:
            self._truth = Truth(self.config.size)
        boards = torch.from_numpy(planes.stones(self._truth.positions)).to(self.device)
        said = torch.cat([self.critic.values(self.see(some)) for some in torch.split(boards, 1024)])
        found = self._truth.measure(said.cpu().numpy()[np.newaxis], canonical=True)
        return {name: float(value[0]) for name, value in found.items()}

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep."""
        progress, config = self.progress, self.config
        mentored = progress.transitions == 0 and progress.mentored >= config.mentoring
        return mentored or progress.rows % config.keep_rows == 0 or self.done_share() >= 1

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        progress, config = self.progress, self.config
        steps = min(progress.mentored, config.mentoring) + progress.transitions
        return share_done(steps / (config.mentoring + config.transitions), progress.seconds, config.minutes)

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "mentoring": progress.mentored,
            "games": progress.games,
            "transitions": progress.transitions,
            "updates": progress.updates,
        }
        return Card("neurohex", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net and everything else that is needed to resume exactly here."""
        nets = {"net": self.critic.net()} | ({} if self.actor is None else {"policy": self.actor.net()})
        number = f"{self.progress.transitions:08d}"
        numbered = {f"{name}-{number}": net for name, net in nets.items()} if self.keeps() else {}
        latest = {"latest" if name == "net" else name: net for name, net in nets.items()}
        self.run.save(self, self.card(), numbered=numbered, latest=latest)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = {"random": self.generator.get_state(), "boards": self.boards, "plies": self.plies}
        for prefix, descent in (("critic", self.critic), ("actor", self.actor)):
            if descent is not None:
                tensors |= {f"{prefix}.numbers": descent.numbers, f"{prefix}.mean_square": descent.mean_square}
        if self.q.still is not None:
            tensors["still"] = self.q.still
        tensors |= state.named("ring", self.ring.state())
        return tensors, {"progress": asdict(self.progress), "seen": self.ring.seen}

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about["progress"])
        for prefix, descent in (("critic", self.critic), ("actor", self.actor)):
            if descent is not None:
                descent.take(tensors[f"{prefix}.numbers"])
                descent.mean_square.copy_(tensors[f"{prefix}.mean_square"])
        if self.q.still is not None:
            self.q.still.copy_(tensors["still"])
        self.ring.restore(state.under(tensors, "ring"), about["seen"])
        for name, tensor in (("boards", self.boards), ("plies", self.plies)):
            tensor.copy_(tensors[name])
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and resumed."""
    return rounds(trainer, trainer.row, "step", save_seconds, timed=False)
