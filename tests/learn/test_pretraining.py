"""Scores by virtual connections, against the truth, and nets that learn them."""

import pytest
import torch

from fingal.arena.exam.enumeration import enumeration
from fingal.game import Board
from fingal.learn.batch import measure_of
from fingal.learn.parts.pretraining import Pretraining, examples, pretrain, random_boards, score
from fingal.nets import hexagonal, recurrent
from fingal.nets.stacked import Stack
from fingal.nets.stacked_recurrent import stack_of

SHORT = Pretraining(positions=200, steps=120, learning_rate=0.003)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"positions": 0}, "positions must be at least 1"),
        ({"steps": 0}, "steps must be at least 1"),
        ({"batch": -1}, "batch must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Pretraining(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "count"), [(2, 20), (3, 150), (4, 30)])
def test_proofs_are_right(size: int, count: int) -> None:
    truth = enumeration(size, size)
    proven = moves = 0
    for board in random_boards(size, count, seed=4):
        assert not board.is_over()
        winning = truth.winning(board)
        for move in board.legal_moves:
            worth = score(board, move)
            assert -1 <= worth <= 1
            moves += 1
            if abs(worth) == 1:
                proven += 1
                assert (worth > 0) == (move in winning), (str(board), board.name(move))
    assert proven == moves if size <= 3 else proven > 0.9 * moves


def test_scores_by_hand() -> None:
    """On 3x3 the middle wins by a bridge to each side; a1 lets the opponent take it."""
    assert score(Board(3), Board(3).cell("b2")) == 1
    assert score(Board(3), Board(3).cell("a1")) == -1
    # On 5x5 nothing is proven by the first move in a corner, and the circuits prefer the opponent.
    assert -1 <= score(Board(5), 0) < 0


def test_examples_are_in_the_view_of_the_side_to_move() -> None:
    boards = random_boards(3, 40, seed=2)
    known = examples(3, 40, 2)
    assert any(board.ply % 2 for board in boards)
    for number, board in enumerate(boards):
        for move in board.legal_moves:
            row, column = divmod(move, 3)
            cell = column * 3 + row if board.ply % 2 else move
            assert known.score[number, cell] == pytest.approx(score(board, move))
            assert known.legal[number, cell] == 1
        assert known.legal[number].sum() == len(board.legal_moves)


@pytest.mark.parametrize("net", [hexagonal.Config(), recurrent.Config(), hexagonal.Config(squash="none")])
def test_nets_learn_the_scores(net: hexagonal.Config) -> None:
    stack = stack_of(net)
    untrained = stack.narrow(stack.initial([1, 2]))
    trained, errors = pretrain(net, [1, 2], SHORT)
    assert trained.shape == (2, net.parameters)
    _, first = pretrain(net, [1, 2], Pretraining(positions=200, steps=1, learning_rate=1e-9))
    assert (errors < 0.95 * first).all()
    with torch.no_grad():
        before, after = (measure_of(net)(stack.wide(nets)) for nets in (untrained, trained))
    assert (after["keeps_win"] > before["keeps_win"]).all()


def test_a_net_learns_the_same_alone_and_from_its_own_start() -> None:
    net = hexagonal.Config()
    both, errors = pretrain(net, [1, 2], SHORT)
    stack = Stack(net)
    alone, error = pretrain(net, [2], SHORT, start=stack.narrow(stack.initial([2])))
    assert torch.allclose(alone[0], both[1], atol=1e-4)
    assert error[0] == pytest.approx(errors[1].item(), rel=1e-3)
