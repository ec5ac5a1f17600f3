"""Games come in by every format and go out by every format."""

import asyncio
import io
import threading
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

from fingal.game import BLACK, WHITE, Record, Result, formats
from fingal.serve.web import exchange, messages
from fingal.serve.web.game import LiveGame, begun
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.store import Stored

from .pages import client, new_game, page

SGF = "(;FF[4]GM[11]SZ[5]PB[Anna]PW[Ben]RU[swap-pieces];B[a4];W[swap-pieces];B[c3]C[good](;W[b2])(;W[d2];B[d3]))"
TEXTS = {
    "sgf": SGF,
    "hexworld": "https://hexworld.org/board/#5,a4:sc3b2",
    "trmph": "https://trmph.com/hex/board#5,d1d1c3b2",
    "moves": "5 a4 swap-pieces c3 b2",
}


def imported(server: TestClient, text: str) -> str:
    answer = server.post("/api/import", json={"text": text})
    assert answer.status_code == 200, answer.text
    (summary,) = answer.json()["games"]
    return str(summary["id"])


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("target", ["sgf", "littlegolem", "hexworld", "trmph", "moves"])
def test_what_comes_in_goes_out(tmp_path: Path, kind: str, target: str) -> None:
    with client(tmp_path) as server:
        game = imported(server, TEXTS[kind])
        answer = server.get(f"/api/games/{game}/export?format={target}")
        assert answer.status_code == 200
        assert formats.read(answer.text).moves == formats.read(TEXTS[kind]).moves


