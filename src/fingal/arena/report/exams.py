"""Charts of exams: what players keep, convert and believe, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fingal.arena import charts
from fingal.arena.charts import Curve, Row
from fingal.arena.exam.marks import GROUPS
from fingal.arena.exam.show import SOURCES
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.game.picture import Picture

Result = dict[str, Any]


def section(results: Sequence[Result]) -> Section:
    """The results, size by size, the best player first."""
    parts = [
        "<p>Play measured against perfect play, in positions and openings whose winner is known. 95% intervals.</p>"
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
        parts.append(grid(pictures))
        parts.append(_details(sat))
        if judging:
            parts.append(
                "<p>How often positions were won that a player gave such a chance; on the dashed line both agree.</p>"
            )
            parts.append(grid((chart(_calibration(result)) for result in judging), "smalls"))
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


def _calibration(result: Result) -> Picture:
    bins = result["calibration"]
    curve = Curve("", [(bin["expected"], bin["share"]) for bin in bins], [bin["interval"] for bin in bins], dots=True)
    return charts.plane(
        str(result["player"]),
        [curve],
        x_name="chance that it saw",
        y_name="share won",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        write_x=charts.percent,
        write_y=charts.percent,
        diagonal=True,
        width=300,
        height=270,
    )


def _details(results: Sequence[Result]) -> str:
    """Kept wins by where the positions are from, then by how many moves keep the win: the harder, the further left."""
    names = [str(low) if low == high else f"{low}-{high}" for low, high in GROUPS]
    columns = [("by_source", source, SOURCES[source]) for source in ("random", "expert", "own")]
    columns += [("by_winning_moves", name, f"{name} keep{'s' if name == '1' else ''} it") for name in names]
    there = [column for column in columns if any(column[1] in result.get(column[0], {}) for result in results)]
    rows = []
    for result in results:
        cells = [text(result["player"])]
        for part, name, _ in there:
            share = result.get(part, {}).get(name)
            if share is None or share["share"] is None:
                cells.append('<td class="none">·</td>')
                continue
            low, high = share["interval"]
            hint = f"{share['count']:,} positions, [{100 * low:.1f}%, {100 * high:.1f}%]"
            cells.append(tinted(share["share"], f"{_percent(share['share'])}<small>%</small>", hint))
        rows.append(cells)
    words = "<p>Kept wins by whose game the position is from, and by how many moves keep the win.</p>"
    return words + table(["", *(heading for _, _, heading in there)], rows)


def _percent(share: float) -> str:
    """A share in percent; 100 only when nothing is missing."""
    return "100" if share == 1 else f"{min(99.9, 100 * share):.1f}"
