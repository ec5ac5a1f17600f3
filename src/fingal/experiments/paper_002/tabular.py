"""The learners with a table instead of a net on 3x3, where what they reach against a best responder is known."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fingal.arena import charts
from fingal.arena.charts import Curve
from fingal.arena.json_files import is_finite, read_object
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.experiments.intervals import student_mean
from fingal.experiments.request import refuse_none
from fingal.experiments.tasks import results
from fingal.game.picture import Picture
from fingal.learn.gradient_bias import logits
from fingal.learn.parts.exact_gradients import Estimator
from fingal.learn.parts.truth import Truth
from fingal.learn.tabular_gradients import Tabular, learn, tuned
from fingal.nets.card import write_atomically

FILE = "tabular.json"
"""What was learned, in the paper's folder."""


@dataclass(frozen=True)
class Trial:
    """How long they learn."""

    iterations: int
    """From a policy that is nearly even."""
    taught_iterations: int
    """From one that likes winning moves better, as after supervised learning."""
    runs: int
    """Of every learner, side by side."""
    rates: tuple[float, ...]
    """Learning rates to choose from, for learners with one move of each game."""
    size: int = 3

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        refuse_none(self)

    def starts(self) -> dict[str, int]:
        """The policies that they begin from, and how long they learn."""
        return {"even": self.iterations, "taught": self.taught_iterations}


@dataclass(frozen=True)
class Row:
    """One learner from one start, with the rate that was best for it; every list has a number for each run."""

    start: str
    name: str
    k: int
    """Continuations; 0 for none."""
    rate: float
    iterations: list[int]
    """When it was measured."""
    sampled: list[list[float]]
    """Then: the share of first moves after which the policy still wins what is to be won, against a best responder."""
    greedy: list[float]
    """At the end, of its likeliest moves."""
    entropy: list[float]
    weight: list[float]
    """At the end: the mean weight of the moves learned from."""


def learners() -> list[tuple[str, Estimator, int]]:
    """Name, estimator, and how often the table is kept as a past self; 0 for never."""
    made = [("REINFORCE-V", Estimator("reinforce-v"), 0), ("REINFORCE-A", Estimator("reinforce-v"), 10)]
    for k in (1, 3):
        made += [
            ("REINFORCE-B", Estimator("reinforce-b", k), 0),
            ("AMCPG-A", Estimator("amcpg-a", k), 0),
            ("AMCPG-B", Estimator("amcpg-b", k), 0),
        ]
    return [*made, ("soft minimum, T = 1", Estimator("soft", 3), 0), ("least mean of 4", Estimator("average", 3, 4), 0)]


def learned(task: tuple[str, str, Estimator, int], trial: Trial) -> Row:
    """Choose a rate for one learner from one start, and let it learn with that, from other random numbers."""
    start, name, estimator, pool = task
    truth = Truth(trial.size)
    begin = logits(truth, start)
    every = max(1, trial.starts()[start] // 10)
    config = Tabular(estimator, pool=pool, iterations=trial.starts()[start], runs=trial.runs, every=every, seed=2)
    # All moves of a game count for these, and not one of them: about as many as there are.
    rates = [rate * 0.3 for rate in trial.rates] if estimator.kind == "reinforce-v" else list(trial.rates)
    rate, _ = tuned(truth, begin, config, rates)
    rows = learn(truth, begin, replace(config, rate=rate, seed=1)).rows
    last = rows[-1]
    sampled = [list(row.sampled) for row in rows]
    ends = (list(last.greedy), list(last.entropy), list(last.weight))
    return Row(start, name, estimator.k, rate, [row.iteration for row in rows], sampled, *ends)


def work_out(trial: Trial, folder: Path, processes: int, tell: Callable[[float], None]) -> list[Row]:
    """All learners from both starts; what is in the folder already is read."""
    asked = json.loads(json.dumps(asdict(trial)))
    file = folder / FILE
    if file.exists() and (kept := read_object(file, "a figure's own file")).get("asked") == asked:
        try:
            return [_row(row) for row in kept["rows"]]
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise ValueError(f"{file} does not hold the rows of its figure: put it elsewhere") from None
    tasks = [(start, *learner) for start in trial.starts() for learner in learners()]
    one = functools.partial(learned, trial=trial)
    rows = []
    for row in results(one, tasks, processes):
        rows.append(row)
        tell(len(rows) / len(tasks))
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps({"asked": asked, "rows": [asdict(row) for row in rows]}).encode())
    return rows


