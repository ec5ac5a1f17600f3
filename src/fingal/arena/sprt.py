"""A sequential test: a match that ends as soon as it is decided which of two hypotheses on its Elo holds.

Wald's sequential probability ratio test (1945) on pairs of games, both from one opening and with exchanged colours.
The score of a pair is 0, 1/2 or 1. Within a pair the results depend on each other, through the opening: a test on
single games would be wrong about their spread, one on pairs need know nothing of it. How likely each score is under a
hypothesis, which speaks of the mean alone, is taken from the data: the generalised test, as chess engines use it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fingal.arena.ratings import expected

SCORES = (0.0, 0.5, 1.0)
"""Of a pair of games."""

MOST_ELO = 4000
"""No hypothesis is further from 0: there the weaker player wins one game in ten thousand million."""

ALPHA = BETA = 0.05
"""How often the test may be wrong, at most: for the second hypothesis though the first holds, and the reverse."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """Two hypotheses: the first player is ``elo0`` better than the second, or ``elo1``."""

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        """Refuse hypotheses that are none."""
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(
                f"sprt {self.elo0:g} {self.elo1:g} is not possible: two Elo differences, the smaller one first"
            )
        if max(-self.elo0, self.elo1) > MOST_ELO:
            raise ValueError(
                f"sprt {self.elo0:g} {self.elo1:g} is not possible: Elo differences go from -{MOST_ELO} to {MOST_ELO}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the test ends (Wald 1945): log(β / (1 - α)) for elo0, log((1 - β) / α) for elo1."""
        return math.log(BETA / (1 - ALPHA)), math.log((1 - BETA) / ALPHA)

    def llr(self, pairs: Sequence[int]) -> float:
        """The log-likelihood ratio of elo1 to elo0, given how many pairs scored 0, 1/2 and 1."""
        return log_likelihood_ratio(pairs, expected(self.elo0), expected(self.elo1))

    def verdict(self, pairs: Sequence[int]) -> float | None:
        """The hypothesis that is accepted, as its Elo; None while neither is."""
        low, high = self.bounds
        llr = self.llr(pairs)
        return self.elo0 if llr <= low else self.elo1 if llr >= high else None

    def as_dict(self, pairs: Sequence[int]) -> dict[str, Any]:
        """For JSON."""
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "pairs": list(pairs),
            "llr": self.llr(pairs),
            "bounds": self.bounds,
            "accepted": self.verdict(pairs),
        }


def log_likelihood_ratio(counts: Sequence[int], mean0: float, mean1: float) -> float:
    """N Σ p̂ᵢ log(p¹ᵢ / p⁰ᵢ), where pʰ is the most likely distribution with the mean of hypothesis h (Van den Bergh)."""
    # A score that has not occurred yet may: without a trace of it there might be no distribution with the mean.
    seen = [max(count, 1e-3) for count in counts]
    total = sum(seen)
    share = [count / total for count in seen]
    one, zero = most_likely(share, mean1), most_likely(share, mean0)
    return total * sum(p * math.log(p1 / p0) for p, p1, p0 in zip(share, one, zero, strict=True))


def most_likely(share: Sequence[float], mean: float) -> list[float]:
    """Of all distributions of ``SCORES`` with a mean, the one under which what was seen is most likely.

    pᵢ = p̂ᵢ / (1 + x (sᵢ - mean)), where x makes the mean right: Σ p̂ᵢ (sᵢ - mean) / (1 + x (sᵢ - mean)) = 0
    (Van den Bergh, "A practical introduction to the GSPRT", proposition 1.1).
    """
    from scipy.optimize import brentq

    ahead = [score - mean for score in SCORES]

    def wrong(x: float) -> float:
        return sum(p * a / (1 + x * a) for p, a in zip(share, ahead, strict=True))

    # Between the two poles, where a probability would no longer be positive, it falls from +∞ to -∞.
    low, high = -1 / ahead[-1], -1 / ahead[0]
    inset = 1e-12 * (high - low)
    x = brentq(wrong, low + inset, high - inset, xtol=1e-14)
    return [p / (1 + x * a) for p, a in zip(share, ahead, strict=True)]
