"""Engines at the board and in analyses: they answer, they stop when nobody wants them, and not all may be asked."""

import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fingal.game import Board
from fingal.nets import card
from fingal.serve.web import seats
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.seats import Seats
from tests.nets import liars

from .pages import Message, client, new_game, page

QUICK = "puct:net=fingal-small,sims=8,batch=4"


def is_over(message: Message) -> bool:
    return message["type"] == "change" and message["status"]["winner"] is not None


def idle(server: TestClient) -> bool:
    """Whether no search goes on, or soon."""
    searches = server.app.state.minds.searches  # type: ignore[attr-defined]
    until = time.monotonic() + 30
    while searches.busy and time.monotonic() < until:
        time.sleep(0.01)
    return not searches.busy


def test_an_engine_answers_and_the_game_ends_by_the_rules(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3, white="random:seed=1")
        board = Board(3)
        with page(server, game) as one:
            current = 0
            while board.winner is None:
                one.seen.clear()
                cell = board.name(board.empty_cells[0])
                answer = one.ask("play", game=game, parent=current, move=cell)
                assert answer["type"] == "done", answer
                board.push(cell)
                told = one.find(
                    lambda m: m["type"] == "change" and (m["status"]["turn"] == "black" or m["status"]["winner"])
                )
                if told["nodes"][0]["colour"] == "white":
                    board.push(told["nodes"][0]["move"])
                current = told["current"]
            assert told["status"]["winner"] == str(board.winner)


def test_nobody_moves_for_an_engine_but_a_person_may_resign(tmp_path: Path) -> None:
    with client(tmp_path, engines=("cat",)) as server:
        # 'cat' never answers as an engine does: it is White's turn for long enough.
        game = new_game(server, width=5, height=5, white="htp:cat")
        with page(server, game) as one:
            one.play(game, "c3")
            assert one.ask("play", game=game, parent=1, move="a1")["code"] == "refused"
            assert one.ask("play", game=game, parent=1, move="resign")["type"] == "done"
            assert one.find(is_over)["status"]["winner"] == "white"


def test_two_engines_play_only_while_somebody_watches(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=4, height=4, black="random:seed=1", white=QUICK, thinking=True)
        assert len(server.get(f"/api/games/{game}").json()["nodes"]) == 1
        with page(server, game) as one:
            assert one.find(is_over)["status"]["how"] == "connection"
            values = [node["value"] for m in one.seen if m["type"] == "change" for node in m["nodes"]]
            assert any(value is not None for value in values)
            thoughts = [message["analysis"] for message in one.seen if message["type"] == "thought"]
            assert thoughts
            assert all(thought["candidates"] for thought in thoughts)


def test_an_engine_that_fails_is_reported_and_the_game_lives(tmp_path: Path) -> None:
    with client(tmp_path, engines=("false",)) as server:
        game = new_game(server, width=5, height=5, white="htp:false")
        with page(server, game) as one:
            one.play(game, "c3")
            told = one.find(lambda message: message["type"] == "error")
            assert told["code"] == "failed"
            assert told["message"]
            assert one.ask("change", game=game, white="random")["type"] == "done"
            one.find(lambda message: message["type"] == "change" and len(message["nodes"]) and message["current"] == 2)


def test_a_net_that_gives_no_numbers_is_reported_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    liars.write(weights / "liar.onnx", liars.liar("value", 1))
    monkeypatch.setattr(card, "WEIGHTS", weights)
    monkeypatch.setattr(seats, "nets", lambda: ("liar",))
    sentence = "liar gave nan as a value on 5x5: values are from -1 to 1"
    with client(tmp_path) as server:
        game = new_game(server, width=5, height=5, white="net:liar")
        with page(server, game) as one:
            one.play(game, "c3")
            assert one.ask("change", game=game, white="person")["type"] == "done"
            one.play(game, "a1", parent=1)
            assert one.ask("change", game=game, black="puct:net=liar,sims=30")["type"] == "done"
            told = one.find(lambda message: message["type"] == "error")
            assert (told["code"], told["message"]) == ("failed", sentence)
            one.seen.clear()
            one.say("analyse", game=game, node=2, player="puct:net=liar")
            told = one.find(lambda message: message["type"] == "error")
            assert (told["code"], told["message"]) == ("failed", sentence)
            assert one.ask("change", game=game, black="random")["type"] == "done"
            one.find(lambda message: message["type"] == "change" and message["current"] == 3)


