"""Half-open, slow and many connections: who is dropped, who is served, and what stands in the log."""

import asyncio
import contextlib
import json
import resource
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from fingal.serve.web import command, connections
from fingal.serve.web.app import Options
from fingal.serve.web.connections import Connections, Limits, State

from .pages import Served, new_game


class Line:
    """A transport."""

    def __init__(self, host: str) -> None:
        self.host, self.sent, self.ended, self.unsent, self.closing = host, b"", False, 0, False

    def get_extra_info(self, name: str) -> Any:
        return (self.host, 12345)

    def write(self, data: bytes) -> None:
        self.sent += data

    def abort(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.ended or self.closing

    def get_write_buffer_size(self) -> int:
        return self.unsent


class Server:
    """Connections at a time of the test's own."""

    def __init__(self, most: int = 6, of_one: int = 4) -> None:
        self.time = 0.0
        self.all = Connections(Limits(most, of_one), lambda: self.time)

    def open(self, host: str, state: State = State.HEADERS) -> Line:
        self.time += 0.001
        line = Line(host)
        if self.all.admit(cast(asyncio.Transport, line)):
            self.all.change(cast(asyncio.Transport, line), state)
        return line


def test_the_oldest_half_open_one_of_an_address_gives_way_then_the_oldest_idle_one() -> None:
    server = Server()
    used = server.open("1.1.1.1", State.SOCKET)
    idle, first, second = server.open("1.1.1.1", State.IDLE), server.open("1.1.1.1"), server.open("1.1.1.1", State.BODY)
    for gone in (first, second):
        assert not gone.ended
        server.open("1.1.1.1", State.ANSWER)
        assert gone.ended
        assert b" 503 " in gone.sent
        assert json.loads(gone.sent.partition(b"\r\n\r\n")[2])["code"] == "too_many"
    server.open("1.1.1.1", State.ANSWER)
    assert idle.ended
    assert not idle.sent, "nothing was asked"
    late = server.open("1.1.1.1")
    assert late.ended
    assert b" 503 " in late.sent
    assert not used.ended


def test_who_does_not_take_an_answer_gives_way_and_who_takes_it_does_not() -> None:
    server = Server()
    lines = [server.open("1.1.1.1", State.ANSWER) for _ in range(4)]
    lines[1].unsent = lines[2].unsent = 1000
    for _ in range(5):
        server.time += 1
        server.all.drained(cast(asyncio.Transport, lines[1]))
        server.all.sweep()
    assert not server.open("1.1.1.1", State.ANSWER).ended
    assert [line.ended for line in lines] == [False, False, True, False]
    assert not lines[2].sent, "half of an answer is on its way already"


def test_one_address_takes_no_others_place() -> None:
    server = Server()
    others = [server.open("2.2.2.2") for _ in range(2)]
    many = [server.open("1.1.1.1") for _ in range(100)]
    assert not any(line.ended for line in others)
    assert sum(not line.ended for line in many) == 4
    assert not server.open("3.3.3.3").ended, "where all are full the address with the most gives way"
    assert not any(line.ended for line in others)
    assert len(server.all) == 6


def test_a_network_of_ipv6_is_one_address() -> None:
    server = Server()
    many = [server.open(f"2001:db8::{number:x}") for number in range(100)]
    assert sum(not line.ended for line in many) == 4
    assert [server.open("2001:db8:0:1::1").ended, server.open("::ffff:1.2.3.4").ended] == [False, False]


def test_those_that_are_gone_make_room() -> None:
    server = Server()
    for _ in range(100):
        line = server.open("1.1.1.1", State.SOCKET)
        assert not line.ended
        server.all.lost(cast(asyncio.Transport, line))
    assert len(server.all) == 0


@pytest.mark.parametrize("files", [16, 64, 256, 1024, 10**6])
def test_some_files_are_left_for_other_things(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda what: (files, files))
    limits = Limits.of_process()
    assert 4 <= limits.connections <= files // 2 or files - limits.connections >= 150
    assert 3 <= limits.of_one_address < limits.connections


def test_a_client_that_takes_nothing_is_cut_off_and_one_that_takes_something_is_not() -> None:
    server = Server()
    deaf, slow, closing = (server.open("1.1.1.1", State.SOCKET) for _ in range(3))
    deaf.unsent = slow.unsent = closing.unsent = 1000
    closing.closing = True
    for _ in range(100):
        server.time += 1
        server.all.drained(cast(asyncio.Transport, slow))
        server.all.sweep()
    assert (deaf.ended, slow.ended, closing.ended) == (True, False, True)


def test_a_client_that_takes_a_long_answer_slowly_gets_all_of_it() -> None:
    server = Server()
    slow = server.open("1.1.1.1", State.ANSWER)
    slow.unsent = 5_000_000
    while slow.unsent:
        server.time += 1
        slow.unsent -= 20_000
        server.all.sweep()
    assert not slow.ended


class Here:
    """A server in a thread of this process."""

    def __init__(self, folder: Path) -> None:
        listening = command.listen("127.0.0.1", 0, exactly=True)
        self.port = listening.getsockname()[1]
        ready = threading.Event()
        self.server = command.Server(command.config(Options(folder)), ready.set)
        self._thread = threading.Thread(target=self.server.run, args=([listening],), daemon=True)
        self._thread.start()
        assert ready.wait(60)

    def close(self) -> None:
        self.server.should_exit = True
        self._thread.join(60)

    @contextlib.contextmanager
    def line(self, text: str) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as found:
            found.sendall(text.encode())
            yield found


def until_closed(line: socket.socket) -> str:
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while part := line.recv(4096):
            data += part
    return data.decode()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.5)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    found = Here(tmp_path)
    yield found
    found.close()


