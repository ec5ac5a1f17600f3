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


def build(width: int, height: int, seconds: float, threads: int = 1) -> None:
    """Solve openings from the middle outwards until time is up, and tell what each has cost."""
    solver = Solver(width, height, Settings(memory=4096, threads=threads))
    marks = list("".join(tables.picture(width, height)))
    end = time.monotonic() + seconds
    for cell in sorted(range(width * height), key=lambda cell: _from_middle(cell, width, height)):
        left = end - time.monotonic()
        if marks[cell] != "?" or left <= 0:
            continue
        board = Board(width, height)
        board.push(cell)
        found = solver.solve(board, seconds=left)
        cost = f"{found.progress.nodes:,} positions, {found.progress.seconds:.1f} s"
        if found.winner is None:
            print(f"{width}x{height} {board.name(cell)}: not solved after {cost}", flush=True)
            continue
        print(f"{width}x{height} {board.name(cell)}: {found.winner} wins, {cost}", flush=True)
        # Turned by 180 degrees it is the same opening.
        marks[cell] = marks[-1 - cell] = "W" if found.winner is Colour.BLACK else "."
        write(width, height, marks)


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
