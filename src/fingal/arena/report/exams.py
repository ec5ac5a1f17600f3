"""Charts of exams: what players keep, convert and believe, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fingal.arena import charts
from fingal.arena.charts import Curve, Row
from fingal.arena.exam.marks import GROUPS
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.game.picture import Picture

MOST_CURVES = len(charts.SERIES)

Result = dict[str, Any]


def section(results: Sequence[Result]) -> Section:
    """The results, size by size, the best player first."""
    parts = [
        "<p>Play measured against perfect play: positions and openings whose winner is proved. "
        "95% intervals; how everything is drawn stands in Fingal's page on the exam.</p>"
    ]
    for size in sorted({int(result["size"]) for result in results}):
        sat = sorted(
            (result for result in results if result["size"] == size),
            key=lambda result: (-(result["keeps_win"] or 0.0), str(result["player"])),
        )
        parts.append(f"<h3>{size}×{size}</h3>")
        pictures = [
            chart(_shares("Keeps the win", sat, "keeps_win")),
            chart(_shares("Wins won openings against a perfect defender", sat, "converts")),
        ]
        judging = [result for result in sat if result.get("brier") is not None]
        if judging:
            pictures.append(chart(_shares("Error of its values (Brier score, less is better)", judging, "brier")))
            pictures += [
                chart(_calibration(judging[start : start + MOST_CURVES]))
                for start in range(0, len(judging), MOST_CURVES)
            ]
        parts.append(grid(pictures))
        parts.append(_groups(sat))
    return Section("exam", "The exam", "".join(parts))


def _shares(title: str, results: Sequence[Result], key: str) -> Picture:
    write: Callable[[float], str] = _decimals if key == "brier" else charts.percent
    rows = []
    for result in results:
        if result.get(key) is not None:
            value, (low, high) = result[key], result["intervals"][key]
            note = _decimals(value) if key == "brier" else f"{100 * value:.1f}%"
            rows.append(Row(str(result["player"]), value, low, high, note))
    high = max(0.25, *(row.high for row in rows)) if key == "brier" else 1.0
    return charts.rows(title, rows, low=0.0, high=high, write=write)


def _decimals(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if value else "0"


def _calibration(results: Sequence[Result]) -> Picture:
    curves = [
        Curve(str(result["player"]), [(bin["expected"], bin["share"]) for bin in result["calibration"]], dots=True)
        for result in results
    ]
    return charts.plane(
        "Chance to win that it saw, and share that was won",
        curves,
        x_name="on the dashed line both agree",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        write_x=charts.percent,
        write_y=charts.percent,
        diagonal=True,
        width=460,
        height=360,
    )


def _groups(results: Sequence[Result]) -> str:
    """By how many moves keep the win: the harder, the further left."""
    names = [str(low) if low == high else f"{low}-{high}" for low, high in GROUPS]
    there = [name for name in names if any(name in result["by_winning_moves"] for result in results)]
    rows = []
    for result in results:
        cells = [text(result["player"])]
        for name in there:
            share = result["by_winning_moves"].get(name)
            if share is None:
                cells.append('<td class="none">·</td>')
                continue
            low, high = share["interval"]
            hint = f"{share['count']:,} positions, [{100 * low:.1f}%, {100 * high:.1f}%]"
            cells.append(tinted(share["share"], f"{100 * share['share']:.0f}<small>%</small>", hint))
        rows.append(cells)
    head = ["moves that keep the win", *there]
    return "<p>By how many moves keep the win: where only one does, guessing does not help.</p>" + table(head, rows)
