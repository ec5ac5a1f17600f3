"""Ratings and the sequential test, on more simulated leagues and matches than the quick tests have."""

import pytest

from fingal.arena.sprt import Sprt
from tests.arena.test_ratings import coverage
from tests.arena.test_sprt import how_often


@pytest.mark.parametrize(
    ("elo", "games", "leagues"),
    [
        ([0, 200], 50, 2000),
        ([0, 50, 100, 300, 400, 600], 5, 600),
        ([0, 100, 200, 300, 400, 500, 600, 700], 2, 400),
    ],
)
def test_intervals_hold_the_truth(elo: list[float], games: int, leagues: int) -> None:
    """95% of the time, to 2%."""
    held = coverage(elo, advantage=60, games=games, leagues=leagues)
    print(f"{len(elo)} players, {games} games with each colour: {held[:-1].mean():.3f}, first player {held[-1]:.3f}")
    assert 0.93 <= held[:-1].mean() <= 0.97
    assert 0.93 <= held[-1] <= 0.97


@pytest.mark.parametrize("opening", [0.0, 300.0])
def test_error_rates(opening: float) -> None:
    """2,000 matches for each hypothesis: 5% wrong at most, and 1% more for chance (two standard errors)."""
    sprt = Sprt(0, 50)
    _, first = how_often(sprt, 0, opening, 2000)
    second, _ = how_often(sprt, 50, opening, 2000)
    print(f"openings of ±{opening:g} Elo: {100 * first:.1f}% and {100 * second:.1f}% wrong")
    assert max(first, second) <= 0.06
