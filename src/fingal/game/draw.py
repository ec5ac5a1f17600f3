"""Drawings of a board: plain text, a coloured terminal, and pictures (SVG, PNG).

>>> from fingal.game import Board
>>> board = Board(3)
>>> board.push("b2"); board.push("c1")
>>> print(text(board))
 a b c
1 . .(W)1
 2 . B . 2
  3 . . . 3
     a b c
Black to move
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from fingal.game.board import SWAP, Board, mirror
from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.layout import COORDINATE, CORNER, STONE, Layout, column_letter
from fingal.game.picture import Circle, Label, Line, Picture, Point, Polygon, Shape, beside, check_name, png, save, svg
from fingal.game.record import Mark

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["NOTHING", "THEMES", "Link", "Mark", "Overlay", "Picture", "Theme", "beside", "picture", "png", "show"]
__all__ += ["check_name", "save", "status", "svg", "terminal", "text"]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a drawing, each '#rrggbb'."""

    black: str
    """Black's stones and sides."""
    on_black: str
    """Numbers and marks on Black's stones."""
    white: str
    on_white: str
    cell: str
    line: str
    """Between cells; also the rim around a terminal's board, so it must set off both players' sides."""
    label: str
    """Coordinates on a terminal's rim."""
    ink: str
    """Coordinates, and marks on empty cells."""
    last: str
    """The ring around the last move."""
    chain: str
    """The cells of the winning chain."""
    background: str
    """'' leaves a picture's background transparent."""

    def stone(self, colour: Colour) -> str:
        """The colour of a player's stones and sides."""
        return self.white if colour else self.black

    def on(self, colour: Colour | None) -> str:
        """The colour of what is written on a stone or, for None, on an empty cell."""
        return self.ink if colour is None else self.on_white if colour else self.on_black


THEMES = {
    "black-white": Theme(
        black="#1f2024",
        on_black="#f7f5ef",
        white="#fcfbf7",
        on_white="#1f2024",
        cell="#e2c596",
        line="#9c7f52",
        label="#1f2024",
        ink="#4a3d2a",
        last="#e5442c",
        chain="#f3a83b",
        background="#efe5d2",
    ),
    "red-blue": Theme(
        black="#d8373f",
        on_black="#ffffff",
        white="#2f6fd0",
        on_white="#ffffff",
        cell="#eceae4",
        line="#aaa79e",
        label="#26251f",
        ink="#3c3b38",
        last="#16181d",
        chain="#ffd86b",
        background="#fbfaf7",
    ),
}
"""The themes that go by name. Make your own with ``dataclasses.replace``."""


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two ends: cells, then ``cells`` and ``cells + 1`` for the colour's first and second side."""

    start: int
    end: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is said of a board's cells, drawn over them. Stones cover tints and links."""

    tints: Mapping[int, tuple[str, float]] = field(default_factory=dict)
    """A colour ('#rrggbb') and how strong it is, from 0 to 1."""
    signs: Mapping[int, str] = field(default_factory=dict)
    """A character on an empty cell, in text and terminals."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """A text on a cell, in pictures."""
    links: Sequence[Link] = ()
    """Lines, in pictures."""


NOTHING = Overlay()


def _blend(ground: str, colour: str, strength: float) -> str:
    parts = ((int(ground[i : i + 2], 16), int(colour[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(under + (over - under) * strength):02x}" for under, over in parts)


def _theme(theme: str | Theme) -> Theme:
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise ValueError(f"no theme is called {theme!r}: take one of {', '.join(THEMES)}")
    return THEMES[theme]


def _move_numbers(board: Board) -> dict[int, int]:
    """The cells that moves have put stones on, each with its move's number, in the order of the moves."""
    numbers: dict[int, int] = {}
    for number, move in enumerate(board.moves, start=1):
        if move == SWAP:
            first, _ = numbers.popitem()
            move = mirror(first, board.width)
        numbers[move] = number
    return numbers


def _last_move(board: Board) -> int | None:
    """The cell of the last move; after a swap, the one the stone went to."""
    return next(reversed(_move_numbers(board)), None)