def test_an_engine_keeps_to_the_clock(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        # Left to itself it would think for a minute.
        slow = "puct:net=fingal-small,time=60"
        game = new_game(server, width=5, height=5, white=slow, clock={"seconds": 20.0})
        with page(server, game) as one:
            one.play(game, "c3")
            told = one.find(lambda message: message["type"] == "change" and message["current"] == 2)
            assert told["status"]["clocks"]["running"] == "black", "it moved before its flag fell"


def test_a_move_taken_back_stops_the_engine(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=11, height=11, white="puct:net=fingal-small,time=60")
        with page(server, game) as one:
            one.play(game, "f6")
            assert server.get(f"/api/games/{game}").json()["status"]["thinking"]
            assert one.ask("take_back", game=game)["type"] == "done"
            assert not server.get(f"/api/games/{game}").json()["status"]["thinking"]
            assert idle(server)


def test_an_analysis_streams_stops_and_is_kept(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=7, height=7)
        with page(server, game) as one:
            one.play(game, "d4")
            assert one.ask("analyse", game=game, node=1)["type"] == "done"
            first = one.find(lambda message: message["type"] == "analysis")
            more = one.until(lambda message: message["type"] == "analysis" and message["visits"] > first["visits"])
            losses = [candidate["loss"] for candidate in more["candidates"]]
            assert losses[0] == 0
            assert {candidate["move"] for candidate in more["candidates"]} <= {
                Board(7).name(cell) for cell in range(49) if cell != Board(7).cell("d4")
            }
            assert one.ask("stop")["type"] == "done"
            assert idle(server)
    with client(tmp_path) as again, page(again, game) as one:
        one.ask("analyse", game=game, node=1)
        kept = one.find(lambda message: message["type"] == "analysis")
        assert kept["visits"] >= more["visits"]


def test_searches_end_when_the_page_goes(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server)
        with page(server, game) as one:
            one.ask("analyse", game=game, node=0, slot=0)
            one.ask("analyse", game=game, node=0, slot=1, player="uct")
            one.find(lambda message: message["type"] == "analysis" and message["slot"] == 1)
        assert idle(server)


def test_nothing_is_thought_of_a_game_that_is_over(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            node = one.play(game, "b2", "a1", "b1", "c1", "b3")
            assert one.ask("analyse", game=game, node=node)["code"] == "illegal"
            assert one.ask("analyse", game=game, node=99)["code"] == "not_found"
            assert one.ask("analyse", game=game, node=0, player="person")["code"] == "refused"


def test_topics_and_a_review(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            node = one.play(game, "a1", "b2", "c2")
            told = one.ask("ask", game=game, node=1, topics=["solver", "connections"])
            assert told["type"] == "knowledge"
            assert told["solver"]["winner"] == "white"
            assert told["must_play"] is not None
            found = one.ask("review", game=game, node=node)
            while not found["done"]:
                found = one.until(lambda message: message["type"] == "review")
            assert [move["node"] for move in found["moves"]] == [1, 2, 3]
            assert server.get(f"/api/games/{game}").json()["nodes"][2]["value"] == -1.0
            again = one.ask("review", game=game, node=node)
            assert again["done"]
            assert again["moves"] == found["moves"]


@pytest.mark.parametrize(
    "seat",
    [
        "net:/etc/passwd",
        "net:../weights/fingal-small.safetensors",
        "puct:net=fingal-small.onnx",
        "uct:prior=/tmp/x.safetensors",
        "htp:sh",
        'htp:"mohex --seed 1"',
        "htp:mohex,start=quit",
        "human",
        "person",
        "level:unheard-of",
        "unheard-of",
        "uct:sims=1e9",
        "uct:time=3600",
        "solver:memory=100000",
        "uct:threads=64",
        "resistance:depth=9",
        "resistance:depth=3,width=40",
        "gumbel:fingal-small,net=../../x",
        "puct:fingal-small,c=nan",
        "puct:fingal-small,device=../x",
        "puct:fingal-small,connections=99999999999999999999",
        "uct:considered=8",
        "random:epsilon=2",
        "random:temperature=1",
        "random:3",
        "puct",
        "random:name=" + "x" * 100,
        "",
        ":",
        "net:",
    ],
)
def test_seats_that_are_refused(seat: str) -> None:
    with pytest.raises(Refusal) as refused:
        Seats(("mohex",)).player(seat)
    assert refused.value.message


def test_who_is_unknown_is_told_who_may_sit_here() -> None:
    def told(*engines: str) -> set[str]:
        with pytest.raises(Refusal) as refused:
            Seats(engines).player("unheard-of")
        return set(refused.value.message.partition("there are ")[2].split(", "))

    assert {"person", "level:NAME", "uct", "random"} <= told()
    assert not {"human", "htp"} & told()
    assert told("mohex") == told() | {"htp"}


@pytest.mark.parametrize(
    ("seat", "name"),
    [
        ("random", "random"),
        ("puct:net=fingal-small,sims=100,name=Anna", "Anna"),
        ("net:policy-9", "net:policy-9"),
        ("htp:mohex", "mohex"),
        ("uct:prior=policy-9", "uct:prior=policy-9"),
    ],
)
def test_seats_that_are_taken(seat: str, name: str) -> None:
    seated: Any = Seats(("mohex",)).player(seat)
    assert seated.name == name


def test_a_hint_wins_and_a_mistake_is_pointed_out(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=4, height=4, teaching=True)
        with page(server, game) as one:
            tip = one.ask("hint", game=game)
            assert tip["type"] == "hint"
            assert tip["move"] in ("d1", "c2", "b3", "a4"), "on 4x4 the short diagonal wins, and nothing else"
            assert tip["reason"]
            one.play(game, "a1")
            told = one.find(lambda message: message["type"] == "warning")
            assert told["node"] == 1
            assert told["better"] in ("d1", "c2", "b3", "a4")
            assert told["loss"] == 2


def test_every_level_is_a_player_that_may_sit_here(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        levels = server.get("/api/about").json()["levels"]
        assert len(levels) >= 5
        for level in levels:
            seated = Seats().player(f"level:{level['name']}")
            assert seated.name == level["title"]
            assert seated.text == Seats().player(level["player"]).text
        game = new_game(server, width=3, height=3, white=f"level:{levels[0]['name']}")
        assert server.get(f"/api/games/{game}").json()["names"]["white"] == levels[0]["title"]
        with page(server, game) as one:
            one.play(game, "a1")
            one.find(lambda message: message["type"] == "change" and message["current"] == 2)


def test_who_analyses_where_nobody_is_named_sees_what_connections_prove(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        # Black's bridges join its edges. To see that move by move takes a search far more than a moment.
        game = new_game(server, text="9 e5 a1 d7 a2 f3 a3 c9 a4 g1 a5")
        node = server.get(f"/api/games/{game}").json()["current"]
        with page(server, game) as one:
            one.ask("analyse", game=game, node=node)
            last = one.find(lambda m: m["type"] == "analysis" and (m["done"] or m["visits"] >= 1000))
            assert (last["done"], last["proof"]) == (True, 1)


def test_a_review_by_a_player_that_does_not_search_is_refused(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            node = one.play(game, "b2", "a1")
            answer = one.ask("review", game=game, node=node, player="random")
            assert (answer["type"], answer["code"]) == ("error", "refused")
            assert "random" in answer["message"]
            assert one.ask("review", game=game, node=node, player="uct:sims=5")["type"] == "review"
