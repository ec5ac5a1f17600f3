"""Where the parts of a board lie in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.picture import Point


def column_letter(column: int) -> str:
    """'a' for the first column."""
    return chr(ord("a") + column)


ACROSS = 0.5
"""From the middle of a hexagon to an edge; this and what follows are shares of the cell's size."""
CORNER = 1 / math.sqrt(3)
"""From the middle of a hexagon to a corner."""
STRIP = 0.25
"""Thickness of the coloured sides."""
MITRE = STRIP / math.cos(math.radians(30))
"""How far a corner of a strip's outer border lies from the corner of the cell."""
COORDINATE = 0.4
"""Font size of the coordinates."""
STONE = 0.4
"""A stone's radius."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things lie. Hexagons stand on a corner; a row is half a cell further right than the row above."""

    height: int
    width: int
    cell_size: float
    """A hexagon's width, between two parallel edges."""
    turn: float = 0.0
    """Degrees by which the board is turned."""
    origin: Point = (0.0, 0.0)
    """The middle of the first cell."""

    def middle(self, row: float, column: float) -> Point:
        """The middle of a cell, or a point between cells."""
        return self.away(self.away(self.origin, 0, column), 60, row)

    def away(self, start: Point, degrees: float, distance: float) -> Point:
        """A point so many cell sizes from another; 0 degrees is right and 90 down, before the board is turned."""
        angle, length = math.radians(degrees + self.turn), distance * self.cell_size
        return start[0] + length * math.cos(angle), start[1] + length * math.sin(angle)

    def hexagon(self, middle: Point, radius: float = CORNER) -> tuple[Point, ...]:
        """Six corners, clockwise from the top one."""
        return tuple(self.away(middle, degrees, radius) for degrees in range(-90, 270, 60))

    def sides(self) -> list[tuple[Colour, tuple[Point, ...]]]:
        """The strips at the top, right, bottom and left, each following the zig-zag of its cells.

        A strip runs clockwise along the corners of its cells, and back along the same corners moved outwards. Two
        strips meet in a corner of the cell at the sharp corners of the board, and at the blunt ones in the middle of an
        edge of the cell, which both players own.
        """
        strips: list[tuple[Colour, tuple[Point, ...]]] = []
        for half_turn in (0, 180):
            # The bottom is the top, and the left the right, of the board upside down.
            flip = half_turn == 180
            columns, rows = range(self.width), range(self.height)
            top = [self._cell(0, column, flip) for column in columns]
            right = [self._cell(row, self.width - 1, flip) for row in rows]
            sharp = self._border(top[0], half_turn - 150, CORNER, half_turn - 150, MITRE)
            blunt = self._border(top[-1], half_turn - 60, ACROSS, half_turn - 60, STRIP)
            far_sharp = self._border(right[-1], half_turn + 30, CORNER, half_turn + 30, MITRE)
            along = [
                self._border(cell, half_turn + to, CORNER, half_turn - 90, MITRE) for cell in top for to in (-150, -90)
            ]
            down = [
                self._border(cell, half_turn + to, CORNER, half_turn - 30, MITRE) for cell in right for to in (-30, 30)
            ]
            for colour, border in ((BLACK, [sharp, *along[1:], blunt]), (WHITE, [blunt, *down[:-1], far_sharp])):
                strips.append(
                    (colour, tuple([inner for inner, _ in border] + [outer for _, outer in reversed(border)]))
                )
        return strips

    def _cell(self, row: int, column: int, flip: bool) -> Point:
        return self.middle(self.height - 1 - row, self.width - 1 - column) if flip else self.middle(row, column)

    def _border(
        self, cell: Point, to: float, distance: float, outwards: float, thickness: float
    ) -> tuple[Point, Point]:
        """A point on a cell's border and the point of the strip's outer border across from it."""
        inner = self.away(cell, to, distance)
        return inner, self.away(inner, outwards, thickness)

    def on_side(self, colour: Colour, second: bool, row: int, column: int) -> Point:
        """The point of a colour's first or second side that lies straight across from a cell."""
        if colour is WHITE:
            return self.away(
                self.middle(row, self.width - 1 if second else 0), 0 if second else 180, ACROSS + STRIP / 2
            )
        # A row is half a cell further right than the one above.
        across = column - (self.height - 1 - row) / 2 if second else column + row / 2
        at = min(max(across, 0.0), self.width - 1.0)
        return self.away(self.middle(self.height - 1 if second else 0, at), 90 if second else -90, ACROSS + STRIP / 2)

    def coordinates(self) -> list[tuple[str, Point]]:
        """Letters above and below their columns, numbers left and right of their rows."""
        distance = ACROSS + STRIP + 0.36
        labels = []
        for column in range(self.width):
            for row, degrees in ((0, -120), (self.height - 1, 60)):
                labels.append((column_letter(column), self.away(self.middle(row, column), degrees, distance)))
        for row in range(self.height):
            for column, degrees in ((0, 180), (self.width - 1, 0)):
                labels.append((str(row + 1), self.away(self.middle(row, column), degrees, distance)))
        return labels
