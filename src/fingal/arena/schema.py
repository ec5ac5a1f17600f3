"""SQLite files of our own: their tables are made once, and a file of others, or of a newer Fingal, is refused."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path


def prepare(base: sqlite3.Connection, path: Path, schema: str, version: int, kind: str) -> None:
    """Make the tables of a file that is open with no transactions of Python's own, unless it has them.

    ``kind`` is what the file should be: 'a store of games'. ValueError, in one sentence, when it is something else.
    """
    found = recognise(base, path, schema, version, kind)
    _write_ahead(base)
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


def recognise(base: sqlite3.Connection, path: Path, schema: str, version: int, kind: str) -> int:
    """The version of the tables in a file, 0 where there are none yet; ValueError when it is something else."""
    # In one transaction: another process may be making the tables just now.
    base.execute("BEGIN")
    (found,) = base.execute("PRAGMA user_version").fetchone()
    tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
    base.execute("COMMIT")
    if found > version:
        raise ValueError(f"{path} was written by a newer Fingal: its version is {found}, not {version}")
    if found < 0 or (found == 0 and tables):
        raise ValueError(f"{path} is not {kind}, but another program's SQLite file")
    # A version says little: Fingal's own files of other kinds have the same.
    missing = [name for name in re.findall(r"CREATE TABLE (\w+)", schema) if name not in tables]
    if found and missing:
        raise ValueError(f"{path} is not {kind}, but another SQLite file: it has no table {missing[0]}")
    return int(found)


@contextlib.contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; other writers wait."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite may have rolled it back by itself, or not have been able to commit it.
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def _write_ahead(base: sqlite3.Connection) -> None:
    """Have a log beside the file, so that readers and the writer do not wait for each other.

    SQLite waits for other processes everywhere but here: two that make the change at once are both refused.
    """
    (patience,) = base.execute("PRAGMA busy_timeout").fetchone()
    end = time.monotonic() + patience / 1000
    while True:
        try:
            base.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(random.uniform(0.001, 0.01))
