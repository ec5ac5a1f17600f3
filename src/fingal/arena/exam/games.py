"""The player's own games: won openings against a perfect defender, and games against random moves."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from fingal.arena.exam.oracle import Oracle, hardest_defence
from fingal.game import RESIGN, Board, Colour, Record
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError, ask


@dataclass(slots=True)
class Played:
    """A game of the player's."""

    record: Record
    side: Colour
    """The player's."""
    turns: list[tuple[Board, int]] = field(default_factory=list)
    """The positions that it moved in, and its moves."""
    won: bool = False
    failure: str = ""


def convert(player: Player, opening: int, size: int, oracle: Oracle, rng: random.Random, limit: Limit) -> Played:
    """Play the won side of an opening against a perfect defender.

    The game ends as soon as the player lets the win go: from there the defender wins.
    """
    record = Record.of([opening], size)
    board = record.board()
    game = Played(record, board.turn if oracle.wins(board) else board.turn.other)
    while not board.is_over():
        if board.turn is not game.side:
            _push(record, board, hardest_defence(board, oracle, rng))
        elif not _move(player, game, board, limit) or (not board.is_over() and oracle.wins(board)):
            return game
    game.won = board.winner is game.side
    return game


def against_random(player: Player, side: Colour, size: int, rng: random.Random, limit: Limit = NO_LIMIT) -> Played:
    """Play a game against random moves; Black's first move is random too."""
    record = Record(size, size)
    board = record.board()
    game = Played(record, side)
    while not board.is_over():
        if board.turn is not side or board.ply == 0:
            _push(record, board, rng.choice(board.empty_cells))
        elif not _move(player, game, board, limit):
            return game
    game.won = board.winner is side
    return game


def _move(player: Player, game: Played, board: Board, limit: Limit) -> bool:
    """The player's move; False when it gives up or fails."""
    try:
        move = ask(player, game.record, board, limit)
    except PlayerError as error:
        game.failure = str(error)
        move = RESIGN
    game.turns.append((board.copy(), move))
    if move == RESIGN:
        return False
    _push(game.record, board, move)
    return True


def _push(record: Record, board: Board, move: int) -> None:
    record.push(board.turn, move)
    board.push(move)
