"""Curves over training."""

from __future__ import annotations

from collections.abc import Sequence

from fingal.arena import charts
from fingal.arena.charts import Curve
from fingal.arena.report.markup import Section, chart, grid
from fingal.arena.report.sources import Trained

LEFT_OUT = {"time", "minutes"}
"""Figures that only say how far the run has come."""

WORK = {
    "games",
    "positions",
    "judgements",
    "judgements_per_s",
    "replay",
    "learning_rate",
    "gradient",
    "wrong_resignations",
}
"""Figures that say how the run went, not what was learned: they can be unfolded."""

MOST_POINTS = 400
"""A longer curve is thinned out: a screen has no room for more."""


def section(runs: Sequence[Trained]) -> Section:
    """A chart for every figure, with a curve for every run that has it."""
    names = [name for name in _names(runs) if name not in LEFT_OUT]
    learned = grid(_chart(name, runs) for name in names if name not in WORK)
    work = grid(_chart(name, runs) for name in names if name in WORK)
    folded = f"<details><summary>How the work went</summary>{work}</details>" if WORK & set(names) else ""
    return Section("training", "Over training", learned + folded)


def _chart(name: str, runs: Sequence[Trained]) -> str:
    having = [run for run in runs if name in run.curves]
    curves = [Curve(run.name, _thinned(run.curves[name])) for run in having]
    title = name.replace("_", " ") + (f", {having[0].name}" if len(runs) > 1 and len(having) == 1 else "")
    return chart(charts.plane(title, curves, x_name="step", width=400, height=260))


def _names(runs: Sequence[Trained]) -> list[str]:
    """The names of all figures, in the order in which they come up."""
    return list(dict.fromkeys(name for run in runs for name in run.curves))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    step = -(-len(points) // MOST_POINTS)
    return points if step == 1 or not points else [*points[:-1:step], points[-1]]
