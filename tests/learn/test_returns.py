"""From results to the weight of a move's gradient, each by hand."""

import math

import pytest
import torch

from fingal.learn.parts import returns

RESULTS = torch.tensor([[1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, -1.0]])
THERE = torch.tensor([[True, True, False, False], [True] * 4, [False, True, False, True]])


def close(found: torch.Tensor, *wanted: float) -> bool:
    return found.tolist() == pytest.approx(wanted, abs=1e-6)


def test_the_last_mover_has_won_and_the_sign_alternates() -> None:
    # A game of five stones: plies 4, 2 and 0 are the winner's, 3 and 1 the loser's.
    assert close(returns.signed(torch.tensor(5), torch.arange(5)), 1, -1, 1, -1, 1)
    assert close(returns.signed(torch.tensor([5, 6]), torch.tensor([1, 1])), -1, 1)


def test_the_mean() -> None:
    assert close(returns.mean(RESULTS), 0.5, 1, -0.5)
    assert close(returns.mean(RESULTS, THERE), 1, 1, 0)


def test_the_minimum() -> None:
    assert close(returns.minimum(RESULTS), -1, 1, -1)
    assert close(returns.minimum(RESULTS, THERE), 1, 1, -1)


def test_the_minimum_of_noise_falls_with_k() -> None:
    # With p = 0.9 and k = 3 the expectation is 2 * 0.9^4 - 1 = 0.3122; over all 16 outcomes, weighted.
    outcomes = torch.cartesian_prod(*[torch.tensor([1.0, -1.0])] * 4)
    chance = torch.where(outcomes > 0, 0.9, 0.1).prod(1)
    assert float((chance * returns.minimum(outcomes)).sum()) == pytest.approx(0.3122)
    assert float((chance * returns.mean(outcomes)).sum()) == pytest.approx(0.8)


def test_the_soft_minimum() -> None:
    # T = 1, three of four are +1: -log((3/e + e) / 4); two results, one of each: -log(cosh 1).
    assert close(returns.soft_minimum(RESULTS[:1], 1.0), -math.log((3 / math.e + math.e) / 4))
    assert close(returns.soft_minimum(RESULTS, 1.0, THERE), 1, 1, -math.log(math.cosh(1)))


@pytest.mark.parametrize("there", [None, THERE])
def test_the_soft_minimum_lies_between_minimum_and_mean(there: torch.Tensor | None) -> None:
    least, mean = returns.minimum(RESULTS, there), returns.mean(RESULTS, there)
    assert torch.equal(returns.soft_minimum(RESULTS, 0.0, there), least)
    assert close(returns.soft_minimum(RESULTS, math.inf, there), *mean.tolist())
    before = least
    for temperature in (0.05, 0.5, 5.0, 500.0):
        now = returns.soft_minimum(RESULTS, temperature, there)
        assert (now >= before - 1e-6).all()
        assert (now <= mean + 1e-6).all()
        before = now


def test_values_with_chances() -> None:
    values = torch.tensor([[0.5, -0.5, -9.0]])
    chance = torch.tensor([[0.75, 0.25, 0.0]])
    assert close(returns.weighted_soft_minimum(values, chance, math.inf), 0.25)
    assert close(returns.weighted_soft_minimum(values, chance, 0.0), -0.5)  # what has no chance does not count
    wanted = -0.5 * math.log(0.75 * math.exp(-1) + 0.25 * math.exp(1))
    assert close(returns.weighted_soft_minimum(values, chance, 0.5), wanted)


@pytest.mark.parametrize("temperature", [0.3, 0.05, 0.01, 0.001])
def test_a_value_that_is_all_but_ruled_out_at_a_low_temperature(temperature: float) -> None:
    # A policy that has learned gives the opponent's best reply next to no chance: exact by whole logarithms.
    parts = [-30 * math.log(10) + 1 / temperature, -1 / temperature]
    wanted = -temperature * (max(parts) + math.log1p(math.exp(-abs(parts[0] - parts[1]))))
    found = returns.weighted_soft_minimum(torch.tensor([[-1.0, 1.0]]), torch.tensor([[1e-30, 1.0]]), temperature)
    assert float(found) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(("temperature", "wanted"), [(1e-300, -1.0), (1e-20, -1.0), (1e20, 0.5), (1e300, 0.5)])
def test_temperatures_near_the_ends(temperature: float, wanted: float) -> None:
    assert close(returns.soft_minimum(RESULTS[:1], temperature), wanted)


def test_the_least_of_the_means_is_not_the_least_of_all() -> None:
    # Two replies with four results each: means 0.5 and 0; the third is not there.
    results = torch.tensor([[[1.0, 1, 1, -1], [1, -1, -1, 1], [-1, -1, -1, -1]]])
    there = torch.tensor([[True, True, False]])
    assert close(returns.least_mean(results, there), 0)
    assert close(returns.least_mean(results), -1)
    assert close(returns.least_mean(results, there, math.inf), 0.25)


def test_baselines() -> None:
    # The means of the others are 0, 1 and 0.
    found = torch.tensor([1.0, -1.0, 1.0])
    assert close(returns.centred(found), 1, -2, 1)
    assert close(returns.centred(found[:1]), 1)
    # Mean 1/3, variance 8/9.
    assert close(returns.standardised(found), 1 / math.sqrt(2), -math.sqrt(2), 1 / math.sqrt(2))
    assert close(returns.standardised(torch.ones(4)), 0, 0, 0, 0)
