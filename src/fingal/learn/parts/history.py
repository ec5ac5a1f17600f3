"""What a training run leaves behind: its settings and a row of figures at every checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class History:
    """One run of a sweep. Everything in it can be written as JSON.

    Every row has ``games`` and ``updates`` so far and, over the games that ended since the row before: ``value`` (the
    value of the chosen after-states, each in its mover's view, averaged over a game and then over games),
    ``first_value`` and ``second_value`` (the same for the moves of the first and of the second player alone),
    ``absolute_value`` (of its absolute value) and ``saturation`` (the share of the values beyond 0.99 on either side).
    ``fingal.learn.parts.truth`` adds what the greedy player is worth. Some learners add figures of their own.
    """

    settings: dict[str, Any]
    """The run's config as a dictionary."""
    rows: list[dict[str, float]] = field(default_factory=list)
    """One for each checkpoint, in order."""
    diverged: str = ""
    """The sentence that says when and with which setting it diverged; empty when it did not."""
    updates: int = 0
    """How often this run's parameters were updated."""
    seconds: float = 0.0
    """This run's share of the time that its group took."""
