"""A learner of one net that learns nothing: it logs a row for each step, and can be killed on the way."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from fingal.learn.parts.run import Run


@dataclass(frozen=True)
class Config:
    """What a run does."""

    games: int = 4
    seed: int = 0
    alpha: float = 0.1
    deadly: str = ""
    """A file: the process dies at half time unless it is there, and makes it."""

    def __post_init__(self) -> None:
        if self.alpha < 0:
            raise ValueError(f"alpha={self.alpha} is not possible: at least 0")


class Trainer:
    """Counts; what it has counted is saved after every other step, so that a kill costs a row."""

    def __init__(self, config: Config, run: Run, device: torch.device, start: Path | None = None) -> None:
        self.config, self.run, self.device, self.start = config, run, device, start
        self.file = run.checkpoints / "done.json"
        self.done: int = json.loads(self.file.read_text()) if self.file.exists() else 0

    def done_share(self) -> float:
        return self.done / self.config.games


def train(trainer: Trainer) -> Iterator[dict[str, float]]:
    config, run = trainer.config, trainer.run
    while trainer.done < config.games:
        trainer.done += 1
        figures = {"games": float(trainer.done), "value": config.alpha * trainer.done, "process": float(os.getpid())}
        if trainer.start is not None:
            figures["started"] = float(trainer.start.stat().st_size)
        run.log(trainer.done, {**figures, "minutes": 0.5 * trainer.done, "updates": 10 * trainer.done})
        yield figures
        if config.deadly and 2 * trainer.done >= config.games and not Path(config.deadly).exists():
            Path(config.deadly).write_text("")
            with (run.folder / "metrics.jsonl").open("a") as file:
                file.write('{"step": 99, "val')
            os.kill(os.getpid(), signal.SIGKILL)
        if trainer.done % 2 == 0 or trainer.done_share() == 1:
            trainer.file.write_text(json.dumps(trainer.done))
            (run.checkpoints / f"net-{trainer.done:05d}.safetensors").write_text("")
