"""The store: what goes in comes out, whoever else is at it, and other files are left alone."""

import contextlib
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from fingal.arena.store import Store, StoredGame, distinct
from fingal.game import BLACK, WHITE
from fingal.serve.web import store as games_of_the_web_app
from tests.arena.games import game


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


def test_what_goes_in_comes_out(path: Path) -> None:
    with Store(path, create=True) as store:
        event = store.begin("match", {"players": ["one", "zwölf [/b]"], "sprt": None})
        games = [game(2, "one", "zwölf [/b]", BLACK), game(1, "zwölf [/b]", "one", WHITE, failure="it died")]
        for each in games:
            store.add(each)
    with Store(path) as store:
        assert store.games() == games[::-1]
        (kept,) = store.events()
        assert (kept.name, kept.kind, kept.status) == ("match-1", "match", "playing")
        assert kept.settings == event.settings
        store.finish(kept)
        assert store.event("match-1").status == "finished"


def test_games_of_one_event_or_size(path: Path) -> None:
    with Store(path, create=True) as store:
        for name in ("first", "second"):
            store.begin("match", {}, name)
        sizes = [("first", 3, 3), ("first", 3, 5), ("second", 3, 3)]
        for number, (event, width, height) in enumerate(sizes, 1):
            told = ("", BLACK, "", "", 5, (1.0, 2.0), "(;)", "key")
            store.add(StoredGame(event, number, "one", "two", width, height, *told))
        assert [game.number for game in store.games("first")] == [1, 2]
        assert [game.number for game in store.games(size=(3, 3))] == [1, 3]
        assert [game.number for game in store.games("first", (3, 5))] == [2]
        assert store.games("second", (5, 3)) == []


def test_a_number_is_given_once(path: Path) -> None:
    with Store(path, create=True) as store:
        store.begin("match", {})
        store.add(game(1, "one", "two", BLACK))
        with pytest.raises(ValueError, match=r"^match-1 has a game 1 already"):
            store.add(game(1, "one", "two", WHITE))
        assert [each.winner for each in store.games()] == [BLACK]


def test_names(path: Path) -> None:
    with Store(path, create=True) as store:
        names = [store.begin(kind, {}).name for kind in ("match", "swiss", "match")]
        assert names == ["match-1", "swiss-2", "match-3"]
        with pytest.raises(ValueError, match=r"has an event 'match-1' already: choose another name$"):
            store.begin("match", {}, "match-1")
        # A number that somebody has given as a name is left out.
        store.begin("match", {}, "match-5")
        assert store.begin("match", {}).name == "match-6"
        with pytest.raises(ValueError, match=r"has no event 'match-2'; it has match-1, swiss-2, match-3, match-5, .*$"):
            store.event("match-2")


def test_two_processes_write_into_one_file(path: Path) -> None:
    program = """
import sys
from fingal.arena.store import Store
from fingal.game import BLACK
from tests.arena.games import game
from dataclasses import replace
with Store(sys.argv[1], create=True) as store:
    name = store.begin("match", {}).name
    for number in range(1, 51):
        store.add(replace(game(number, "one", sys.argv[2], BLACK), event=name))
"""
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), who]) for who in ("a", "b", "c")]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    with Store(path) as store:
        games = store.games()
        assert len(games) == 150
        assert {(g.event, g.white) for g in games} == set(zip(store_names(store), whites(games), strict=True))
        assert distinct(games) == 150


def store_names(store: Store) -> list[str]:
    return [event.name for event in store.events()]


def whites(games: list[StoredGame]) -> list[str]:
    """Who played White in the events, in their order."""
    return list(dict.fromkeys(game.white for game in games))


