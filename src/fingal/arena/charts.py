"""Charts as pictures: values with their intervals in rows, and curves in a plane.

They are drawn with the shapes of ``fingal.game.picture``, so they are SVG and PNG alike. A page may paint them anew:
every shape's ``kind`` is its class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fingal.game.picture import Anchor, Circle, Label, Line, Picture, Point, Shape

INK, SOFT, GRID, GROUND = "#3f3527", "#8a7a60", "#ddd2bd", "#fbf8f1"
"""The colours of texts, of what stands behind them, of lines behind everything, and of the paper."""

WHISKER = "#e3a99f"
"""The colour of an interval behind its value."""

WHISKER_STEP = 2.5
"""How far apart the intervals of several curves stand."""

SERIES = ("#c8402f", "#2f6fd0", "#3f9a4a", "#b5790f", "#7a5aa6", "#2b8a8f")
"""The colours of curves, in turn."""

SMALL, TEXT, HEAD = 12.0, 13.0, 15.0
"""Sizes of letters."""

LETTER = 0.56
"""About how wide a letter is, as a share of its size."""


@dataclass(frozen=True, slots=True)
class Row:
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    note: str = ""
    """Written at the end of the row."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points joined by a line, each with an interval where there is one."""

    name: str
    points: Sequence[Point]
    intervals: Sequence[tuple[float, float]] = ()
    dots: bool = False
    """Whether every point is marked."""


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from ``low`` to ``high``, about ``count`` of them: multiples of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not span > 0:
        return [low]
    rough = span / count
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def plain(value: float) -> str:
    """'0.25', '1200', '3k', '2.5M'."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1e3 if letter == 'k' else unit):g}{letter}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def percent(value: float) -> str:
    """'25%'."""
    return f"{100 * value:.3g}%"


def rows(
    title: str,
    values: Sequence[Row],
    *,
    low: float | None = None,
    high: float | None = None,
    write: Callable[[float], str] = plain,
    width: float = 460.0,
) -> Picture:
    """A row for each value: its name, and under it a dot with a line from end to end of its interval."""
    least = min((row.low for row in values), default=0.0) if low is None else low
    most = max((row.high for row in values), default=1.0) if high is None else high
    if low is None and high is None:
        room = 0.05 * (most - least or 1.0)
        least, most = least - room, most + room
    left, right = 18.0, width - 18.0
    top, step = 2.2 * HEAD, 40.0
    bottom = top + step * len(values)

    def across(value: float) -> float:
        share = (min(max(value, least), most) - least) / ((most - least) or 1.0)
        return left + share * (right - left)

    shapes: list[Shape] = [_text("head", (left, HEAD), title, HEAD, INK, "start")]
    for tick in ticks(least, most):
        x = across(tick)
        for number in range(len(values)):
            y = top + number * step + 28
            shapes.append(Line(kind="grid", points=((x, y - 6), (x, y + 6)), stroke=GRID, width=1))
        shapes.append(_text("tick", (x, bottom + 12), write(tick), SMALL, SOFT))
    for number, row in enumerate(values):
        y = top + number * step
        longest = int((right - left) / (LETTER * TEXT)) - len(row.note) - 2
        name = row.name if len(row.name) <= longest else row.name[: max(1, longest - 1)] + "…"
        shapes.append(_text("name", (left, y + 12), name, TEXT, INK, "start"))
        shapes.append(_text("note", (right, y + 12), row.note, SMALL, SOFT, "end"))
        shapes.append(Line(kind="grid", points=((left, y + 28), (right, y + 28)), stroke=GRID, width=1))
        ends = ((across(row.low), y + 28), (across(row.high), y + 28))
        shapes.append(Line(kind="whisker", points=ends, stroke=WHISKER, width=5))
        shapes.append(Circle(kind="dot", centre=(across(row.value), y + 28), radius=5.5, fill=SERIES[0]))
    said = "; ".join(f"{row.name}: {write(row.value)}" for row in values)
    return Picture(width, bottom + 26, tuple(shapes), f"{title}. {said}", GROUND)


def plane(
    title: str,
    curves: Sequence[Curve],
    *,
    x_name: str = "",
    y_name: str = "",
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    write_x: Callable[[float], str] = plain,
    write_y: Callable[[float], str] = plain,
    diagonal: bool = False,
    width: float = 420.0,
    height: float = 300.0,
) -> Picture:
    """Curves over a common ground; with more than one, their names stand above it."""
    points = [point for curve in curves for point in curve.points]
    ends = [end for curve in curves for pair in curve.intervals for end in pair]
    x_low, x_high = x_range or _span([x for x, _ in points])
    y_low, y_high = y_range or _span([y for _, y in points] + ends)
    left, right, bottom = 52.0, width - 24, height - 42
    legend = _legend([curve.name for curve in curves], left, right) if len(curves) > 1 else []
    top = 3.4 * HEAD + max((y for _, y in legend), default=0.0)

    def at(point: Point) -> Point:
        x, y = min(max(point[0], x_low), x_high), min(max(point[1], y_low), y_high)
        across, up = (x - x_low) / (x_high - x_low), (y - y_low) / (y_high - y_low)
        return left + across * (right - left), bottom - up * (bottom - top)

    shapes: list[Shape] = [_text("head", (14, HEAD), title, HEAD, INK, "start")]
    for tick in ticks(x_low, x_high):
        x, _ = at((tick, y_low))
        shapes.append(Line(kind="grid", points=((x, top), (x, bottom)), stroke=GRID, width=1))
        shapes.append(_text("tick", (x, bottom + 12), write_x(tick), SMALL, SOFT))
    for tick in ticks(y_low, y_high):
        _, y = at((x_low, tick))
        shapes.append(Line(kind="grid", points=((left, y), (right, y)), stroke=GRID, width=1))
        shapes.append(_text("tick", (left - 6, y), write_y(tick), SMALL, SOFT, "end"))
    shapes.append(_text("tick", ((left + right) / 2, height - 12), x_name, SMALL, SOFT))
    if not legend:
        shapes.append(_text("tick", (left, top - 10), y_name, SMALL, SOFT, "start"))
    if diagonal:
        shapes += _dashed(at((x_low, y_low)), at((x_high, y_high)))
    for number, curve in enumerate(curves):
        colour, mark = SERIES[number % len(SERIES)], f"series-{number % len(SERIES)}"
        if legend:
            x, y = legend[number][0], legend[number][1] + 2.5 * HEAD
            shapes.append(Circle(kind=f"fill {mark}", centre=(x + 4, y), radius=4, fill=colour))
            shapes.append(_text("tick", (x + 12, y), curve.name, SMALL, SOFT, "start"))
        # Beside each other, so that intervals of curves with the same points do not hide one another.
        aside = WHISKER_STEP * (number - (len(curves) - 1) / 2)
        for (x, _), pair in zip(curve.points, curve.intervals, strict=False):
            whisker = tuple((across + aside, down) for across, down in (at((x, pair[0])), at((x, pair[1]))))
            soft = WHISKER if len(curves) == 1 else _faded(colour)
            shapes.append(Line(kind=f"stroke soft {mark}", points=whisker, stroke=soft, width=2))
        if len(curve.points) > 1:
            drawn = tuple(map(at, curve.points))
            shapes.append(Line(kind=f"stroke {mark}", points=drawn, stroke=colour, width=2))
        if curve.dots or len(curve.points) == 1:
            for point in curve.points:
                shapes.append(Circle(kind=f"fill {mark}", centre=at(point), radius=3.5, fill=colour))
    said = ": ".join(filter(None, (title, " over ".join(filter(None, (y_name, x_name))))))
    return Picture(width, height, tuple(shapes), said, GROUND)


def _legend(names: Sequence[str], left: float, right: float) -> list[Point]:
    """Where the names of curves stand: beside each other, on as many lines as they need."""
    places, x, y = [], left, 0.0
    for name in names:
        room = 26 + LETTER * SMALL * len(name)
        if x > left and x + room > right:
            x, y = left, y + 1.4 * SMALL
        places.append((x, y))
        x += room
    return places


def _span(values: Sequence[float]) -> tuple[float, float]:
    """From the least to the most, with some room; never empty."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (high - low) or 0.5 * abs(high) or 0.5
    return (low if low == 0 else low - room), high + room


def _faded(colour: str) -> str:
    """A colour as it looks on the paper when little of it is there."""
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(GROUND[1:]), strict=True)
    return "#" + bytes(round(0.4 * ink + 0.6 * paper) for ink, paper in parts).hex()


def _dashed(start: Point, end: Point, parts: int = 24) -> list[Shape]:
    steps = [
        (start[0] + (end[0] - start[0]) * share / parts, start[1] + (end[1] - start[1]) * share / parts)
        for share in range(parts + 1)
    ]
    return [Line(kind="even", points=pair, stroke=SOFT, width=1) for pair in list(pairwise(steps))[::2]]


def _text(kind: str, middle: Point, text: str, size: float, ink: str, anchor: Anchor = "middle") -> Label:
    return Label(kind=kind, middle=middle, text=text, size=size, fill=ink, anchor=anchor)
