"""Games a second of AMCPG, all games and continuations at once, beside the same algorithm one game after another.

Both play, go on from one move of each game and take a step along the gradient, with the same net: on a GPU where there
is one (the paper's net on 11x11), else on the CPU (the small net on 5x5). A game counts once, whatever k is.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import torch

from fingal.bench.neurohex import rate
from fingal.game import Board
from fingal.learn.amcpg import PRESETS, Amcpg, Trainer
from fingal.learn.parts.run import Run
from fingal.nets import bridges
from fingal.nets.convolutional import Convolutional
from fingal.nets.planes import positions_of


class Serial:
    """Variant a as a first program would have it: one board, one position for each call of the net."""

    def __init__(self, config: Amcpg, device: torch.device) -> None:
        """Begin with a random net."""
        self.config, self.device = config, device
        torch.manual_seed(config.seed)
        self.net = Convolutional(config.net).to(device)
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=config.learning_rate)
        self._random = random.Random(config.seed)

    def log_policy(self, board: Board) -> torch.Tensor:
        """Of the empty cells, [cells]; minus infinity elsewhere."""
        planes = torch.from_numpy(bridges.encode(positions_of([board]))).to(self.device).float()
        logits: torch.Tensor = self.net(planes)[0]
        legal = torch.zeros_like(logits, dtype=torch.bool)
        legal[torch.tensor(list(board.empty_cells), device=self.device)] = True
        return logits.masked_fill(~legal, -torch.inf).log_softmax(0)

    @torch.no_grad()
    def finish(self, board: Board) -> list[int]:
        """Play to the end; gives the moves that were made."""
        made = []
        while not board.is_over():
            made.append(int(torch.multinomial(self.log_policy(board).exp(), 1)))
            board.push(made[-1])
        return made

    def step(self) -> int:
        """One iteration; gives its games."""
        self.optimiser.zero_grad()
        for _ in range(self.config.games):
            board = Board(self.config.size)
            board.push(self._random.randrange(self.config.size**2))
            moves = [board.moves[0], *self.finish(board)]
            ply = self._random.randrange(1, len(moves))
            before = Board(self.config.size)
            for move in moves[:ply]:
                before.push(move)
            results = [1 if (len(moves) - 1 - ply) % 2 == 0 else -1]
            for _ in range(self.config.k):
                again = before.copy()
                again.push(moves[ply])
                results.append(1 if len(self.finish(again)) % 2 == 0 else -1)
            loss = -min(results) * self.log_policy(before)[moves[ply]] / self.config.games
            loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return self.config.games


def measure(seconds: float = 2.0, config: Amcpg | None = None) -> dict[str, float | str]:
    """Games a second of both; ``config`` in place of the settings that the device calls for."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = config or replace(PRESETS["paper-11x11" if device.type == "cuda" else "cpu-5x5"], k=3)
    config = replace(config, variant="a", temperature=0.0, repeats=1, exam_iterations=0)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", asdict(config))
        trainer = Trainer(config, run, device)

        def iteration() -> int:
            trainer.iteration()
            return config.games

        batched = rate(iteration, seconds, warm_up=3)
        run.close()
    serial = rate(Serial(replace(config, games=max(1, config.games // 64)), device).step, seconds, warm_up=1)
    return {
        "amcpg_games_per_s": batched,
        "amcpg_serial_games_per_s": serial,
        "amcpg_ratio": batched / serial,
        "amcpg_games": config.games,
        "amcpg_k": config.k,
        "amcpg_board": f"{config.size}x{config.size}",
        "amcpg_device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
    }
