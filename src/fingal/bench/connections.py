"""How fast connections are found: ``fingal bench connections``.

Mid-game positions from a file of this package: of Fingal's own games on 11x11 and of Wolve's on 13x13. Both colours'
connections, with the cells filled in that make no difference. Times are medians over the positions, in CPU
milliseconds of one thread:

- ``build_ms_11``, ``build_ms_13``: fill-in and both colours, from scratch;
- ``incremental_ms_11``: both colours brought up to date after the game's next move;
- ``full_found_11``: full connections found, both colours together, the mean over the positions.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from fingal import _core
from fingal.analysis.connections import Connections
from fingal.game import Board, Colour

POSITIONS = Path(__file__).with_name("positions.txt")

LABELS = {
    "build_ms_11": "11x11 from scratch, ms",
    "build_ms_13": "13x13 from scratch, ms",
    "incremental_ms_11": "11x11 after a move, ms",
    "full_found_11": "full connections on 11x11",
}


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game and the moves that followed."""

    board: Board
    further: tuple[int, ...]


def measure(seconds: float = 2.0) -> dict[str, Any]:
    """Times and counts. ``seconds``: about how long to work on each time."""
    if not seconds > 0:
        raise ValueError(f"seconds={seconds} is not possible: it must be more than 0")
    results: dict[str, Any] = {}
    for size in (11, 13):
        positions = list(read(size))
        results[f"build_ms_{size}"] = _median([_Builder(p).build for p in positions], seconds)
        if size == 11:
            results["incremental_ms_11"] = _median([_Builder(p).follow for p in positions], seconds)
            found = [sum(len(view.listing(False)[0]) for view in _Builder(p).views) for p in positions]
            results["full_found_11"] = statistics.mean(found)
    return {key: results[key] for key in LABELS}


def table(results: dict[str, Any]) -> Table:
    """The results for a person."""
    out = Table(title="Connections of both colours, one thread", title_justify="left")
    out.add_column("what")
    out.add_column("", justify="right")
    for key, label in LABELS.items():
        out.add_row(label, f"{results[key]:,.2f}" if key.count("_ms_") else f"{results[key]:,.0f}")
    return out


def read(size: int) -> Iterator[Position]:
    """The file's positions of one size."""
    for line in POSITIONS.read_text(encoding="ascii").splitlines():
        first, *rest = line.split()
        if first != str(size):
            continue
        ply, *moves = rest
        board = Board(size)
        for move in moves[: int(ply)]:
            board.push(move)
        yield Position(board, tuple(board.cell(move) for move in moves[int(ply) :]))


class _Builder:
    """Both colours' connections of one position."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.filled = _fill(position.board)
        self.views = [Connections(position.board, colour, filled=self.filled) for colour in Colour]

    def build(self) -> float:
        """CPU seconds for fill-in and both colours from scratch."""
        begin = time.process_time()
        filled = _fill(self.position.board)
        for view in self.views:
            view.build(self.position.board, *filled)
        return time.process_time() - begin

    def follow(self) -> float:
        """CPU seconds for a move, the mean of those that follow; then they are taken back."""
        spent, count, mover = 0.0, 0, self.position.board.turn
        for cell in self.position.further:
            if not any(cell in cells for cells in self.filled):
                begin = time.process_time()
                for colour, view in zip(Colour, self.views, strict=True):
                    view.add([cell] if colour is mover else [], [] if colour is mover else [cell])
                spent += time.process_time() - begin
                count += 1
            mover = mover.other
        for _ in range(count):
            for view in self.views:
                view.undo()
        return spent / max(count, 1)


def _fill(board: Board) -> tuple[list[int], list[int]]:
    black, white, *_ = _core.inferior(board, int(board.turn), False)
    return black, white


def _median(works: list[Callable[[], float]], seconds: float) -> float:
    """The median over the works, in milliseconds: of each the quickest of several, all of them in each round."""
    best = [work() for work in works]
    end = time.process_time() + seconds
    while time.process_time() < end:
        best = [min(before, work()) for before, work in zip(best, works, strict=True)]
    return 1000 * statistics.median(best)
