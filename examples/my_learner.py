"""Every move's value moves towards how its game ended: Monte Carlo learning, as short as a learner can be.

The file is what docs/add-a-learner.md talks about. Copied to src/fingal/learn/my_learner.py, with a line in
fingal/learn/command.py, it is trained by 'fingal train my_learner'.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.lockstep import empty_cells
from fingal.learn.parts.mirror import play_stones
from fingal.learn.parts.run import Run
from fingal.learn.parts.truth import Truth
from fingal.nets import checkpoint, planes, walls_torch
from fingal.nets.card import Card
from fingal.nets.hexagonal import Config, Hexagonal


@dataclass(frozen=True)
class MyLearner:
    """How to train."""

    size: int = 3
    """The board's side."""
    rounds: int = 200
    """How often games are played and learned from."""
    games: int = 64
    """Games in a round, played all at once."""
    epsilon: float = 0.2
    """How often a move is random."""
    learning_rate: float = 3e-3
    """Adam's."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("rounds", "games"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")


PRESETS = {"quick": MyLearner(rounds=20)}
SHOWN = {"games": "games", "loss": "loss", "keeps_win": "wins kept"}
PANELS = (("learning", ("loss",)), ("against the truth", ("keeps_win",)))


@dataclass
class Progress:
    """How far a run has come."""

    rounds: int = 0


class Trainer:
    """The loop, in parts that can be stopped, saved and gone on with."""

    def __init__(self, config: MyLearner, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        self.config, self.run, self.device = config, run, device
        torch.manual_seed(config.seed)
        self.net = Hexagonal(Config(config.size))
        if start is not None:
            checkpoint.fill(self.net, start)
        self.net.to(device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), config.learning_rate)
        self.progress = Progress()
        self.truth = Truth(config.size)
        run.resume(self)

    def values(self, boards: Tensor) -> Tensor:
        """What the net thinks of every move, [B, cells], on boards bool [B, 2, n, n] as the side to move sees them."""
        said: Tensor = self.net(walls_torch.from_stones(boards))
        return said

    @torch.no_grad()
    def play(self) -> tuple[Tensor, Tensor, Tensor]:
        """Games to their ends: boards [N, 2, n, n], the moves [N] made there, and 1 or -1 for who won [N]."""
        # Its own numbers for every round, so that a run that goes on plays what it would have played.
        random = torch.Generator().manual_seed(self.config.seed * 1_000_003 + self.progress.rounds)
        size = self.config.size
        boards = torch.zeros(self.config.games, 2, size, size, dtype=torch.bool, device=self.device)
        going = torch.arange(self.config.games, device=self.device)
        seen: list[tuple[Tensor, Tensor, Tensor]] = []
        length = torch.zeros(self.config.games, dtype=torch.int64, device=self.device)
        while len(going):
            legal = empty_cells(boards)
            chance = torch.rand(legal.shape, generator=random).to(self.device)
            explores = torch.rand((len(going), 1), generator=random).to(self.device) < self.config.epsilon
            cell = torch.where(explores, chance, self.values(boards)).masked_fill(~legal, -2).argmax(1)
            seen.append((going, boards, cell))
            length[going] += 1
            boards, won = play_stones(boards, cell)
            boards, going = boards[~won], going[~won]
        # The last move of a game has won; those before it belong to either side in turn.
        outcome = [1.0 - 2.0 * ((length[game] - 1 - ply) % 2) for ply, (game, _, _) in enumerate(seen)]
        return torch.cat([entry[1] for entry in seen]), torch.cat([entry[2] for entry in seen]), torch.cat(outcome)

    def round(self) -> dict[str, float]:
        """Play and learn once."""
        boards, cell, outcome = self.play()
        said = self.values(boards).gather(1, cell.unsqueeze(1)).squeeze(1)
        loss = (said - outcome).square().mean()
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self.progress.rounds += 1
        return {"games": self.progress.rounds * self.config.games, "loss": float(loss.detach())}

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """In how many of the won positions whose truth is known the best move still wins."""
        boards = torch.from_numpy(planes.stones(self.truth.positions)).to(self.device)
        found = self.truth.judge(self.values(boards).cpu().numpy()[None], canonical=True)
        return {"keeps_win": float(found["keeps_win"][0])}

    def done_share(self) -> float:
        """How much of the run is behind it, from 0 to 1."""
        return self.progress.rounds / self.config.rounds

    def card(self) -> Card:
        """What the net's file says of it."""
        cost: dict[str, float | str] = {"games": self.progress.rounds * self.config.games}
        return Card("my-learner", {}, sizes=(f"{self.config.size}x{self.config.size}",), cost=cost)

    def save(self) -> None:
        """Write the net for others, and what is needed to resume exactly here."""
        self.run.save(self, self.card(), latest={"latest": self.net})

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What is needed to resume: tensors by name, and what JSON can hold."""
        tensors = state.named("net", self.net.state_dict()) | state.named("adam", state.of_optimiser(self.optimiser))
        return tensors, asdict(self.progress)

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """Resume from what ``state`` gave."""
        self.progress = Progress(**about)
        self.net.load_state_dict(state.under(tensors, "net"))
        state.into_optimiser(self.optimiser, state.under(tensors, "adam"))


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    """Run to the end; gives figures now and then. It may be killed at any moment and resumed."""
    while trainer.done_share() < 1:
        figures = trainer.round()
        if trainer.progress.rounds % 10 == 0 or trainer.done_share() >= 1:
            figures |= trainer.measure()
            trainer.run.log(trainer.progress.rounds, figures)
            trainer.save()
            yield figures


def main() -> None:
    """Train for a moment and say what came of it."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        config = MyLearner(rounds=100)
        run = Run(folder, asdict(config))
        for figures in train(Trainer(config, run, torch.device("cpu"))):
            print("  ".join(f"{SHOWN[name]} {figures[name]:.3g}" for name in SHOWN))
        run.close()


if __name__ == "__main__":
    main()
