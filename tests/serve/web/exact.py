"""Who wins, found by trying everything: slow, obvious, and no part of Fingal but its board."""

from fingal.game import Board, Colour


def winner(board: Board, known: dict[tuple[int, ...], Colour]) -> Colour:
    """Who wins a position with best play on both sides; ``known`` is filled on the way."""
    if board.winner is not None:
        return board.winner
    key = tuple(-1 if (stone := board.colour_at(cell)) is None else int(stone) for cell in range(board.cells))
    key = (*key, int(board.turn))
    if key not in known:
        known[key] = board.turn.other
        for move in board.empty_cells:
            after = board.copy()
            after.push(move)
            if winner(after, known) is board.turn:
                known[key] = board.turn
                break
    return known[key]
