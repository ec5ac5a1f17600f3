"""What tables need of games that have been played: who met whom, how often, who won, and who forfeited."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fingal.arena.json_files import is_finite, read_object
from fingal.arena.net_games import Game
from fingal.arena.store import GameResult, StoredGame
from fingal.game import BLACK, WHITE, Colour
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


class Failure(NamedTuple):
    """A game that ended because a player crashed, hung or made an illegal move."""

    event: str
    number: int
    player: str
    """The text of the player that forfeited."""
    rival: str
    """The text of its opponent."""
    reason: str


class Tally:
    """The score of games that come one after the other. It holds a number for each distinct game, not the games."""

    def __init__(self, games: Iterable[StoredGame | GameResult] = ()) -> None:
        """Begin with some games."""
        self.games = 0
        self.scores: Counter[tuple[str, str, bool, Colour]] = Counter()
        """How many games there are by Black's text, White's text, whether the number is odd, and the winner."""
        self.failures: list[Failure] = []
        self._keys: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for game in games:
            self.add(game)

    def add(self, game: StoredGame | GameResult) -> None:
        """Count a game."""
        self.games += 1
        self.scores[game.black, game.white, game.number % 2 == 1, game.winner] += 1
        self._keys[game.black, game.white].add(hash((game.width, game.height, game.key)))
        if game.failure:
            sides = (game.white, game.black) if game.winner is BLACK else (game.black, game.white)
            self.failures.append(Failure(game.event, game.number, *sides, game.failure))

    @property
    def distinct(self) -> int:
        """How many of the games are no copies of another between the same players with the same colours."""
        return sum(map(len, self._keys.values()))

    @property
    def players(self) -> set[str]:
        """The texts of all who have played."""
        return {player for pair in self._keys for player in pair}

    def meetings(self) -> list[Meeting]:
        """The games, sorted by players."""
        return [
            Meeting(*pair, sum(self._won(pair, colour) for colour in Colour), self._won(pair, BLACK), len(keys))
            for pair, keys in sorted(self._keys.items())
        ]

    def forfeiters(self) -> list[Failure]:
        """The first forfeit of each player that has forfeited and whose games all ended with a forfeit."""
        ended = Counter[str]()  # games of a player that did not end with a forfeit
        for (black, white, _, _), count in self.scores.items():
            ended.update(dict.fromkeys((black, white), count))
        first: dict[str, Failure] = {}
        for failure in sorted(self.failures):
            ended.subtract({failure.player, failure.rival})
            first.setdefault(failure.player, failure)
        return [failure for player, failure in first.items() if ended[player] == 0]

    def _won(self, pair: tuple[str, str], winner: Colour) -> int:
        return sum(self.scores[*pair, is_odd, winner] for is_odd in (True, False))


def without(parts: Iterable[Meeting], players: Collection[str]) -> list[Meeting]:
    """The meetings in which none of these players took part."""
    return [part for part in parts if part.black not in players and part.white not in players]


def games_of(parts: Iterable[Meeting]) -> list[Game]:
    """All games of some meetings, for a rating."""
    return [
        game
        for part in parts
        for winner, count in ((BLACK, part.black_won), (WHITE, part.games - part.black_won))
        for game in [Game(part.black, part.white, winner)] * count
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