def status(board: Board) -> str:
    """Who has won, or who is to move: 'White to move (or swap)'."""
    if board.winner is not None:
        return f"{str(board.winner).capitalize()} has won"
    return f"{str(board.turn).capitalize()} to move{' (or swap)' if board.can_swap else ''}"


def _gaps(board: Board, row: int, last: int | None) -> list[str]:
    """What stands before each cell of a row and after the last: brackets around the last move, else spaces."""
    gaps = [" "] * (board.width + 1)
    if last is not None and last // board.width == row:
        column = last % board.width
        gaps[column], gaps[column + 1] = "(", ")"
    return gaps


def text(board: Board, overlay: Overlay = NOTHING) -> str:
    """The board in plain letters: B, W and '.', the last move in brackets, and who is to move below.

    A cell takes two columns and a row is one column further right than the row above, so that the six neighbours of a
    cell stand around it. Coordinates stand on all four sides, in line with their rows and columns.
    """
    last, digits = _last_move(board), len(str(board.height))
    letters = " ".join(column_letter(column) for column in range(board.width))
    lines = [" " * digits + letters]
    for row in range(board.height):
        gaps = _gaps(board, row, last)
        line = " " * row + f"{row + 1:>{digits}}" + gaps[0]
        for column in range(board.width):
            cell = row * board.width + column
            colour = board.colour_at(cell)
            line += (overlay.signs.get(cell, ".") if colour is None else colour.letter) + gaps[column + 1]
        lines.append(line + str(row + 1))
    lines.append(" " * (board.height + digits + 1) + letters)
    return "\n".join([*lines, status(board)])


def show(board: Board, console: Console, overlay: Overlay = NOTHING) -> None:
    """Draw the board on a console: in colour where it can, otherwise as plain text."""
    if console.color_system is None:
        console.print(text(board, overlay), markup=False, emoji=False, highlight=False)
    else:
        console.print(terminal(board, overlay=overlay))


def terminal(
    board: Board, *, overlay: Overlay = NOTHING, theme: str | Theme = "black-white", legend: bool = True
) -> Text:
    """The board for a person at a terminal, as rich prints it; without colours, print ``text`` instead.

    Everything is painted on the theme's own grounds, so that black stones show on a dark terminal and white ones on a
    light one. A bar in each player's colour runs along the sides which that player joins.
    """
    from rich.text import Text

    paint = _theme(theme)
    last, chain = _last_move(board), set(board.winning_chain())
    rim, ground = f"{paint.label} on {paint.line}", f"on {paint.cell}"
    bars = {colour: f"on {paint.stone(colour)}" for colour in Colour}
    digits = len(str(board.height))
    letters = " ".join(column_letter(column) for column in range(board.width))
    drawing = Text(no_wrap=True)

    def lay(indent: int, *pieces: tuple[str, str]) -> None:
        drawing.append(" " * indent)
        drawing.append(" " * digits + "  ", rim)
        for piece, style in pieces:
            drawing.append(piece, style)
        drawing.append(" " * (digits + 2), rim)
        drawing.append("\n")

    # The bars and the letters beyond them take the rows -1, -2, height and height + 1, and lean as the others do.
    across = 2 * board.width + 3
    lay(0, (f"  {letters}  ", rim))
    lay(1, (" " * across, bars[BLACK]))
    for row in range(board.height):
        label = str(row + 1)
        gaps = _gaps(board, row, last)
        drawing.append(" " * (row + 2))
        drawing.append(f" {label:>{digits}} ", rim)
        drawing.append(" ", bars[WHITE])
        for column in range(board.width + 1):
            drawing.append(gaps[column], f"bold {paint.last} {ground}")
            if column < board.width:
                cell = row * board.width + column
                colour = board.colour_at(cell)
                under = f"on {_ground(cell, chain, overlay, paint)}"
                if colour is None:
                    sign = overlay.signs.get(cell)
                    drawing.append(sign or "·", f"{paint.ink if sign else paint.line} {under}")
                else:
                    drawing.append("●", f"{'bold ' if cell == last else ''}{paint.stone(colour)} {under}")
        drawing.append(" ", bars[WHITE])
        drawing.append(f" {label:<{digits}} ", rim)
        drawing.append("\n")
    lay(board.height + 2, (" " * across, bars[BLACK]))
    lay(board.height + 3, (f"  {letters}  ", rim))
    if legend:
        for colour, ends in ((BLACK, "top and bottom"), (WHITE, "left and right")):
            drawing.append(" ● ", f"{paint.stone(colour)} {ground}")
            drawing.append(f" {str(colour).capitalize()} joins {ends}   ")
        drawing.append("\n")
    drawing.append(status(board), "bold")
    return drawing


