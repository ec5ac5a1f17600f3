"""One game between two players, from an opening to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fingal.analysis.connections import Connections
from fingal.game import RESIGN, Board, Colour, Record, Result, Special
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError, ask, is_careless


def play_game(
    players: Sequence[Player],
    opening: Record,
    limit: Limit = NO_LIMIT,
    *,
    watch: Callable[[Board], None] | None = None,
    prove: Callable[[Board], Colour | None] | None = None,
) -> tuple[Record, str]:
    """Play from an opening to the end, ``players[colour]`` moving for each colour: the record and '' or a failure.

    A player that fails or moves illegally loses by forfeit, and the second value says why. ``ValueError`` when a player
    does not play there at all, on a board of this size for example. ``watch`` is called before every move, and the game
    ends as soon as ``prove``, which is not asked while a swap may come, names a winner that is not careless.
    """
    record = opening.until(opening.end)
    record.players = {colour: players[colour].name for colour in Colour}
    record.result = None
    board, end = record.board(), record.end
    if all(map(is_careless, players)):
        prove = None
    while not board.is_over():
        # Connections know nothing of the swap: it gives a stone that is proven to win to the other side.
        asked = None if board.can_swap or (board.swap and board.ply == 0) else prove
        if asked is not None and (winner := asked(board)) is not None and not is_careless(players[winner]):
            end.comment = f"Ended here by proof: {winner} has a connection from side to side."
            record.result = Result(winner)
            return record, ""
        mover = board.turn
        if watch is not None:
            watch(board)
        try:
            move = ask(players[mover], record, board, limit)
        except PlayerError as error:
            end.add(mover, Special.FORFEIT)
            record.result = Result(mover.other, "forfeit")
            return record, str(error)
        end = end.add(mover, move)
        if move == RESIGN:
            record.result = Result(mover.other, "resign")
            return record, ""
        board.push(move)
    assert board.winner is not None
    record.result = Result(board.winner)
    return record, ""


def proven_winner(board: Board) -> Colour | None:
    """Who wins by virtual connections from side to side, whatever the opponent does; None when they prove nothing.

    A full connection wins whoever moves, a semi one for the side to move.
    """
    if Connections(board, board.turn.other).won:
        return board.turn.other
    own = Connections(board, board.turn)
    first, second = own.cells, own.cells + 1
    return board.turn if own.won or own.between(first, second, True) else None


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
