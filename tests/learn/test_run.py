"""A run's folder: which rows of figures and sample games stay when a learner resumes."""

from pathlib import Path
from typing import Any

import pytest
import torch

from fingal.learn.parts.run import Run, rows_in
from fingal.nets.card import Card


def logged(folder: Path, *steps: int) -> Run:
    run = Run(folder, {"size": 3})
    for step in steps:
        run.log(step, {"loss": step / 8})
    return run


class Counter:
    """A learner that has counted so far."""

    count = 0

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        return {"weight": torch.ones(3)}, {"count": self.count}

    def restore(self, tensors: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
        self.count = about["count"]


def saved(run: Run, learner: Counter) -> None:
    run.save(learner, Card("none", {}), latest={})


@pytest.mark.parametrize("before", range(6))
def test_rows_after_the_state_are_dropped(tmp_path: Path, before: int) -> None:
    """Also where a later row has an earlier step, as the score of a match that took long."""
    steps = [0, 4, 6, 5, 8]
    run = logged(tmp_path, *steps[:before])
    saved(run, Counter())
    for step in steps[before:]:
        run.log(step, {"loss": step / 8})
    run.close()
    run = logged(tmp_path)
    assert run.resume(Counter())
    run.begin()
    assert [(row["step"], row["loss"]) for row in rows_in(tmp_path)] == [(s, s / 8) for s in steps[:before]]
    run.log(10, {"loss": 2.0})
    run.close()
    assert [row["step"] for row in rows_in(tmp_path)] == [*steps[:before], 10]


def test_a_run_without_a_state_begins_again_without_rows(tmp_path: Path) -> None:
    logged(tmp_path, 1, 2).close()
    run = logged(tmp_path)
    assert not run.resume(Counter())
    run.begin()
    assert rows_in(tmp_path) == []


def test_sample_games_after_the_state_are_dropped_and_others_are_left_alone(tmp_path: Path) -> None:
    run, learner = Run(tmp_path, {"size": 3}), Counter()
    run.save(learner, Card("none", {}), latest={}, games=[("a", "(;1)"), ("b", "(;2)")])
    (run.games / "mine.sgf").write_text("(;mine)", encoding="utf-8")
    (run.games / "000002-c.sgf").write_text("(;3)", encoding="utf-8")  # killed before the state was written
    (run.games / ".000003-d.sgf.x.part").write_text("(;", encoding="utf-8")
    run = Run(tmp_path, {"size": 3})
    assert run.resume(learner)
    run.begin()
    assert sorted(file.name for file in run.games.iterdir()) == ["000000-a.sgf", "000001-b.sgf", "mine.sgf"]
    run.save(learner, Card("none", {}), latest={}, games=[("e", "(;4)")])
    assert (run.games / "000002-e.sgf").read_text(encoding="utf-8") == "(;4)"


def test_rows_that_the_state_knows_of_and_nobody_else_are_missed(tmp_path: Path) -> None:
    run = logged(tmp_path, 1, 2, 3)
    saved(run, Counter())
    (tmp_path / "metrics.jsonl").write_text('{"step": 1}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"metrics.jsonl has 1 rows, and had 3 when .* was written"):
        logged(tmp_path).resume(Counter())
    assert (tmp_path / "metrics.jsonl").read_text(encoding="utf-8") == '{"step": 1}\n'


def test_tensorboard_forgets_them_too(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = logged(tmp_path, 1)
    saved(run, Counter())
    run.log(2, {"loss": 0.25})
    run.log(3, {"loss": 0.375})
    run.close()
    run = logged(tmp_path)
    run.resume(Counter())
    run.log(2, {"loss": 0.5})
    run.close()
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [(1, 0.125), (2, 0.5)]
