"""``fingal serve`` as a program of its own: killed, flooded, stopped."""

import contextlib
import json
import signal
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fingal.serve.web import messages
from tests.conftest import Run

from .pages import Served, new_game, served

MOVES = ["b2", "a1", "c3", "d4", "b4", "e5", "c1"]


def test_a_game_is_there_to_the_last_move_after_a_kill(tmp_path: Path) -> None:
    killed = Served(tmp_path)
    try:
        game = new_game(killed.http, width=5, height=5)
        with killed.page(game) as one:
            one.play(game, *MOVES)
    finally:
        killed.kill()  # -9, a moment after the last answer
    with served(tmp_path) as again, again.page() as one:
        found = one.ask("follow", game=game)["game"]
        assert [node["move"] for node in found["nodes"]] == [None, *MOVES]
        assert found["current"] == len(MOVES)
        one.play(game, "a5", parent=found["current"])


def test_a_kill_while_an_engine_thinks_loses_nothing(tmp_path: Path) -> None:
    killed = Served(tmp_path)
    try:
        game = new_game(killed.http, width=5, height=5, white="puct:net=fingal-small,time=60")
        with killed.page(game) as one:
            one.play(game, "c3")
            assert one.find(lambda message: message["type"] == "change")["status"]["thinking"]
    finally:
        killed.kill()
    with served(tmp_path) as again, again.page(game) as one:
        # It is still the engine's turn, and it thinks again as soon as somebody looks.
        whole = one.find(lambda message: message["type"] == "game")["game"]
        assert [node["move"] for node in whole["nodes"]] == [None, "c3"]
        assert whole["status"]["thinking"]


def test_what_is_far_too_long_and_what_floods_is_cut_off_and_others_are_answered(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.page() as honest:
        with server.socket() as long:
            long.send("x" * (3 * messages.MOST_BYTES))
            with pytest.raises(ConnectionClosed) as closed:
                long.recv(timeout=30)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        codes = []
        with server.socket() as flooding, contextlib.suppress(ConnectionClosed):
            for _ in range(3000):
                flooding.send('{"type":"hello","request":1,"version":1}')
            while True:
                answer = json.loads(flooding.recv(timeout=30))
                codes.append(answer.get("code", "done"))
        assert set(codes) <= {"done", "too_many"}
        assert len(codes) < 3000
        assert honest.ask("hello", version=1)["type"] == "done"
        for origin in ("http://evil.example", "null"):
            with pytest.raises(InvalidStatus) as refused, server.socket(origin):
                pass
            assert refused.value.response.status_code == 403
        assert honest.ask("hello", version=1)["type"] == "done"


def test_it_stops_cleanly_and_tells_the_pages(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.socket() as socket:
        game = new_game(server.http, white="puct:net=fingal-small,time=60")
        socket.send('{"type":"hello","request":1,"version":1}')
        socket.send(f'{{"type":"analyse","request":2,"game":"{game}","node":0}}')
        while json.loads(socket.recv(timeout=60))["type"] != "analysis":
            pass
        server.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(ConnectionClosed):
            while True:
                socket.recv(timeout=60)
        assert socket.close_code == 1012
        assert server.process.wait(60) in (0, -signal.SIGTERM)


def test_two_servers_do_not_share_a_folder(tmp_path: Path, fingal: Run) -> None:
    with served(tmp_path / "data"):
        ran = fingal("serve", "--no-browser", "--port", "0", "--data", tmp_path / "data")
        assert ran.status == 2
        assert "another 'fingal serve'" in ran.err


def test_a_port_that_is_taken_is_said_so(tmp_path: Path, fingal: Run) -> None:
    with served(tmp_path / "one") as server:
        port = server.host.rpartition(":")[2]
        ran = fingal("serve", "--no-browser", "--port", port, "--data", tmp_path / "two")
        assert ran.status == 2
        assert f"port {port}" in ran.err


@pytest.mark.parametrize("port", [-1, 65536, 99999])
def test_a_port_that_there_is_not_is_refused(tmp_path: Path, fingal: Run, port: int) -> None:
    ran = fingal("serve", "--no-browser", f"--port={port}", "--data", tmp_path)
    assert ran.status == 2
    assert f"port={port}" in ran.err
    assert "65535" in ran.err
