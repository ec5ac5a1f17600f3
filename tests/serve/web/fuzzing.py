"""Random, mutated and hostile messages for the socket of a real server, while an honest page plays.

What has to hold: each message has an answer or a documented error, and none is ``failed``; the server lives; every move
of the honest page is answered and is there afterwards; and no game is lost.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
import socket
import string
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from fingal.serve.web.messages import MOST_BYTES

from .pages import Message, Served

SESSION = 24
"""Messages on one socket: as many as it may send at once, though each is bad and costs four."""
AT_ONCE = 12
CODES = {"version", "bad_message", "too_long", "too_many", "not_found", "illegal", "refused", "busy"}
"""The documented errors, but for ``failed``, which would be a fault of the server."""

GAMES = 8
NODES = [0, 1, 2, 3, 4, -1, 10**6, 10**7, 2**31, 2**63, 2**64, 1.5, "0", None, True]
MOVES = ["a1", "b2", "c3", "d4", "swap-pieces", "resign", "a0", "z99", "aa1", "pass", "", "A1", "a1\n", None, 3]
PLAYERS = [
    "random",
    "person",
    "level:casual",
    "level:none",
    "resistance",
    "uct:sims=2",
    "uct:sims=1e99",
    "htp:sh -c id",
]
PLAYERS += ["net:/etc/passwd", "net:fingal-small", "puct:net=../../x", "human", "x" * 201, "\x00", "uct:sims=-1", None]
TEXTS = ["", "a", "\u2603", "\x00", "\u202e", "<script>", "'; DROP TABLE games; --", "x" * 5000, "\U0001f600" * 50]
TOPICS = ["connections", "inferior", "resistance", "policy", "solver", "nothing"]
KINDS = ["hello", "follow", "play", "take_back", "go_to", "annotate", "remove", "promote", "change", "hint", "analyse"]
KINDS += ["stop", "ask", "review"]
FIELDS = {
    "hello": ["version"],
    "follow": ["game"],
    "play": ["game", "parent", "move"],
    "take_back": ["game"],
    "go_to": ["game", "node"],
    "annotate": ["game", "node", "comment", "marks"],
    "remove": ["game", "node"],
    "promote": ["game", "node"],
    "change": ["game", "white", "title", "teaching"],
    "hint": ["game"],
    "analyse": ["game", "node", "player", "slot"],
    "stop": ["slot"],
    "ask": ["game", "node", "topics"],
    "review": ["game", "node", "player"],
}


@dataclass
class Tally:
    """What came of the messages."""

    sent: int = 0
    answered: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    raw: int = 0
    honest: int = 0


class Fuzzer:
    """Messages from one seed."""

    def __init__(self, seed: int, games: list[str]) -> None:
        """``games`` are those that may be spoiled."""
        self.draw, self.games = random.Random(seed), games
        self._number = 0

    def message(self) -> str | bytes:
        """One message."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.08:
            return draw.randbytes(draw.randrange(60))
        if kind < 0.16:
            return "".join(draw.choices(string.printable + 'é☃{}[]":,', k=draw.randrange(60)))
        text = json.dumps(self._nearly())
        if kind < 0.40:
            return self._mutated(text)
        if kind < 0.41:
            return draw.choice(["[", '{"a":', '"']) * draw.choice([100, 20_000])
        if kind < 0.415:
            return '"' + "x" * MOST_BYTES
        return text

    def _nearly(self) -> dict[str, Any]:
        """A message that is right, or wrong in a part or two."""
        draw = self.draw
        self._number += 1
        type = draw.choice(KINDS)
        said = {"type": type, "request": self._number} | {name: self._right(name) for name in FIELDS[type]}
        for name in list(said)[2:]:
            if draw.random() < 0.1:
                said[name] = self._wrong(name)
            elif draw.random() < 0.03:
                del said[name]
        if draw.random() < 0.03:
            said[draw.choice(["extra", "__proto__", "request", "type"])] = self._anything(3)
        return said

    def _right(self, name: str) -> Any:
        draw = self.draw
        right: dict[str, Any] = {
            "version": 1,
            "game": draw.choice(self.games),
            "parent": draw.randrange(5),
            "node": draw.randrange(5),
            "move": draw.choice(MOVES[:6]),
            "comment": draw.choice(TEXTS[:6]),
            "marks": [],
            "white": draw.choice(["random", "person"]),
            "title": draw.choice(TEXTS[:6]),
            "teaching": draw.random() < 0.2,
            "player": draw.choice(["random", "resistance", "uct:sims=2", "puct:net=fingal-small,sims=2"]),
            "slot": draw.randrange(2),
            "topics": draw.sample(TOPICS[:3], draw.randrange(1, 3)),
        }
        return right[name]

    def _wrong(self, name: str) -> Any:
        draw = self.draw
        if name in ("parent", "node", "slot", "version"):
            return draw.choice(NODES)
        if name == "move":
            return draw.choice(MOVES)
        if name in ("player", "white"):
            return draw.choice(PLAYERS)
        if name in ("comment", "title"):
            return draw.choice(TEXTS)
        if name == "topics":
            return draw.choices(TOPICS, k=draw.randrange(9))
        if name == "game":
            return draw.choice(["../../../etc", "a" * 8, "", "x" * 33, "\x00" * 8, *TEXTS])
        return self._anything(3)

    def _anything(self, depth: int) -> Any:
        draw = self.draw
        if depth and draw.random() < 0.4:
            inner = [self._anything(depth - 1) for _ in range(draw.randrange(3))]
            return inner if draw.random() < 0.5 else {draw.choice(TEXTS): each for each in inner}
        return draw.choice([None, True, 0, -1, 10**400, 1e308, "x", *TEXTS])

    def _mutated(self, text: str) -> str:
        draw, letters = self.draw, list(text)
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(letters)) if letters else 0
            cut = draw.random()
            if cut < 0.4:
                letters[at : at + 1] = [draw.choice('{}[]":,\\0919eE.-+ntu\x00é')]
            elif cut < 0.7:
                del letters[at : at + draw.randrange(1, 6)]
            else:
                letters[at:at] = letters[max(0, at - 8) : at]
        return "".join(letters)


