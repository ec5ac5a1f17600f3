"""A set of whole numbers as ranges: a million games that were played in order need no more memory than one."""

from __future__ import annotations

from bisect import bisect_right


class NumberSet:
    """Whole numbers in ranges that are sorted and do not touch each other."""

    def __init__(self) -> None:
        """Begin with no numbers."""
        self._firsts: list[int] = []
        self._stops: list[int] = []

    def add(self, number: int) -> None:
        """Add a number, which joins the ranges that it touches."""
        at = bisect_right(self._firsts, number)
        if at and number < self._stops[at - 1]:
            return
        touches_next = at < len(self._firsts) and self._firsts[at] == number + 1
        if at and self._stops[at - 1] == number:
            self._stops[at - 1] = self._stops[at] if touches_next else number + 1
            if touches_next:
                del self._firsts[at], self._stops[at]
        elif touches_next:
            self._firsts[at] = number
        else:
            self._firsts.insert(at, number)
            self._stops.insert(at, number + 1)

    def first_missing(self, number: int) -> int:
        """The smallest number from this one on that is not in the set."""
        at = bisect_right(self._firsts, number)
        return self._stops[at - 1] if at and number < self._stops[at - 1] else number

    def __contains__(self, number: int) -> bool:
        return self.first_missing(number) != number
