"""Runs of DQN, trained here or found in a folder: their nets by generation, and how each generation learned."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fingal.arena.json_files import read_json
from fingal.experiments import single
from fingal.experiments.ablation import Trained
from fingal.experiments.figure import interpolated
from fingal.experiments.intervals import Mean, student_mean
from fingal.experiments.paper_003.protocol import VARIANTS
from fingal.learn.dqn import Dqn

UNSEEN = {
    *("size", "net", "generations", "seed", "moves", "minutes", "row_episodes"),
    *("threads", "device", "graph", "compiled"),
}
"""Settings that make no other learner of it, or that a name says anyway."""


@dataclass(frozen=True)
class Lineage:
    """A run: one net, generation after generation."""

    net: str
    size: int
    seed: int
    setting: dict[str, Any]
    rows: Sequence[dict[str, float]]
    generations: dict[int, Path]
    """The net of each generation; 0 has met the random player alone."""
    latest: Path
    """The net as it was at the end."""

    @property
    def variant(self) -> str:
        """What the paper's settings were changed to: '' as they are, or a name of ``protocol.VARIANTS``."""
        changed = [
            name
            for name, fields in VARIANTS.items()
            if all(self.setting[field] == value for field, value in fields.items())
        ]
        return changed[0] if changed else ""

    @property
    def grown(self) -> dict[int, Path]:
        """The generations after the first: the agents of the tournaments."""
        return {number: net for number, net in self.generations.items() if number > 0}

    def of(self, generation: int) -> list[dict[str, float]]:
        """The rows of one generation."""
        return [row for row in self.rows if row["generation"] == generation]

    def streak(self, generation: int = 0) -> int | None:
        """The episodes after which it had won 50 games in a row; None where it never did."""
        ends = [row for row in self.of(generation) if row.get("streak")]
        return int(ends[-1]["generation_episodes"]) if ends else None

    @property
    def finished(self) -> bool:
        """Whether it has come to the end of its generations, moves or minutes."""
        if not self.rows:
            return False
        end, limit = self.rows[-1], self.setting
        ended = end["generation"] + ("generation_episodes" in end) > limit["generations"]
        return ended or any(0 < limit[name] <= end[name] for name in ("moves", "minutes"))

    def last(self, figure: str) -> float | None:
        """A figure where it was last measured."""
        return next((row[figure] for row in reversed(self.rows) if figure in row), None)


def of(runs: Iterable[Trained]) -> list[Lineage]:
    """Runs that were trained here."""
    return [_lineage(run.outcome.asked, run.outcome.rows, single.folder(run.place)) for run in runs]


def found(folder: Path) -> list[Lineage]:
    """The runs of DQN in a folder, at any depth.

    ValueError where there are none, where one has not come to its end, or where two would have one name and seed.
    """
    own = {field.name for field in fields(Dqn)}
    runs = []
    for file in sorted(folder.rglob("config.json")):
        told = read_json(file, "a run's config")
        config = told.get("config") if isinstance(told, dict) else None
        if isinstance(config, dict) and set(config) == own and (file.parent / "checkpoints" / single.LATEST).exists():
            runs.append(_lineage(config, single.rows(file.parent), file.parent))
    if not runs:
        raise ValueError(f"{folder} holds no runs of dqn with nets")
    known: dict[str, Path] = {}
    for run in runs:
        place = run.latest.parent.parent
        if not run.finished:
            raise ValueError(f"{place} is not finished: go on with it, or put it elsewhere")
        told = {name: value for name, value in run.setting.items() if name not in UNSEEN - {"seed", "size", "net"}}
        # A net that met the random player alone is in figure 4, and no rival of one with generations.
        other = known.setdefault(json.dumps([told, bool(run.grown or run.variant)], sort_keys=True), place)
        if other != place:
            raise ValueError(f"{other} and {place} have the same settings and seed: put one of them elsewhere")
    return runs


def _lineage(asked: dict[str, Any], rows: Sequence[dict[str, float]], place: Path) -> Lineage:
    whole = {field.name: asked.get(field.name, field.default) for field in fields(Dqn)}
    nets = {int(file.stem.partition("-")[2]): file for file in sorted((place / "checkpoints").glob("generation-*"))}
    latest = place / "checkpoints" / single.LATEST
    return Lineage(str(whole["net"]), int(whole["size"]), int(whole["seed"]), whole, rows, nets, latest)


def labels(runs: Sequence[Lineage]) -> list[str]:
    """What each run is called: runs that differ in their seeds alone share it.

    The net's name, the variant's, and what else runs of that net on that board differ in.
    """
    told = []
    for run in runs:
        like = [one for one in runs if (one.net, one.size, one.variant) == (run.net, run.size, run.variant)]
        differing = [
            f"{name} {value}"
            for name, value in sorted(run.setting.items())
            if name not in UNSEEN and any(one.setting.get(name) != value for one in like)
        ]
        told.append(", ".join([run.net, *filter(None, [run.variant]), *differing]))
    return told


def by_seed(runs: Sequence[Lineage]) -> dict[int, list[tuple[str, Lineage]]]:
    """Named runs by their seeds: those of one seed play a tournament."""
    made: dict[int, list[tuple[str, Lineage]]] = {}
    for name, run in zip(labels(runs), runs, strict=True):
        made.setdefault(run.seed, []).append((name, run))
    return dict(sorted(made.items()))


def by_size(runs: Sequence[Lineage], home: int) -> dict[int, list[Lineage]]:
    """Runs by their boards, those on ``home`` first."""
    sizes = sorted({run.size for run in runs}, key=lambda size: (size != home, size))
    return {size: [run for run in runs if run.size == size] for size in sizes}


def several_nets(runs: Sequence[Lineage], home: int, sizes: Sequence[int]) -> list[Lineage]:
    """Of the boards that are not ``home``: the runs on those on which there are several nets to be compared."""
    away = [run for run in runs if run.size in sizes and run.size != home]
    return [run for run in away if any(other.net != run.net for other in away if other.size == run.size)]


def bins(run: Lineage, width: int) -> Iterator[tuple[str, range]]:
    """The generations after the first, ``width`` at a time: 'generations 1 to 10'."""
    most = max(run.generations, default=0)
    for first in range(1, most + 1, width):
        last = min(first + width - 1, most)
        yield f"generations {first} to {last}" if last > first else f"generation {first}", range(first, last + 1)


def height(rows: Sequence[dict[str, float]], figure: str, episode: float) -> float | None:
    """A figure of a generation's rows at an episode, on a line between two rows; None where none has it."""
    told = [(row["episode"], row[figure]) for row in rows if figure in row]
    return interpolated(told, episode) if told else None


def mean_curve(curves: Sequence[Sequence[dict[str, float]]], figure: str, points: int = 25) -> list[tuple[float, Mean]]:
    """The mean of a figure over several generations' rows, at episodes evenly apart.

    A generation that has ended keeps its last figure: it ended because it won, or had all its games.
    """
    most = max((row["episode"] for rows in curves for row in rows), default=0.0)
    made = []
    for number in range(1, points + 1):
        at = most * number / points
        values = [value for rows in curves if (value := height(rows, figure, at)) is not None]
        if values:
            bounds = (0.0, 1.0) if figure == "win_rate" else (0.0, math.inf)
            made.append((at, student_mean(values, bounds)))
    return made
