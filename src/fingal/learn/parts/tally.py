"""The games of a generation in the order of their ends, and when it has won enough of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

WINDOW = 50
"""So many games in a row must be won; shares of won games are of the last so many."""


@dataclass
class Tally:
    """What is remembered of a generation's games."""

    ended: int = 0
    """How many there have been."""
    recent: list[int] = field(default_factory=list)
    """The last 50 in the order of their ends: 1 where the learner has won."""
    streak: int = 0
    """How many it has now won in a row."""
    beaten: bool = False
    """Whether it has won 50 in a row."""
    lengths: list[float] = field(default_factory=list)
    """The learner's moves in the games since ``length`` was last asked."""

    def note(self, reward: NDArray[np.floating], moves: NDArray[np.floating]) -> None:
        """One step of all games at once: where ``moves`` is not 0, a game has ended after so many, with a reward.

        Games that end in one step count in the order of their numbers. The first to end are the short ones, so no
        streak counts before as many games have ended as there are at once.
        """
        for number in np.flatnonzero(moves):
            won = int(reward[number] > 0)
            self.ended += 1
            self.recent = [*self.recent[-WINDOW + 1 :], won]
            self.streak = self.streak + 1 if won else 0
            self.beaten |= self.streak >= WINDOW and self.ended > max(WINDOW, len(reward))
            self.lengths.append(float(moves[number]))

    def share(self) -> float:
        """The share of the last 50 games that were won; 0 before the first."""
        return sum(self.recent) / max(1, len(self.recent))

    def length(self) -> float | None:
        """The mean number of the learner's moves in a game since this was last asked; None where no game has ended."""
        lengths, self.lengths = self.lengths, []
        return sum(lengths) / len(lengths) if lengths else None
