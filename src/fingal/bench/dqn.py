"""Moves a second of generations of deep Q-learning, many games at once, beside a plain loop of one game.

A move is one of the learner's and the reply of a member of the pool, all nets of one shape: the paper's net on 7x7
where there is a GPU, else a narrow one on 5x5 and one thread of the CPU. Beside games alone there is the whole
training. For each move that is made both learn from as many moves; where the settings say so, many games at once
learn from them in fewer and larger updates.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor

from fingal.bench.neurohex import rate
from fingal.game import Board
from fingal.learn.dqn import PRESETS, Dqn, Trainer
from fingal.learn.parts.run import Run

MEMBERS = 3
"""Nets in the pool, beside the random player."""


class Serial:
    """One game on a board of the core: a net is asked about one position at a time."""

    def __init__(self, config: Dqn, device: torch.device) -> None:
        """Begin with an empty board and random nets."""
        self.config, self.device = config, device
        self.net, *self.members = (config.untrained(number).to(device) for number in range(MEMBERS + 1))
        self.target = config.untrained().to(device)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=config.learning_rate, amsgrad=True)
        self.kept: list[tuple[Tensor, int, float, bool, Tensor]] = []
        self._random = random.Random(config.seed)
        self._board = Board(config.size)

    def seen(self) -> Tensor:
        """The board as its side to move sees it, [1, n, n]."""
        board, size = self._board, self.config.size
        stones = torch.zeros(size * size)
        for cell, colour in enumerate(board.colour_at(cell) for cell in range(size * size)):
            if colour is not None:
                stones[cell] = 1 if colour == board.turn else -1
        stones = stones.view(1, size, size)
        return (stones if int(board.turn) == 0 else stones.mT).to(self.device)

    @torch.no_grad()
    def _move(self, net: torch.nn.Module | None, seen: Tensor) -> int:
        """Play the best cell of a net, or a random one: the cell as the side to move sees it."""
        board, size = self._board, self.config.size
        legal = (seen.flatten() == 0).cpu()
        if net is None:
            cell = self._random.choice([number for number, empty in enumerate(legal.tolist()) if empty])
        else:
            cell = int(net(seen)[0].cpu().masked_fill(~legal, -torch.inf).argmax())
        row, column = divmod(cell, size)
        board.push(cell if int(board.turn) == 0 else column * size + row)
        return cell

    def play(self) -> int:
        """One move of the learner and its reply."""
        before, side = self.seen(), self._board.turn
        explores = self._random.random() < self.config.last_epsilon
        cell = self._move(None if explores else self.net, before)
        if not self._board.is_over():
            self._move(self._random.choice([None, *self.members]), self.seen())
        over, after = self._board.is_over(), self.seen()
        self.kept.append((before, cell, float(self._board.winner == side), over, after))
        del self.kept[: -self.config.capacity]
        if over:
            self._board = Board(self.config.size)
        return 1

    def step(self) -> int:
        """A move and an update, once there are more moves than a batch."""
        self.play()
        if len(self.kept) <= self.config.batch:
            return 1
        rows = self._random.sample(self.kept, self.config.batch)
        before, after = torch.cat([row[0] for row in rows]), torch.cat([row[4] for row in rows])
        cell = torch.tensor([row[1] for row in rows], device=self.device).unsqueeze(1)
        reward, over = (torch.tensor([float(row[place]) for row in rows], device=self.device) for place in (2, 3))
        with torch.no_grad():
            later = self.target(after).masked_fill((after != 0).flatten(1), -torch.inf).amax(1).sigmoid()
            aim = reward + self.config.gamma * (1 - over) * later.nan_to_num()
        said = self.net(before).gather(1, cell).squeeze(1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(said, aim)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_value_(self.net.parameters(), 100.0)
        self.optimiser.step()
        with torch.no_grad():
            for still, moving in zip(self.target.parameters(), self.net.parameters(), strict=True):
                still.lerp_(moving, self.config.softness)
        return 1


def measure(seconds: float = 2.0, config: Dqn | None = None) -> dict[str, float | str]:
    """Moves a second of both, of games alone and of training; ``config`` in place of what the device calls for."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = config or PRESETS["paper-7x7" if device.type == "cuda" else "cpu-5x5"]
    config = replace(config, epsilon=0.05, generations=MEMBERS, episodes=10**9, streak=False)
    found: dict[str, float | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", asdict(config))
        trainer = Trainer(config, run, device)
        for number in range(MEMBERS):
            trainer.pool.add(trainer.flat.vector(config.untrained(number + 1)))

        def train() -> int:
            trainer.step()
            return config.games

        def play() -> int:
            trainer.play_once()
            return config.games

        serial = Serial(replace(config, batch=max(1, round(config.batch * config.updates_per_move))), device)
        kinds: tuple[tuple[str, Callable[[], int], Callable[[], int]], ...] = (
            ("env", play, serial.play),
            ("train", train, serial.step),
        )
        for name, many, one in kinds:
            found[f"dqn_{name}_steps_per_s"] = rate(many, seconds, warm_up=3 + config.batch // config.games)
            found[f"dqn_serial_{name}_steps_per_s"] = rate(one, seconds, warm_up=config.batch + 3)
        run.close()
    return found | {
        "dqn_games": config.games,
        "dqn_board": f"{config.size}x{config.size}",
        "dqn_net": f"{config.net}, width {config.width}",
        "dqn_device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
    }
