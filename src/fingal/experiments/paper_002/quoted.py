"""What the paper reports: the tables as printed, with the intervals that their counts of games give.

Its figure 2 is lost in the text that we have, and no final numbers are in the words around it. The player that moves
first is called Black in the paper's first table and White in its caption; here it is the first player.
"""

from __future__ import annotations

from typing import NamedTuple

from fingal.arena.statistics import Rate


class Quoted(NamedTuple):
    """Games of the search with the net's prior against the same search without it, over all openings."""

    size: int
    first: Rate
    """Won as the first player."""
    second: Rate

    @property
    def all(self) -> Rate:
        """Both together."""
        return Rate(self.first.wins + self.second.wins, self.first.games + self.second.games)


def _counts(size: int, first: int, second: int) -> Quoted:
    return Quoted(size, Rate(first, size * size), Rate(second, size * size))


STARTS = {9: Rate(107, 810), 11: Rate(56, 1210)}
"""The supervised net, sampled, against Wolve looking one move ahead: 13.2% and 4.6%."""

EQUAL_SIMULATIONS = (
    _counts(9, 63, 48),
    _counts(10, 83, 58),
    _counts(11, 91, 59),
    _counts(12, 113, 80),
    _counts(13, 118, 77),
)
"""Table 1, 10,000 simulations a move. The paper prints percentages; these are the only counts that give them."""

EQUAL_TIME = {9: (66.7, 51.9, 39.5), 10: (64.0, 56.0, 48.2), 11: (68.6, 56.2, 58.1), 12: (64.0, 52.8, 69.7)}
EQUAL_TIME[13] = (57.4, 55.6, 80.6)
"""Table 3, 5 s a move with a solver beside: percent won as first, as second, and the mean length of a game.

For 12x12 the paper prints 59.4 overall; the two shares give 58.4."""

OTHERS = (
    ("MoHex 2.0", "82.7 / 66.7 / 74.7", "79.0 / 65.4 / 72.2"),
    ("MoHex-CNN", "85.2 / 65.4 / 75.3", "84.0 / 71.6 / 77.8"),
    ("ExIt, always 10,000", "- / - / 75.3", "- / - / 59.3"),
)
"""Table 2, 9x9 against MoHex 2011, 162 games: as first, as second, all, in percent. MoHex 2011 has 10,000 and then
100,000 simulations, and so have the others."""
