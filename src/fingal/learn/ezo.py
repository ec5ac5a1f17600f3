"""EZO-CNN: a net of values that learns from its own games of minimax search.

Every epoch plays a number of games, all at once, and learns from their positions once. A position's value moves
towards one minus that of the next, which the opponent sees; the end of a game is lost for the side to move. docs/ezo.md
has the equations and what the paper leaves open.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import safetensors.torch
import torch
from torch import Tensor

from fingal.learn.parts import lockstep
from fingal.learn.parts.mirror import play_stones
from fingal.learn.parts.run import Run
from fingal.nets import checkpoint
from fingal.nets.card import Card, write_atomically
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
    """How often games are played and learned from."""
    minutes: float = 0.0
    """End after so many minutes instead, if not 0."""
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
    target: Literal["complement", "literal"] = "complement"
    """What a value moves towards: one minus the next, or, as the paper prints it, the next."""
    copies: Literal["rotated", "mirrored", "none"] = "rotated"
    """What is learned from beside each position: it turned by 180 degrees; mirrored with colours exchanged, which a
    net cannot tell from the position itself; or nothing."""
    batch: int = 32
    """Positions in a step of learning, copies not counted."""
    learning_rate: float = 1e-3
    """Adam's."""
    threads: int = 1
    """Threads that search connections."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("epochs", "games", "latest_turn", "keep_epochs", "batch", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.depth not in (1, 2):
            raise ValueError(f"depth must be 1 or 2, not {self.depth}")
        for name in ("noise", "minutes", "learning_rate"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        for name, choices in (("target", ("complement", "literal")), ("copies", ("rotated", "mirrored", "none"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        assert self.net  # its own refusals

    @property
    def net(self) -> Config:
        """The net's shape."""
        return Config(self.size, self.channels, self.dense)


