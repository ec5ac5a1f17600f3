"""Games by messages: what one page does all see, and it is there after a restart."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fingal.game import BLACK, Board
from fingal.serve.web import messages, tree
from fingal.serve.web.game import LiveGame, begun
from fingal.serve.web.games import Games
from fingal.serve.web.seats import Seats
from fingal.serve.web.store import Store

from .pages import Message, Page, client, new_game, page


class Mirror:
    """What a page that listens to changes believes of a game."""

    def __init__(self, whole: Message) -> None:
        self.game = whole["game"]
        self.nodes = {node["id"]: node for node in self.game["nodes"]}

    def hear(self, message: Message) -> None:
        assert message["revision"] == self.game["revision"] + 1
        for node in message["nodes"]:
            self.nodes[node["id"]] = node
        for gone in message["removed"]:
            self._remove(gone)
        for key in ("revision", "current", "status"):
            self.game[key] = message[key]
        for key in ("settings", "names"):
            self.game[key] = message[key] or self.game[key]

    def _remove(self, number: int) -> None:
        del self.nodes[number]
        for child in [node["id"] for node in self.nodes.values() if node["parent"] == number]:
            self._remove(child)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Mirror)
        return self.nodes == other.nodes and self.facts() == other.facts()

    def facts(self) -> dict[str, Any]:
        return {key: self.game[key] for key in ("revision", "current", "status", "settings", "names")}


def get(server: Any, game: str) -> Mirror:
    return Mirror({"game": server.get(f"/api/games/{game}").json()})


def test_two_people_play_a_whole_game(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one, page(server, game) as other:
            one.play(game, "b2", "a1", "b1", "c1", "b3")
            oracle = Board(3)
            for move in ("b2", "a1", "b1", "c1", "b3"):
                oracle.push(move)
            for each in (one, other):
                last = each.find(lambda message: message["type"] == "change" and message["status"]["winner"])
                assert last["status"]["winner"] == str(oracle.winner)
                assert last["status"]["how"] == "connection"
                assert set(last["status"]["chain"]) == {"b1", "b2", "b3"}
            assert one.ask("play", game=game, parent=last["current"], move="a2")["code"] == "illegal"


def everything(one: Page, game: str) -> None:
    """Do all that can be done to a game."""
    node = one.play(game, "b2", "c3")
    one.play(game, "d4", parent=1)
    one.play(game, "a1", "a2", parent=node)
    one.ask("annotate", game=game, node=node, comment="Ω", marks=[{"kind": "label", "cell": "a4", "text": "A"}])
    assert one.ask("promote", game=game, node=3)["type"] == "done"
    assert one.ask("take_back", game=game)["type"] == "done"
    assert one.ask("go_to", game=game, node=3)["type"] == "done"
    one.play(game, "b3", "b4", parent=3)
    assert one.ask("remove", game=game, node=6)["type"] == "done"
    assert one.ask("change", game=game, title="A game", teaching=True)["type"] == "done"
    assert one.ask("play", game=game, parent=3, move="resign")["type"] == "done"


def test_everyone_sees_the_same_and_it_survives_a_restart(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=5, height=5)
        with page(server) as one, page(server) as other:
            mirrors = [Mirror(each.ask("follow", game=game)) for each in (one, other)]
            everything(one, game)
            truth = get(server, game)
            assert truth.nodes[2]["comment"] == "Ω"
            assert truth.game["status"]["winner"] == "white"
            assert truth.game["settings"]["title"] == "A game"
            assert [node["id"] for node in truth.game["nodes"] if node["parent"] == 1] == [3, 2]
            for each, mirror in zip((one, other), mirrors, strict=True):
                while mirror.game["revision"] < truth.game["revision"]:
                    message = next((m for m in each.seen if m["type"] == "change"), None) or each.next()
                    if message["type"] == "change":
                        mirror.hear(message)
                        each.seen.remove(message)
                assert mirror == truth
    with client(tmp_path) as again:
        assert again.get(f"/api/games/{game}").json()["nodes"] == truth.game["nodes"]
        assert get(again, game) == truth
        (summary,) = again.get("/api/games").json()["games"]
        assert summary["title"] == "A game"
        assert summary["winner"] == "white"
        assert summary["stones"] == {"black": ["b2"], "white": ["d4"]}


def test_swap_is_the_boards(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=5, height=5, swap=True)
        with page(server, game) as one:
            one.play(game, "a4")
            assert one.find(lambda message: message["type"] == "change")["status"]["can_swap"]
            one.play(game, "swap-pieces", parent=1)
        oracle = Board(5, swap=True)
        oracle.push("a4")
        oracle.push("swap")
        (summary,) = server.get("/api/games").json()["games"]
        assert summary["stones"] == {"black": [], "white": ["d1"]}
        assert str(oracle.colour_at("d1")) == "white"
        assert server.get(f"/api/games/{game}").json()["status"]["turn"] == str(oracle.turn)


def test_what_is_not_possible_changes_nothing(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=4)
        with page(server, game) as one:
            one.play(game, "b2")
            before = get(server, game)
            for asked, code in (
                ({"type": "play", "parent": 1, "move": "b2"}, "illegal"),
                ({"type": "play", "parent": 1, "move": "d1"}, "illegal"),
                ({"type": "play", "parent": 1, "move": "swap-pieces"}, "illegal"),
                ({"type": "play", "parent": 9, "move": "a1"}, "not_found"),
                ({"type": "go_to", "node": 9}, "not_found"),
                ({"type": "remove", "node": 0}, "refused"),
                ({"type": "annotate", "node": 0, "marks": [{"kind": "cross", "cell": "d1"}]}, "illegal"),
                ({"type": "change", "white": "human"}, "refused"),
            ):
                answer = one.ask(game=game, **asked)  # type: ignore[arg-type]
                assert (answer["type"], answer["code"]) == ("error", code), answer
                assert answer["message"]
            assert get(server, game) == before
        assert server.post("/api/games", json={"width": 3, "height": 4, "swap": True}).status_code == 409
        assert server.post("/api/games", json={"width": 2}).json()["code"] == "bad_message"
        assert server.get("/api/games/unheard-of").json()["code"] == "not_found"
        assert server.get("/api/unheard-of").json()["code"] == "not_found"


def test_there_is_an_end_to_what_is_written_in_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MOST_WRITTEN", 300)
    marks = [{"kind": "cross", "cell": "a1"}] * 4
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            one.play(game, "b2")
            assert one.ask("annotate", game=game, node=0, marks=marks)["type"] == "done"
            assert one.ask("annotate", game=game, node=1, comment="x" * 101)["code"] == "too_many"
            assert one.ask("annotate", game=game, node=1, comment="x" * 100)["type"] == "done"
            assert one.ask("annotate", game=game, node=0, comment="y")["code"] == "too_many"
            assert one.ask("annotate", game=game, node=0, comment="y", marks=[])["type"] == "done"
            found = get(server, game).nodes
            assert (found[0]["comment"], found[1]["comment"]) == ("y", "x" * 100)
        long = server.post("/api/import", json={"text": "(;FF[4]GM[11]SZ[9]TR[a1:i9])"})
        assert long.json()["code"] == "too_long"


def test_numbers_of_nodes_have_an_end_and_the_game_lives(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        assert server.portal is not None
        server.portal.call(server.app.state.games.get, game).tree.next = messages.LAST_NODE  # type: ignore[attr-defined]
        with page(server, game) as one:
            last = one.play(game, "b2")
            assert one.ask("play", game=game, parent=last, move="a1")["code"] == "too_many"
            assert get(server, game).game["current"] == last == messages.LAST_NODE


def test_a_move_that_is_there_is_gone_to(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            one.play(game, "b2", "a1")
            one.ask("go_to", game=game, node=0)
            assert one.play(game, "b2") == 1
            assert one.ask("play", game=game, parent=1, move="a1")["node"] == 2
            found = get(server, game)
            assert len(found.nodes) == 3
            assert found.game["current"] == 2


def test_lists_and_deletes(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        ids = [new_game(server, title=f"game {number}") for number in range(5)]
        first = server.get("/api/games?limit=3").json()["games"]
        rest = server.get(f"/api/games?limit=3&before={first[-1]['changed']}").json()["games"]
        assert [game["id"] for game in first + rest] == ids[::-1]
        with page(server, ids[0]) as one:
            assert server.delete(f"/api/games/{ids[0]}").status_code == 200
            assert one.find(lambda message: message["type"] == "error")["code"] == "not_found"
        assert server.get(f"/api/games/{ids[0]}").status_code == 404
        assert len(server.get("/api/games").json()["games"]) == 4


class Ear:
    """A follower that waits for something."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[messages.Said] = asyncio.Queue()

    def tell(self, message: messages.Said) -> None:
        self.heard.put_nowait(message)


