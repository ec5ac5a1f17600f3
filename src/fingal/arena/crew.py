"""Processes that play games side by side. One that dies or hangs costs one game, and another takes its place."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from fingal.arena import glance
from fingal.arena.seats import Outcome, Seats, Task, outcome
from fingal.game import Colour, Result, Special, formats
from fingal.players.player import PlayerError
from fingal.ranges import MOST_SECONDS, shown

MOST_JOBS = 1024
"""Processes at a time: each takes memory, and files that a system counts."""
_LOOK_SECONDS = 0.5
"""How often the clocks of the games under way are looked at."""
_PATIENCE = 5.0
"""Seconds for a process to close its engines before it is ended by force."""


class Crew(Protocol):
    """Whoever plays the games of an event."""

    def check(self, texts: Iterable[str], size: tuple[int, int] | None = None) -> None:
        """Make every player once; ValueError and PlayerError when one cannot be made.

        ValueError as well when one says that it does not play on boards of a size (width, height).
        """
        ...

    def play(self, tasks: Iterable[Task]) -> Generator[Outcome]:
        """Play games, which come back in the order in which they end; closed early, it gives up those under way.

        ValueError when a player does not play there.
        """
        ...

    def close(self) -> None:
        """End it, with the games under way."""
        ...


class Alone:
    """Plays in this process, one game after the other: for a person at the keyboard, and for tests."""

    def __init__(self, seats: Seats | None = None) -> None:
        """The players sit here."""
        self._seats = seats or Seats()

    def check(self, texts: Iterable[str], size: tuple[int, int] | None = None) -> None:
        """Make every player once."""
        for text in texts:
            self._seats.check(text, size)

    def play(self, tasks: Iterable[Task]) -> Generator[Outcome]:
        """Play the games in their order."""
        for task in tasks:
            yield self._seats.play(task)

    def close(self) -> None:
        """Close the players."""
        self._seats.close()


class Workers:
    """A crew of processes."""

    def __init__(self, jobs: int, timeout: float) -> None:
        """So many games at once; a player that takes longer than ``timeout`` seconds for a move is ended, and loses."""
        if not 1 <= jobs <= MOST_JOBS:
            raise ValueError(f"jobs={shown(jobs)} is not possible: at least 1, at most {MOST_JOBS}")
        if not 0 < timeout <= MOST_SECONDS:
            raise ValueError(f"timeout={timeout:g} is not possible: it must be more than 0 and at most 10^9")
        self._timeout = timeout
        self._jobs = jobs
        self._workers: list[_Worker] = []

    def check(self, texts: Iterable[str], size: tuple[int, int] | None = None) -> None:
        """Make every player once, in one of the processes."""
        for text in texts:
            worker = self._idle() or self._hire()
            worker.pipe.send((text, size))
            _raise(worker.receive())

    def play(self, tasks: Iterable[Task]) -> Generator[Outcome]:
        """Play the games."""
        waiting = iter(tasks)
        task = next(waiting, None)
        try:
            while True:
                while task is not None and (worker := self._idle()) is not None:
                    worker.start(task)
                    task = next(waiting, None)
                busy = self._busy()
                if not busy:
                    return
                wait([worker.pipe for worker in busy], _LOOK_SECONDS)
                for worker in busy:
                    if (played := self._look_at(worker)) is not None:
                        yield played
        finally:
            self._end(self._busy())

    def close(self) -> None:
        """End all processes."""
        self._end(list(self._workers))

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.task is not None]

    def _end(self, workers: Iterable[_Worker]) -> None:
        leaving = list(workers)
        for worker in leaving:
            worker.dismiss()
        deadline = time.monotonic() + _PATIENCE
        for worker in leaving:
            worker.end(deadline)
            self._workers.remove(worker)

    def _idle(self) -> _Worker | None:
        # One that died between two games has lost none.
        self._end([worker for worker in self._workers if worker.task is None and worker.is_dead()])
        for worker in self._workers:
            if worker.task is None:
                return worker
        return self._hire() if len(self._workers) < self._jobs else None

    def _hire(self) -> _Worker:
        worker = _Worker()
        self._workers.append(worker)
        return worker

    def _look_at(self, worker: _Worker) -> Outcome | None:
        """The game of a worker, if it is over: by itself, because the process died, or because it took too long."""
        assert worker.task is not None
        thinking = worker.thinking()
        if worker.pipe.poll():
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                return self._lost(worker, f"its process died: {worker.last_words()}", thinking)
            worker.task = None
            _raise(answer)
            assert isinstance(answer, Outcome)
            return answer
        if thinking > self._timeout:
            return self._lost(worker, f"no move within {self._timeout:g} seconds", thinking)
        return None

    def _lost(self, worker: _Worker, reason: str, thinking: float) -> Outcome:
        """Put down the game of a worker that is no more as lost by the side to move, after so many seconds."""
        task = worker.task
        assert task is not None
        self._end([worker])
        return forfeited(task, worker.moves(), reason, worker.seconds(), thinking)


class _Worker:
    """One process and what there is to know of it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as file, theirs:
            file.truncate(glance.BYTES)
            self._glance = glance.Glance(file.fileno())
            handles = theirs.fileno(), file.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fingal.arena.worker", *map(str, handles), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                pass_fds=handles,
                # Ctrl-C is this process's affair: it ends the games in order.
                start_new_session=True,
            )
        self.pipe: Connection[Any, Any] = Connection(ours.detach())
        self.task: Task | None = None

    def start(self, task: Task) -> None:
        """Begin a game."""
        self._glance.wait()
        self.task = task
        # A process that has died since is noticed when its answer is read.
        with contextlib.suppress(OSError):
            self.pipe.send(task)

    def receive(self) -> object:
        """Its next answer; PlayerError when it dies."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            raise PlayerError(f"a process that makes players died: {self.last_words()}") from None

    def thinking(self) -> float:
        """Seconds since the last move."""
        return self._glance.thinking()

    def seconds(self) -> list[float]:
        """What Black and White took for the moves of its game so far."""
        return self._glance.seconds()

    def moves(self) -> list[int]:
        """The moves of its game so far, without the opening's."""
        return self._glance.moves()

    def last_words(self) -> str:
        """How it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        code = self._process.returncode
        return signal.Signals(-code).name if code is not None and code < 0 else f"exit status {code}"

    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def dismiss(self) -> None:
        """Ask it to close its players and end."""
        if not self.is_dead():
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """End it, by force after the deadline."""
        self.dismiss()
        try:
            self._process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.pipe.close()


def forfeited(task: Task, moves: list[int], reason: str, seconds: list[float], thinking: float) -> Outcome:
    """A game that ended with its process, lost by the side to move.

    ``seconds`` is what Black and White took for their moves, ``thinking`` what the side to move took after them.
    """
    record = formats.read(task.opening)
    for move in moves:
        record.push(record.board().turn, move)
    mover = record.board().turn
    record.players = dict(zip(Colour, task.texts, strict=True))
    record.push(mover, Special.FORFEIT)
    record.result = Result(mover.other, "forfeit")
    taken = list(seconds)
    taken[mover] += max(0.0, thinking)
    return outcome(task, record, f"{task.texts[mover]}: {reason}", taken)


def _raise(answer: object) -> None:
    """Raise what a process sends instead of an answer."""
    if isinstance(answer, Exception):
        raise answer
