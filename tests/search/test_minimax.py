"""Minimax over values, against the whole tree written out, with an evaluator that a hash makes up."""

import random

import numpy as np
import pytest

from fingal.game import Board
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.minimax import Found, minimax


def made_up(positions: Positions) -> Evaluation:
    """Any fixed value for each position."""
    mixed = (positions.stones * np.array([[[3]], [[7]]], np.uint64)).sum((0, 2)) * np.uint64(0x9E3779B97F4A7C15)
    value = (mixed >> np.uint64(40)).astype(np.float64) / 2**23 - 1
    return Evaluation(np.zeros((len(value), positions.width * positions.height), np.float32), value.astype(np.float32))


def worth(board: Board, depth: int) -> float:
    """The position's worth for the side to move, by trying everything."""
    if board.is_over():
        return -1.0
    if depth == 0:
        packed = Positions(
            board.width, board.height, board.packed()[:, None], np.array([int(board.turn) == 1]), np.zeros(1, np.int32)
        )
        return float(made_up(packed).value[0])
    found = []
    for cell in board.empty_cells:
        child = board.copy()
        child.push(cell)
        found.append(-worth(child, depth - 1))
    return max(found)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_the_value_is_that_of_the_whole_tree(depth: int, seed: int) -> None:
    rng = random.Random(seed)
    board = Board(*rng.choice([(3, 3), (4, 4), (3, 4)]))
    for _ in range(rng.randrange(4)):
        board.push(rng.choice(board.empty_cells))

    found = minimax(board, made_up, depth)

    assert found.value == pytest.approx(worth(board, depth))
    after = board.copy()
    after.push(found.move)
    assert -worth(after, depth - 1) == pytest.approx(found.value)


def cut_short(board: Board, batches: int) -> Found:
    """What a look at two moves finds when its time is over after so many batches of the second."""
    left = iter([False] * batches)
    return minimax(board, made_up, 2, is_over=lambda: next(left, True))


@pytest.mark.parametrize("seed", range(4))
def test_when_time_is_over_it_finds_the_best_of_what_was_looked_at(seed: int) -> None:
    board = Board(4)
    board.push(seed)
    first = minimax(board, made_up, 1)
    tried = []
    for batches in range(33):  # a move has two batches at most
        found = cut_short(board, batches)
        after = board.copy()
        after.push(found.move)
        if batches < 2:
            assert (found.move, found.value) == (first.move, pytest.approx(first.value))
        else:
            assert found.value == pytest.approx(-worth(after, 1))
            tried.append(found.value)
    assert tried == sorted(tried)
    assert tried[-1] == pytest.approx(worth(board, 2))


def test_when_time_is_over_no_move_is_made_that_was_seen_to_lose_at_once() -> None:
    rng, hurried = random.Random(1), 0
    for _ in range(60):
        board = Board(4)
        while board.ply < 9 and not board.is_over():
            board.push(rng.choice(board.empty_cells))
        if board.is_over() or (whole := worth(board, 2)) == -1:
            continue
        for batches in range(14):
            found = cut_short(board, batches)
            hurried += found.value != pytest.approx(whole)
            assert found.value > -1
    assert hurried > 50


def test_a_win_is_taken_and_a_loss_in_two_is_seen() -> None:
    board = Board(3)
    for move in ("b1", "a3", "b2", "c3"):  # Black wins at a3 or b3: a3 is taken, b3 wins
        board.push(move)
    assert minimax(board, made_up, 1).move == board.cell("b3")
    assert minimax(board, made_up, 2) == (board.cell("b3"), 1.0, 5)
    board.pop()
    assert minimax(board, made_up, 2).move == board.cell("b3")  # White must stop it


def test_only_the_moves_asked_for_are_tried() -> None:
    board = Board(3)
    assert minimax(board, made_up, 2, [4]).move == 4
    with pytest.raises(ValueError, match="no move to try"):
        minimax(board, made_up, 1, [])
    with pytest.raises(ValueError, match="depth must be 1 or 2, not 3"):
        minimax(board, made_up, 3)
