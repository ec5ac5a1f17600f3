"""What a player is: something that maps a record and a limit to a move."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fingal.game import RESIGN, Board, Record, Special
from fingal.ranges import shown
from fingal.search.evaluator import EvaluationError, Positions, SizeBound


@dataclass(frozen=True, slots=True)
class Limit:
    """What one move may cost. None means not limited that way; a player uses the limits it understands."""

    simulations: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    clock: float | None = None
    """Seconds left, from 0 on, for the rest of the game or for ``moves``: a player that searches shares them out."""
    moves: int | None = None
    """How many moves ``clock`` is for; None for all of the game that is left."""

    def __post_init__(self) -> None:
        """Reject limits that leave no room for a move, and those that no search can count."""
        if self.clock is not None and not 0 <= self.clock <= sys.float_info.max:
            raise ValueError(
                f"a clock of {shown(self.clock)} seconds is not possible: it must be at least 0, and finite"
            )
        for name, most in (("simulations", 18), ("seconds", 9), ("nodes", 18), ("moves", 18)):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"a limit of {shown(value)} {name} is not possible: it must be more than 0")
            if value is not None and value > 10**most:
                raise ValueError(f"a limit of {shown(value)} {name} is not possible: it must be at most 10^{most}")


NO_LIMIT = Limit()


class PlayerError(Exception):
    """A player cannot go on: its engine died, hung or answered nonsense. The message is one sentence for a person."""


class MissingPlayer(PlayerError):
    """There is no such player: its program cannot be started at all."""


class Player(Protocol):
    """Anything that can choose a move. ``fingal.testing.check_player`` says what it must get right."""

    name: str
    """How it is shown in tables and records."""

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The move at the end of the record's main line: a legal cell, ``SWAP`` where it is legal, or ``RESIGN``.

        The record is not changed. Raises ``ValueError`` when the game there is over or the player does not play on such
        a board, ``PlayerError`` when it has failed.
        """
        ...

    def close(self) -> None:
        """Let go of processes and memory; nothing is asked afterwards."""
        ...


@runtime_checkable
class Interruptible(Protocol):
    """What a player that searches for long may have besides: a way to be told to answer now."""

    def interrupt(self) -> None:
        """End the search under way, from any thread: ``choose`` then answers soon, with the best move it has.

        It counts until the end of the next ``choose``, so that one that comes a moment too early is not lost.
        """
        ...


@runtime_checkable
class Remarking(Protocol):
    """What a player may have besides: something to say of its moves."""

    @property
    def remark(self) -> str:
        """What the last move rests on, in a sentence; empty when there is nothing to say."""
        ...


@runtime_checkable
class Careless(Protocol):
    """What a player may have besides: whether it throws won games away, so that a proof does not win one for it."""

    careless: bool


def is_careless(player: Player) -> bool:
    """Whether a player cannot be trusted with a game that is proven to be its."""
    return isinstance(player, Careless) and player.careless


def check_size(player: Player, width: int, height: int) -> None:
    """Raise ValueError when a player says that it does not play on a board."""
    if isinstance(player, SizeBound):
        player.check_size(width, height)


@runtime_checkable
class Judging(Protocol):
    """What a player may have besides: what it thinks of the position that it has just moved in."""

    @property
    def value(self) -> float | None:
        """Of the position of the last ``choose``, before its move: in [-1, 1], from the side to move's view.

        None when that move rests on no judgement.
        """
        ...


@runtime_checkable
class Drawing(Protocol):
    """What a player may have besides: the probabilities that it draws its moves with, so that nobody need count."""

    def probabilities(self, positions: Positions) -> NDArray[np.float64]:
        """How probable every move is, [B, cells]; each row's sum is 1. The swap is left out of account."""
        ...


def judgement(player: Player) -> float | None:
    """What a player thinks of the position that it was last asked about; None when it has no values."""
    return player.value if isinstance(player, Judging) else None


def ask(player: Player, record: Record, board: Board, limit: Limit = NO_LIMIT) -> int:
    """The player's move at the end of a record, where ``board`` stands, checked.

    Raises ``PlayerError`` when the player fails or the move is illegal, ``ValueError``, with the player's name, when it
    does not play there at all: on a board of this size, for example.
    """
    try:
        move = player.choose(record, limit)
    except EvaluationError as error:
        raise PlayerError(str(error)) from error
    except ValueError as error:
        raise ValueError(f"{player.name} does not play here: {error}") from error
    if move != RESIGN and not board.is_legal(move):
        raise PlayerError(f"{player.name} answered {move}, which is not a legal move")
    return move


def open_board(record: Record) -> Board:
    """The board at the end of a record's main line, for a player to move on; ValueError when the game there is over."""
    board, end = record.board(), record.end
    if board.winner is not None:
        raise ValueError(f"the game is over: {board.winner} has won")
    if end.move in (Special.RESIGN, Special.FORFEIT):
        raise ValueError(f"the game is over: {end.colour} has given up")
    return board
