"""The Python board: python-chess manners, rules, and hand-made positions."""

import copy
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingal import BLACK, SWAP, WHITE, Board


def play_randomly(board: Board, seed: int, plies: int = 1000) -> Board:
    chooser = random.Random(seed)
    for _ in range(plies):
        if board.is_over():
            break
        board.push(chooser.choice(board.legal_moves))
    return board


sides = st.integers(1, 19)
boards = st.builds(
    lambda width, height, seed, plies: play_randomly(Board(width, height), seed, plies),
    sides,
    sides,
    st.integers(0, 2**32),
    st.integers(0, 400),
)


def test_black_joins_top_and_bottom() -> None:
    board = Board(3, 2)
    board.push("b1")
    board.push("a1")
    assert board.turn is BLACK
    assert not board.is_over()
    assert board.winner is None
    board.push("a2")  # b1 touches a2: down and to the left
    assert board.winner is BLACK
    assert board.winning_chain() == [board.cell("b1"), board.cell("a2")]
    assert board.legal_moves == []


def test_b1_does_not_touch_c2() -> None:
    board = Board(3, 2)
    for move in ("b1", "a1", "c2", "a2"):
        board.push(move)
    assert not board.is_over()


def test_white_joins_left_and_right() -> None:
    board = Board(2, 3)
    for move in ("a1", "a2", "a3", "b2"):
        board.push(move)
    assert board.winner is WHITE
    assert [board.name(cell) for cell in board.winning_chain()] == ["a2", "b2"]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_a_random_game_ends_with_one_winner(width: int, height: int) -> None:
    board = play_randomly(Board(width, height), seed=width)
    assert board.winner is not None
    assert board.winner is board.turn.other
    assert len(board.moves) == board.ply


@given(boards)
def test_pop_takes_everything_back(board: Board) -> None:
    moves = board.moves
    again = Board(board.width, board.height)
    states = [(again.zobrist, str(again))]
    for move in moves:
        again.push(move)
        states.append((again.zobrist, str(again)))
    assert again == board
    for move in reversed(moves):
        assert (again.zobrist, str(again)) == states.pop()
        assert again.pop() == move
    assert again == Board(board.width, board.height)


@given(boards)
def test_symmetries_keep_the_game(board: Board) -> None:
    rotated, mirrored = board.rotated(), board.mirrored()
    assert rotated.winner == board.winner
    assert mirrored.winner == (None if board.winner is None else board.winner.other)
    assert mirrored.turn is board.turn.other
    assert rotated.rotated() == board == mirrored.mirrored()
    for cell in range(board.cells):
        row, column = divmod(cell, board.width)
        colour = board.colour_at(cell)
        assert rotated.colour_at((board.height - 1 - row) * board.width + board.width - 1 - column) == colour
        assert mirrored.colour_at(column * board.height + row) == (None if colour is None else colour.other)


@given(boards)
def test_copies_pickles_and_hashes_agree(board: Board) -> None:
    for twin in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert type(twin) is Board
        assert twin == board
        assert hash(twin) == hash(board)
        assert twin.moves == board.moves
        if not twin.is_over():
            twin.push(twin.legal_moves[0])
            assert twin != board


def test_a_pickle_keeps_set_up_stones_swap_and_turns() -> None:
    board = Board(5, swap=True)
    board.push("b4")
    assert pickle.loads(pickle.dumps(board)).can_swap
    board.push("swap")
    board.turn = WHITE
    board.push("a1")
    twin = pickle.loads(pickle.dumps(board))
    assert twin == board
    assert [twin.pop(), twin.pop(), twin.pop()] == [0, SWAP, board.cell("b4")]
    board.set_stone("e5", BLACK)
    assert pickle.loads(pickle.dumps(board)) == board


