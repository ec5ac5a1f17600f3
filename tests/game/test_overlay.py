"""What is laid over a board: signs in text, tints, labels and lines in pictures, and several boards on one sheet."""

import io
import xml.etree.ElementTree as ET

import pytest
from rich.console import Console

from fingal.game import BLACK, WHITE, Board, draw
from fingal.game.draw import Link, Overlay

SVG = "{http://www.w3.org/2000/svg}"


def shapes(picture: draw.Picture, kind: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(draw.svg(picture)).iter() if element.get("class") == kind]


def test_signs_stand_on_empty_cells_only() -> None:
    board = Board(2)
    board.push("a1")
    text = draw.text(board, Overlay(signs={0: "x", 1: "y", 3: "z"}))
    assert text.splitlines()[:3] == [" a b", "1(B)y 1", " 2 . z 2"]


def test_a_terminal_shows_signs_and_tints() -> None:
    out = io.StringIO()
    console = Console(file=out, color_system="truecolor", force_terminal=True, width=60)
    draw.show(Board(2), console, Overlay(tints={1: ("#000000", 1.0)}, signs={2: "7"}))
    assert "48;2;0;0;0m" in out.getvalue()
    assert "7" in out.getvalue()


def test_tints_are_blended_with_the_cell() -> None:
    theme = draw.THEMES["black-white"]
    tints = {0: ("#000000", 1.0), 1: ("#000000", 0.0), 2: ("#ffffff", 0.5)}
    cells = shapes(draw.picture(Board(2), overlay=Overlay(tints)), "cell")
    fills = [cell.get("fill") for cell in cells]
    assert fills[0] == "#000000"
    assert fills[1] == fills[3] == theme.cell
    half = [round((int(theme.cell[i : i + 2], 16) + 255) / 2) for i in (1, 3, 5)]
    assert fills[2] == "#" + "".join(f"{part:02x}" for part in half)


def test_labels() -> None:
    found = shapes(draw.picture(Board(2), overlay=Overlay(labels={3: "12"})), "label")
    assert [(label.get("data-cell"), label.text) for label in found] == [("b2", "12")]


@pytest.mark.parametrize("rotation", ["flat", "diamond"])
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_links_run_from_cells_to_sides(rotation: str, colour: int) -> None:
    """A line to a side ends outside of every cell, nearer to the cells of that side than to the others."""
    board = Board(5, 4)
    side = BLACK if colour == 0 else WHITE
    for end, row_of_side in ((board.cells, 0), (board.cells + 1, 1)):
        picture = draw.picture(board, overlay=Overlay(links=(Link(7, end, side),)), rotation=rotation)  # type: ignore[arg-type]
        (line,) = shapes(picture, f"{side} link")
        points = [tuple(map(float, point.split(","))) for point in (line.get("points") or "").split()]
        middles = {}
        for cell in shapes(picture, "cell"):
            corners = [tuple(map(float, point.split(","))) for point in (cell.get("points") or "").split()]
            middles[cell.get("data-cell")] = (sum(x for x, _ in corners) / 6, sum(y for _, y in corners) / 6)
        assert points[0] == pytest.approx(middles[board.name(7)], abs=0.02)

        def away(
            name: str, point: tuple[float, ...] = points[1], at: dict[str | None, tuple[float, float]] = middles
        ) -> float:
            return ((at[name][0] - point[0]) ** 2 + (at[name][1] - point[1]) ** 2) ** 0.5

        names = [board.name(cell) for cell in range(board.cells)]
        nearest = board.cell(min(names, key=away))
        row, column = divmod(nearest, board.width)
        last = board.height - 1 if side is BLACK else board.width - 1
        assert (row if side is BLACK else column) == (last if row_of_side else 0)
        assert away(board.name(nearest)) > 0.5 * 36


def test_boards_beside_each_other() -> None:
    parts = [draw.picture(Board(size)) for size in (2, 3, 2)]
    sheet = draw.beside(parts, ["one", "two", "three"], 2, "#000000")
    assert [heading.text for heading in shapes(sheet, "heading")] == ["one", "two", "three"]
    assert len(shapes(sheet, "cell")) == 4 + 9 + 4
    assert sheet.width == parts[0].width + parts[1].width
    for cell in shapes(sheet, "cell"):
        for point in (cell.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= sheet.width
            assert 0 <= y <= sheet.height
    assert draw.png(sheet).startswith(b"\x89PNG")
