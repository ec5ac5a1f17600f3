"""The games of a generation in the order in which they began, and when it has won enough of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

WINDOW = 50
"""So many games in a row must be won; shares of won games are of the last so many."""

GOES_ON, EARLIER = -1, -1
"""The result of a game that has not ended; the number of one that began before the generation."""


@dataclass
class Tally:
    """What is remembered of a generation's games.

    Of games that go on at once the short ones end first, and they are mostly the won ones. So results are counted in
    the order in which games began: each waits until all that began before it have ended.
    """

    numbers: list[int]
    """Which game of the generation, counted from 0, is played in each place."""
    waiting: list[int]
    """The results of the games after those that were counted: 1 where the learner has won, 0 lost, -1 goes on."""
    ended: int = 0
    """How many have ended, with those that began before the generation."""
    counted: int = 0
    """How many of its own have been counted."""
    recent: list[int] = field(default_factory=list)
    """The last 50 that were counted: 1 where the learner has won."""
    streak: int = 0
    """How many of them it has now won in a row."""
    beaten: bool = False
    """Whether it has won 50 in a row."""
    lengths: list[float] = field(default_factory=list)
    """The learner's moves in the games that have ended since ``length`` was last asked."""

    @classmethod
    def begin(cls, moves: Iterable[float]) -> Tally:
        """A generation finds games that the learner has made so many moves in: those with none are its own."""
        tally = cls([], [])
        for made in moves:
            tally.numbers.append(EARLIER if made else tally._new())
        return tally

    def _new(self) -> int:
        self.waiting.append(GOES_ON)
        return self.counted + len(self.waiting) - 1

    def note(self, reward: NDArray[np.floating], moves: NDArray[np.floating]) -> None:
        """One step of all games at once: where ``moves`` is not 0, a game has ended after so many, with a reward.

        Another begins there at once. Games that begin in one step are in the order of their places.
        """
        for place in np.flatnonzero(moves):
            if self.numbers[place] != EARLIER:
                self.waiting[self.numbers[place] - self.counted] = int(reward[place] > 0)
            self.numbers[place] = self._new()
            self.ended += 1
            self.lengths.append(float(moves[place]))
        ready = next((at for at, won in enumerate(self.waiting) if won == GOES_ON), 0)
        for won in self.waiting[:ready]:
            self.counted += 1
            self.recent = [*self.recent[-WINDOW + 1 :], won]
            self.streak = self.streak + 1 if won else 0
            self.beaten |= self.streak >= WINDOW and self.counted > WINDOW
        del self.waiting[:ready]

    def share(self) -> float:
        """The share of the last 50 games that were won; 0 before the first."""
        return sum(self.recent) / max(1, len(self.recent))

    def length(self) -> float | None:
        """The mean number of the learner's moves in a game since this was last asked; None where no game has ended."""
        lengths, self.lengths = self.lengths, []
        return sum(lengths) / len(lengths) if lengths else None
