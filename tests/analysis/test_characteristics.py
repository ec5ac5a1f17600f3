"""Network characteristics: worked by hand on small boards, mirrored with the board."""

import numpy as np
import pytest

from fingal.analysis.characteristics import NAMES, measure
from fingal.game import BLACK, Board
from tests.analysis.positions import random_positions


def of(board: Board) -> dict[str, list[float]]:
    """Black's and White's, by name."""
    found = measure(board.packed()[:, None], board.width, board.height)
    return {name: found[:, 0, at].tolist() for at, name in enumerate(NAMES)}


def test_an_empty_2x2_board_by_hand() -> None:
    # Two of four cells are needed, and each of the four is on such a way.
    found = of(Board(2))
    assert found["path"] == [1, 1]
    assert found["path_cells"] == [1, 1]
    assert found["conductance"][0] == pytest.approx(found["conductance"][1])


def test_a_stone_in_the_way_by_hand() -> None:
    # Black has taken b2 of 3x3: two more stones, on any of b1 and c1 above and a3 and b3 below, or beside by more.
    board = Board(3)
    board.push("b2")
    found = of(board)
    assert found["path"] == [pytest.approx(2 / 3), 1]
    assert found["path_cells"][0] == pytest.approx(4 / 9)
    assert found["conductance"][0] > found["conductance"][1]


def test_a_row_of_cells_by_hand() -> None:
    # Three cells in a row share the energy alike; two of them do when the middle one is a stone.
    board = Board(1, 3)
    assert of(board)["evenness"][0] == pytest.approx(1)
    assert of(board)["conductance"][0] == pytest.approx(np.log(1 / 3))
    board.set_stone("a2", BLACK)
    assert of(board)["evenness"][0] == pytest.approx(np.log(2) / np.log(3))
    assert of(board)["conductance"][0] == pytest.approx(np.log(1 / 2))


def test_the_mirrored_position_has_the_colours_exchanged() -> None:
    for width, height in ((5, 5), (4, 6)):
        for board in random_positions(width, height, 30, seed=3):
            if board.is_over():
                continue
            there = board.mirrored()
            one, other = (measure(each.packed()[:, None], each.width, each.height) for each in (board, there))
            np.testing.assert_allclose(one[:, 0], other[::-1, 0], atol=1e-9)
