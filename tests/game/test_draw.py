"""Drawings: text that reads back, pictures that are valid, complete and within their bounds."""

from __future__ import annotations

import builtins
import io
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingal.game import BLACK, WHITE, Board, Colour, Mark, draw

SIZES = [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)]
SVG = "{http://www.w3.org/2000/svg}"
KINDS = ["triangle", "square", "circle", "cross", "selected", "label"]


def random_game(width: int, height: int, moves: int, seed: int = 0, *, swap: bool = False) -> Board:
    board, chance = Board(width, height, swap=swap), random.Random(seed)
    while not board.is_over() and board.ply < moves:
        board.push(chance.choice(board.legal_moves))
    return board


@st.composite
def boards(draw_from: st.DrawFn) -> Board:
    width, height = draw_from(st.integers(1, 19)), draw_from(st.integers(1, 19))
    if draw_from(st.booleans()):
        moves, swap = draw_from(st.integers(0, width * height)), width == height and draw_from(st.booleans())
        return random_game(width, height, moves, draw_from(st.integers(0, 2**32)), swap=swap)
    board, chance = Board(width, height), random.Random(draw_from(st.integers(0, 2**32)))
    for cell in range(board.cells):
        board.set_stone(cell, chance.choice([None, BLACK, WHITE]))
    return board


def stones(board: Board) -> dict[str, str]:
    return {
        board.name(cell): "BW"[colour] for cell in range(board.cells) if (colour := board.colour_at(cell)) is not None
    }


def last_cell(board: Board) -> str | None:
    """By taking the last move back and looking which stone is gone."""
    if not board.moves:
        return None
    before = board.copy()
    before.pop()
    (cell,) = set(stones(board).items()) - set(stones(before).items())
    return cell[0]


# Text


def read_text(drawing: str) -> tuple[dict[str, str], str | None, int, int]:
    """Stones, the last move, width and height: by the places of characters under the letters, not by counting words."""
    *lines, _ = drawing.split("\n")
    header, rows, footer = lines[0], lines[1:-1], lines[-1]
    letters = header.split()
    first = header.index("a")
    found: dict[str, str] = {}
    last = None
    for number, line in enumerate(rows, start=1):
        match = re.fullmatch(r" *(\d+)([ (].*[ )])(\d+)", line)
        assert match is not None
        assert match[1] == match[3] == str(number)
        for column, letter in enumerate(letters):
            # A column runs one to the right with every row.
            x = first + 2 * column + number
            assert line[x] in "BW."
            assert (line[x - 1], line[x + 1]) in [(" ", " "), (" ", "("), (")", " "), ("(", ")")]
            if line[x] != ".":
                found[f"{letter}{number}"] = line[x]
            if line[x - 1] == "(":
                last = f"{letter}{number}"
    assert footer.split() == letters
    assert footer.index("a") == first + len(rows) + 1
    return found, last, len(letters), len(rows)


@given(boards())
def test_text_reads_back(board: Board) -> None:
    found, last, width, height = read_text(draw.text(board))
    assert found == stones(board)
    assert last == last_cell(board)
    assert (width, height) == (board.width, board.height)


def test_text_looks_like_this() -> None:
    board = Board(3, 10)
    for move in ("b2", "c9", "a10"):
        board.push(move)
    assert str(board).split("\n") == [
        "  a b c",
        " 1 . . . 1",
        "  2 . B . 2",
        "   3 . . . 3",
        "    4 . . . 4",
        "     5 . . . 5",
        "      6 . . . 6",
        "       7 . . . 7",
        "        8 . . . 8",
        "         9 . . W 9",
        "         10(B). . 10",
        "             a b c",
        "White to move",
    ]
    assert str(Board(1)) == " a\n1 . 1\n   a\nBlack to move"


def test_status() -> None:
    board = Board(2, swap=True)
    assert draw.status(board) == "Black to move"
    board.push("a2")
    assert draw.status(board) == "White to move (or swap)"
    board.push("swap")
    assert draw.status(board) == "Black to move"
    assert read_text(draw.text(board))[:2] == ({"b1": "W"}, "b1")
    board.push("a1")
    board.push("a2")
    assert draw.status(board) == "White has won"


# Terminal


@given(boards())
@settings(max_examples=40)
def test_terminal_shows_the_same_stones_as_text(board: Board) -> None:
    drawing = draw.terminal(board, legend=False)
    rows = [line for line in drawing.split("\n") if re.search(r"\d", line.plain)]
    theme = draw.THEMES["black-white"]
    found = {}
    for row, line in enumerate(rows):
        drawn = [(i, c) for i, c in enumerate(line.plain) if c in "●·"]
        assert len(drawn) == board.width
        for column, (i, c) in enumerate(drawn):
            if c == "●":
                style = " ".join(str(span.style) for span in line.spans if span.start <= i < span.end)
                found[board.name(row * board.width + column)] = "B" if theme.black in style else "W"
                assert (theme.black in style) != (theme.white in style)
    assert len(rows) == board.height
    assert found == stones(board)
    assert drawing.plain.endswith(draw.status(board))


