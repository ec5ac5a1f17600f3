"""The six planes with walls: by hand, against the board's own chains, in numpy and in torch."""

import numpy as np
import pytest
import torch

from fingal.game import Board, Colour
from fingal.nets import planes, planes_torch, walls, walls_torch
from fingal.search.evaluator import Positions
from tests.nets.sample import random_positions


def drawn(text: str) -> np.ndarray:
    """Six planes side by side, '.' for 0."""
    rows = [[[0 if mark == "." else 1 for mark in part] for part in line.split()] for line in text.strip().splitlines()]
    return np.array(rows, np.float32).transpose(1, 0, 2)


def board_of(size: tuple[int, int], moves: str) -> Board:
    board = Board(*size)
    for move in moves.split():
        board.push(move)
    return board


def torch_planes(positions: Positions, padding: int) -> torch.Tensor:
    width, height, white = positions.width, positions.height, torch.from_numpy(positions.white_to_move)
    frame = (width, height) if white.all() else (height, width)
    where = planes_torch.layout(white, width, height, frame)
    return walls_torch.encode(torch.from_numpy(positions.stones.view(np.int64)), white, where, frame, padding)


# Black b1, a2, c3; White c1, c2, b2: Black to move. b1 and a2 touch, and so do White's three; c3 stands alone.
#   . B W
#   B W W
#   . . B
BLACK = drawn("""
    OOOOOOO OO...OO OOOOOOO ....... OO..... .....OO
    OOOOOOO OO...OO OOOOOOO ....... OO..... .....OO
    ...O... OO..OOO ...O... ....... OO..... ....OOO
    ..O.... OO.OOOO ..O.... ....... OO..... ...OOOO
    ....O.. OO...OO ....... ....O.. OO..... .....OO
    OOOOOOO OO...OO ....... OOOOOOO OO..... .....OO
    OOOOOOO OO...OO ....... OOOOOOO OO..... .....OO
""")
# 2 wide, 1 high: Black a1, and White sees a board of two rows and one column on which it is to join top and bottom.
WHITE = drawn("""
    OOO O.O OOO ... O.. ..O
    ... OOO ... ... OO. .OO
    ... O.O ... ... O.. ..O
    OOO O.O ... OOO O.. ..O
""")


@pytest.mark.parametrize(
    ("size", "moves", "padding", "expected"),
    [((3, 3), "b1 c1 a2 c2 c3 b2", 2, BLACK), ((2, 1), "a1", 1, WHITE)],
)
def test_planes_worked_by_hand(size: tuple[int, int], moves: str, padding: int, expected: np.ndarray) -> None:
    positions = planes.positions_of([board_of(size, moves)])
    assert np.array_equal(walls.encode(positions, padding)[0], expected)
    assert np.array_equal(torch_planes(positions, padding)[0].numpy(), expected)


def chained_by_walking(board: Board) -> np.ndarray:
    """[4, height, width]: the stones from which a wall is reached, one step at a time (Black's view)."""
    out = np.zeros((4, board.height, board.width), bool)
    sides = (
        (Colour.BLACK, lambda r, c: r == 0),
        (Colour.BLACK, lambda r, c: r == board.height - 1),
        (Colour.WHITE, lambda r, c: c == 0),
        (Colour.WHITE, lambda r, c: c == board.width - 1),
    )
    for index, (colour, at_wall) in enumerate(sides):
        for start in range(board.cells):
            seen, todo = {start}, [start] if board.colour_at(start) == colour else []
            while todo:
                cell = todo.pop()
                if at_wall(*divmod(cell, board.width)):
                    out[index].flat[start] = True
                new = [n for n in board.neighbours(cell) if n not in seen and board.colour_at(n) == colour]
                seen.update(new)
                todo += new
    return out


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 5), (5, 3), (11, 11), (19, 19)])
def test_chains_are_those_of_the_board(size: tuple[int, int]) -> None:
    positions = random_positions(*size, 6, seed=3)
    for index, part in planes.split(positions):
        made = walls.encode(part)
        assert torch.equal(torch_planes(part, 2), torch.from_numpy(made))
        for row in range(len(part.white_to_move)):
            one = planes.take(part, np.array([row]))
            black = one if not one.white_to_move[0] else planes.mirrored(one)
            board = Board(black.width, black.height)
            stones = planes.unpack(black.stones, board.cells)[:, 0]
            board = Board(black.width, black.height)
            for cell in range(board.cells):
                for colour in Colour:
                    if stones[int(colour), cell]:
                        board.set_stone(cell, colour)
            assert np.array_equal(made[row, 2:, 2:-2, 2:-2] > 0, chained_by_walking(board)), index


def test_the_side_to_move_is_always_shown_in_the_same_way() -> None:
    positions = random_positions(5, 5, 20, seed=1)
    assert np.array_equal(walls.encode(positions), walls.encode(planes.mirrored(positions)))


def test_turning_the_board_exchanges_opposite_walls() -> None:
    positions = random_positions(4, 4, 20, seed=2)
    turned = walls.encode(planes.rotated(positions))
    assert np.array_equal(turned, walls.encode(positions)[:, [0, 1, 3, 2, 5, 4], ::-1, ::-1])


def test_padding_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="padding must be at least 1, not 0"):
        walls.encode(random_positions(3, 3, 1, seed=1), 0)
