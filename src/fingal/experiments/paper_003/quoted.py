"""What the paper reports, and what its percentages can have been counts of.

Its figures are lost in the text that we have: of figure 4 two numbers are in the words, of figure 6 one agent's.
"""

from __future__ import annotations

from typing import NamedTuple

EPISODES = {"convolutional": 146, "transformer-learned": 1356}
"""Figure 4: episodes until 50 games in a row were won against the random player, the fastest net and the slowest."""

TITLES = {
    "feed-forward": "Feed-Forward",
    "convolutional": "Convolutional",
    "convolutional-cube": "Convolutional+",
    "transformer-cube": "Transformer",
    "transformer-learned": "Transformer2",
}
"""What the paper calls its nets, by our names."""

BEST_WINS, BEST_SHARE = 475, 93.9
"""Figure 6: the best agent, the 40th generation of Convolutional+."""


def agents_of(wins: int, percent: float) -> list[int]:
    """The numbers of agents that play each other twice, up to 300, among which so many wins are that percentage."""
    return [count for count in range(2, 301) if round(100 * wins / (2 * (count - 1)), 1) == percent]


class Transfer(NamedTuple):
    """A row of table II."""

    trained: int
    """The side of the board that the ten agents were trained on."""
    played: int
    """That of the board they play on."""
    opponent: str
    """random, or others: the ten agents of the other board."""
    percent: float
    """Games won, as it is printed."""


TABLE_2 = (
    Transfer(5, 5, "random", 100.0),
    Transfer(7, 5, "random", 100.0),
    Transfer(5, 7, "random", 89.3),
    Transfer(7, 7, "random", 91.3),
    Transfer(5, 7, "others", 2.5),
    Transfer(7, 5, "others", 12.0),
)
"""Of 400 games with the random player and 200 with the others; of the last row its words say 23%."""

SAC_AT_MOST = 0.70
"""Games won by SAC against the random player on 7x7."""

ALPHAZERO = 0.85
"""Games won by AlphaZero against the random player on 3x3."""
