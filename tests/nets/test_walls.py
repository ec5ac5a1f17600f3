"""The six planes with walls: by hand, against the board's own chains, in numpy and in torch."""

import numpy as np
import pytest
import torch

from fingal.game import Board, Colour
from fingal.learn.parts.truth import Truth
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


@pytest.mark.parametrize("size", [1, 2, 5, 11, 19])
def test_a_half_turn_and_a_mirror_of_the_planes(size: int) -> None:
    lots = torch.rand((30, size, size), generator=torch.Generator().manual_seed(size))
    stones = torch.stack((lots < 0.4, lots > 0.6), 1)
    seen = walls_torch.from_stones(stones)
    turned = walls_torch.turned(seen)
    assert torch.equal(turned, walls_torch.from_stones(stones.flip(2, 3)))
    assert torch.equal(walls_torch.turned(turned), seen)

    def mirror(planes: torch.Tensor) -> torch.Tensor:
        # Transposed with colours exchanged: top is left, bottom is right.
        return planes[:, [1, 0, 4, 5, 2, 3]].transpose(2, 3)

    assert torch.equal(mirror(seen), walls_torch.from_stones(stones.flip(1).transpose(2, 3)))
    assert torch.equal(mirror(mirror(seen)), seen)
    assert torch.equal(walls_torch.turned(mirror(seen)), mirror(turned))


def test_planes_of_what_connections_prove() -> None:
    # Black, to move, has b2 and two ways to either side: a move that wins is proved. The other game is over.
    going, over = board_of((3, 3), "b2 a1 c3 a2"), board_of((3, 3), "b2 a1 b1 c1 b3")
    seen = walls.encode(planes.positions_of([going, over]), connections=True)
    assert seen.shape == (2, 8, 7, 7)
    assert np.array_equal(seen[:, :6], walls.encode(planes.positions_of([going, over])))
    assert seen[0, 7].sum() == 1
    assert not seen[1, 6:].any()
    seen[:, 6:, 2:-2, 2:-2] = 0
    assert not seen[:, 6:].any()  # no walls


@pytest.mark.parametrize("size", [3, 4])
def test_worthwhile_cells_hold_a_winning_move_where_there_is_one(size: int) -> None:
    truth = Truth(size)
    stones = planes.stones(truth.positions)
    known = walls.known(stones).reshape(len(stones), 2, -1)
    turned = np.arange(size * size).reshape(size, size).T.ravel()
    winning = np.where(truth.positions.white_to_move[:, None], truth.winning[:, turned], truth.winning)
    assert (known[truth.won, 0] & winning[truth.won]).any(1).all()
    assert not (known[:, 1] & ~winning).any()
    assert known[truth.won, 1].any(1).mean() > 0.5
