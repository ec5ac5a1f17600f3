"""How fast small boards are solved: ``fingal bench solve``.

Every opening of 6x6 and of 7x7, each board with a fresh table on one thread, and 7x7 positions that other programs
report. Times are CPU seconds, so that what else the machine does counts for little.
"""

from __future__ import annotations

import time
from typing import Any

from rich.table import Table

from fingal.game import Board
from fingal.solve.dfpn import Settings, Solver

WHOLE = ("6x6", "7x7")
"""Boards of which all openings are solved."""
SINGLE = {"7x7": ("", "a1", "b2", "a4")}
"""Positions that are solved alone, by their first move."""


def measure(seconds: float = 2.0) -> dict[str, Any]:
    """CPU seconds and positions looked at. ``seconds`` is not used: the work is what it is."""
    del seconds
    results: dict[str, Any] = {}
    nodes = 0
    for size in WHOLE:
        board = _board(size)
        solver = Solver(board.width, board.height, Settings())
        results[f"solve_{size}_all_s"], found = _timed(solver, board, find_all=True)
        nodes += found
        results[f"nodes_{size}_all"] = found
    for size, openings in SINGLE.items():
        for opening in openings:
            board = _board(size, opening)
            name = f"solve_{size}_{opening or 'empty'}_s"
            results[name], results[name.replace("solve", "nodes")[:-2]] = _timed(
                Solver(board.width, board.height, Settings()), board
            )
    return results | {"nodes": nodes}


def table(results: dict[str, Any]) -> Table:
    """The results for a person."""
    out = Table(title="One thread, a fresh table for each line", title_justify="left")
    for column in ("what", "CPU seconds", "positions"):
        out.add_column(column, justify="left" if column == "what" else "right")
    for key in results:
        if key.startswith("solve_"):
            what = key.removeprefix("solve_").removesuffix("_s")
            out.add_row(what.replace("_", " "), f"{results[key]:.2f}", f"{results[f'nodes_{what}']:,}")
    return out


def _board(size: str, opening: str = "") -> Board:
    width, height = map(int, size.split("x"))
    board = Board(width, height)
    if opening:
        board.push(opening)
    return board


def _timed(solver: Solver, board: Board, find_all: bool = False) -> tuple[float, int]:
    begun = time.process_time()
    found = solver.solve(board, find_all=find_all)
    return time.process_time() - begun, found.progress.nodes
