"""The log of a server that is attacked."""

import io
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from fingal.serve.web.bounded_log import MOST_CHARACTERS, BoundedHandler


@contextmanager
def logger(handler: BoundedHandler) -> Iterator[logging.Logger]:
    found = logging.Logger("attacked")
    found.addHandler(handler)
    try:
        yield found
    finally:
        handler.close()


def test_what_a_flood_left_out_is_counted() -> None:
    stream = io.StringIO()
    with logger(BoundedHandler(stream, 5, 3600.0)) as log:
        for number in range(10_000):
            log.warning("entry %d", number)
    lines = stream.getvalue().splitlines()
    entries = [line for line in lines if line.startswith("entry ")]
    left_out = [re.fullmatch(r"(\d+) more log entries were left out", line) for line in lines if line not in entries]
    assert entries[0] == "entry 0"
    assert len(entries) <= 20
    assert len(entries) + sum(int(match[1]) for match in left_out if match) == 10_000


def test_what_is_calm_is_written_whole() -> None:
    stream = io.StringIO()
    with logger(BoundedHandler(stream)) as log:
        log.error("one\ntwo")
        log.error("three")
    assert stream.getvalue() == "one\ntwo\nthree\n"


def test_an_entry_has_an_end() -> None:
    stream = io.StringIO()
    with logger(BoundedHandler(stream)) as log:
        log.error("x" * 10**6)
    assert len(stream.getvalue()) == MOST_CHARACTERS + 1


def test_a_log_that_nobody_reads_stops_nobody() -> None:
    reading, writing = os.pipe()
    try:
        with open(writing, "w", encoding="utf-8", closefd=False) as stream:
            handler = BoundedHandler(stream, 1000, 0.001)
            with logger(handler) as log:
                for _ in range(5000):
                    log.warning("x" * 1000)  # far more than a pipe holds
            assert handler._thread.is_alive()
            while handler._thread.is_alive():
                os.read(reading, 2**16)
                handler._thread.join(0.01)
    finally:
        os.close(reading)
        os.close(writing)
