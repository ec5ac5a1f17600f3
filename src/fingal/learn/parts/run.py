"""A run is a folder: ``config.json``, ``metrics.jsonl``, TensorBoard events, ``checkpoints/`` and ``games/``."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from fingal.arena.provenance import commit
from fingal.nets.card import write_atomically

METRICS = "metrics.jsonl"
"""The file of a run's rows of figures."""


def minutes_on(device: torch.device, seconds: float) -> dict[str, float | str]:
    """What a card says of the time that training took: minutes of an H200 have a name of their own."""
    h200 = device.type == "cuda" and "H200" in torch.cuda.get_device_name(device)
    return {"h200_minutes" if h200 else "minutes": round(seconds / 60, 2)}


def share_done(steps: float, seconds: float, minutes: float) -> float:
    """How much of a run is behind it, from 0 to 1: of its steps, or of its minutes if they are not 0 and end first."""
    return min(1.0, max(steps, seconds / (60 * minutes)) if minutes else steps)


def time_out(began: float, seconds: float, minutes: float) -> float:
    """When a run's minutes are over, on a clock that said ``began`` after so many seconds; never, if they are 0."""
    return began + 60 * minutes - seconds if minutes else math.inf


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """The rows of figures that a run has logged, each with its ``step``."""
    return [json.loads(line) for line in (folder / METRICS).read_text(encoding="utf-8").splitlines()]


class Run:
    """Where a learner writes. Opening a folder that holds a run goes on with it."""

    def __init__(self, folder: str | Path, config: dict[str, Any]) -> None:
        """Make the folder, or go on in it; ValueError when a run with other settings has begun there."""
        self.folder = Path(folder)
        self.checkpoints = self.folder / "checkpoints"
        self.games = self.folder / "games"
        for path in (self.checkpoints, self.games):
            path.mkdir(parents=True, exist_ok=True)
        file, metrics = self.folder / "config.json", self.folder / METRICS
        made = (*self.checkpoints.iterdir(), *self.games.iterdir())
        if file.exists() and (made or (metrics.exists() and metrics.stat().st_size)):
            kept = json.loads(file.read_text(encoding="utf-8"))["config"]
            differing = [key for key in config if kept.get(key) != json.loads(json.dumps(config[key]))]
            if differing:
                raise ValueError(f"{self.folder} holds a run with another {differing[0]}: choose another folder")
        else:
            about = {"config": config, "commit": commit()}
            file.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        metrics.touch()
        # What a kill cut short is dropped, so that every line is a row.
        written = metrics.read_bytes()
        whole = written[: written.rfind(b"\n") + 1]
        if whole != written:
            metrics.write_bytes(whole)
        self._board: Any = None
        self._dropped: int | None = None

    def kept(self, number: int) -> Path:
        """The file of a net that is kept from on the way, by how far the run had come."""
        return self.checkpoints / f"net-{number:05d}.safetensors"

    def go_on(self, step: float) -> None:
        """Say after which step a learner goes on: rows beyond it, which come again, are dropped."""
        rows = rows_in(self.folder)
        kept = [row for row in rows if row["step"] <= step]
        if len(kept) < len(rows):
            text = "".join(json.dumps(row) + "\n" for row in kept)
            write_atomically(self.folder / METRICS, text.encode())
            self._dropped = int(step) + 1

    def log(self, step: int, metrics: dict[str, float]) -> None:
        """Write one line of figures, and the same to TensorBoard where it is installed."""
        with (self.folder / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "time": round(time.time(), 2), **metrics}) + "\n")
        if self._board is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                self._board = False
            else:
                # TensorBoard forgets what was dropped, too.
                self._board = SummaryWriter(str(self.folder), purge_step=self._dropped)
        if self._board:
            for name, value in metrics.items():
                self._board.add_scalar(name, value, step)

    def close(self) -> None:
        """Finish the files."""
        if self._board:
            self._board.close()


Opened = Callable[[Path, dict[str, Any]], Run]
"""What opens a run's folder for settings: ``Run``, or something that also listens."""
