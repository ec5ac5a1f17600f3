"""Figure 2: games won over training by the five learners, at equal games and at equal cost, and the learning rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fingal.arena.charts import Curve
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.experiments import ablation, single
from fingal.experiments.ablation import Measure
from fingal.experiments.contest import by_checkpoint, curve, level, over_seeds
from fingal.experiments.figure import interpolated
from fingal.experiments.intervals import difference, student_mean
from fingal.experiments.matches import Meeting, Score, in_percent
from fingal.experiments.paper_002 import protocol, quoted
from fingal.experiments.paper_002.finished import Finished, labels, once
from fingal.experiments.paper_002.protocol import LEARNERS, MEAN, SCALES, Scale
from fingal.experiments.paper_002.tabular import Row
from fingal.experiments.study import Study
from fingal.game.picture import Picture

COURSE = {"return": "mean return", "winning": "returns of +1", "entropy": "entropy of the policy"}
"""Figures of a run that say how it learned: where nearly all returns are -1, moves are only ever made less likely."""

KEPT = "keeps_win"
"""The share of won positions in which the likeliest move still wins: a sharper policy alone does not change it."""


@dataclass
class Result(Study):
    """What was found, at which scale."""

    scale: Scale = SCALES["small"]
    finished: list[Finished] = field(default_factory=list)
    """The runs of figure 2."""
    beyond: list[Finished] = field(default_factory=list)
    """Those that the paper does not have."""
    rates: dict[str, float] = field(default_factory=dict)
    """The learning rate of each learner, by its key."""
    tried: dict[str, dict[float, list[Meeting]]] = field(default_factory=dict)
    """The matches that chose it."""
    tables: list[Row] = field(default_factory=list)
    """The learners with a table."""
    supervised: Path | None = None
    """The net that the runs begin from."""


@dataclass(frozen=True)
class Line:
    """The runs of one learner with one setting on one board."""

    name: str
    runs: tuple[Finished, ...]
    points: tuple[dict[int, Meeting], ...]
    """Of each run: its matches by iteration, the start's at 0."""

    @property
    def k(self) -> int | None:
        """Continuations of a move."""
        return self.runs[0].k

    def scores(self, scores: Mapping[Meeting, Score]) -> dict[int, list[Score]]:
        """By iteration, of those that were played; runs that begin alike have their start once."""
        found: dict[int, dict[Meeting, Score]] = {}
        for points in self.points:
            for iteration, meeting in points.items():
                if meeting in scores:
                    found.setdefault(iteration, {})[meeting] = scores[meeting]
        return {iteration: list(met.values()) for iteration, met in found.items()}

    def ends(self, scores: Mapping[Meeting, Score]) -> list[Score]:
        """Those of the last nets."""
        last = (points[max(points)] for points in self.points)
        return [scores[meeting] for meeting in last if meeting in scores]

    def at_cost(self, scores: Mapping[Meeting, Score], cost: float) -> list[float]:
        """Of each run: the share won after so many positions, on a line between its points."""
        shares = []
        for run, points in zip(self.runs, self.points, strict=True):
            played = [(at, scores[met]) for at, met in sorted(points.items()) if met in scores]
            if played:
                shares.append(interpolated([(run.cost(at), score.rate.value) for at, score in played], cost))
        return shares


def lines(runs: Sequence[Finished], opponent: str, scale: Scale) -> list[Line]:
    """Runs put together by what they are, with their matches, in the paper's order and by k."""
    spread = [single.spread(run.nets, scale.points) for run in runs]
    same = once(net for nets in spread for at, net in nets.items() if at == 0)
    groups: dict[tuple[str, int, int | None], list[tuple[Finished, dict[int, Meeting]]]] = {}
    for run, nets, name in zip(runs, spread, labels(runs), strict=True):
        met = {}
        for at, net in nets.items():
            if at:
                met[at] = protocol.point(f"{name}, iteration {at}, seed {run.seed}", net, opponent, run.size)
            else:
                met[at] = protocol.point("the supervised net", same[net], opponent, run.size, scale.rounds)
        groups.setdefault((name, run.size, run.k), []).append((run, met))
    made = [Line(name, *(tuple(part) for part in zip(*group, strict=True))) for (name, _, _), group in groups.items()]
    order = {learner: number for number, learner in enumerate(LEARNERS)}
    return sorted(made, key=lambda line: (line.runs[0].size, line.k or 0, order.get(line.runs[0].learner, 9)))


def starts(made: Sequence[Line]) -> dict[int, Meeting]:
    """By board: the match of the net that its lines begin with."""
    found: dict[int, Meeting] = {}
    for line in made:
        for points in line.points:
            if 0 in points:
                found.setdefault(line.runs[0].size, points[0])
    return found


def meetings(made: Sequence[Line]) -> Iterator[Meeting]:
    """All matches of these lines, the ends first: what matters most is there when time is short."""
    yield from map(protocol.sharpened, starts(made).values())
    for pick in (True, False):
        for line in made:
            for points in line.points:
                yield from (met for at, met in points.items() if (at == max(points)) == pick)