def timed(seconds: float) -> messages.Settings:
    clock = messages.Clock.model_construct(seconds=seconds, increment=0.0)
    return messages.Settings.model_construct(width=3, height=3, clock=clock)


def test_a_flag_falls_though_nobody_moves(tmp_path: Path) -> None:
    async def run() -> LiveGame:
        games = Games(Store(tmp_path / "g"), Seats().names)
        game, ear = await games.create(timed(0.05)), Ear()
        async with games.open(game.id):
            games.follow(game, ear)
            await games.apply(game, game.play(0, "b2", games.now()))
        while True:
            told = await asyncio.wait_for(ear.heard.get(), 30)
            assert isinstance(told, messages.Changed)
            if told.status.how == "time":
                assert told.status.winner == "black"
                assert told.status.clocks is not None
                assert (told.status.clocks.white, told.status.clocks.running) == (0.0, None)
                await games.close()
                return game

    game = asyncio.run(run())
    before = game.current
    edit = game.play(before, "a1", 0.0)
    assert edit.node is not None
    assert game.current == before, "what is tried after the end is a variation"


def test_clocks_count_the_thinker_and_stand_while_the_server_does(tmp_path: Path) -> None:
    time = 100.0

    async def run() -> None:
        nonlocal time
        settings = messages.Settings(width=3, height=3, clock=messages.Clock(seconds=60, increment=2))
        games = Games(Store(tmp_path / "g"), Seats().names, lambda: time)
        game = await games.create(settings)
        time += 30
        assert game.status(time).clocks == messages.Clocks(black=60, white=60, running=None)
        await games.apply(game, game.play(0, "b2", time))
        time += 10
        await games.apply(game, game.play(1, "a1", time))
        time += 5
        assert game.status(time).clocks == messages.Clocks(black=57, white=52, running="black")
        with pytest.raises(Exception, match="against the clock"):
            game.go_to(0, time)
        await games.close()

        time += 1000
        resumed = Games(Store(tmp_path / "g"), Seats().names, lambda: time)
        again = await resumed.get(game.id)
        await resumed.close()
        time += 7
        assert again.status(time).clocks == messages.Clocks(black=50, white=52, running="black")
        assert again.seat(BLACK) == "person"

    asyncio.run(run())


