"""Sets of questions: what is shipped is what the program draws, and its answers are true."""

import itertools
import random
from collections import Counter

import pytest

from fingal.arena.exam import build
from fingal.arena.exam.enumeration import enumeration
from fingal.arena.exam.oracle import Listed, Solved, expert_move, hardest_defence
from fingal.arena.exam.questions import Question, every, read, sample, shipped, write
from fingal.game import Board
from tests.arena.exam.plain import Plain


def test_a_set_is_read_as_it_is_written() -> None:
    questions = [Question("random", (), (4, 2)), Question("expert", (0, 24, 12), ())]
    text = write(questions, 5)
    assert text == "random - e1c1\nexpert a1e5c3 -\n"
    assert read("# a remark\n" + text, 5) == questions


@pytest.mark.parametrize("text", ["random a1", "random a1 b2 c3", "random z9 -"])
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no question|off the board"):
        read(text, 5)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_the_sets_that_come_with_fingal(size: int) -> None:
    questions = shipped(size)
    assert Counter(question.source for question in questions) == {"random": 500, "expert": 500}
    boards = [question.record(size).board() for question in questions]
    assert len(set(boards)) == 1000
    for board, question in zip(boards, questions, strict=True):
        assert not board.is_over()
        assert set(question.winning) <= set(board.empty_cells)


@pytest.mark.parametrize("size", [5, 6])
def test_the_program_draws_them_again(size: int) -> None:
    count = 24 if size == 5 else 8
    assert list(itertools.islice(build.draw(size, 1), count)) == shipped(size)[:count]


def test_another_seed_draws_another_set() -> None:
    fresh = {question.moves for question in itertools.islice(build.draw(5, 2), 20)}
    # With few stones there are few positions: some come up again.
    assert len(fresh - {question.moves for question in shipped(5)}) > 10


def test_answers_by_a_search_in_plain_python() -> None:
    """Positions with at most 11 empty cells: a plain search tries everything there."""
    plain = Plain(5)
    few = [question for question in shipped(5) if len(question.moves) >= 14][:12]
    for question in few:
        stones = [frozenset(divmod(move, 5) for move in question.moves[side::2]) for side in (0, 1)]
        axis = len(question.moves) % 2
        truth = plain.winning(stones[axis], stones[1 - axis], axis)
        assert sorted(question.winning) == [row * 5 + column for row, column in truth]
    assert len({bool(question.winning) for question in few}) == 2


def test_all_positions_of_a_small_board() -> None:
    listed = enumeration(3, 3)
    boards = {question.record(3).board(): question for question in every(listed)}
    assert len(boards) == 4520
    drawn = sample(listed, 50, 7)
    assert drawn == sample(listed, 50, 7) != sample(listed, 50, 8)
    for question in drawn:
        assert boards[question.record(3).board()].winning == question.winning
    assert len(sample(listed, 10**6, 1)) == 4520


def test_the_solver_and_the_list_agree() -> None:
    listed, solved = Listed(enumeration(4, 4)), Solved(4, 4)
    for question in sample(enumeration(4, 4), 40, 3):
        board = question.record(4).board()
        assert solved.winning(board) == listed.winning(board) == question.winning
        assert solved.wins(board) == solved.wins(board, 10.0) == bool(question.winning)


def test_an_oracle_out_of_time_says_so() -> None:
    solved = Solved(7, 7)
    assert solved.wins(Board(7), 1e-9) is None
    assert solved.winning(Board(7), 1e-9) is None


def test_the_hardest_defence_leaves_the_fewest_winning_replies() -> None:
    """3x3 after b2: Black has won, and every reply to every defence is tried."""
    listed = Listed(enumeration(3, 3))
    board = Board(3)
    board.push("b2")
    replies = {}
    for move in board.empty_cells:
        after = board.copy()
        after.push(move)
        replies[move] = len(listed.winning(after))
    chosen = {hardest_defence(board, listed, random.Random(seed)) for seed in range(20)}
    assert {replies[move] for move in chosen} == {min(replies.values())}
    assert min(replies.values()) < max(replies.values())


def test_an_expert_keeps_its_wins() -> None:
    listed = Listed(enumeration(4, 4))
    moves = {expert_move(Board(4), listed, random.Random(seed)) for seed in range(40)}
    assert moves == {3, 6, 9, 12}, "every winning opening is played now and then"