def _row(kept: dict[str, Any]) -> Row:
    """A row from JSON; ValueError or TypeError where it is none."""
    row = Row(**kept)
    numbers = np.array([row.greedy, row.entropy, row.weight], np.float64)
    sampled = np.array(row.sampled, np.float64)
    if sampled.shape != (len(row.iterations), numbers.shape[1]) or not len(sampled):
        raise ValueError("not a number for each run")
    if not all(isinstance(text, str) for text in (row.start, row.name)) or not isinstance(row.k, int):
        raise ValueError("no name")
    if not all(map(is_finite, (row.rate, *row.iterations))):
        raise ValueError("no number")
    return row


def section(rows: Sequence[Row], trial: Trial, pictures: dict[str, Picture]) -> Section:
    """A panel for every start and k, and a table of the ends."""
    drawn, body = [], ""
    for start, iterations in trial.starts().items():
        for k in sorted({row.k for row in rows if row.k}):
            shown = [row for row in rows if row.start == start and row.k in (0, k)]
            picture = charts.plane(
                f"from {start}, k = {k}: openings kept against a best responder",
                [_curve(row) for row in shown],
                x_name="iteration",
                y_name="share, moves drawn from the policy",
                x_range=(0.0, float(iterations)),
                y_range=(0.0, 1.0),
                write_y=charts.percent,
                width=480.0,
                height=340.0,
            )
            pictures[f"tabular-{start}-k{k}"] = picture
            drawn.append(chart(picture))
        cells = [_cells(row) for row in rows if row.start == start]
        head = ["", "rate", "drawn", "likeliest move", "entropy", "mean weight"]
        body += f"<h3>From {text(start)}, {iterations} iterations</h3>" + table(head, cells)
    words = (
        f"<p>A table of logits on {trial.size}x{trial.size}, 128 games an iteration, {trial.runs} runs of each learner "
        "with the best of "
        f"{len(trial.rates)} learning rates. Measured exactly: of the first moves, the share after which the policy "
        "still wins what there is to be won, against an opponent that knows it. Where the minimum counts, the mean "
        "weight of a move is below 0: moves are mostly made less likely.</p>"
    )
    return Section("tabular", "The learners with a table", words + grid(drawn) + body, "Tables")


def findings(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Where each learner ends."""
    return [
        {
            "start": row.start,
            "learner": row.name,
            "k": row.k,
            "rate": row.rate,
            "began": student_mean(row.sampled[0]).value,
            "sampled": student_mean(row.sampled[-1], (0.0, 1.0)),
            "greedy": student_mean(row.greedy, (0.0, 1.0)),
        }
        for row in rows
    ]


def _curve(row: Row) -> Curve:
    means = [student_mean(values, (0.0, 1.0)) for values in row.sampled]
    points = [(float(at), mean.value) for at, mean in zip(row.iterations, means, strict=True)]
    return Curve(row.name, points, [(mean.low, mean.high) for mean in means])


def _cells(row: Row) -> list[str]:
    name = row.name + (f", k = {row.k}" if row.k else "")
    drawn, best = (student_mean(values, (0.0, 1.0)) for values in (row.sampled[-1], row.greedy))
    others = (f"{student_mean(values).value:.2f}" for values in (row.entropy, row.weight))
    shares = (tinted(mean.value, mean.as_percent()) for mean in (drawn, best))
    return [text(name), f"{row.rate:g}", *shares, *others]
