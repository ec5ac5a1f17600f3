"""Distances beside a plain Python walk over the board, and positions worked by hand."""

import numpy as np
import pytest

from fingal.analysis import distance
from fingal.game import Board, Colour
from tests.analysis.circuits import edges_of
from tests.analysis.positions import SIZES, random_positions


def around(board: Board, colour: Colour, cell: int) -> set[int | str]:
    """The empty cells and edges next to an empty cell, through the colour's stones."""
    found: set[int | str] = set(edges_of(board, colour, cell))
    todo, seen = list(board.neighbours(cell)), set()
    while todo:
        next = todo.pop()
        if board.colour_at(next) is None and next != cell:
            found.add(next)
        if board.colour_at(next) is colour and next not in seen:
            seen.add(next)
            found.update(edges_of(board, colour, next))
            todo += board.neighbours(next)
    return found


def walk(board: Board, colour: Colour, edge: str, needed: int) -> dict[int, int]:
    """Distances from an edge: improved cell by cell until nothing changes."""
    near = {cell: around(board, colour, cell) for cell in board.empty_cells}
    found: dict[int, int] = {cell: 1 for cell in near if edge in near[cell]}
    while True:
        better = {}
        for cell in near:
            known = sorted(found[next] for next in near[cell] if isinstance(next, int) and next in found)
            if len(known) >= needed and known[needed - 1] + 1 < found.get(cell, 10_000):
                better[cell] = known[needed - 1] + 1
        if not better:
            return found
        found.update(better)


@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_as_a_walk_finds_them(width: int, height: int, two: bool) -> None:
    for board in random_positions(width, height, 3 if width * height > 100 else 30, seed=1):
        found = (distance.two_distance if two else distance.shortest_path)(board)
        for colour in Colour:
            ways = [walk(board, colour, edge, 2 if two else 1) for edge in ("first", "second")]
            whole = {cell: ways[0][cell] + ways[1][cell] - (not two) for cell in ways[0] if cell in ways[1]}
            assert found.through[colour].tolist() == [whole.get(cell, -1) for cell in range(board.cells)], board
            if not board.is_over():
                assert found.least[colour] == min(whole.values(), default=-1)
                assert found.count[colour] == sum(way == found.least[colour] for way in whole.values())


def test_by_hand() -> None:
    """Black's two-distances from the top of an empty 3x3 board are 1 1 1, 2 2 3, 3 4 5.

    c2 has c1 and then b2, which is at 2; b3 has b2 and then a3 and c2, at 3; c3 has c2 and then b3, at 4.
    """
    from_top = np.array([1, 1, 1, 2, 2, 3, 3, 4, 5])
    found = distance.two_distance(Board(3))
    assert found.through[0].tolist() == (from_top + from_top[::-1]).tolist()
    assert found.least == (4, 4)
    assert found.count == (3, 3)
    assert distance.shortest_path(Board(3)).through.tolist() == [[3] * 9, [3] * 9]


def test_the_end() -> None:
    board = Board(2)
    for move in ("a1", "b1", "a2"):
        board.push(move)
    found = distance.shortest_path(board)
    assert found.least == (0, -1)
    assert found.count == (0, 0)
    assert found.through[:, [0, 1, 2]].tolist() == [[-1, -1, -1], [-1, -1, -1]]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="position 0 has stones on each other or off the board"):
        distance.measure(np.array([[[1]], [[1]]], np.uint64), 3, 3, two=True)
