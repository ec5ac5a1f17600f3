"""A game in the terminal, against any player."""

from __future__ import annotations

from functools import partial

from rich.console import Console

from fingal.game import RESIGN, Colour, Record, Result, draw
from fingal.players.human import Human, Quit, TakeBack
from fingal.players.player import NO_LIMIT, Limit, Player, Remarking, ask


def play(
    opponent: Player, record: Record, person: Colour, limit: Limit = NO_LIMIT, console: Console | None = None
) -> Record:
    """Play on from a record until the game ends or the person leaves; the record holds all moves in the end.

    Raises ``PlayerError`` or ``ValueError`` when the opponent cannot go on; the record is as it was before its move.
    """
    console = console or Console()
    say = partial(console.print, markup=False, emoji=False, highlight=False)
    human = Human(undo=True)
    say(f"You are {str(person).capitalize()}: join {'top and bottom' if person is Colour.BLACK else 'left and right'}.")
    while True:
        board = record.board()
        draw.show(board, console)
        if board.is_over():
            assert board.winner is not None
            record.result = Result(board.winner)
            say("You have won." if board.winner is person else f"{opponent.name} has won.")
            return record
        mover = board.turn
        try:
            move = ask(human if mover is person else opponent, record, board, limit)
        except Quit:
            return record
        except TakeBack:
            take_back(record, mover)
            continue
        record.push(mover, move)
        if move == RESIGN:
            record.result = Result(mover.other, "resign")
            say(f"{'You resign' if mover is person else f'{opponent.name} resigns'}.")
            return record
        if mover is not person:
            say(f"{opponent.name} plays {record.name(move)}.")
            if isinstance(opponent, Remarking) and opponent.remark:
                say(opponent.remark)


def take_back(record: Record, side: Colour) -> None:
    """Undo up to and including a side's last move; nothing when there is none."""
    if any(colour is side for colour, _ in record.moves):
        while record.pop().colour is not side:
            pass
