"""Why transformers learn slowly: the positions against the rules, and lessons that are told apart."""

from dataclasses import fields
from typing import Any

import pytest
import torch

from fingal.experiments.paper_003 import transformer_causes
from fingal.experiments.paper_003.transformer_causes import CAUSES, DQN_CAUSES, Lesson, lessons, positions
from fingal.game import Board
from fingal.learn.dqn import Dqn
from fingal.solve.dfpn import Settings, Solver


def test_the_moves_that_win_are_those_that_the_solver_finds() -> None:
    """Boards on which both have as many stones, which are then Black's to move, as the learner sees them."""
    known, solver = positions(), Solver(4, 4, Settings(memory=64))
    even = (known.boards.sum((1, 2)) == 0).nonzero().flatten()
    assert len(even) > 5000
    for number in even[:20].tolist():
        board = Board(4)
        mine, other = ((known.boards[number] == sign).flatten().nonzero().flatten().tolist() for sign in (1, -1))
        for one, two in zip(mine, other, strict=True):
            board.push(one)
            board.push(two)
        found = solver.solve(board, find_all=True)
        assert sorted(found.winning) == known.wins[number].nonzero().flatten().tolist()
        assert 0 < len(found.winning) <= len(board.legal_moves) / 3


def test_the_loss_by_hand() -> None:
    """Of two empty cells, sigmoid(0) = 0.5 each: log 2. The stone's number does not count."""
    said, wins = torch.tensor([[0.0, 0.0, 9.0]]), torch.tensor([[1.0, 0.0, 0.0]])
    assert transformer_causes.loss(said, wins, torch.tensor([[True, True, False]])).item() == pytest.approx(0.693147)


def test_a_lesson_teaches_and_is_its_seed() -> None:
    lesson = Lesson(net="convolutional", width=16, steps=80)
    rows = transformer_causes.learn(lesson)
    assert [step for step, _ in rows] == [10, 20, 30, 40, 50, 60, 70, 80]
    assert rows == transformer_causes.learn(lesson)
    # By chance it would be about 0.2.
    assert rows[-1][1] > 0.5
    found = transformer_causes.measured(lesson)
    assert found["end"] == rows[-1][1]
    assert found["early"] == rows[1][1]


def test_causes_are_settings_that_differ() -> None:
    made = lessons({"steps": 8}, 2)
    assert len(made) == 2 * len(CAUSES)
    assert len({lesson for _, lesson in made}) == len(made)
    assert all(lesson.steps == 8 for _, lesson in made)
    known = {field.name for field in fields(Dqn)}
    for asked in DQN_CAUSES.values():
        assert set(asked) <= known
        Dqn(**asked)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"steps": 3}, "steps must be at least 8, not 3"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0"),
        ({"net": "residual"}, "net must be transformer or convolutional, not 'residual'"),
        ({"norm": "none"}, "norm must be one of post, pre"),
        ({"width": 20}, "width must be a multiple of 16"),
    ],
)
def test_nonsense_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lesson(**asked)
