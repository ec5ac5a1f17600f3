"""Pages for tests: one that speaks with an application in this process, and a server in a process of its own."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient, WebSocketTestSession
from websockets.sync.client import ClientConnection, connect

from fingal.serve.web.app import Options, create

HOST = "127.0.0.1:8000"
Message = dict[str, Any]


class Page:
    """What a page does with its socket: asks, and waits for the answer; what comes between is kept."""

    def __init__(self, send: Callable[[str], Any], receive: Callable[[], str]) -> None:
        self.send, self._receive = send, receive
        self._numbers = itertools.count(1)
        self.seen: list[Message] = []

    def next(self) -> Message:
        message: Message = json.loads(self._receive())
        self.seen.append(message)
        return message

    def ask(self, type: str, **said: Any) -> Message:
        """The answer to a request."""
        number = self.say(type, **said)
        return self.until(lambda message: message.get("request") == number)

    def say(self, type: str, **said: Any) -> int:
        number = next(self._numbers)
        self.send(json.dumps({"type": type, "request": number, **said}))
        return number

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        while not wanted(message := self.next()):
            pass
        return message

    def find(self, wanted: Callable[[Message], bool]) -> Message:
        """The first such message, one that has come already or one that comes."""
        return next((message for message in self.seen if wanted(message)), None) or self.until(wanted)

    def play(self, game: str, *moves: str, parent: int = 0) -> int:
        """Moves one after another; the last one's node."""
        for move in moves:
            answer = self.ask("play", game=game, parent=parent, move=move)
            assert answer["type"] == "done", answer
            parent = answer["node"]
        return parent


@contextlib.contextmanager
def client(folder: Path, **options: Any) -> Iterator[TestClient]:
    with TestClient(create(Options(folder, **options)), base_url=f"http://{HOST}") as found:
        yield found


@contextlib.contextmanager
def page(found: TestClient, game: str | None = None) -> Iterator[Page]:
    with found.websocket_connect(f"ws://{HOST}/ws", headers={"origin": f"http://{HOST}"}) as session:
        yield _greet(Page(session.send_text, _receiver(session)), game)


def _receiver(session: WebSocketTestSession) -> Callable[[], str]:
    return lambda: str(session.receive_text())


def _greet(made: Page, game: str | None) -> Page:
    assert made.ask("hello", version=1)["type"] == "done"
    if game is not None:
        assert made.ask("follow", game=game)["type"] == "game"
    return made


def new_game(found: TestClient | httpx.Client, **settings: Any) -> str:
    answer = found.post("/api/games", json=settings)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


class Served:
    """``fingal serve`` in a process of its own."""

    def __init__(self, folder: Path, *options: str, files: int | None = None) -> None:
        """``files``: how many the server may have open."""
        code = "from fingal.cli import main; main()"
        command = [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0", "--data", str(folder), *options]
        if files is not None:
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "200"})
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "Fingal is at http://localhost:" in line, line + self.process.stderr.read()
        self.link = line.split()[-1]
        self.host = self.link.split("/")[2]
        self.http = httpx.Client(base_url=f"http://{self.host}")

    @contextlib.contextmanager
    def socket(self, origin: str | None = None) -> Iterator[ClientConnection]:
        with connect(f"ws://{self.host}/ws", origin=origin or f"http://{self.host}", max_size=None) as socket:  # type: ignore[arg-type]
            yield socket

    @contextlib.contextmanager
    def page(self, game: str | None = None) -> Iterator[Page]:
        with self.socket() as socket:
            yield _greet(Page(socket.send, lambda: str(socket.recv(timeout=60))), game)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stderr is not None
        self.process.stderr.close()


@contextlib.contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    server = Served(folder, *options)
    try:
        yield server
    finally:
        server.close()
