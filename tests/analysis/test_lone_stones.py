"""Templates of one stone alone: the solver finds what search of the carrier proves."""

import pytest

from fingal import _core
from fingal.analysis.lone_stones import Cells, LoneStone, Strip
from fingal.analysis.templates import Region
from fingal.game import Colour


def picture(strip: Strip, carrier: Cells) -> str:
    return Region(dict.fromkeys(carrier, "*") | {strip.stone: "O"}).picture()


def test_a_strip_has_all_cells_below_and_those_above_on_the_left() -> None:
    strip = Strip(up=1, along=1, width=4, above=1)
    low = {(0, 0), (0, 1), (0, 2), (0, 3)}
    assert strip.cells() == low | {(1, 0), (1, 2), (1, 3)} | {(2, 0), (2, 1)}


def test_the_way_up_touches_only_what_the_stone_touches() -> None:
    strip = Strip(up=2, along=3, width=7, above=1)
    board = strip.board(strip.cells())
    black = {cell for cell in range(board.cells) if board.colour_at(cell) is Colour.BLACK}
    stone = (board.height - 1 - strip.up) * board.width + strip.along
    near = {other for cell in black for other in board.neighbours(cell) if board.colour_at(other) is None}
    assert stone in black
    assert any(cell < board.width for cell in black)
    assert near == {other for other in board.neighbours(stone) if board.colour_at(other) is None}
    assert board.turn is Colour.WHITE


def test_the_third_row_has_the_ziggurat_on_either_side() -> None:
    strip = Strip(up=2, along=4, width=8)
    found = {picture(strip, carrier) for carrier in LoneStone(strip).carriers(depth=1)}
    assert {"..O*/.***/****", "..*O/.***/****"} <= found
    finder = _core.TemplateFinder()
    assert all(finder.is_minimal(one) and finder.holds(one) for one in found)


def test_a_stone_on_the_fifth_row_is_joined_with_cells_that_are_all_needed() -> None:
    strip = Strip(up=4, along=8, width=14)
    search = LoneStone(strip)
    carrier = next(search.carriers(depth=0))
    assert _core.TemplateFinder().holds(picture(strip, carrier))
    assert not any(search.holds(carrier - {cell}) for cell in carrier)


def test_what_is_not_enough_is_not_shrunk() -> None:
    strip = Strip(up=2, along=2, width=5)
    search = LoneStone(strip)
    assert search.shrunk(frozenset({(0, 2), (1, 2)})) is None
    assert not search.holds(frozenset({(0, 2)}))
    narrow = Strip(up=3, along=2, width=4)
    assert list(LoneStone(narrow).carriers(depth=3)) == []


def test_the_list_that_ships_has_the_stones_alone() -> None:
    alone = [one for one in _core.edge_templates() if not set("SP") & set(one)]
    rows = {len(one[one.index("O") :].split("/")) for one in alone}
    assert rows == {3, 4, 5}


@pytest.mark.parametrize(("up", "along", "width", "above"), [(0, 1, 3, 0), (1, 3, 4, 0), (1, 2, 4, 1), (1, -1, 4, 0)])
def test_strips_that_no_board_has(up: int, along: int, width: int, above: int) -> None:
    with pytest.raises(ValueError, match="is not possible"):
        Strip(up, along, width, above)
