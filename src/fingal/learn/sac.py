"""Discrete soft actor-critic: a policy that gains from being undecided, two critics, and a temperature.

Games go on at once against an opponent who answers inside the environment: random moves, the policy itself, or one of
its past selves. Every move goes into a ring, from which batches are drawn. Three settings repeat mistakes of a public
program, to show what each of them does. docs/sac.md has the equations by number.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from fingal.learn.parts import state
from fingal.learn.parts.adam import Adam
from fingal.learn.parts.kinds import MOST_GAMES, check_kinds, check_least, check_most, check_seed, check_shares
from fingal.learn.parts.marks import Marks
from fingal.learn.parts.opponent_games import LOTS, OpponentGames, legal_cells
from fingal.learn.parts.policy import log_chances, sampled
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.rival import KINDS, Kind, Rival
from fingal.learn.parts.rounds import rounds
from fingal.learn.parts.run import Run, minutes_on, share_done, time_out
from fingal.learn.parts.soft_q import target
from fingal.learn.parts.time_ring import TimeRing
from fingal.nets import checkpoint, choice
from fingal.nets.card import Card


@dataclass(frozen=True)
class SAC:
    """How to train."""

    size: int = 7
    """The board's side."""
    net: choice.Name = "convolutional"
    """The architecture of the policy and of both critics."""
    width: int | None = None
    """How wide its layers are; None for the paper's width."""
    opponent: Kind = "self"
    """Who answers: random moves, the policy as it is, or a net of those that were kept, drawn for every row."""
    games: int = 64
    """Games at once."""
    moves: int = 400_000
    """Own moves to play, at most."""
    minutes: float = 0.0
    """End after so many minutes at the latest, if not 0."""
    capacity: int = 51_200
    """The newest moves that are kept to learn from."""
    warm_up: int = 1024
    """Moves before the first update."""
    updates: int = 4
    """Updates after every move of all games."""
    batch: int = 256
    """Moves in an update."""
    learning_rate: float = 5e-4
    """Adam's, of the policy, the critics and the temperature's logarithm."""
    discount: float = 0.95
    """Gamma: what a win one own move later is worth."""
    target_rate: float = 0.01
    """Tau: how far the targets' critics follow with every update."""
    loss_reward: float = -1.0
    """What a lost game gives; a won one gives 1. The paper's is 0."""
    temperature: float = 0.2
    """What a nat of entropy is worth at the beginning."""
    entropy_share: float = 0.3
    """The entropy aimed at, as a share of the most that is possible."""
    normalise: Literal["row", "batch"] = "row"
    """Over what a policy's chances add up to 1 in updates: a position's legal cells or, by mistake, a whole batch's."""
    entropy_target: Literal["legal", "board"] = "legal"
    """What is taken for the most that is possible: log of the number of legal cells or, by mistake, of all cells."""
    critics: Literal["linear", "sigmoid"] = "linear"
    """What a critic's values are: any number or, by mistake, from 0 to 1."""
    row_moves: int = 4096
    """A row of figures is kept after so many moves."""
    keep_rows: int = 10
    """A net is kept after so many rows."""
    exam_rows: int = 2
    """The policy's likeliest moves are measured after so many rows, and in the end; 0 for never."""
    graph: bool = True
    """Whether moves and updates are captured in CUDA graphs where there is a GPU."""
    threads: int = 1
    """Torch's own on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(
            self, 1, "games", "moves", "capacity", "warm_up", "updates", "batch", "row_moves", "keep_rows", "threads"
        )
        check_most(self, MOST_GAMES, "games")
        for name in ("minutes", "learning_rate", "exam_rows"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        check_shares(self, "discount", "target_rate", "entropy_share")
        if self.warm_up > self.moves:
            raise ValueError(
                f"warm_up must be at most moves = {self.moves}, not {self.warm_up}: nothing would be learned"
            )
        if not -1 <= self.loss_reward <= 0:
            raise ValueError(f"loss_reward must be from -1 to 0, not {self.loss_reward}")
        if not 0 < self.temperature < math.inf:
            raise ValueError(f"temperature must be above 0, not {self.temperature}")
        for name, known in (
            ("opponent", KINDS),
            ("normalise", ("row", "batch")),
            ("entropy_target", ("legal", "board")),
            ("critics", ("linear", "sigmoid")),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        check_seed(self, 31)
        if self.size < 2:
            raise ValueError(f"size must be at least 2, not {self.size}: on 1x1 the first stone ends the game")
        choice.shape(self.net, self.size, self.width)  # its own refusals


PRESETS = {
    "cpu-5x5": SAC(
        size=5,
        net="feed-forward",
        games=32,
        moves=65_536,
        capacity=25_600,
        batch=128,
        learning_rate=1e-3,
        entropy_share=0.2,
    ),
    "cpu-7x7": SAC(
        size=7,
        net="convolutional-edges",
        width=16,
        games=32,
        moves=131_072,
        capacity=25_600,
        batch=128,
        learning_rate=1e-3,
    ),
}
"""Named settings for ``--preset``."""

SHOWN = {
    "minutes": "minutes",
    "games": "games",
    "moves": "moves",
    "updates": "updates",
    "moves_per_s": "moves/s",
    "won": "won games",
    "length": "own moves a game",
    "entropy": "entropy",
    "entropy_aim": "entropy aimed at",
    "temperature": "temperature",
    "critic_loss": "critics' loss",
    "value": "soft value",
    "first_vs_random": "first against random",
    "second_vs_random": "second against random",
    "keeps_win": "wins kept",
}
"""What the live table shows, with its titles."""

PANELS = (
    ("games", ("won", "first_vs_random", "second_vs_random", "keeps_win")),
    ("policy", ("entropy", "entropy_aim", "temperature")),
    ("critics", ("critic_loss", "value")),
)
"""The picture's panels: titles and figures."""


