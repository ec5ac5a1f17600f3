"""What is asked of a paper's experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fingal.arena.crew import MOST_JOBS
from fingal.experiments.workshop import Progress
from fingal.ranges import shown


@dataclass(frozen=True)
class Request:
    """Which of a paper's experiments, at which scale, and where they go."""

    folder: Path
    """Where everything goes."""
    scale: str = "small"
    """How much is done."""
    parts: Sequence[str] = ()
    """The figures and tables; all, if not given."""
    opponent: str | None = None
    """The yardstick; the paper's default, if not given."""
    seed: int = 1
    """Start of the random numbers of games with the yardstick, where it has none of its own."""
    processes: int = 1
    """Runs, or games, at a time."""
    runs: Path | None = None
    """A folder of finished runs, which are then tested instead of new ones."""
    watch: Callable[[Progress], None] = lambda progress: None
    """Told how far it has come."""

    def __post_init__(self) -> None:
        """Reject what would wait for ever, and more processes than a system has; the command line calls them jobs."""
        if not 1 <= self.processes <= MOST_JOBS:
            raise ValueError(f"jobs={shown(self.processes)} is not possible: at least 1, at most {MOST_JOBS}")

    def check(self, scales: Sequence[str], parts: Sequence[str]) -> None:
        """ValueError for a scale or a part that is not there."""
        if self.scale not in scales:
            raise ValueError(f"there is no scale {self.scale!r}: {', '.join(scales)} are")
        for part in self.parts:
            if part not in parts:
                raise ValueError(f"there is no figure {part!r}: {', '.join(parts)} are")


def refuse_none(scale: Any) -> None:
    """ValueError, naming the field, for a scale with a count below 1."""
    for field in fields(scale):
        value = getattr(scale, field.name)
        if type(value) is int and value < 1:
            raise ValueError(f"{field.name}={value} is not possible: at least 1")
