"""Charts and tables of matches with a yardstick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fingal.arena import charts
from fingal.arena.charts import Curve
from fingal.arena.report.markup import table, text, tinted
from fingal.arena.statistics import Rate
from fingal.experiments.intervals import Mean, student_mean
from fingal.experiments.matches import Score, in_percent
from fingal.game.picture import Picture


def score_table(scores: Sequence[Score]) -> str:
    """A row for each meeting: games, shares with Wilson's intervals, thinking time."""
    rows = []
    for score in scores:
        (game, move), meeting = score.seconds(), score.meeting
        cells = [
            text(meeting.name),
            text(meeting.against or meeting.opponent),
            text(f"{meeting.openings}, {meeting.size}x{meeting.size}"),
        ]
        cells.append(f"{len(score.games)} ({score.distinct})")
        cells += [tinted(rate.value, in_percent(rate)) for rate in (score.rate, score.first, score.second)]
        rows.append([*cells, f"{game:.3f}", f"{move:.4f}"])
    head = ["player", "opponent", "openings", "games (distinct)", "won", "as first", "as second"]
    return table([*head, "seconds a game", "a move"], rows)


def over_seeds(scores: Sequence[Score], rate: Callable[[Score], Rate] = lambda score: score.rate) -> Mean | None:
    """The mean of shares won, one of each seed's net, with Student's interval; None where there is none.

    With one seed the interval is Wilson's, over its games: what other seeds would have done is not in it.
    """
    if len(scores) == 1:
        only = rate(scores[0])
        return Mean(only.value, *only.interval, 1)
    return student_mean([rate(score).value for score in scores], (0.0, 1.0)) if scores else None


def curve(name: str, points: Mapping[int, Sequence[Score]]) -> Curve:
    """Shares won over epochs, or whatever counts: means over seeds with their intervals."""
    means = [(float(at), mean) for at, scores in sorted(points.items()) if (mean := over_seeds(scores)) is not None]
    intervals = [(mean.low, mean.high) for _, mean in means]
    return Curve(name, [(at, mean.value) for at, mean in means], intervals, dots=True)


def level(score: Score, name: str, until: float) -> Curve:
    """A player that does not learn, as a line from one end to the other."""
    return Curve(name, [(0.0, score.rate.value), (until, score.rate.value)])


def by_checkpoint(title: str, curves: Sequence[Curve], x_name: str, most: float = 1.0) -> Picture | None:
    """Shares won over training, from 0 to ``most``; None when there is nothing."""
    shown = [curve for curve in curves if curve.points]
    if not shown:
        return None
    end = max(x for curve in shown for x, _ in curve.points)
    return charts.plane(
        title,
        shown,
        x_name=x_name,
        y_name="games won",
        x_range=(0.0, end or 1.0),
        y_range=(0.0, most),
        write_y=charts.percent,
        width=560.0,
        height=380.0,
    )
