"""Sweeps in processes beside each other, with an estimate of when all is done."""

from __future__ import annotations

import functools
import queue
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from fingal.experiments.sweep import Outcome, Sweep, Tell, outcomes, prepare

Watch = Callable[["Progress"], None]


@dataclass
class Progress:
    """How far the work has come."""

    total: float
    """All the work there is, in games that cost 1."""
    kept: float = 0.0
    """What was there before."""
    shares: dict[str, float] = field(default_factory=dict)
    """Of each sweep that was begun, the share that is done."""
    before: dict[str, float] = field(default_factory=dict)
    """Of each of them, the share that was done already when it was taken up again."""
    works: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    """The sweeps that came to nothing, each with a sentence."""
    begun: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> float:
        """The share of all work that is done, from 0 to 1."""
        made = sum(share * self.works[name] for name, share in self.shares.items())
        return min(1.0, (self.kept + made) / self.total) if self.total else 1.0

    @property
    def seconds_left(self) -> float | None:
        """An estimate, by how fast the work went so far; None before anything is done."""
        done = sum(share * self.works[name] for name, share in self.shares.items())
        made = done - sum(share * self.works[name] for name, share in self.before.items())
        left = self.total - self.kept - done
        return None if made <= 0 else max(0.0, left) * (time.monotonic() - self.begun) / made

    def tell(self, name: str, share: float) -> None:
        """Note how far a sweep has come."""
        self.before.setdefault(name, share)
        self.shares[name] = share

    @property
    def under_way(self) -> list[str]:
        """The sweeps that are being trained."""
        return [name for name, share in self.shares.items() if share < 1 and name not in self.failed]


class Hand:
    """A process that trains one sweep after the other; when it dies, the next sweep has a new one."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._process: subprocess.Popen[str] | None = None
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (closed with the hand)

    def train(self, place: Path, tell: Tell) -> str:
        """Train the sweep of a folder; gives a sentence when it came to nothing, and '' otherwise."""
        process = self._process
        if process is None:
            command = [sys.executable, "-m", "fingal.experiments.worker"]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, text=True)
            self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{place}\n")
        process.stdin.flush()
        for line in process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word in ("done", "refused"):
                return rest
            tell(float(word))
        self._process = None
        with process:
            process.stdin.close()
        self._errors.seek(0)
        said = self._errors.read().strip().splitlines()
        self._errors.truncate(0)
        return said[-1] if said else f"ended with status {process.returncode}"

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.terminate()

    def close(self) -> None:
        """Let the process end, and wait for it."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
        self._errors.close()


def work(
    sweeps: Sequence[Sweep], folder: Path, processes: int, watch: Watch = lambda progress: None
) -> tuple[dict[str, list[Outcome]], dict[str, str]]:
    """Train what is not there yet: what came of each sweep, and a sentence for each that failed.

    Stopped or killed, it goes on where it was when it is called again.
    """
    found = {sweep.name: kept for sweep in sweeps if (kept := outcomes(sweep, folder)) is not None}
    waiting = sorted((sweep for sweep in sweeps if sweep.name not in found), key=lambda sweep: -sweep.work)
    progress = Progress(sum(sweep.work for sweep in sweeps), sum(s.work for s in sweeps if s.name in found))
    progress.works = {sweep.name: sweep.work for sweep in sweeps}
    hands: queue.SimpleQueue[Hand] = queue.SimpleQueue()
    everyone = [Hand() for _ in range(min(processes, len(waiting)))]
    for hand in everyone:
        hands.put(hand)

    def run(sweep: Sweep) -> None:
        hand = hands.get()
        progress.shares[sweep.name] = 0.0
        failure = hand.train(prepare(sweep, folder), functools.partial(progress.tell, sweep.name))
        if failure:
            progress.failed[sweep.name] = failure
        progress.shares[sweep.name] = 1.0
        hands.put(hand)

    pool = ThreadPoolExecutor(max(1, len(everyone)))
    left: set[Future[None]] = {pool.submit(run, sweep) for sweep in waiting}
    try:
        while left:
            ended, left = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                future.result()
            watch(progress)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for hand in everyone if left else ():
            hand.stop()
        pool.shutdown()
        for hand in everyone:
            hand.close()
    for sweep in waiting:
        kept = outcomes(sweep, folder)
        if kept is not None:
            found[sweep.name] = kept
    return found, progress.failed