POST = "POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
SOCKET = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Ver"


@pytest.mark.parametrize("half", ["", "G", "GET / HTTP/1.1\r\nHost: local", POST, SOCKET])
def test_what_does_not_arrive_is_answered_408_and_closed(here: Here, half: str) -> None:
    with here.line(half) as line:
        answer = until_closed(line)
        assert answer.startswith("HTTP/1.1 408 ")
        assert "did not arrive within 0.5 seconds" in answer
    assert httpx.get(f"http://127.0.0.1:{here.port}/api/games").json() == {"games": []}


def test_a_request_after_another_has_its_own_time(here: Here) -> None:
    whole = "GET /api/about HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with here.line(whole) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 200 ")
        line.sendall(b"GET /api/ab")
        assert "HTTP/1.1 408 " in until_closed(line)


def test_a_deletion_that_was_not_sent_to_the_end_is_not_carried_out(here: Here) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{here.port}") as http:
        game = new_game(http, width=3, height=3)
        for end in (socket.SHUT_RDWR, None):
            with here.line(
                f"DELETE /api/games/{game} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n12"
            ) as line:
                if end is None:
                    until_closed(line)
                else:
                    line.shutdown(end)
            assert http.get(f"/api/games/{game}").status_code == 200


def test_with_1200_half_open_connections_pages_play_on_and_new_ones_open(tmp_path: Path) -> None:
    """The attack that locked everybody out, from the pages' own address, on a server that may open few files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        pytest.skip("this test needs 1,500 open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1500), hard))
    server = Served(tmp_path, files=256)
    held = []
    try:
        game = new_game(server.http, width=5, height=5)
        with server.page(game) as old:
            parent = old.play(game, "a1")
            name, _, port = server.host.partition(":")
            for number in range(1200):
                line = socket.create_connection((name, int(port)), timeout=60)
                line.sendall(("", "GET / HTT", POST, SOCKET)[number % 4].encode())
                held.append(line)
                if number % 100 == 99:
                    move = f"{'bcde'[number // 100 % 4]}{1 + number // 400}"
                    parent = old.play(game, move, parent=parent)
            assert httpx.get(f"http://{server.host}/").status_code == 200
            with server.page(game) as new:
                new.play(game, "e5", parent=parent)
        server.process.terminate()
        assert server.process.stderr is not None
        log = server.process.stderr.read()
        assert "half-open" in log
        assert "Traceback" not in log
        assert len(log) < 10_000
    finally:
        for line in held:
            line.close()
        server.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
