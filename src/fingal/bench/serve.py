"""The web app under load: ``fingal bench serve``.

A server in a process of its own has, all at once: two hundred sockets that only listen, twenty live analyses, ten
thousand messages that are none, a thousand that are too long, pages of foreign origins that knock, and six honest pages
that play. What counts is whether the honest ones are answered, how soon, and what the server's memory does meanwhile.
Then another server is measured in calm and while its connections are being used up: see ``half_open``.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from fingal.bench import half_open
from fingal.game import Board
from fingal.serve.web.messages import MOST_BYTES, VERSION

IDLE = 200
ANALYSES = 20
PLAYERS = 6
MALFORMED = 10_000
OVERSIZED = 1_000
SIZE = 11
FILES = 1024
"""Files that the server may have open."""
MOVE_EVERY = 0.25
"""Seconds between two moves of an honest page."""
LOOK_EVERY = 5.0
"""Seconds after which an analysis goes on to another node."""

LABELS = {
    "seconds": "seconds of load",
    "idle_sockets": "sockets that listened to the end",
    "analyses": "live analyses",
    "analysis_messages": "what they were told, messages",
    "malformed_sent": "messages that are none, sent",
    "oversized_sent": "messages that are too long, sent",
    "typed_errors": "answered with a typed error",
    "cut_off": "floods cut off",
    "foreign_tried": "foreign origins that knocked",
    "foreign_served": "foreign origins that were let in",
    "moves_sent": "honest moves sent",
    "moves_answered": "honest moves answered",
    "answer_ms_median": "time to the answer, median, ms",
    "answer_ms_p99": "time to the answer, 99 of 100, ms",
    "answer_ms_most": "time to the answer, longest, ms",
    "memory_before_mb": "the server's memory before, MB",
    "memory_most_mb": "the most meanwhile, MB",
    "memory_after_mb": "after, MB",
} | half_open.LABELS


@dataclass
class Counts:
    """What was seen."""

    idle: int = 0
    told: int = 0
    malformed: int = 0
    oversized: int = 0
    errors: int = 0
    cut: int = 0
    foreign: int = 0
    let_in: int = 0
    sent: int = 0
    waits: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


class Target:
    """The server under load."""

    def __init__(self, folder: Path) -> None:
        """Start it and wait until it answers."""
        code = "from fingal.cli import main; main()"
        command = [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0", "--data", str(folder)]
        # As many files as systems allow a program that does not ask for more.
        limited = ["sh", "-c", f'ulimit -S -n {FILES} 2> /dev/null; exec "$@"', "sh", *command]
        environment = os.environ | {"COLUMNS": "200", "TERM": "dumb"}
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(limited, stderr=log, env=environment)
        line = ""
        while not line.endswith("\n"):
            time.sleep(0.05)
            with self._log.open(encoding="utf-8") as log:
                line = log.readline()
            if not line and self.process.poll() is not None:
                break
        if "http://" not in line:
            raise ValueError(f"the server could not be started: {line.strip()}")
        self.host = line.split("//")[1].strip().rstrip("/")

    def new_game(self) -> str:
        """A game for two people."""
        body = json.dumps({"width": SIZE, "height": SIZE}).encode()
        request = urllib.request.Request(
            f"http://{self.host}/api/games", body, {"content-type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return str(json.load(answer)["id"])

    def log_bytes(self) -> int:
        """The size of its log."""
        return self._log.stat().st_size

    def memory(self) -> float:
        """The process's memory in MB, as the system counts it."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1000
        return 0.0

    def close(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(60)


def measure(seconds: float = 20.0) -> dict[str, float | None]:
    """Load for so many seconds, and what came of it; None for what could not be measured."""
    if not seconds > 0:
        raise ValueError(f"seconds={seconds} is not possible: it must be more than 0")
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder))
        try:
            counts = asyncio.run(_load(target, seconds))
        finally:
            target.close()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder))
        try:
            attacked = asyncio.run(half_open.measure(target, seconds, lambda: _page(target), _moves))
        finally:
            target.close()
    waits = sorted(counts.waits)
    return {
        "seconds": seconds,
        "idle_sockets": counts.idle,
        "analyses": ANALYSES,
        "analysis_messages": counts.told,
        "malformed_sent": counts.malformed,
        "oversized_sent": counts.oversized,
        "typed_errors": counts.errors,
        "cut_off": counts.cut,
        "foreign_tried": counts.foreign,
        "foreign_served": counts.let_in,
        "moves_sent": counts.sent,
        "moves_answered": len(waits),
        "answer_ms_median": 1000 * statistics.median(waits) if waits else None,
        "answer_ms_p99": 1000 * waits[int(0.99 * len(waits))] if waits else None,
        "answer_ms_most": 1000 * waits[-1] if waits else None,
        "memory_before_mb": counts.memory[0],
        "memory_most_mb": max(counts.memory),
        "memory_after_mb": counts.memory[-1],
    } | attacked


def table(results: dict[str, float | None]) -> Table:
    """The results for a person."""
    out = Table(title="The web app under load", title_justify="left", show_header=False)
    for name, label in LABELS.items():
        found = results[name]
        shown = "not measured" if found is None else f"{found:,.1f}" if isinstance(found, float) else f"{found:,}"
        out.add_row(label, shown)
    return out


async def _load(target: Target, seconds: float) -> Counts:
    counts = Counts()
    games = [target.new_game() for _ in range(ANALYSES + PLAYERS)]
    counts.memory.append(target.memory())
    end = time.monotonic() + seconds
    work = [_listen(target, counts, end) for _ in range(IDLE)]
    work += [_look(target, game, counts, end) for game in games[:ANALYSES]]
    work += [_play(target, game, counts, end) for game in games[ANALYSES:]]
    work += [_flood(target, counts, end, seconds), _overflow(target, counts, end, seconds)]
    work += [_knock(target, counts, end), _watch(target, counts, end)]
    await asyncio.gather(*work)
    await asyncio.sleep(2)  # searches end and sockets close
    counts.memory.append(target.memory())
    return counts


