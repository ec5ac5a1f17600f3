"""The page's sections: the curves, matches with the yardstick, the ladder, the ablations, the net inside a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fingal.arena.report.markup import Section, chart, grid, text
from fingal.experiments import ablation
from fingal.experiments.ablation import Ablation, Measure
from fingal.experiments.contest import over_seeds, score_table
from fingal.experiments.figure import Arm, draw
from fingal.experiments.intervals import smoothed
from fingal.experiments.matches import Score
from fingal.experiments.paper_001 import protocol
from fingal.experiments.paper_001.protocol import LADDER, SCALES, SMOOTH, Scale, Way, searches
from fingal.experiments.study import BASE, Study
from fingal.game.picture import Picture

EXAM = {"keeps_win": "won positions kept", "sign": "positions whose winner it sees"}
"""What is measured where the truth is known."""

CURVES = {
    "value": "mean |value| of greedy moves",
    "explored": "mean |value| of random moves",
    "cost": "cost",
    "saturation": "moves with |value| beyond 0.99",
}
"""The paper's two curves, with random moves apart, and what tells confidence from skill."""

WORDS = (
    "<p><b>The paper:</b> against MoHex with 1 s a move on 13x13, with no search, the net won 20.4% of its games as "
    "the first player and 2.1% as the second; 1,000 games, openings not stated. <b>Here</b> the yardstick is "
    "<code>{}</code>. Openings <i>all</i>: every first move once with each colour, where two perfect players would win "
    "half each. Openings <i>none</i>: the empty board, where the net as the first player always opens as it likes "
    "best; {:.0%} of its moves are random there.</p>"
)


@dataclass
class Result(Study):
    """What was found, at which scale."""

    scale: Scale = SCALES["small"]

    def ends(self, opponent: str, way: Way = protocol.NET) -> list[Score]:
        """The matches of the base's final nets over all openings."""
        runs = self.runs(self.scale.plan())
        return self.scored(protocol.meeting(run, run.net, opponent, self.scale.size, way) for run in runs)

    def free(self) -> list[Score]:
        """Those from the empty board."""
        runs = self.runs(self.scale.plan())
        return self.scored(protocol.free(run, self.opponent, self.scale) for run in runs)

    def begun(self) -> list[Score]:
        """Those with the nets as the mentor left them."""
        runs = self.runs(self.scale.plan())
        met = (protocol.begun(run, self.scale.size) for run in runs)
        return self.scored(meeting for meeting in met if meeting is not None)

    def arm(self, arm: Arm) -> list[Score]:
        """Those of an arm's final nets."""
        runs = self.runs(self.scale.plan(), arm)
        size = self.scale.size
        return self.scored(protocol.meeting(run, protocol.file_of(arm, run), self.opponent, size) for run in runs)


def make(result: Result, pictures: dict[str, Picture]) -> list[Section]:
    """What there is something for."""
    made: list[Section | None] = []
    if "curves" in result.parts:
        made.append(curve_section(result, pictures))
    if "match" in result.parts:
        made.append(match_section(result))
    if "ladder" in result.parts:
        made.append(ladder_section(result))
    for choice in result.scale.ablations(result.parts):
        made.append(ablation.section(choice, measures(result, choice), pictures))
    if "search" in result.parts:
        made.append(search_section(result, pictures))
    return [section for section in made if section is not None]


def curve_section(result: Result, pictures: dict[str, Picture]) -> Section | None:
    """The paper's two curves, and the exam."""
    plan = result.scale.plan()
    outcomes = [run.outcome for run in result.runs(plan)]
    seen = [smoothed(outcome, tuple(CURVES), SMOOTH) for outcome in outcomes]
    drawn: dict[str, Picture | None] = {
        f"curve-{name}": draw(seen, [("base", {})], name, title, y_range=None if name == "cost" else (0.0, 1.0))
        for name, title in CURVES.items()
    }
    for name, title in EXAM.items():
        drawn[f"exam-{name}"] = draw(
            outcomes, [("base", {})], name, f"{result.scale.size}x{result.scale.size}: {title}"
        )
    there = {name: picture for name, picture in drawn.items() if picture is not None}
    if not there:
        return None
    pictures |= there
    words = (
        "<p><b>The paper:</b> both curves are shown without numbers: the mean absolute value rises. It says how sure "
        f"the net is, not how right. Running means over {SMOOTH} games; means over {plan.seeds} seeds with Student's "
        "intervals.</p>"
    )
    return Section("curves", "Value and cost over training", words + grid(map(chart, there.values())), "Curves")


def match_section(result: Result) -> Section | None:
    """The final nets against the yardstick, and against themselves as the mentor left them."""
    scores = [*result.free(), *result.ends(result.opponent), *result.begun()]
    if not scores:
        return None
    words = WORDS.format(text(result.opponent), result.scale.noise)
    return Section("match", "Against the yardstick", words + score_table(scores), "Match")


def ladder_section(result: Result) -> Section | None:
    """The final nets against simple players."""
    scores = [score for opponent in LADDER for score in result.ends(opponent)]
    return Section("ladder", "Against simple players, all openings", score_table(scores), "Ladder") if scores else None


def measures(result: Result, choice: Ablation) -> dict[str, Measure]:
    """What arms are compared by."""
    size, plan = result.scale.size, result.scale.plan()
    scores = {arm.name: result.arm(arm) for arm in choice.arms}
    title = f"{size}x{size}: won against {result.opponent}, no search"
    found = {"score": Measure(title, {name: over_seeds(met) for name, met in scores.items()})}
    for figure, words in EXAM.items():
        # A run's figures are those of its values.
        means = {
            arm.name: None if arm.name == protocol.POLICY else ablation.end(result.runs(plan, arm), figure)
            for arm in choice.arms
        }
        found[figure] = Measure(f"{size}x{size}: {words}", means)
    return found


def search_section(result: Result, pictures: dict[str, Picture]) -> Section | None:
    """The net inside a search."""
    ways = searches(result.scale)
    scores = {way.name: result.ends(result.opponent, way) for way in ways}
    size = result.scale.size
    title = f"{size}x{size}: won against {result.opponent}, no connections"
    measure = Measure(title, {name: over_seeds(met) for name, met in scores.items()})
    picture = ablation.picture([way.name for way in ways], measure)
    if picture is None:
        return None
    pictures["search"] = picture
    words = "<p><b>The paper:</b> left to future work: a search with the net inside.</p>"
    body = words + chart(picture) + score_table([score for met in scores.values() for score in met])
    return Section("search", "The net inside a search", body, "Search")


def findings(result: Result) -> dict[str, Any]:
    """The figures that the paper's claims hang on: means as [mean, low, high, how many]."""

    def shares(scores: list[Score]) -> dict[str, Any]:
        return {
            "all": over_seeds(scores),
            "first": over_seeds(scores, lambda score: score.first),
            "second": over_seeds(scores, lambda score: score.second),
        }

    runs = result.runs(result.scale.plan(), BASE)
    return {
        "free": shares(result.free()),
        "openings": shares(result.ends(result.opponent)),
        "against_mentored": shares(result.begun()),
        "ladder": {opponent: shares(result.ends(opponent)) for opponent in LADDER},
        "end": {name: ablation.end(runs, name) for name in (*CURVES, *EXAM)},
        "search": {way.name: over_seeds(result.ends(result.opponent, way)) for way in searches(result.scale)},
        "ablations": {
            choice.name: {name: measure.means for name, measure in measures(result, choice).items()}
            for choice in result.scale.ablations(result.parts)
        },
    }
