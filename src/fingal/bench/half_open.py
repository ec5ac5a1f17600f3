"""A server whose connections are being used up, while honest pages play: a part of ``fingal bench serve``.

A program of its own holds twelve hundred connections open, each with half of a request, and opens another one as soon
as the server drops one. In turns there is calm and attack, on the same server, with the same hundred pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import resource
import selectors
import socket
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fingal.bench.serve import Target

HALF_OPEN = 1_200
PAGES = 100
MOVE_EVERY = 1.0
"""Seconds between two moves of a page."""
TURNS = 2
"""So often there is calm, then attack."""
ANSWER_SECONDS = 30.0
"""A move or a page that has no answer by then counts as unanswered."""
UNSERVED_SECONDS = 2.0
"""A new page that is not open by then when the attack ends counts as one that was not served."""
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "

LABELS = {
    "half_open": "half-open connections, opened again as they are dropped",
    "half_open_opened": "half-open connections opened in all",
    "pages": "pages that play meanwhile",
    "calm_moves_sent": "their moves in calm, sent",
    "calm_moves_answered": "answered",
    "calm_ms_median": "time to the answer in calm, median, ms",
    "calm_ms_p99": "time to the answer in calm, 99 of 100, ms",
    "attack_moves_sent": "their moves under attack, sent",
    "attack_moves_answered": "answered",
    "attack_ms_median": "time to the answer under attack, median, ms",
    "attack_ms_p99": "time to the answer under attack, 99 of 100, ms",
    "median_ratio": "median under attack beside that in calm, ratio",
    "p99_ratio": "99 of 100 under attack beside that in calm, ratio",
    "new_pages_tried": "new pages opened under attack, tried",
    "new_pages_served": "served",
    "new_page_ms_median": "time until a new page may play, median, ms",
    "calm_log_bytes": "the server's log in calm, bytes",
    "attack_log_bytes": "the server's log under attack, bytes",
}

Page = Callable[[], contextlib.AbstractAsyncContextManager[Any]]


@dataclass
class Phase:
    """What was measured in calm, or under attack."""

    sent: int = 0
    waits: list[float] = field(default_factory=list)
    tried: int = 0
    opened: list[float] = field(default_factory=list)
    log: int = 0


@contextlib.contextmanager
def _attacker(host: str) -> Any:
    """The program that attacks: an event that lets it, and the number of connections that it has opened."""
    context = multiprocessing.get_context("spawn")
    attacking, over, opened = context.Event(), context.Event(), context.Value("q", 0)
    process = context.Process(target=attack, args=(host, attacking, over, opened), daemon=True)
    process.start()
    try:
        yield attacking, opened
    finally:
        over.set()
        attacking.set()
        process.join(30)


def attack(host: str, attacking: Event, over: Event, opened: Synchronized[int]) -> None:
    """Hold connections open while ``attacking`` is set, and close them when it is not."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (HALF_OPEN + 200, hard))
    name, _, port = host.rpartition(":")
    while not over.is_set():
        attacking.wait()
        with selectors.DefaultSelector() as selector:
            missing = HALF_OPEN
            while attacking.is_set() and not over.is_set():
                for _ in range(missing):
                    with contextlib.suppress(OSError):
                        selector.register(_open(name, int(port)), selectors.EVENT_READ)
                        missing -= 1
                        opened.value += 1
                for key, _ in selector.select(0.1):
                    # It never reads: whatever comes is the end.
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                    missing += 1
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]


def _open(name: str, port: int) -> socket.socket:
    found = socket.create_connection((name, port), timeout=1)
    try:
        found.send(HALF)
    except OSError:
        found.close()
        raise
    found.setblocking(False)
    return found


