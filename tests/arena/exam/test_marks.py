"""The figures of an exam, worked by hand."""

import pytest

from fingal.arena.exam.marks import Answer, Marks, Share, brier, brier_interval, calibration, chance


def test_chance() -> None:
    assert [chance(value) for value in (-1, 0, 0.5, 1)] == [0, 0.5, 0.75, 1]


def test_brier() -> None:
    """(0.2² + 0.4² + 0.5²) / 3 = 0.45 / 3."""
    pairs = [(0.8, True), (0.4, False), (0.5, True)]
    assert brier(pairs) == pytest.approx(0.15)
    assert brier([(0.5, True), (0.5, False)]) == 0.25
    # Squares 0.04, 0.16, 0.25: deviations -0.11, 0.01, 0.10, so s² = 0.0222 / 2 and s/√3 = 0.060828.
    assert brier_interval(pairs) == pytest.approx((0.15 - 1.959964 * 0.060828, 0.15 + 1.959964 * 0.060828), abs=1e-5)
    assert brier_interval([(0.5, True)]) == (0.0, 1.0)
    assert brier_interval([(1.0, True), (0.0, True)]) == (0.0, 1.0)


def test_calibration() -> None:
    bins = calibration([(0.0, False), (0.05, True), (0.72, True), (0.78, True), (0.75, False), (1.0, True)])
    assert [bin.expected for bin in bins] == pytest.approx([0.025, 0.75, 1.0])
    assert [(bin.won.total, bin.won.count) for bin in bins] == [(1, 2), (2, 3), (1, 1)]


def test_shares() -> None:
    # Wilson's interval for 8 of 10: see test_statistics.
    assert Share(8, 10).value == 0.8
    assert Share(8, 10).interval == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert Share(0, 0).value is None
    assert Share(0, 0).interval == (0, 1)
    assert Share(2.5, 10, exact=True).interval == (0.25, 0.25)
    assert str(Share(8, 10)) == "80.0% [49.0, 94.3]  of 10"
    assert str(Share(0, 0)) == "none"


def test_marks() -> None:
    marks = Marks("x", 5, "some", 1)
    marks.answers = [
        Answer("random", 1, 1.0, 1.0),
        Answer("random", 1, 0.0, -1.0),
        Answer("expert", 4, 1.0, 0.0),
        Answer("expert", 0, 0.0, -1.0),
    ]
    marks.own = [0.0]
    marks.converted = [True, True, False, True]
    assert marks.keeps_win() == Share(2, 3)
    assert marks.groups == [("1", Share(1, 2)), ("3-5", Share(1, 1))]
    assert marks.sources == [("random", Share(1, 2)), ("expert", Share(1, 1)), ("own", Share(0, 1))]
    said = marks.as_dict()
    assert said["keeps_win"] == pytest.approx(2 / 3)
    assert said["converts"] == 0.75
    # Chances 1, 0, 0.5 and 0 of positions won, won, won and lost: (0 + 1 + 0.25 + 0) / 4.
    assert said["brier"] == pytest.approx(0.3125)
    assert said["counts"]["won"] == 3
    assert said["counts"]["lost"] == 1


def test_a_player_without_values_has_no_brier_score() -> None:
    marks = Marks("x", 5, "some", 1, answers=[Answer("random", 1, 1.0)])
    said = marks.as_dict()
    assert said["brier"] is said["calibration"] is said["intervals"]["brier"] is None
