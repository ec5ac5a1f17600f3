"""A run is a folder: ``config.json``, ``metrics.jsonl``, TensorBoard events, ``checkpoints/`` and ``games/``.

A run may be killed at any moment. Its state says how many rows of figures and how many sample games there were when it
was written; both are on the disk before the state is, and the latest net follows it. Whoever resumes the run drops
what came after the state, which comes again: no row and no game is missing, and none is there twice. A killed process
loses nothing that was written; a machine that loses its power loses nothing that the state names.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from fingal.arena.json_files import read_object, read_rows
from fingal.arena.provenance import commit
from fingal.learn.parts import state
from fingal.nets import checkpoint
from fingal.nets.card import Card, CheckpointError, write_atomically

METRICS = "metrics.jsonl"
"""The file of a run's rows of figures."""

LATEST, STATE = "latest.safetensors", "state.safetensors"
"""The net of the last checkpoint, and all that is needed to resume there."""

LOG = "run"
"""Under this name a state says how many rows and sample games there were when it was written."""


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
    """The rows of figures that a run has logged, each with its ``step``; ValueError where a line is something else."""
    return read_rows(folder / METRICS, pure=True)


class Resumable(Protocol):
    """A learner, as far as its state goes."""

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that is needed to resume exactly here: tensors by name, and what JSON can hold."""

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """Resume from what ``state`` gave; whatever it raises means that the state is damaged."""


class Run:
    """Where a learner writes. Opening a folder that holds a run resumes it."""

    def __init__(self, folder: str | Path, config: dict[str, Any]) -> None:
        """Make the folder, or resume in it; ValueError when a run with other settings has begun there."""
        self.folder = Path(folder)
        self.checkpoints = self.folder / "checkpoints"
        self.games = self.folder / "games"
        for path in (self.checkpoints, self.games):
            path.mkdir(parents=True, exist_ok=True)
        for path in (self.folder, self.checkpoints, self.games):
            state.remove_parts(path)
        file, self._metrics = self.folder / "config.json", self.folder / METRICS
        made = (*self.checkpoints.iterdir(), *self.games.iterdir())
        if file.exists() and (made or (self._metrics.exists() and self._metrics.stat().st_size)):
            kept = read_object(file, "a run's config").get("config")
            if not isinstance(kept, dict):
                raise ValueError(f"{file} holds no settings of a run: an object called config is expected")
            differing = [key for key in config if kept.get(key) != json.loads(json.dumps(config[key]))]
            if differing:
                raise ValueError(f"{self.folder} holds a run with another {differing[0]}: choose another folder")
        elif self.has_state():
            raise ValueError(f"{self.folder} holds a run without its settings, {file}: put it back")
        else:
            about = {"config": config, "commit": commit()}
            write_atomically(file, (json.dumps(about, indent=1) + "\n").encode())
        self._metrics.touch()
        self._begun = False
        self._rows: int | None = None
        self._sampled: int | None = None
        self.latest_is_old = False
        """Whether a kill came after the state was written and before the latest net was."""
        self._board: Any = None
        self._dropped: int | None = None

    def kept(self, number: int) -> Path:
        """The file of a net that is kept from on the way, by how far the run had come."""
        return self.checkpoints / f"net-{number:05d}.safetensors"

    def has_state(self) -> bool:
        """Whether there is a state to resume from."""
        return (self.checkpoints / STATE).exists()

    def resume(self, learner: Resumable) -> bool:
        """Let a learner resume from the run's state; False where there is none. ``begin`` drops what came after it.

        StateError where the state is damaged, of another shape of run, or gone though a net is there.
        """
        file, latest = self.checkpoints / STATE, self.checkpoints / LATEST
        found = state.load(file)
        if found is None:
            if latest.exists():
                raise state.StateError(
                    f"{self.folder} kept no state to go on from: choose another folder, and --start {latest} for its "
                    "net"
                )
            self._rows = self._sampled = 0
            return False
        tensors, about = found
        counts = self._logged(file, about.pop(LOG, None))
        _, fresh = learner.state()
        state.check_about(file, about, fresh)
        state.check_finite(file, tensors)
        try:
            learner.restore(dict(tensors), about)
            taken, _ = learner.state()
        except (state.StateError, CheckpointError):
            raise
        except (LookupError, TypeError, ValueError, RuntimeError, ArithmeticError, AttributeError, AssertionError):
            raise state.StateError(
                f"{file} does not fit this run, it is damaged or another learner's{state.ANEW}"
            ) from None
        elsewhere = [f"{name}." for name in fresh if {} in (fresh[name], about[name])]
        state.check_taken(file, tensors, taken, elsewhere)
        self.latest_is_old = not latest.exists() or latest.stat().st_mtime_ns < file.stat().st_mtime_ns
        self._rows, self._sampled = counts
        return True

    def _logged(self, file: Path, counts: Any) -> tuple[int | None, int | None]:
        """How many rows and games a state knows of; None, for all, where an older Fingal wrote it."""
        if counts is None:
            return None, None
        state.check_about(file, counts if isinstance(counts, dict) else {}, {"rows": 0, "games": 0})
        rows = len(read_rows(self._metrics, live=True, pure=True))
        if rows < counts["rows"]:
            raise state.StateError(
                f"{self._metrics} has {rows} rows, and had {counts['rows']} when {file.name} was written: put them back"
            )
        return counts["rows"], counts["games"]

    def begin(self) -> None:
        """Drop the rows of figures and sample games after the state that was resumed, and a row that was cut short.

        ``log`` and ``save`` do so at the latest. ValueError, and nothing is dropped, where a whole line is no row.
        """
        if self._begun:
            return
        there = read_rows(self._metrics, live=True, pure=True)
        rows = len(there) if self._rows is None else self._rows
        if rows < len(there):
            self._dropped = int(there[rows]["step"])
        lines = self._metrics.read_bytes().splitlines(keepends=True)
        os.truncate(self._metrics, sum(map(len, lines[:rows])))
        samples = self._samples()
        sampled = len(samples) if self._sampled is None else self._sampled
        for number, file in samples:
            if number >= sampled:
                file.unlink()
        self._rows, self._sampled, self._begun = rows, sampled, True

    def _samples(self) -> list[tuple[int, Path]]:
        """The sample games and their numbers."""
        found = [(re.match(r"(\d{6,})-", file.name), file) for file in self.games.glob("*.sgf")]
        return sorted((int(match[1]), file) for match, file in found if match)

    def log(self, step: int, metrics: dict[str, float]) -> None:
        """Write one line of figures, and the same to TensorBoard where it is installed."""
        self.begin()
        assert self._rows is not None
        line = json.dumps({"step": step, "time": round(time.time(), 2), **metrics}) + "\n"
        with self._metrics.open("ab", buffering=0) as file:
            file.write(line.encode())
        self._rows += 1
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

    def save(
        self,
        learner: Resumable | None,
        card: Card,
        *,
        latest: Mapping[str, nn.Module],
        numbered: Mapping[str, nn.Module] | None = None,
        games: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Write a checkpoint: first what its state names, then the state, then the latest nets.

        ``learner`` has the state; None where it is not kept. Nets are given by the names of their files; those that
        stay as they are, ``numbered``, come before the state, which may need them. ``games`` are sample games, their
        names and their SGF. A net that cannot be saved leaves the state as it was.
        """
        self.begin()
        assert self._sampled is not None
        for name, text in games:
            file = self.games / f"{self._sampled:06d}-{name}.sgf"
            write_atomically(file, text.encode())
            self._sampled += 1
        for name, net in (numbered or {}).items():
            checkpoint.save(net, self.checkpoints / f"{name}.safetensors", card)
        if learner is not None:
            with self._metrics.open("ab") as rows:
                os.fsync(rows.fileno())
            tensors, about = learner.state()
            counts = {"rows": self._rows, "games": self._sampled}
            state.save(self.checkpoints / STATE, tensors, about | {LOG: counts})
        for name, net in latest.items():
            checkpoint.save(net, self.checkpoints / f"{name}.safetensors", card)
        self.latest_is_old = False

    def close(self) -> None:
        """Finish the files."""
        if self._board:
            self._board.close()


Opened = Callable[[Path, dict[str, Any]], Run]
"""What opens a run's folder for settings: ``Run``, or something that also listens."""
