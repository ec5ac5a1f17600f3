import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.game.board import MAX_SIDE
from fingal.nets import planes, planes_torch
from fingal.search.evaluator import Positions
from tests.nets.sample import random_positions


def drawn(text: str) -> np.ndarray:
    """Five planes side by side, '.' for 0."""
    rows = [[[0 if mark == "." else 1 for mark in part] for part in line.split()] for line in text.strip().splitlines()]
    return np.array(rows, np.float32).transpose(1, 0, 2)


def torch_planes(positions: Positions) -> torch.Tensor:
    width, height, white = positions.width, positions.height, torch.from_numpy(positions.white_to_move)
    frame = (width, height) if white.all() else (height, width)
    where = planes_torch.layout(white, width, height, frame)
    return planes_torch.encode(torch.from_numpy(positions.stones.view(np.int64)), white, where, frame)


def board_of(width: int, height: int, *moves: str) -> Board:
    board = Board(width, height)
    for move in moves:
        board.push(move)
    return board


# Black b1, c3; White a2.  . B .     White to move sees it mirrored:  . W .  (W: its own stone)
#                          W . .                                     B . .
#                          . . B                                     . . B
WHITE_ON_3X3 = drawn("""
    ..... ..... ..... OOOOO O...O
    ..O.. ..... .OOO. ..... O...O
    ..... .O... .OOO. ..... O...O
    ..... ...O. .OOO. ..... O...O
    ..... ..... ..... OOOOO O...O
""")
# The same with White's stone on b3 added, Black to move: nothing is turned.
BLACK_ON_3X3 = drawn("""
    ..... ..... ..... OOOOO O...O
    ..O.. ..... .OOO. ..... O...O
    ..... .O... .OOO. ..... O...O
    ...O. ..O.. .OOO. ..... O...O
    ..... ..... ..... OOOOO O...O
""")
# 2 wide, 4 high: Black b1, White a3 and Black to move. Four rows of two.
BLACK_ON_2X4 = drawn("""
    .... .... .... OOOO O..O
    ..O. .... .OO. .... O..O
    .... .... .OO. .... O..O
    .... .O.. .OO. .... O..O
    .... .... .OO. .... O..O
    .... .... .... OOOO O..O
""")
# The same and Black b4, White to move: two rows of four.
WHITE_ON_2X4 = drawn("""
    ...... ...... ...... OOOOOO O....O
    ...O.. ...... .OOOO. ...... O....O
    ...... .O..O. .OOOO. ...... O....O
    ...... ...... ...... OOOOOO O....O
""")


@pytest.mark.parametrize(
    ("size", "moves", "expected"),
    [
        ((3, 3), "b1 a2 c3", WHITE_ON_3X3),
        ((3, 3), "b1 a2 c3 b3", BLACK_ON_3X3),
        ((2, 4), "b1 a3", BLACK_ON_2X4),
        ((2, 4), "b1 a3 b4", WHITE_ON_2X4),
    ],
)
def test_planes_worked_by_hand(size: tuple[int, int], moves: str, expected: np.ndarray) -> None:
    positions = planes.positions_of([board_of(*size, *moves.split())])
    assert np.array_equal(planes.encode(positions)[0], expected)
    assert np.array_equal(torch_planes(positions)[0].numpy(), expected)


def test_both_sides_in_one_batch_on_a_square_board() -> None:
    boards = [board_of(3, 3, "b1", "a2", "c3"), board_of(3, 3, "b1", "a2", "c3", "b3")]
    positions = planes.positions_of(boards)
    expected = np.stack((WHITE_ON_3X3, BLACK_ON_3X3))
    assert np.array_equal(planes.encode(positions), expected)
    assert np.array_equal(torch_planes(positions).numpy(), expected)


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (8, 8), (11, 11), (19, 19)])
def test_numpy_and_torch_agree_on_square_boards(size: tuple[int, int]) -> None:
    positions = random_positions(*size, count=20)
    assert np.array_equal(planes.encode(positions), torch_planes(positions).numpy())


@pytest.mark.parametrize("size", [(1, 2), (3, 5), (5, 3), (19, 4)])
def test_numpy_and_torch_agree_on_other_boards(size: tuple[int, int]) -> None:
    positions = random_positions(*size, count=20)
    with pytest.raises(ValueError, match="split it first"):
        planes.encode(positions)
    seen = 0
    for index, part in planes.split(positions):
        assert index is not None
        assert np.array_equal(planes.encode(part), torch_planes(part).numpy())
        assert np.array_equal(part.white_to_move, positions.white_to_move[index])
        seen += len(index)
    assert seen == 20


