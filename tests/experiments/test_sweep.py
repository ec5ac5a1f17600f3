"""Sweeps that are kept, resumed and refused, with a learner that is made up."""

import json
import random
from pathlib import Path

import pytest

from fingal.experiments.sweep import Sweep, outcomes, prepare
from fingal.experiments.workshop import Progress, work
from tests.broken import WHOLE, changed_json, contents, refused

LEARNER = "tests.experiments.made_up:Config"


def made_up(name: str, *runs: dict[str, object]) -> Sweep:
    return Sweep(name, LEARNER, runs)


def test_what_came_of_the_runs_stands_beside_what_was_asked(tmp_path: Path) -> None:
    runs = [{"games": 3, "seed": seed, "alpha": alpha} for alpha in (0.1, 0.2) for seed in (1, 2)]
    found, failed = work([made_up("one", *runs), made_up("two", {"games": 2})], tmp_path, 2)
    assert failed == {}
    assert [outcome.asked for outcome in found["one"]] == runs
    assert [row["value"] for row in found["one"][2].rows] == pytest.approx([0.0, 0.2, 0.4])
    assert found["two"][0].updates == 2
    # Two sweeps are two processes.
    assert found["one"][0].rows[0]["process"] != found["two"][0].rows[0]["process"]


def test_what_is_there_is_not_trained_again(tmp_path: Path) -> None:
    first, _ = work([made_up("one", {"games": 3})], tmp_path, 1)
    again, _ = work([made_up("one", {"games": 3})], tmp_path, 1)
    assert again == first
    other, _ = work([made_up("one", {"games": 3, "alpha": 0.5})], tmp_path, 1)
    assert other["one"][0].rows[0]["process"] != first["one"][0].rows[0]["process"]


def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    deadly = {"games": 6, "deadly": str(tmp_path / "dead")}
    sweeps = [made_up("deadly", deadly), made_up("other", {"games": 1})]
    found, failed = work(sweeps, tmp_path / "runs", 1)
    assert list(found) == ["other"]
    assert failed == {"deadly": "ended with status -9"}
    found, failed = work(sweeps, tmp_path / "runs", 1)
    assert failed == {}
    rows = found["deadly"][0].rows
    assert [row["games"] for row in rows] == [1, 2, 3, 4, 5, 6]
    # Three games were the killed process's, the others those of the next one.
    assert [row["process"] == rows[0]["process"] for row in rows] == [True] * 3 + [False] * 3


def test_a_half_written_file_counts_as_none(tmp_path: Path) -> None:
    sweep = made_up("one", {"games": 2})
    work([sweep], tmp_path, 1)
    file = prepare(sweep, tmp_path) / "outcomes.json"
    file.write_text(file.read_text()[:-10])
    assert outcomes(sweep, tmp_path) is None
    found, _ = work([sweep], tmp_path, 1)
    assert len(found["one"][0].rows) == 2


def test_a_sweep_whose_request_is_broken_or_gone_loses_nothing(tmp_path: Path) -> None:
    sweep = made_up("one", {"games": 2})
    work([sweep], tmp_path, 1)
    file = prepare(sweep, tmp_path) / "sweep.json"
    for spoil in (*WHOLE, None):
        file.unlink() if spoil is None else file.write_bytes(spoil)
        before = contents(tmp_path)
        assert refused(lambda: outcomes(sweep, tmp_path), file)
        assert contents(tmp_path) == before


def test_outcomes_that_are_none_are_refused_and_stay(tmp_path: Path) -> None:
    sweep = made_up("one", {"games": 2})
    work([sweep], tmp_path, 1)
    file = prepare(sweep, tmp_path) / "outcomes.json"
    whole = json.loads(file.read_bytes())
    for seed in range(150):
        file.write_bytes(changed_json(whole, random.Random(seed)))
        before = contents(tmp_path)
        refused(lambda: outcomes(sweep, tmp_path), file)
        assert contents(tmp_path) == before


def test_what_the_learner_refuses_is_said_in_its_words(tmp_path: Path) -> None:
    found, failed = work([made_up("bad", {"alpha": -1}), made_up("good", {"games": 1})], tmp_path, 2)
    assert failed == {"bad": "alpha=-1 is not possible: at least 0"}
    assert list(found) == ["good"]


def test_the_estimate() -> None:
    progress = Progress(100.0, kept=20.0)
    progress.works = {"a": 40.0, "b": 40.0}
    assert progress.seconds_left is None
    progress.shares = {"a": 0.5}
    progress.begun -= 10
    # 20 of the 80 that were left are done in 10 seconds.
    assert progress.done == pytest.approx(0.4)
    assert progress.seconds_left == pytest.approx(30, rel=0.01)
    assert progress.under_way == ["a"]


@pytest.mark.parametrize("name", ["", "../up", "a b", "a/b"])
def test_names_that_are_no_folder_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"name=.* is not possible"):
        made_up(name, {})


def test_a_learner_needs_a_config() -> None:
    with pytest.raises(ValueError, match=r"learner='fingal\.learn\.td' is not possible"):
        Sweep("one", "fingal.learn.td", ({},))
