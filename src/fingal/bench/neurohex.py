"""Moves a second of NeuroHex, hundreds of games at once, beside the paper's loop: a move, an update, a move, an update.

Both make one update of the same net with the same batch for every move, on a GPU where there is one (the paper's net on
13x13), else on one thread of the CPU (the small net on 5x5).
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import torch

from fingal.game import Board
from fingal.learn.neurohex import PRESETS, NeuroHex, Trainer
from fingal.learn.parts.deep_q import Descent, QLearning
from fingal.learn.parts.run import Run
from fingal.learn.parts.transitions import Moves, Transitions
from fingal.nets import walls
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.planes import positions_of
from fingal.nets.walls_torch import turned


class Serial:
    """The paper's loop with one game: the board in the core, a net asked about one position, an update on its own."""

    def __init__(self, config: NeuroHex, device: torch.device) -> None:
        """Begin with an empty board and a random net."""
        self.config, self.device = config, device
        torch.manual_seed(config.seed)
        self.critic = Descent(Hexagonal(config.net), device, config.learning_rate)
        self.ring = Transitions(config.capacity, config.net.planes, config.size, device)
        self.q = QLearning(self.critic, self.ring)
        self._random = random.Random(config.seed)
        self._generator = torch.Generator(device=device).manual_seed(config.seed)
        self._board = Board(config.size)
        self._seen = self._see()

    def _see(self) -> torch.Tensor:
        pad = self.config.net.padding
        inside = walls.encode(positions_of([self._board]), pad)[:, :, pad:-pad, pad:-pad] > 0
        return torch.from_numpy(inside).to(self.device)

    def step(self) -> None:
        """One move and, once there are more moves than a batch, one update."""
        size, board = self.config.size, self._board
        legal = torch.from_numpy(~self._seen[0, :2].cpu().numpy().any(0).ravel())
        values = self.critic.values(self._seen)[0].cpu().masked_fill(~legal, -2)
        cells = legal.nonzero().flatten().tolist()
        cell = self._random.choice(cells) if self._random.random() < self.config.epsilon else int(values.argmax())
        row, column = divmod(cell, size)
        board.push(column * size + row if board.turn else cell)
        before, self._seen = self._seen, self._see()
        following = self._seen if self._random.random() < 0.5 else turned(self._seen)
        won = torch.tensor([board.is_over()], device=self.device)
        self.ring.add(Moves(before, torch.tensor([cell], device=self.device), won, following))
        if board.is_over():
            self._board = Board(size)
            self._seen = self._see()
        if len(self.ring) > self.config.batch:
            self.q.update(self.ring.draw(self.config.batch, generator=self._generator))


def measure(seconds: float = 2.0, config: NeuroHex | None = None) -> dict[str, float | str]:
    """Moves a second of both; ``config`` in place of the settings that the device calls for."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = config or PRESETS["paper-13x13" if device.type == "cuda" else "cpu-5x5"]
    config = replace(config, mentoring=0, database=False, minutes=0.0)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", asdict(config))
        trainer = Trainer(config, run, device)

        def step() -> int:
            trainer.play()
            trainer.learn()
            return config.games

        batched = rate(step, seconds, warm_up=2 + config.batch // config.games)
        run.close()
    serial = Serial(config, device)

    def single() -> int:
        serial.step()
        return 1

    alone = rate(single, seconds, warm_up=config.batch + 3)
    return {
        "neurohex_transitions_per_s": batched,
        "neurohex_serial_transitions_per_s": alone,
        "neurohex_ratio": batched / alone,
        "neurohex_games": config.games,
        "neurohex_board": f"{config.size}x{config.size}",
        "neurohex_device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
    }


def rate(step: Callable[[], int], seconds: float, warm_up: int) -> float:
    """Moves or games a second, by what ``step`` says it has made; the time in which the device still works counts."""

    def wait() -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    for _ in range(warm_up):
        step()
    wait()
    began, moves = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        moves += step()
    wait()
    return moves / (time.perf_counter() - began)
