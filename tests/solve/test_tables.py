from fingal.game import Board
from fingal.solve import tables
from tests.solve.truth import OPENINGS


def test_the_tables_are_as_published() -> None:
    assert {(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (6, 7), (7, 7), (7, 8)} <= set(tables.sizes())
    for width, height in tables.sizes():
        board = Board(width, height)
        published = OPENINGS.get(f"{width}x{height}", ["a1"] if width == height == 1 else None)
        assert published is not None
        for cell, wins in tables.openings(width, height).items():
            assert wins is (board.name(cell) in published)


def test_what_is_not_in_the_tables_is_not_known() -> None:
    assert tables.openings(19, 19) == {}
    assert tables.picture(3, 2) == ["???", "???"]
