"""Swap maps: which first moves a player would swap, beside those that win in truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fingal.arena.report.markup import Section, board, grid
from fingal.game import SWAP, Board, Record
from fingal.game.draw import THEMES, Overlay, Picture, picture
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, ask
from fingal.solve import tables

SIZES = (4, 5, 6, 7, 8)
"""The boards that maps are drawn of unless others are asked for: those with a solved truth."""

WINS, MISSED = "#3f9a4a", "#d8432f"
"""The colours of first moves that are swapped, or win, and of those that the player gets wrong."""


@dataclass(frozen=True, slots=True)
class SwapMap:
    """What a player does with every first move on a square board."""

    player: str
    size: int
    swapped: frozenset[int]

    @property
    def right(self) -> tuple[int, int]:
        """On how many first moves it agrees with the truth, of how many that are solved."""
        known = tables.openings(self.size, self.size)
        return sum((cell in self.swapped) == wins for cell, wins in known.items()), len(known)


def ask_player(text: str, size: int, limit: Limit = NO_LIMIT) -> SwapMap:
    """Ask a player about every first move, as White who may swap it."""
    player = spec.make(text)
    try:
        swapped = set()
        for cell in range(size * size):
            record = Record.of([cell], size, swap=True)
            if ask(player, record, record.board(), limit) == SWAP:
                swapped.add(cell)
        return SwapMap(text, size, frozenset(swapped))
    finally:
        player.close()


def section(maps: Sequence[SwapMap]) -> Section:
    """The truth and the players' maps, size by size."""
    parts = [
        "<p>White may swap Black's first stone, and should exactly where that move wins. Green cells win, or are "
        "swapped; a red ring is where the player is wrong, a question mark where the truth is not known.</p>"
    ]
    for size in sorted({found.size for found in maps}):
        known = tables.openings(size, size)
        boards = (
            [board(truth(size), f"the truth: {sum(known.values())} of {len(known)} solved moves win")] if known else []
        )
        for found in maps:
            if found.size == size:
                right, count = found.right
                agreed = f"right on {right} of {count}" if count else f"{len(found.swapped)} swapped; no truth known"
                boards.append(board(drawn(found), f"{found.player}: {agreed}"))
        parts.append(f"<h3>{size}×{size}</h3>" + grid(boards, "boards"))
    return Section("swaps", "Swap maps", "".join(parts))


def truth(size: int) -> Picture:
    """Which first moves win; '?' where that is not known."""
    known = tables.openings(size, size)
    tints = {cell: (WINS, 0.8) for cell, wins in known.items() if wins}
    labels = {cell: "?" for cell in range(size * size) if cell not in known}
    return _board(size, Overlay(tints=tints, labels=labels), f"Solved first moves on {size}x{size}")


def drawn(found: SwapMap) -> Picture:
    """Which first moves a player swaps, with a ring on those that it gets wrong."""
    known = tables.openings(found.size, found.size)
    tints = dict.fromkeys(found.swapped, (WINS, 0.8))
    wrong = {cell for cell, wins in known.items() if wins != (cell in found.swapped)}
    sheet = _board(
        found.size, Overlay(tints=tints), f"First moves that {found.player} swaps on {found.size}x{found.size}"
    )
    names = {Board(found.size).name(cell) for cell in wrong}
    shapes = [
        replace(shape, stroke=MISSED, width=4.0, kind="cell wrong") for shape in sheet.shapes if shape.cell in names
    ]
    # The rings go on top, so that no neighbour covers them.
    return replace(sheet, shapes=(*sheet.shapes, *(replace(shape, fill="") for shape in shapes)))


def _board(size: int, overlay: Overlay, title: str) -> Picture:
    theme = replace(THEMES["black-white"], background="")
    return picture(Board(size), overlay=overlay, theme=theme, cell_size=30.0, title=title)
