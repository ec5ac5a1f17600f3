"""All positions of small boards, beside a search in plain Python that shares nothing with them."""

import numpy as np
import pytest

from fingal.arena.exam.enumeration import Enumeration, enumeration
from fingal.game import Board, Colour
from fingal.solve import tables
from tests.arena.exam.plain import Plain


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_position_has_its_winner_and_its_winning_moves(n: int) -> None:
    plain, listed = Plain(n), Enumeration(n, n)
    positions = plain.reachable()
    assert sum(len(level.codes) for level in listed.levels) == len(positions)
    for own, other, axis in positions:
        board = Board(n)
        for row, column in own:
            board.set_stone(row * n + column, Colour(axis))
        for row, column in other:
            board.set_stone(row * n + column, Colour(1 - axis))
        board.turn = Colour(axis)
        truth = [row * n + column for row, column in plain.winning(own, other, axis)]
        assert list(listed.winning(board)) == truth
        assert listed.wins(board) == bool(truth)


def test_boards_need_not_be_square() -> None:
    """On 2 wide and 3 high, White has two cells to join and wins whatever Black opens with."""
    listed = Enumeration(2, 3)
    assert listed.winning(Board(2, 3)) == ()
    assert Enumeration(3, 2).wins(Board(3, 2))


def test_four_by_four() -> None:
    listed = enumeration(4, 4)
    known = tables.openings(4, 4)
    assert listed.winning(Board(4)) == tuple(cell for cell, wins in known.items() if wins)
    assert [len(level.codes) for level in listed.levels[:4]] == [1, 16, 16 * 15, 16 * 15 * 14 // 2]
    level = listed.levels[5]
    cells = listed.winning_cells(level.codes)
    assert np.array_equal(cells.sum(axis=1), level.keeping)


def test_what_cannot_be_listed_is_refused() -> None:
    with pytest.raises(ValueError, match="5x4 has too many positions to list: at most 16 cells are possible"):
        Enumeration(5, 4)
    board = Board(3)
    board.set_stone("a1", Colour.WHITE)
    with pytest.raises(ValueError, match="the sides have not moved in turn"):
        enumeration(3, 3).wins(board)
