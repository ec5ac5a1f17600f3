"""Edge templates, found by search and proved by it: ``python -m fingal.analysis.templates [GAMES]``.

A template is a way to join a stone to an edge, or to another stone beside it, that H-search does not see or forgets. It
is a picture, row by row down to the edge and each row half a cell further to the right: O the stone, P the other one, S
further stones that are needed, * the carrier.

Three ways lead to them. The first tries a stone alone on the third to fifth row: see ``lone_stones.py``. The second
tries regions: every place of a stone on these rows with one more at every place near it, and two stones on the second
row with up to three cells between them. In each region the carriers are looked for that hold: one, then those without
one of its cells, and so on. The third looks at positions of games (a file with one a line: the size, then moves) for
what holds there although the connections do not say so.

Whatever is found holds by search of its carrier alone, which knows nothing but the rules: see ``carrier_search.hpp``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fingal import _core
from fingal.analysis.lone_stones import LoneStone, Point, Strip
from fingal.game import Board, Colour

HIGHEST = 4
"""The row, counted from 0 at the edge, of the highest stone that is tried."""

LARGEST = 50
"""Cells of the largest region that is tried."""

STRIPS = ((Strip(2, 4, 8), 2), (Strip(3, 10, 15, above=1), 2), (Strip(4, 8, 14), 1))
"""Where a stone alone is tried, and how many cells further carriers do without."""

LARGEST_ALONE = 40
"""Cells of the largest carrier of a stone alone that is kept: it takes too long to prove larger ones by themselves."""


@dataclass(frozen=True, slots=True)
class Region:
    """Stones at an edge, and the cells around them that may be played on."""

    marks: dict[Point, str]

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return sum(mark == "*" for mark in self.marks.values())

    def picture(self) -> str:
        """As a template's picture."""
        high, left = max(up for up, _ in self.marks), min(along for _, along in self.marks)
        right = max(along for _, along in self.marks) + 1
        rows = ("".join(self.marks.get((up, along), ".") for along in range(left, right)) for up in range(high, -1, -1))
        return "/".join(rows)


def read(picture: str, *, mirrored: bool = False) -> Region:
    """A picture's region.

    >>> read("O./**").picture(), read("O./**", mirrored=True).picture()
    ('O./**', 'O./**')
    """
    rows = picture.split("/")[::-1]
    marks = {(up, along): mark for up, row in enumerate(rows) for along, mark in enumerate(row) if mark != "."}
    if mirrored:
        marks = {(up, up - along): mark for (up, along), mark in marks.items()}
        left = min(along for _, along in marks)
        marks = {(up, along - left): mark for (up, along), mark in marks.items()}
    return Region(marks)


def around(stones: dict[Point, str], aside: float, above: int) -> Region:
    """The cells at and below some stones (O the first) and ``aside`` of them; ``above`` rows over the O as well.

    Beside the O the region grows wider towards the edge; from there to another stone it is as high as that one.
    """
    (high, start), *others = stones
    middle = start - high / 2
    places = [middle, *(along - up / 2 for up, along in others)]
    level = max([1, *(up for up, _ in others)])
    marks = dict(stones)
    for up in range(max(high + above, level) + 1):
        lower = max(0, high - up)
        for along in range(-40, 60):
            place = along - up / 2
            below = up <= high and abs(place - middle) <= aside + 1 + (lower if others else lower / 2)
            wide = aside + lower / 2
            between = up <= level and min(places) - wide <= place <= max(places) + wide
            over = up > high and abs(place - middle) < 2
            if below or between or over:
                marks.setdefault((up, along), "*")
    return Region(marks)


def regions() -> list[Region]:
    """All that are tried, small ones first."""
    found = []
    for high in range(2, HIGHEST + 1):
        aside, above = (1.5, 1) if high < HIGHEST else (1, 0)
        for up in range(min(high + 2, HIGHEST + 1)):
            places = [(up, along) for along in range(-9, 10) if (up, along) != (high, 0)]
            found += [around({(high, 0): "O", place: "S"}, aside, above) for place in places]
    found += [around({(1, 0): "O", (1, along): "P"}, 1, 0) for along in (2, 3, 4)]
    return sorted(found, key=lambda region: region.cells)


