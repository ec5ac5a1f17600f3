"""Runs that are done, whether they were trained here or came in a folder: whose they are, their nets, their cost."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fingal.arena.json_files import read_json
from fingal.experiments import single
from fingal.experiments.ablation import Trained
from fingal.experiments.paper_002.protocol import BEYOND, LEARNERS, TUNING, Learner

UNSEEN = {"seed", "threads", "iterations", "minutes", "keep_iterations", "exam_iterations", "graph", "half"}
"""Settings that make no other learner of it."""

TOLD = {"temperature": 0.0, "repeats": 1, "baseline": "none", "normalise": False, "optimiser": "sgd"}
"""What the paper's learners have; whoever has something else says so."""


@dataclass(frozen=True)
class Finished:
    """A run of figure 2."""

    learner: Learner
    k: int | None
    """Continuations of a move; None where the learner plays none."""
    size: int
    seed: int
    setting: dict[str, Any]
    """What else it had."""
    rows: Sequence[dict[str, float]]
    nets: dict[int, Path]
    """By iteration; 0 is the start."""

    def cost(self, iteration: int) -> float:
        """Positions that went through the net until then, its continuations' among them."""
        return max((row["positions"] for row in self.rows if row["iteration"] <= iteration), default=0.0)


def of(learner: Learner, runs: Iterable[Trained]) -> Iterator[Finished]:
    """The runs of one learner that were trained here."""
    for run in runs:
        yield _finished(learner, run.outcome.asked, run.outcome.rows, run.nets())


def found(folder: Path) -> list[Finished]:
    """The runs in a folder, at any depth, that belong to figure 2; ValueError where there are none.

    Runs with the seeds that choose a learning rate do not: their rate was chosen by their games.
    """
    runs = []
    for file in sorted(folder.rglob("config.json")):
        config = _config(file)
        learner = _learner(config)
        nets = single.kept(file.parent)
        if learner is not None and nets and int(config["seed"]) < TUNING:
            runs.append(_finished(learner, config, single.rows(file.parent), nets))
    if not runs:
        raise ValueError(f"{folder} holds no runs of {', '.join(learner.key for learner in LEARNERS)} with nets")
    return runs


def once(nets: Iterable[Path]) -> dict[Path, Path]:
    """For every net the first, by its path, with the same weights: the start of many runs plays once."""
    first: dict[str, Path] = {}
    return {net: first.setdefault(hashlib.sha256(_weights(net)).hexdigest(), net) for net in sorted(nets)}


def labels(runs: Sequence[Finished]) -> list[str]:
    """What a curve of each run is called: runs that differ in their seeds alone share it.

    The learner's name, what makes another learner of it, and, where runs of one learner on one board differ in more
    than k and seed, what they differ in.
    """
    told = []
    for run in runs:
        like = [one for one in runs if (one.learner, one.k, one.size) == (run.learner, run.k, run.size)]
        differing = [
            name
            for name, value in sorted(run.setting.items())
            if (any(one.setting.get(name) != value for one in like) and name not in UNSEEN)
            or (name in TOLD and value != TOLD[name] and name not in run.learner.fields)
        ]
        told.append(", ".join([run.learner.name, *(f"{name} {run.setting[name]}" for name in differing)]))
    return told


def _weights(net: Path) -> bytes:
    """The numbers in a safetensors file, without what its head says of them."""
    data = net.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little") :]


def _finished(
    learner: Learner, asked: dict[str, Any], rows: Sequence[dict[str, float]], nets: dict[int, Path]
) -> Finished:
    k = int(asked["k"]) if learner.repeats else None
    setting = {name: value for name, value in asked.items() if name not in ("k", "size", "seed", "start", "device")}
    return Finished(learner, k, int(asked["size"]), int(asked["seed"]), setting, rows, nets)


def _config(file: Path) -> dict[str, Any]:
    """A run's settings; nothing where the file is not a run's. ValueError where it is not JSON."""
    told = read_json(file, "a run's config")
    config = told.get("config") if isinstance(told, dict) else None
    return config if isinstance(config, dict) else {}


def _learner(config: dict[str, Any]) -> Learner | None:
    """Whose settings these are: the learner that has just these fields, and this variant; None for another's."""
    for learner in (*LEARNERS, BEYOND[-1]):
        module, _, name = learner.config.partition(":")
        own = {field.name for field in fields(getattr(importlib.import_module(module), name))}
        if own == set(config) and all(config[field] == value for field, value in learner.fields.items()):
            return learner
    return None
