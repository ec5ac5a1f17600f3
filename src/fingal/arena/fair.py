"""First moves from the most even to the most decided: a shipped table for square boards, a net for all others.

``fair.json`` has them as a net judged them once, so that matches begin alike whichever nets ship.
``python -m fingal.arena.fair`` writes it anew by the net that ships now: later matches then have other openings.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from fingal.game import Board

FILE = Path(__file__).with_name("fair.json")

JUDGE = "fingal-small"
"""The net that says which first moves are even."""

SIDES = range(2, 20)
"""The square boards in the table: on 1x1 the first move wins."""


def by_evenness(width: int, height: int) -> list[int]:
    """All first moves that do not win at once, the most even first; of two that a half turn joins, one."""
    if names := _table().get(f"{width}x{height}"):
        board = Board(width, height)
        return [board.cell(name) for name in names.split()]
    return judged(width, height)


def judged(width: int, height: int) -> list[int]:
    """The same by the net that ships: float32, averaged with the board turned by 180 degrees."""
    from fingal.nets.card import find
    from fingal.nets.inference import open_evaluator
    from fingal.players.searching import values_after

    board = Board(width, height)
    # Of a cell and its image under a half turn, the first: the games from the two are the same games, turned.
    classes = [cell for cell in range((board.cells + 1) // 2) if not _wins_at_once(board, cell)]
    if not classes:
        return []
    evaluator = open_evaluator(find(JUDGE, (".onnx",)), device="cpu", average=True)
    # Rounded: a difference in the last place, between two processors, must not change the order.
    uneven = np.abs(values_after(evaluator, board)).round(3)
    return sorted(classes, key=lambda cell: (uneven[cell], cell))


def build(file: Path = FILE, sides: Iterable[int] = SIDES) -> None:
    """Write the table as the net that ships judges the boards."""
    rows = (f' "{side}x{side}": "{" ".join(map(Board(side).name, judged(side, side)))}"' for side in sides)
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


@functools.cache
def _table() -> dict[str, str]:
    table: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def _wins_at_once(board: Board, cell: int) -> bool:
    after = board.copy()
    after.push(cell)
    return after.is_over()


if __name__ == "__main__":
    build()
