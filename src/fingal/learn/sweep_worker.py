"""Processes that train the trials of a sweep: each row of a run is told, and answered with whether to go on."""

from __future__ import annotations

import contextlib
import importlib
import io
import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from fingal.learn.parts import parent
from fingal.learn.parts.run import Run, rows_in


@dataclass(frozen=True)
class Task:
    """A trial to be trained."""

    number: int
    algorithm: str
    settings: Any
    """The learner's config, before anything varies."""
    chosen: dict[str, Any]
    """What this trial has instead."""
    folder: Path
    """The run's: one that is there goes on."""
    device: str
    figure: str
    """What is told of each row that has it."""


class Row(NamedTuple):
    """A row of a run's figures."""

    step: int
    value: float


class Ended(NamedTuple):
    """How a trial has ended."""

    value: float | None
    """The figure at the last row that has it; None where none has."""
    stopped: bool = False
    """Whether it was told to."""
    said: str = ""
    """Why it came to nothing."""
    figures: str = ""
    """The figures that the run has, where the one that is asked for is not among them."""
    seconds: float = 0.0


class Stopped(Exception):
    """Ends a run from inside."""


class Watched(Run):
    """A run that tells of each row with a figure, and ends when it is told to."""

    def __init__(self, folder: str | Path, config: dict[str, Any], figure: str, tell: Callable[[Row], bool]) -> None:
        """Open the folder; ``begin`` tells of its rows so far."""
        super().__init__(folder, config)
        self.value: float | None = None
        self.names: dict[str, None] = {}
        self._figure, self._tell = figure, tell

    def begin(self) -> None:
        """Tell of the rows that stay, once; Stopped where they are enough."""
        if self._begun:
            return
        super().begin()
        for row in rows_in(self.folder):
            self._note(row.pop("step"), row)

    def log(self, step: int, metrics: dict[str, float]) -> None:
        """Write the row, and tell of it."""
        super().log(step, metrics)
        self._note(step, metrics)

    def _note(self, step: int, metrics: dict[str, float]) -> None:
        self.names |= dict.fromkeys(name for name in metrics if name != "time")
        if self._figure in metrics:
            self.value = float(metrics[self._figure])
            if not self._tell(Row(step, self.value)):
                raise Stopped


def train(task: Task, tell: Callable[[Row], bool]) -> Ended:
    """Train a trial as ``fingal train`` does, into its folder; ``tell`` says whether it is to go on."""
    from rich.console import Console

    from fingal.learn import command, stacked_command

    begun = time.monotonic()
    opened: list[Watched] = []

    def open_run(folder: str | Path, config: dict[str, Any]) -> Run:
        opened.append(Watched(folder, config, task.figure, tell))
        return opened[-1]

    said, stopped = "", False
    try:
        settings = replace(task.settings, **task.chosen)
        silent = Console(file=io.StringIO())
        # What a run says of itself is in its folder; here all trials would say it at once.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if task.algorithm in stacked_command.LEARNERS:
                module = importlib.import_module(f"fingal.learn.{stacked_command.LEARNERS[task.algorithm].module}")
                options: Any = stacked_command.Options(settings, task.folder)
                stacked_command.train(task.algorithm, module, options, silent, open_run)
            else:
                module = importlib.import_module(f"fingal.learn.{task.algorithm}")
                options = command.Options(settings, task.folder, task.device)  # type: ignore[arg-type]
                command.train(task.algorithm, module, options, silent, open_run)
    except Stopped:
        stopped = True
    except ValueError as error:
        said = " ".join(str(error).split())
    except SystemExit:
        said = "every run has diverged"
    value = opened[0].value if opened else None
    names = ", ".join(opened[0].names) if opened and value is None and not said else ""
    return Ended(value, stopped, said, names, time.monotonic() - begun)


def work(told: Connection) -> None:
    """What a process does: one task after the other, until its parent is gone."""
    parent.end_with_it()

    def tell(row: Row) -> bool:
        told.send(row)
        return bool(told.recv())

    with contextlib.suppress(EOFError):
        while True:
            told.send(train(told.recv(), tell))


class Crew:
    """Some processes that train."""

    def __init__(self, size: int) -> None:
        """Start none yet."""
        self.size = size
        self._idle: list[tuple[Any, Connection]] = []
        self._busy: dict[int, tuple[Any, Connection]] = {}

    def begin(self, task: Task) -> None:
        """Give a task to a process that has none."""
        if not self._idle:
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self._idle.append((process, ours))
        hand = self._idle.pop()
        self._busy[task.number] = hand
        hand[1].send(task)

    def answer(self, number: int, go_on: bool) -> None:
        """Say whether the trial of a row goes on."""
        with contextlib.suppress(OSError):
            self._busy[number][1].send(go_on)

    def news(self) -> Iterator[tuple[int, Row | Ended]]:
        """Wait for something to be told; gives who told what."""
        ready = wait([connection for _, connection in self._busy.values()])
        for number, (process, connection) in list(self._busy.items()):
            if connection not in ready:
                continue
            try:
                told: Row | Ended = connection.recv()
            except (EOFError, OSError):
                process.join()
                del self._busy[number]
                yield number, Ended(None, said=f"its process ended with status {process.exitcode}")
                continue
            if isinstance(told, Ended):
                self._idle.append(self._busy.pop(number))
            yield number, told

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for process, connection in (*self._idle, *self._busy.values()):
            connection.close()
            process.terminate()
            process.join()
