"""One run of a tree search with a net: batches of leaves, judged by one thread or by several at once."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator

import numpy as np

from fingal import _core
from fingal.background import EVERY, Flag, run_interruptibly
from fingal.search.evaluator import Evaluator, Positions

SLICE = 0.1
"""Threads that search together stop after so many seconds, for whoever looks at the tree,"""
LEAST_BATCHES = 8
"""but not before each has had time for so many batches, since while one stops it waits for the others;"""
MOST_SLICE = 0.5
"""never later than this, so that nobody who wants to say something waits for long."""


class Crew:
    """The threads of one run, its limits and its plans. A lock keeps the tree to one of them at a time.

    A thread takes a batch of leaves from the tree, lets the evaluator judge them without the lock, and hands the
    judgements in. Visits under way count as losses, so that each finds leaves of its own. Where there are none, it
    waits for the judgements of another. When Gumbel's root drops half of its moves, all judgements are in.
    """

    def __init__(
        self,
        tree: _core.TreeSearch,
        evaluator: Evaluator,
        size: tuple[int, int],
        settings: _core.SearchSettings,
        plans: Iterator[int],
        batch: int,
        stop: Flag,
        seconds: float | None,
        nodes: int,
    ) -> None:
        """Begin with the first of the plans, each a number of simulations. ``nodes``: the tree grows to so many."""
        self._tree, self._evaluator, self._size, self._settings, self._plans = tree, evaluator, size, settings, plans
        self._batch = batch
        self._stop = stop
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._nodes = nodes
        self._changed = threading.Condition()
        self._under_way = 0
        self._is_over = False
        self._planned = 0
        self.longest = 0.0
        """Seconds that the longest batch so far took, of those of several threads."""
        self._arrays = [self._room()]
        self._plan()

    def batch(self, worker: int = 0, until: float | None = None) -> bool:
        """Search one batch of leaves, waiting for other threads where there are none; False when the run is over.

        ``until``: False as well when the clock shows more than this.
        """
        stones, white, last = self._arrays[worker]
        with self._changed:
            while True:
                if self._has_ended() or (until is not None and time.monotonic() >= until):
                    return False
                count = self._tree.select(self._batch, self._planned, stones, white, last, worker)
                if count > 0:
                    break
                if self._under_way > 0:
                    self._changed.wait(EVERY)
                elif self._tree.proof != 0 or not self._plan():
                    self._is_over = True
                    return False
            self._under_way += 1
        try:
            said = self._evaluator(
                Positions(*self._size, np.ascontiguousarray(stones[:, :count]), white[:count], last[:count])
            )
            with self._changed:
                self._tree.update(np.ascontiguousarray(said.logits), np.ascontiguousarray(said.value), worker)
        finally:
            with self._changed:
                self._tree.cancel(worker)  # nothing is left of it unless the evaluator failed
                self._under_way -= 1
                self._changed.notify_all()
        return True

    def together(self, threads: int) -> bool:
        """Search for a while with so many threads; all have stopped when it returns.

        False when the run is over. What one of them raised is raised here. The caller's thread only waits, so that
        Ctrl-C cannot hit a thread that holds the lock.
        """
        self._arrays += [self._room() for _ in range(len(self._arrays), threads)]
        until = time.monotonic() + min(MOST_SLICE, max(SLICE, LEAST_BATCHES * self.longest))
        run_interruptibly([functools.partial(self._work, worker, until) for worker in range(threads)], self._give_up)
        return not self._has_ended()

    def _work(self, worker: int, until: float) -> None:
        """Batch after batch, until the time is up, the run is over, or a thread has failed."""
        try:
            while True:
                began = time.monotonic()
                if not self.batch(worker, until):
                    return
                self.longest = max(self.longest, time.monotonic() - began)
        except Exception:
            self._give_up()
            raise

    def _give_up(self) -> None:
        """End the run, without the lock: the caller may be a thread that Ctrl-C can hit while it takes it."""
        self._is_over = True

    def _has_ended(self) -> bool:
        if self._is_over or self._stop.is_set() or self._tree.nodes >= self._nodes:
            return True
        return self._deadline is not None and time.monotonic() >= self._deadline

    def _plan(self) -> bool:
        """Go on to the next plan; False when there is none."""
        planned = next(self._plans, None)
        if planned is None:
            return False
        self._planned = planned
        self._tree.prepare(planned, self._settings)
        return True

    def _room(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        batch = self._batch
        stones = np.zeros((2, batch, self._tree.words), np.uint64)
        return stones, np.zeros(batch, np.bool_), np.zeros(batch, np.int32)