def chances_by_row(logits: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
    """Equation (1): the policy over each position's legal cells and its logarithm, [B, cells]; both 0 elsewhere."""
    log_policy = log_chances(logits, legal)
    return log_policy.exp(), log_policy.masked_fill(~legal, 0.0)


def chances_by_batch(logits: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
    """The first mistake: chances that add up to 1 over the whole batch, so that a position's add up to about 1 / B."""
    chances = logits.softmax(1) * legal
    chances = chances / chances.sum()
    return chances, (chances + 1e-8).log()


def soft_value(chances: Tensor, log_policy: Tensor, values: Tensor, temperature: Tensor) -> Tensor:
    """Equation (2): what a position is worth, the entropy's share included, [B] of [B, cells]."""
    return (chances * (values - temperature * log_policy)).sum(1)


def policy_loss(chances: Tensor, log_policy: Tensor, values: Tensor, temperature: Tensor) -> Tensor:
    """Equation (5): the mean of equation (2), negated."""
    return -soft_value(chances, log_policy, values, temperature).mean()


def temperature_loss(entropy: Tensor, aim: Tensor, temperature: Tensor) -> Tensor:
    """Equation (6): the temperature falls while policies are less decided than the aim says, both [B]."""
    return (temperature * (entropy - aim)).mean()


def entropy_aim(legal: Tensor, share: float, of: Literal["legal", "board"]) -> Tensor:
    """Equation (7): a share of the highest entropy that there is over legal cells or, by mistake, over all: [B]."""
    cells = legal.sum(1).float() if of == "legal" else torch.full_like(legal[:, 0], legal.shape[1], dtype=torch.float32)
    return share * cells.log()


@dataclass
class Progress:
    """How far a run has come; all of it is in a checkpoint."""

    rows: int = 0
    games: int = 0
    moves: int = 0
    updates: int = 0
    seconds: float = 0.0


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: SAC, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a policy to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        self.actor = choice.build(config.net, config.size, width=config.width, head="policy")
        critics = [choice.build(config.net, config.size, width=config.width) for _ in range(2)]
        if start is not None:
            checkpoint.fill(self.actor, start)
        self.actor.to(device)
        self.rival = Rival(config.opponent, self.actor)
        self.critics = nn.ModuleList(critics).to(device)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_temperature = nn.ParameterList([torch.tensor(math.log(config.temperature))]).to(device)
        learned = {"actor": self.actor, "critics": self.critics, "temperature": self.log_temperature}
        self.adams = {name: Adam(net, config.learning_rate, device) for name, net in learned.items()}
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self.games = OpponentGames(config.size, config.games, self.rival.reply, self.generator)
        self.ring = TimeRing(config.capacity, config.games, config.size, device, discount=config.discount)
        self._ended, self._learned = torch.zeros(2, device=device), torch.zeros(5, device=device)
        self.marks = Marks(config.size)
        if not run.resume(self):
            self.ring.begin(self.games.boards)
            self.save()
        # Adam's memory is another after it was loaded, so graphs are captured now.
        graph = config.graph and device.type == "cuda"
        changing = [self._ended, *self.games.state().values(), *self.ring.state().values()]
        self._moves = Repeated(self._move, 1, (LOTS + 1, config.games), changing, graph, torch.float32)
        changing = [self._learned, *self.targets.parameters()]
        changing += [tensor for adam in self.adams.values() for tensor in adam.changing()]
        self._updates = Repeated(self._update, config.updates, config.batch, changing, graph, torch.float64)

    @torch.no_grad()
    def _move(self, lots: Tensor) -> None:
        """One move in every game, by numbers in [0, 1): one for the policy, and those that the games need."""
        boards, legal = self.games.boards.float(), self.games.legal
        cell = sampled(self.actor(boards), legal, lots[0])
        step = self.games.step(cell, lots[1:])
        reward = torch.where(step.reward < 0, self.config.loss_reward, step.reward)
        self.ring.add(cell, reward, step.done, step.boards)
        self._ended += torch.stack((step.done.sum(), (step.reward > 0).sum()))

    def _chances(self, boards: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """The policy in updates, and its logarithm, each [B, cells]."""
        by = chances_by_row if self.config.normalise == "row" else chances_by_batch
        return by(self.actor(boards), legal)

    def _values(self, critics: nn.ModuleList, boards: Tensor) -> Tensor:
        """What both critics say of every cell, [2, B, cells]."""
        said = torch.stack([critic(boards) for critic in critics])
        return said.sigmoid() if self.config.critics == "sigmoid" else said

    def _update(self, lots: Tensor) -> None:
        """One step of the critics, the policy and the temperature, by moves that numbers float64 [batch] draw."""
        config, moves = self.config, self.ring.draw(lots)
        boards, following = moves.boards.float(), moves.following.float()
        legal, temperature = legal_cells(boards), self.log_temperature[0].exp()
        with torch.no_grad():
            least = self._values(self.targets, following).amin(0)
            value = soft_value(*self._chances(following, legal_cells(following)), least, temperature)
            aim = target(moves.gained, moves.carried, value)
        cell = moves.cell.expand(2, -1).unsqueeze(2)
        said = self._values(self.critics, boards).gather(2, cell).squeeze(2)
        wrong = (said - aim).square().mean(1).sum()
        self.adams["critics"].step(wrong)
        with torch.no_grad():
            least = self._values(self.critics, boards).amin(0)
        chances, log_policy = self._chances(boards, legal)
        self.adams["actor"].step(policy_loss(chances, log_policy, least, temperature.detach()))
        with torch.no_grad():
            entropy = -(chances * log_policy).sum(1)
            goal = entropy_aim(legal, config.entropy_share, config.entropy_target)
        self.adams["temperature"].step(temperature_loss(entropy, goal, temperature))
        with torch.no_grad():
            pairs = zip(self.targets.parameters(), self.critics.parameters(), strict=True)
            for followed, critic in pairs:
                followed.lerp_(critic, config.target_rate)
            means = (entropy.mean(), goal.mean(), temperature.detach(), wrong.detach() / 2, value.mean())
            self._learned += torch.stack(means)

    def row(self) -> dict[str, float]:
        """Go on for one row of figures."""
        config, progress = self.config, self.progress
        began, moves, updates = time.perf_counter(), progress.moves, progress.updates
        kept = range(0, progress.rows + 1, config.keep_rows)
        self.rival.change([self.run.kept(row) for row in kept], self.generator)
        self._ended.zero_()
        self._learned.zero_()
        late = time_out(began, progress.seconds, config.minutes)
        while progress.moves < min(config.moves, moves + config.row_moves) and time.perf_counter() <= late:
            self.play()
        ended, won = (int(count) for count in self._ended.tolist())
        progress.rows += 1
        progress.games += ended
        figures: dict[str, float] = {"row": progress.rows, "games": progress.games}
        figures |= {"moves": progress.moves, "updates": progress.updates}
        if ended:
            figures |= {"won": won / ended, "length": (progress.moves - moves) / ended}
        if progress.updates > updates:
            means = (self._learned / (progress.updates - updates)).tolist()
            figures |= zip(("entropy", "entropy_aim", "temperature", "critic_loss", "value"), means, strict=True)
        now = time.perf_counter()
        figures["moves_per_s"] = (progress.moves - moves) / (now - began)
        last = self.done_share() >= 1 or now > late
        if config.exam_rows and (last or progress.rows % config.exam_rows == 0):
            figures |= self.marks(self.actor, self.device)
        return figures

    def play(self) -> None:
        """One move in every game and, when there are enough, the updates that go with it."""
        config, progress = self.config, self.progress
        self._moves(torch.rand((1, LOTS + 1, config.games), generator=self.generator, device=self.device))
        progress.moves += config.games
        if progress.moves >= config.warm_up:
            shape = (config.updates, config.batch)
            self._updates(torch.rand(shape, generator=self.generator, device=self.device, dtype=torch.float64))
            progress.updates += config.updates

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        return share_done(self.progress.moves / self.config.moves, self.progress.seconds, self.config.minutes)

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep."""
        return self.progress.rows % self.config.keep_rows == 0 or self.done_share() >= 1

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        cost: dict[str, float | str] = {
            **minutes_on(self.device, progress.seconds),
            "games": progress.games,
            "moves": progress.moves,
            "updates": progress.updates,
        }
        return Card("sac", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the policy and everything else that is needed to resume exactly here."""
        numbered = {self.run.kept(self.progress.rows).stem: self.actor} if self.keeps() else {}
        self.run.save(self, self.card(), numbered=numbered, latest={"latest": self.actor})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As ``Resumable`` has it."""
        tensors = {"random": self.generator.get_state()}
        for name, part in self._parts().items():
            tensors |= state.named(name, part)
        return tensors, asdict(self.progress)

    def _parts(self) -> dict[str, dict[str, Tensor]]:
        """What is saved beside random numbers, by name."""
        nets = {"actor": self.actor, "critics": self.critics, "targets": self.targets, "heat": self.log_temperature}
        found: dict[str, dict[str, Tensor]] = {name: net.state_dict() for name, net in nets.items()}
        found |= {f"adam-{name}": adam.state() for name, adam in self.adams.items()}
        return found | {"games": self.games.state(), "ring": self.ring.state()}

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """As ``Resumable`` has it."""
        self.progress = Progress(**about)
        self.actor.load_state_dict(state.under(tensors, "actor"))
        self.critics.load_state_dict(state.under(tensors, "critics"))
        self.targets.load_state_dict(state.under(tensors, "targets"))
        self.log_temperature.load_state_dict(state.under(tensors, "heat"))
        for name, adam in self.adams.items():
            adam.restore(state.under(tensors, f"adam-{name}"))
        self.games.restore(state.under(tensors, "games"))
        self.ring.restore(state.under(tensors, "ring"))
        state.set_random(self.generator, tensors["random"])


def train(trainer: Trainer, save_seconds: float = 60.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every row. It may be killed at any moment and gone on with."""
    return rounds(trainer, trainer.row, "row", save_seconds)
