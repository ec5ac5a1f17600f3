"""What ``fingal reproduce PAPER`` does: train, draw, and say what was found."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fingal.arena.provenance import cores
from fingal.experiments import workshop

PAPERS = ("000",)

LINES_APART = 60.0
"""Seconds between two lines about the progress, where there is no terminal to draw a bar on."""


class Bar:
    """Shows how far the sweeps have come: a bar for each round of them, or a line now and then."""

    def __init__(self, console: Console) -> None:
        """On this console."""
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:.1f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._rounds: dict[int, TaskID] = {}
        self._said = time.monotonic()

    def __enter__(self) -> Bar:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def watch(self, progress: workshop.Progress) -> None:
        """Show this."""
        left = "" if progress.seconds_left is None else f"about {progress.seconds_left / 60:.0f} min left"
        doing = ", ".join(progress.under_way) or "done"
        if id(progress) not in self._rounds:
            self._rounds[id(progress)] = self._bars.add_task(doing, total=1.0, left="")
        self._bars.update(self._rounds[id(progress)], completed=progress.done, left=left, description=doing)
        if not self._console.is_terminal and time.monotonic() - self._said > LINES_APART:
            self._said = time.monotonic()
            line = f"{100 * progress.done:.1f}%  {doing}  {left}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def reproduce(
    paper: str, figures: Sequence[str], scale: str, folder: Path | None, as_json: bool, out: Console, notes: Console
) -> None:
    """Do a paper again; ValueError, in one sentence, for what is not there."""
    if paper not in PAPERS:
        raise ValueError(f"there is no paper {paper!r} to reproduce: {', '.join(PAPERS)} is")
    from fingal.experiments.paper_000 import reproduction

    place = folder if folder is not None else Path("runs") / f"paper-{paper}-{scale}"
    with Bar(notes) as bar:
        result = reproduction.reproduce(scale, figures, place, cores(), bar.watch)
    for name, sentence in result.failed.items():
        notes.print(f"{name} came to nothing: {sentence}", style="red", markup=False, highlight=False, soft_wrap=True)
    notes.print(f"{place / 'page.html'}, {place / 'data.json'}", markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps(reproduction.findings(result), indent=1))
    if result.failed:
        raise SystemExit(1)