PRESETS = {
    "cpu-5x5": Ezo(size=5, channels=32, games=100, epochs=200, latest_turn=10),
    "paper-7x7": Ezo(),
    "paper-9x9": Ezo(size=9, games=750, latest_turn=40),
    "paper-11x11": Ezo(size=11, games=750, latest_turn=60),
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


class Played(NamedTuple):
    """The positions of some games."""

    boards: Tensor
    """bool [N, 2, n, n], each seen by its side to move; those of one game one after the other."""
    over: Tensor
    """bool [N]: the last of each game, lost for the side to move. Every other one is followed by the next."""
    games: int
    """How many there were."""
    first_wins: int
    """How many of them the side that moved first has won."""


def opening_cells(size: int) -> Tensor:
    """The cells within two rows of a side, int64."""
    at = torch.arange(size)
    near = torch.minimum(at, size - 1 - at) < 2
    return (near[:, None] | near[None]).flatten().nonzero(as_tuple=True)[0]


def losses(chance: Tensor, following: Tensor, over: Tensor, target: str) -> Tensor:
    """Equations (1) and (2): what a position costs, [B].

    The end of a game, which is lost, costs -log(1 - v); others the square of what the value misses its aim by.
    """
    aim = 1 - following if target == "complement" else following
    return torch.where(over, -torch.log1p(-chance.clamp(max=1 - 1e-6)), (chance - aim).square())


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


def _loaded(file: Path, shape: Config) -> Narrowing:
    net, _ = checkpoint.load_any(file)
    if not isinstance(net, Narrowing) or net.config != shape:
        raise ValueError(f"{file.name} has another shape than the run's net: {getattr(net, 'config', net)}")
    return net.train().requires_grad_(True)


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: Ezo, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        self.net = (Narrowing(config.net) if start is None else _loaded(start, config.net)).to(device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=config.learning_rate, fused=device.type == "cuda")
        self.past: list[Narrowing] = []
        self.progress = Progress()
        self.generator = torch.Generator(device=device).manual_seed(config.seed)
        self._openings = opening_cells(config.size).to(device)
        self._load_state()

    def chance(self, net: Narrowing) -> lockstep.Chance:
        """What a net says of boards."""
        cuda = self.device.type == "cuda"

        def judge(boards: Tensor) -> Tensor:
            seen = encode_boards(boards[:, 0], boards[:, 1])
            with torch.autocast(self.device.type, torch.bfloat16, enabled=cuda):
                return torch.sigmoid(net(seen).float())

        return judge

    def _random(self, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.generator, device=self.device)

    @torch.no_grad()
    def play(self) -> Played:
        """The games of an epoch."""
        config, size = self.config, self.config.size
        count = config.games
        nets = [self.net, *(self.past if config.past else [])]
        judges = [self.chance(net) for net in nets]
        boards = torch.zeros(count, 2, size, size, dtype=torch.bool, device=self.device)
        turn = 1 + (self._random(count) * config.latest_turn).long()
        old = (self._random(count) * len(nets)).long()
        present_first = self._random(count) < 0.5
        alive = torch.arange(count, device=self.device)
        kept: list[tuple[Tensor, Tensor, Tensor]] = []
        for ply in range(size * size + 1):
            if len(alive) == 0:
                break
            mine = boards[alive]
            if ply == 0:
                cell = self._openings[(self._random(len(alive)) * len(self._openings)).long()]
            else:
                present = present_first[alive] == (ply % 2 == 0)
                which = torch.where(present, 0, old[alive])
                cell = self._moves(mine, which, judges, turn[alive] - 1 == ply)
            recorded = ply >= turn[alive]
            kept.append((alive[recorded], mine[recorded], torch.zeros_like(alive[recorded], dtype=torch.bool)))
            after, won = play_stones(mine, cell)
            boards[alive] = after
            # A game that ends before its random move is not learned from.
            ended = won & (ply + 1 > turn[alive])
            kept.append((alive[ended], after[ended], torch.ones_like(alive[ended], dtype=torch.bool)))
            alive = alive[~won]
        game = torch.cat([entry[0] for entry in kept])
        order = torch.argsort(game, stable=True)
        found, over = (torch.cat([entry[at] for entry in kept])[order] for at in (1, 2))
        stones = found[over].flatten(1).sum(1)
        return Played(found, over, int(over.sum()), int((stones % 2 == 1).sum()))

    def _moves(self, boards: Tensor, which: Tensor, judges: list[lockstep.Chance], by_chance: Tensor) -> Tensor:
        """A move for each board: random where ``by_chance`` says so, else by the judge with the number in ``which``."""
        moves = lockstep.empty_cells(boards)
        wanted = self._random(*moves.shape).masked_fill(~moves, -1)
        cell = wanted.argmax(1)
        known = torch.zeros_like(cell)
        if self.config.connections:
            known, winning, worth_trying = lockstep.decided(boards, self.config.threads)
            cell = torch.where((known > 0) & ~by_chance, winning, cell)
            moves = moves & worth_trying
        noise = self.config.noise * (2 * self._random(*moves.shape) - 1)
        for number, judge in enumerate(judges):
            rows = ((which == number) & (known <= 0) & ~by_chance).nonzero(as_tuple=True)[0]
            if len(rows) == 0:
                continue
            opponents = lockstep.worth(boards[rows], moves[rows], judge, self.config.depth)
            # A win is taken whatever the noise says of the other moves.
            won = lockstep.winning_cells(boards[rows])
            cell[rows] = (opponents + noise[rows]).masked_fill(won, -1).argmin(1)
        return cell

    def learn(self, played: Played) -> float:
        """One pass over the positions in a random order; gives the mean loss."""
        config = self.config
        order = torch.randperm(len(played.over), generator=self.generator, device=self.device)
        total = torch.zeros((), device=self.device)
        for some in torch.split(order, config.batch):
            boards, following = played.boards[some], played.boards[(some + 1).clamp(max=len(played.over) - 1)]
            over = played.over[some]
            if config.copies != "none":
                boards, following = (
                    torch.cat((boards, self._copy(boards))),
                    torch.cat((following, self._copy(following))),
                )
                over = over.repeat(2)
            both = torch.cat((boards, following))
            said = torch.sigmoid(self.net(encode_boards(both[:, 0], both[:, 1])))
            now, later = said.chunk(2)
            loss = losses(now, later.detach(), over, config.target).mean()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            total += loss.detach() * len(some)
            self.progress.steps += 1
        return float(total / max(1, len(order)))

    def _copy(self, boards: Tensor) -> Tensor:
        """Boards turned by 180 degrees; mirrored they look as they do, so there is nothing to do."""
        return boards.flip(2, 3) if self.config.copies == "rotated" else boards

    def epoch(self) -> dict[str, float]:
        """Play and learn once."""
        began = time.perf_counter()
        played = self.play()
        between = time.perf_counter()
        loss = self.learn(played)
        progress = self.progress
        progress.epochs += 1
        progress.games += played.games
        progress.positions += len(played.over)
        if progress.epochs % self.config.keep_epochs == 0:
            self.past = [copy.deepcopy(self.net).requires_grad_(False), *self.past][:2]
            progress.kept = [progress.epochs, *progress.kept][:2]
        now = time.perf_counter()
        progress.seconds += now - began
        return {
            "epoch": progress.epochs,
            "games": progress.games,
            "positions": progress.positions,
            "loss": loss,
            "first_wins": played.first_wins / max(1, played.games),
            "length": len(played.over) / max(1, played.games),
            "play_s": between - began,
            "learn_s": now - between,
            "minutes": progress.seconds / 60,
        }

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        if self.config.minutes:
            return min(1.0, self.progress.seconds / (60 * self.config.minutes))
        return self.progress.epochs / self.config.epochs

    def card(self) -> Card:
        """What the net's file says of it."""
        progress = self.progress
        unit = "h200_minutes" if self.device.type == "cuda" and "H200" in torch.cuda.get_device_name() else "minutes"
        cost: dict[str, float | str] = {
            unit: round(progress.seconds / 60, 2),
            "epochs": progress.epochs,
            "games": progress.games,
            "positions": progress.positions,
            "steps": progress.steps,
        }
        return Card("ezo", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net and everything else that is needed to go on exactly here."""
        name = f"net-{self.progress.epochs:05d}.safetensors"
        for file in ("latest.safetensors", *([name] if self.progress.epochs % self.config.keep_epochs == 0 else [])):
            checkpoint.save(self.net, self.run.checkpoints / file, self.card())
        tensors: dict[str, Tensor] = {"random": self.generator.get_state().cpu()}
        for prefix, net in (("net", self.net), *((f"past{index}", net) for index, net in enumerate(self.past))):
            tensors |= {f"{prefix}.{key}": tensor.detach().cpu() for key, tensor in net.state_dict().items()}
        for index, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{index}.{key}": torch.as_tensor(tensor).cpu() for key, tensor in state.items()}
        about = json.dumps(asdict(self.progress))
        write_atomically(self.run.checkpoints / "state.safetensors", safetensors.torch.save(tensors, {"run": about}))

    def _load_state(self) -> None:
        file = self.run.checkpoints / "state.safetensors"
        if not file.exists():
            return
        data = file.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        self.progress = Progress(**json.loads(header["__metadata__"]["run"]))
        tensors = safetensors.torch.load(data)

        def under(prefix: str) -> dict[str, Tensor]:
            return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}

        self.net.load_state_dict(under("net."))
        self.past = []
        for index in range(len(self.progress.kept)):
            self.past.append(copy.deepcopy(self.net).requires_grad_(False))
            self.past[-1].load_state_dict(under(f"past{index}."))
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in under("optimiser.").items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        self.generator.set_state(tensors["random"])


def train(trainer: Trainer, save_seconds: float = 30.0) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every epoch. It may be killed at any moment and gone on with."""
    saved = time.monotonic()
    while trainer.done_share() < 1:
        figures = trainer.epoch()
        trainer.run.log(trainer.progress.epochs, figures)
        yield figures
        kept = trainer.progress.epochs % trainer.config.keep_epochs == 0
        if kept or time.monotonic() - saved > save_seconds or trainer.done_share() >= 1:
            trainer.save()
            saved = time.monotonic()
