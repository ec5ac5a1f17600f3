"""Calls that run in threads of their own, such as searches in the core, and waiting for them without losing them.

``Thread.join`` cannot be trusted after Ctrl-C: in Python 3.11 and 3.12 an interrupted ``join`` marks a thread as ended
that is still at work. So a call is waited for by a flag that its thread sets as the last thing it does. Nor can
``Condition``, ``Event``, ``Queue`` and ``Thread.start`` in the main thread: their locks are taken in Python code, which
an interrupt can leave with the lock held. There a plain lock, ``Flag`` or ``SimpleQueue`` does instead.
"""

from __future__ import annotations

import atexit
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

EVERY = 0.2
"""Seconds between two requests to stop, and between two calls of ``check``."""


_running: set[BackgroundCall[Any]] = set()
"""Calls under way, which ``atexit`` ends: the core must not be at work while Python takes itself down."""


class Flag:
    """A flag that any thread may set. ``threading.Event`` has a lock, which an interrupt can leave locked for ever."""

    __slots__ = ("_is_set",)

    def __init__(self) -> None:
        """Begin without it set."""
        self._is_set = False

    def set(self) -> None:
        """Set it."""
        self._is_set = True

    def clear(self) -> None:
        """Take it back."""
        self._is_set = False

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._is_set


class BackgroundCall(Generic[T]):
    """One call in a thread of its own. After ``start``, ``end`` must follow, whatever happens in between."""

    def __init__(self, call: Callable[[], T], stop: Callable[[], object]) -> None:
        """Prepare a call; ``stop`` makes it return soon, may be called from any thread, at any time and repeatedly."""
        self._call: Callable[[], T] | None = call
        self._stop: Callable[[], object] | None = stop
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._gate = threading.Lock()
        self._is_cancelled = False
        self._has_begun = False
        self._has_ended = False
        # Held until the call ends, to sleep on; whether the call has ended is for the flag to say, since an interrupt
        # may leave this locked.
        self._bell = threading.Lock()
        self._bell.acquire()

    def start(self) -> None:
        """Begin the call."""
        start_new_thread(self._work, ())

    def wait(self, seconds: float) -> bool:
        """Wait for at most so many seconds; whether the call has ended. An interrupt is raised at once."""
        if not self._has_ended and self._bell.acquire(timeout=seconds):
            self._bell.release()
        return self._has_ended

    def end(self) -> None:
        """Stop the call and wait until it has ended. An interrupt that comes meanwhile is raised after that."""
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                if self._is_over():
                    break
                if self._stop is not None:
                    self._stop()
                self.wait(EVERY)
            except KeyboardInterrupt as error:
                interrupt = error
        self._call = self._stop = None  # a thread that has not begun holds on to this until Python ends
        if interrupt is not None:
            raise interrupt

    @property
    def has_failed(self) -> bool:
        """Whether the call has ended with an exception that ``result`` has not raised yet."""
        return self._has_ended and self._error is not None

    def result(self) -> T:
        """What the call returned; raises what it raised, once."""
        if self._error is not None:
            error, self._error = self._error, None  # its traceback will hold on to this call
            raise error
        return self._results[0]

    def _is_over(self) -> bool:
        """Whether nothing runs and nothing will: a thread that an interrupted ``start`` left behind does not begin."""
        with self._gate:
            if not self._has_begun:
                self._is_cancelled = True
                return True
        return self._has_ended

    def _work(self) -> None:
        with self._gate:
            if self._is_cancelled:
                return
            self._has_begun = True
            call, self._call = self._call, None
        assert call is not None
        _running.add(self)
        try:
            if _is_exiting.is_set():  # a daemon thread would begin one call after the other
                raise RuntimeError("Python is ending: no call can begin")
            self._results.append(call())
        except BaseException as error:
            self._error = error
        del call  # what the thread still holds when Python ends is never freed
        _running.discard(self)
        self._has_ended = True
        self._bell.release()


def run_interruptibly(
    calls: Sequence[Callable[[], T]], stop: Callable[[], object], check: Callable[[], object] = lambda: None
) -> list[T]:
    """Run calls side by side, each in a thread of its own, and return their results.

    ``check`` is called every ``EVERY`` seconds meanwhile. When it raises, when Ctrl-C is pressed or when a call raises,
    ``stop`` ends the calls; all threads have ended before the exception leaves this function.
    """
    running = [BackgroundCall(call, stop) for call in calls]
    try:
        try:
            for call in running:
                call.start()
            for call in running:
                while not call.wait(EVERY):
                    check()
                    for other in running:
                        if other.has_failed:
                            other.result()
                call.result()
        finally:
            _end(running)
    finally:
        # A second interrupt may have come at the very moment the first ``_end`` began.
        _end(running)
    return [call.result() for call in running]


def _end(running: Sequence[BackgroundCall[Any]]) -> None:
    """End all calls, even if an interrupt comes while one of them is waited for."""
    interrupt: KeyboardInterrupt | None = None
    for call in running:
        try:
            call.end()
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


_is_exiting = Flag()
"""Whether Python takes itself down, so that no call may begin."""


@atexit.register
def _end_all() -> None:
    _is_exiting.set()
    _end(list(_running))


if hasattr(os, "register_at_fork"):
    # The threads of these calls are not in the new process.
    os.register_at_fork(after_in_child=_running.clear)
