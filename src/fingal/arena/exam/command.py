"""What ``fingal exam`` does: progress, results, a picture."""

from __future__ import annotations

import json as json_module
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fingal.arena.exam import show
from fingal.arena.exam.sitting import Sitting
from fingal.game import draw
from fingal.players.player import Limit


def exam(
    player: str,
    size: tuple[int, int],
    positions: int | None,
    every: bool,
    seed: int,
    limit: Limit,
    output: Path | None,
    json: bool,
    out: Console,
    notes: Console,
) -> None:
    """Let a player sit the exam and print its marks; Ctrl-C ends it with the marks so far."""
    width, height = size
    if width != height:
        raise ValueError(f"there is no exam on {width}x{height}: the board is 3x3, 4x4, 5x5, 6x6 or 7x7")
    if output is not None:
        # What cannot be drawn is refused before the exam, not after it.
        draw.check_name(output)
        if not output.parent.is_dir():
            raise ValueError(f"{output} cannot be written: there is no folder {output.parent}")
    sitting = Sitting(player, width, seed=seed, positions=positions, every_position=every, limit=limit)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as progress:
            task = progress.add_task(player)
            sitting.sit(lambda what, done, total: progress.update(task, description=what, completed=done, total=total))
    except KeyboardInterrupt:
        notes.print("stopped: the marks are those of the questions that were answered")
    if output is not None:
        draw.save(show.picture(sitting.marks), output)
    if json:
        print(json_module.dumps(sitting.marks.as_dict(), indent=1))
    else:
        show.show(sitting.marks, out)
