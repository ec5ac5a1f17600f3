"""A position as a sum of regions: sets of empty cells that touch each other only through stones."""

from __future__ import annotations

from dataclasses import dataclass

from fingal import _core
from fingal.game import Board, Colour


@dataclass(frozen=True)
class Region:
    """Empty cells, and the groups of stones around them.

    What happens in a region matters to the rest only by which of its groups are joined. With two groups of each colour
    (four sides) either Black joins his two or White joins hers, as on a board of its own.
    """

    cells: list[int]
    touching: dict[Colour, list[list[int]]]
    """By colour, for each of its groups around the region (an edge is one): the region's cells that touch it."""
    owner: Colour | None
    """Who joins the two groups of four sides even when the other begins; None when it depends, or is not known."""

    @property
    def is_dead(self) -> bool:
        """Whether nothing in the region matters: a colour has no two groups there to join."""
        return any(len(groups) < 2 for groups in self.touching.values())

    @property
    def has_four_sides(self) -> bool:
        """Whether each colour has two groups around the region."""
        return all(len(groups) == 2 for groups in self.touching.values())


def find_regions(board: Board) -> list[Region]:
    """The regions of a position, in the order of their first cells; none of a finished game.

    The owner of a region is found for four sides and up to eight cells, by trying everything.

    >>> board = Board(3)
    >>> board.push("b1"); board.push("a3"); board.push("b2"); board.push("c2")
    >>> [[board.name(cell) for cell in region.cells] for region in find_regions(board)]
    [['a1', 'a2'], ['c1'], ['b3', 'c3']]
    """
    if board.is_over():
        return []
    return [
        Region(cells, {Colour.BLACK: black, Colour.WHITE: white}, None if owner < 0 else Colour(owner))
        for cells, black, white, owner in _core.regions(board)
    ]
