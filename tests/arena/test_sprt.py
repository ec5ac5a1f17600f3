"""The sequential test: its formulas by hand, and how often it is wrong."""

import functools
import math

import numpy as np
import pytest

from fingal.arena.ratings import SCALE
from fingal.arena.sprt import Sprt, log_likelihood_ratio, most_likely


def test_the_most_likely_distribution_of_two_scores() -> None:
    """With only the scores 0 and 1 the mean decides all."""
    assert most_likely([0.3, 0.0, 0.7], 0.6) == pytest.approx([0.4, 0.0, 0.6])


def test_the_most_likely_distribution_is_what_was_seen_where_the_mean_is_right() -> None:
    assert most_likely([0.2, 0.4, 0.4], 0.6) == pytest.approx([0.2, 0.4, 0.4])


def test_the_most_likely_distribution_by_hand() -> None:
    """p̂ = (¼, ½, ¼), mean ⅝: ahead are -⅝, -⅛, ⅜, and 1 + x·ahead has x = -16/15 + ... solved below on a grid."""
    share, mean = [0.25, 0.5, 0.25], 0.625
    found = most_likely(share, mean)
    assert sum(found) == pytest.approx(1)
    assert found[1] / 2 + found[2] == pytest.approx(mean)
    # p = (q, 1 - 2q - 0.25 + ..): all distributions with this mean are (t, 0.75 - 2t, 0.25 + t). The best, on a grid:
    best = max(
        np.arange(0.0001, 0.375, 0.0001),
        key=lambda t: 0.25 * math.log(t) + 0.5 * math.log(0.75 - 2 * t) + 0.25 * math.log(0.25 + t),
    )
    assert found == pytest.approx([best, 0.75 - 2 * best, 0.25 + best], abs=2e-4)


def test_the_ratio_of_decided_pairs_is_that_of_coins() -> None:
    """Pairs that are all won or lost are throws of a coin: 30 log(0.6/0.5) + 10 log(0.4/0.5) = 5.4696 - 2.2314."""
    assert log_likelihood_ratio([10, 0, 30], 0.5, 0.6) == pytest.approx(3.2382, abs=2e-3)
    assert log_likelihood_ratio([0, 0, 0], 0.5, 0.6) == pytest.approx(0, abs=1e-2)
    assert log_likelihood_ratio([5, 9, 5], 0.4, 0.6) == pytest.approx(0, abs=1e-9)


def test_bounds_by_hand() -> None:
    """log(0.95 / 0.05) = log 19."""
    assert Sprt(0, 10).bounds == pytest.approx((-2.944439, 2.944439))


@pytest.mark.parametrize(("elo0", "elo1"), [(10, 0), (5, 5), (0, math.nan), (0, math.inf)])
def test_hypotheses_that_are_none(elo0: float, elo1: float) -> None:
    with pytest.raises(ValueError, match=r"^sprt .* is not possible: two Elo differences, the smaller one first$"):
        Sprt(elo0, elo1)


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20_000), (-1_000_000, 0), (4001, 5000), (-5000, -4001)])
def test_hypotheses_too_far_away(elo0: float, elo1: float) -> None:
    with pytest.raises(ValueError, match=r"^sprt .* is not possible: Elo differences go from -4000 to 4000$"):
        Sprt(elo0, elo1)


@pytest.mark.parametrize("hypotheses", [(-4000, 4000), (3999, 4000), (-4000, -3999)])
@pytest.mark.parametrize("pairs", [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 0), (10_000, 0, 0), (0, 0, 10_000)])
def test_the_furthest_hypotheses_have_a_ratio(hypotheses: tuple[int, int], pairs: tuple[int, int, int]) -> None:
    """It speaks for the stronger claim exactly where the player has won more than it has lost."""
    ratio = Sprt(*hypotheses).llr(pairs)
    assert math.isfinite(ratio)
    if hypotheses == (-4000, 4000):
        assert ratio == pytest.approx(-Sprt(*hypotheses).llr(pairs[::-1]), rel=1e-3, abs=1e-3)
        assert (ratio > 1) == (pairs[2] > pairs[0])


def how_often(sprt: Sprt, elo: float, opening: float, matches: int) -> tuple[float, float]:
    """The share of simulated matches that end with elo0 and elo1; openings favour a colour by ± so many Elo."""
    rng = np.random.default_rng(1)
    verdict = functools.cache(lambda *pairs: sprt.verdict(pairs))
    # Openings that favour a colour make the mean score less extreme: what Elo has the mean score of a given Elo?
    wanted, chances = 1 / (1 + 10 ** (-elo / 400)), np.zeros(2)
    for base in np.arange(elo - 50, elo + 400, 0.01):
        chances = 1 / (1 + np.exp(-(base + np.array([opening, -opening])) / SCALE))
        if chances.mean() >= wanted:
            break
    ended = {sprt.elo0: 0, sprt.elo1: 0}
    for _ in range(matches):
        pairs = [0, 0, 0]
        while (said := verdict(*pairs)) is None:
            pairs[int((rng.random(2) < chances).sum())] += 1
        ended[said] += 1
    return ended[sprt.elo0] / matches, ended[sprt.elo1] / matches


@pytest.mark.parametrize("opening", [0.0, 300.0])
def test_error_rates(opening: float) -> None:
    """2,000 matches: each error is made in 5% of them at most; 1.5% more is three standard errors of that."""
    sprt = Sprt(0, 100)
    _, wrong = how_often(sprt, 0, opening, 2000)
    assert wrong <= 0.065
    wrong, right = how_often(sprt, 100, opening, 2000)
    assert wrong <= 0.065
    assert right == pytest.approx(1 - wrong)
