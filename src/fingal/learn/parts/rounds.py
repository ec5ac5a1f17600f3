"""A run from here to its end, round by round: its clock, its figures, its files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from fingal.learn.parts.run import Run


class Trainer(Protocol):
    """What a learner has."""

    run: Run

    @property
    def progress(self) -> Any:
        """How far it has come, in ``seconds`` among others."""

    def done_share(self) -> float:
        """The same from 0 to 1."""

    def keeps(self) -> bool:
        """Whether the net as it is now is one to keep."""

    def save(self) -> None:
        """Write everything that is needed to resume."""


def rounds(
    trainer: Trainer, once: Callable[[], dict[str, float]], count: str, save_seconds: float, *, timed: bool = True
) -> Iterator[dict[str, float]]:
    """Run to the end; gives the figures of every round, of which ``count`` is its number.

    What is to be kept is saved at once, else after so many seconds. The time of a round is added here if ``timed``,
    otherwise ``once`` does so. It may be killed at any moment and resumed.
    """
    progress = trainer.progress
    trainer.run.begin()
    if trainer.run.latest_is_old:
        trainer.save()
    clock = saved = time.perf_counter()
    while trainer.done_share() < 1:
        figures = once()
        now = time.perf_counter()
        if timed:
            progress.seconds += now - clock
            figures["minutes"] = progress.seconds / 60
        clock = now
        trainer.run.log(int(figures[count]), figures)
        yield figures
        if trainer.keeps() or now - saved > save_seconds:
            trainer.save()
            saved = now
