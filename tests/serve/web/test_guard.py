"""What is refused: other sites, other names, too much, too often, and what is no message."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from fingal.serve.web import messages, socket
from fingal.serve.web.guard import Bucket, Doors

from .pages import HOST, client, new_game, page

HOME = f"http://{HOST}"


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example:8000",
        "http://127.0.0.1:9000",
        "http://localhost.evil.example",
        f"http://{HOST}.evil.example",
        f"ftp://{HOST}",
        "null",
        "http://[",
        "",
    ],
)
def test_other_sites_reach_nothing(tmp_path: Path, origin: str) -> None:
    with client(tmp_path) as server:
        with (
            pytest.raises(WebSocketDisconnect) as closed,
            server.websocket_connect(f"ws://{HOST}/ws", headers={"origin": origin}),
        ):
            pass
        assert closed.value.code == 1008
        answer = server.post("/api/games", json={}, headers={"origin": origin})
        assert answer.status_code == 403
        assert answer.json()["code"] == "refused"
        assert server.get("/api/games").json()["games"] == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "192.168.0.9", "localhost.evil.example", "[", ""]
)
def test_other_names_are_not_ours(tmp_path: Path, host: str) -> None:
    """A name that resolves to this machine must not make it serve another site's page."""
    with client(tmp_path) as server:
        assert server.get("/api/games", headers={"host": host}).status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            server.websocket_connect(f"ws://{HOST}/ws", headers={"host": host, "origin": f"http://{host}"}),
        ):
            pass


def test_names_of_a_server_for_the_network() -> None:
    doors = Doors.of("0.0.0.0", ["Hex.example"])
    assert all(map(doors.serve, ["192.168.0.9:8000", "hex.example", "localhost:1", "[::1]:8000", "[fe80::1]"]))
    assert not any(map(doors.serve, ["evil.example", "hex.example.evil", ""]))
    assert not Doors.of("127.0.0.1").serve("192.168.0.9")


def test_a_failure_of_ours_is_answered_and_says_nothing_of_us(tmp_path: Path) -> None:
    with client(tmp_path) as server:

        def fail(*_: object) -> None:
            raise KeyError("inner matters")

        server.app.state.games.summaries = fail  # type: ignore[attr-defined]
        answer = server.get("/api/games")
        assert answer.status_code == 500
        assert answer.json()["code"] == "failed"
        assert "inner" not in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert server.get("/api/about").status_code == 200


def test_every_answer_carries_the_headers(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        for path in ("/", "/api/about", "/api/unheard-of", "/openapi.json", "/api/docs", "/../cli.py", "/static/x"):
            headers = server.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "camera=()" in headers["permissions-policy"]
            assert "server" not in headers
        assert server.get("/", headers={"host": "evil.example"}).headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/..%2f..%2fcli.py", "//etc/passwd", "/static/../app.py"]
)
def test_no_file_outside_the_pages_folder_is_served(tmp_path: Path, path: str) -> None:
    with client(tmp_path) as server:
        assert server.get(path).status_code in (403, 404)