def test_terminal_columns_lean_through_letters_bars_and_rows() -> None:
    lines = draw.terminal(Board(4, 12)).plain.split("\n")
    at = [line.index(character) for line, character in zip(lines, ["a", " ", *"·" * 12, " ", "a"], strict=False)]
    del at[-2], at[1]
    assert [place - at[0] for place in at] == [0, *range(2, 14), 15]


def test_terminal_marks_last_move_and_winning_chain() -> None:
    board = random_game(5, 5, 25)
    drawing = draw.terminal(board, theme="red-blue")
    chain = [span for span in drawing.spans if draw.THEMES["red-blue"].chain in str(span.style)]
    assert len(chain) == len(board.winning_chain()) > 0
    assert "(●)" in drawing.plain


# Pictures


def elements(board: Board, **options: Any) -> ET.Element:
    return ET.fromstring(board.svg(**options))


def by_class(root: ET.Element, kind: str) -> list[ET.Element]:
    return [element for element in root if element.get("class") == kind]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.split("[ ,]", text)]


def extent(element: ET.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom, the stroke included; generous for text."""
    get = element.attrib
    room = float(get.get("stroke-width", 0)) / 2
    match element.tag.removeprefix(SVG):
        case "polygon" | "polyline":
            points = numbers(get["points"])
            xs, ys = points[::2], points[1::2]
        case "circle":
            (x, y, radius) = (float(get[key]) for key in ("cx", "cy", "r"))
            xs, ys = [x - radius, x + radius], [y - radius, y + radius]
        case "rect":
            xs, ys = [0, float(get["width"])], [0, float(get["height"])]
        case "text":
            x, y, size = (float(get[key]) for key in ("x", "y", "font-size"))
            half = 0.3 * size * len(element.text or "")
            xs, ys = [x - half, x + half], [y - 0.75 * size, y + 0.25 * size]
        case other:
            raise AssertionError(other)
    return min(xs) - room, min(ys) - room, max(xs) + room, max(ys) + room


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("rotation", ["flat", "diamond"])
@pytest.mark.parametrize("coordinates", [True, False])
def test_svg_is_complete_and_within_its_bounds(width: int, height: int, rotation: str, coordinates: bool) -> None:
    for moves in (0, width * height // 3, width * height):
        board = random_game(width, height, moves, seed=moves)
        marks = [Mark(KINDS[cell % 6], cell, "A") for cell in range(0, board.cells, 3)]
        root = elements(board, rotation=rotation, coordinates=coordinates, marks=marks, numbers=True)
        left, top, right, bottom = numbers(root.attrib["viewBox"])
        for element in root.iter():
            if element.tag not in (f"{SVG}svg", f"{SVG}title"):
                x0, y0, x1, y1 = extent(element)
                assert left <= x0 < x1 <= right
                assert top <= y0 < y1 <= bottom

        cells = by_class(root, "cell")
        assert [cell.get("data-cell") for cell in cells] == [board.name(cell) for cell in range(board.cells)]
        drawn = {
            stone.attrib["data-cell"]: letter
            for letter, kind in (("B", "black stone"), ("W", "white stone"))
            for stone in by_class(root, kind)
        }
        assert drawn == stones(board)
        places = {(s.get("cx"), s.get("cy")) for kind in ("black stone", "white stone") for s in by_class(root, kind)}
        assert len(places) == len(drawn)
        assert len(by_class(root, "coordinate")) == (2 * (width + height) if coordinates else 0)
        assert len(by_class(root, "black side")) == len(by_class(root, "white side")) == 2
        assert len(by_class(root, "last-move")) == bool(moves)
        assert sum(element.attrib["class"].startswith("mark ") for element in root[2:]) == len(marks)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("rotation", ["flat", "diamond"])
def test_neighbours_are_the_cells_one_cell_size_away(width: int, height: int, rotation: str) -> None:
    board = Board(width, height)
    middles = []
    for cell in by_class(elements(board, cell_size=50, rotation=rotation), "cell"):
        points = numbers(cell.attrib["points"])
        middles.append(complex(sum(points[::2]) / 6, sum(points[1::2]) / 6))
    for cell, middle in enumerate(middles):
        near = [other for other, place in enumerate(middles) if other != cell and abs(place - middle) < 51]
        assert near == board.neighbours(cell)
        assert all(abs(abs(middles[other] - middle) - 50) < 0.1 for other in near)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_sides_touch_the_cells_of_their_edges_only(width: int, height: int) -> None:
    root = elements(Board(width, height))
    cells = [
        set(zip(n[::2], n[1::2], strict=True)) for c in by_class(root, "cell") for n in [numbers(c.attrib["points"])]
    ]

    def touched(side: ET.Element) -> set[int]:
        n = numbers(side.attrib["points"])
        corners = set(zip(n[::2], n[1::2], strict=True))
        return {i for i, cell in enumerate(cells) if len(cell & corners) >= 2}

    top, bottom = map(touched, by_class(root, "black side"))
    right, left = map(touched, by_class(root, "white side"))
    assert top == set(range(width))
    assert bottom == set(range((height - 1) * width, height * width))
    assert left == set(range(0, height * width, width))
    assert right == set(range(width - 1, height * width, width))


def test_winning_chain_is_lit_only_when_asked() -> None:
    board = random_game(11, 11, 121)
    chain = {board.name(cell) for cell in board.winning_chain()}
    assert chain
    fill = draw.THEMES["black-white"].chain

    def lit(**options: Any) -> set[str | None]:
        return {
            cell.get("data-cell") for cell in by_class(elements(board, **options), "cell") if cell.get("fill") == fill
        }

    assert lit() == chain
    assert lit(winning_chain=False) == set()
    assert not by_class(elements(board, last_move=False), "last-move")


def test_numbers_follow_a_swap_and_give_way_to_marks() -> None:
    board = Board(3, swap=True)
    for move in ("a2", "swap", "c3", "b2"):
        board.push(move)

    def written(**options: Any) -> dict[str | None, str | None]:
        return {element.get("data-cell"): element.text for element in by_class(elements(board, **options), "number")}

    assert written() == {}
    assert written(numbers=True) == {"b1": "2", "c3": "3", "b2": "4"}
    assert written(numbers=True, marks=[Mark("cross", 8), Mark("selected", 4)]) == {"b1": "2", "b2": "4"}


@given(st.text(), st.text())
def test_any_text_gives_valid_xml(label: str, title: str) -> None:
    root = elements(Board(2), marks=[Mark("label", 3, label)], title=title)
    (mark,) = by_class(root, "mark label")
    assert (mark.text or "") == "".join(c if c.isprintable() else " " for c in label)
    assert (root[0].text or "") == "".join(c if c.isprintable() else " " for c in title)


def test_title_says_how_the_game_stands() -> None:
    assert elements(Board(3, 5))[0].text == "Hex, 3x5: Black to move"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theme": "pink"}, "no theme is called 'pink': take one of black-white, red-blue"),
        ({"rotation": "round"}, "rotation must be 'flat' or 'diamond'"),
        ({"cell_size": 0}, "cell_size must be more than 0"),
        ({"cell_size": float("nan")}, "cell_size must be more than 0"),
        ({"cell_size": float("inf")}, "cell_size must be more than 0"),
        ({"marks": [Mark("star", 0)]}, "no mark is called 'star'"),
        ({"marks": [Mark("cross", 9)]}, "a mark lies on cell 9, which a 3x3 board does not have"),
        ({"marks": [Mark("cross", -1)]}, "a mark lies on cell -1"),
    ],
)
def test_nonsense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Board(3).svg(**options)


# PNG


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(("theme", "scale"), [("black-white", 1), ("red-blue", 2.5)])
def test_png_has_its_size_and_its_colours(width: int, height: int, theme: str, scale: float) -> None:
    image_module = pytest.importorskip("PIL.Image")
    board = random_game(width, height, width * height // 2 + 1)
    picture = draw.picture(board, theme=theme)
    image = image_module.open(io.BytesIO(draw.png(picture, scale))).convert("RGB")
    assert image.size == (round(picture.width * scale), round(picture.height * scale))
    colours, chain = draw.THEMES[theme], board.winning_chain()
    for cell, shape in zip(range(board.cells), by_class(elements(board, theme=theme), "cell"), strict=True):
        points = numbers(shape.attrib["points"])
        middle = round(sum(points[::2]) / 6 * scale), round(sum(points[1::2]) / 6 * scale)
        stone: Colour | None = board.colour_at(cell)
        expected = colours.stone(stone) if stone is not None else colours.chain if cell in chain else colours.cell
        assert image.getpixel(middle) == rgb(expected)
    assert image.getpixel((0, 0)) == rgb(colours.background)


def test_png_draws_every_mark_and_a_clear_background() -> None:
    image_module = pytest.importorskip("PIL.Image")
    theme = replace(draw.THEMES["black-white"], background="")
    plain = draw.png(draw.picture(Board(3), theme=theme))
    for kind in KINDS:
        marked = draw.png(draw.picture(Board(3), theme=theme, marks=[Mark(kind, 4, "A\x00é")]))
        assert marked != plain
    assert image_module.open(io.BytesIO(plain)).getpixel((0, 0))[3] == 0


@pytest.mark.parametrize("scale", [0, -1, float("nan"), 1e6])
def test_png_refuses_nonsense_scales(scale: float) -> None:
    pytest.importorskip("PIL")
    with pytest.raises(ValueError, match="scale"):
        draw.png(draw.picture(Board(3)), scale)


def test_png_without_pillow_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def no_pillow(name: str, *arguments: Any, **options: Any) -> Any:
        if name.split(".")[0] == "PIL":
            raise ImportError(name)
        return real_import(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", no_pillow)
    with pytest.raises(ImportError, match="needs Pillow: pip install pillow"):
        draw.png(draw.picture(Board(3)))
