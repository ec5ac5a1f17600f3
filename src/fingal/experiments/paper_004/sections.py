"""The page's sections: win rates over training, search times, the chosen checkpoint, the ladder, the ablations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fingal.arena.report.markup import Section, chart, grid, table, text
from fingal.experiments import ablation
from fingal.experiments.ablation import Ablation, Measure, Plan
from fingal.experiments.contest import by_checkpoint, curve, level, over_seeds, score_table
from fingal.experiments.figure import draw
from fingal.experiments.matches import Meeting, Score, in_percent
from fingal.experiments.paper_004 import protocol
from fingal.experiments.paper_004.protocol import LADDER, SCALES, WAYS, Scale, Way
from fingal.experiments.paper_004.trials import BESIDE
from fingal.experiments.study import Study
from fingal.game.picture import Picture

PAPER_SECONDS = {
    "EZO-CNN, depth 1": {7: 0.5, 9: 2.3, 11: 16.2},
    "EZO-CNN, depth 2": {7: 1.1, 9: 14.2, 11: 96.0},
    "EZO, depth 2": {7: 1.4, 9: 23.7, 11: 182.1},
    "Wolve, depth 2": {7: 0.9, 9: 13.1, 11: 101.0},
    "MoHex 2.0": {7: 29.5, 9: 145.0, 11: 312.3},
}
"""Table II: mean search time in seconds a game."""

EXAM = {"keeps_win": "won positions kept", "sign": "positions whose winner it sees"}
"""What is measured where the truth is known."""


@dataclass
class Result(Study):
    """What was found, at which scale."""

    scale: Scale = SCALES["small"]
    chosen: dict[tuple[int, int], tuple[Meeting, Meeting]] = field(default_factory=dict)
    """By board and seed: the best checkpoint's match, and the one that tests it again."""

    def ends(self, plan: Plan, way: Way) -> list[Score]:
        """The matches of a board's final nets, played in one way."""
        size = plan.common["size"]
        return self.scored(protocol.end_meeting(run, size, self.opponent, way) for run in self.runs(plan))

    def lines(self, plan: Plan) -> list[Score]:
        """Those of the players beside them."""
        return self.scored(protocol.line(player, plan.common["size"], self.opponent) for player in BESIDE)

    def deeper(self, plan: Plan) -> list[Score]:
        """Those of depth 2 against depth 1."""
        return self.scored(protocol.deeper(run, plan.common["size"]) for run in self.runs(plan))

    def ladder(self, plan: Plan, opponent: str) -> list[Score]:
        """Those with a player of the ladder."""
        return self.scored(protocol.rung(run, plan.common["size"], opponent) for run in self.runs(plan))


def make(result: Result, pictures: dict[str, Picture]) -> list[Section]:
    """What there is something for."""
    made: list[Section | None] = []
    for plan in result.scale.plans():
        if "curve" in result.parts:
            made.append(curve_section(result, plan, pictures))
        if "best" in result.parts:
            made.append(best_section(result, plan))
        if "time" in result.parts:
            made.append(time_section(result, plan))
        if "ladder" in result.parts:
            made.append(ladder_section(result, plan))
    for choice in result.scale.ablations(result.parts):
        made.append(ablation.section(choice, measures(result, choice), pictures))
    return [section for section in made if section is not None]


def curve_section(result: Result, plan: Plan, pictures: dict[str, Picture]) -> Section | None:
    """Figure 3 on one board: games won over epochs, with the other players as lines."""
    size = plan.common["size"]
    points: dict[str, dict[int, list[Score]]] = {way.name: {} for way in WAYS}
    for run in result.runs(plan):
        for way, epoch, meeting in protocol.curve_meetings(run, plan, result.opponent, result.scale):
            if meeting in result.scores:
                points[way.name].setdefault(epoch, []).append(result.scores[meeting])
    most = max((epoch for drawn in points.values() for epoch in drawn), default=0)
    if not most:
        return None
    lines = result.lines(plan)
    parts = []
    for bare, heading in ((False, "with connections"), (True, "the net alone")):
        curves = [curve(way.name, points[way.name]) for way in WAYS if way.bare == bare]
        curves += [level(score, score.meeting.name, most) for score in lines]
        picture = by_checkpoint(f"{size}x{size}, {heading}: won against {result.opponent}", curves, "epoch")
        if picture is not None:
            pictures[f"curve-{size}x{size}-{'alone' if bare else 'connections'}"] = picture
            parts.append(chart(picture))
    outcomes = [run.outcome for run in result.runs(plan)]
    for name, title in EXAM.items():
        picture = draw(outcomes, [("base", {})], name, f"{size}x{size}: {title}", over="epoch")
        if picture is not None:
            pictures[f"exam-{size}x{size}-{name}"] = picture
            parts.append(chart(picture))
    words = (
        "<p><b>The paper:</b> at the best checkpoint 60.0% at depth 2 against MoHex 2.0 with 30 s a move on 11x11, "
        "about 50% on 7x7 and 9x9; depth 2 above depth 1, both above EZO and Wolve at depth 2. Every opening within "
        "two rows of a side, both colours: two perfect players would win half each. <b>Here</b> the yardstick is "
        f"<code>{text(result.opponent)}</code>; means over {plan.seeds} seeds with Student's intervals.</p>"
    )
    ends = [score for way in WAYS for score in result.ends(plan, way)]
    shown = score_table([*ends, *lines, *result.deeper(plan)])
    return Section(f"curve-{size}", f"{size}x{size}: games won over training", words + grid(parts) + shown)


