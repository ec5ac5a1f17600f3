"""A log with at most so many entries a second, written by a thread: neither a flood nor a full pipe stops anyone."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Iterator
from typing import TextIO

ENTRIES_A_SECOND = 20
"""Entries that are written in a second; as many may wait."""

MOST_CHARACTERS = 8_000
"""Of one entry; what is beyond is cut off."""


class BoundedHandler(logging.Handler):
    """Writes entries to a stream; one line says how many there was no room for."""

    def __init__(self, stream: TextIO, entries_a_second: int = ENTRIES_A_SECOND, second: float = 1.0) -> None:
        """``second`` is how long one is."""
        super().__init__()
        self._stream, self._most, self._second = stream, entries_a_second, second
        self._waiting: queue.Queue[str] = queue.Queue(entries_a_second)
        self._left_out = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Hand an entry to the thread, or count it where too many wait."""
        if self._waiting.full():  # before it is formatted: a traceback takes longer than all else
            self._left_out += 1
            return
        try:
            self._waiting.put_nowait(self.format(record)[:MOST_CHARACTERS])
        except queue.Full:
            self._left_out += 1

    def close(self) -> None:
        """Write what waits, unless nobody takes it."""
        self._over.set()
        self._thread.join(1.0)
        super().close()

    def _write(self) -> None:
        while not self._over.is_set():
            end = time.monotonic() + self._second
            self._write_some()
            self._report()
            self._over.wait(max(0.0, end - time.monotonic()))
        self._write_some()
        self._report()

    def _write_some(self) -> None:
        """Write the entries of a second, as they come."""
        end = time.monotonic() + self._second
        for _ in range(self._most):
            try:
                left = 0.0 if self._over.is_set() else max(0.0, end - time.monotonic())
                text = self._waiting.get(timeout=left) if left else self._waiting.get_nowait()
            except queue.Empty:
                return
            self._put(text)

    def _put(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the disk is full, or nobody reads the log any more
            self._stream.write(f"{line}\n")
            self._stream.flush()

    def _report(self) -> None:
        self.acquire()
        count, self._left_out = self._left_out, 0
        self.release()
        if count:
            self._put(f"{count} more log entries were left out")


@contextlib.contextmanager
def bounded_log(stream: TextIO) -> Iterator[None]:
    """Have all entries of this process's loggers, warnings and worse, written so."""
    handler = BoundedHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
