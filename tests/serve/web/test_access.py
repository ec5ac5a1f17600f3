"""A server on the network: nothing without its token, everything with it."""

from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidStatus

from .pages import HOST, client, new_game, page, served

TOKEN = "a-token-that-nobody-guesses"
PATHS = ["/", "/main.js", "/api/about", "/api/games", "/api/docs", "/openapi.json", "/api/runs", "/reports/a.html"]
PATHS += ["/nowhere", "/?token=", "/api/games?limit=1"]


def knock(server: TestClient) -> None:
    with server.websocket_connect(f"ws://{HOST}/ws", headers={"origin": f"http://{HOST}"}):
        pass


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_there_is_one_sentence_and_nothing_else(tmp_path: Path, path: str) -> None:
    with client(tmp_path, token=TOKEN) as server:
        answer = server.get(path)
        assert answer.status_code == 401
        assert set(answer.json()) == {"code", "message"}
        assert "token" in answer.json()["message"]
        assert "set-cookie" not in answer.headers
        assert TOKEN not in answer.text


@pytest.mark.parametrize("wrong", ["x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "%ff", "é", "a" * 5000])
def test_a_wrong_token_is_refused_in_a_link_and_in_a_cookie(tmp_path: Path, wrong: str) -> None:
    with client(tmp_path, token=TOKEN) as server:
        for answer in (
            server.get(f"/?token={wrong}"),
            server.get("/", headers={"cookie": f"fingal-token-8000={wrong}".encode()}),
        ):
            assert answer.status_code == 403
            assert answer.json()["code"] == "refused"
            assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("cookie", [b"\xff\xfe", b";;;=", b"fingal-token-8000", b'fingal-token-8000="', b"[]=1; a b=2"])
def test_a_broken_cookie_is_none(tmp_path: Path, cookie: bytes) -> None:
    with client(tmp_path, token=TOKEN) as server:
        assert server.get("/", headers={"cookie": cookie}).status_code in (401, 403)


def test_the_link_makes_the_token_a_cookie_with_which_all_works(tmp_path: Path) -> None:
    with client(tmp_path, token=TOKEN) as server:
        with pytest.raises(WebSocketDisconnect):
            knock(server)
        first = server.get(f"/?token={TOKEN}")
        assert first.status_code == 200
        assert '<script type="module"' in first.text
        flags = {part.strip().lower() for part in first.headers["set-cookie"].split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/"} <= flags
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            one.play(game, "b2")
        assert "set-cookie" not in server.get("/").headers


def test_a_program_may_give_the_token_with_every_request(tmp_path: Path) -> None:
    with client(tmp_path, token=TOKEN) as server:
        assert server.post(f"/api/games?token={TOKEN}", json={}).status_code == 200


def test_with_the_token_other_sites_and_other_names_are_still_refused(tmp_path: Path) -> None:
    with client(tmp_path, token=TOKEN) as server:
        server.get(f"/?token={TOKEN}")
        assert server.post("/api/games", json={}, headers={"origin": "http://evil.example"}).status_code == 403
        assert server.get("/api/games", headers={"host": "evil.example"}).status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            server.websocket_connect(f"ws://{HOST}/ws", headers={"origin": "http://evil.example"}),
        ):
            pass


def test_tokens_cannot_be_tried_without_end(tmp_path: Path) -> None:
    with client(tmp_path, token=TOKEN, requests=(0.0, 5.0)) as server:
        codes = [server.get(f"/api/about?token={number}").status_code for number in range(7)]
        assert codes == [403] * 5 + [429] * 2


def test_a_server_on_the_network_prints_a_link_with_its_token(tmp_path: Path) -> None:
    links = set()
    for _ in range(2):
        with served(tmp_path, "--host", "0.0.0.0") as server:
            assert "/?token=" in server.link
            links.add(server.link.partition("=")[2])
            assert server.http.get("/").status_code == 401
            with pytest.raises(InvalidStatus) as refused, server.socket():
                pass
            assert refused.value.response.status_code == 403
            assert httpx.get(server.link).status_code == 200
    assert len(links) == 2
    assert min(map(len, links)) >= 22, "fewer than 128 bits"


def test_open_serves_everybody_and_this_machine_needs_no_token(tmp_path: Path) -> None:
    for options in (["--host", "0.0.0.0", "--open"], ["--host", "localhost"], []):
        with served(tmp_path, *options) as server:
            assert server.link == f"http://{server.host}/"
            assert server.http.get("/api/games").status_code == 200
