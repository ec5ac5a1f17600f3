"""The store in threads of its own: the server's thread never waits for the disk or for another program's lock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from fingal.serve.web.refusal import Refusal
from fingal.serve.web.store import LOCKED, Store

PATIENCE = 5.0
"""Seconds that one request waits for the store before it is refused."""

MOST_WAITING = 256
"""Requests that may wait for each of the two threads; the next one is refused at once."""

P = ParamSpec("P")
T = TypeVar("T")


class _Lane:
    """One thread with a bounded queue."""

    def __init__(self, name: str) -> None:
        """Start the thread at the first request."""
        self._thread = ThreadPoolExecutor(1, name)
        self._waiting = 0
        self._closed = False

    async def run(self, work: Callable[[float], T]) -> T:
        """Run a function of the seconds that are left in the thread; ``Refusal`` when the queue is full or slow."""
        if self._closed:
            raise Refusal("busy", "the server is stopping: nothing was changed")
        if self._waiting >= MOST_WAITING:
            raise Refusal("busy", "too many changes are waiting to be stored: try again in a moment")
        end = time.monotonic() + PATIENCE

        def run() -> T:
            if (left := end - time.monotonic()) <= 0:
                raise Refusal("busy", LOCKED)
            return work(left)

        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, run)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Finish what waits, and refuse what comes later."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)


class StoreQueue:
    """Runs the methods of a store, those that write one after another, those that read beside them."""

    def __init__(self, store: Store) -> None:
        """The store must be used by nobody else from now on."""
        self.store = store
        self._writes, self._reads = _Lane("store writer"), _Lane("store reader")

    async def write(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a method that writes; ``Refusal`` when it could not be carried out, and nothing has changed."""

        def write(left: float) -> T:
            self.store.wait_at_most(left)
            return work(*args, **kwargs)

        return await self._writes.run(write)

    async def read(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a method that reads, with everything in it that has been written; ``Refusal`` on failure."""
        return await self._reads.run(lambda left: work(*args, **kwargs))

    async def close(self) -> None:
        """Finish all requests, then close the store."""
        await self._writes.close()
        await self._reads.close()
        self.store.close()
