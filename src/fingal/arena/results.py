"""What is kept of a league's games once they are played: who met whom, how often, and who won."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fingal.arena.json_files import is_finite, read_object
from fingal.arena.net_games import Game
from fingal.arena.store import StoredGame, distinct
from fingal.game import BLACK, WHITE
from fingal.game.board import parse_size


class Meeting(NamedTuple):
    """All games of two players with these colours."""

    black: str
    """The text of the player that had Black."""
    white: str
    games: int
    black_won: int
    distinct: int
    """How many of the games are no copies of another."""


def meetings(games: Sequence[StoredGame]) -> list[Meeting]:
    """The games, sorted by players."""
    found: dict[tuple[str, str], list[StoredGame]] = {}
    for game in games:
        found.setdefault((game.black, game.white), []).append(game)
    return [
        Meeting(black, white, len(some), sum(game.winner is BLACK for game in some), distinct(some))
        for (black, white), some in sorted(found.items())
    ]


def without(parts: Iterable[Meeting], players: Collection[str]) -> list[Meeting]:
    """The meetings in which none of these players took part."""
    return [part for part in parts if part.black not in players and part.white not in players]


def games_of(parts: Iterable[Meeting]) -> list[Game]:
    """All games of some meetings, for a rating."""
    return [
        Game(part.black, part.white, winner)
        for part in parts
        for winner in [BLACK] * part.black_won + [WHITE] * (part.games - part.black_won)
    ]


def to_json(parts: Sequence[Meeting]) -> dict[str, Any]:
    """Players once each, and a line for each meeting: the numbers of Black and White, games, won by Black, distinct."""
    players = sorted({player for part in parts for player in (part.black, part.white)})
    at = {player: number for number, player in enumerate(players)}
    rows = ([at[part.black], at[part.white], *part[2:]] for part in parts)
    return {"players": players, "meetings": [" ".join(map(str, row)) for row in rows]}


def from_json(said: dict[str, Any]) -> list[Meeting]:
    """What ``to_json`` made."""
    players = said["players"]
    rows = (map(int, line.split()) for line in said["meetings"])
    return [Meeting(players[black], players[white], *counts) for black, white, *counts in rows]


def read_ladders(file: Path) -> dict[str, Any]:
    """A league's ladders from a file; ValueError, in one sentence, where it holds something else."""
    ladders = read_object(file, "an object with a league's ladders")
    try:
        _check_ladders(ladders)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ValueError(f"{file} does not hold the ladders of a league: 'make league' writes them") from None
    return ladders


def _check_ladders(ladders: dict[str, Any]) -> None:
    """Raise anything where an object is not made as the ladders of a league are."""
    if not all(isinstance(ladders.get(name, ""), str) for name in ("anchor", "commit", "date", "machine")):
        raise TypeError("no text")
    for size, board in ladders["sizes"].items():
        parse_size(size)
        for row in board["ladder"]:
            low, high = row["interval"]
            if not isinstance(row["player"], str) or not all(map(is_finite, (row["elo"], low, high))):
                raise TypeError("no rating")
        for one in board.get("failures", ()):
            if not all(isinstance(player, str) for player in one["players"]):
                raise TypeError("no player")
        if "meetings" in board and not all(
            isinstance(part.black, str) and 0 <= part.black_won <= part.games < 2**31 for part in from_json(board)
        ):
            raise ValueError("no games")
