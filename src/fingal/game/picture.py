"""A picture as a list of shapes, and its two back ends: SVG text and PNG bytes.

Shapes know nothing of Hex. Both back ends draw the same list in the same order, so a board looks the same in both.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]
"""x to the right, y down, in pixels at scale 1."""

Anchor = Literal["start", "middle", "end"]
"""Which part of a text lies at its place."""

CAP_HEIGHT = 0.7
"""Height of capitals and figures as a share of the font size, about the same in every sans-serif font. Both back ends
place the baseline half of it below the middle, because renderers of SVG disagree about ``dominant-baseline``."""

MAX_PIXELS = 100_000_000
"""The largest PNG that ``png`` makes: a slip in the scale should not eat the machine's memory."""


_PILLOW: dict[Anchor, str] = {"start": "ls", "middle": "ms", "end": "rs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What every shape has. Colours are '#rrggbb' or, for none, ''."""

    kind: str
    """What it stands for, such as 'cell' or 'black stone': the SVG element's class."""
    cell: str = ""
    """The name of the cell it lies on, if any: the SVG element's ``data-cell``."""
    fill: str = ""
    stroke: str = ""
    width: float = 0.0
    """The stroke's width, half of it on either side of the outline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polygon(Shape):
    """A closed outline; drawn with rounded joins."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle(Shape):
    """A circle."""

    centre: Point
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Shape):
    """An open line through points, with round ends and joins."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(Shape):
    """One line of text around a middle, or beside it."""

    middle: Point
    text: str
    size: float
    anchor: Anchor = "middle"
    """Which part of the text lies at ``middle``."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes, back to front, on a canvas from (0, 0) to (width, height)."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    """What a screen reader says."""
    background: str = ""
    """'' leaves it transparent."""


