"""Charts: round numbers on their axes, and values where they belong."""

import xml.etree.ElementTree as ET

import pytest

from fingal.arena import charts
from fingal.arena.charts import Curve, Row
from fingal.game.picture import Circle, Label, Line, Picture, png, svg


def texts(picture: Picture) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Label)]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 49, [0, 10, 20, 30, 40]),
        (-130, 620, [0, 200, 400, 600]),
        (3, 3, [3]),
        (0.001, 0.0052, [0.001, 0.002, 0.003, 0.004, 0.005]),
    ],
)
def test_ticks(low: float, high: float, expected: list[float]) -> None:
    assert charts.ticks(low, high) == pytest.approx(expected)


def test_numbers() -> None:
    assert [charts.plain(value) for value in (0, 0.25, 950, 1500, 25_000, 2_500_000, -3e9)] == [
        "0",
        "0.25",
        "950",
        "1500",
        "25k",
        "2.5M",
        "-3G",
    ]
    assert charts.percent(0.2) == "20%"


def test_rows() -> None:
    picture = charts.rows("Elo", [Row("ann", 100, 50, 150, "+100"), Row("<bob>", -100, -150, -50, "-100")])
    dots = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    lines = [shape for shape in picture.shapes if isinstance(shape, Line) and shape.kind == "whisker"]
    assert dots[0].centre[0] > dots[1].centre[0]
    for dot, line in zip(dots, lines, strict=True):
        assert line.points[0][0] < dot.centre[0] < line.points[1][0]
        # The interval is symmetric, and so is its picture.
        assert sum(x for x, _ in line.points) / 2 == pytest.approx(dot.centre[0])
    assert {"Elo", "ann", "<bob>", "+100", "0"} <= set(texts(picture))
    assert ET.fromstring(svg(picture)).tag.endswith("svg")


def test_a_plane() -> None:
    curves = [Curve("a", [(0, 0), (10, 1)], [(0, 0.5), (0.5, 1)], dots=True), Curve("b", [(5, 0.5)])]
    picture = charts.plane("Loss", curves, x_name="step", diagonal=True)
    dots = [shape.centre for shape in picture.shapes if isinstance(shape, Circle) and shape.radius < 4]
    assert len(dots) == 3
    assert dots[2] == pytest.approx(((dots[0][0] + dots[1][0]) / 2, (dots[0][1] + dots[1][1]) / 2))
    assert {"Loss", "a", "b", "step"} <= set(texts(picture))
    assert png(picture).startswith(b"\x89PNG")


def test_nothing_to_draw_is_drawn() -> None:
    assert "Empty" in texts(charts.rows("Empty", []))
    assert "Empty" in texts(charts.plane("Empty", [Curve("", [])]))
    assert "Flat" in texts(charts.plane("Flat", [Curve("", [(0, 3), (1, 3)])]))
