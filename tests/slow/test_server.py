"""The web server attacked for minutes: a hundred thousand hostile messages, three hundred kills while pages play."""

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from fingal.game import Board
from fingal.serve.web import command
from fingal.serve.web.app import Options
from tests.serve.web.fuzzing import fuzz_socket
from tests.serve.web.pages import served

MESSAGES = 100_000
KILLS = 300
PAGES = 6
SIZE = 19


def test_a_hundred_thousand_hostile_messages(tmp_path: Path) -> None:
    print()
    start, seeds = time.monotonic(), 10
    for seed in range(seeds):
        # Each on a server of its own, which is killed in the end: nothing may be lost by that either.
        with served(tmp_path / str(seed)) as server:
            tally = fuzz_socket(server, 1000 + seed, MESSAGES // seeds)
            assert server.process.poll() is None
            assert tally.sent == tally.answered == MESSAGES // seeds
            before = {game["id"] for game in server.http.get("/api/games?limit=200").json()["games"]}
            server.process.kill()
        with served(tmp_path / str(seed)) as again:
            after = {game["id"] for game in again.http.get("/api/games?limit=200").json()["games"]}
        assert after == before
        print(
            f"{(seed + 1) * MESSAGES // seeds:,} of {MESSAGES:,}, {time.monotonic() - start:.0f} s: {tally}", flush=True
        )


def serve(folder: str, ready: Connection) -> None:
    """A server in this process; its port is sent when it answers."""
    listening = command.listen("127.0.0.1", 0, exactly=True)
    port = listening.getsockname()[1]
    command.Server(command.config(Options(Path(folder))), lambda: ready.send(port)).run(sockets=[listening])


@contextlib.contextmanager
def killed_at_the_end(folder: Path) -> Iterator[str]:
    """A server that is killed with -9. It is forked from a process that has loaded everything: that takes a moment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fingal.serve.web.command", "tests.slow.test_server"])
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(str(folder), there), daemon=True)
    process.start()
    assert here.poll(60), "the server does not start"
    try:
        yield f"127.0.0.1:{here.recv()}"
    finally:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(60)


class Witness:
    """A page that notes what has been acknowledged."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.moves: dict[str, dict[int, tuple[int, str]]] = {}
        """By game and node: the parent and the move."""
        self.comments: dict[tuple[str, int], str] = {}
        self.deleted: set[str] = set()
        self.acknowledged = 0

    async def play(self, host: str) -> None:
        """Play and write until the server is gone."""
        gone = (WebSocketException, OSError, httpx.HTTPError)
        with contextlib.suppress(*gone):
            async with (
                httpx.AsyncClient(base_url=f"http://{host}") as http,
                connect(f"ws://{host}/ws", origin=f"http://{host}", compression=None) as socket,  # type: ignore[arg-type]
            ):
                await self._play(http, socket)

    async def _play(self, http: httpx.AsyncClient, socket: Any) -> None:
        number = 0

        async def ask(type: str, **said: Any) -> dict[str, Any]:
            nonlocal number
            number += 1
            await socket.send(json.dumps({"type": type, "request": number, **said}))
            while (answer := json.loads(await socket.recv())).get("request") != number:
                pass
            return dict(answer)

        await ask("hello", version=1)
        answer = await http.post("/api/games", json={"width": SIZE, "height": SIZE})
        game, board, parent = answer.json()["id"], Board(SIZE), 0
        moves = self.moves[game] = {}
        while True:
            move = board.name(self.draw.choice(board.empty_cells))
            answer = await ask("play", game=game, parent=parent, move=move)
            if answer["type"] == "error":
                assert answer["code"] == "too_many", answer  # it plays as fast as it can
                await asyncio.sleep(0.05)
                continue
            board.push(board.cell(move))
            parent, moves[answer["node"]] = answer["node"], (parent, move)
            self.acknowledged += 1
            if self.draw.random() < 0.2:
                comment = f"{self.draw.random()}"
                if (await ask("annotate", game=game, node=parent, comment=comment))["type"] == "done":
                    self.comments[game, parent] = comment
                    self.acknowledged += 1
            if len(self.moves) > 1 and self.draw.random() < 0.02:
                old = next(iter(self.moves))
                del self.moves[old]  # from now on it may be gone
                if (await http.delete(f"/api/games/{old}")).status_code == 200:
                    self.deleted.add(old)
                    self.acknowledged += 1

    def check(self, http: httpx.Client, every: bool) -> None:
        """Find everything that was acknowledged, in all games or in the last one."""
        for game in list(self.moves)[0 if every else -1 :]:
            found = self._get(http, game)
            assert found.status_code == 200, f"the game {game} is lost"
            nodes = {node["id"]: node for node in found.json()["nodes"]}
            for number, (parent, move) in self.moves[game].items():
                assert number in nodes, f"the move {move} of {game} is lost"
                assert (nodes[number]["parent"], nodes[number]["move"]) == (parent, move)
                if (comment := self.comments.get((game, number))) is not None:
                    assert nodes[number]["comment"] == comment
        for game in self.deleted if every else ():
            assert self._get(http, game).status_code == 404, f"the game {game} is back"

    @staticmethod
    def _get(http: httpx.Client, game: str) -> httpx.Response:
        while (found := http.get(f"/api/games/{game}")).status_code == 429:
            time.sleep(0.2)  # there are many games, and one address may not ask for all of them at once
        return found


def test_three_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    print()
    witnesses, draw, start = [Witness(seed) for seed in range(PAGES)], random.Random(0), time.monotonic()

    async def until_killed(host: str, seconds: float) -> None:
        before = sum(witness.acknowledged for witness in witnesses)
        playing = [asyncio.create_task(witness.play(host)) for witness in witnesses]
        while sum(witness.acknowledged for witness in witnesses) == before and not all(t.done() for t in playing):
            await asyncio.sleep(0.005)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(kill.close)
        await asyncio.gather(*playing)

    for number in range(KILLS):
        kill = contextlib.ExitStack()
        with kill:
            host = kill.enter_context(killed_at_the_end(tmp_path))
            with httpx.Client(base_url=f"http://{host}") as http:
                for witness in witnesses:
                    witness.check(http, every=number % 50 == 0)
            asyncio.run(until_killed(host, draw.uniform(0.0, 0.4)))
        if (number + 1) % 50 == 0:
            done = sum(witness.acknowledged for witness in witnesses)
            print(f"{number + 1} kills, {done:,} acknowledged changes, {time.monotonic() - start:.0f} s", flush=True)
    with killed_at_the_end(tmp_path) as host, httpx.Client(base_url=f"http://{host}") as http:
        for witness in witnesses:
            witness.check(http, every=True)
    assert all(witness.acknowledged for witness in witnesses)
    with contextlib.closing(sqlite3.connect(tmp_path / "games.sqlite")) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
