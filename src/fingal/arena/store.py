"""Where games are kept: one SQLite file for any number of matches and tournaments.

A game is written in one transaction as soon as it is over. In SQLite's WAL mode a process may be killed at any time
and loses no game that was written; others may read, and play other events into the same file, meanwhile.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fingal.arena.json_files import is_finite
from fingal.arena.schema import prepare, recognise, transaction
from fingal.game import BLACK, MAX_SIDE, Colour, Record, formats

VERSION = 1
"""Of the tables below; a file says which it has."""

_SCHEMA = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    settings TEXT NOT NULL,
    status TEXT NOT NULL,
    began TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE TABLE players (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    event INTEGER NOT NULL REFERENCES events (id),
    number INTEGER NOT NULL,
    black INTEGER NOT NULL REFERENCES players (id),
    white INTEGER NOT NULL REFERENCES players (id),
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    opening TEXT NOT NULL,
    winner TEXT NOT NULL CHECK (winner IN ('black', 'white')),
    how TEXT NOT NULL,
    failure TEXT NOT NULL,
    moves INTEGER NOT NULL,
    black_seconds REAL NOT NULL,
    white_seconds REAL NOT NULL,
    sgf TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (event, number)
);
"""

_SOME_GAMES = """
FROM games g
JOIN events e ON e.id = g.event JOIN players b ON b.id = g.black JOIN players w ON w.id = g.white
WHERE (:event IS NULL OR e.name = :event) AND (:width IS NULL OR (g.width = :width AND g.height = :height))
ORDER BY g.event, g.number
"""
_GAMES = f"""
SELECT e.name, g.number, b.text, w.text, g.width, g.height, g.opening, g.winner, g.how, g.failure, g.moves,
       g.black_seconds, g.white_seconds, g.sgf, g.key {_SOME_GAMES}
"""
_RESULTS = f"SELECT e.name, g.number, b.text, w.text, g.width, g.height, g.winner, g.failure, g.key {_SOME_GAMES}"

_KIND = "a store of games"
_WINNERS = {str(colour): colour for colour in Colour}


@dataclass(frozen=True, slots=True)
class Event:
    """A match or a tournament."""

    id: int
    name: str
    kind: str
    """match, round-robin, gauntlet or swiss."""
    settings: Mapping[str, Any]
    """What makes it this event and no other: players, width, height, games, openings, limits, seed and so on."""
    status: str
    """'playing' until all games are played, then 'finished'."""
    began: str
    """When, in UTC: 2026-01-31T12:00:00Z."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game."""

    event: str
    """The event's name."""
    number: int
    """From 1, within the event."""
    black: str
    """The text of the player that had Black."""
    white: str
    width: int
    height: int
    opening: str
    """The moves that were given, as 'a1 b2'; '' for none; SGF where there is more to say."""
    winner: Colour
    how: str
    """'' when the winner joined its sides, else 'resign', 'forfeit' or 'proof'."""
    failure: str
    """Why the loser forfeited: it crashed, hung or made an illegal move; '' when it did not."""
    moves: int
    """How many the players made, those of the opening not counted."""
    seconds: tuple[float, float]
    """What Black and White thought in all."""
    sgf: str
    key: str
    """The same for games with the same moves, or with the same moves turned by 180 degrees."""

    @property
    def won_by(self) -> str:
        """The winner's text."""
        return self.black if self.winner is BLACK else self.white

    @property
    def lost_by(self) -> str:
        """The loser's text."""
        return self.white if self.winner is BLACK else self.black

    @property
    def record(self) -> Record:
        """The game itself; ValueError where its SGF is damaged."""
        return formats.read(self.sgf, f"game {self.number} of {self.event}")


class GameResult(NamedTuple):
    """What a table needs of a game: all but how it went. The fields are those of ``StoredGame``."""

    event: str
    number: int
    black: str
    white: str
    width: int
    height: int
    winner: Colour
    failure: str
    key: str


def distinct(games: Sequence[StoredGame]) -> int:
    """How many of the games are no copies of another between the same players with the same colours."""
    return len({(game.black, game.white, game.width, game.height, game.key) for game in games})


