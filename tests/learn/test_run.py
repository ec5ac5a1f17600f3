"""A run's folder: which rows of figures stay when a learner goes on."""

from pathlib import Path

import pytest

from fingal.learn.parts.run import Run, rows_in


def logged(folder: Path, *steps: int) -> Run:
    run = Run(folder, {"size": 3})
    for step in steps:
        run.log(step, {"loss": step / 8})
    return run


@pytest.mark.parametrize(
    ("step", "left"),
    [(9, [0, 4, 6, 5, 8]), (8, [0, 4, 6, 5, 8]), (5, [0, 4, 5]), (4, [0, 4]), (0, [0]), (-1, [])],
)
def test_rows_beyond_where_a_learner_goes_on_are_dropped(tmp_path: Path, step: int, left: list[int]) -> None:
    """Also where a later row has an earlier step, as the score of a match that took long."""
    logged(tmp_path, 0, 4, 6, 5, 8).close()
    run = logged(tmp_path)
    run.go_on(step)
    assert [(row["step"], row["loss"]) for row in rows_in(tmp_path)] == [(step, step / 8) for step in left]
    run.log(10, {"loss": 2.0})
    run.close()
    assert [row["step"] for row in rows_in(tmp_path)] == [*left, 10]


def test_tensorboard_forgets_them_too(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    logged(tmp_path, 1, 2, 3).close()
    run = logged(tmp_path)
    run.go_on(1)
    run.log(2, {"loss": 0.5})
    run.close()
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [(1, 0.125), (2, 0.5)]
