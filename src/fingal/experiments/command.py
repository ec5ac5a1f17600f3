"""What ``fingal reproduce PAPER`` does: train, play, draw, and say what was found."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fingal.experiments import full_size, matches, workshop
from fingal.experiments.request import Request

PAPERS = ("000", "001", "002", "003", "004")
"""Each has a package ``paper_NNN`` with a module ``reproduction``: its functions ``reproduce`` and ``findings``."""

RUNS = ("002", "003")
"""Those whose figures can be made of runs that are there."""

TRIALS = ("001", "002", "004")
"""Those with a module ``trials``: protocols for nets that were trained elsewhere."""

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
    paper: str, request: Request, as_json: bool, notes: Console, nets: Sequence[Path] = (), players: Sequence[str] = ()
) -> None:
    """Do a paper again, or play its games with nets that are there; ValueError, in one sentence, for what is not."""
    if paper not in PAPERS:
        raise ValueError(f"there is no paper {paper!r} to reproduce: {', '.join(PAPERS)} are")
    if nets:
        measure(paper, request, nets, players, as_json, notes)
        return
    if players:
        raise ValueError(f"player={players[0]!r} is not possible without nets: it says how they play")
    if request.runs is not None and paper not in RUNS:
        raise ValueError(f"paper {paper} has no figure of runs that are there: {' and '.join(RUNS)} have")
    reproduction = importlib.import_module(f"fingal.experiments.paper_{paper}.reproduction")
    with Bar(notes) as bar:
        result = reproduction.reproduce(replace(request, watch=bar.watch))
    for name, sentence in result.failed.items():
        notes.print(f"{name} came to nothing: {sentence}", style="red", markup=False, highlight=False, soft_wrap=True)
    place = request.folder
    notes.print(f"{place / 'page.html'}, {place / 'data.json'}", markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps(reproduction.findings(result), indent=1))
    if result.failed:
        raise SystemExit(1)


def measure(
    paper: str, request: Request, nets: Sequence[Path], players: Sequence[str], as_json: bool, notes: Console
) -> None:
    """Play the paper's games with some nets and print its table."""
    if paper not in TRIALS:
        raise ValueError(f"paper {paper} has no protocol for nets: {', '.join(TRIALS)} have")
    if request.runs is not None:
        raise ValueError(f"runs={str(request.runs)!r} is not possible with nets: figures are made of one or the other")
    trials = importlib.import_module(f"fingal.experiments.paper_{paper}.trials")
    asked = list(
        full_size.meetings(
            trials.PROTOCOLS, nets, request.opponent, request.parts, players, trials.BESIDE, request.seed
        )
    )
    progress = workshop.Progress(1.0, works={"games": 1.0})

    with Bar(notes) as bar:

        def tell(played: int, of: int) -> None:
            progress.tell("games", played / of)
            bar.watch(progress)

        scores = full_size.measure(asked, request.folder, request.processes, tell)
    for file in ("scores.md", "scores.json", matches.STORE):
        notes.print(str(request.folder / file), markup=False, highlight=False, soft_wrap=True)
    print(json.dumps([score.as_dict() for score in scores], indent=1) if as_json else matches.markdown(scores))
