"""Means over seeds, beside numbers worked by hand."""

import pytest

from fingal.experiments.intervals import best_of, curve, difference, final, mean_of, select, smoothed, student_mean
from fingal.experiments.sweep import Outcome


def run(alpha: float, *values: float, diverged: str = "", **more: float) -> Outcome:
    return Outcome(
        {"alpha": alpha, **more}, [{"games": 10.0 * at, "value": value} for at, value in enumerate(values)], diverged
    )


def test_students_interval() -> None:
    """Of 1, 2, 3: s = 1, t(0.975, 2) = 4.303, so 2 ± 4.303 / 1.732 = 2 ± 2.484."""
    mean = student_mean([1.0, 2.0, 3.0])
    assert mean == pytest.approx((2.0, -0.484, 4.484, 3), abs=5e-4)
    assert student_mean([1.0, 2.0, 3.0], (0.0, 4.0))[1:3] == (0.0, 4.0)
    assert student_mean([0.25], (0.0, 1.0)) == (0.25, 0.0, 1.0, 1)


def test_shares_of_games_have_wilsons_interval() -> None:
    """Three of three: from 3 / (3 + 1.96²) = 0.438 to 1."""
    assert mean_of("first_vs_best", [1.0, 1.0, 1.0]) == pytest.approx((1.0, 0.4385, 1.0, 3), abs=5e-4)
    assert mean_of("keeps_win", [1.0, 1.0, 1.0])[:3] == (1.0, 1.0, 1.0)


def test_a_curve_is_the_mean_of_the_runs_that_are_there() -> None:
    points = curve([run(0.1, 0.0, 0.2), run(0.1, 0.4), run(0.1, float("nan"), 0.4)], "value")
    assert [games for games, _ in points] == [0.0, 10.0]
    assert [mean.value for _, mean in points] == pytest.approx([0.2, 0.3])
    assert [mean.size for _, mean in points] == [2, 2]
    assert curve([run(0.1, 0.0)], "loss") == []


def test_in_the_end_only_what_did_not_diverge_counts() -> None:
    runs = [run(0.1, 0.0, 0.2), run(0.1, 0.0, 0.4), run(0.1, 0.0, 9.0, diverged="at step 3")]
    mean = final(runs, "value")
    assert mean is not None
    assert (mean.value, mean.size) == (pytest.approx(0.3), 2)
    assert final(runs, "value", rows=2).value == pytest.approx(0.15)  # type: ignore[union-attr]
    assert final([], "value") is None


def test_the_best_setting_has_the_highest_mean_and_did_not_diverge() -> None:
    runs = [run(0.1, 0.5, seed=1), run(0.1, 0.9, seed=2), run(0.2, 0.6), run(0.3, 0.9), run(0.3, 9, diverged="yes")]
    assert best_of(runs, lambda one: one.asked["alpha"], "value") == 0.1
    assert [one.asked["seed"] for one in select(runs, {"alpha": 0.1})] == [1, 2]


def test_a_running_mean_counts_rows_by_their_games() -> None:
    """Rows end at 10, 20, 50 and 60 games, so they count 10, 10, 30 and 10; those without the figure count nothing."""
    rows = [{"games": 10.0, "cost": 1.0}, {"games": 20.0, "cost": 3.0}, {"games": 20.0, "keeps_win": 1.0}]
    rows += [{"games": 50.0, "cost": 5.0}, {"games": 60.0, "cost": 7.0}]
    seen = smoothed(Outcome({}, rows), ("cost",), 20)
    assert [row["games"] for row in seen.rows] == [10.0, 20.0, 50.0, 60.0]
    assert [row["cost"] for row in seen.rows] == pytest.approx([1.0, 2.0, 5.0, (30 * 5 + 10 * 7) / 40])


def test_the_difference_of_two_means_worked_by_hand() -> None:
    """0.2, 0.4, 0.6 and 0.1, 0.2: a = 0.04/3, b = 0.005/2, d = 0.01583² / (a²/2 + b²/1) = 2.64; t(0.975, 2.64) = 3.446.

    0.4 - 0.15 ± 3.446 · √0.01583 = 0.25 ± 0.434.
    """
    assert difference([0.2, 0.4, 0.6], [0.1, 0.2]) == pytest.approx((0.25, -0.1837, 0.6837, 2), abs=1e-4)
    assert difference([0.5], [0.2, 0.3]) == pytest.approx((0.25, -1, 1, 1))
    assert difference([0.5, 0.5], [0.25, 0.25]) == (0.25, 0.25, 0.25, 2)