def carriers(finder: _core.TemplateFinder, region: Region, depth: int) -> set[str]:
    """Templates in a region: those that are found first, and those without up to ``depth`` of their cells."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = [(region, 0)]
    while todo:
        here, removed = todo.pop()
        picture = here.picture()
        if picture in seen:
            continue
        seen.add(picture)
        fresh = [one for order in orders(picture) if (one := finder.shrunk(picture, order)) is not None]
        found.update(fresh)
        if fresh and removed < depth:
            for point in _needed(here, min(fresh, key=lambda one: one.count("*"))):
                todo.append((Region({at: mark for at, mark in here.marks.items() if at != point}), removed + 1))
    return found


def orders(picture: str) -> Iterator[list[int]]:
    """Orders in which a picture's cells may be tried: from above, from each side, from outside."""
    row, high = picture.index("/") + 1, picture.count("/")
    up = {i: high - i // row for i, mark in enumerate(picture) if mark in "*O"}
    place = {i: i % row - up[i] / 2 for i in up}
    middle = place[picture.index("O")]
    cells = [i for i in up if picture[i] == "*"]
    yield sorted(cells, key=lambda i: (-up[i], -abs(place[i] - middle)))
    yield sorted(cells, key=lambda i: (place[i], -up[i]))
    yield sorted(cells, key=lambda i: (-place[i], -up[i]))
    yield sorted(cells, key=lambda i: -abs(place[i] - middle))


def _needed(region: Region, picture: str) -> list[Point]:
    """The cells of a region that a template found in it takes; pictures do not say on which side they were found."""
    start = next(at for at, mark in region.marks.items() if mark == "O")
    for mirrored in (False, True):
        marks = read(picture, mirrored=mirrored).marks
        end = next(at for at, mark in marks.items() if mark == "O")
        shift = start[1] - end[1]
        moved = {(up, along + shift): mark for (up, along), mark in marks.items()}
        if start[0] == end[0] and all(region.marks.get(at) == mark for at, mark in moved.items()):
            return [at for at, mark in moved.items() if mark == "*"]
    return []


def positions(lines: Iterable[str], seed: int) -> Iterator[Board]:
    """A position of each game, somewhere in its first three quarters; comments start with #."""
    rng = random.Random(seed)
    games = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    rng.shuffle(games)
    for size, *moves in games:
        board = Board(int(size))
        for move in moves[: rng.randrange(max(1, 3 * len(moves) // 4))]:
            board.push(move)
        yield board


def select(found: Mapping[str, int], most_cells: int) -> list[str]:
    """Those to keep, small ones first: none that holds another at the same place.

    Nor two stones far apart that only the edge joins: there are so many of these that the search takes twice as long.
    """
    kept: list[str] = []
    by_end: dict[tuple[int, bool], list[dict[Point, str]]] = {}
    for picture in sorted(found, key=lambda one: (one.count("*"), one.count("S"), one)):
        if picture.count("*") > most_cells or _is_over_edge(picture):
            continue
        swapped = picture.translate(str.maketrans("OP", "PO")) if "P" in picture else picture
        images = [_from_end(read(one, mirrored=mirrored)) for one in {picture, swapped} for mirrored in (False, True)]
        key = picture.count("/") - next(i for i, row in enumerate(picture.split("/")) if "O" in row), "P" in picture
        smaller = by_end.setdefault(key, [])
        if not any(_within(one, images[0]) for one in smaller):
            kept.append(picture)
            smaller += images
    return kept


def _is_over_edge(picture: str) -> bool:
    """Whether O and P have more than one cell between them and do not need them."""
    row = next(row for row in picture.split("/") if "O" in row)
    between = row[slice(*sorted((row.find("O"), row.find("P"))))] if "P" in row else ""
    return len(between) > 2 and "." in between


def _from_end(region: Region) -> dict[Point, str]:
    start = next(along for (_, along), mark in region.marks.items() if mark == "O")
    return {(up, along - start): mark for (up, along), mark in region.marks.items()}


def _within(small: dict[Point, str], large: dict[Point, str]) -> bool:
    """Whether a template stands wherever another does."""
    return all(large.get(at) == mark or (mark == "*" and large.get(at) == "S") for at, mark in small.items())


SOURCE = """// Written by fingal.analysis.templates: do not edit.
#include "edge_templates.hpp"

namespace fingal {{

const std::vector<std::string>& edge_templates() {{
  static const std::vector<std::string> all = {{
{list}  }};
  return all;
}}

}}  // namespace fingal
"""


def source(pictures: Iterable[str]) -> str:
    """The C++ file with the list."""
    return SOURCE.format(list="".join(f'      "{picture}",\n' for picture in pictures))


@dataclass
class Search:
    """What was found, and how far the search has come; kept in a file, if one is given."""

    file: Path | None
    found: dict[str, int]
    """Templates, and how often each was found in positions."""
    strips: int = 0
    regions: int = 0
    positions: int = 0

    @classmethod
    def begin(cls, file: Path | None) -> Search:
        """Where an earlier run left off, otherwise with the templates that there are."""
        if file and file.exists():
            return cls(file, **json.loads(file.read_text(encoding="ascii")))
        return cls(file, dict.fromkeys(_core.edge_templates(), 1))

    def save(self, progress: str) -> None:
        """Keep what there is, and say so."""
        if self.file:
            kept = {key: getattr(self, key) for key in ("found", "strips", "regions", "positions")}
            self.file.write_text(json.dumps(kept), encoding="ascii")
        print(f"\r{progress}, {len(self.found)} templates", end="", file=sys.stderr, flush=True)

    def try_strips(self, everything: Sequence[tuple[Strip, int]]) -> None:
        """Look for templates of a stone alone."""
        for strip, depth in everything[self.strips :]:
            for carrier in LoneStone(strip).carriers(depth):
                if len(carrier) <= LARGEST_ALONE:
                    one = Region(dict.fromkeys(carrier, "*") | {strip.stone: "O"}).picture()
                    self.found[min(one, read(one, mirrored=True).picture())] = 1
                self.save(f"{self.strips} of {len(everything)} strips")
            self.strips += 1
            self.save(f"{self.strips} of {len(everything)} strips")

    def try_regions(self, everything: Sequence[Region], depth: int) -> None:
        """Look for templates in regions."""
        finder = _core.TemplateFinder(most_positions=20_000)
        for region in everything[self.regions :]:
            if region.cells <= LARGEST:
                self.found |= dict.fromkeys(carriers(finder, region, depth), 1)
            self.regions += 1
            self.save(f"{self.regions} of {len(everything)} regions")

    def try_positions(self, boards: Sequence[Board], most_cells: int) -> None:
        """Look for templates in positions."""
        finder = _core.TemplateFinder(highest=HIGHEST, most_cells=34, most_positions=4000)
        for picture in select(self.found, most_cells):
            finder.add(picture)
        for board in boards[self.positions :]:
            pictures = {one for colour in Colour if not board.is_over() for one in finder.find(board, int(colour))}
            self.found |= {picture: self.found.get(picture, 0) + 1 for picture in pictures}
            self.positions += 1
            self.save(f"{self.positions} of {len(boards)} positions")

    def result(self, most_cells: int) -> list[str]:
        """What is worth keeping, each proved once more without a limit."""
        finder = _core.TemplateFinder()
        kept = select(self.found, most_cells)
        # A search that gave up may have left a cell too many; what is smaller is found as well.
        kept = [picture for picture in kept if picture.count("*") > 20 or finder.is_minimal(picture)]
        broken = [picture for picture in kept if not finder.holds(picture)]
        if broken:
            raise AssertionError(f"templates that do not hold: {broken}")
        return kept


def main(arguments: Sequence[str]) -> int:
    """Find templates and print them, or write the core's list."""
    parser = argparse.ArgumentParser(prog="python -m fingal.analysis.templates", description="Find edge templates.")
    parser.add_argument("games", nargs="?", type=Path, help="a file of games to look at, one a line: size, moves")
    parser.add_argument("--positions", type=int, default=200, help="positions of games to look at (200)")
    parser.add_argument("--depth", type=int, default=1, help="cells that further carriers of a region do without (1)")
    parser.add_argument("--most-cells", type=int, default=46, help="the largest carrier that is kept (46)")
    parser.add_argument("--seed", type=int, default=1, help="which positions of the games (1)")
    parser.add_argument("--state", type=Path, help="where to keep what was found, so that a run can go on")
    parser.add_argument("--write", type=Path, help="the C++ file to write; without it the pictures are printed")
    given = parser.parse_args(arguments)
    try:
        lines = given.games.read_text(encoding="ascii").splitlines() if given.games else []
        boards = list(islice(positions(lines, given.seed), given.positions))
        search = Search.begin(given.state)
    except (OSError, ValueError, TypeError) as error:
        print(f"{given.games or given.state} cannot be used: {error}", file=sys.stderr)
        return 2
    search.try_strips(STRIPS)
    search.try_regions(regions(), given.depth)
    search.try_positions(boards, given.most_cells)
    pictures = search.result(given.most_cells)
    print(f"\n{len(pictures)} templates hold", file=sys.stderr)
    if given.write:
        given.write.write_text(source(pictures), encoding="ascii")
    else:
        print("\n\n".join(picture.replace("/", "\n") for picture in pictures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
