"""Where games and what was thought of them are kept: one SQLite file in the data folder.

A change is one transaction, written before anybody is told of it. In SQLite's WAL mode a server may be killed at any
time and loses no move that a page has seen, and games can be read while another program holds the file's write lock.
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

LOCKED = "another program has locked the file of games: nothing was changed, try again in a moment"
FULL = "the disk is full: nothing was changed, make room in the data folder and try again"

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
    """An open file. A transaction of one move takes a fraction of a millisecond.

    One thread at a time may call the methods that write (``save``, ``delete``, ``keep``), and one those that read.
    """

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
            self._reader = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
            self._reader.execute("PRAGMA query_only = ON")
        except sqlite3.DatabaseError as error:
            self._lock.close()
            raise ValueError(f"{path} cannot be used: {error}") from None
        except ValueError:
            self._lock.close()
            raise

    def wait_at_most(self, seconds: float) -> None:
        """Wait so long for a lock of another program before a change is refused."""
        self._base.execute(f"PRAGMA busy_timeout = {max(1, round(1000 * seconds))}")

    def save(
        self, game: str, head: dict[str, Any], summary: str, rows: Iterable[Row] = (), removed: Iterable[int] = ()
    ) -> None:
        """Write a game's head and what has changed of its nodes, all of it or nothing."""
        with _refusing(), transaction(self._base):
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
        with _refusing():
            found = self._reader.execute("SELECT head FROM games WHERE id = ?", (game,)).fetchone()
            if found is None:
                return None
            rows = self._reader.execute("SELECT id, parent, place, data FROM nodes WHERE game = ?", (game,)).fetchall()
        return Stored(
            game, json.loads(found[0]), [Row(id, parent, place, json.loads(data)) for id, parent, place, data in rows]
        )

    def summaries(self, limit: int, before: float | None) -> list[str]:
        """The games that were changed last, the latest first, each as JSON; ``before`` that time only."""
        with _refusing():
            rows = self._reader.execute(
                "SELECT summary FROM games WHERE ? IS NULL OR changed < ? ORDER BY changed DESC LIMIT ?",
                (before, before, limit),
            ).fetchall()
        return [text for (text,) in rows]

    def count(self) -> int:
        """How many games there are."""
        with _refusing():
            (count,) = self._reader.execute("SELECT count(*) FROM games").fetchone()
        return int(count)

    def delete(self, game: str) -> bool:
        """Remove a game and all that belongs to it; whether there was one."""
        try:
            return self._delete(game)
        except Refusal as refusal:
            if refusal.message != FULL:
                raise
        # A change needs room in the log beside the file. What the log holds already goes into the file, where that is
        # possible without more room, and its place is used again: so a full disk can be emptied by deleting games.
        with contextlib.suppress(sqlite3.Error):
            self._base.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
        return self._delete(game)

    def _delete(self, game: str) -> bool:
        with _refusing(), transaction(self._base):
            return self._base.execute("DELETE FROM games WHERE id = ?", (game,)).rowcount > 0

    def keep(self, game: str, node: int, kind: str, player: str, data: str) -> None:
        """Keep what was thought of a node, as JSON, instead of what was kept before.

        Nothing if the game is gone or there is no room: it can be thought again, and nobody waits for this.
        """
        with (
            contextlib.suppress(Refusal),
            _refusing(),
            transaction(self._base),
            contextlib.suppress(sqlite3.IntegrityError),
        ):
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
        with _refusing():
            found = self._reader.execute(
                "SELECT data FROM analyses WHERE game = ? AND node = ? AND kind = ? AND player = ?",
                (game, node, kind, player),
            ).fetchone()
        return None if found is None else str(found[0])

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()
        self._base.close()
        self._lock.close()


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Turn SQLite's errors into a ``Refusal`` that says what a person can do."""
    try:
        yield
    except sqlite3.Error as error:
        # The codes of SQLite's own errors carry more in their upper bits.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Refusal("busy", LOCKED) from None
        if code == sqlite3.SQLITE_FULL:
            raise Refusal("failed", FULL) from None
        raise Refusal("failed", f"the file of games cannot be used: {error}; nothing was changed") from None
