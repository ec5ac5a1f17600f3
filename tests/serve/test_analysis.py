"""Analysis over HTP: lines while the player searches, until the next command."""

import io
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import pytest

from fingal.game import WHITE
from fingal.players import spec
from fingal.serve.htp import HtpEngine, serve

INFO = re.compile(
    r"info move ([a-z]\d+) visits (\d+) winrate ([\d.]+) prior ([\d.]+) order (\d+) pv ((?:[a-z]\d+ ?)+?)(?= info|$)"
)


def read(line: str) -> list[tuple[str, ...]]:
    """The candidates of a report; AssertionError unless it holds nothing else."""
    found = INFO.findall(line)
    assert " ".join(match[0].strip() for match in INFO.finditer(line)) == line
    assert [int(row[4]) for row in found] == list(range(len(found)))
    assert all(row[5].split()[0] == row[0] for row in found)
    return found


@contextmanager
def talking(player: str) -> Iterator[tuple[int, BinaryIO]]:
    """A server in a thread: where to write, and where to read its answers."""
    to_engine, from_us = os.pipe()
    from_engine, to_us = os.pipe()
    with os.fdopen(to_engine, "rb") as input, os.fdopen(to_us, "wb") as output, os.fdopen(from_engine, "rb") as answers:
        thread = threading.Thread(target=serve, args=(player, input, output))
        thread.start()
        try:
            yield from_us, answers
        finally:
            os.close(from_us)  # however the test ends: a server that waits would keep the process alive
            thread.join(30)
        assert not thread.is_alive()


def lines_of(answers: BinaryIO) -> list[str]:
    """The lines of one answer."""
    lines: list[str] = []
    while (line := answers.readline().decode()) not in ("\n", ""):
        lines.append(line.rstrip("\n"))
    return lines


def test_reports_come_until_the_next_command() -> None:
    with talking("uct:seed=1") as (controller, answers):
        os.write(controller, b"boardsize 11\n5 kata-analyze b 1\n")
        assert lines_of(answers) == ["= "]
        assert answers.readline() == b"=5 \n"
        visits = [sum(int(row[1]) for row in read(answers.readline().decode().rstrip("\n"))) for _ in range(4)]
        assert visits == sorted(set(visits))
        os.write(controller, b"play b d4\n")
        for line in lines_of(answers):
            read(line)
        assert lines_of(answers) == ["= "]
        os.write(controller, b"lz-analyze interval 1\n")
        assert answers.readline() == b"= \n"
        for move, _, rate, prior, *_ in read(answers.readline().decode().rstrip("\n")):
            assert move != "d4"
            assert 0 <= int(rate) <= 10_000
            assert 0 <= int(prior) <= 10_000
        os.write(controller, b"# interrupt\n")
        lines_of(answers)
        os.write(controller, b"quit\n")
        assert lines_of(answers) == ["= "]


@pytest.mark.parametrize("after", [b"", b"# interrupt\n", b"name\n", b"\n"])
def test_what_is_sent_at_once_ends_the_analysis_at_once(after: bytes) -> None:
    output = io.BytesIO()
    assert serve("uct:seed=1,name=x", io.BytesIO(b"boardsize 5\nkata-analyze 100000\n" + after), output) == 0
    first, second, *rest = output.getvalue().decode().split("\n\n")
    assert first == "= "
    status, *reports = second.split("\n")
    assert status == "= "
    assert len(reports) == 1
    read(reports[0])
    assert rest == (["= Fingal x", ""] if after == b"name\n" else [""])


def test_what_is_proven_stands_until_the_next_command() -> None:
    with talking("uct") as (controller, answers):
        os.write(controller, b"boardsize 2\nplay b a2\nkata-analyze w\n")
        assert (lines_of(answers), lines_of(answers)) == (["= "], ["= "])
        assert answers.readline() == b"= \n"
        rows = read(answers.readline().decode().rstrip("\n"))
        assert {(row[0], float(row[2])) for row in rows} == {("a1", 0.0), ("b1", 0.0), ("b2", 0.0)}  # White is lost
        os.write(controller, b"quit\n")
        lines_of(answers)


def test_once() -> None:
    engine = HtpEngine(spec.make("uct:sims=50,knowledge=0,seed=1"))
    engine.answer("boardsize 5")
    for line, visits in (("fingal-analyze", 50), ("fingal-analyze b 80", 130), ("fingal-analyze w 70", 70)):
        status, *lines = engine.answer(line).rstrip("\n").split("\n")
        assert status == "= "
        rows = [read(re.sub(r"order \d+", "order 0", text))[0] for text in lines]
        assert sum(int(row[1]) for row in rows) == visits
    assert engine.record.end.turn is None
    for number in (0, -3):
        assert engine.answer(f"fingal-analyze b {number}") == f"? {number} is not possible: at least 1 is expected\n\n"


def test_an_interrupt_that_comes_at_once_leaves_one_move() -> None:
    engine = HtpEngine(spec.make("uct:seed=1"))
    assert engine.answer("fingal-analyze", interrupted=True).count("info move") == 1


def test_without_a_reader_there_is_one_report() -> None:
    engine = HtpEngine(spec.make("uct:seed=1"))
    engine.answer("boardsize 5")
    status, report, *rest = engine.answer("3 kata-analyze white").split("\n")
    assert status == "=3 "
    assert len(read(report)) > 0
    assert rest == ["", ""]
    assert engine.record.end.turn is None
    assert engine.board.turn is not WHITE


def test_where_there_is_nothing_to_analyse() -> None:
    engine = HtpEngine(spec.make("uct:seed=1"))
    engine.answer("boardsize 1")
    engine.answer("play b a1")
    for line in ("kata-analyze", "lz-analyze w", "fingal-analyze"):
        assert engine.answer(line) == "? the game is over: black has won\n\n"
    engine = HtpEngine(spec.make("random"))
    assert engine.answer("kata-analyze").startswith("? random does not search")


def test_a_reader_that_leaves_ends_it() -> None:
    to_engine, from_us = os.pipe()
    from_engine, to_us = os.pipe()
    with os.fdopen(to_engine, "rb") as input, os.fdopen(to_us, "wb") as output:
        thread = threading.Thread(target=serve, args=("uct", input, output))
        thread.start()
        os.write(from_us, b"kata-analyze 1\n")
        os.read(from_engine, 10)
        os.close(from_engine)
        thread.join(30)
        assert not thread.is_alive()
        os.close(from_us)
