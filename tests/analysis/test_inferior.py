from itertools import islice

import pytest

from fingal.analysis.inferior import KINDS, find_inferior
from fingal.game import BLACK, WHITE, Board, Colour
from fingal.solve.inferior_check import check_inferior
from tests.analysis.exhaustive import Exhaustive
from tests.analysis.inferior_claims import check_claims, positions, stones


def setup(size: int, black: str = "", white: str = "", turn: Colour = WHITE) -> Board:
    board = Board(size)
    for colour, cells in ((BLACK, black), (WHITE, white)):
        for cell in cells.split():
            board.set_stone(cell, colour)
    board.turn = turn
    return board


def names(board: Board, cells: list[int]) -> set[str]:
    return {board.name(cell) for cell in cells}


@pytest.mark.parametrize(
    ("width", "height", "fewest", "count"),
    [(2, 2, 0, 20), (3, 3, 0, 150), (3, 5, 4, 100), (4, 4, 6, 150), (5, 5, 13, 40)],
)
def test_every_claim_keeps_the_winner(width: int, height: int, fewest: int, count: int) -> None:
    search = Exhaustive(width, height)
    for board in islice(positions(width, height, fewest, seed=1), count):
        check_claims(search, board)


def test_every_kind_is_found() -> None:
    kinds = {claim.kind for board in islice(positions(7, 7, 4, seed=2), 200) for claim in find_inferior(board).claims}
    assert kinds == set(KINDS)


def test_dead_by_four_stones_in_a_row() -> None:
    board = setup(7, black="d3 e3 c4 c5")
    found = find_inferior(board)
    assert "d4" in names(board, found.fill[BLACK] + found.fill[WHITE])


def test_a_stone_on_the_second_row_owns_the_cells_below_it() -> None:
    board = setup(7, black="d2", white="b5")
    found = find_inferior(board)
    assert {"d1", "e1"} <= names(board, found.fill[BLACK])
    assert {"a5", "a6"} <= names(board, found.fill[WHITE])


def test_a_region_that_one_group_closes_is_dead() -> None:
    board = setup(7, black="b1 b2 a3", white="g7")
    assert {"a1", "a2"} <= names(board, find_inferior(board).fill[BLACK] + find_inferior(board).fill[WHITE])


def test_the_corner_is_answered_by_the_cell_beside_it() -> None:
    board = Board(7)
    reasons = {board.name(claim.cell): claim for claim in find_inferior(board).claims if claim.cell is not None}
    assert reasons["a1"].kind == "vulnerable"
    assert board.name(reasons["a1"].by or 0) in ("b1", "a2")


def test_half_of_a_symmetric_position_is_enough() -> None:
    board = Board(5)
    found = find_inferior(board)
    left = set(board.empty_cells).difference(found.pruned)
    assert not any(board.cells - 1 - cell in left for cell in left if 2 * cell != board.cells - 1)


def test_both_views_of_a_position_have_the_same_fill_in() -> None:
    board = setup(7, black="d2 d4 c5", white="b5 e3 f3")
    assert find_inferior(board, BLACK).fill == find_inferior(board, WHITE).fill
    assert find_inferior(board).to_move == WHITE


def test_fill_in_alone() -> None:
    board = setup(7, black="d2")
    found = find_inferior(board, prune=False)
    assert found.pruned == []
    assert found.fill == find_inferior(board).fill


def test_a_finished_game_has_no_inferior_cells() -> None:
    board = setup(2, black="a1 a2")
    found = find_inferior(board)
    assert (found.fill, found.pruned, found.claims) == ({BLACK: [], WHITE: []}, [], [])


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19), (1, 7), (7, 1)])
def test_any_size(width: int, height: int) -> None:
    for board in islice(positions(width, height, 0, seed=3), 6):
        found = find_inferior(board)
        black, white, moves = check_inferior(
            width, height, *stones(board), board.turn, [claim.as_dict() for claim in found.claims]
        )
        assert black == stones(board)[0] | set(found.fill[BLACK])
        assert white == stones(board)[1] | set(found.fill[WHITE])
        assert moves == set(board.empty_cells).difference(*found.fill.values(), found.pruned)
