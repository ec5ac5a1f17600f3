"""The players of one process: made when a game needs them, kept where that is possible, made anew after a failure."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

from fingal.arena.play import Absent, play_game, proven_winner
from fingal.game import BLACK, WHITE, Board, Colour, Record, Special, formats
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError, check_size


@dataclass(frozen=True, slots=True)
class Task:
    """One game to be played."""

    number: int
    """From 1, within its event."""
    black: str
    """The player's text."""
    white: str
    opening: str
    """As SGF."""
    seed: int
    """The event's: with the number it makes the seeds of the players that have none of their own."""
    limit: Limit = NO_LIMIT
    adjudicate: bool = False
    """End the game where connections prove a winner."""

    @property
    def texts(self) -> tuple[str, str]:
        """Black's and White's."""
        return self.black, self.white


@dataclass(frozen=True, slots=True)
class Outcome:
    """One game played."""

    number: int
    winner: Colour
    how: str
    """'' when the winner joined its sides, else 'resign', 'forfeit' or 'proof'."""
    failure: str
    """Why the loser forfeited; '' when it did not."""
    moves: int
    """Made by the players: those of the opening are not counted."""
    seconds: tuple[float, float]
    """What Black and White took."""
    sgf: str
    key: str
    """The same for the same moves, also turned by 180 degrees."""


class Seats:
    """Players by their texts, ready for the next game."""

    def __init__(self, make: Callable[[str], Player] = spec.make, kept: Callable[[str], bool] | None = None) -> None:
        """``make`` makes a player from its text; ``kept`` says whether it stays for the next game, see ``is_kept``."""
        self._make = make
        self._kept = kept or is_kept
        self._idle: defaultdict[str, list[Player]] = defaultdict(list)

    def check(self, text: str, size: tuple[int, int] | None = None) -> None:
        """Make a player for the first time; ValueError and PlayerError as ``make`` raises them.

        ValueError as well when it says that it does not play on boards of a size (width, height).
        """
        player = self._make(text)
        self._put_back(text, player)
        if size is not None:
            try:
                check_size(player, *size)
            except ValueError as error:
                raise ValueError(f"{text} does not play here: {error}") from None

    def play(self, task: Task, watch: Callable[[Board], None] | None = None) -> Outcome:
        """Play a game; a player that fails or cannot be made loses it. ValueError when one does not play there."""
        opening = formats.read(task.opening)
        clock = _Clock(watch)
        players: list[Player] = []
        failure = ""
        try:
            for colour in Colour:
                players.append(self._take(task, colour))
            prove = proven_winner if task.adjudicate else None
            record, failure = play_game(players, opening, task.limit, watch=clock, prove=prove)
            clock.stop()
        finally:
            loser = record.result.winner.other if failure and record.result is not None else None
            for colour, player in zip(Colour, players, strict=False):
                if colour is loser:
                    player.close()
                else:
                    self._put_back(task.texts[colour], player)
        return outcome(task, record, failure, clock.seconds)

    def close(self) -> None:
        """Close all players."""
        for players in self._idle.values():
            for player in players:
                player.close()
        self._idle.clear()

    def _take(self, task: Task, colour: Colour) -> Player:
        text = task.texts[colour]
        if idle := self._idle[text]:
            return idle.pop()
        told = text if self._kept(text) else seeded(text, task.seed, task.number, colour)
        try:
            player = self._make(told)
        except PlayerError as error:
            return Absent(text, str(error))
        if player.name == told:
            player.name = text
        return player

    def _put_back(self, text: str, player: Player) -> None:
        if self._kept(text):
            self._idle[text].append(player)
        else:
            player.close()


class _Clock:
    """Adds up what each side takes; called before every move."""

    def __init__(self, watch: Callable[[Board], None] | None) -> None:
        self.seconds = [0.0, 0.0]
        self._watch = watch
        self._mover: Colour | None = None
        self._since = 0.0

    def __call__(self, board: Board) -> None:
        self.stop()
        if self._watch is not None:
            self._watch(board)
        self._mover, self._since = board.turn, time.perf_counter()

    def stop(self) -> None:
        if self._mover is not None:
            self.seconds[self._mover] += time.perf_counter() - self._since
            self._mover = None


def is_kept(text: str) -> bool:
    """Whether a player stays from game to game: an engine or a solver does, what draws random numbers does not.

    With a fresh player, whose seed comes from the game's number, a game does not depend on those that happened to be
    played before it in the same process.
    """
    told = spec.parse(text)
    own = {field.name for field in fields(spec.find(told.kind).module.Settings)}
    return "seed" not in own and float(told.settings.get("epsilon", 0)) == 0


def seeded(text: str, seed: int, number: int, colour: Colour) -> str:
    """A player's text with its seed for one game: drawn from its own, else the event's, the number and the colour."""
    told = spec.parse(text)
    own = told.settings.get("seed")
    base = f"event {seed} {number} {colour}" if own is None else f"player {own} {number} {colour}"
    drawn = int.from_bytes(hashlib.sha256(base.encode()).digest()[:4], "big") >> 1
    return str(spec.Spec(told.kind, told.argument, {**told.settings, "seed": str(drawn)}))


def outcome(task: Task, record: Record, failure: str, seconds: list[float]) -> Outcome:
    """What there is to keep of a game that is over."""
    assert record.result is not None
    how = record.result.how or ("" if record.board().is_over() else "proof")
    given = len(formats.read(task.opening).moves)
    made = [move for _, move in record.moves[given:] if move not in (Special.RESIGN, Special.FORFEIT)]
    return Outcome(
        task.number,
        record.result.winner,
        how,
        failure,
        len(made),
        (seconds[BLACK], seconds[WHITE]),
        formats.write(record),
        key(record),
    )


def key(record: Record) -> str:
    """A short text that two games share when one is the other, or the other turned by 180 degrees."""
    last = record.width * record.height - 1

    def told(turned: bool) -> str:
        def at(cell: int | None) -> int | None:
            return last - cell if turned and cell is not None and cell >= 0 else cell

        def line() -> Iterator[object]:
            for node in record.main_line:
                if node.move is not None or node.setup:
                    stones = sorted((str(at(cell)), stone) for cell, stone in node.setup.items())
                    yield stones, node.colour, node.turn, at(node.move)

        return repr(list(line()))

    return hashlib.sha256(min(told(False), told(True)).encode()).hexdigest()[:16]
