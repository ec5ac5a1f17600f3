"""A store in trouble: its file is locked by another program, or the disk is full. No game is lost, and nobody waits."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fingal.serve.web import engines, games, messages, store_queue
from fingal.serve.web.games import Games
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.seats import Seats
from fingal.serve.web.store import FULL, Store

from .pages import client, new_game, page

HOUR = 3600.0


@contextlib.contextmanager
def locked(folder: Path, how: str = "IMMEDIATE") -> Iterator[None]:
    """Another program holds the lock."""
    with contextlib.closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as base:
        base.execute(f"BEGIN {how}")
        yield
        base.execute("ROLLBACK")


def moves(server: TestClient, game: str) -> list[str]:
    return [node["move"] for node in server.get(f"/api/games/{game}").json()["nodes"][1:]]


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
def test_while_the_file_is_locked_everybody_else_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(store_queue, "PATIENCE", HOUR)  # whoever waits for the lock waits until it is released
    with client(tmp_path) as server:
        game, other = new_game(server, width=3, height=3), new_game(server, width=3, height=3)
        with page(server, game) as one, page(server) as two:
            with locked(tmp_path, how):
                number = one.say("play", game=game, parent=0, move="b2")
                assert two.ask("hello", version=1)["type"] == "done"
                assert two.ask("follow", game=other)["type"] == "game"
                assert two.ask("ask", game=other, node=0, topics=["connections"])["type"] == "knowledge"
                assert {entry["id"] for entry in server.get("/api/games").json()["games"]} == {game, other}
                assert server.get("/api/about").status_code == 200
                # Nobody saw the move before it was stored.
                assert [message["type"] for message in one.seen if message["type"] == "change"] == []
            assert one.until(lambda message: message.get("request") == number)["type"] == "done"
        assert moves(server, game) == ["b2"]


def test_a_move_that_cannot_be_stored_is_refused_in_time_and_the_game_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queue, "PATIENCE", 0.2)
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one, page(server, game) as two:
            one.play(game, "b2")
            with locked(tmp_path):
                for said in ({"parent": 1, "move": "a1"}, {"parent": 1, "move": "c1"}):
                    answer = one.ask("play", game=game, **said)
                    assert (answer["type"], answer["code"]) == ("error", "busy")
                    assert "locked" in answer["message"]
                assert server.post("/api/games", json={}).status_code == 503
                assert server.delete(f"/api/games/{game}").status_code == 503
                assert moves(server, game) == ["b2"]
            one.play(game, "a3", parent=1)
            # Who looks on has seen the moves that count, in the order in which they were made.
            told = two.find(lambda message: message["type"] == "change" and message["current"] == 2)
            assert told["nodes"][0]["move"] == "a3"
        assert moves(server, game) == ["b2", "a3"]


def test_an_engines_move_that_cannot_be_stored_is_made_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_queue, "PATIENCE", 0.2)
    monkeypatch.setattr(engines, "AGAIN_SECONDS", 0.05)
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            seated = threading.Event()
            real = server.app.state.games._queue.store.save  # type: ignore[attr-defined]

            def save(*args: Any) -> None:
                real(*args)
                seated.set()
                assert held.wait(60)

            held = threading.Event()
            monkeypatch.setattr(server.app.state.games._queue.store, "save", save)  # type: ignore[attr-defined]
            number = one.say("change", game=game, black="random")
            assert seated.wait(60)
            monkeypatch.undo()
            monkeypatch.setattr(store_queue, "PATIENCE", 0.2)
            monkeypatch.setattr(engines, "AGAIN_SECONDS", 0.05)
            with locked(tmp_path):
                held.set()
                assert one.until(lambda message: message.get("request") == number)["type"] == "done"
                failed = one.until(lambda message: message["type"] == "error")
                assert "locked" in failed["message"]
            one.find(lambda message: message["type"] == "change" and len(message["nodes"]) == 1)
        assert len(moves(server, game)) == 1


def test_a_flag_that_falls_while_the_file_is_locked_has_fallen_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "AGAIN_SECONDS", 0.05)
    clock = messages.Clock.model_construct(seconds=0.05, increment=0.0)

    async def run() -> None:
        time = 0.0
        all_games = Games(Store(tmp_path / "games.sqlite"), Seats().names, lambda: time)
        game = await all_games.create(messages.Settings.model_construct(width=3, height=3, clock=clock))
        async with all_games.open(game.id):
            await all_games.apply(game, game.play(0, "b2", time))
        with locked(tmp_path), monkeypatch.context() as patch:
            patch.setattr(store_queue, "PATIENCE", 0.1)
            time = 1.0
            await asyncio.sleep(0.5)  # it is tried some times
            assert '"winner":null' in Store.summaries(all_games._queue.store, 1, None)[0]
        while game.status(time).how != "time":
            time += 1.0
            await asyncio.sleep(0.02)
        await all_games.close()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_clock_runs_on_while_a_change_cannot_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = messages.Clock(seconds=300, increment=0.0)

    async def run() -> None:
        time = 0.0
        all_games = Games(Store(tmp_path / "games.sqlite"), Seats().names, lambda: time)
        game = await all_games.create(messages.Settings(width=3, height=3, clock=clock))
        async with all_games.open(game.id):
            await all_games.apply(game, game.play(0, "b2", time))
        time = 250.0
        with locked(tmp_path), monkeypatch.context() as patch:
            patch.setattr(store_queue, "PATIENCE", 0.1)
            with pytest.raises(Refusal):
                async with all_games.open(game.id):
                    await all_games.apply(game, game.play(1, "a1", time))
        clocks = game.status(time).clocks
        assert clocks == messages.Clocks(black=300, white=50, running="white")
        await all_games.close()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_game_whose_move_is_cut_off_by_the_end_of_the_server_can_be_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = messages.Clock(seconds=300, increment=0.0)

    async def run() -> str:
        all_games = Games(Store(tmp_path / "games.sqlite"), Seats().names)
        game = await all_games.create(messages.Settings(width=3, height=3, clock=clock))
        async with all_games.open(game.id):
            await all_games.apply(game, game.play(0, "b2", all_games.now()))

        async def move() -> None:
            async with all_games.open(game.id):
                await all_games.apply(game, game.play(1, "a1", all_games.now()))

        with locked(tmp_path), monkeypatch.context() as patch:
            patch.setattr(store_queue, "PATIENCE", 0.2)
            moving = asyncio.create_task(move())
            while not all_games._queue._writes._waiting:
                await asyncio.sleep(0.01)
            moving.cancel()
            await asyncio.wait([moving])
            await asyncio.sleep(0.5)  # the change has given up waiting for the lock
        await all_games.close()
        return game.id

    async def again(id: str) -> None:
        all_games = Games(Store(tmp_path / "games.sqlite"), Seats().names)
        game = await all_games.get(id)
        assert game.current in game.tree.nodes
        await all_games.close()

    asyncio.run(again(asyncio.run(asyncio.wait_for(run(), 60))))


def test_an_engine_whose_move_does_not_fit_on_the_disk_is_not_asked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "AGAIN_SECONDS", HOUR)
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        store = server.app.state.games._queue.store  # type: ignore[attr-defined]
        real, tried = store.save, 0

        def save(game: str, head: Any, summary: str, rows: Any = (), removed: Any = ()) -> None:
            nonlocal tried
            if not rows:
                return real(game, head, summary, rows, removed)
            tried += 1
            raise Refusal("failed", FULL)

        monkeypatch.setattr(store, "save", save)
        with page(server, game) as one:
            one.ask("change", game=game, black="random")
            assert one.until(lambda message: message["type"] == "error")["message"] == FULL
            for _ in range(20):
                assert one.ask("hello", version=1)["type"] == "done"
            assert tried == 1  # a page that leaves would have it tried once more


def test_so_many_changes_may_wait_and_the_next_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queue, "PATIENCE", HOUR)
    monkeypatch.setattr(store_queue, "MOST_WAITING", 3)

    async def run() -> None:
        all_games = Games(Store(tmp_path / "games.sqlite"), Seats().names)
        with locked(tmp_path):
            waiting = [asyncio.ensure_future(all_games.create(messages.Settings())) for _ in range(3)]
            while all_games._queue._writes._waiting < 3:
                await asyncio.sleep(0.01)
            with pytest.raises(Refusal, match="too many"):
                await all_games.create(messages.Settings())
        made = await asyncio.gather(*waiting)
        assert {game.id for game in made} == {summary.id for summary in await all_games.summaries(10, None)}
        await all_games.close()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_page_that_goes_while_its_move_waits_leaves_the_game_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queue, "PATIENCE", HOUR)
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        queue = server.app.state.games._queue  # type: ignore[attr-defined]

        def play_and_go() -> None:
            with page(server, game) as gone:
                gone.say("play", game=game, parent=0, move="b2")
                while not queue._writes._waiting:
                    pass

        with page(server, game) as looking:
            with locked(tmp_path):
                going = threading.Thread(target=play_and_go)
                going.start()
                going.join(1.0)  # it has gone by then, and its socket is closed when the move is stored
            going.join(60)
            looking.find(lambda message: message["type"] == "change" and message["current"] == 1)
            looking.play(game, "a1", parent=1)
        assert moves(server, game) == ["b2", "a1"]


def test_a_game_that_could_neither_be_stored_nor_read_is_read_again_when_that_is_possible(tmp_path: Path) -> None:
    class Broken:
        """SQLite on a disk that fails."""

        def execute(self, *_: object) -> Any:
            raise sqlite3.OperationalError("disk I/O error")

    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        store = server.app.state.games._queue.store  # type: ignore[attr-defined]
        with page(server, game) as one:
            one.play(game, "b2")
            with pytest.MonkeyPatch.context() as broken:
                broken.setattr(store, "_base", Broken())
                broken.setattr(store, "_reader", Broken())
                broken.setattr(store, "wait_at_most", lambda seconds: None)
                answer = one.ask("play", game=game, parent=1, move="a1")
                assert (answer["code"], "disk I/O error" in answer["message"]) == ("failed", True)
                assert server.get(f"/api/games/{game}").status_code == 500, "the move is not shown: it was not stored"
                assert server.get("/api/games").json()["code"] == "failed"
            assert moves(server, game) == ["b2"]
            one.play(game, "c3", parent=1)
        assert moves(server, game) == ["b2", "c3"]


def test_a_full_disk_costs_a_deletion_one_sentence_and_no_game(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        ids = [new_game(server, width=3, height=3) for _ in range(3)]
        base = server.app.state.games._queue.store._base  # type: ignore[attr-defined]
        with page(server, ids[0]) as one:
            one.play(ids[0], "b2")

            class Full:
                """SQLite on a disk that takes nothing more."""

                def __getattr__(self, name: str) -> Any:
                    return getattr(base, name)

                def execute(self, statement: str, *more: Any) -> Any:
                    if statement.startswith(("DELETE", "INSERT")):
                        error = sqlite3.OperationalError("database or disk is full")
                        error.sqlite_errorcode = sqlite3.SQLITE_FULL
                        base.execute("ROLLBACK")  # as SQLite may do by itself
                        raise error
                    return base.execute(statement, *more)

            server.app.state.games._queue.store._base = Full()  # type: ignore[attr-defined]
            answer = server.delete(f"/api/games/{ids[0]}")
            assert answer.status_code == 500
            assert answer.json() == {
                "code": "failed",
                "message": "the disk is full: nothing was changed, make room in the data folder and try again",
            }
            assert {entry["id"] for entry in server.get("/api/games").json()["games"]} == set(ids)
            server.app.state.games._queue.store._base = base  # type: ignore[attr-defined]
            one.play(ids[0], "a1", parent=1)  # whoever followed it still does
            assert server.delete(f"/api/games/{ids[0]}").status_code == 200
        assert {entry["id"] for entry in server.get("/api/games").json()["games"]} == set(ids[1:])
