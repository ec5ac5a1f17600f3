"""Any engine that speaks the Hex Text Protocol, as a player."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from fingal.game import RESIGN, SWAP, Board, Colour, Record
from fingal.game.board import mirror
from fingal.players.engine import Engine, Refused, one_line
from fingal.players.player import NO_LIMIT, Limit, PlayerError, open_board
from fingal.ranges import MOST_SECONDS, check_range

_SECONDS = 60.0
_FIRST_SECONDS = 20.0
"""For the first answer: a program that says nothing until then is no engine, or has not understood its command line."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``htp:``."""

    command: str
    """The engine's command line, which runs without a shell."""
    timeout: float | None = None
    """Seconds that one answer may take; 60 and the limit of the move if not given, 20 for the first."""
    start: str = ""
    """Commands for the engine before its first game, separated by semicolons."""

    def __post_init__(self) -> None:
        """Reject timeouts that no engine can keep, and those that no clock can."""
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError(f"timeout={self.timeout:g} is not possible: it must be more than 0")
        check_range(self, 0, MOST_SECONDS, "timeout")


class HtpPlayer:
    """An engine that is told the moves as they come and asked for its own.

    What one move may cost is the engine's own affair, to be set with its command line or with ``start``: the protocol
    has no words for it that all engines know.
    """

    def __init__(self, command: str, *, timeout: float | None = None, start: str = "") -> None:
        """Start the engine. Raises ``PlayerError`` when it does not start or refuses a command of ``start``."""
        self._command, self._timeout, self._start_lines = command, timeout, start
        self._is_answering = False
        """Whether a move is under way, or was until an interrupt cut it off."""
        self._start()

    def _start(self) -> None:
        """Start the engine, find out what it can do and send the commands of ``start``."""
        self._engine = engine = Engine(self._command, _FIRST_SECONDS if self._timeout is None else self._timeout)
        self._size: tuple[int, int] | None = None
        self._stones: list[tuple[int, Colour]] | None = None
        """What the engine has on its board, in the order it was told; None when that is not certain."""
        self._may_swap: bool | None = None
        self._has_undo = True
        try:
            try:
                self.name = one_line(engine.ask("name", self._seconds()), 60) or engine.label
            except Refused:
                self.name = engine.label
            try:
                self._hears_interrupts = engine.ask("known_command gogui-interrupt", self._seconds()) == "true"
            except Refused:
                self._hears_interrupts = False
            for line in filter(None, (part.strip() for part in self._start_lines.split(";"))):
                self._tell(line)
        except BaseException:
            engine.kill()
            raise

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The engine's answer to ``genmove``, if it is legal; ``PlayerError`` if it is not, or if there is none.

        After Ctrl-C the engine is ended, since nobody knows how much of its answer was read, and started anew for the
        next move.
        """
        board = open_board(record)
        was_cut_off, self._is_answering = self._is_answering, True
        if was_cut_off:
            self._engine.kill()
            self._start()
        try:
            move = self._move(record, board, limit)
        except (PlayerError, ValueError):
            self._is_answering = False
            raise
        except BaseException:
            self._engine.kill()
            raise
        self._is_answering = False
        return move

    def _move(self, record: Record, board: Board, limit: Limit) -> int:
        self._keep_in_step(record, board)
        stones, self._stones = self._stones, None
        try:
            answer = self._engine.ask(f"genmove {board.turn}", self._seconds(limit))
        except Refused as refusal:
            raise PlayerError(f"{self.name} would not move for {board.turn}: {refusal}") from None
        move = self._read(answer, board)
        if move >= 0 and stones is not None:
            self._stones = [*stones, (move, board.turn)]
        return move

    def interrupt(self) -> None:
        """Tell the engine to answer now, if it has said that it listens."""
        if self._hears_interrupts:
            self._engine.interrupt()

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def _keep_in_step(self, record: Record, board: Board) -> None:
        """Bring the engine's board to the end of the record, with as few commands as possible."""
        wanted = stones_in_order(record)
        had, self._stones = self._stones, None
        if self._size != (board.width, board.height):
            self._size = None
            self._tell(f"boardsize {board.width} {board.height}")
            self._size = (board.width, board.height)
            had = None
        common = 0
        if had is not None:
            while common < min(len(had), len(wanted)) and had[common] == wanted[common]:
                common += 1
            if common < len(had) and not self._take_back(len(had) - common, common):
                had = None
        if had is None:
            self._tell("clear_board")
            common = 0
        for cell, colour in wanted[common:]:
            self._tell(f"play {colour} {board.name(cell)}")
        self._allow_swap(board.can_swap or (board.swap and not wanted))
        self._stones = wanted

    def _take_back(self, count: int, left: int) -> bool:
        """Take back moves on the engine's board, unless clearing it is less work; whether that was done."""
        if count > left or not self._has_undo:
            return False
        try:
            for _ in range(count):
                self._engine.ask("undo", self._seconds())
        except Refused:
            self._has_undo = False
        return self._has_undo

    def _allow_swap(self, allowed: bool) -> None:
        """Say whether a swap is possible *now*.

        Saying it once per game is not enough: after a swap the engine is shown a board with one stone, White's, and
        benzene takes that for a position in which Black may swap.
        """
        if allowed != self._may_swap:
            self._may_swap = allowed
            # An engine without this parameter has its own idea of the rule; its answers are checked.
            with contextlib.suppress(Refused):
                self._engine.ask(f"param_game allow_swap {int(allowed)}", self._seconds())

    def _tell(self, command: str) -> None:
        try:
            self._engine.ask(command, self._seconds())
        except Refused as refusal:
            raise PlayerError(f"{getattr(self, 'name', self._engine.label)} refused {command!r}: {refusal}") from None

    def _read(self, answer: str, board: Board) -> int:
        """The move that an answer names; ``PlayerError`` when it is no legal one."""
        text = answer.lower()
        if text == "resign":
            return RESIGN
        try:
            move = SWAP if text in ("swap-pieces", "swap") else board.cell(text[:20])
        except ValueError:
            raise PlayerError(f"{self.name} answered {one_line(answer)!r}, which is not a move") from None
        if not board.is_legal(move):
            raise PlayerError(f"{self.name} ({board.turn}) answered {board.name(move)}, which is not legal there")
        return move

    def _seconds(self, limit: Limit = NO_LIMIT) -> float:
        return _SECONDS + (limit.seconds or 0) if self._timeout is None else self._timeout


def stones_in_order(record: Record) -> list[tuple[int, Colour]]:
    """The stones at the end of a record's main line in an order in which they can be played, oldest first.

    Engines differ in what ``swap-pieces`` does to their board, and none can take a stone off it: so the swapped stone
    is White's from the start here, and a stone that was removed or recoloured later never was.
    """
    stones: dict[int, Colour] = {}
    for node in record.main_line:
        for cell, stone in node.setup.items():
            stones.pop(cell, None)
            if stone is not None:
                stones[cell] = stone
        if node.move == SWAP:
            stones = {mirror(cell, record.width): colour.other for cell, colour in stones.items()}
        elif node.move is not None and node.move >= 0 and node.colour is not None:
            stones[node.move] = node.colour
    return list(stones.items())


def make(settings: Settings) -> HtpPlayer:
    """A player as the settings say; ``PlayerError`` when its engine does not start."""
    return HtpPlayer(settings.command, timeout=settings.timeout, start=settings.start)
