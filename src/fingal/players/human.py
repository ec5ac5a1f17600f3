"""Asks a person on the terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TextIO

from fingal.game import RESIGN, SWAP, Board, Record
from fingal.players.player import NO_LIMIT, Limit, PlayerError, open_board

HELP = """\
a cell      play there: a letter for the column and a number for the row, such as c2
swap        take over Black's first stone, mirrored, where the game allows it
undo        take back your last move, and the answer to it, where the game allows it
resign      give the game up
quit        leave the game as it is
help        this text"""


class TakeBack(PlayerError):
    """The person asks to take back the last move of theirs: the game does so and asks again."""


class Quit(PlayerError):
    """The person leaves the game, or the terminal has closed."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``human:``."""

    board: bool = True
    """Draw the board before asking."""


class Human:
    """Reads moves from a terminal, and asks again until one is legal."""

    def __init__(
        self, *, board: bool = False, undo: bool = False, input: TextIO | None = None, output: TextIO | None = None
    ) -> None:
        """Draw the board before asking, and raise ``TakeBack``, if so told.

        Without streams it uses standard input and output.
        """
        self.name = "human"
        self._draws = board
        self._undo = undo
        self._input = input
        self._output = output

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The move that the person names. Raises ``Quit`` or ``TakeBack`` when the person asks for that instead."""
        board = open_board(record)
        if self._draws:
            self._say(str(board))
        while True:
            self._say(f"{str(board.turn).capitalize()} to move: ", end="")
            try:
                line = (self._input or sys.stdin).readline()
            except UnicodeDecodeError:
                self._say("That is not text. Type help for what can be said here.")
                continue
            if not line:
                self._say("")
                raise Quit("the input has ended")
            word = line.strip().lower()
            if word in ("quit", "exit", "q"):
                raise Quit("the person has left the game")
            if word == "help":
                self._say(HELP)
            elif word == "undo":
                if self._undo and any(colour == board.turn for colour, _ in record.moves):
                    raise TakeBack(f"{board.turn} asks to take back a move")
                self._say(
                    "There is no move of yours to take back." if self._undo else "No move can be taken back here."
                )
            elif word == "resign":
                return RESIGN
            elif word:
                try:
                    return _read(word, board)
                except ValueError as error:
                    self._say(f"{str(error)[:1].upper()}{str(error)[1:]}. Type help for what can be said here.")

    def close(self) -> None:
        """Nothing to let go of: the streams belong to others."""

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=self._output or sys.stdout, flush=True)


def make(settings: Settings) -> Human:
    """A player as the settings say."""
    return Human(board=settings.board)


def _read(word: str, board: Board) -> int:
    """A legal move; ValueError with the reason when it is none."""
    if word in ("swap", "swap-pieces"):
        if not board.can_swap:
            raise ValueError("swap is not possible here: it is only White's first move in a game with the swap rule")
        return SWAP
    if len(word) > 8:
        raise ValueError("that is not a cell")
    cell = board.cell(word)
    if not board.is_legal(cell):
        raise ValueError(f"{board.name(cell)} is occupied")
    return cell
