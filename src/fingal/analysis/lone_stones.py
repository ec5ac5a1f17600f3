"""Edge templates of one stone alone on a high row, found with the solver.

Such a stone needs so many cells that a search which knows nothing but the rules does not come to an end in a region
that is wide enough. The solver does: the region is the lower part of a board, the stone is joined to the upper edge,
and all else up there is the opponent's, who moves first. Then the solver is asked again without cells that may not be
needed, the farthest first, until each one that is left is needed. What comes out is still to be proved by search of its
carrier alone, as every template is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fingal import _core
from fingal.game import Board, Colour

Point = tuple[int, int]
"""Rows up from the edge, and cells along it: (up, along) touches (up + 1, along) and (up + 1, along + 1)."""

Cells = frozenset[Point]


@dataclass(frozen=True, slots=True)
class Strip:
    """All cells of the lowest rows of a board, one of which holds the stone."""

    up: int
    """The stone's row, counted from 0 at the edge."""
    along: int
    """The stone's place in its row."""
    width: int
    """Cells of a row."""
    above: int = 0
    """Rows over the stone's that belong to it too, on the stone's left."""

    def __post_init__(self) -> None:
        """Refuse what no board has room for."""
        if self.up < 1 or self.above < 0:
            raise ValueError(f"up={self.up}, above={self.above} is not possible: at least 1 and 0")
        if not 0 <= self.along < self.width - self.above - 1:
            raise ValueError(f"along={self.along} is not possible: the way up from there leaves the board")

    @property
    def stone(self) -> Point:
        """Where the stone is."""
        return self.up, self.along

    def cells(self) -> Cells:
        """Those that may be played on."""
        rows = [self.width] * (self.up + 1) + [self.along + 1 + higher for higher in range(self.above)]
        return frozenset((up, along) for up, length in enumerate(rows) for along in range(length)) - {self.stone}

    def board(self, cells: Cells) -> Board:
        """With these cells empty, Black's stone joined to the upper edge, all else White's, and White to move.

        The way up leans to the right, where it touches no cell that the stone does not touch itself.
        """
        height = self.up + self.above + 2
        board = Board(self.width, height)
        for up in range(height):
            for along in range(self.width):
                is_black = along - self.along == up - self.up >= 0
                if is_black or (up, along) not in cells:
                    cell = (height - 1 - up) * self.width + along
                    board.set_stone(cell, Colour.BLACK if is_black else Colour.WHITE)
        board.turn = Colour.WHITE
        return board

    def far(self, cell: Point) -> float:
        """How little a cell is likely to be needed: far aside, less so near the edge, more so above the stone."""
        aside = abs((cell[1] - cell[0] / 2) - (self.along - self.up / 2))
        return aside - (self.up - cell[0]) / 2 + (2 if cell[0] > self.up else 0)


class LoneStone:
    """The carriers with which the stone of a strip is joined to the edge, as far as a solver sees it."""

    def __init__(self, strip: Strip, most_positions: int = 2000, memory: int = 256) -> None:
        """Give up on cells after so many positions; the solver's table has so many megabytes."""
        settings = _core.SolverSettings()
        settings.memory_mb = memory
        self.strip = strip
        self._solver = _core.Solver(strip.width, strip.up + strip.above + 2, settings)
        self._most = most_positions
        self._failed: list[Cells] = []

    def holds(self, cells: Cells) -> bool:
        """Whether these cells are seen to be enough, with the opponent to move."""
        if any(cells <= failed for failed in self._failed):
            return False
        if self._solver.run(self.strip.board(cells), self._most, 1e6) == int(Colour.BLACK):
            return True
        self._failed.append(cells)
        return False

    def shrunk(self, cells: Cells) -> Cells | None:
        """What is left of some cells without those that can be spared; None when they are not enough."""
        if not self.holds(cells):
            return None
        order = sorted(cells, key=lambda cell: (-self.strip.far(cell), cell))
        at, many = 0, 8
        while at < len(order):
            less = cells - set(order[at : at + many])
            if self.holds(less):
                cells, at, many = less, at + many, 2 * many
            elif many == 1:
                at += 1
            else:
                many //= 2
        return cells

    def carriers(self, depth: int) -> Iterator[Cells]:
        """The first that is found, then those without one of its cells, and so on, up to ``depth`` of them."""
        found: list[Cells] = []
        seen: set[Cells] = set()
        level = [self.strip.cells()]
        for left in range(depth, -1, -1):
            below: list[Cells] = []
            for region in level:
                if region in seen:
                    continue
                seen.add(region)
                carrier = min((one for one in found if one <= region), key=len, default=None) or self.shrunk(region)
                if carrier is None:
                    continue
                if carrier not in found:
                    found.append(carrier)
                    yield carrier
                if left:
                    below += [region - {cell} for cell in sorted(carrier)]
            level = below
