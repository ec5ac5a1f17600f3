"""What is asked of a paper's experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingal.experiments.workshop import Progress


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
    watch: Callable[[Progress], None] = lambda progress: None
    """Told how far it has come."""

    def check(self, scales: Sequence[str], parts: Sequence[str]) -> None:
        """ValueError for a scale or a part that is not there."""
        if self.scale not in scales:
            raise ValueError(f"there is no scale {self.scale!r}: {', '.join(scales)} are")
        for part in self.parts:
            if part not in parts:
                raise ValueError(f"there is no figure {part!r}: {', '.join(parts)} are")
