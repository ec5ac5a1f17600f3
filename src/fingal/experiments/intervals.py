"""Means over seeds with 95% intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scipy.stats import t as student

from fingal.arena.statistics import wilson
from fingal.experiments.sweep import Outcome

SHARES = {"first_vs_best"}
"""Figures that are 0 or 1 for a seed, but where it draws among equal moves: Wilson's interval is theirs."""

BOUNDS = {
    "keeps_win": (0.0, 1.0),
    "second_vs_best": (0.0, 1.0),
    "first_vs_random": (0.0, 1.0),
    "second_vs_random": (0.0, 1.0),
    "sign": (0.0, 1.0),
    "saturation": (0.0, 1.0),
    "value": (-1.0, 1.0),
    "first_value": (-1.0, 1.0),
    "second_value": (-1.0, 1.0),
    "absolute_value": (0.0, 1.0),
}
"""What these figures lie between, and so do their means: an interval ends there."""


class Mean(NamedTuple):
    """A mean with its 95% interval."""

    value: float
    low: float
    high: float
    size: int
    """Of how many values."""

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def as_percent(self) -> str:
        """'72.5% [60.1, 84.9]'."""
        return f"{100 * self.value:.1f}% [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def student_mean(values: Sequence[float], bounds: tuple[float, float] = (-math.inf, math.inf)) -> Mean:
    """Student's interval (1908): mean ± t(0.975, n-1) · s/√n, within bounds; all that is possible for one value."""
    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return Mean(mean, bounds[0], bounds[1], 1)
    spread = float(student.ppf(0.975, count - 1)) * math.sqrt(_variance(values) / count)
    return Mean(mean, max(bounds[0], mean - spread), min(bounds[1], mean + spread), count)


def difference(one: Sequence[float], other: Sequence[float]) -> Mean:
    """The difference of two means with Welch's interval (1947), whose spreads may differ.

    mean(x) - mean(y) ± t(0.975, d) · √(a + b), a = s²/n of each, d = (a + b)² / (a²/(n-1) + b²/(m-1)). All that is
    possible for shares, -1 to 1, where one of them is a single value.
    """
    apart = math.fsum(one) / len(one) - math.fsum(other) / len(other)
    count = min(len(one), len(other))
    if count == 1:
        return Mean(apart, -1.0, 1.0, 1)
    parts = [_variance(values) / len(values) for values in (one, other)]
    if not any(parts):
        return Mean(apart, apart, apart, count)
    freedom = sum(parts) ** 2 / sum(p * p / (len(v) - 1) for p, v in zip(parts, (one, other), strict=True))
    spread = float(student.ppf(0.975, freedom)) * math.sqrt(sum(parts))
    return Mean(apart, apart - spread, apart + spread, count)


def mean_of(name: str, values: Sequence[float]) -> Mean:
    """The mean of a figure over seeds, by the interval that suits it."""
    if name in SHARES:
        share = math.fsum(values) / len(values)
        return Mean(share, *wilson(share, len(values)), len(values))
    return student_mean(values, BOUNDS.get(name, (-math.inf, math.inf)))


def select(found: Sequence[Outcome], fields: Mapping[str, Any]) -> list[Outcome]:
    """The runs whose settings have these fields."""
    return [outcome for outcome in found if all(outcome.asked.get(key) == value for key, value in fields.items())]


def curve(found: Sequence[Outcome], name: str, over: str = "games") -> list[tuple[float, Mean]]:
    """A figure over games, or what else ``over`` names, row by row, as a mean over the runs that have it then.

    Gives (games, mean). Runs with batches come to a row with somewhat different numbers of games; the mean of these is
    shown. A run that diverged has no rows after that; those that go on are shown alone.
    """
    points = []
    for number in range(max((len(outcome.rows) for outcome in found), default=0)):
        rows = [outcome.rows[number] for outcome in found if len(outcome.rows) > number]
        there = [row for row in rows if _is_number(row.get(name))]
        if there:
            at = math.fsum(row[over] for row in there) / len(there)
            points.append((at, mean_of(name, [float(row[name]) for row in there])))
    return points


def smoothed(outcome: Outcome, names: Sequence[str], window: float, over: str = "games") -> Outcome:
    """A run with the rows that have these figures, each a running mean over the last ``window`` games.

    A row counts by the games since the one before it.
    """
    rows = [row for row in outcome.rows if all(_is_number(row.get(name)) for name in names)]
    ends = [float(row[over]) for row in rows]
    weights = [max(end - before, 1e-9) for before, end in zip([0.0, *ends], ends, strict=False)]
    made = []
    for at, row in enumerate(rows):
        first = at
        while first > 0 and ends[at] - ends[first - 1] < window:
            first -= 1
        part = range(first, at + 1)
        total = math.fsum(weights[n] for n in part)
        means = {name: math.fsum(weights[n] * rows[n][name] for n in part) / total for name in names}
        made.append({over: row[over], **means})
    return replace(outcome, rows=made)


def last(outcome: Outcome, name: str, rows: int = 1) -> float | None:
    """A figure's mean over a run's last rows; None where it has none."""
    values = [float(row[name]) for row in outcome.rows[-rows:] if _is_number(row.get(name))]
    return math.fsum(values) / len(values) if values else None


def final(found: Sequence[Outcome], name: str, rows: int = 1) -> Mean | None:
    """A figure's mean over the runs that did not diverge, of each run's last rows; None where no run has it."""
    whole = [outcome for outcome in found if not outcome.diverged]
    values = [value for outcome in whole if (value := last(outcome, name, rows)) is not None]
    return mean_of(name, values) if values else None


def best_of(found: Sequence[Outcome], key: Callable[[Outcome], Any], name: str, rows: int = 1) -> Any:
    """The setting (by its key) with the highest mean of a figure in the end; settings that diverged come last.

    The first of equals.
    """
    groups: dict[Any, list[Outcome]] = {}
    for outcome in found:
        groups.setdefault(key(outcome), []).append(outcome)

    def worth(group: list[Outcome]) -> tuple[bool, float]:
        mean = final(group, name, rows)
        return not any(outcome.diverged for outcome in group), -math.inf if mean is None else mean.value

    return max(groups, key=lambda chosen: worth(groups[chosen]))


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
