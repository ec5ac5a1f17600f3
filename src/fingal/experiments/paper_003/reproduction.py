"""Paper 003 from its settings to its page: runs, tournaments of their nets, the page and the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fingal.arena.report.markup import Section
from fingal.experiments import ablation, page
from fingal.experiments.ablation import Trained
from fingal.experiments.figure import Arm
from fingal.experiments.paper_003 import causes, learning, lineages, protocol, soft_mistakes, tournament, transfer
from fingal.experiments.paper_003.causes import Marks
from fingal.experiments.paper_003.hall import Hall
from fingal.experiments.paper_003.learning import Rivals
from fingal.experiments.paper_003.lineages import Lineage
from fingal.experiments.paper_003.protocol import GENERATIONS, OURS, PARTS, SCALES, TRANSFER, VARIANTS, Scale
from fingal.experiments.paper_003.tournament import Tournament
from fingal.experiments.paper_003.transformer_causes import DQN_CAUSES
from fingal.experiments.request import Request
from fingal.experiments.study import BASE, Study
from fingal.game.picture import Picture
from fingal.nets.choice import PAPER_NAMES

TITLE = "Paper 003 done again: generations of deep Q-learning"

FROM_RUNS = ("4", "5", "6", "7", "table-2", "corrected")
"""The parts that can be made of runs that are there."""


@dataclass
class Result(Study):
    """What was found, at which scale."""

    scale: Scale = SCALES["small"]
    bases: list[Lineage] = field(default_factory=list)
    """The runs of figure 4, of the scale's own board first."""
    runs_of_dqn: list[Lineage] = field(default_factory=list)
    """Those with generations."""
    rival_runs: list[Lineage] = field(default_factory=list)
    """The paper's settings and the corrected ones, of more seeds than the others, perhaps."""
    held: list[tuple[Tournament, Tournament]] = field(default_factory=list)
    """Figure 6: each tournament, and its best agents from every opening."""
    groups: list[Tournament] = field(default_factory=list)
    transfers: list[transfer.Row] = field(default_factory=list)
    rivals: Rivals = field(default_factory=dict)
    ppo: list[Trained] = field(default_factory=list)
    sac: dict[str, list[Trained]] = field(default_factory=dict)
    slow: dict[str, list[Lineage]] = field(default_factory=dict)
    """By cause: the runs of a transformer against the random player."""
    lessons: Marks = field(default_factory=dict)
    alphazero: Marks = field(default_factory=dict)
    games: int = 0
    """Between nets."""


def reproduce(request: Request) -> Result:
    """Train and play what is asked for, or what is left of it, and write the page and the data into the folder.

    With a folder of finished runs of DQN nothing is trained, and the figures are made of theirs. ValueError for a
    scale, a part or runs that are not there.
    """
    request.check(tuple(SCALES), PARTS)
    if request.opponent is not None:
        raise ValueError(f"opponent={request.opponent!r} is not possible: the agents of paper 003 play each other")
    scale = SCALES[request.scale]
    given = None if request.runs is None else lineages.found(request.runs)
    parts = tuple(request.parts) or (PARTS if given is None else FROM_RUNS)
    if given is not None and (other := [part for part in parts if part not in FROM_RUNS]):
        raise ValueError(f"figure {other[0]} cannot be made of runs that are there: {', '.join(FROM_RUNS)} can")
    result = Result(request, parts, "random", scale=scale)
    if given is None:
        _train(result)
    else:
        alone = [run for run in given if not run.grown and not run.variant]
        here = [run for run in given if run.size == scale.size and not run.variant]
        result.bases = [run for run in alone if run.size == scale.size] or here
        result.bases += lineages.several_nets(alone, scale.size, scale.sizes)
        result.runs_of_dqn = result.rival_runs = [run for run in given if run.grown or run.variant]
    _play(result)
    if "transformer" in parts:
        result.lessons = causes.lessons(scale, request.folder, request.processes, result.teller("lessons"))
    if "alphazero" in parts:
        tell = result.teller("AlphaZero on 3x3")
        result.alphazero = causes.alphazero(scale, request.folder, request.processes, tell)
    write(result)
    return result


