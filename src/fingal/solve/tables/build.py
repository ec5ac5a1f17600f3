"""Solve openings and write them to the shipped table: ``python -m fingal.solve.tables.build 7x7 SECONDS [THREADS]``.

Each is written when it is solved; those in the table already are not solved again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from fingal.game import Board, Colour
from fingal.game.board import parse_size
from fingal.solve import tables
from fingal.solve.dfpn import Settings, Solver

FILE = Path(__file__).with_name("openings.json")

FIRST_TURN = 60.0
"""How many seconds an opening has at first."""

MEMORY = 4096
"""The size of the solver's table, in MiB."""


def build(width: int, height: int, seconds: float, threads: int = 1) -> None:
    """Solve openings from the middle outwards until time is up, and tell what each has cost.

    One that is not solved soon waits until the others have had their turn, and then has twice the time; what was found
    out about it is still in the solver's table, as far as there is room.
    """
    solver = Solver(width, height, Settings(memory=MEMORY, threads=threads))
    marks = list("".join(tables.picture(width, height)))
    # Turned by 180 degrees an opening is the same, so half of the board will do.
    half = sorted(range((width * height + 1) // 2), key=lambda cell: _from_middle(cell, width, height))
    end, turn = time.monotonic() + seconds, FIRST_TURN
    cost: dict[int, tuple[int, float]] = {}
    while "?" in marks and time.monotonic() < end:
        for cell in half:
            left = end - time.monotonic()
            if marks[cell] != "?" or left <= 0:
                continue
            board = Board(width, height)
            board.push(cell)
            found = solver.solve(board, seconds=min(turn, left))
            nodes, spent = cost.get(cell, (0, 0.0))
            cost[cell] = nodes + found.progress.nodes, spent + found.progress.seconds
            told = f"after {cost[cell][0]:,} positions, {cost[cell][1]:.1f} s"
            if found.winner is None:
                print(f"{width}x{height} {board.name(cell)}: not solved {told}", flush=True)
                continue
            print(f"{width}x{height} {board.name(cell)}: {found.winner} wins {told}", flush=True)
            marks[cell] = marks[-1 - cell] = "W" if found.winner is Colour.BLACK else "."
            write(width, height, marks)
        turn *= 2


def write(width: int, height: int, marks: list[str]) -> None:
    """Put a board's picture into the table."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    known[f"{width}x{height}"] = ["".join(marks[row * width : (row + 1) * width]) for row in range(height)]
    rows = (f' "{name}": {json.dumps(picture)}' for name, picture in known.items())
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _from_middle(cell: int, width: int, height: int) -> int:
    row, column = divmod(cell, width)
    down, right = 2 * row - height + 1, 2 * column - width + 1
    return max(abs(down), abs(right), abs(down + right))


if __name__ == "__main__":
    size, limit, *more = sys.argv[1:]
    build(*parse_size(size), float(limit), *map(int, more))
