"""An exam's results for people: a table in the terminal, and a picture."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fingal.arena import charts
from fingal.arena.charts import Curve, Row
from fingal.arena.exam.marks import Marks, Share, brier, brier_interval, calibration
from fingal.game.picture import Picture, beside

NO_VALUES = "none: this player has no values"


def show(marks: Marks, console: Console) -> None:
    """Print the results."""
    table = Table(title=Text(f"{marks.player}: exam on {marks.size}x{marks.size}"), caption="95% intervals")
    for heading in ("measured", "result"):
        table.add_column(heading, overflow="fold")
    table.add_row("won positions in which it keeps the win", str(marks.keeps_win()), end_section=True)
    for name, share in marks.sources:
        table.add_row(f"  from {SOURCES[name]}", str(share))
    for name, share in marks.groups:
        table.add_row(f"  {group_name(name)}", str(share))
    table.add_section()
    table.add_row("won openings that it wins against a perfect defender", str(marks.converts))
    table.add_row("Brier score of its values", _brier(marks))
    console.print(table)
    notes = [f"Positions: {marks.asked}.", *_remarks(marks)]
    for note in notes:
        console.print(note, markup=False, emoji=False, highlight=False, soft_wrap=True)


def group_name(group: str) -> str:
    """'where 1 move keeps it', 'where 3-5 moves keep it'."""
    return "where 1 move keeps it" if group == "1" else f"where {group} moves keep it"


SOURCES = {"all": "all of them", "random": "random games", "expert": "expert games", "own": "its own games"}


def _brier(marks: Marks) -> str:
    judged = marks.judged
    if not judged:
        return NO_VALUES
    low, high = brier_interval(judged)
    return f"{brier(judged):.4f} [{low:.4f}, {high:.4f}]  of {len(judged):,}"


def _remarks(marks: Marks) -> list[str]:
    said = []
    if not marks.finished:
        said.append("The exam was stopped before its end.")
    if marks.unsolved:
        said.append(f"Positions of its own games that were not solved in time, and do not count: {marks.unsolved}.")
    if marks.failures:
        said.append(f"Failures, which count as wrong: {len(marks.failures)}; the first: {marks.failures[0]}")
    return said


def picture(marks: Marks) -> Picture:
    """Shares by difficulty and source on the left, the calibration curve of the values on the right."""
    shares = [("all questions", marks.keeps_win())]
    shares += [(SOURCES[name], share) for name, share in marks.sources if name != "all"]
    shares += [(group_name(name), share) for name, share in marks.groups]
    shares.append(("won openings converted", marks.converts))
    left = share_rows(f"{marks.player}, {marks.size}x{marks.size}: keeps the win", shares)
    bins = calibration(marks.judged)
    heading = f"Values: Brier score {_brier(marks).partition(' [')[0]}" if bins else "No values"
    right = calibration_curve(heading, [(bin.expected, bin.won) for bin in bins], left.height)
    return beside([left, right], ["", ""], 2, charts.INK)


def share_rows(title: str, shares: list[tuple[str, Share]]) -> Picture:
    """A row for each share."""
    values = [
        Row(name, share.value, *share.interval, f"{100 * share.value:.1f}% of {share.count:,}")
        for name, share in shares
        if share.value is not None
    ]
    return charts.rows(title, values, low=0.0, high=1.0, write=charts.percent)


def calibration_curve(title: str, bins: list[tuple[float, Share]], height: float = 300.0) -> Picture:
    """What the player expected against what was true; on the dashed line both agree."""
    points = [(expected, won.value or 0.0) for expected, won in bins]
    intervals = [won.interval for _, won in bins]
    return charts.plane(
        title,
        [Curve("", points, intervals, dots=True)],
        x_name="chance to win that it saw",
        y_name="share that was won",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        write_x=charts.percent,
        write_y=charts.percent,
        diagonal=True,
        height=height,
    )
