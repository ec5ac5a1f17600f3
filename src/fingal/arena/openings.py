"""Where the games of a match begin: each opening is played twice, once with each player as Black."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fingal.arena.fair import by_evenness
from fingal.game import Record, Special, formats
from fingal.players.player import open_board

SOURCES = ("none", "all", "edge", "fair")
"""What ``openings`` knows by name; anything else is a file."""

EDGE_ROWS = 2
"""How far from a side an opening of 'edge' may be."""


def openings(source: str, width: int, height: int) -> list[Record]:
    """The start positions of a match.

    - none: the empty board.
    - all: every cell as Black's first stone.
    - edge: every cell within two rows of a side, as for EZO-CNN (Takada et al., 2019): 40 of them on 7x7, 56 on 9x9,
      72 on 11x11.
    - fair, or fair:30 for so many: the first moves nearest to even, see ``fair_cells``.
    - a file: one opening a line, as moves (``a1 b2``) or anything else that names a position on a board of this size.
    """
    match source:
        case "none":
            return [Record(width, height)]
        case "all":
            return _first_moves(range(width * height), width, height)
        case "edge":
            return _first_moves(edge_cells(width, height), width, height)
        case _ if given := re.fullmatch(r"fair(?::([0-9]{1,18}))?", source):
            return _first_moves(fair_cells(width, height, None if given[1] is None else int(given[1])), width, height)
        case _:
            return _from_file(source, width, height)


def _first_moves(cells: Iterable[int], width: int, height: int) -> list[Record]:
    """A game for each first move; on a board of one row, where each wins at once, the empty board alone."""
    return [Record.of([cell], width, height) for cell in cells if height > 1] or [Record(width, height)]


def edge_cells(width: int, height: int) -> list[int]:
    """The cells within two rows of a side: n² - (n - 4)² of them on a board of n by n."""

    def is_near(at: int, length: int) -> bool:
        return at < EDGE_ROWS or at >= length - EDGE_ROWS

    return [cell for cell in range(width * height) if is_near(cell % width, width) or is_near(cell // width, height)]


def fair_cells(width: int, height: int, count: int | None = None) -> list[int]:
    """The first moves nearest to even, the most even first: ``count``, or a quarter of those there are.

    Of two that a half turn of the board joins, one counts. ValueError when there are fewer.
    A move that wins at once is none: on a board of one row there are none at all.
    """
    cells = by_evenness(width, height)
    if count is None:
        return cells[: max(1, round(len(cells) / 4))]
    if not cells:
        raise ValueError(f"there are no fair openings on {width}x{height}: every first move wins at once")
    if not 1 <= count <= len(cells):
        raise ValueError(f"there are not {count} fair openings on {width}x{height}: from 1 to {len(cells)}")
    return cells[:count]


def _from_file(source: str, width: int, height: int) -> list[Record]:
    try:
        lines = formats.contents(source).decode("utf-8-sig").split("\n")
    except ValueError as error:
        raise ValueError(f"cannot read openings: {', '.join(SOURCES)} or a text file is expected ({error})") from None
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = formats.position(line.strip(), (width, height))
            if (record.width, record.height) != (width, height):
                size = f"{record.width}x{record.height}"
                raise ValueError(f"a board of {size}, but the match is on {width}x{height}")
            if any(move == Special.SWAP_SIDES for _, move in record.moves):
                raise ValueError("swap-sides has no place in an opening: each is played with both colours anyway")
            if any(move == Special.PASS for _, move in record.moves):
                raise ValueError("a pass has no place in an opening: in Hex every turn is a move")
            open_board(record)
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
        records.append(record)
    if not records:
        raise ValueError(f"{source} holds no openings: one a line is expected, for example 'a1 b2'")
    return records
