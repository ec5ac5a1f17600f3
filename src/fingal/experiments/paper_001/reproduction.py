"""Paper 001 from its settings to its page: runs, matches with the yardstick, the page and the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from fingal.experiments import ablation, page
from fingal.experiments.matches import Meeting
from fingal.experiments.paper_001 import protocol, sections
from fingal.experiments.paper_001.protocol import LADDER, PARTS, SCALES, searches
from fingal.experiments.paper_001.sections import Result
from fingal.experiments.request import Request
from fingal.experiments.study import BASE
from fingal.game.picture import Picture

TITLE = "Paper 001 done again: NeuroHex"


def reproduce(request: Request) -> Result:
    """Train and play what is asked for, or what is left of it, and write the page and the data into the folder.

    ValueError for a scale, a part or a player that is not there.
    """
    request.check(tuple(SCALES), PARTS)
    scale = SCALES[request.scale]
    result = Result(request, tuple(request.parts) or PARTS, request.opponent or scale.opponent, scale=scale)
    result.train(ablation.sweeps(scale.plan(), BASE, scale.ablations(result.parts)), scale.at_once)
    result.play(_meetings(result))
    write(result)
    return result


def _meetings(result: Result) -> Iterator[Meeting]:
    """The matches of all parts."""
    scale, parts, plan, opponent = result.scale, set(result.parts), result.scale.plan(), result.opponent
    for run in result.runs(plan):
        if "match" in parts:
            yield protocol.free(run, opponent, scale)
            yield protocol.meeting(run, run.net, opponent, scale.size)
            begun = protocol.begun(run, scale.size)
            if begun is not None:
                yield begun
        if "ladder" in parts:
            yield from (protocol.meeting(run, run.net, rung, scale.size) for rung in LADDER)
        if "search" in parts:
            yield from (protocol.meeting(run, run.net, opponent, scale.size, way) for way in searches(scale))
    for choice in scale.ablations(result.parts):
        for arm in choice.arms:
            for run in result.runs(plan, arm):
                yield protocol.meeting(run, protocol.file_of(arm, run), opponent, scale.size)


def write(result: Result) -> None:
    """The page, its pictures as files, and the data."""
    pictures: dict[str, Picture] = {}
    shown = sections.make(result, pictures)
    data = {"paper": "001", "scale": asdict(result.scale), "findings": findings(result), **result.as_data()}
    page.write(result.request.folder, TITLE, result.scale.name, result.counts(), shown, pictures, data)


def findings(result: Result) -> dict[str, Any]:
    """The figures that the paper's claims hang on, for JSON."""
    return {
        "paper": "001",
        "scale": result.scale.name,
        "opponent": result.opponent,
        **sections.findings(result),
        "core_seconds": round(sum(run.seconds for runs in result.found.values() for run in runs), 1),
        "failed": result.failed,
    }
