"""What ``fingal report`` does: everything is read and checked before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from fingal.arena.report.page import Report, page
from fingal.arena.report.sources import read_exam, read_games, read_run
from fingal.arena.report.swaps import ask_player
from fingal.game import Board


def report(
    stores: Sequence[Path],
    exams: Sequence[Path],
    runs: Sequence[Path],
    swappers: Sequence[str],
    sizes: Sequence[int],
    title: str,
    output: Path,
    notes: Console,
) -> None:
    """Write a page and say how large it is."""
    with notes.status("") as status:
        write(stores, exams, runs, swappers, sizes, title, output, status.update)
    size = output.stat().st_size
    told = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    notes.print(f"{output}: {told}", markup=False, highlight=False, soft_wrap=True)


def write(
    stores: Sequence[Path],
    exams: Sequence[Path],
    runs: Sequence[Path],
    swappers: Sequence[str],
    sizes: Sequence[int],
    title: str,
    output: Path,
    tell: Callable[[str], None],
) -> None:
    """Write a page; ValueError, in one sentence, when there is nothing to show or a source is none.

    An older page stays as it was until the new one is whole.
    """
    if not (stores or exams or runs or swappers):
        raise ValueError("a report of nothing is not possible: give a store of games, --exam, --run or --swaps")
    if not output.parent.is_dir():
        raise ValueError(f"{output} cannot be written: there is no folder {output.parent}")
    if output.is_dir():
        raise ValueError(f"{output} cannot be written: it is a folder, and a file is expected")
    for size in sizes:
        Board(size)
    games = read_games(stores)
    if stores and not games:
        raise ValueError(f"there are no games in {', '.join(map(str, stores))}")
    results = [read_exam(path) for path in exams]
    trained = [read_run(folder) for folder in runs]
    maps = []
    for size in sizes if swappers else ():
        for text in swappers:
            tell(f"asking {text} about first moves on {size}x{size}")
            maps.append(ask_player(text, size))
    tell("drawing")
    facts = {"Fingal": version("fingal"), "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    part = output.with_name(output.name + ".part")
    part.write_text(page(Report(title, games, results, trained, maps, facts)), encoding="utf-8")
    os.replace(part, output)