def beside(pictures: Sequence[Picture], headings: Sequence[str], columns: int, ink: str) -> Picture:
    """Pictures on one sheet, row by row, a heading over each; the first one's title and background are the sheet's."""
    size = 16.0
    room = 2 * size if any(headings) else 0.0
    widths = [max(part.width for part in pictures[column::columns]) for column in range(min(columns, len(pictures)))]
    height = max(part.height for part in pictures) + room
    shapes: list[Shape] = []
    for number, (part, heading) in enumerate(zip(pictures, headings, strict=True)):
        left, top = sum(widths[: number % columns]), number // columns * height
        middle = left + part.width / 2, top + 1.25 * size
        if heading:
            shapes.append(Label(kind="heading", middle=middle, text=heading, size=size, fill=ink))
        shapes += (_moved(shape, left, top + room) for shape in part.shapes)
    down = -(-len(pictures) // columns)
    return Picture(sum(widths), down * height, tuple(shapes), pictures[0].title, pictures[0].background)


def _moved(shape: Shape, right: float, down: float) -> Shape:
    def there(point: Point) -> Point:
        return point[0] + right, point[1] + down

    match shape:
        case Polygon(points=points) | Line(points=points):
            return replace(shape, points=tuple(map(there, points)))
        case Circle(centre=centre):
            return replace(shape, centre=there(centre))
        case Label(middle=middle):
            return replace(shape, middle=there(middle))
    raise TypeError(f"no way to move a {type(shape).__name__}")


def svg(picture: Picture) -> str:
    """The picture as a standalone SVG document, fit to be put into a page as it is."""
    width, height = _number(picture.width), _number(picture.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, sans-serif" stroke-linejoin="round" stroke-linecap="round">',
        f"<title>{_escaped(picture.title)}</title>",
    ]
    if picture.background:
        lines.append(
            f'<rect class="background" width="{width}" height="{height}" fill={quoteattr(picture.background)}/>'
        )
    lines.extend(map(element, picture.shapes))
    return "\n".join([*lines, "</svg>\n"])


def element(shape: Shape) -> str:
    """A shape as SVG text."""
    attributes = f"class={quoteattr(shape.kind)}"
    if shape.cell:
        attributes += f" data-cell={quoteattr(shape.cell)}"
    attributes += f" fill={quoteattr(shape.fill or 'none')}"
    if shape.stroke:
        attributes += f' stroke={quoteattr(shape.stroke)} stroke-width="{_number(shape.width)}"'
    match shape:
        case Polygon(points=points):
            return f'<polygon {attributes} points="{_points(points)}"/>'
        case Line(points=points):
            return f'<polyline {attributes} points="{_points(points)}"/>'
        case Circle(centre=(x, y), radius=radius):
            return f'<circle {attributes} cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"/>'
        case Label(middle=(x, y), text=text, size=size, anchor=anchor):
            place = f'x="{_number(x)}" y="{_number(y + size * CAP_HEIGHT / 2)}" font-size="{_number(size)}"'
            return f'<text {attributes} {place} text-anchor="{anchor}">{_escaped(text)}</text>'
    raise TypeError(f"no way to draw a {type(shape).__name__}")


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _escaped(text: str) -> str:
    # XML cannot write most control characters and lone surrogates at all; a label read from a file may hold them.
    return escape("".join(c if c.isprintable() else " " for c in text))


def check_name(path: Path) -> None:
    """Refuse a file name that says no format of ours; ValueError, in one sentence."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise ValueError(f"cannot draw to {path}: a name that ends in .svg or .png is expected")


def save(picture: Picture, path: Path) -> None:
    """Write a picture to a file, in the format of its ending."""
    check_name(path)
    if path.suffix.lower() == ".svg":
        path.write_text(svg(picture), encoding="utf-8")
    else:
        path.write_bytes(png(picture))


def png(picture: Picture, scale: float = 2.0) -> bytes:
    """The picture as a PNG file, ``scale`` pixels to the unit. Needs Pillow; ImportError without it."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError("drawing a PNG needs Pillow: pip install pillow (an SVG needs nothing)") from error

    if not scale > 0:
        raise ValueError(f"scale must be more than 0, not {scale}")
    if picture.width * picture.height * scale * scale > MAX_PIXELS:
        raise ValueError(f"scale {scale} makes a PNG of more than {MAX_PIXELS:,} pixels")
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    # Pillow's shapes have jagged edges: draw large and shrink, less so where the picture is large already.
    fine = next((f for f in (4, 3, 2) if size[0] * size[1] * f * f <= MAX_PIXELS // 2), 1)
    zoom = scale * fine
    image = Image.new("RGBA", (size[0] * fine, size[1] * fine), picture.background or "#ffffff00")
    pen = ImageDraw.Draw(image)

    def disc(x: float, y: float, radius: float, colour: str) -> None:
        # Pillow counts a box's last pixel in, hence the 1.
        pen.ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), fill=colour)

    def stroke(points: list[Point], shape: Shape) -> None:
        width = max(1, round(shape.width * zoom))
        pen.line(points, fill=shape.stroke, width=width)
        if width > 2:
            for x, y in points:
                disc(x, y, width / 2, shape.stroke)

    for shape in picture.shapes:
        match shape:
            case Polygon(points=points) | Line(points=points):
                scaled = [(x * zoom, y * zoom) for x, y in points]
                if shape.fill and isinstance(shape, Polygon):
                    pen.polygon(scaled, fill=shape.fill)
                if shape.stroke:
                    stroke([*scaled, scaled[0]] if isinstance(shape, Polygon) else scaled, shape)
            case Circle(centre=(x, y), radius=radius):
                x, y, half = x * zoom, y * zoom, shape.width * zoom / 2 if shape.stroke else 0.0
                outer, inner = radius * zoom + half, radius * zoom - half
                if shape.fill:
                    disc(x, y, outer, shape.stroke or shape.fill)
                    disc(x, y, inner, shape.fill)
                elif shape.stroke:
                    box = (x - outer, y - outer, x + outer - 1, y + outer - 1)
                    pen.ellipse(box, outline=shape.stroke, width=max(1, round(2 * half)))
            case Label(middle=(x, y), text=text, size=font_size, anchor=side):
                # Pillow's own font: the same letters on every machine.
                font = ImageFont.load_default(font_size * zoom)
                baseline = y + font_size * CAP_HEIGHT / 2
                one_line = "".join(c if c.isprintable() else " " for c in text)
                pen.text((x * zoom, baseline * zoom), one_line, fill=shape.fill, font=font, anchor=_PILLOW[side])
            case _:
                raise TypeError(f"no way to draw a {type(shape).__name__}")

    buffer = io.BytesIO()
    (image.reduce(fine) if fine > 1 else image).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
