"""Calls in threads of their own: they are stopped and waited for, whatever interrupts the wait."""

import os
import signal
import threading
import time

import pytest

from fingal.background import BackgroundCall, run_interruptibly


class Work:
    """A call that lasts until it is stopped, and a little longer."""

    def __init__(self, slow: float = 0.0) -> None:
        self.is_stopped, self.slow = threading.Event(), slow
        self.ended = 0

    def __call__(self) -> int:
        self.is_stopped.wait(60)
        time.sleep(self.slow)
        self.ended += 1
        return 7

    def stop(self) -> None:
        self.is_stopped.set()


def send_interrupt(after: float) -> threading.Timer:
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


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
    works = Work(0.05), Work(0.1)
    timer = send_interrupt(0.1)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(works, lambda: [work.stop() for work in works])
    assert [work.ended for work in works] == [1, 1]
    timer.join()


def test_a_second_interrupt_does_not_leave_a_call_at_work() -> None:
    work = Work(1.0)
    timers = [send_interrupt(after) for after in (0.1, 0.3, 0.4)]
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly([work], work.stop)
    assert work.ended == 1
    for timer in timers:
        timer.join()


def test_an_error_of_one_call_stops_the_others() -> None:
    work = Work()

    def fail() -> int:
        raise OSError("no luck")

    with pytest.raises(OSError, match="no luck"):
        run_interruptibly([fail, work], work.stop)
    assert work.ended == 1 or not work.is_stopped.is_set()  # it may not even have begun


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
