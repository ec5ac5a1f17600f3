"""Paper 004 from its settings to its page: runs, matches with the yardstick, the page and the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from fingal.experiments import ablation, page
from fingal.experiments.matches import Meeting
from fingal.experiments.paper_004 import protocol, sections
from fingal.experiments.paper_004.protocol import FRESH, FRESH_ROUNDS, LADDER, PARTS, SCALES, WAYS
from fingal.experiments.paper_004.sections import Result
from fingal.experiments.paper_004.trials import BESIDE
from fingal.experiments.request import Request
from fingal.experiments.study import BASE
from fingal.game.picture import Picture

TITLE = "Paper 004 done again: EZO-CNN"


def reproduce(request: Request) -> Result:
    """Train and play what is asked for, or what is left of it, and write the page and the data into the folder.

    ValueError for a scale, a part or a player that is not there.
    """
    request.check(tuple(SCALES), PARTS)
    scale = SCALES[request.scale]
    result = Result(request, tuple(request.parts) or PARTS, request.opponent or scale.opponent, scale=scale)
    plans = scale.plans()
    asked = ablation.sweeps(plans[0], BASE, scale.ablations(result.parts))
    if {"curve", "time", "best", "ladder"} & set(result.parts):
        asked += [made for plan in plans[1:] for made in ablation.sweeps(plan, BASE, ())]
    result.train(asked, scale.at_once)
    result.play(_meetings(result))
    if "best" in result.parts:
        _test_again(result)
    write(result)
    return result


def _meetings(result: Result) -> Iterator[Meeting]:
    """The matches of all parts but the last tests of chosen checkpoints, which are not known yet."""
    scale, parts, opponent = result.scale, set(result.parts), result.opponent
    for plan in scale.plans():
        size = plan.common["size"]
        for run in result.runs(plan):
            if {"curve", "best"} & parts:
                for _, _, meeting in protocol.curve_meetings(run, plan, opponent, scale):
                    yield meeting
            if {"curve", "time"} & parts:
                yield from (protocol.end_meeting(run, size, opponent, way) for way in WAYS)
                yield protocol.deeper(run, size)
            if "ladder" in parts:
                yield from (protocol.rung(run, size, rung) for rung in LADDER)
        if {"curve", "time"} & parts:
            yield from (protocol.line(text, size, opponent) for text in BESIDE)
    plan = scale.plans()[0]
    for choice in scale.ablations(result.parts):
        for arm in choice.arms:
            for run in result.runs(plan, arm):
                yield protocol.end_meeting(run, plan.common["size"], opponent)


def _test_again(result: Result) -> None:
    """Each run's best checkpoint, by the paper's measure, plays fresh games."""
    for plan in result.scale.plans():
        size = plan.common["size"]
        for run in result.runs(plan):
            met = protocol.curve_meetings(run, plan, result.opponent, result.scale)
            tried = [meeting for way, _, meeting in met if way.chooses and meeting in result.scores]
            if tried:
                best = max(tried, key=lambda meeting: result.scores[meeting].rate.value)
                games = FRESH_ROUNDS * len(result.scores[best].games)
                result.chosen[size, run.seed] = best, replace(best, games=games, seed=FRESH)
    result.play(again for _, again in result.chosen.values())


def write(result: Result) -> None:
    """The page, its pictures as files, and the data."""
    pictures: dict[str, Picture] = {}
    shown = sections.make(result, pictures)
    data = {"paper": "004", "scale": asdict(result.scale), "findings": findings(result), **result.as_data()}
    page.write(result.request.folder, TITLE, result.scale.name, result.counts(), shown, pictures, data)


def findings(result: Result) -> dict[str, Any]:
    """The figures that the paper's claims hang on, for JSON: means as [mean, low, high, how many]."""
    return {
        "paper": "004",
        "scale": result.scale.name,
        "opponent": result.opponent,
        "boards": {plan.common["size"]: sections.board_findings(result, plan) for plan in result.scale.plans()},
        "ablations": sections.ablation_findings(result),
        "core_seconds": round(sum(run.seconds for runs in result.found.values() for run in runs), 1),
        "failed": result.failed,
    }
