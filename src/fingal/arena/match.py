"""Two players, many games: who wins how often, as Black and as White."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from fingal.arena.statistics import Rate
from fingal.game import RESIGN, Colour, Record, Result, Special, formats
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError


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
        table = Table(
            "player", "all games", "as Black", "as White", title=f"{len(self.games)} games", caption="95% intervals"
        )
        for player, name in enumerate(self.names):
            table.add_row(name, *(str(self.rate(player, colour)) for colour in (None, *Colour)))
        return table


def openings(source: str, width: int, height: int) -> list[Record]:
    """The start positions of a match: 'none', 'all' (every cell as Black's first stone) or a file.

    A file has one opening a line: moves (``a1 b2``) or anything else that names a position on a board of this size.
    """
    if source == "none":
        return [Record(width, height)]
    if source == "all":
        return [Record.of([cell], width, height) for cell in range(width * height)]
    try:
        lines = Path(source).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read openings: 'none', 'all' or a text file is expected ({error})") from None
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = formats.position(line.strip(), (width, height))
            board = record.board()
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
        if (board.width, board.height) != (width, height):
            size = f"{board.width}x{board.height}"
            raise ValueError(f"{source}, line {number}: a board of {size}, but the match is on {width}x{height}")
        if board.is_over():
            raise ValueError(f"{source}, line {number}: the game is already over there")
        records.append(record)
    if not records:
        raise ValueError(f"{source} holds no openings: one a line is expected, for example 'a1 b2'")
    return records


def play_game(players: Sequence[Player], opening: Record, limit: Limit = NO_LIMIT) -> tuple[Record, str]:
    """Play from an opening to the end, ``players[colour]`` moving for each colour: the record and '' or a failure.

    A player that fails or moves illegally loses by forfeit, and the second value says why.
    """
    record = Record(opening.width, opening.height, opening.swap, {c: players[c].name for c in Colour})
    for colour, move in opening.moves:
        record.push(colour, move)
    board = record.board()
    while not board.is_over():
        mover = board.turn
        try:
            move = players[mover].choose(record, limit)
            if move != RESIGN and not board.is_legal(move):
                raise PlayerError(f"{players[mover].name} made the illegal move {move}")
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


def play(
    texts: tuple[str, str],
    starts: Sequence[Record],
    games: int,
    limit: Limit = NO_LIMIT,
    make: Callable[[str], Player] = spec.make,
) -> Iterator[Game]:
    """Play a match game by game: each opening is played twice in a row, once with each player as Black.

    A player that failed is made anew for the next game, so that one crash costs one game.
    """
    players: list[Player | None] = [None, None]

    def ready(side: int) -> Player:
        player = players[side]
        if player is None:
            player = players[side] = make(texts[side])
        return player

    try:
        for number in range(1, games + 1):
            black = (number - 1) % 2
            start = starts[(number - 1) // 2 % len(starts)]
            seats = (ready(black), ready(1 - black))
            record, failure = play_game(seats, start, limit)
            assert record.result is not None
            winner = black if record.result.winner is Colour.BLACK else 1 - black
            if failure:
                loser = players[1 - winner]
                assert loser is not None
                loser.close()
                players[1 - winner] = None
            yield Game(number, black, record, winner, failure)
    finally:
        for player in players:
            if player is not None:
                player.close()