def best_section(result: Result, plan: Plan) -> Section | None:
    """The best of a run's checkpoints, and what is left of its score in fresh games."""
    size = plan.common["size"]
    rows = []
    for run in result.runs(plan):
        if (size, run.seed) in result.chosen:
            best, again = (result.scores[meeting] for meeting in result.chosen[size, run.seed])
            rows.append([text(best.meeting.name), in_percent(best.rate), in_percent(again.rate), str(again.distinct)])
    if not rows:
        return None
    words = (
        "<p>The paper's 60.0% is the highest of many checkpoints. The highest of several noisy scores is too high on "
        "average: the checkpoint that was chosen by its score plays the same openings again, with other random numbers "
        "of the yardstick.</p>"
    )
    head = ["chosen", "the score that chose it", "in fresh games", "distinct"]
    return Section(f"best-{size}", f"{size}x{size}: the best checkpoint tested again", words + table(head, rows))


def time_section(result: Result, plan: Plan) -> Section | None:
    """Table II on one board."""
    size = plan.common["size"]
    rows = []
    for way in WAYS:
        if scores := result.ends(plan, way):
            rows.append(_time_row(f"EZO-CNN, {way.name}", [score.seconds() for score in scores]))
    lines = result.lines(plan)
    rows += [_time_row(score.meeting.name, [score.seconds()]) for score in lines]
    if not rows:
        return None
    met = [score for way in WAYS for score in result.ends(plan, way)] + lines
    rows.append(_time_row(result.opponent, [score.seconds(1) for score in met]))
    head = ["", "seconds a game", "a move"]
    body = "<p>A side's own thinking time on this machine, in the games above.</p>" + table(head, rows)
    told = [[text(name), f"{seconds[size]:g}"] for name, seconds in PAPER_SECONDS.items() if size in seconds]
    body += f"<p>The paper's, on its machine:</p>{table(head[:2], told)}" if told else ""
    return Section(f"time-{size}", f"{size}x{size}: search time", body)


def _time_row(name: str, times: Sequence[tuple[float, float]]) -> list[str]:
    game, move = (math.fsum(column) / len(times) for column in zip(*times, strict=True))
    return [text(name), f"{game:.3f}", f"{move:.4f}"]


def ladder_section(result: Result, plan: Plan) -> Section | None:
    """The final nets against simple players."""
    scores = [score for opponent in LADDER for score in result.ladder(plan, opponent)]
    if not scores:
        return None
    size = plan.common["size"]
    return Section(f"ladder-{size}", f"{size}x{size}: against simple players, all openings", score_table(scores))


def measures(result: Result, choice: Ablation) -> dict[str, Measure]:
    """What arms are compared by."""
    plan = result.scale.plans()[0]
    size = plan.common["size"]
    runs = {arm.name: result.runs(plan, arm) for arm in choice.arms}
    scores = {
        name: result.scored(protocol.end_meeting(run, size, result.opponent) for run in made)
        for name, made in runs.items()
    }
    title = f"{size}x{size}: won against {result.opponent}, depth 1, no connections"
    found = {"score": Measure(title, {name: over_seeds(met) for name, met in scores.items()})}
    for figure, words in EXAM.items():
        means = {name: ablation.end(made, figure) for name, made in runs.items()}
        found[figure] = Measure(f"{size}x{size}: {words}", means)
    return found


def board_findings(result: Result, plan: Plan) -> dict[str, Any]:
    """A board's final nets: their scores, times, and the chosen checkpoints."""
    size = plan.common["size"]
    ways: dict[str, Any] = {}
    for way in WAYS:
        scores = result.ends(plan, way)
        ways[way.name] = {
            "won": over_seeds(scores),
            "first": over_seeds(scores, lambda score: score.first),
            "second": over_seeds(scores, lambda score: score.second),
            "seconds_a_game": [score.seconds()[0] for score in scores],
        }
    chosen = {seed: met for (at, seed), met in result.chosen.items() if at == size}
    return {
        "final": ways,
        "lines": {score.meeting.player: score.rate for score in result.lines(plan)},
        "ladder": {opponent: over_seeds(result.ladder(plan, opponent)) for opponent in LADDER},
        "depth_2_against_1": over_seeds(result.deeper(plan)),
        "chosen_and_again": {seed: [score.rate for score in result.scored(met)] for seed, met in chosen.items()},
        "exam": {name: ablation.end(result.runs(plan), name) for name in EXAM},
    }


def ablation_findings(result: Result) -> dict[str, Any]:
    """By ablation, measure and arm: the mean over seeds."""
    return {
        choice.name: {name: measure.means for name, measure in measures(result, choice).items()}
        for choice in result.scale.ablations(result.parts)
    }
