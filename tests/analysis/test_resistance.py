"""Resistance beside a plain linear solve of the explicit graph, and values worked by hand."""

import math

import numpy as np
import pytest

from fingal import _core
from fingal.analysis import resistance
from fingal.game import BLACK, WHITE, Board, Colour
from tests.analysis import circuits
from tests.analysis.positions import SIZES, random_positions


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_conductance_is_that_of_the_graph(width: int, height: int) -> None:
    for board in random_positions(width, height, 3 if width * height > 100 else 20, seed=1):
        found = resistance.resistance(board)
        for colour in Colour:
            assert found.conductance[colour] == pytest.approx(circuits.conductance(board, colour)), board


def test_one_cell() -> None:
    """Half of the cell's resistance to either edge: 1 in all."""
    found = resistance.resistance(Board(1))
    assert found.conductance == (1, 1)
    assert found.energy.tolist() == [[1], [1]]
    assert found.black_value == 0


def test_two_by_two_by_hand() -> None:
    """Black's stone on a1 is one with the top: a2, b1 and b2 are left between 1 volt and 0.

    a2 hangs on the top and on the bottom by 2 each, b1 on the top by 2, b2 on the bottom by 2; they join each other by
    1. What flows into a cell flows out: 6 a2 = 2 + b1 + b2, 4 b1 = 2 + a2 + b2, 4 b2 = a2 + b1. So a2 = 1/2,
    b1 = 7/10, b2 = 3/10, and 2 (a2 + b2) = 8/5 flows into the bottom. White goes by a2 from left and right, by b1 and
    b2 from the right: with the left at 1 volt, 4 a2 = 2 + b1 + b2, 4 b1 = a2 + b2, 4 b2 = a2 + b1 (b1 and b2 hang on
    the right by 2), so that a2 = 3/5, b1 = b2 = 1/5, and 2 (b1 + b2) = 4/5 flows.
    """
    board = Board(2)
    board.push("a1")
    found = resistance.resistance(board)
    assert found.conductance == pytest.approx((8 / 5, 4 / 5))
    assert found.black_value == pytest.approx(1 / 3)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_energy_is_shared_out(width: int, height: int) -> None:
    for board in random_positions(width, height, 10, seed=2):
        found = resistance.resistance(board)
        taken = [cell for cell in range(board.cells) if board.colour_at(cell) is not None]
        assert not found.energy[:, taken].any()
        assert (found.energy >= 0).all()
        assert found.energy.sum(axis=1) == pytest.approx([0, 0] if board.is_over() else [1, 1])


def test_energy_says_what_a_cell_is_worth() -> None:
    """The share of a cell is the derivative of the logarithm of the resistance by that of the cell's own.

    A wire beside the whole of a cell would change the graph; instead the links of the cell are made a little better.
    """
    for board in random_positions(4, 4, 10, seed=3):
        if board.is_over():
            continue
        found = resistance.resistance(board)
        for colour in Colour:
            before = circuits.conductance(board, colour)
            for cell in board.empty_cells:
                better = []
                for a, b, strength in circuits.links(board, colour):
                    if cell in (a, b):
                        # An empty neighbour keeps its own half.
                        own_part = (
                            0.5 if all(isinstance(end, int) and end in board.empty_cells for end in (a, b)) else 1
                        )
                        better.append((a, b, strength * own_part * 1e-6))
                change = circuits.conductance(board, colour, better) / before - 1
                assert change == pytest.approx(1e-6 * found.energy[colour, cell], rel=1e-2, abs=1e-9)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (5, 5), (7, 6)])
def test_connections_are_wires(width: int, height: int) -> None:
    """The graph with the wires added is solved by numpy."""
    for board in random_positions(width, height, 8, seed=7):
        found = resistance.resistance(board, connections=True)
        for colour in Colour:
            end = {board.cells: "first", board.cells + 1: "second"}
            wires = [(end.get(a, a), end.get(b, b), c) for a, b, c in _core.connection_wires(board, colour)]
            if not board.is_over():
                assert found.conductance[colour] == pytest.approx(circuits.conductance(board, colour, wires)), board
                assert found.conductance[colour] >= resistance.resistance(board).conductance[colour] - 1e-9


def test_a_bridge_is_a_wire() -> None:
    """b1 and c2 are joined by c1 or b2: a connection that needs two cells conducts a third as well as neighbours."""
    wires = {(a, b): c for a, b, c in _core.connection_wires(Board(3), BLACK)}
    assert wires[1, 5] == pytest.approx(1 / 3)
    assert (1, 4) not in wires  # neighbours
    board = Board(3)
    board.push("c2")
    wires = {(a, b): c for a, b, c in _core.connection_wires(board, BLACK)}
    assert wires[1, 5] == pytest.approx(2 / 3)  # as to any group of stones


def test_value_by_hand() -> None:
    """Resistances of 1 and 3: tanh(log(3) / 2) = (3 - 1) / (3 + 1)."""
    found = resistance.Resistance((1.0, 1 / 3), np.zeros((2, 1)))
    assert found.black_value == pytest.approx(0.5)
    assert found.black_value == pytest.approx(math.tanh(math.log(3) / 2))
    assert found.value(BLACK) == -found.value(WHITE) == found.black_value
    assert found.resistance(WHITE) == pytest.approx(3)


def test_end_of_the_game() -> None:
    board = Board(2)
    for move in ("a1", "b1", "a2"):
        board.push(move)
    found = resistance.resistance(board)
    assert found.conductance == (math.inf, 0)
    assert found.black_value == 1
    assert found.resistance(BLACK) == 0
    assert found.resistance(WHITE) == math.inf
    assert found.order == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_symmetries(width: int, height: int) -> None:
    for board in random_positions(width, height, 5, seed=4):
        found = resistance.resistance(board)
        turned, mirrored = resistance.resistance(board.rotated()), resistance.resistance(board.mirrored())
        assert turned.conductance == pytest.approx(found.conductance)
        assert turned.energy == pytest.approx(found.energy[:, ::-1])
        assert mirrored.black_value == pytest.approx(-found.black_value)
        grid = found.energy.reshape(2, height, width)
        assert mirrored.energy == pytest.approx(grid[::-1].transpose(0, 2, 1).reshape(2, -1))


def test_many_positions_at_once() -> None:
    boards = list(random_positions(5, 4, 7, seed=6))
    stones = np.stack([board.packed() for board in boards], axis=1)
    conductance, energy = resistance.measure(stones, 5, 4)
    assert conductance.shape == (2, 7)
    assert energy.shape == (2, 7, 20)
    for number, board in enumerate(boards):
        found = resistance.resistance(board)
        assert tuple(conductance[:, number]) == found.conductance
        assert (energy[:, number] == found.energy).all()


def test_bad_input() -> None:
    stones = np.array([[[1]], [[1]]], np.uint64)
    with pytest.raises(ValueError, match="position 0 has stones on each other or off the board"):
        resistance.measure(stones, 3, 3)
    with pytest.raises(ValueError, match="position 0 has stones on each other or off the board"):
        resistance.measure(np.array([[[1 << 9]], [[0]]], np.uint64), 3, 3)
    with pytest.raises(ValueError, match="stones has 3 elements, expected 2"):
        resistance.measure(np.zeros(3, np.uint64), 3, 3)
    with pytest.raises(ValueError, match="a board of 0x3 is not possible"):
        resistance.measure(np.zeros((2, 1, 1), np.uint64), 0, 3)
