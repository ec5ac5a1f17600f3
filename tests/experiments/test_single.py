"""Learners of one net as runs of sweeps, with one that is made up."""

from pathlib import Path

from fingal.experiments import single
from fingal.experiments.sweep import Sweep, prepare
from fingal.experiments.workshop import work

LEARNER = "tests.experiments.made_up_single:Config"


def test_rows_are_what_the_run_logged(tmp_path: Path) -> None:
    runs = ({"games": 3, "seed": 1}, {"games": 2, "seed": 2, "alpha": 0.5, "device": "cpu"})
    sweep = Sweep("both", LEARNER, runs)
    found, failed = work([sweep], tmp_path, 1)
    assert failed == {}
    one, two = found["both"]
    assert [row["value"] for row in two.rows] == [0.5, 1.0]
    assert (one.asked, two.asked) == runs
    # Half a minute and ten updates a step.
    assert (one.seconds, one.updates) == (90.0, 30)
    assert list(single.nets(prepare(sweep, tmp_path))) == [2, 3]
    assert single.nets(prepare(sweep, tmp_path), 1)[2].exists()


def test_a_killed_run_goes_on_and_no_step_counts_twice(tmp_path: Path) -> None:
    """Killed at step 5 of 10, saved at 4: step 5 is logged by both processes, and the second one's counts."""
    sweep = Sweep("deadly", LEARNER, ({"games": 10, "deadly": str(tmp_path / "dead")},))
    found, failed = work([sweep], tmp_path / "runs", 1)
    assert found == {}
    assert failed == {"deadly": "ended with status -9"}
    found, failed = work([sweep], tmp_path / "runs", 1)
    assert failed == {}
    rows = found["deadly"][0].rows
    assert [row["games"] for row in rows] == list(range(1, 11))
    assert [row["process"] == rows[0]["process"] for row in rows] == [True] * 4 + [False] * 6


def test_a_run_begins_from_a_net_that_another_has_left(tmp_path: Path) -> None:
    """By its path from the folder of all sweeps, which may have moved since."""
    net = tmp_path / "sweeps" / "first" / "runs" / "00" / "checkpoints" / "latest.safetensors"
    net.parent.mkdir(parents=True)
    net.write_text("five!")
    sweep = Sweep("second", LEARNER, ({"games": 2, "start": "first/runs/00/checkpoints/latest.safetensors"},))
    found, failed = work([sweep], tmp_path, 1)
    assert failed == {}
    assert [row["started"] for row in found["second"][0].rows] == [5.0, 5.0]


def test_what_the_learner_refuses_is_said_in_its_words(tmp_path: Path) -> None:
    _, failed = work([Sweep("bad", LEARNER, ({"alpha": -1},))], tmp_path, 1)
    assert failed == {"bad": "alpha=-1 is not possible: at least 0"}


def test_checkpoints_are_spread_evenly() -> None:
    nets = {number: Path(str(number)) for number in range(10, 101, 10)}
    assert list(single.spread(nets, 4)) == [10, 40, 70, 100]
    assert list(single.spread(nets, 1)) == [100]
    assert list(single.spread(nets, 20)) == list(nets)
