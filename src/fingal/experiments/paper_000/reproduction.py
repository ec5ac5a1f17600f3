"""Paper 000 from its settings to its page: the sweeps in two rounds, the tournaments, the page and the data."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from fingal.arena import provenance
from fingal.arena.report.markup import Section
from fingal.arena.report.page import frame
from fingal.experiments import sweep
from fingal.experiments.intervals import final, select
from fingal.experiments.paper_000 import protocol, sections, tournament
from fingal.experiments.paper_000.figures import LEARNERS, READINGS
from fingal.experiments.paper_000.protocol import PARTS, SCALES, Scale
from fingal.experiments.sweep import Outcome, Sweep
from fingal.experiments.workshop import Watch, work
from fingal.game.picture import Picture, svg

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


def reproduce(scale_name: str, parts: Sequence[str], folder: Path, processes: int, watch: Watch) -> Result:
    """Train what is asked for, or what is left of it, and write ``page.html`` and ``data.json`` into the folder.

    ValueError for a scale or a part that is not there.
    """
    if scale_name not in SCALES:
        raise ValueError(f"there is no scale {scale_name!r}: {', '.join(SCALES)} are")
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"there is no figure {part!r}: {', '.join(PARTS)} are")
    result = Result(SCALES[scale_name], tuple(parts) or PARTS)
    folder.mkdir(parents=True, exist_ok=True)
    _train(result, protocol.sweeps(result.scale, result.parts), folder, processes, watch)
    _train(result, protocol.best_sweeps(result.scale, result.parts, result.found), folder, processes, watch)
    if "table" in result.parts:
        _play(result, folder)
    write(result, folder)
    return result


def _train(result: Result, sweeps: Sequence[Sweep], folder: Path, processes: int, watch: Watch) -> None:
    found, failed = work(sweeps, folder, processes, watch)
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
    top = "".join(f"<li><b>{count:,}</b>{name}</li>" for name, count in counts.items() if count)
    facts = {
        "Fingal": version("fingal"),
        "scale": result.scale.name,
        "machine": provenance.machine(),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    _replace(folder / "page.html", frame(TITLE, top, shown, facts))
    place = folder / "figures"
    place.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        _replace(place / f"{name}.svg", svg(picture))
    data = {
        "paper": "000",
        "scale": asdict(result.scale),
        "findings": findings(result),
        "sweeps": {name: sweep.as_data(found) for name, found in result.found.items()},
        "tournaments": {reading: tournament.as_data(games) for reading, games in result.games.items()},
    }
    _replace(folder / "data.json", json.dumps(data))


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


def _replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
