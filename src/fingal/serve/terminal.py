"""A game in the terminal, against any player."""

from __future__ import annotations

from rich.console import Console

from fingal.game import RESIGN, Colour, Record, Result, draw
from fingal.players.human import Human, Quit, TakeBack
from fingal.players.player import NO_LIMIT, Limit, Player


def play(
    opponent: Player, record: Record, person: Colour, limit: Limit = NO_LIMIT, console: Console | None = None
) -> Record:
    """Play on from a record until the game ends or the person leaves; the record holds all moves in the end."""
    console = console or Console()
    human = Human()
    console.print(
        f"You are {str(person).capitalize()}: join {'top and bottom' if person is Colour.BLACK else 'left and right'}."
    )
    while True:
        board = record.board()
        draw.show(board, console)
        if board.is_over():
            assert board.winner is not None
            record.result = Result(board.winner)
            console.print("You have won." if board.winner is person else f"{opponent.name} has won.")
            return record
        mover = board.turn
        try:
            move = (human if mover is person else opponent).choose(record, limit)
        except Quit:
            return record
        except TakeBack:
            take_back(record, person)
            continue
        record.push(mover, move)
        if move == RESIGN:
            record.result = Result(mover.other, "resign")
            console.print(f"{'You resign' if mover is person else f'{opponent.name} resigns'}.")
            return record
        if mover is not person:
            console.print(f"{opponent.name} plays {record.name(move)}.")


def take_back(record: Record, person: Colour) -> None:
    """Undo up to and including the person's last move; nothing when there is none."""
    if any(colour is person for colour, _ in record.moves):
        while record.pop().colour is not person:
            pass
