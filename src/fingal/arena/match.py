"""Two players, many games: who wins how often, as Black and as White."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from rich.text import Text

from fingal.arena.statistics import Rate
from fingal.game import RESIGN, Colour, Record, Result, Special
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError, ask


@dataclass(frozen=True, slots=True)
class Game:
    """One finished game of a match between players 0 and 1."""

    number: int
    """From 1."""
    black: int
    """Which player had Black: 0 or 1."""
    record: Record
    winner: int
    """Which player won: 0 or 1."""
    failure: str = ""
    """Why the loser lost, where it was no defeat on the board: it crashed, hung or made an illegal move."""


@dataclass(slots=True)
class Match:
    """The games played so far between two players."""

    names: tuple[str, str]
    games: list[Game] = field(default_factory=list)

    def rate(self, player: int, colour: Colour | None = None) -> Rate:
        """How often a player won, in all games or in those in which it had a colour."""
        games = [g for g in self.games if colour is None or (g.black == player) == (colour is Colour.BLACK)]
        return Rate(sum(g.winner == player for g in games), len(games))

    def summary(self) -> dict[str, Any]:
        """What ``--json`` prints; ``win_rate`` and ``interval`` are the first player's."""
        rate = self.rate(0)
        sides = [
            {
                "player": self.names[player],
                "wins": self.rate(player).wins,
                **{str(colour): self.rate(player, colour).as_dict() for colour in Colour},
            }
            for player in (0, 1)
        ]
        failures = [{"game": g.number, "reason": g.failure} for g in self.games if g.failure]
        return {
            "games": rate.games,
            "win_rate": rate.value,
            "interval": rate.interval,
            "sides": sides,
            "failures": failures,
        }

    def table(self) -> Table:
        """The score by player and colour, with 95% intervals."""
        table = Table(title=f"{len(self.games)} games", caption="95% intervals")
        table.add_column("player", overflow="fold")
        for heading in ("all games", "as Black", "as White"):
            table.add_column(heading)
        for player, name in enumerate(self.names):
            table.add_row(Text(name), *(str(self.rate(player, colour)) for colour in (None, *Colour)))
        return table


def play_game(players: Sequence[Player], opening: Record, limit: Limit = NO_LIMIT) -> tuple[Record, str]:
    """Play from an opening to the end, ``players[colour]`` moving for each colour: the record and '' or a failure.

    A player that fails or moves illegally loses by forfeit, and the second value says why. ``ValueError`` when a player
    does not play there at all, on a board of this size for example.
    """
    record = opening.until(opening.end)
    record.players = {colour: players[colour].name for colour in Colour}
    record.result = None
    board = record.board()
    while not board.is_over():
        mover = board.turn
        try:
            move = ask(players[mover], record, board, limit)
        except PlayerError as error:
            record.push(mover, Special.FORFEIT)
            record.result = Result(mover.other, "forfeit")
            return record, str(error)
        record.push(mover, move)
        if move == RESIGN:
            record.result = Result(mover.other, "resign")
            return record, ""
        board.push(move)
    assert board.winner is not None
    record.result = Result(board.winner)
    return record, ""


class Absent:
    """Stands in for a player that could not be made: it forfeits, and says why."""

    def __init__(self, name: str, reason: str) -> None:
        """The name is the absent player's."""
        self.name = name
        self.reason = reason

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """Never a move."""
        raise PlayerError(self.reason)

    def close(self) -> None:
        """Nothing to let go of."""


def play(
    texts: tuple[str, str],
    starts: Sequence[Record],
    games: int,
    limit: Limit = NO_LIMIT,
    make: Callable[[str], Player] = spec.make,
) -> Iterator[Game]:
    """Play a match game by game: each opening is played twice in a row, once with each player as Black.

    A player that failed is made anew for the next game, so that one crash costs one game. When that is not possible
    it forfeits; only before the first game are ``ValueError`` and ``PlayerError`` raised as by ``make``.
    """
    players: list[Player] = []
    try:
        for text in texts:
            players.append(make(text))
        for number in range(1, games + 1):
            black = (number - 1) % 2
            start = starts[(number - 1) // 2 % len(starts)]
            record, failure = play_game((players[black], players[1 - black]), start, limit)
            assert record.result is not None
            winner = black if record.result.winner is Colour.BLACK else 1 - black
            yield Game(number, black, record, winner, failure)
            if failure and number < games:
                loser = 1 - winner
                players[loser].close()
                try:
                    players[loser] = make(texts[loser])
                except PlayerError as error:
                    players[loser] = Absent(texts[loser], str(error))
    finally:
        for player in players:
            player.close()