async def measure(
    target: Target, seconds: float, page: Page, moves: Callable[[str], list[str]]
) -> dict[str, float | None]:
    """Let pages play for so many seconds in all, half of them under attack."""
    calm, attacked, start = Phase(), Phase(), Phase()
    phase: list[Phase] = [start]
    games = [target.new_game() for _ in range(PAGES)]
    with _attacker(target.host) as (attacking, opened):
        playing = [asyncio.create_task(_play(page, game, moves, phase, number)) for number, game in enumerate(games)]
        while start.sent < 2 * PAGES and not any(task.done() for task in playing):
            await asyncio.sleep(0.1)  # until every page plays
        for _ in range(TURNS):
            phase[0] = calm
            before = target.log_bytes()
            await asyncio.sleep(seconds / 2 / TURNS)
            calm.log += target.log_bytes() - before
            attacking.set()
            before, standing = target.log_bytes(), opened.value + HALF_OPEN
            end = time.monotonic() + 10
            while opened.value < standing and time.monotonic() < end:
                await asyncio.sleep(0.05)  # all of them stand
            phase[0] = attacked
            visits = asyncio.create_task(_visit(page, attacked))
            await asyncio.sleep(seconds / 2 / TURNS)
            visits.cancel()
            attacking.clear()
            attacked.log += target.log_bytes() - before
            phase[0] = Phase()  # what comes while the connections close belongs to neither
            await asyncio.sleep(0.5)
        await asyncio.sleep(0)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, visits, return_exceptions=True)
        total = opened.value
    return {
        "half_open": HALF_OPEN,
        "half_open_opened": total,
        "pages": PAGES,
        "calm_moves_sent": calm.sent,
        "calm_moves_answered": len(calm.waits),
        "calm_ms_median": (calm_median := _median(calm.waits)),
        "calm_ms_p99": (calm_p99 := _p99(calm.waits)),
        "attack_moves_sent": attacked.sent,
        "attack_moves_answered": len(attacked.waits),
        "attack_ms_median": (attack_median := _median(attacked.waits)),
        "attack_ms_p99": (attack_p99 := _p99(attacked.waits)),
        "median_ratio": attack_median / calm_median if attack_median and calm_median else None,
        "p99_ratio": attack_p99 / calm_p99 if attack_p99 and calm_p99 else None,
        "new_pages_tried": attacked.tried,
        "new_pages_served": len(attacked.opened),
        "new_page_ms_median": _median(attacked.opened),
        "calm_log_bytes": calm.log,
        "attack_log_bytes": attacked.log,
    }


async def _play(page: Page, game: str, moves: Callable[[str], list[str]], phase: list[Phase], number: int) -> None:
    """Make moves in a game, and time the answers."""
    from fingal.bench.serve import request

    await asyncio.sleep(MOVE_EVERY * number / PAGES)
    async with page() as socket:
        parent, left = 0, iter(moves(game))
        for request_number in itertools.count(1):
            move = next(left, None)
            if move is None:
                parent, left = 0, iter(moves(f"{game} {request_number}"))
                continue
            now, sent = phase[0], time.monotonic()
            now.sent += 1
            said = {"type": "play", "request": request_number, "game": game, "parent": parent, "move": move}
            try:
                told = await asyncio.wait_for(request(socket, said), ANSWER_SECONDS)
            except asyncio.CancelledError:
                now.sent -= 1  # the measurement is over
                raise
            except TimeoutError:
                continue
            now.waits.append(time.monotonic() - sent)
            if told["type"] == "done":
                parent = told["node"]
            else:
                left = iter(())  # the game is over there
            await asyncio.sleep(max(0.0, sent + MOVE_EVERY - time.monotonic()))


async def _visit(page: Page, phase: Phase) -> None:
    """Open one new page after another."""
    while True:
        begun = time.monotonic()
        phase.tried += 1
        try:
            async with asyncio.timeout(ANSWER_SECONDS), page():
                phase.opened.append(time.monotonic() - begun)
        except asyncio.CancelledError:
            phase.tried -= time.monotonic() - begun < UNSERVED_SECONDS
            raise
        except Exception:  # whatever it is: the page was not served
            pass
        await asyncio.sleep(0.25)


def _median(waits: list[float]) -> float | None:
    return 1000 * statistics.median(waits) if waits else None


def _p99(waits: list[float]) -> float | None:
    return 1000 * sorted(waits)[int(0.99 * len(waits))] if waits else None