def test_an_event_is_played_by_one_process_at_a_time(path: Path) -> None:
    program = """
import sys
from fingal.arena.store import Store
with Store(sys.argv[1]) as store:
    try:
        with store.playing(store.event(sys.argv[2])):
            print("playing")
    except ValueError as error:
        print(error)
"""

    def other(event: str) -> str:
        arguments = [sys.executable, "-c", program, str(path), event]
        return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip()

    with Store(path, create=True) as store:
        first, _ = store.begin("match", {}), store.begin("match", {})
        with store.playing(first):
            assert other("match-1") == f"match-1 in {path} is being played by another process"
            assert other("match-2") == "playing"
        assert other("match-1") == "playing"


@pytest.mark.parametrize("content", [b"not a database at all, but a text of some length\n" * 50, b"short", b""])
def test_a_file_that_is_no_store_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if not content:
        return Store(path).close()
    with pytest.raises(ValueError, match="is not a store of games"):
        Store(path, create=True)
    assert path.read_bytes() == content
    return None


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """Whoever comes first makes the tables; nobody is told that the file is another program's, or locked."""
    with ThreadPoolExecutor(4) as pool:
        for number in range(60):
            path, together = tmp_path / f"{number}.sqlite", Barrier(4)

            def begin(name: str, path: Path = path, together: Barrier = together) -> None:
                together.wait()
                with Store(path, create=True) as store:
                    store.begin("match", {}, name)

            list(pool.map(begin, "abcd"))
            with Store(path) as store:
                assert sorted(event.name for event in store.events()) == ["a", "b", "c", "d"]


def test_another_programs_database_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE recipes (name TEXT)")
    base.close()
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"is not a store of games, but another program's SQLite file$"):
        Store(path, create=True)
    assert path.read_bytes() == before


def test_the_games_of_the_web_app_are_no_store(path: Path) -> None:
    """It has a file of the same name, the same version, and a table called games."""
    with contextlib.closing(games_of_the_web_app.Store(path)):
        pass
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"is not a store of games, but another SQLite file: it has no table events$"):
        Store(path, create=True)
    assert path.read_bytes() == before


def test_a_damaged_store_is_told_of_in_a_sentence(path: Path) -> None:
    with Store(path, create=True) as store:
        event = store.begin("match", {})
        for number in range(1, 40):
            store.add(game(number, "one", "two", BLACK))
    pages = path.stat().st_size // 4096
    assert pages > 2
    path.write_bytes(path.read_bytes()[:4096] + b"damage! " * 512 * (pages - 1))
    with Store(path, create=True) as store:
        for use in (store.events, store.games, lambda: store.finish(event), lambda: store.begin("match", {})):
            with pytest.raises(ValueError, match=r"games\.sqlite cannot be (read|written): database disk image is mal"):
                use()


def test_a_store_in_a_folder_that_cannot_be_written_to() -> None:
    """Root may write anywhere, so that it has to become somebody else, who may not."""
    program = """
import os, sys
from fingal.arena.store import Store
os.geteuid() or os.setuid(65534)
with Store(sys.argv[1]) as store:
    print(len(store.games()))
try:
    Store(sys.argv[1], create=True)
except ValueError as error:
    print(error)
"""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "100% #1?.sqlite"
        with Store(file, create=True) as store:
            store.begin("match", {})
            store.add(game(1, "one", "two", BLACK))
        file.chmod(0o444)
        Path(name).chmod(0o555)
        arguments = [sys.executable, "-c", program, str(file)]
        ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
        Path(name).chmod(0o755)
    assert ran.stderr == ""
    games, refusal = ran.stdout.splitlines()
    assert games == "1"
    assert refusal.startswith(f"{file} cannot be opened: ")


def test_a_newer_file_is_left_alone(path: Path) -> None:
    Store(path, create=True).close()
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(ValueError, match=r"was written by a newer Fingal: its version is 99, not 1$"):
        Store(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no store of games"):
        Store(tmp_path / "missing.sqlite")
    with pytest.raises(ValueError, match="cannot be written: there is no folder"):
        Store(tmp_path / "nowhere" / "games.sqlite", create=True)
