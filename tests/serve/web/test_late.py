"""Answers that come too late: the game is deleted, or another question was asked, while somebody was thinking."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from fingal.serve.web import engines, looks, messages
from fingal.serve.web import games as games_module
from fingal.serve.web.engines import Engines
from fingal.serve.web.games import Games
from fingal.serve.web.searches import Busy, Chosen, Searches
from fingal.serve.web.seats import Seats
from fingal.serve.web.store import Store
from fingal.serve.web.teaching import Teacher

from .pages import client, new_game, page


class Thinkers:
    """Searches that answer when the test wants them to."""

    def __init__(self) -> None:
        self.busy = False
        self.asked: list[Callable[[Any], None]] = []

    def choose(self, key: str, player: str, record: object, limit: object, done: Any, shown: object) -> None:
        if self.busy:
            raise Busy("too much is waiting")
        self.asked.append(done)

    def cancel(self, key: str) -> None: ...

    def forget(self, key: str) -> None: ...


@contextlib.asynccontextmanager
async def at_the_board(folder: Path, thinkers: Thinkers) -> Any:
    """Games in which the thinkers play; to be used inside a loop."""
    games = Games(Store(folder / "games.sqlite"), Seats().names)
    Engines(games, cast(Searches, thinkers), Seats(), cast(Teacher, None))
    yield games
    await games.close()


ENGINE_FIRST = messages.Settings(width=3, height=3, black="random")


def test_a_move_that_was_on_its_way_does_not_bring_a_deleted_game_back(tmp_path: Path) -> None:
    async def run() -> None:
        thinkers = Thinkers()
        async with at_the_board(tmp_path, thinkers) as games:
            game = await games.create(ENGINE_FIRST)
            async with games.open(game.id):  # whoever comes first has to wait until the game is deleted
                thinkers.asked[0](Chosen(4, "random", None, "", 0.0, None))
                deletion = asyncio.ensure_future(games.delete(game.id))
                await asyncio.sleep(0.01)
            await deletion
            await asyncio.sleep(0.01)
            assert await games.summaries(10, None) == []

    asyncio.run(run())


def test_an_engine_that_was_to_be_asked_again_is_not_asked_of_a_deleted_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "AGAIN_SECONDS", 0.0)

    async def run() -> None:
        thinkers = Thinkers()
        thinkers.busy = True
        async with at_the_board(tmp_path, thinkers) as games:
            gone, other = await games.create(ENGINE_FIRST), await games.create(ENGINE_FIRST)
            await games.delete(gone.id)
            thinkers.busy = False
            while other.thinking is None:
                await asyncio.sleep(0)
            assert len(thinkers.asked) == 1

    asyncio.run(run())


def test_a_review_does_not_bring_a_deleted_game_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, deleted = threading.Event(), threading.Event()

    def review(*args: object, request: int, game: str, **more: object) -> messages.Found:
        begun.set()
        assert deleted.wait(30)
        move = messages.Reviewed(node=1, before=1.0, after=1.0, loss=0.0, best="b2", variation=["b2"], proven=True)
        return messages.Found(request=request, game=game, done=True, share=1.0, moves=[move], mistakes=[])

    monkeypatch.setattr(looks, "review", review)
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one:
            node = one.play(game, "b2")
            number = one.say("review", game=game, node=node)
            assert begun.wait(30)
            assert server.delete(f"/api/games/{game}").status_code == 200
            deleted.set()
            assert one.until(lambda message: message.get("request") == number)["type"] == "review"
            assert server.get(f"/api/games/{game}").status_code == 404
            assert server.get("/api/games").json()["games"] == []


def test_a_question_has_one_answer_though_another_comes_before_it() -> None:
    class Ear:
        number = 1

        def __init__(self) -> None:
            self.heard: list[tuple[int, str]] = []

        def tell(self, message: Any) -> None:
            self.heard.append((message.request, message.type))

    class Runner(Thinkers):
        def run(self, key: str, work: object, done: Callable[[Any], None], *, urgent: bool) -> None:
            self.asked.append(done)

    async def run() -> None:
        ear, runner = Ear(), Runner()
        minds = cast(looks.Minds, type("Minds", (), {"searches": runner}))
        look = looks.Looks(ear, minds)

        def ask(request: int) -> None:
            look._run("hint", request, "", lambda cancelled: 0, lambda _: ear.tell(messages.Done(request=request)))

        ask(1)
        runner.asked[0](0)  # the answer is on its way to this thread
        ask(2)
        await asyncio.sleep(0)
        ask(3)
        runner.asked[2](0)
        await asyncio.sleep(0)
        assert ear.heard == [(1, "error"), (2, "error"), (3, "done")]

    asyncio.run(run())


def test_new_games_do_not_all_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_module, "MOST_LIVE", 3)

    async def run() -> None:
        async with at_the_board(tmp_path, Thinkers()) as games:
            made = [(await games.create(messages.Settings(width=3, height=3))).id for _ in range(8)]
            assert len(games) == 3
            assert [(await games.get(id)).id for id in made] == made

    asyncio.run(run())