def panels(made: Sequence[Line]) -> dict[tuple[int, int], list[Line]]:
    """By board and k: the lines that are drawn together; those without continuations stand in every panel."""
    found = {}
    for size in sorted({line.runs[0].size for line in made}):
        here = [line for line in made if line.runs[0].size == size]
        for k in sorted({line.k for line in here if line.k is not None}) or [0]:
            found[size, k] = [line for line in here if line.k in (None, k)]
    return found


def sections(result: Result, pictures: dict[str, Picture]) -> list[Section]:
    """What there is something for."""
    made: list[Section | None] = []
    if "rates" in result.parts:
        made.append(rate_section(result))
    if "2" in result.parts:
        made.append(figure_section(result, pictures))
    if "beyond" in result.parts:
        made.append(beyond_section(result, pictures))
    return [section for section in made if section is not None]


def _lines(result: Result, runs: Sequence[Finished]) -> list[Line]:
    """Those of some of the runs, with the matches that were played: all runs share their start, which plays once."""
    made = lines([*result.finished, *result.beyond], result.opponent, result.scale)
    return [line for line in made if any(line.runs[0] is run for run in runs)]


def figure_section(result: Result, pictures: dict[str, Picture]) -> Section | None:
    """Figure 2: a panel for every board and k, over iterations and over cost, and where the lines end."""
    made = _lines(result, result.finished)
    drawn: list[str] = []
    body = ""
    for (size, k), shown in panels(made).items():
        points = {line.name: line.scores(result.scores) for line in shown}
        curves = [curve(name, met) for name, met in points.items() if met]
        sharp = _sharpened(result, made, size)
        if sharp is not None and curves:
            curves.append(level(sharp, "supervised, best moves", max(at for met in points.values() for at in met)))
        most = _ceiling(curves)
        title = f"{size}x{size}, k = {k}: won against {result.opponent}"
        over = by_checkpoint(title, curves, "iteration", most)
        if over is None:
            continue
        pictures[f"figure-2-{size}x{size}-k{k}"] = over
        drawn.append(chart(over))
        costs = by_checkpoint(title, [_over_cost(line, result.scores) for line in shown], "million positions", most)
        if costs is not None:
            pictures[f"cost-{size}x{size}-k{k}"] = costs
            drawn.append(chart(costs))
        body += f"<h3>{size}x{size}, k = {k}</h3>" + _ends(shown, result)
    if not drawn:
        return None
    words = (
        "<p><b>The paper:</b> both learners with the minimum are above the three without from k = 1 on, and more so on "
        "11x11; its figure is lost, its axis ends at 40%, and no numbers are in its words. The supervised net wins "
        f"{in_percent(quoted.STARTS[9])} on 9x9 and {in_percent(quoted.STARTS[11])} on 11x11 against Wolve one move "
        f"deep. <b>Here</b> the yardstick is <code>{text(result.opponent)}</code>, every opening is played once with "
        "each colour, and the net draws every move from its policy. The line is the supervised net when it plays its "
        "best move instead: what a learner gains up to there may be no more than a sharper policy. Intervals are "
        "Student's over seeds, and Wilson's over games where there is one seed. Cost is counted in positions that went "
        "through the net.</p>"
    )
    return Section("figure-2", "Figure 2: games won over training", words + grid(drawn) + body, "Figure 2")


def _ends(shown: Sequence[Line], result: Result) -> str:
    """A table: where each line ends, how far from REINFORCE-B, and where it is at equal cost."""
    cost = min(line.runs[0].cost(max(line.points[0])) for line in shown)
    mean = next((line for line in shown if line.runs[0].learner is MEAN), None)
    rows = []
    for line in shown:
        ends = line.ends(result.scores)
        if not ends:
            continue
        won = over_seeds(ends)
        assert won is not None
        apart = "·"
        if mean is not None and line is not mean and (others := mean.ends(result.scores)):
            apart = _apart([score.rate.value for score in ends], [score.rate.value for score in others])
        equal = line.at_cost(result.scores, cost)
        run = line.runs[0]
        rows.append(
            [
                text(line.name),
                f"{run.setting.get('learning_rate', 0):g}",
                str(len(line.runs)),
                tinted(won.value, won.as_percent()),
                apart,
                _kept(line.runs),
                f"{100 * sum(equal) / len(equal):.1f}%",
                f"{run.cost(max(run.nets)) / 1e6:.2f}",
                *(_end_of(line.runs, name) for name in COURSE),
            ]
        )
    head = [
        "",
        "rate",
        "seeds",
        "won at the end",
        "less REINFORCE-B",
        "won positions kept",
        "at equal cost",
        "million positions",
    ]
    return table([*head, *COURSE.values()], rows)


def _sharpened(result: Result, made: Sequence[Line], size: int) -> Score | None:
    """The match of the supervised net's best moves."""
    begun = starts(made).get(size)
    return None if begun is None else result.scores.get(protocol.sharpened(begun))


