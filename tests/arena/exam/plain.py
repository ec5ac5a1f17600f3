"""Hex on a small board in plain Python, as an oracle: it shares nothing with what it checks."""

from __future__ import annotations

from functools import cache


class Plain:
    """A board of n by n: cells as (row, column), stones as two frozen sets, values by trying everything."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.cells = [(row, column) for row in range(n) for column in range(n)]
        self.wins = cache(self._wins)

    def joined(self, stones: frozenset[tuple[int, int]], axis: int) -> bool:
        """Whether stones join the first and the last line along an axis: 0 top to bottom, 1 left to right."""
        seen = [cell for cell in stones if cell[axis] == 0]
        for row, column in seen:
            for near in (
                (row - 1, column),
                (row - 1, column + 1),
                (row, column - 1),
                (row, column + 1),
                (row + 1, column - 1),
                (row + 1, column),
            ):
                if near in stones and near not in seen:
                    seen.append(near)
        return any(cell[axis] == self.n - 1 for cell in seen)

    def _wins(self, own: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]], axis: int) -> bool:
        return bool(self.winning(own, other, axis))

    def winning(
        self, own: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]], axis: int
    ) -> list[tuple[int, int]]:
        """The winning moves of the side to move, which joins along ``axis``."""
        found = []
        for cell in self.cells:
            if cell not in own and cell not in other:
                after = own | {cell}
                if self.joined(after, axis) or not self.wins(other, after, 1 - axis):
                    found.append(cell)
        return found

    def reachable(self) -> set[tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]], int]]:
        """Every position that a game can come to before it is over: own stones, the other's, the mover's axis."""
        start = (frozenset[tuple[int, int]](), frozenset[tuple[int, int]](), 0)
        seen, waiting = {start}, [start]
        for own, other, axis in waiting:
            for cell in self.cells:
                if cell not in own and cell not in other:
                    after = own | {cell}
                    child = (other, after, 1 - axis)
                    if not self.joined(after, axis) and child not in seen:
                        seen.add(child)
                        waiting.append(child)
        return seen
