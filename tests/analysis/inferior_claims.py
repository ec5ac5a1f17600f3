"""Inferior cells against plain search, claim by claim."""

import random
from collections.abc import Iterator

from fingal.analysis.inferior import Inferior, find_inferior
from fingal.game import Board, Colour
from tests.analysis.exhaustive import Exhaustive


def positions(width: int, height: int, fewest: int, seed: int) -> Iterator[Board]:
    """Random positions that nobody has won, with at least so many stones, either side to move; without end."""
    rng = random.Random(f"{width}x{height}: {seed}")
    while True:
        board = Board(width, height)
        for _ in range(rng.randrange(fewest, board.cells)):
            if not board.is_over():
                board.push(rng.choice(board.empty_cells))
        if board.is_over():
            board.pop()
        if len(board.moves) < fewest:
            continue
        board.turn = rng.choice(list(Colour))
        yield board


def stones(board: Board) -> tuple[set[int], set[int]]:
    black, white = ({at for at in range(board.cells) if board.colour_at(at) == colour} for colour in Colour)
    return black, white


def check_claims(search: Exhaustive, board: Board) -> Inferior:
    """Every claim keeps the winner, by plain search; returns what was claimed."""
    found = find_inferior(board)
    sides = stones(board)
    mover = board.turn
    wins: set[int] | None = None  # the moves that win and are not pruned yet
    for claim in found.claims:
        where = f"{board!r}: {claim}"
        if claim.cell is None:
            before = [search.winner(*sides, to_move) for to_move in Colour]
            sides[Colour.BLACK].update(claim.black)
            sides[Colour.WHITE].update(claim.white)
            assert before == [search.winner(*sides, to_move) for to_move in Colour], where
        else:
            wins = search.winning_moves(*sides, mover) if wins is None else wins
            assert not wins or wins - {claim.cell}, where
            wins.discard(claim.cell)
    assert sides[0] - stones(board)[0] == set(found.fill[Colour.BLACK])
    assert sides[1] - stones(board)[1] == set(found.fill[Colour.WHITE])
    if search.winner(*sides, mover) == mover and not search.decided(*sides):
        left = set(range(board.cells)).difference(*sides, found.pruned)
        assert search.winning_moves(*sides, mover) & left <= search.winning_moves(*stones(board), mover), repr(board)
    return found