def rate_section(result: Result) -> Section | None:
    """How the learning rates were chosen."""
    rows = []
    for learner in LEARNERS:
        for rate, met in result.tried.get(learner.key, {}).items():
            won = over_seeds(result.scored(met))
            if won is not None:
                mark = " ←" if result.rates.get(learner.key) == rate else ""
                rows.append([text(learner.name), f"{rate:g}{mark}", tinted(won.value, won.as_percent()), str(won.size)])
    if not rows:
        return None
    words = (
        "<p><b>The paper:</b> 0.001 for all, by grid search. REINFORCE-V and -A sum over all moves of a game where the "
        "others have one, so equal rates are not equal steps. <b>Here</b> every learner has its own, chosen with the "
        "least k by games against the yardstick, with seeds that no other run has.</p>"
    )
    return Section("rates", "Learning rates", words + table(["", "rate", "won", "seeds"], rows), "Rates")


def beyond_section(result: Result, pictures: dict[str, Picture]) -> Section | None:
    """What the paper does not have, beside what it has, at the least k."""
    made = _lines(result, result.beyond)
    k = min(result.scale.seeds)
    base = [line for line in _lines(result, result.finished) if line.k in (None, k)]
    here = [line for line in base if line.runs[0].size == result.scale.size]
    means = {line.name: over_seeds(line.ends(result.scores)) for line in (*here, *made)}
    size = result.scale.size
    measure = Measure(f"{size}x{size}: won against {result.opponent}", means)
    picture = ablation.picture(list(means), measure)
    if picture is None or not made:
        return None
    pictures["beyond"] = picture
    words = (
        "<p><b>The paper:</b> calls for an actor with a critic, and has none of the others. A soft minimum lies "
        "between the mean and the minimum; the least mean is what its own equation asks for.</p>"
    )
    return Section("beyond", "Beyond the paper", words + chart(picture) + _ends(made, result), "Beyond")


def findings(result: Result) -> dict[str, Any]:
    """Where the lines end: means as [mean, low, high, how many]."""
    told: dict[str, Any] = {"rates": result.rates, "start": {}, "ends": {}, "kept": {}, "minimum_less_mean": {}}
    made = lines([*result.finished, *result.beyond], result.opponent, result.scale)
    for size, begun in starts(made).items():
        both = result.scored((begun, protocol.sharpened(begun)))
        told["start"][f"{size}x{size}"] = {score.meeting.name: score.rate for score in both}
    for line in made:
        size, k = line.runs[0].size, line.k
        name = f"{size}x{size} {line.name}" + (f", k = {k}" if k is not None else "")
        ends = line.ends(result.scores)
        told["ends"][name] = over_seeds(ends)
        if values := _last(line.runs, KEPT):
            told["kept"][name] = student_mean(values, (0.0, 1.0))
        if line.runs[0].learner.minimum:
            others = [
                score
                for other in made
                if other.runs[0].learner is MEAN and (other.runs[0].size, other.k) == (size, k)
                for score in other.ends(result.scores)
            ]
            if ends and others:
                shares = ([score.rate.value for score in met] for met in (ends, others))
                told["minimum_less_mean"][name] = difference(*shares)
    return told


def _over_cost(line: Line, scores: Mapping[Meeting, Score]) -> Curve:
    """The same line over millions of positions; the points of its runs stand where the first run's do."""
    met = line.scores(scores)
    drawn = curve(line.name, met)
    costs = [line.runs[0].cost(at) / 1e6 for at in sorted(met)]
    points = [(cost, share) for cost, (_, share) in zip(costs, drawn.points, strict=True)]
    return Curve(drawn.name, points, drawn.intervals, dots=True)


def _ceiling(curves: Sequence[Curve]) -> float:
    """The top of an axis, in tenths."""
    highs = [high for drawn in curves for _, high in drawn.intervals]
    most = max((*highs, *(share for drawn in curves for _, share in drawn.points)), default=1.0)
    return min(1.0, (int(10 * most) + 1) / 10)


def _last(runs: Sequence[Finished], name: str) -> list[float]:
    """A figure in the last row of each run that has it there."""
    return [run.rows[-1][name] for run in runs if run.rows and name in run.rows[-1]]


def _end_of(runs: Sequence[Finished], name: str) -> str:
    """Its mean; '·' where there is none."""
    values = _last(runs, name)
    return f"{student_mean(values).value:.2f}" if values else "·"


def _kept(runs: Sequence[Finished]) -> str:
    """Won positions kept, where the truth is known."""
    values = _last(runs, KEPT)
    return student_mean(values, (0.0, 1.0)).as_percent() if values else "·"


def _apart(one: Sequence[float], other: Sequence[float]) -> str:
    apart = difference(one, other)
    if apart.size == 1:
        return f"{100 * apart.value:+.1f}"
    return f"{100 * apart.value:+.1f} [{100 * apart.low:+.1f}, {100 * apart.high:+.1f}]"
