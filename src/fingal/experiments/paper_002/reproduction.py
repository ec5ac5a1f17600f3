"""Paper 002 from its settings to its page: tables, runs, matches with the yardstick, the page and the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from fingal.experiments import page, single
from fingal.experiments.ablation import Plan, Trained
from fingal.experiments.paper_002 import exact, finished, learning, protocol, searches, tabular
from fingal.experiments.paper_002.exact import Exact
from fingal.experiments.paper_002.finished import Finished
from fingal.experiments.paper_002.learning import Result
from fingal.experiments.paper_002.protocol import BEYOND, LEARNERS, PARTS, SCALES, TUNING, Learner
from fingal.experiments.request import Request
from fingal.experiments.study import BASE
from fingal.experiments.sweep import prepare
from fingal.game.picture import Picture

TITLE = "Paper 002 done again: adversarial policy gradient"

NETS = {*PARTS} - {*protocol.EXACT, "table-2", "backup"}
"""The parts that need a net."""


def reproduce(request: Request) -> Result:
    """Train and play what is asked for, or what is left of it, and write the page and the data into the folder.

    With a folder of finished runs nothing is trained: figure 2, if nothing else is named, is made of theirs. ValueError
    for a scale, a part, a player or runs that are not there.
    """
    request.check(tuple(SCALES), PARTS)
    scale = SCALES[request.scale]
    given = None if request.runs is None else finished.found(request.runs)
    parts = tuple(request.parts) or (PARTS if given is None else ("2",))
    result = Result(request, parts, request.opponent or scale.opponent, scale=scale)
    if given is not None:
        result.finished = given
        result.supervised = _start_of(given)
    elif NETS & set(parts):
        _train(result)
    asked = learning.lines([*result.finished, *result.beyond], result.opponent, scale)
    result.play([*learning.meetings(asked), *searches.meetings(result)])
    result.play(searches.last_meetings(result))
    if "tabular" in parts:
        result.tables = tabular.work_out(scale.table, request.folder, request.processes, result.teller("tables"))
    write(result, exact.work_out(parts, scale.exact))
    return result


def _train(result: Result) -> None:
    """The supervised net, the learning rates, and the runs that parts need."""
    scale, parts = result.scale, set(result.parts)
    result.train([scale.supervised().sweep(BASE, 1)], scale.at_once)
    done = result.runs(scale.supervised())
    if not done:
        return
    result.supervised = single.latest(done[0].place)
    if not {"2", "beyond", "rates", "prior"} & parts:
        return
    _choose_rates(result)
    if {"2", "beyond", "prior"} & parts:
        plans = {learner: list(scale.plans(learner, result.rates[learner.key])) for learner in LEARNERS}
        result.finished = list(_trained(result, plans))
    if "beyond" in parts:
        k = min(scale.boards[scale.size])
        rates = {learner: result.rates.get(learner.like) or scale.rates[learner.key][0] for learner in BEYOND}
        made = {learner: scale.plan(learner, rate, k, scale.size) for learner, rate in rates.items()}
        plans = {learner: [replace(plan, seeds=scale.beyond_seeds)] for learner, plan in made.items()}
        result.beyond = list(_trained(result, plans))


def _trained(result: Result, plans: dict[Learner, list[Plan]]) -> Iterator[Finished]:
    """Train these, and what came of them."""
    sweeps = [plan.sweep(BASE, seed) for made in plans.values() for plan in made for seed in range(1, plan.seeds + 1)]
    result.train(sweeps, result.scale.at_once)
    for learner, made in plans.items():
        for plan in made:
            yield from finished.of(learner, result.runs(plan))


def _choose_rates(result: Result) -> None:
    """For every learner with several rates, runs of each whose last nets meet the yardstick."""
    scale = result.scale
    plans = {learner: scale.tuning(learner) for learner in LEARNERS}
    seeds = range(TUNING, TUNING + scale.rate_seeds)
    sweeps = [plan.sweep(BASE, seed) for made in plans.values() for plan in made.values() for seed in seeds]
    result.train(sweeps, scale.at_once)
    for learner, made in plans.items():
        for rate, plan in made.items():
            met = []
            for seed in seeds:
                sweep = plan.sweep(BASE, seed)
                if sweep.name in result.found:
                    run = Trained(seed, result.found[sweep.name][0], prepare(sweep, result.request.folder))
                    name = f"{learner.name}, rate {rate:g}, seed {seed}"
                    met.append(protocol.point(name, run.net, result.opponent, scale.size, scale.rounds))
            result.tried.setdefault(learner.key, {})[rate] = met
    result.play(meeting for rates in result.tried.values() for met in rates.values() for meeting in met)
    for learner in LEARNERS:
        tried = result.tried.get(learner.key, {})
        shares = {rate: [score.rate.value for score in result.scored(met)] for rate, met in tried.items()}
        result.rates[learner.key] = protocol.chosen(shares) if shares else scale.rates[learner.key][0]


def _start_of(runs: list[Finished]) -> Path | None:
    """The net from which the runs on the smallest board begin."""
    begun = [run for run in runs if 0 in run.nets]
    return min(begun, key=lambda run: run.size).nets[0] if begun else None


def write(result: Result, worked: Exact) -> None:
    """The page, its pictures as files, and the data."""
    pictures: dict[str, Picture] = {}
    shown = [
        *exact.sections(worked, pictures),
        *([tabular.section(result.tables, result.scale.table, pictures)] if result.tables else []),
        *learning.sections(result, pictures),
        *searches.sections(result),
    ]
    found = {**findings(result), **exact.findings(worked)}
    data = {"paper": "002", "scale": asdict(result.scale), "findings": found, **result.as_data()}
    page.write(result.request.folder, TITLE, result.scale.name, result.counts(), shown, pictures, data)


def findings(result: Result) -> dict[str, Any]:
    """The figures that the paper's claims hang on, for JSON: means as [mean, low, high, how many]."""
    return {
        "paper": "002",
        "scale": result.scale.name,
        "opponent": result.opponent,
        "tabular": tabular.findings(result.tables),
        **learning.findings(result),
        **searches.findings(result),
        "core_seconds": round(sum(run.seconds for runs in result.found.values() for run in runs), 1),
        "failed": result.failed,
    }
