"""A figure of a paper: panels with curves, each a set of runs, and the pictures drawn of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from fingal.arena import charts
from fingal.arena.charts import Curve
from fingal.experiments.intervals import Mean, curve, final, select
from fingal.experiments.sweep import Outcome, Setting
from fingal.game.picture import Picture

YNAMES = {
    "value": "mean value",
    "absolute_value": "mean absolute value",
    "keeps_win": "won positions kept",
    "first_vs_best": "won as first against the best responder",
    "saturation": "share of values beyond 0.99 either way",
    "sign": "positions whose winner it sees",
    "loss": "training error",
    "projection_loss": "projection error",
}

PERCENT = {"keeps_win", "first_vs_best", "saturation", "sign"}


@dataclass(frozen=True)
class Arm:
    """A name with the fields that it stands for."""

    name: str
    fields: Setting = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """What a figure shows, and what the paper says of it."""

    number: int
    title: str
    claim: str
    """What the paper reports, in our words: its pictures are not in the text that we have."""
    sweep: str
    """The name of the sweep that its runs are in; several figures may share one."""
    panels: tuple[Arm, ...]
    curves: tuple[Arm, ...]
    shown: str = "value"
    """What the paper draws: the name of a figure in the rows."""
    fixed: Setting = field(default_factory=dict)
    """What all its runs have."""

    def arms(self) -> Iterator[tuple[Arm, Arm, Setting]]:
        """Every panel with every curve, and the fields of both."""
        for panel in self.panels:
            for drawn in self.curves:
                yield panel, drawn, {**self.fixed, **panel.fields, **drawn.fields}


def span(name: str) -> tuple[float, float] | None:
    """What the axis of a figure goes over; None when the values say."""
    return {"value": (-1.0, 1.0)}.get(name, (0.0, 1.0) if name in PERCENT or name == "absolute_value" else None)


def interpolated(points: Sequence[tuple[float, float]], at: float) -> float:
    """The height at ``at`` of the line through points in order; that of the nearest end outside."""
    for (left, low), (right, high) in pairwise(points):
        if left <= at <= right:
            return low + (high - low) * (at - left) / (right - left) if right > left else high
    return points[-1][1] if at > points[-1][0] else points[0][1]


def draw(
    found: Sequence[Outcome],
    arms: Sequence[tuple[str, Setting]],
    name: str,
    title: str,
    *,
    over: str = "games",
    width: float = 420.0,
    height: float = 300.0,
    y_range: tuple[float, float] | None = None,
) -> Picture | None:
    """One panel: a curve of a figure for each arm, with 95% intervals over seeds; None when there is nothing."""
    curves = []
    for label, fields in arms:
        points = curve(select(found, fields), name, over)
        if points:
            ends = [(mean.low, mean.high) for _, mean in points if mean.size > 1]
            curves.append(
                Curve(label, [(games, mean.value) for games, mean in points], ends if len(ends) == len(points) else ())
            )
    if not curves:
        return None
    most = max(x for drawn in curves for x, _ in drawn.points)
    return charts.plane(
        title,
        curves,
        x_name=over,
        y_name=YNAMES.get(name, name),
        x_range=(0.0, most or 1.0),
        y_range=y_range or span(name),
        write_y=charts.percent if name in PERCENT else charts.plain,
        width=width,
        height=height,
    )


def panels(found: Sequence[Outcome], figure: Figure, name: str, fields: Setting) -> list[Picture]:
    """A figure's panels for one thing measured, of the runs that also have these fields."""
    pictures = []
    for panel in figure.panels:
        arms = [(drawn.name, {**all_fields, **fields}) for at, drawn, all_fields in figure.arms() if at is panel]
        picture = draw(found, arms, name, panel.name, width=330, height=250)
        if picture is not None:
            pictures.append(picture)
    return pictures


def ends(found: Sequence[Outcome], figure: Figure, names: Sequence[str], fields: Setting) -> list[dict[str, Any]]:
    """For every arm, each figure's mean at the end (a Mean, or None), and how many of its runs diverged."""
    table = []
    for panel, drawn, all_fields in figure.arms():
        runs = select(found, {**all_fields, **fields})
        row: dict[str, Any] = {"panel": panel.name, "curve": drawn.name, "runs": len(runs)}
        row["diverged"] = sum(bool(run.diverged) for run in runs)
        means: dict[str, Mean | None] = {name: final(runs, name) for name in names}
        table.append({**row, **means})
    return table
