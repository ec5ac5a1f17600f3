"""Runs and matches of a paper on their way: what is done so far, and doing what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fingal.experiments import matches, sweep
from fingal.experiments.ablation import Plan, Trained, runs_of
from fingal.experiments.figure import Arm
from fingal.experiments.matches import Meeting, Score
from fingal.experiments.request import Request
from fingal.experiments.sweep import Outcome, Sweep
from fingal.experiments.workshop import Progress, work

BASE = Arm("base")
"""The runs with the common settings."""


@dataclass
class Study:
    """What was asked and what was found."""

    request: Request
    parts: Sequence[str]
    """Of the paper: all that are wanted."""
    opponent: str
    """The yardstick."""
    found: dict[str, list[Outcome]] = field(default_factory=dict)
    scores: dict[Meeting, Score] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    """Runs that came to nothing, each with a sentence."""

    def __post_init__(self) -> None:
        """ValueError for an opponent that is not there: before hours of training, not after."""
        Meeting("check", self.opponent, self.opponent, 3).plan()

    def train(self, sweeps: Sequence[Sweep], at_once: int | None = None) -> None:
        """Train what is not there yet, so many runs at a time; as many as the request says, if not given."""
        self.request.folder.mkdir(parents=True, exist_ok=True)
        processes = at_once or self.request.processes
        found, failed = work(sweeps, self.request.folder, processes, self.request.watch)
        self.found |= found
        self.failed |= failed

    def play(self, meetings: Iterable[Meeting]) -> None:
        """Play what has not been played."""
        unique = [meeting for meeting in dict.fromkeys(meetings) if meeting not in self.scores]
        if not unique:
            return
        tell = self.teller("games")
        played = matches.play(unique, self.request.folder, self.request.processes, lambda played, of: tell(played / of))
        self.scores |= dict(zip(unique, played, strict=True))

    def teller(self, name: str) -> Callable[[float], None]:
        """What tells of work that is no run, by its name: it is given the share that is done."""
        progress = Progress(1.0, works={name: 1.0})

        def tell(share: float) -> None:
            progress.tell(name, share)
            self.request.watch(progress)

        return tell

    def runs(self, plan: Plan, arm: Arm = BASE) -> list[Trained]:
        """The runs of an arm that are done."""
        return runs_of(plan, arm, self.found, self.request.folder)

    def scored(self, meetings: Iterable[Meeting]) -> list[Score]:
        """What came of those meetings that were played."""
        return [self.scores[meeting] for meeting in meetings if meeting in self.scores]

    def counts(self) -> dict[str, int]:
        """For the head of a page."""
        games = sum(len(score.games) for score in self.scores.values())
        return {"runs": sum(map(len, self.found.values())), "games with the yardstick and others": games}

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "opponent": self.opponent,
            "runs": {name: sweep.as_data(found) for name, found in self.found.items()},
            "matches": [score.as_dict() for score in self.scores.values()],
        }
