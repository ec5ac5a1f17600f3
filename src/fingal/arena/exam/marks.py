"""What comes out of an exam: shares with intervals, the error of the values, and how well these are calibrated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from fingal.arena.statistics import Z95, wilson

GROUPS = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 49))
"""Positions are told apart by how many moves keep the win: from, to."""

BINS = 10
"""Of the calibration curve."""


@dataclass(frozen=True, slots=True)
class Share:
    """A mean of numbers between 0 and 1, most often of right (1) and wrong (0), with a 95% interval."""

    total: float
    count: int
    exact: bool = False
    """Whether nothing was drawn: every position was asked about and every move's probability is known."""

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.total / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's; a point where nothing was drawn."""
        share = self.total / self.count if self.count else 0.5
        return (share, share) if self.exact and self.count else wilson(share, self.count)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"share": self.value, "interval": self.interval, "count": self.count}

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        low, high = self.interval
        return f"{100 * self.value:.1f}% [{100 * low:.1f}, {100 * high:.1f}]  of {self.count:,}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player said to a question."""

    source: str
    keeping: int
    """How many moves keep the win; 0 when the side to move has lost."""
    score: float
    """1 when its move keeps the win, 0 when not; between them where a move is known by its probability."""
    value: float | None = None
    """What it thought of the position: in [-1, 1], from the side to move's view."""


class Bin(NamedTuple):
    """A part of the calibration curve: the values between two chances to win."""

    expected: float
    """The mean of the chances that the player saw."""
    won: Share
    """The share of positions that were won in truth."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"expected": self.expected, **self.won.as_dict()}


def chance(value: float) -> float:
    """The chance to win that a value from -1 to 1 stands for: (1 + value) / 2."""
    return (1 + value) / 2


def brier(pairs: Sequence[tuple[float, bool]]) -> float:
    """Brier's score (1950) of chances to win and what was true: the mean of (chance - truth)². Even chances get 1/4."""
    return sum((expected - won) ** 2 for expected, won in pairs) / len(pairs)


def brier_interval(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """95%: the mean ± z · s/√n, where s is the deviation of the squares, within [0, 1]; [0, 1] of a single one."""
    if len(pairs) < 2:
        return 0.0, 1.0
    mean = brier(pairs)
    variance = sum(((expected - won) ** 2 - mean) ** 2 for expected, won in pairs) / (len(pairs) - 1)
    spread = Z95 * sqrt(variance / len(pairs))
    return max(0.0, mean - spread), min(1.0, mean + spread)


def calibration(pairs: Iterable[tuple[float, bool]]) -> list[Bin]:
    """Chances in ten parts of equal width, and how often those were right; parts without any are left out."""
    parts: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for expected, won in pairs:
        parts[min(BINS - 1, int(expected * BINS))].append((expected, won))
    return [
        Bin(sum(expected for expected, _ in part) / len(part), Share(sum(won for _, won in part), len(part)))
        for part in parts
        if part
    ]


@dataclass(slots=True)
class Marks:
    """An exam's results so far."""

    player: str
    size: int
    asked: str
    """Which positions, in words."""
    seed: int
    exact: bool = False
    answers: list[Answer] = field(default_factory=list)
    totals: dict[int, tuple[float, int]] = field(default_factory=dict)
    """By number of moves that keep the win, of answers that are known without asking: sum of scores, positions."""
    lost: int = 0
    """Lost positions among those that are known without asking."""
    converted: list[bool] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    """Scores of won positions from the player's own games, one a game."""
    own_lost: int = 0
    """Own games in which the position drawn was lost."""
    unsolved: int = 0
    """Own games in which it was not solved in time."""
    failures: list[str] = field(default_factory=list)
    finished: bool = False
    seconds: float = 0.0

    def keeps_win(self, source: str | None = None, group: tuple[int, int] = (1, 10**9)) -> Share:
        """The share of won positions in which its move keeps the win: all, of a source or of a group."""
        if source == "own":
            return Share(sum(self.own), len(self.own))
        low, high = group
        scores = [a.score for a in self.answers if low <= a.keeping <= high and source in (None, a.source)]
        known = [
            (total, count)
            for keeping, (total, count) in self.totals.items()
            if low <= keeping <= high and source in (None, "all")
        ]
        total = sum(scores) + sum(total for total, _ in known)
        return Share(total, len(scores) + sum(count for _, count in known), self.exact)

    @property
    def groups(self) -> list[tuple[str, Share]]:
        """By how many moves keep the win: '1', '3-5' and so on, those that there are."""
        named = [
            (str(low) if low == high else f"{low}-{high}", self.keeps_win(group=(low, high))) for low, high in GROUPS
        ]
        return [(name, share) for name, share in named if share.count]

    @property
    def sources(self) -> list[tuple[str, Share]]:
        """By where the positions are from, those that there are."""
        shares = [(source, self.keeps_win(source)) for source in ("all", "random", "expert", "own")]
        return [(source, share) for source, share in shares if share.count]

    @property
    def converts(self) -> Share:
        """The share of won openings that it wins against a perfect defender."""
        return Share(sum(self.converted), len(self.converted))

    @property
    def judged(self) -> list[tuple[float, bool]]:
        """The chances to win that it saw, and whether the position was won; own games do not count."""
        return [(chance(answer.value), answer.keeping > 0) for answer in self.answers if answer.value is not None]

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        keeps, judged = self.keeps_win(), self.judged
        return {
            "player": self.player,
            "size": self.size,
            "positions": self.asked,
            "seed": self.seed,
            "finished": self.finished,
            "keeps_win": keeps.value,
            "converts": self.converts.value,
            "brier": brier(judged) if judged else None,
            "intervals": {
                "keeps_win": keeps.interval,
                "converts": self.converts.interval,
                "brier": brier_interval(judged) if judged else None,
            },
            "counts": {
                "won": keeps.count,
                "lost": self.lost + sum(answer.keeping == 0 for answer in self.answers),
                "valued": len(judged),
                "games": len(self.converted),
                "own_won": len(self.own),
                "own_lost": self.own_lost,
                "own_unsolved": self.unsolved,
            },
            "exact": self.exact,
            "by_winning_moves": {name: share.as_dict() for name, share in self.groups},
            "by_source": {name: share.as_dict() for name, share in self.sources},
            "calibration": [part.as_dict() for part in calibration(judged)] if judged else None,
            "failures": self.failures,
            "seconds": round(self.seconds, 3),
        }