def _train(result: Result) -> None:
    """The runs that parts need: those whose settings hang on others' last."""
    scale, parts = result.scale, set(result.parts)
    bases, here, policies, soft = scale.bases(), scale.lineage(scale.size), scale.policies(), scale.soft()
    base_arms = list(protocol.nets((*PAPER_NAMES, OURS))) if "4" in parts else []
    slow_arms = [Arm(name, fields) for name, fields in DQN_CAUSES.items()] if "transformer" in parts else []
    arms = (
        list(protocol.nets()) if parts & {"5", "6"} else list(protocol.nets([TRANSFER])) if parts & GENERATIONS else []
    )
    abroad = [scale.lineage(size) for size in scale.sizes if size != scale.size] if parts & {"7", "table-2"} else []
    rivals = scale.lineage(scale.size, scale.rivals)
    literal = next(protocol.nets([TRANSFER]))
    asked = [bases.sweep(arm, seed) for arm in (*base_arms, *slow_arms) for seed in _seeds(bases.seeds)]
    asked += [here.sweep(arm, seed) for arm in arms for seed in _seeds(here.seeds)]
    asked += [plan.sweep(literal, seed) for plan in abroad for seed in _seeds(plan.seeds)]
    if "corrected" in parts:
        asked += [rivals.sweep(literal, seed) for seed in _seeds(rivals.seeds)]
    if "ppo" in parts:
        asked += [policies.sweep(BASE, seed) for seed in _seeds(policies.seeds)]
    choices = (soft_mistakes.MISTAKES, soft_mistakes.BEYOND) if "sac" in parts else ()
    asked += ablation.sweeps(soft, soft_mistakes.RIGHT, choices) if choices else []
    result.train(list({sweep.name: sweep for sweep in asked}.values()), scale.at_once)
    result.bases = [run for arm in base_arms for run in lineages.of(result.runs(bases, arm))]
    result.slow = {arm.name: lineages.of(result.runs(bases, arm)) for arm in slow_arms}
    made = [run for arm in arms for run in lineages.of(result.runs(here, arm))]
    made += [run for plan in abroad for run in lineages.of(result.runs(plan, literal))]
    if "corrected" in parts:
        theirs = lineages.of(result.runs(rivals, literal))
        result.rival_runs = [*theirs, *_corrected(result, theirs)]
    result.runs_of_dqn = made
    result.ppo = result.runs(policies)
    result.sac = {arm.name: result.runs(soft, arm) for choice in choices for arm in choice.arms}


def _corrected(result: Result, theirs: Sequence[Lineage]) -> list[Lineage]:
    """Runs with corrected settings, each as many moves as the paper's with the same seed."""
    scale = result.scale
    plan = scale.lineage(scale.size, scale.rivals)
    moves = {run.seed: int(run.last("moves") or 1) for run in theirs}
    arms = [(seed, protocol.corrected(name, most)) for name in VARIANTS for seed, most in moves.items()]
    result.train([plan.sweep(arm, seed) for seed, arm in arms], scale.at_once)
    done = [run for seed, arm in arms for run in result.runs(replace(plan, seeds=seed), arm) if run.seed == seed]
    return lineages.of(done)


def _seeds(count: int) -> range:
    return range(1, count + 1)


def _play(result: Result) -> None:
    """The games between nets."""
    scale, parts, runs = result.scale, set(result.parts), result.runs_of_dqn
    hall = Hall(result.request.folder / "games", result.teller)
    if "6" in parts:
        tournaments = tournament.play(hall, runs, scale.size, scale.sizes)
        result.held = [(held, tournament.forced(hall, held)) for held in tournaments]
    if parts & {"7", "table-2"}:
        result.groups = tournament.groups(hall, runs, scale.sizes)
    if "table-2" in parts:
        result.transfers = transfer.play(hall, result.groups, (*scale.sizes, *scale.beyond))
    if "corrected" in parts:
        result.rivals = learning.rivals(hall, result.rival_runs, scale.size)
    result.games = hall.played


def write(result: Result) -> None:
    """The page, its pictures as files, and the data."""
    scale, parts = result.scale, result.parts
    pictures: dict[str, Picture] = {}
    made: list[Section | None] = []
    made += learning.base_sections(result.bases, scale.size, pictures) if "4" in parts else []
    made += [learning.bin_section(result.runs_of_dqn, scale, pictures)] if "5" in parts else []
    made += [tournament.section(*both, scale.size, pictures) for both in result.held]
    made += [tournament.group_section(result.groups, pictures)] if "7" in parts else []
    made += [transfer.section(result.transfers, scale.sizes), learning.rival_section(result.rivals)]
    made.append(causes.transformer_section(result.lessons, result.slow))
    made += [learning.policy_section(result.ppo, scale)] if "ppo" in parts else []
    made += learning.mistake_sections(result.sac, scale.soft().common["size"], pictures)
    made.append(causes.alphazero_section(result.alphazero))
    shown = [section for section in made if section is not None]
    data = {"paper": "003", "scale": asdict(scale), "findings": findings(result), **result.as_data()}
    slow = [run for same in result.slow.values() for run in same]
    of_dqn = (*result.bases, *slow, *result.runs_of_dqn, *result.rival_runs)
    runs = len({run.latest for run in of_dqn}) + len(result.ppo)
    counts = {"runs": runs + sum(map(len, result.sac.values())), "games between nets": result.games}
    page.write(result.request.folder, TITLE, scale.name, counts, shown, pictures, data)


def findings(result: Result) -> dict[str, Any]:
    """What the paper's claims hang on, for JSON: means as [mean, low, high, how many], games as [won, of]."""
    scale = result.scale
    return {
        "paper": "003",
        "scale": scale.name,
        **learning.findings(result.bases, scale.size, result.rivals),
        "tournaments": tournament.findings(result.held),
        "table_2": transfer.findings(result.transfers),
        "ppo": {key: ablation.end(result.ppo, key) for key in protocol.BEATEN},
        "sac": {
            key: measure.means for key, measure in learning.measures(result.sac, scale.soft().common["size"]).items()
        },
        "transformer": result.lessons,
        "transformer_episodes": {name: [run.streak() for run in same] for name, same in result.slow.items()},
        "alphazero": result.alphazero,
        "core_seconds": round(sum(run.seconds for runs in result.found.values() for run in runs), 1),
        "failed": result.failed,
    }