class Store:
    """An open file of games."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        """Open a file, or make a new one; ValueError, in one sentence, when it is none of Fingal's.

        Without ``create``, one in a place that cannot be written to can still be read.
        """
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise ValueError(
                f"there is no store of games {self.path}: 'fingal match' or 'fingal tournament' writes one"
            )
        if not self.path.parent.is_dir():
            raise ValueError(f"{self.path} cannot be written: there is no folder {self.path.parent}")
        try:
            try:
                self._base = _opened(str(self.path), self.path, prepare)
            except sqlite3.OperationalError as error:
                if create or error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                # SQLite makes files beside it even to read, unless it is told that nobody writes. Where there is a
                # log, which holds the latest games, somebody may.
                how = "mode=ro" if Path(f"{self.path}-wal").exists() else "immutable=1"
                self._base = _opened(f"{self.path.absolute().as_uri()}?{how}", self.path, recognise, uri=True)
        except sqlite3.OperationalError as error:
            raise ValueError(f"{self.path} cannot be opened: {_line(error)}") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path} is not {_KIND}: {_line(error)}") from None

    def events(self) -> list[Event]:
        """All events, the oldest first."""
        with self._reading():
            rows = self._base.execute("SELECT id, name, kind, settings, status, began FROM events ORDER BY id")
            return [self._event(*row) for row in rows]

    def event(self, name: str) -> Event:
        """The event of that name; ValueError, with those there are, when there is none."""
        events = self.events()
        for event in events:
            if event.name == name:
                return event
        known = ", ".join(event.name for event in events) or "none"
        raise ValueError(f"{self.path} has no event {name!r}; it has {known}")

    def begin(self, kind: str, settings: Mapping[str, Any], name: str | None = None) -> Event:
        """Add an event; ValueError when the name is taken. Without one it is called after its kind and its number."""
        with self._transaction():
            (highest,) = self._base.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()
            taken = {taken for (taken,) in self._base.execute("SELECT name FROM events")}
            if name in taken:
                raise ValueError(f"{self.path} has an event {name!r} already: choose another name")
            numbered = (f"{kind}-{number}" for number in itertools.count(highest + 1))
            name = name or next(free for free in numbered if free not in taken)
            text = json.dumps(settings, sort_keys=True)
            self._base.execute(
                "INSERT INTO events (id, name, kind, settings, status) VALUES (?, ?, ?, ?, 'playing')",
                (highest + 1, name, kind, text),
            )
        return self.event(name)

    def extend(self, event: Event, settings: Mapping[str, Any]) -> Event:
        """Give an event other settings: more games are to be played."""
        text = json.dumps(settings, sort_keys=True)
        with self._transaction():
            self._base.execute("UPDATE events SET settings = ?, status = 'playing' WHERE id = ?", (text, event.id))
        return self.event(event.name)

    def finish(self, event: Event) -> None:
        """Note that all games of an event have been played, unless more have been asked for meanwhile."""
        text = json.dumps(event.settings, sort_keys=True)
        with self._transaction():
            told = "UPDATE events SET status = 'finished' WHERE id = ? AND settings = ?"
            self._base.execute(told, (event.id, text))

    def forget(self, event: Event) -> None:
        """Remove an event that has no games."""
        with self._transaction():
            empty = "NOT EXISTS (SELECT 1 FROM games WHERE event = events.id)"
            self._base.execute(f"DELETE FROM events WHERE id = ? AND {empty}", (event.id,))

    def add(self, game: StoredGame) -> None:
        """Write a game; ValueError when the event has a game of that number already."""
        with self._transaction():
            players = [self._player(text) for text in (game.black, game.white)]
            (event,) = self._base.execute("SELECT id FROM events WHERE name = ?", (game.event,)).fetchone()
            values = (event, game.number, *players, game.width, game.height, game.opening, str(game.winner), game.how)
            values += (game.failure, game.moves, *game.seconds, game.sgf, game.key)
            try:
                self._base.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(values))})", values)
            except sqlite3.IntegrityError as error:
                raise ValueError(f"{game.event} has a game {game.number} already ({error})") from None

    def games(self, event: str | None = None, size: tuple[int, int] | None = None) -> list[StoredGame]:
        """The games of one event or of all, on boards of one size (width, height) or of all, in order."""
        width, height = size or (None, None)
        with self._reading():
            asked = {"event": event, "width": width, "height": height}
            return [self._game(row) for row in self._base.execute(_GAMES, asked)]

    def results(self, event: str | None = None, size: tuple[int, int] | None = None) -> Iterator[GameResult]:
        """The results of the same games one after the other, so that a million of them need no memory."""
        width, height = size or (None, None)
        with self._reading():
            asked = {"event": event, "width": width, "height": height}
            for row in self._base.execute(_RESULTS, asked):
                yield self._result(row)

    @contextlib.contextmanager
    def playing(self, event: Event) -> Iterator[None]:
        """Keep other processes from playing the same event; ValueError when one does.

        The lock is the system's, on a byte of a file beside the store: it goes with the process, however that ends.
        """
        with open(f"{self.path}.lock", "ab") as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, event.id)
            except OSError:
                raise ValueError(f"{event.name} in {self.path} is being played by another process") from None
            yield

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _event(self, number: Any, name: Any, kind: Any, text: Any, status: Any, began: Any) -> Event:
        """An event from its row; ValueError when the row cannot be right."""
        try:
            settings = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            settings = None
        words = name, kind, status, began
        if type(number) is not int or number < 0 or not all(map(_is_text, words)) or not isinstance(settings, dict):
            raise ValueError(f"{self.path} is damaged: its event {name!r:.60} is no match and no tournament")
        return Event(number, name, kind, settings, status, began)

    def _result(self, row: tuple[Any, ...]) -> GameResult:
        """A result from its row; ValueError when the row cannot be right."""
        event, number, black, white, width, height, winner, failure, key = row
        whole = (number, 1, 2**63), (width, 1, MAX_SIDE), (height, 1, MAX_SIDE)
        if not (
            all(map(_is_text, (event, black, white, failure, key)))
            and all(type(value) is int and low <= value <= high for value, low, high in whole)
            and winner in _WINNERS
        ):
            raise self._damaged(event, number)
        return GameResult(event, number, black, white, width, height, _WINNERS[winner], failure, key)

    def _game(self, row: tuple[Any, ...]) -> StoredGame:
        """A game from its row; ValueError when the row cannot be right."""
        event, number, black, white, width, height, opening, winner, how, failure, moves, *seconds, sgf, key = row
        result = self._result((event, number, black, white, width, height, winner, failure, key))
        if not (
            all(map(_is_text, (opening, how, sgf)))
            and type(moves) is int
            and 0 <= moves <= 2**31
            and all(is_finite(value) and value >= 0 for value in seconds)
        ):
            raise self._damaged(event, number)
        told: tuple[str, str, int] = (how, failure, moves)
        thought = float(seconds[0]), float(seconds[1])
        return StoredGame(event, number, black, white, width, height, opening, result.winner, *told, thought, sgf, key)

    def _damaged(self, event: object, number: object) -> ValueError:
        return ValueError(f"{self.path} is damaged: its game {number!r:.40} of {event!r:.60} is no game")

    def _player(self, text: str) -> int:
        self._base.execute("INSERT OR IGNORE INTO players (text) VALUES (?)", (text,))
        (number,) = self._base.execute("SELECT id FROM players WHERE text = ?", (text,)).fetchone()
        return int(number)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """ValueError when the file is damaged, for example."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path} cannot be read: {_line(error)}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing; other writers wait. ValueError when the disk is full, for example."""
        try:
            with transaction(self._base):
                yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path} cannot be written: {_line(error)}") from None


def _line(error: Exception) -> str:
    """What SQLite says, in one line: some of its sentences quote what they cannot read."""
    return f"{' '.join(str(error).split()):.200}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _opened(
    where: str, path: Path, check: Callable[[sqlite3.Connection, Path, str, int, str], object], *, uri: bool = False
) -> sqlite3.Connection:
    """A connection to a file, by its path or a URI, that ``check`` has nothing against."""
    base = sqlite3.connect(where, timeout=60, isolation_level=None, uri=uri)
    try:
        check(base, path, _SCHEMA, VERSION, _KIND)
    except BaseException:
        base.close()
        raise
    return base