def test_bodies_have_a_limit_whatever_they_say(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        text = "x" * (messages.MOST_BYTES + 1)
        assert server.post("/api/import", json={"text": text}).json()["code"] == "too_long"

        def pieces() -> Any:
            for _ in range(100):
                yield b" " * 1024

        answer = server.post("/api/import", content=pieces(), headers={"content-type": "application/json"})
        assert answer.status_code == 413


def test_too_many_requests_are_refused_until_it_is_calm(tmp_path: Path) -> None:
    with client(tmp_path, requests=(0.0, 5.0)) as server:
        codes = [server.get("/api/games").status_code for _ in range(7)]
        assert codes == [200] * 5 + [429] * 2


def test_a_bucket_fills_again() -> None:
    now = 0.0
    bucket = Bucket(2.0, 4.0, lambda: now)
    assert [bucket.take() for _ in range(5)] == [True] * 4 + [False]
    now = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now = 100.0
    assert [bucket.take(4), bucket.take()] == [True, False]


def test_there_are_only_so_many_sockets(tmp_path: Path) -> None:
    with (
        client(tmp_path, connections=2) as server,
        page(server),
        page(server),
        pytest.raises(WebSocketDisconnect),
        page(server),
    ):
        pass
    with client(tmp_path, connections=2) as server:
        for _ in range(5):  # those that go make room
            with page(server):
                pass


def test_sockets_that_say_nothing_give_way_to_pages(tmp_path: Path) -> None:
    with client(tmp_path, connections=3) as server, page(server) as first, contextlib.ExitStack() as silent:
        for _ in range(5):
            silent.enter_context(server.websocket_connect(f"ws://{HOST}/ws", headers={"origin": HOME}))
        with page(server) as second, page(server) as third:
            for one in (first, second, third):
                assert one.ask("hello", version=1)["type"] == "done"
            with pytest.raises(WebSocketDisconnect), page(server):
                pass


BAD = [
    "",
    "[]",
    "1",
    "nonsense",
    "{}",
    '{"type":"play"}',
    '{"type":"play","request":7}',
    '{"type":"hello","request":7,"version":"1"}',
    '{"type":"follow","request":7,"game":"../../etc"}',
    '{"type":"stop","request":7,"slot":7}',
    '{"type":"stop","request":7,"extra":1}',
    '{"type":"stop","request":-1}',
    '{"type":"stop","request":1e400}',
    "[" * 20_000,
    '{"type":"annotate","request":7,"game":"abcdefgh","node":0,"comment":"' + "x" * 5000 + '"}',
]


@pytest.mark.parametrize("text", BAD)
def test_bad_messages_get_typed_errors_and_the_socket_lives(tmp_path: Path, text: str) -> None:
    with client(tmp_path) as server, page(server) as one:
        one.send(text)
        answer = one.next()
        assert (answer["type"], answer["code"]) == ("error", "bad_message")
        assert answer["message"]
        assert answer["request"] == (7 if '"request":7' in text else None)
        assert one.ask("hello", version=1)["type"] == "done"


def test_what_is_too_long_is_said_so(tmp_path: Path) -> None:
    with client(tmp_path) as server, page(server) as one:
        one.send('"' + "é" * (messages.MOST_BYTES // 2) + '"')
        assert one.next()["code"] == "too_long"
        assert one.ask("hello", version=1)["type"] == "done"


def test_the_first_message_is_hello_and_of_this_version(tmp_path: Path) -> None:
    home = {"origin": HOME}
    with client(tmp_path) as server, server.websocket_connect(f"ws://{HOST}/ws", headers=home) as session:
        session.send_text('{"type":"stop","request":1}')
        assert session.receive_json()["code"] == "bad_message"
        session.send_text('{"type":"hello","request":2,"version":999}')
        answer = session.receive_json()
        assert (answer["request"], answer["code"]) == (2, "version")


def test_a_flood_is_warned_and_cut_off_while_others_are_answered(tmp_path: Path) -> None:
    with client(tmp_path) as server, page(server) as honest:
        codes = []
        with contextlib.suppress(WebSocketDisconnect), page(server) as flooding:
            for _ in range(1000):
                flooding.send("nonsense")
            while True:
                codes.append(flooding.next()["code"])
        assert set(codes) == {"bad_message", "too_many"}
        assert len(codes) < 1000
        assert honest.ask("hello", version=1)["type"] == "done"


def test_a_large_game_can_be_asked_for_only_so_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "MESSAGES_A_SECOND", 0.0)  # nothing comes back, however slow this machine is
    with client(tmp_path) as server:
        game = new_game(server, text="(;FF[4]GM[11]SZ[5]" + ";B[pass];W[pass]" * 1900 + ")")
        with page(server) as one:
            answers = [one.ask("follow", game=game) for _ in range(4)]
            assert [answer.get("code", "") for answer in answers] == ["", "", "", "too_many"]


def test_a_page_that_does_not_read_is_cut_off() -> None:
    class Minds:
        games = engines = None

    class Deaf:
        """A socket whose other end takes nothing."""

        client = None

    one = socket.Page(Deaf(), Minds())  # type: ignore[arg-type]
    for _ in range(socket.MOST_WAITING + 5):
        one.tell(messages.Done(request=1))
    assert one._cut == socket.TRY_LATER
    assert not one._waiting


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TYPES = ["hello", "follow", "play", "take_back", "go_to", "annotate", "remove", "promote", "change", "hint", "analyse"]
TYPES += ["stop", "ask", "review"]


@st.composite
def nearly(draw: st.DrawFn, game: str) -> dict[str, Any]:
    """A message that is right but for some of its parts, or quite right."""
    right: dict[str, Any] = {
        "request": draw(st.integers(0, 100)),
        "game": game,
        "version": 1,
        "parent": draw(st.integers(0, 4)),
        "node": draw(st.integers(0, 4)),
        "move": draw(st.sampled_from(["a1", "b2", "c3", "z9", "swap-pieces", "resign", "a0", "aa99"])),
        "comment": draw(st.text(max_size=10)),
        "marks": [],
        "topics": ["resistance"],
        "slot": 0,
        "player": draw(st.sampled_from(["random", "person", "htp:sh", "net:/etc/passwd", None])),
        "white": draw(st.sampled_from(["person", "random", "uct:sims=1e99", "\udfff"])),
    }
    keys = draw(st.sets(st.sampled_from(sorted(right))))
    said = {"type": draw(st.sampled_from(TYPES)), **{key: right[key] for key in keys}}
    for key in draw(st.lists(st.sampled_from([*right, "extra"]), max_size=2)):
        said[key] = draw(JSON)
    return said


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with client(tmp_path_factory.mktemp("fuzz"), requests=(1e9, 1e9)) as server:
        yield server


@settings(max_examples=150)
@given(data=st.data())
def test_whatever_is_sent_the_server_answers(open_server: TestClient, data: st.DataObject) -> None:
    game = new_game(open_server, width=3, height=3)
    anything = nearly(game) | JSON.map(lambda value: {"type": value}) | JSON
    said = data.draw(st.lists(anything.map(json.dumps) | st.text(max_size=40), max_size=8))
    with page(open_server, game) as one:
        for text in said:
            one.send(text.encode(errors="replace").decode())
        number = 10_000
        one.send(json.dumps({"type": "go_to", "request": number, "game": game, "node": 0}))
        answer = one.until(lambda message: message.get("request") == number)
        assert answer["type"] in ("done", "error")
        # Nothing went wrong in the server itself, and the game is whole.
        assert not [message for message in one.seen if message.get("code") == "failed"]
        found = open_server.get(f"/api/games/{game}").json()
        assert found["nodes"][0]["id"] == 0
        assert {node["parent"] for node in found["nodes"][1:]} <= {node["id"] for node in found["nodes"]}
