"""Where games and what was thought of them are kept: one SQLite file in the data folder.

A change is one transaction, written before anybody is told of it. In SQLite's WAL mode a server may be killed at any
time and loses no move that a page has seen.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fingal.arena.schema import prepare, transaction
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.tree import Row

VERSION = 1
"""Of the tables below; a file says which it has."""

MOST_GAMES = 20_000
"""In one file; then some have to be deleted first."""

MOST_ANALYSES = 500
"""Of one game; the oldest make room."""

_SCHEMA = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    changed REAL NOT NULL,
    head TEXT NOT NULL,
    summary TEXT NOT NULL
);
CREATE INDEX games_changed ON games (changed);
CREATE TABLE nodes (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    parent INTEGER,
    place INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (game, id)
) WITHOUT ROWID;
CREATE TABLE analyses (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    node INTEGER NOT NULL,
    kind TEXT NOT NULL,
    player TEXT NOT NULL,
    changed REAL NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (game, node, kind, player)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as it is kept."""

    id: str
    head: dict[str, Any]
    """All but the nodes."""
    rows: list[Row]


class Store:
    """An open file. Used by one thread: a transaction of one move takes a fraction of a millisecond."""

    def __init__(self, path: Path) -> None:
        """Open a file or make it; ValueError, in one sentence, when that cannot be or another server has it open."""
        self.path = path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = open(f"{path}.lock", "ab")  # noqa: SIM115
        except OSError as error:
            raise ValueError(f"{path} cannot be written: {error.strerror}") from None
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise ValueError(
                f"another 'fingal serve' keeps its games in {path.parent}: give it --data FOLDER"
            ) from None
        try:
            self._base = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            prepare(self._base, path, _SCHEMA, VERSION, "a file of games")
        except sqlite3.DatabaseError as error:
            self._lock.close()
            raise ValueError(f"{path} cannot be used: {error}") from None
        except ValueError:
            self._lock.close()
            raise

    def save(
        self, game: str, head: dict[str, Any], summary: str, rows: Iterable[Row] = (), removed: Iterable[int] = ()
    ) -> None:
        """Write a game's head and what has changed of its nodes, all of it or nothing."""
        with self._transaction():
            self._base.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
                "SET changed = excluded.changed, head = excluded.head, summary = excluded.summary",
                (game, head["changed"], json.dumps(head), summary),
            )
            self._base.executemany(
                "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?)",
                [(game, row.id, row.parent, row.place, json.dumps(row.data)) for row in rows],
            )
            gone = [(game, number) for number in removed]
            self._base.executemany("DELETE FROM nodes WHERE game = ? AND id = ?", gone)
            self._base.executemany("DELETE FROM analyses WHERE game = ? AND node = ?", gone)

    def load(self, game: str) -> Stored | None:
        """A game; None when there is none."""
        found = self._base.execute("SELECT head FROM games WHERE id = ?", (game,)).fetchone()
        if found is None:
            return None
        rows = self._base.execute("SELECT id, parent, place, data FROM nodes WHERE game = ?", (game,))
        return Stored(
            game, json.loads(found[0]), [Row(id, parent, place, json.loads(data)) for id, parent, place, data in rows]
        )

    def summaries(self, limit: int, before: float | None) -> list[str]:
        """The games that were changed last, the latest first, each as JSON; ``before`` that time only."""
        rows = self._base.execute(
            "SELECT summary FROM games WHERE ? IS NULL OR changed < ? ORDER BY changed DESC LIMIT ?",
            (before, before, limit),
        )
        return [text for (text,) in rows]

    def count(self) -> int:
        """How many games there are."""
        (count,) = self._base.execute("SELECT count(*) FROM games").fetchone()
        return int(count)

    def delete(self, game: str) -> bool:
        """Remove a game and all that belongs to it; whether there was one."""
        with self._transaction():
            return self._base.execute("DELETE FROM games WHERE id = ?", (game,)).rowcount > 0

    def keep(self, game: str, node: int, kind: str, player: str, data: str) -> None:
        """Keep what was thought of a node, as JSON, instead of what was kept before.

        Nothing if the game is gone or there is no room: it can be thought again, and nobody waits for this.
        """
        with contextlib.suppress(Refusal), self._transaction(), contextlib.suppress(sqlite3.IntegrityError):
            self._base.execute(
                "INSERT OR REPLACE INTO analyses VALUES (?, ?, ?, ?, ?, ?)",
                (game, node, kind, player, time.time(), data),
            )
            self._base.execute(
                "DELETE FROM analyses WHERE game = ?1 AND changed < (SELECT changed FROM analyses WHERE game = ?1 "
                "ORDER BY changed DESC LIMIT 1 OFFSET ?2)",
                (game, MOST_ANALYSES - 1),
            )

    def kept(self, game: str, node: int, kind: str, player: str) -> str | None:
        """What was thought of a node, as JSON."""
        found = self._base.execute(
            "SELECT data FROM analyses WHERE game = ? AND node = ? AND kind = ? AND player = ?",
            (game, node, kind, player),
        ).fetchone()
        return None if found is None else str(found[0])

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()
        self._lock.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing; ``Refusal`` when the disk is full, for example."""
        try:
            with transaction(self._base):
                yield
        except sqlite3.Error as error:
            raise Refusal("failed", f"the game cannot be stored: {error}") from None