def test_a_tree_keeps_names_comments_and_variations(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = imported(server, SGF)
        found = server.get(f"/api/games/{game}").json()
        assert found["names"] == {"black": "Anna", "white": "Ben"}
        assert [node["comment"] for node in found["nodes"] if node["comment"]] == ["good"]
        record = formats.read(server.get(f"/api/games/{game}/export").text)
        assert len(list(record.root.walk())) == len(found["nodes"]) == 7
        # A variation can be written in formats that have none: the line through the node is.
        last = found["nodes"][-1]["id"]
        text = server.get(f"/api/games/{game}/export?format=hexworld&node={last}").text
        assert [record.name(move) for _, move in formats.read(text).moves][-2:] == ["d2", "d3"]


def test_a_collection_gives_several_games(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        answer = server.post("/api/import", json={"text": SGF * 25})
        assert len(answer.json()["games"]) == 20


@pytest.mark.parametrize("text", ["", "hello", "(;GM[1])", "11 a1 a1", "#2,a1", "(;FF[4]SZ[30])", "5 z9", "\0"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    with client(tmp_path) as server:
        answer = server.post("/api/import", json={"text": text})
        assert answer.status_code == 409
        assert answer.json()["code"] == "illegal"
        assert server.get("/api/games").json()["games"] == []


def test_what_is_no_game_is_told_what_a_page_can_read(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        said = server.post("/api/import", json={"text": "hello"}).json()["message"]
    assert all(name in said for name in ("SGF", "LittleGolem", "HexWorld", "trmph", "moves"))
    assert "@" not in said, "a text names no file here"


def test_a_game_is_written_as_it_was_played_and_what_was_taken_back_stays_beside_it(tmp_path: Path) -> None:
    def written(server: TestClient) -> str:
        return server.get(f"/api/games/{game}/export?format=sgf").text.replace("\n", "")

    with client(tmp_path) as server:
        game = new_game(server, width=5, height=5)
        with page(server, game) as one:
            one.play(game, "c3", "a1")
            for _ in range(2):
                assert one.ask("take_back", game=game)["type"] == "done"
            node = one.play(game, "d4")
            assert one.seen[-2]["first"] == node, "pages that are open put it first too"
            one.play(game, "e5", "resign", parent=node)
        assert "(;B[d4];W[e5];B[resign])(;B[c3];W[a1])" in written(server)
        assert "RE[W+R]" in written(server)
        assert formats.read(server.get(f"/api/games/{game}/export?format=moves").text).moves[0][1] == 18
    with client(tmp_path) as again:
        assert "(;B[d4];W[e5];B[resign])(;B[c3];W[a1])" in written(again)
        with page(again, game) as one:
            for _ in range(3):
                one.ask("take_back", game=game)
            one.play(game, "c3")  # the first thought was the better one
        assert "(;B[c3];W[a1])(;B[d4];W[e5];B[resign])" in written(again)


def saved(game: LiveGame, format: exchange.Format, node: int | None = None) -> Record:
    return formats.read(asyncio.run(exchange.Writer().write(game, format, node)).content.decode())


def names(record: Record) -> list[str]:
    return [record.name(move) for _, move in record.moves]


def test_a_flag_that_falls_after_a_move_was_taken_back_is_saved_where_it_fell() -> None:
    clock = messages.Clock(seconds=60, increment=0)
    settings = messages.Settings(width=5, height=5, clock=clock)
    game = begun("abcdefgh", settings, {"black": "Anna", "white": "Ben"}, None)
    game.play(0, "c3", 1.0)
    game.play(1, "a1", 2.0)
    game.take_back(3.0)
    assert game.flag(90.0)
    tried = game.play(1, "b2", 91.0).node
    rows = [game.tree.row(number) for number in game.tree.nodes]
    for each in (game, LiveGame.restored(Stored(game.id, game.head(92.0), rows))):
        tree = saved(each, "sgf")
        assert names(tree) == ["c3"]
        assert tree.result == Result(BLACK, "time")
        beside = [node.move for node in tree.root.walk() if node.move is not None]
        assert [tree.name(move) for move in beside] == ["c3", "a1", "b2"], "nothing is lost"
        for node in (None, each.current):
            link = saved(each, "littlegolem", node)
            assert names(link) == ["c3"]
            assert link.winner() is BLACK
        link = saved(each, "littlegolem", tried)
        assert names(link) == ["c3", "b2"]
        assert link.winner() is None
        again = begun("ijklmnop", settings, {"black": "Anna", "white": "Ben"}, tree)
        assert again.decided(again.current) == (BLACK, "time")


def test_a_result_outlives_what_is_tried_after_it(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = imported(server, "(;FF[4]GM[11]SZ[5]RE[W+T];B[c3];W[b2])")
        with page(server, game) as one:
            one.play(game, "d4", "a1", parent=2)
        tree = formats.read(server.get(f"/api/games/{game}/export").text)
        assert (names(tree), tree.result) == (["c3", "b2"], Result(WHITE, "time"))


def test_who_gives_up_after_a_move_of_a_file_was_taken_back_has_lost_in_what_is_saved(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, text="5 c3 b2")
        with page(server, game) as one:
            assert one.ask("take_back", game=game)["type"] == "done"
            one.play(game, "resign", parent=1)
        tree = formats.read(server.get(f"/api/games/{game}/export").text)
        assert (names(tree), tree.result) == (["c3", "resign"], Result(BLACK, "resign"))


def test_against_the_clock_a_move_of_a_file_gives_way_to_the_one_that_is_made(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, text="5 c3 b2", clock={"seconds": 600, "increment": 0})
        with page(server, game) as one:
            assert one.ask("take_back", game=game)["type"] == "done"
            one.play(game, "d4", "resign", parent=1)
        tree = formats.read(server.get(f"/api/games/{game}/export").text)
        assert (names(tree), tree.result) == (["c3", "d4", "resign"], Result(WHITE, "resign"))


def test_pictures_show_the_node(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=5, height=7)
        with page(server) as one:
            one.play(game, "c3", "b4", "d4")
        svg = ET.fromstring(server.get(f"/api/games/{game}/export?format=svg&node=2&numbers=true").text)
        stones = [each.get("data-cell") for each in svg.iter() if (each.get("class") or "").endswith("stone")]
        assert sorted(stones) == ["b4", "c3"]
        png = server.get(f"/api/games/{game}/export?format=png&theme=red-blue")
        assert png.headers["content-type"] == "image/png"
        assert min(Image.open(io.BytesIO(png.content)).size) > 100
        assert server.get(f"/api/games/{game}/export?format=exe").json()["code"] == "bad_message"
        assert server.get(f"/api/games/{game}/export?format=svg&node=7").json()["code"] == "not_found"


def test_a_replay_shows_every_stone_in_its_time(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = imported(server, TEXTS["moves"])
        text = server.get(f"/api/games/{game}/export?format=replay").text
        assert "<script" not in text
        groups = ET.fromstring(text).findall("{*}g")
        shown = {}
        for group in groups:
            circle, animate = group[0], group[1]
            if (circle.get("class") or "").endswith("stone"):
                times = [float(time) for time in (animate.get("keyTimes") or "").split(";")]
                shown[circle.get("data-cell")] = animate.get("values"), times[1]
        # The swapped stone is gone again; the others come one after another and stay.
        assert shown.pop("a4")[0] == "0;1;0"
        assert list(shown) == ["d1", "c3", "b2"]
        assert {values for values, _ in shown.values()} == {"0;1"}
        assert [time for _, time in shown.values()] == sorted(time for _, time in shown.values())


def test_a_game_begins_from_a_text(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, text="5 c3 b2", white="random:seed=3")
        found = server.get(f"/api/games/{game}").json()
        assert found["settings"]["width"] == 5
        with page(server, game) as one:
            one.play(game, "d4", parent=found["current"])
            one.find(lambda message: message["type"] == "change" and message["current"] == 4)


def test_a_name_in_a_file_is_a_persons(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, text="(;FF[4]GM[11]SZ[5]PB[Anna]PW[Berta];B[c3])", white="level:beginner")
        assert server.get(f"/api/games/{game}").json()["names"] == {"black": "Anna", "white": "Beginner"}


def test_variations_side_by_side_keep_their_order(tmp_path: Path) -> None:
    cells = [f"{letter}{number}" for number in (5, 1, 3) for letter in "badce"]
    text = "(;FF[4]GM[11]SZ[5]" + "".join(f"(;B[{cell}])" for cell in cells) + ")"
    with client(tmp_path) as server:
        game = imported(server, text)
    with client(tmp_path) as again:
        nodes = again.get(f"/api/games/{game}").json()["nodes"]
        assert [node["move"] for node in nodes[1:]] == cells


def test_a_result_belongs_to_the_end_that_had_it(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = imported(server, "(;FF[4]GM[11]SZ[5]RE[W+T];B[c3];W[b2])")
        found = server.get(f"/api/games/{game}").json()
        assert (found["status"]["winner"], found["status"]["how"]) == ("white", "time")
        with page(server) as one:
            one.ask("go_to", game=game, node=1)
            one.play(game, "d2", parent=1)
        (summary,) = server.get("/api/games").json()["games"]
        assert summary["winner"] is None
        assert "RE[W+T]" in server.get(f"/api/games/{game}/export").text
        with page(server) as one:
            one.ask("promote", game=game, node=3)
        assert "RE[" not in server.get(f"/api/games/{game}/export").text


def test_texts_are_read_one_at_a_time_and_only_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()
    at_once = [0]

    def slow(text: str, most: int) -> list[Any]:
        at_once.append(at_once[-1] + 1)
        assert let_go.wait(30)
        at_once.append(at_once[-1] - 1)
        return [text]

    async def run() -> None:
        reader = exchange.Reader()
        waiting = [asyncio.create_task(reader.read(str(number), 1)) for number in range(exchange.MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await reader.read("one more", 1)
        assert refused.value.code == "busy"
        let_go.set()
        assert await asyncio.gather(*waiting) == [[str(number)] for number in range(exchange.MOST_WAITING)]
        assert max(at_once) == 1

    monkeypatch.setattr(exchange, "_read", slow)
    asyncio.run(run())


def test_a_body_that_is_no_json_is_a_bad_message(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        for text in ("{", "[" * 60_000):
            answer = server.post("/api/import", content=text, headers={"content-type": "application/json"})
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_message")
