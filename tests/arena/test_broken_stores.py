"""Stores of games and files of results that are broken: one sentence with the file's name, and nothing is changed."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fingal.arena import command, results
from fingal.arena.crew import Alone
from fingal.arena.exam.sitting import Sitting
from fingal.arena.report.exams import section
from fingal.arena.report.sources import read_exam, read_games, read_run
from fingal.arena.store import Store
from fingal.arena.tournament import Plan, Tournament
from tests.broken import ODD, WHOLE, changed_bytes, changed_json, contents, refused

SILENT = Console(quiet=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a match of six games, in one file."""
    path = tmp_path_factory.mktemp("store") / "games.sqlite"
    played(path)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA journal_mode = DELETE")
    base.close()
    return path


def played(path: Path) -> None:
    plan = Plan("match", ("random", "random:name=other"), 3, 3, games=6, seed=1)
    with Store(path, create=True) as store:
        list(Tournament(store, store.begin(plan.kind, plan.settings())).play(Alone()))


def read(path: Path) -> None:
    """Everything that commands do with a store."""
    with Store(path) as store:
        events = store.events()
        store.games()
        for event in events:
            Tournament(store, event)
    command.ratings(path, None, None, None, False, SILENT)


def test_a_store_with_other_bytes_is_read_or_refused(whole: Path, tmp_path: Path) -> None:
    assert 50 < spoiled_stores(whole, tmp_path, range(150)) < 150


def spoiled_stores(whole: Path, place: Path, seeds: range) -> int:
    """Read a store with other bytes for each seed; how many were refused."""
    count = 0
    for seed in seeds:
        path = place / f"{seed}.sqlite"
        path.write_bytes(changed_bytes(whole.read_bytes(), random.Random(seed)))
        count += refused(lambda path=path: read(path), path)  # type: ignore[misc]
        path.unlink()
    return count


ROW = {
    "events": ("id", "name", "kind", "settings", "status", "began"),
    "players": ("id", "text"),
    "games": (
        *("event", "number", "black", "white", "width", "height", "opening", "winner", "how", "failure", "moves"),
        *("black_seconds", "white_seconds", "sgf", "key"),
    ),
}

VALUES: list[Any] = [None, -1, 0, 2**63 - 1, 1.5, 9e999, "", "x", b"", b"\xff\0", "\0", "{}", "[1]", "[" * 10**5]


def spoil(path: Path, table: str, column: str, value: Any) -> None:
    """Give a row a value that its table would refuse."""
    base = sqlite3.connect(path)
    base.execute("PRAGMA writable_schema = ON")
    loose = "replace(replace(sql, 'NOT NULL', ''), 'INTEGER PRIMARY KEY', 'INTEGER')"
    base.execute(f"UPDATE sqlite_master SET sql = replace({loose}, 'CHECK (winner IN (''black'', ''white''))', '')")
    base.commit()
    base.close()
    base = sqlite3.connect(path)
    with base:
        base.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1", (value,))
    base.close()


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in ROW for column in ROW[table]])
def test_a_row_with_another_value_is_refused_or_harmless(whole: Path, tmp_path: Path, table: str, column: str) -> None:
    for number, value in enumerate(VALUES):
        path = tmp_path / f"{number}.sqlite"
        shutil.copy(whole, path)
        spoil(path, table, column, value)
        refused(lambda path=path: read(path), path)


def test_games_of_players_that_are_not_in_the_event_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    plan = Plan("swiss", ("random", "random:name=b", "random:name=c"), 3, 3, games=2, seed=1, rounds=2)
    with Store(path, create=True) as store:
        list(Tournament(store, store.begin(plan.kind, plan.settings())).play(Alone()))
    base = sqlite3.connect(path)
    with base:
        base.execute("UPDATE players SET text = 'somebody' WHERE id = 1")
    base.close()
    assert refused(lambda: read(path), path)


@pytest.mark.parametrize("setting", ["players", "games", "width", "starts", "seed", "sprt", "openings", "rounds"])
def test_an_event_with_other_settings_has_no_plan(whole: Path, tmp_path: Path, setting: str) -> None:
    with Store(whole) as store:
        (event,) = store.events()
    for number, value in enumerate(["missing", *ODD]):
        path = tmp_path / f"{number}.sqlite"
        shutil.copy(whole, path)
        settings = {**event.settings, setting: value}
        if value == "missing":
            del settings[setting]
        base = sqlite3.connect(path)
        with base:
            base.execute("UPDATE events SET settings = ?", (json.dumps(settings),))
        base.close()
        refused(lambda path=path: read(path), path)


def test_a_store_of_a_newer_fingal_and_of_another_program_are_refused(whole: Path, tmp_path: Path) -> None:
    for number, statement in enumerate(
        ["PRAGMA user_version = 2", "PRAGMA user_version = -7", "DROP TABLE games", "ALTER TABLE games DROP COLUMN sgf"]
    ):
        path = tmp_path / f"{number}.sqlite"
        shutil.copy(whole, path)
        base = sqlite3.connect(path)
        base.execute(statement)
        base.commit()
        base.close()
        before = path.read_bytes()
        assert refused(lambda path=path: read(path), path)
        assert path.read_bytes() == before


@pytest.fixture(scope="module")
def marks() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(Sitting("solver", 3, positions=20).sit().as_dict()))
    return found


def test_an_exam_is_drawn_or_refused(marks: dict[str, Any], tmp_path: Path) -> None:
    assert spoiled_json(marks, tmp_path / "exam.json", lambda file: section([read_exam(file)]), range(100)) > 50


def spoiled_json(value: Any, file: Path, read: Callable[[Path], Any], seeds: range) -> int:
    """Read a file that should hold a value from JSON, spoiled for each seed; how often it was refused."""
    count = 0
    for seed in seeds:
        chooser = random.Random(seed)
        other = changed_json(value, chooser) if seed % 3 else changed_bytes(json.dumps(value).encode(), chooser)
        file.write_bytes(WHOLE[seed] if seed < len(WHOLE) else other)
        count += refused(lambda: read(file), file)
    return count


def ladders() -> dict[str, Any]:
    """A league of two players."""
    board = {
        "games": 2,
        "ladder": [{"player": "random", "elo": 0, "interval": [0, 0], "games": 2, "wins": 1}],
        "players": ["random", "uct"],
        "meetings": ["0 1 2 1 2", "1 0 2 1 2"],
        "failures": [{"players": ["random", "uct"], "number": 1, "failure": "x"}],
    }
    return {"anchor": "random", "commit": "0", "date": "today", "machine": "this", "sizes": {"5": board}}


def test_ladders_are_read_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    file.write_text(json.dumps(ladders()), encoding="utf-8")
    assert results.read_ladders(file) == ladders()
    assert spoiled_json(ladders(), file, results.read_ladders, range(100)) > 40


def test_figures_that_are_none_are_refused_by_their_line(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    for line in (*WHOLE[1:], b'{"loss": 1}', b'{"step": "1"}', b'{"step": NaN}', b'{"step": 1e999}'):
        file.write_bytes(b'{"step": 1, "loss": 0.5}\n' + line + b"\n")
        assert refused(lambda: read_run(tmp_path), file), line[:40]


def test_what_is_refused_is_left_as_it_was(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(whole.read_bytes()[:5000])
    before = contents(tmp_path)
    assert refused(lambda: read_games([path]), path)
    with pytest.raises(ValueError, match="games"):
        played(path)
    assert contents(tmp_path)["games.sqlite"] == before["games.sqlite"]