@pytest.mark.parametrize("size", [(2, 2), (3, 5), (11, 11)])
def test_the_mirrored_board_looks_the_same(size: tuple[int, int]) -> None:
    board = Board(*size)
    board.fill_randomly(size[0] * size[1] // 2, 7)
    boards = planes.positions_of([board]), planes.positions_of([board.mirrored()])
    assert np.array_equal(planes.encode(boards[0]), planes.encode(boards[1]))
    ours = planes.mirrored(boards[0])
    assert np.array_equal(ours.stones, boards[1].stones)
    assert np.array_equal(ours.white_to_move, boards[1].white_to_move)


def test_rotation_turns_the_planes() -> None:
    positions = random_positions(11, 11, 8)._replace(last=np.array([-1, 0, 1, 120, 60, 5, 6, 7], np.int32))
    turned = planes.rotated(positions)
    assert np.array_equal(planes.encode(turned), planes.encode(positions)[:, :, ::-1, ::-1])
    assert turned.last.tolist() == [-1, 120, 119, 0, 60, 115, 114, 113]
    white = torch.from_numpy(positions.white_to_move)
    stones = torch.from_numpy(positions.stones.view(np.int64))
    flags = torch.tensor([True, False] * 4)
    where = planes_torch.layout(white, 11, 11, (11, 11), flags)
    both = planes_torch.encode(stones, white, where, (11, 11)).numpy()
    expected = np.where(flags[:, None, None, None], planes.encode(turned), planes.encode(positions))
    assert np.array_equal(both, expected)


@pytest.mark.parametrize("size", [(3, 3), (2, 4), (5, 3)])
def test_the_way_back_to_the_board(size: tuple[int, int]) -> None:
    """A canonical map that names each cell's number on the board comes back in order."""
    width, height = size
    for white in (False, True):
        flags = np.full(3, white)
        canonical = np.arange(width * height, dtype=np.float32).reshape(height, width)
        seen = (canonical.T if white else canonical).reshape(1, -1).repeat(3, 0)
        expected = np.arange(width * height, dtype=np.float32)[None].repeat(3, 0)
        assert np.array_equal(planes.to_board(seen, flags, width, height), expected)
        back = planes_torch.to_board(torch.from_numpy(seen), torch.from_numpy(flags), width, height)
        assert np.array_equal(back.numpy(), expected)
        where = planes_torch.layout(
            torch.from_numpy(flags), width, height, (width, height) if white else (height, width)
        )
        assert np.array_equal(where.cell.numpy(), seen.astype(np.int64))


def test_mixed_sizes_in_one_frame() -> None:
    sizes = [(3, 3), (11, 11), (2, 4), (4, 2), (1, 1)]
    frame = (11, 12)
    parts = [planes.take(random_positions(*size, count=1, seed=i), slice(None)) for i, size in enumerate(sizes)]
    stones = torch.zeros((2, len(sizes), 2), dtype=torch.int64)
    for i, part in enumerate(parts):
        stones[:, i, : part.stones.shape[2]] = torch.from_numpy(part.stones.view(np.int64)[:, 0])
    white = torch.tensor([bool(part.white_to_move[0]) for part in parts])
    width, height = torch.tensor([w for w, _ in sizes]), torch.tensor([h for _, h in sizes])
    where = planes_torch.layout(white, width, height, frame)
    all_planes, mask = planes_torch.encode(stones, white, where, frame), planes_torch.mask(where, frame)
    assert all_planes.shape == (5, 5, 13, 14)
    for i, part in enumerate(parts):
        alone = planes.encode(part)[0]
        rows, columns = alone.shape[1:]
        assert np.array_equal(all_planes[i, :, :rows, :columns].numpy(), alone)
        assert all_planes[i].sum() == alone.sum()
        assert mask[i].sum() == rows * columns
        assert mask[i, 0, :rows, :columns].all()


def test_packing_is_the_way_back_from_unpacking() -> None:
    for size in ((1, 1), (8, 8), (11, 11), (19, 19)):
        stones = random_positions(*size, count=5).stones
        assert np.array_equal(planes.pack(planes.unpack(stones, size[0] * size[1])), stones)


def test_boards_that_no_net_sees_are_refused() -> None:
    positions = random_positions(3, 3, 2)
    with pytest.raises(ValueError, match="outside 1x1 to 19x19"):
        planes.check(positions._replace(width=MAX_SIDE + 1))
    with pytest.raises(ValueError, match="not 2 boards of 11x11"):
        planes.check(positions._replace(width=11, height=11))
