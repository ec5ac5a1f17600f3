"""What one choice of a learner is worth: runs that differ in it alone, several seeds of each, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fingal.arena import charts
from fingal.arena.charts import Row
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.experiments import single
from fingal.experiments.figure import Arm
from fingal.experiments.intervals import Mean, last, mean_of
from fingal.experiments.sweep import Outcome, Setting, Sweep, prepare
from fingal.game.picture import Picture, beside


@dataclass(frozen=True)
class Ablation:
    """A choice: the paper's, or ours where the paper leaves it open, comes first."""

    name: str
    """What asks for it: 'past'."""
    title: str
    claim: str
    """What the paper says of it, in our words."""
    arms: tuple[Arm, ...]
    """Each with the fields in which it differs from the common settings."""
    seeds: int | None = None
    """How many runs of each arm but the first; as many as of all, if not given."""


@dataclass(frozen=True)
class Plan:
    """The runs of one learner on one board."""

    learner: str
    """Its module and its config, as ``Sweep`` has it."""
    common: Setting
    """What all runs have, the board's ``size`` among them, unless an arm says otherwise."""
    seeds: int
    cost: float = 1.0
    """About how long a run takes."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """How much longer the runs with a field take that is not as the others have it, by the field's name."""
    name: str = ""
    """What its sweeps are called by, where there are several learners on one board."""

    def asked(self, arm: Arm, seed: int) -> Setting:
        """The setting of a run."""
        return {**self.common, **arm.fields, "seed": seed}

    def sweep(self, arm: Arm, seed: int) -> Sweep:
        """A run as a sweep of its own, so that it can be trained beside others; equal settings are one run."""
        size, setting = self.common["size"], self.asked(arm, seed)
        other = {name: value for name, value in arm.fields.items() if self.common.get(name) != value}
        words = [f"{name}-{value}".lower().replace(".", "_") for name, value in sorted(other.items())] or ["base"]
        cost = self.cost * math.prod(self.costs.get(name, 1.0) for name in other)
        # A sweep counts its work in games, and the games of these learners are no measure of it.
        words = [f"{size}x{size}", *filter(None, [self.name]), *words, str(seed)]
        return Sweep("-".join(words), self.learner, (setting,), cost / _games(setting))


class Trained(NamedTuple):
    """A run that is done."""

    seed: int
    outcome: Outcome
    place: Path
    """Its sweep's folder."""

    @property
    def net(self) -> Path:
        """The last net that it kept, or the latest where it kept none."""
        kept = self.nets()
        return kept[max(kept)] if kept else single.latest(self.place)

    def nets(self) -> dict[int, Path]:
        """Those that it kept on the way."""
        return single.nets(self.place)


def wanted(plan: Plan, base: Arm, ablations: Sequence[Ablation]) -> Iterator[tuple[Arm, int]]:
    """The runs that some ablations need: those of the common settings first. Some may be the same."""
    for seed in range(1, plan.seeds + 1):
        yield base, seed
    for ablation in ablations:
        for arm in ablation.arms:
            for seed in range(1, (ablation.seeds or plan.seeds) + 1):
                yield arm, seed


def sweeps(plan: Plan, base: Arm, ablations: Sequence[Ablation]) -> list[Sweep]:
    """Their sweeps, each once."""
    return list({made.name: made for made in (plan.sweep(*run) for run in wanted(plan, base, ablations))}.values())


def runs_of(plan: Plan, arm: Arm, found: Mapping[str, Sequence[Outcome]], folder: Path) -> list[Trained]:
    """The runs of an arm that are done, by seed."""
    done = []
    for seed in range(1, plan.seeds + 1):
        sweep = plan.sweep(arm, seed)
        if sweep.name in found:
            done.append(Trained(seed, found[sweep.name][0], prepare(sweep, folder)))
    return done


class Measure(NamedTuple):
    """Something that arms are compared by."""

    title: str
    means: Mapping[str, Mean | None]
    """By an arm's name: the mean over its runs."""
    is_share: bool = True
    """Whether it lies between 0 and 1 and is shown in percent."""

    def words(self, mean: Mean) -> str:
        """A mean with its interval; one run's figure alone, where nothing is known of other runs."""
        if _is_alone(mean):
            return f"{100 * mean.value:.1f}%" if self.is_share else f"{mean.value:.3f}"
        return mean.as_percent() if self.is_share else str(mean)


def end(runs: Sequence[Trained], name: str) -> Mean | None:
    """The mean of a figure at the end of every run that has it; None where none has."""
    values = [value for run in runs if (value := last(run.outcome, name)) is not None]
    return mean_of(name, values) if values else None


def picture(arms: Sequence[str], measure: Measure) -> Picture | None:
    """A row for each arm: a figure's mean over seeds with its interval; None when there is none."""
    rows = []
    for name in arms:
        mean = measure.means.get(name)
        if mean is not None:
            seeds = f"{mean.size} seed{'s' * (mean.size > 1)}"
            ends = (mean.value, mean.value) if _is_alone(mean) else (mean.low, mean.high)
            rows.append(Row(name, mean.value, *ends, f"{measure.words(mean)}, {seeds}"))
    if not rows:
        return None
    if measure.is_share:
        return charts.rows(measure.title, rows, low=0, high=1, write=charts.percent)
    return charts.rows(measure.title, rows)


def section(
    choice: Ablation, measures: Mapping[str, Measure], pictures: dict[str, Picture], words: str = ""
) -> Section | None:
    """An ablation with a chart for each thing measured."""
    names = [arm.name for arm in choice.arms]
    drawn = {name: made for name, measure in measures.items() if (made := picture(names, measure)) is not None}
    if not drawn:
        return None
    # On one sheet too, so that a figure is one file.
    pictures[choice.name] = beside(list(drawn.values()), [""] * len(drawn), 1, charts.INK)
    rows = []
    for name in names:
        cells = [text(name)]
        for measure in measures.values():
            mean = measure.means.get(name)
            if mean is None:
                cells.append('<td class="none">·</td>')
            else:
                told = text(measure.words(mean))
                cells.append(tinted(mean.value, told) if measure.is_share else told)
        rows.append(cells)
    head = ["", *(measure.title for measure in measures.values())]
    claim = f"<p><b>The paper:</b> {text(choice.claim)}</p>{words}"
    body = claim + grid(map(chart, drawn.values())) + table(head, rows)
    return Section(choice.name, choice.title, body, choice.name.capitalize())


def _is_alone(mean: Mean) -> bool:
    """Whether it is one run's figure, whose interval is all that is possible."""
    return mean.size == 1 and (mean.low, mean.high) in ((0.0, 1.0), (-math.inf, math.inf))


def _games(setting: Setting) -> float:
    return float(setting.get("games", 1))
