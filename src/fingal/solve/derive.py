"""Derivations of winning connections, for the leaves of proof trees: AND and OR rules on a few given cells.

The core's search for connections is fast and knows more rules. This one is slow, knows the two rules that every reader
of Hex papers knows, and remembers how it found what. It is asked for one connection on the cells that the core says are
enough; where it does not find it, the proof tree goes on with a move instead.
"""

from __future__ import annotations

from collections import deque

from fingal.solve.check import Stones

MOST = 8
"""Connections of each sort that are kept between two ends."""
LARGEST = 26
"""Carriers of more cells are not tried: a move first makes them smaller."""

Step = tuple[str | int, ...]
Sets = dict[tuple[int, int], list[tuple[int, int]]]  # by ends: carriers as bits, each with the number of its step


def derive(stones: Stones, carrier: frozenset[int], full: bool) -> list[list[str | int]] | None:
    """The steps of a connection between the edges on some empty cells; None when the rules do not find one."""
    if len(carrier) > LARGEST:
        return None
    search = _Search(stones, carrier)
    found = search.run(full)
    return None if found is None else _needed(search.steps, found)


class _Search:
    def __init__(self, stones: Stones, carrier: frozenset[int]) -> None:
        self.stones = stones
        self.steps: list[Step] = []
        self.full: Sets = {}
        self.semi: Sets = {}
        self.partners: dict[int, set[int]] = {}
        self.fresh: deque[tuple[int, int, int, int]] = deque()
        self.goal = _ends(stones.group(stones.first), stones.group(stones.second))
        for cell in sorted(carrier):
            for end in stones.touching(cell):
                if end in carrier or end in stones.own or end >= stones.first:
                    self._add_full(cell, stones.group(end), 0, ("touch", cell, end))

    def run(self, full: bool) -> int | None:
        """The number of the step that joins the edges."""
        while self.fresh:
            a, b, carrier, step = self.fresh.popleft()
            if not any(kept == step for _, kept in self.full[_ends(a, b)]):
                continue  # a smaller one has taken its place
            for middle, end in ((a, b), (b, a)):
                for other in sorted(self.partners[middle]):
                    if other != end:
                        self._join(end, middle, other, carrier, step)
            for sets in (self.full,) if full else (self.full, self.semi):
                if self.goal in sets:
                    return sets[self.goal][0][1]
        return None

    def _join(self, a: int, middle: int, b: int, carrier: int, step: int) -> None:
        is_key = self.stones.is_empty(middle)
        outside = _bit(self.stones, a) | _bit(self.stones, b) | _bit(self.stones, middle)
        if carrier & outside:
            return
        for second, number in list(self.full.get(_ends(middle, b), ())):
            if second & carrier or second & outside:
                continue
            if is_key:
                self._add_semi(a, b, carrier | second | 1 << middle, ("key", step, number))
            else:
                self._add_full(a, b, carrier | second, ("through", step, number))

    def _add_full(self, a: int, b: int, carrier: int, step: Step) -> None:
        number = self._keep(self.full, a, b, carrier, step)
        if number is not None:
            for end, other in ((a, b), (b, a)):
                self.partners.setdefault(end, set()).add(other)
            self.fresh.append((a, b, carrier, number))

    def _add_semi(self, a: int, b: int, carrier: int, step: Step) -> None:
        if any(kept & carrier == kept for kept, _ in self.full.get(_ends(a, b), ())):
            return
        number = self._keep(self.semi, a, b, carrier, step)
        if number is not None:
            self._or(a, b, carrier, carrier, (number,), 0)

    def _or(self, a: int, b: int, common: int, union: int, parts: tuple[int, ...], start: int) -> None:
        """Full connections of one new semi connection and some of the older ones."""
        others = self.semi[_ends(a, b)]
        for index in range(start, len(others)):
            carrier, number = others[index]
            if number == parts[0] or common & carrier == common:
                continue
            if common & carrier:
                if len(parts) < 4:
                    self._or(a, b, common & carrier, union | carrier, (*parts, number), index + 1)
            else:
                self._add_full(a, b, union | carrier, ("or", *parts, number))

    def _keep(self, sets: Sets, a: int, b: int, carrier: int, step: Step) -> int | None:
        """The number of a new step; None when what is there already is as good, or enough."""
        kept = sets.setdefault(_ends(a, b), [])
        if any(old & carrier == old for old, _ in kept):
            return None
        kept[:] = [entry for entry in kept if entry[0] & carrier != carrier]
        if len(kept) >= MOST:
            largest = max(kept, key=lambda entry: entry[0].bit_count())
            if largest[0].bit_count() <= carrier.bit_count():
                return None
            kept.remove(largest)
        self.steps.append(step)
        kept.append((carrier, len(self.steps) - 1))
        return len(self.steps) - 1


def _ends(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _bit(stones: Stones, end: int) -> int:
    return 1 << end if stones.is_empty(end) else 0


def _needed(steps: list[Step], last: int) -> list[list[str | int]]:
    """The steps that the last one rests on, numbered anew."""
    wanted = {last}
    for number in range(last, -1, -1):
        rule, *parts = steps[number]
        if number in wanted and rule != "touch":
            wanted.update(part for part in parts if isinstance(part, int))
    numbers = {old: new for new, old in enumerate(sorted(wanted))}
    kept = []
    for old in numbers:
        rule, *parts = steps[old]
        kept.append([rule, *(parts if rule == "touch" else (numbers[int(part)] for part in parts))])
    return kept