def picture(
    board: Board,
    *,
    marks: Sequence[Mark] = (),
    overlay: Overlay = NOTHING,
    numbers: bool = False,
    coordinates: bool = True,
    last_move: bool = True,
    winning_chain: bool = True,
    cell_size: float = 36.0,
    theme: str | Theme = "black-white",
    rotation: Literal["flat", "diamond"] = "flat",
    title: str | None = None,
) -> Picture:
    """The board as a picture, for ``svg`` and ``png``.

    Args:
        board: what to draw.
        marks: triangles, labels and so on, on empty cells or stones.
        overlay: what an analysis says of the cells.
        numbers: write on each stone which move put it there. A mark on a stone takes the number's place.
        coordinates: write letters and numbers along the sides.
        last_move: put a ring around the last move's stone.
        winning_chain: once the game is over, light up a shortest chain that joins the winner's sides.
        cell_size: a cell's width.
        theme: 'black-white', 'red-blue' or colours of your own.
        rotation: 'flat' has its rows level, 'diamond' its long diagonal.
        title: what a screen reader says; by default the size and the state of the game.
    """
    paint = _theme(theme)
    if not 0 < cell_size < math.inf:
        raise ValueError(f"cell_size must be more than 0 and finite, not {cell_size}")
    if rotation not in ("flat", "diamond"):
        raise ValueError(f"rotation must be 'flat' or 'diamond', not {rotation!r}")
    for mark in marks:
        if not 0 <= mark.cell < board.cells:
            raise ValueError(
                f"a mark lies on cell {mark.cell}, which a {board.width}x{board.height} board does not have"
            )

    layout = Layout(board.height, board.width, cell_size, 0.0 if rotation == "flat" else -30.0)
    edge = [(point, 0.0) for _, side in layout.sides() for point in side]
    if coordinates:
        edge += [(point, COORDINATE * cell_size / 2) for _, point in layout.coordinates()]
    margin = 0.25 * cell_size
    left, top = (min(point[axis] - room for point, room in edge) - margin for axis in (0, 1))
    right, bottom = (max(point[axis] + room for point, room in edge) + margin for axis in (0, 1))
    layout = replace(layout, origin=(-left, -top))

    numbered = _move_numbers(board) if numbers else {}
    covered = {mark.cell for mark in marks if mark.kind != "selected"}
    chain = board.winning_chain() if winning_chain else []
    middles = [layout.middle(*divmod(cell, board.width)) for cell in range(board.cells)]
    thin = 0.035 * cell_size

    shapes: list[Shape] = []
    for colour, side in layout.sides():
        kind = f"{colour} side"
        shapes.append(Polygon(kind=kind, points=side, fill=paint.stone(colour), stroke=paint.line, width=thin))
    for cell, middle in enumerate(middles):
        fill = _ground(cell, set(chain), overlay, paint)
        hexagon = layout.hexagon(middle)
        shapes.append(
            Polygon(kind="cell", cell=board.name(cell), points=hexagon, fill=fill, stroke=paint.line, width=thin)
        )
    if len(chain) > 1 and board.winner is not None:
        # Under the stones, so that they seem to grow together.
        points = tuple(middles[cell] for cell in chain)
        shapes.append(
            Line(kind="winning-chain", points=points, stroke=paint.stone(board.winner), width=0.3 * cell_size)
        )
    for link in overlay.links:
        shapes.append(_link(link, board, layout, paint))
    for cell, middle in enumerate(middles):
        stone = board.colour_at(cell)
        if stone is not None:
            fill = paint.stone(stone)
            shapes.append(
                Circle(
                    kind=f"{stone} stone",
                    cell=board.name(cell),
                    centre=middle,
                    radius=STONE * cell_size,
                    fill=fill,
                    stroke=_darker(fill),
                    width=0.04 * cell_size,
                )
            )
        if cell in numbered and cell not in covered:
            shapes.append(_label("number", board.name(cell), str(numbered[cell]), middle, cell_size, paint.on(stone)))
    for cell, words in overlay.labels.items():
        ink = paint.on(board.colour_at(cell))
        shapes.append(_label("label", board.name(cell), words, middles[cell], cell_size, ink))
    last = _last_move(board) if last_move else None
    if last is not None:
        ring = Circle(
            kind="last-move",
            cell=board.name(last),
            centre=middles[last],
            radius=STONE * cell_size,
            stroke=paint.last,
            width=0.07 * cell_size,
        )
        shapes.append(ring)
    for mark in marks:
        shapes.append(_mark(mark, board, layout, paint))
    if coordinates:
        for name, point in layout.coordinates():
            size = COORDINATE * cell_size
            shapes.append(Label(kind="coordinate", middle=point, text=name, size=size, fill=paint.ink))

    if title is None:
        title = f"Hex, {board.width}x{board.height}: {status(board)}"
    return Picture(right - left, bottom - top, tuple(shapes), title, paint.background)


