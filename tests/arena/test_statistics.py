"""Wilson's interval, against numbers worked by hand."""

import math

import pytest

from fingal.arena.statistics import Z95, Rate


def test_z_leaves_a_fortieth_above_it() -> None:
    assert math.erfc(Z95 / math.sqrt(2)) / 2 == pytest.approx(0.025, abs=1e-12)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # z² = 3.841459. 8/10: (0.8 + 0.192073 ± 1.959964 · √(0.016 + 0.009604)) / 1.384146.
        (8, 10, 0.4902, 0.9433),
        # 0/n is [0, z²/(n + z²)], and n/n is its mirror image: 3.841459 / 13.841459.
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        # p = ½: ½ ± z / (2 √(n + z²)), here 1.959964 / (2 · 3.720411).
        (5, 10, 0.2366, 0.7634),
        (0, 1, 0.0, 0.7935),
        # 1.959964 / (2 · 100.019205).
        (5000, 10_000, 0.4902, 0.5098),
    ],
)
def test_interval(wins: int, games: int, low: float, high: float) -> None:
    assert Rate(wins, games).interval == pytest.approx((low, high), abs=5e-5)


def test_nothing_is_known_without_games() -> None:
    assert Rate(0, 0).value == 0.5
    assert Rate(0, 0).interval == (0.0, 1.0)


def test_the_interval_holds_the_rate_and_stays_in_range() -> None:
    for games in range(1, 40):
        for wins in range(games + 1):
            low, high = Rate(wins, games).interval
            assert 0 <= low <= wins / games <= high <= 1


def test_how_it_is_shown() -> None:
    assert str(Rate(8, 10)) == " 80.0% [49.0, 94.3]  8/10"
    assert str(Rate(10, 10)) == "100.0% [72.2, 100.0]  10/10"