@contextlib.asynccontextmanager
async def _page(target: Target, origin: str | None = None) -> AsyncIterator[Any]:
    """A socket that has said hello."""
    from websockets.asyncio.client import connect

    said = origin or f"http://{target.host}"
    async with connect(f"ws://{target.host}/ws", origin=said, compression=None, open_timeout=30) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"type": "hello", "request": 0, "version": VERSION}))
        await socket.recv()
        yield socket


async def request(socket: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    await socket.send(json.dumps(said))
    while (told := json.loads(await socket.recv())).get("request") != said["request"]:
        pass
    return dict(told)


async def _listen(target: Target, counts: Counts, end: float) -> None:
    from websockets.exceptions import ConnectionClosed

    async with _page(target) as socket:
        try:
            while (left := end - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(socket.recv(), left)
            counts.idle += 1
        except ConnectionClosed:
            pass


async def _look(target: Target, game: str, counts: Counts, end: float) -> None:
    """Analyse one node after another of a game of its own."""
    async with _page(target) as socket:
        node, moves = 0, itertools.cycle(_moves(game))
        for number in itertools.count(1):
            await socket.send(json.dumps({"type": "analyse", "request": number, "game": game, "node": node}))
            until = min(end, time.monotonic() + LOOK_EVERY)
            while (left := until - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    told = json.loads(await asyncio.wait_for(socket.recv(), left))
                    counts.told += told["type"] == "analysis"
            if time.monotonic() >= end:
                return
            said = {"type": "play", "request": 10**6, "game": game, "parent": node, "move": next(moves)}
            told = await request(socket, said)
            node = told["node"] if told["type"] == "done" else 0


async def _play(target: Target, game: str, counts: Counts, end: float) -> None:
    """Make moves on an honest page, and time the answers."""
    async with _page(target) as socket:
        parent, moves = 0, iter(_moves(game))
        for number in itertools.count(1):
            if time.monotonic() >= end:
                return
            move = next(moves, None)
            if move is None:
                parent, moves = 0, iter(_moves(f"{game} {number}"))
                continue
            sent = time.monotonic()
            said = {"type": "play", "request": number, "game": game, "parent": parent, "move": move}
            counts.sent += 1
            told = await asyncio.wait_for(request(socket, said), 60)
            counts.waits.append(time.monotonic() - sent)
            if told["type"] == "done":
                parent = told["node"]
            else:
                moves = iter(())  # the game is over there
            await asyncio.sleep(MOVE_EVERY)


async def _flood(target: Target, counts: Counts, end: float, seconds: float) -> None:
    """Send what is no message, spread over the time; come back whenever it is cut off."""
    draw = random.Random(1)
    bad = ['{"type":"play","request":1}', "nonsense", "[[[[", '{"type":"hello","request":"x"}', "\u2603" * 50]
    await _send_badly(target, counts, end, MALFORMED, seconds, lambda: draw.choice(bad), "malformed")


async def _overflow(target: Target, counts: Counts, end: float, seconds: float) -> None:
    """Send what is too long: half of it by a little, which is answered, half by far, which is cut off."""
    draw = random.Random(2)
    long = ['"' + "x" * MOST_BYTES + '"', '"' + "x" * (4 * MOST_BYTES) + '"']
    await _send_badly(target, counts, end, OVERSIZED, seconds, lambda: draw.choice(long), "oversized")


async def _send_badly(
    target: Target, counts: Counts, end: float, most: int, seconds: float, text: Any, name: str
) -> None:
    from websockets.exceptions import ConnectionClosed

    began = time.monotonic()
    while getattr(counts, name) < most and time.monotonic() < end:
        try:
            async with _page(target) as socket:
                reading = asyncio.create_task(_count_errors(socket, counts))
                try:
                    while (sent := getattr(counts, name)) < most and time.monotonic() < end:
                        await socket.send(text())
                        setattr(counts, name, sent + 1)
                        # A little ahead of the even pace, so that all are sent in time.
                        await asyncio.sleep(max(0.0, began + 0.95 * seconds * sent / most - time.monotonic()))
                finally:
                    reading.cancel()
        except (ConnectionClosed, OSError):
            counts.cut += 1


async def _count_errors(socket: Any, counts: Counts) -> None:
    from websockets.exceptions import ConnectionClosed

    with contextlib.suppress(ConnectionClosed):
        while True:
            counts.errors += json.loads(await socket.recv())["type"] == "error"


async def _knock(target: Target, counts: Counts, end: float) -> None:
    """Pages of other sites."""
    from websockets.exceptions import WebSocketException

    for origin in itertools.cycle(["http://evil.example", "null", "https://localhost.evil.example"]):
        if time.monotonic() >= end:
            return
        counts.foreign += 1
        with contextlib.suppress(WebSocketException, OSError):
            async with _page(target, origin):
                counts.let_in += 1
        await asyncio.sleep(0.2)


async def _watch(target: Target, counts: Counts, end: float) -> None:
    """Look at the server's memory."""
    while time.monotonic() < end:
        counts.memory.append(target.memory())
        await asyncio.sleep(0.5)


def _moves(seed: str) -> list[str]:
    """A third of the board's cells in an order of the seed's own: too few for a game to end, as good as always."""
    board = Board(SIZE)
    cells = [board.name(cell) for cell in range(board.cells)]
    random.Random(seed).shuffle(cells)
    return cells[: board.cells // 3]