def _ground(cell: int, chain: set[int], overlay: Overlay, paint: Theme) -> str:
    """The colour of a cell itself."""
    if cell in chain:
        return paint.chain
    return _blend(paint.cell, *overlay.tints[cell]) if cell in overlay.tints else paint.cell


def _link(link: Link, board: Board, layout: Layout, paint: Theme) -> Line:
    points = []
    for end, far in ((link.start, link.end), (link.end, link.start)):
        if end < board.cells:
            points.append(layout.middle(*divmod(end, board.width)))
        else:
            points.append(
                layout.on_side(link.colour, end > board.cells, *divmod(min(far, board.cells - 1), board.width))
            )
    kind = f"{link.colour} link"
    return Line(kind=kind, points=tuple(points), stroke=paint.stone(link.colour), width=0.09 * layout.cell_size)


def _darker(colour: str) -> str:
    """A stone's rim."""
    return "#" + "".join(f"{round(0.65 * int(colour[i : i + 2], 16)):02x}" for i in (1, 3, 5))


def _label(kind: str, name: str, words: str, middle: Point, cell_size: float, ink: str) -> Label:
    # A letter is about 0.6 of the font size wide: long texts shrink to stay on their stone.
    size = min(0.42, 2 * STONE * 0.84 / (0.6 * max(1, len(words)))) * cell_size
    return Label(kind=kind, cell=name, middle=middle, text=words, size=size, fill=ink)


def _mark(mark: Mark, board: Board, layout: Layout, paint: Theme) -> Shape:
    kind, name = f"mark {mark.kind}", board.name(mark.cell)
    middle = layout.middle(*divmod(mark.cell, board.width))
    unit = layout.cell_size
    ink, width = paint.on(board.colour_at(mark.cell)), 0.06 * unit

    def around(radius: float, *degrees: float) -> tuple[Point, ...]:
        # Marks stay upright when the board is turned.
        return tuple(
            (
                middle[0] + radius * unit * math.cos(math.radians(d)),
                middle[1] + radius * unit * math.sin(math.radians(d)),
            )
            for d in degrees
        )

    match mark.kind:
        case "triangle":
            return Polygon(kind=kind, cell=name, points=around(0.23, -90, 30, 150), stroke=ink, width=width)
        case "square":
            return Polygon(kind=kind, cell=name, points=around(0.23, -135, -45, 45, 135), stroke=ink, width=width)
        case "circle":
            return Circle(kind=kind, cell=name, centre=middle, radius=0.19 * unit, stroke=ink, width=width)
        case "cross":
            arms = around(0.22, -135, 45, -45, 135)
            # One line there and back through the middle, so that a mark stays one shape.
            points = (arms[0], arms[1], middle, arms[2], arms[3])
            return Line(kind=kind, cell=name, points=points, stroke=ink, width=width)
        case "selected":
            return Polygon(
                kind=kind, cell=name, points=layout.hexagon(middle, CORNER * 0.92), stroke=paint.last, width=0.08 * unit
            )
        case "label":
            return _label(kind, name, mark.text, middle, unit, ink)
    raise ValueError(f"no mark is called {mark.kind!r}: take triangle, square, circle, cross, selected or label")