def test_swap_mirrors_the_stone_and_is_off_unless_asked_for() -> None:
    board = Board(4, swap=True)
    board.push("c1")
    assert SWAP in board.legal_moves
    assert len(board.legal_moves) == 16
    board.push(SWAP)
    assert board.colour_at("a3") is WHITE
    assert board.colour_at("c1") is None
    assert board.turn is BLACK
    assert not board.can_swap
    plain = Board(4)
    plain.push("c1")
    assert SWAP not in plain.legal_moves
    assert not plain.is_legal(SWAP)


def test_equality_is_about_the_position() -> None:
    one, two = Board(3), Board(3)
    for move in ("a1", "b1", "c1"):
        one.push(move)
    for move in ("c1", "b1", "a1"):
        two.push(move)
    assert one == two
    assert hash(one) == hash(two)
    two.turn = BLACK
    assert one != two
    assert Board(3) != Board(3, 4)
    assert Board(3) != "a board"
    opening, swappable = Board(3), Board(3, swap=True)
    opening.push(0)
    swappable.push(0)
    assert opening != swappable


def test_neighbours_on_the_rim_and_inside() -> None:
    board = Board(3)
    assert [board.name(cell) for cell in board.neighbours("b2")] == ["b1", "c1", "a2", "c2", "a3", "b3"]
    assert [board.name(cell) for cell in board.neighbours("a1")] == ["b1", "a2"]
    assert [board.name(cell) for cell in board.neighbours("c1")] == ["b1", "b2", "c2"]


def test_packed_stones_are_bits() -> None:
    board = Board(9)
    board.push(0)
    board.push(65)
    board.push(80)
    assert board.packed().tolist() == [[1, 1 << 16], [0, 2]]


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("l1", "'l1' is off the board: cells of a 11x11 board run from a1 to k11"),
        ("a12", "'a12' is off the board"),
        ("z", "'z' is not a cell"),
        ("a1\0", "'a1\\?' is not a cell"),
        (121, "cell 121 is off the board"),
        (-2, "cell -2 is off the board"),
        ("b2", "cell b2 is occupied"),
        ("swap", "played without it"),
        (2**40, "off the board|incompatible"),
    ],
)
def test_illegal_moves_are_refused_and_nothing_changes(move: str | int, message: str) -> None:
    board = Board(11)
    board.push("b2")
    before = board.copy()
    with pytest.raises((ValueError, TypeError), match=message):
        board.push(move)
    assert board == before
    assert board.moves == before.moves


def test_the_end_is_the_end() -> None:
    board = Board(1)
    board.push("a1")
    assert board.winner is BLACK
    with pytest.raises(ValueError, match="the game is over: Black has won"):
        board.push("a1")
    board.pop()
    with pytest.raises(IndexError, match="no move to take back"):
        board.pop()


@pytest.mark.parametrize(("width", "height"), [(0, 0), (20, 20), (11, 0), (-1, 5), (5, 20)])
def test_impossible_sizes_are_refused(width: int, height: int) -> None:
    with pytest.raises(ValueError, match="width and height run from 1 to 19"):
        Board(width, height)


def test_no_swap_on_boards_that_are_not_square() -> None:
    with pytest.raises(ValueError, match="square"):
        Board(3, 4, swap=True)


def test_random_fillings_of_3x3_favour_black_two_to_one() -> None:
    # Exactly 2/3 over all fillings; 100,000 draws are within five deviations.
    assert abs(Board(3).fill_randomly(100_000, seed=1) / 100_000 - 2 / 3) < 0.0075
    won = Board(1)
    won.push("a1")
    assert won.fill_randomly(10, seed=1) == 10


def test_cells_and_colours_that_do_not_exist_are_refused() -> None:
    board = Board(5)
    for cell in (-1, 25, "f1", "\udcff"):
        with pytest.raises(ValueError, match="run from a1 to e5"):
            board.neighbours(cell)
        with pytest.raises(ValueError, match="run from a1 to e5"):
            board.set_stone(cell, BLACK)
    with pytest.raises(ValueError, match="7 is not a valid Colour"):
        board.set_stone("a1", 7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="5 is not a valid Colour"):
        board.turn = 5  # type: ignore[assignment]
    assert board == Board(5)