def test_a_move_of_the_other_side_is_another_move(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        # Black moves twice in the file. White, whose turn it is after the first, may still play b2.
        game = new_game(server, text="(;FF[4]GM[11]SZ[3];B[a1];B[b2])")
        with page(server, game) as one:
            answer = one.ask("play", game=game, parent=1, move="b2")
            assert get(server, game).nodes[answer["node"]]["colour"] == "white"


def test_who_resigns_has_lost_whoever_resigned_there_before() -> None:
    game = begun("abcdefgh", messages.Settings(width=3, height=3, white="random"), {}, None)
    game.play(0, "b2", 0.0)
    game.play(1, "resign", 0.0, engine=True)
    assert game.decided(game.current)[0] is BLACK
    game.go_to(1, 0.0)
    game.play(1, "resign", 0.0)
    assert game.decided(game.current)[0] is BLACK.other


def test_where_the_disk_is_full_the_game_is_as_it_was_and_an_analysis_is_not_kept(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        store = server.app.state.games._queue.store  # type: ignore[attr-defined]
        base = store._base
        with page(server, game) as one:
            one.play(game, "b2")
            base.execute("PRAGMA max_page_count = 1")  # as many as there are
            for node in (0, 1) * 50:
                before = get(server, game)
                answer = one.ask("annotate", game=game, node=node, comment=f"{len(one.seen):04}" * 1000)
                if answer["type"] == "error":
                    break
            assert answer["code"] == "failed"
            after = get(server, game)
            assert (after.nodes, after.game["current"]) == (before.nodes, before.game["current"])
            store.keep(game, 1, "analysis", "uct", "x" * 100_000)
            assert store.kept(game, 1, "analysis", "uct") is None
            base.execute("PRAGMA max_page_count = 100000")
            one.play(game, "a1", parent=1)
