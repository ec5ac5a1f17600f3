"""The formulas of batch learning, with numbers worked by hand."""

import math

import pytest
import torch

from fingal.learn.parts.descent import bootstrapped, error_pull, rmsprop, squared_errors


def row(*numbers: float) -> torch.Tensor:
    return torch.tensor([numbers])


def test_targets_take_the_next_value_with_the_sign_and_stop_at_the_end() -> None:
    """The first move goes on to a board worth 0.5 to the opponent, the second wins."""
    reward, following, going = row(0, 1), row(0.5, 0.75), row(1, 0)
    assert torch.equal(bootstrapped(reward, following, going, torch.tensor([-1.0])), row(-0.5, 1))
    assert torch.equal(bootstrapped(reward, following, going, torch.tensor([1.0])), row(0.5, 1))


def test_squared_errors_leave_out_what_does_not_count() -> None:
    """(1 - 0.5)^2 + (-1 - 0.5)^2 = 0.25 + 2.25; the third would add 9."""
    aim, said, counted = row(1, -1, 3), row(0.5, 0.5, 0), row(1, 1, 0)
    assert squared_errors(aim, said, counted).item() == 2.5
    assert torch.equal(error_pull(aim, said, counted), row(-1, 3, 0))


def test_rmsprop_by_hand() -> None:
    """m = 0.1 * 4 = 0.4, then 0.9 * 0.4 + 0.1 * 1 = 0.46, with 0.6 added inside the root: 1 and sqrt(1.06)."""
    parameters, mean_square = row(5.0), row(0.0)
    rmsprop(parameters, mean_square, row(2.0), torch.tensor([0.25]), 0.9, 0.6)
    assert mean_square.item() == pytest.approx(0.4)
    assert parameters.item() == pytest.approx(5 - 0.25 * 2 / 1)
    rmsprop(parameters, mean_square, row(-1.0), torch.tensor([0.25]), 0.9, 0.6)
    assert mean_square.item() == pytest.approx(0.46)
    assert parameters.item() == pytest.approx(4.5 + 0.25 / math.sqrt(1.06))


def test_runs_have_rates_of_their_own() -> None:
    parameters, mean_square = torch.zeros(2, 1), torch.zeros(2, 1)
    rmsprop(parameters, mean_square, torch.ones(2, 1), torch.tensor([0.1, 0.2]), 0.0, 1e-6)
    assert parameters[:, 0].tolist() == pytest.approx([-0.1, -0.2], rel=1e-4)
