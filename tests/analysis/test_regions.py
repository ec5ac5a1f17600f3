from itertools import islice

import pytest

from fingal.analysis.regions import find_regions
from fingal.game import BLACK, WHITE, Board, Colour
from tests.analysis.exhaustive import Exhaustive
from tests.analysis.inferior_claims import positions, stones


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_regions_share_out_the_empty_cells_and_do_not_touch(width: int, height: int) -> None:
    for board in islice(positions(width, height, width * height // 2, seed=1), 5):
        regions = find_regions(board)
        assert sorted(cell for region in regions for cell in region.cells) == board.empty_cells
        for region in regions:
            inside = set(region.cells)
            touching = {near for cell in inside for near in board.neighbours(cell)} - inside
            assert all(board.colour_at(cell) is not None for cell in touching)


def test_an_edge_is_a_group_and_takes_its_stones_along() -> None:
    board = Board(3)
    for move in ("b1", "a3", "b2", "c2"):
        board.push(move)
    left, corner, below = find_regions(board)
    assert [[board.name(cell) for cell in region.cells] for region in (left, corner, below)] == [
        ["a1", "a2"],
        ["c1"],
        ["b3", "c3"],
    ]
    # a1 and a2 lie between the left edge, which holds a3, and the top edge, which holds b1 and b2.
    assert [len(left.touching[colour]) for colour in Colour] == [1, 1]
    assert left.is_dead
    assert not left.has_four_sides
    assert corner.is_dead
    # b3 joins the top to the bottom, or the left to the right: whoever plays it.
    assert below.has_four_sides
    assert below.owner is None
    assert below.touching == {BLACK: [[7], [7, 8]], WHITE: [[7], [7, 8]]}


def test_two_cells_with_the_same_ends_belong_to_their_owner() -> None:
    board = Board(2)
    board.set_stone("a2", WHITE)
    (region,) = find_regions(board)
    assert region.owner == WHITE  # b1 and b2 both join a2 to the right


def test_giving_regions_away_keeps_the_winner() -> None:
    search, given = Exhaustive(4, 4), 0
    for board in islice(positions(4, 4, 6, seed=2), 300):
        sides = stones(board)
        for region in find_regions(board):
            for colour in Colour:
                if region.is_dead or region.owner == colour:
                    filled = [set(side) for side in sides]
                    filled[colour].update(region.cells)
                    given += 1
                    for to_move in Colour:
                        assert search.winner(*filled, to_move) == search.winner(*sides, to_move), repr(board)
    assert given > 50


def test_a_finished_game_has_no_regions() -> None:
    board = Board(1)
    board.push("a1")
    assert find_regions(board) == []