def number_of(text: str | bytes) -> int | None:
    """The number that an answer must carry; None where the message has none that is one."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    number = found.get("request") if isinstance(found, dict) else None
    return number if type(number) is int and 0 <= number <= 2**31 else None


def fuzz_socket(server: Served, seed: int, count: int) -> Tally:
    """Send so many messages; an ``AssertionError`` says what did not hold."""
    return asyncio.run(_fuzz(server, seed, count))


def _new_games(http: httpx.Client, count: int) -> list[str]:
    return [http.post("/api/games", json={"width": 4, "height": 4}).json()["id"] for _ in range(count)]


async def _fuzz(server: Served, seed: int, count: int) -> Tally:
    tally, spoiled = Tally(), _new_games(server.http, GAMES)
    sessions = iter(range(-(-count // SESSION)))
    over = asyncio.Event()

    async def attack() -> None:
        for session in sessions:
            fuzzer = Fuzzer(seed * 1_000_003 + session, spoiled)
            await _session(server, fuzzer, min(SESSION, count - session * SESSION), tally)
            if session % 20 == 0:
                await _raw(server, fuzzer.draw)
                tally.raw += 1

    honest = asyncio.create_task(_play(server, over, tally))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(attack())
    finally:
        over.set()
        mine = await honest
    for game, moves in mine.items():
        nodes = server.http.get(f"/api/games/{game}").json()["nodes"]
        assert [node["move"] for node in nodes[1:]] == moves, "an honest move was lost"
    there = {entry["id"] for entry in server.http.get("/api/games?limit=200").json()["games"]}
    assert there >= set(spoiled), "a game was lost"
    for game in spoiled:
        assert server.http.get(f"/api/games/{game}").json()["nodes"][0]["id"] == 0
    return tally


async def _connected(server: Served) -> ClientConnection:
    origin: Any = f"http://{server.host}"
    while True:
        try:
            return await connect(f"ws://{server.host}/ws", origin=origin, compression=None, max_size=None)
        except Exception as error:
            # One address may not open sockets as fast as it likes: that is documented.
            if getattr(getattr(error, "response", None), "status_code", None) != 403:
                raise
            await asyncio.sleep(0.2)


async def _session(server: Served, fuzzer: Fuzzer, count: int, tally: Tally) -> None:
    """Send messages on a socket of their own until each has been answered."""
    missing: dict[int | None, list[str | bytes]] = {}

    def hear(message: Message) -> None:
        number = message.get("request")
        if "request" not in message or (message["type"] == "review" and not message["done"]):
            return
        if number is None and message["type"] == "game":
            return
        if number is None and not missing.get(None):
            assert message["type"] == "error", message
            return  # what became of an engine, of an analysis, ...
        if message["type"] == "error":
            assert message["code"] in CODES, (message, missing)
            assert message["message"]
            tally.errors[message["code"]] = tally.errors.get(message["code"], 0) + 1
        waiting = missing.get(number)
        if waiting:
            waiting.pop(0)
            tally.answered += 1

    async with await _connected(server) as socket:
        await socket.send('{"type": "hello", "request": 0, "version": 1}')
        assert json.loads(await socket.recv())["type"] == "done"
        for _ in range(count):
            text = fuzzer.message()
            missing.setdefault(number_of(text), []).append(text)
            tally.sent += 1
            await socket.send(text)
        while any(missing.values()):
            try:
                told = await asyncio.wait_for(socket.recv(), 60)
            except TimeoutError:
                raise AssertionError(f"no answer to {[each for each in missing.values() if each]}") from None
            except ConnectionClosed as closed:
                left = [each for each in missing.values() if each]
                raise AssertionError(f"cut off ({closed}) before the answer to {left}") from None
            hear(json.loads(told))


async def _raw(server: Served, draw: random.Random) -> None:
    """Send bytes that are no frames, or not whole ones, after the handshake."""
    name, _, port = server.host.partition(":")
    key = base64.b64encode(draw.randbytes(16)).decode()
    lines = ["GET /ws HTTP/1.1", f"Host: {server.host}", f"Origin: http://{server.host}", "Upgrade: websocket"]
    lines += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "", ""]

    def send() -> None:
        with contextlib.suppress(OSError), socket.create_connection((name, int(port)), timeout=10) as line:
            line.sendall("\r\n".join(lines).encode())
            line.recv(4096)
            frame = bytes([draw.choice([0x81, 0x82, 0x89, 0x88, 0x01, 0xC1, 0x8F]), draw.choice([0x80, 0xFE, 0xFF, 5])])
            line.sendall(frame + draw.randbytes(draw.randrange(300)))

    await asyncio.to_thread(send)


async def _play(server: Served, over: asyncio.Event, tally: Tally) -> dict[str, list[str]]:
    """Play as a person does; the moves by their games."""
    played: dict[str, list[str]] = {}
    async with await _connected(server) as socket:

        async def ask(number: int, **said: Any) -> Message:
            await socket.send(json.dumps({"request": number} | said))
            while (answer := json.loads(await asyncio.wait_for(socket.recv(), 60))).get("request") != number:
                pass
            return dict(answer)

        await ask(0, type="hello", version=1)
        number = 0
        while not over.is_set():
            made = await asyncio.to_thread(_new_games, server.http, 1)
            moves, parent = played.setdefault(made[0], []), 0
            for move in ("a1", "b1", "a2", "b2", "a3", "b3"):
                number += 1
                answer = await ask(number, type="play", game=made[0], parent=parent, move=move)
                assert answer["type"] == "done", answer
                moves.append(move)
                parent = answer["node"]
                tally.honest += 1
                await asyncio.sleep(0.05)
    return played
