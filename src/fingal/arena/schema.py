"""SQLite files of our own: their tables are made once, and a file of others, or of a newer Fingal, is refused."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path


def prepare(base: sqlite3.Connection, path: Path, schema: str, version: int, kind: str) -> None:
    """Make the tables of a file that is open with no transactions of Python's own, unless it has them.

    ``kind`` is what the file should be: 'a store of games'. ValueError, in one sentence, when it is something else.
    """
    (found,) = base.execute("PRAGMA user_version").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found > version:
        raise ValueError(f"{path} was written by a newer Fingal: its version is {found}, not {version}")
    if found == 0 and tables > 0:
        raise ValueError(f"{path} is not {kind}, but another program's SQLite file")
    base.execute("PRAGMA journal_mode = WAL")
    # A killed process loses nothing so; only a machine that loses its power may lose what came last.
    base.execute("PRAGMA synchronous = NORMAL")
    base.execute("PRAGMA foreign_keys = ON")
    if found == 0:
        with transaction(base):
            # Another process may have been quicker.
            if base.execute("PRAGMA user_version").fetchone() == (0,):
                for statement in filter(str.strip, schema.split(";")):
                    base.execute(statement)
                base.execute(f"PRAGMA user_version = {version}")


@contextlib.contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; other writers wait."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")
