"""Arms side by side: means over seeds, beside numbers worked by hand."""

from pathlib import Path

import pytest

from fingal.arena.store import StoredGame
from fingal.experiments.ablation import Ablation, Measure, Plan, Trained, end, picture, section, sweeps
from fingal.experiments.contest import by_checkpoint, curve, level, over_seeds
from fingal.experiments.figure import Arm
from fingal.experiments.intervals import Mean
from fingal.experiments.matches import Meeting, Score
from fingal.experiments.study import BASE
from fingal.experiments.sweep import Outcome
from fingal.game import BLACK, WHITE
from fingal.game.picture import Label, Picture

CHOICE = Ablation(
    "past",
    "Past selves",
    "Says so.",
    (
        Arm("on"),
        Arm("off", {"past": False}),
        Arm(
            "half",
            {"past": 0.5},
        ),
    ),
    2,
)


def score(wins: int, games: int) -> Score:
    """The player, Black in games with odd numbers, wins the first so many."""
    played = []
    for number in range(1, games + 1):
        black = number % 2 == 1
        winner = BLACK if black == (number <= wins) else WHITE
        names = ("one", "two") if black else ("two", "one")
        played.append(StoredGame("e", number, *names, 5, 5, "", winner, "", "", 9, (0.0, 0.0), "", str(number)))
    return Score(Meeting("one", "one", "two", 5), played)


def words(made: Picture) -> list[str]:
    return [shape.text for shape in made.shapes if isinstance(shape, Label)]


def test_shares_of_one_seed_have_wilsons_interval_and_those_of_several_students() -> None:
    """5 of 10: 0.237 to 0.763. 20%, 40% and 60%: s = 0.2, so 0.4 ± 4.303 · 0.2 / √3 = 0.4 ± 0.497, cut at 0."""
    assert over_seeds([score(5, 10)]) == pytest.approx((0.5, 0.2366, 0.7634, 1), abs=1e-4)
    assert over_seeds([score(2, 10), score(4, 10), score(6, 10)]) == pytest.approx((0.4, 0.0, 0.8969, 3), abs=1e-4)
    assert over_seeds([score(2, 10)], lambda one: one.first) == pytest.approx((0.2, 0.0362, 0.6245, 1), abs=1e-4)
    assert over_seeds([]) is None


def test_a_curve_over_training_and_a_line_beside_it() -> None:
    drawn = curve("depth 1", {20: [score(6, 10), score(8, 10)], 10: [score(5, 10)]})
    assert dict(drawn.points) == pytest.approx({10.0: 0.5, 20.0: 0.7})
    assert len(drawn.intervals) == 2
    still = level(score(3, 10), "resistance", 20.0)
    made = by_checkpoint("title", [drawn, still], "epoch")
    assert made is not None
    assert {"depth 1", "resistance", "epoch"} <= set(words(made))
    assert by_checkpoint("title", [curve("nothing", {})], "epoch") is None


def test_runs_of_one_setting_are_one_sweep_and_differ_by_seed() -> None:
    plan = Plan("a.b:Config", {"size": 5, "past": True, "games": 10}, 3, 2.0, {"past": 3.0})
    made = {sweep.name: sweep for sweep in sweeps(plan, BASE, [CHOICE])}
    assert set(made) == {
        *(f"5x5-base-{seed}" for seed in (1, 2, 3)),
        *(f"5x5-past-{value}-{seed}" for value in ("false", "0_5") for seed in (1, 2)),
    }
    assert made["5x5-past-false-2"].runs == ({"size": 5, "past": False, "games": 10, "seed": 2},)
    # A run's work does not depend on the games in its setting.
    assert (made["5x5-base-1"].work, made["5x5-past-false-1"].work) == pytest.approx((2.0, 6.0))


def test_arms_are_drawn_with_their_means() -> None:
    measure = Measure("won", {"on": Mean(0.25, 0.1, 0.4, 3), "off": Mean(0.5, 0.0, 1.0, 1), "half": None})
    made = picture(["on", "off", "half"], measure)
    assert made is not None
    said = words(made)
    assert "25.0% [10.0, 40.0], 3 seeds" in said
    assert "50.0%, 1 seed" in said
    assert "half" not in said
    pictures: dict[str, Picture] = {}
    shown = section(CHOICE, {"score": measure}, pictures)
    assert shown is not None
    assert list(pictures) == ["past"]
    assert "25.0% [10.0, 40.0]" in shown.body
    assert section(CHOICE, {"score": Measure("won", {})}, pictures) is None


def test_a_figure_at_the_end_is_the_mean_of_the_runs_that_have_it() -> None:
    """0.6 and 0.8: s = 0.1414, so 0.7 ± 12.706 · 0.1 is all there is."""
    rows = [[{"games": 1.0, "keeps_win": 0.1}, {"games": 2.0, "keeps_win": value}] for value in (0.6, 0.8)]
    runs = [Trained(seed, Outcome({}, row), Path()) for seed, row in enumerate([*rows, [{"games": 1.0}]])]
    assert end(runs, "keeps_win") == pytest.approx((0.7, 0.0, 1.0, 2))
    assert end(runs, "sign") is None
