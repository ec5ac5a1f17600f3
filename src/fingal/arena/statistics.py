"""How sure a score is."""

from math import sqrt
from typing import NamedTuple

Z95 = 1.959963984540054
"""The 97.5% point of the normal distribution: two-sided 95%."""


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's score interval (1927): (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n); [0, 1] when n is 0.

    For the mean of numbers between 0 and 1 as well, where it is wide enough and more: none varies more than p(1-p).
    """
    if not count:
        return 0.0, 1.0
    n, p, z2 = count, share, Z95 * Z95
    centre, spread = p + z2 / (2 * n), Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low, high = ((centre + sign * spread) / (1 + z2 / n) for sign in (-1, 1))
    # Rounding must not push an end past 0, 1 or the share itself.
    return max(0.0, min(low, p)), min(1.0, max(high, p))


class Rate(NamedTuple):
    """Wins out of games with a 95% interval; with no games, nothing is known: [0, 1]."""

    wins: int
    games: int

    @property
    def value(self) -> float:
        """The share of games won; 0.5 with no games."""
        return self.wins / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's."""
        return wilson(self.value, self.games)

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"wins": self.wins, "games": self.games, "interval": self.interval}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.value:5.1f}% [{100 * low:.1f}, {100 * high:.1f}]  {self.wins}/{self.games}"
