"""Paper 000 from its settings to its page: the sweeps in two rounds, the tournaments, the page and the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from fingal.arena.report.markup import Section
from fingal.experiments import page, sweep
from fingal.experiments.intervals import final, select
from fingal.experiments.paper_000 import protocol, sections, tournament
from fingal.experiments.paper_000.figures import LEARNERS, READINGS
from fingal.experiments.paper_000.protocol import PARTS, SCALES, Scale
from fingal.experiments.request import Request
from fingal.experiments.sweep import Outcome, Sweep
from fingal.experiments.workshop import work
from fingal.game.picture import Picture

MEASURED = ("value", "keeps_win", "sign", "first_vs_best", "first_vs_random", "second_vs_random", "second_vs_best")
"""What is said of the learners of figure 20."""

TITLE = "Paper 000 done again: temporal-difference learners on 3×3"


@dataclass
class Result:
    """What was found and where it stands."""

    scale: Scale
    parts: Sequence[str]
    found: dict[str, list[Outcome]] = field(default_factory=dict)
    games: dict[str, list[tournament.Game]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    """Sweeps that came to nothing, each with a sentence."""
    seconds: float = 0.0


def reproduce(request: Request) -> Result:
    """Train what is asked for, or what is left of it, and write the page and the data into the folder.

    ValueError for a scale, a part or an opponent that is not there.
    """
    request.check(tuple(SCALES), PARTS)
    if request.opponent is not None:
        raise ValueError("paper 000 has no opponent: its nets play each other and the best responder")
    result = Result(SCALES[request.scale], tuple(request.parts) or PARTS)
    folder = request.folder
    folder.mkdir(parents=True, exist_ok=True)
    _train(result, protocol.sweeps(result.scale, result.parts), request)
    _train(result, protocol.best_sweeps(result.scale, result.parts, result.found), request)
    if "table" in result.parts:
        _play(result, folder)
    write(result, folder)
    return result


def _train(result: Result, sweeps: Sequence[Sweep], request: Request) -> None:
    found, failed = work(sweeps, request.folder, request.processes, request.watch)
    result.found |= found
    result.failed |= failed
    result.seconds += sum(outcome.seconds for outcomes in found.values() for outcome in outcomes)


def _play(result: Result, folder: Path) -> None:
    """The tournaments of each reading whose nets are there."""
    import torch
    from safetensors.torch import load_file

    from fingal.learn.batch import Batch, values_of

    # The nets are small: threads would wait for each other longer than they work.
    torch.set_num_threads(1)
    for reading in READINGS:
        name = f"{protocol.TABLE}-{reading}"
        runs = result.found.get(name)
        if runs is None:
            continue
        tournaments = protocol.SEASONS * result.scale.tournaments
        order = [
            next(
                at
                for at, run in enumerate(runs)
                if all(run.asked[key] == value for key, value in {**asdict(kind), "seed": number}.items())
            )
            for number in range(tournaments)
            for kind in tournament.KINDS
        ]
        nets = load_file(folder / "sweeps" / name / "nets.safetensors")["parameters"]
        values = values_of([Batch(**runs[at].asked) for at in order], nets[order])
        result.games[reading] = tournament.play(tournament.KINDS, tournaments, values)


def write(result: Result, folder: Path) -> None:
    """The page, its pictures as files, and the data."""
    pictures: dict[str, Picture] = {}
    shown = make_sections(result, pictures)
    runs = sum(map(len, result.found.values()))
    updates = sum(outcome.updates for outcomes in result.found.values() for outcome in outcomes)
    counts = {"runs": runs, "updates": updates, "games of tournaments": sum(map(len, result.games.values()))}
    data = {
        "paper": "000",
        "scale": asdict(result.scale),
        "findings": findings(result),
        "sweeps": {name: sweep.as_data(found) for name, found in result.found.items()},
        "tournaments": {reading: tournament.as_data(games) for reading, games in result.games.items()},
    }
    page.write(folder, TITLE, result.scale.name, counts, shown, pictures, data)


def make_sections(result: Result, pictures: dict[str, Picture]) -> list[Section]:
    """What there is something for, in the paper's order."""
    made: list[Section | None] = [sections.reading_section(result.found, pictures)]
    for figure in result.scale.figures():
        if str(figure.number) in result.parts:
            made.append(sections.figure_section(figure, result.found, pictures))
    made.append(sections.table_section(result.games, result.found, pictures))
    made.append(sections.exam_section(result.found, pictures))
    made.append(sections.time_section(result.found))
    return [section for section in made if section is not None]


def findings(result: Result) -> dict[str, Any]:
    """The figures that the paper's claims hang on, for JSON: means as [mean, low, high, how many]."""
    online: dict[str, dict[str, Any]] = {}
    for reading, learner in product(READINGS, LEARNERS):
        runs = select(result.found.get("figure-20", ()), {**learner.fields, "target": reading})
        if runs:
            measured: dict[str, Any] = {name: final(runs, name) for name in MEASURED}
            # At one of the last three rows, since a learner that goes on exploring goes on changing.
            measured["perfect_first"] = sum(any(row.get("first_vs_best") == 1 for row in run.rows[-3:]) for run in runs)
            measured["most_right"] = max((row.get("right", 0) for run in runs for row in run.rows), default=0)
            measured["diverged"] = sum(bool(run.diverged) for run in runs)
            online.setdefault(reading, {})[learner.name] = {"setting": _step_sizes(runs[0]), **measured}
    tables = {}
    for reading, games in result.games.items():
        tables[reading] = {
            "wins": {stand.kind.name: stand.wins for stand in tournament.standings(games, tournament.ENTERED)},
            "differences": {
                row.name: (row.value, row.low, row.high) for row in sections.effect_rows(games, result.found, reading)
            },
        }
    return {
        "paper": "000",
        "scale": result.scale.name,
        "figure_20": online,
        "table": tables,
        "core_seconds": round(result.seconds, 1),
        "failed": result.failed,
    }


def _step_sizes(run: Outcome) -> dict[str, float]:
    return {name: run.asked[name] for name in ("alpha", "beta_ratio") if name in run.asked}
