"""The two sides."""

from enum import IntEnum


class Colour(IntEnum):
    """Black joins top and bottom and moves first; White joins left and right."""

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> "Colour":
        """The opponent."""
        return Colour(1 - self)

    @property
    def letter(self) -> str:
        """'B' or 'W'."""
        return "BW"[self]

    def __str__(self) -> str:
        return self.name.lower()


BLACK, WHITE = Colour.BLACK, Colour.WHITE
