"""Calls in threads of their own: they are stopped and waited for, whatever interrupts the wait."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from fingal.background import BackgroundCall, run_interruptibly


@pytest.fixture(autouse=True)
def _interrupts_are_heard() -> Iterator[None]:
    """Also where this runs in the background of a shell that has Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Work:
    """A call that lasts until it is stopped, and a little longer; the interrupts that it sends come meanwhile."""

    def __init__(self, slow: float = 0.0, interrupts: int = 0) -> None:
        self.has_begun, self.is_stopped = threading.Event(), threading.Event()
        self.slow, self.interrupts, self.ended = slow, interrupts, 0

    def __call__(self) -> int:
        self.has_begun.set()
        if self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
        assert self.is_stopped.wait(60)
        for _ in range(1, self.interrupts):
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(self.slow)
        self.ended += 1
        return 7

    def stop(self) -> None:
        self.is_stopped.set()


def test_results_come_in_the_order_of_the_calls() -> None:
    first = threading.Event()

    def late() -> int:
        first.wait(60)
        return 1

    def early() -> int:
        first.set()
        return 2

    assert run_interruptibly([late, early], lambda: None) == [1, 2]


def test_an_interrupt_is_raised_after_every_call_has_ended() -> None:
    works = Work(0.05, interrupts=1), Work(0.1)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(works, lambda: list(map(Work.stop, works)))
    # One that had not begun when the other was interrupted never begins.
    assert [work.ended for work in works] == [1, int(works[1].has_begun.is_set())]


def test_a_second_interrupt_does_not_leave_a_call_at_work() -> None:
    work = Work(0.5, interrupts=3)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly([work], work.stop)
    assert work.ended == 1


@pytest.mark.parametrize("place", [0, 1])
def test_an_error_of_one_call_stops_the_others(place: int) -> None:
    work = Work()

    def fail() -> int:
        assert work.has_begun.wait(60)
        raise OSError("no luck")

    calls: list[Callable[[], int]] = [work]
    calls.insert(place, fail)
    with pytest.raises(OSError, match="no luck"):
        run_interruptibly(calls, work.stop)
    assert work.ended == 1


def test_an_error_of_the_check_stops_the_calls() -> None:
    work = Work()

    def check() -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run_interruptibly([work], work.stop, check)
    assert work.ended == 1


def test_a_call_whose_start_was_interrupted_never_begins() -> None:
    begun: list[int] = []
    call = BackgroundCall(lambda: begun.append(1), lambda: None)
    call.end()
    ended = threading.Event()

    def begin() -> None:  # the thread that ``start`` has left behind
        call._work()
        ended.set()

    threading.Thread(target=begin).start()
    assert ended.wait(60)
    assert begun == []


def test_wait_says_whether_the_call_has_ended() -> None:
    work = Work()
    call = BackgroundCall(work, work.stop)
    call.start()
    assert not call.wait(0.01)
    call.end()
    assert call.wait(0.0)
    assert call.result() == 7


def test_no_call_begins_while_python_ends() -> None:
    """What is registered first runs last: after all calls under way were ended."""
    program = """
import atexit, threading, time

begun = []

def count():
    before = len(begun)
    time.sleep(0.5)
    print(before > 0, len(begun) - before)

atexit.register(count)
from fingal.background import run_interruptibly

def work():
    while True:
        run_interruptibly([lambda: begun.append(1)], lambda: None)

threading.Thread(target=work, daemon=True).start()
while not begun:
    time.sleep(0.001)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "True 0\n")
