"""A few threads and two queues: what is urgent goes first, what can give way does."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

SLICE = 0.5
"""Seconds that a job that can give way has before it does so for another that waits; to an urgent one, at once."""
MOST_WAITING = 64
"""So much may wait in a queue."""
PATIENCE = 5.0
"""Seconds to wait for what cannot be interrupted, at the end."""

_log = logging.getLogger(__name__)


class Busy(Exception):
    """Too much is waiting already. The message is one sentence for a person."""


@dataclass(eq=False)
class Job:
    """Something to do. What it tells is told under its lock, so that nothing comes after ``cancel`` has returned."""

    key: str
    urgent: bool
    gives_way: bool
    """Whether it stops at once when a move waits; what does not may not take the last thread."""
    work: Callable[[Job], bool]
    """Does it, or a part of it: whether it is done."""
    fail: Callable[[Exception], None]
    lock: threading.RLock = field(default_factory=threading.RLock)
    cancelled: bool = False
    interrupt: Callable[[], None] | None = None
    """Ends what is under way soon, while something is."""
    stopped: bool = False
    """Whether that was done."""
    forgotten: bool = False
    """Whether its player is not wanted afterwards either."""
    after: Job | None = None
    """What begins under the same key when this one has ended."""
    seconds: float = 0.0
    """Of thinking, so far."""

    def tell(self, say: Callable[[], None]) -> None:
        """Say something, unless nobody wants to hear it any more."""
        with self.lock:
            if not self.cancelled:
                say()

    def cancel(self) -> None:
        """End it soon; nothing more is told from now on."""
        with self.lock:
            self.cancelled = True
            self.stop()

    def stop(self) -> None:
        """End what is under way soon; what it finds is told."""
        with self.lock:
            if self.interrupt is not None:
                self.stopped = True
                self.interrupt()

    @contextlib.contextmanager
    def interruptible(self, interrupt: Callable[[], None] | None) -> Iterator[None]:
        """While this is entered, cancelling interrupts, where it can; never afterwards: the player is another's."""
        with self.lock:
            self.interrupt = interrupt
            if self.cancelled:
                self.stop()
        try:
            yield
        finally:
            with self.lock:
                self.interrupt = None


class Jobs:
    """Does jobs in threads of its own, one at a time for each key. It may be called from any thread."""

    def __init__(self, most: int) -> None:
        """``most`` threads; where there are several, one is always left for what is urgent or can give way."""
        self.most = most
        self._change = threading.Condition()
        self._urgent: deque[Job] = deque()
        self._calm: deque[Job] = deque()
        self._jobs: dict[str, Job] = {}
        """By key: what waits or runs."""
        self._running: set[Job] = set()
        self._workers: list[threading.Thread] = []
        self._closed = False

    def add(self, job: Job) -> None:
        """Do a job, instead of what there is under its key; ``Busy`` when too much is waiting."""
        with self._change:
            if self._closed:
                raise Busy("Fingal is being closed.")
            queue = self._urgent if job.urgent else self._calm
            if len(queue) >= MOST_WAITING:
                raise Busy(f"{MOST_WAITING} searches are waiting already: try again in a while.")
            old = self._take_out(job.key)
            if old is not None and old in self._running:
                # It stops in a moment; then its player, with its tree, is there for the new one.
                old.after = job
            else:
                self._queue(job)
        if old is not None:
            # Outside of the lock: what is telling something at this moment may need it.
            old.cancel()

    def cancel(self, key: str, *, forget: bool = False) -> None:
        """End what is under way for a key, if anything is; nothing more is told of it."""
        with self._change:
            job = self._take_out(key)
        if job is not None:
            job.forgotten = job.forgotten or forget
            job.cancel()

    def must_give_way(self, seconds: float) -> bool:
        """Whether a job that has been at work for some seconds, and can give way, should do so now."""
        with self._change:
            return bool(self._urgent) or (seconds > SLICE and self._first_calm() is not None)

    def close(self) -> None:
        """End everything and wait for it, though not for long; nothing more is told."""
        with self._change:
            self._closed = True
            waiting = list(self._jobs)
        for key in waiting:
            self.cancel(key)
        with self._change:
            self._change.notify_all()
        end = time.monotonic() + PATIENCE
        for worker in self._workers:
            worker.join(max(0.0, end - time.monotonic()))

    def __len__(self) -> int:
        """How many are under way or waiting."""
        with self._change:
            return len(self._jobs)

    def _take_out(self, key: str) -> Job | None:
        """The job of a key, to be cancelled: no longer waiting, and without one that comes after it."""
        job = self._jobs.get(key)
        if job is None:
            return None
        job.after = None
        for queue in (self._urgent, self._calm):
            if job in queue:
                queue.remove(job)
                self._drop(job)
        return job

    def _queue(self, job: Job) -> None:
        self._jobs[job.key] = job
        (self._urgent if job.urgent else self._calm).append(job)
        if len(self._workers) < self.most:
            name = f"search {len(self._workers) + 1}"
            self._workers.append(threading.Thread(target=self._serve, name=name, daemon=True))
            self._workers[-1].start()
        self._change.notify()

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            done = True
            try:
                done = job.cancelled or job.work(job)
            except Exception as error:
                self._report(job, error)
            with self._change:
                self._running.discard(job)
                if done or job.cancelled or job.after is not None:
                    self._drop(job)
                else:
                    self._calm.append(job)
                self._change.notify_all()

    def _next(self) -> Job | None:
        """The next thing to do; None when all is over."""
        with self._change:
            while True:
                job = self._urgent[0] if self._urgent else self._first_calm()
                if job is not None:
                    (self._urgent if job.urgent else self._calm).remove(job)
                    self._running.add(job)
                    return job
                if self._closed:
                    return None
                self._change.wait()

    def _first_calm(self) -> Job | None:
        """The first that may begin: of several threads one is left for what gives way, and for what is urgent."""
        stubborn = sum(not job.gives_way and not job.urgent for job in self._running)
        may = (job for job in self._calm if job.gives_way or stubborn < max(1, self.most - 1))
        return next(may, None)

    def _drop(self, job: Job) -> None:
        """Take a job from the books and begin the one that comes after it."""
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]
        if job.after is not None and not self._closed:
            self._queue(job.after)
            job.after = None

    def _report(self, job: Job, error: Exception) -> None:
        try:
            job.tell(lambda: job.fail(error))
        except Exception:
            # Whoever asked is gone; the thread has others to serve.
            _log.exception("what a search found could not be told")
