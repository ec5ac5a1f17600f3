"""The random player draws from the legal moves, all alike."""

from collections import Counter

import pytest

from fingal.game import RESIGN, SWAP, Record
from fingal.players.random import RandomPlayer
from fingal.testing import check_player


def test_uniform_and_swap_included() -> None:
    player, record = RandomPlayer(seed=1), Record.of(["b2"], 3, swap=True)
    counts = Counter(player.choose(record) for _ in range(9000))
    assert set(counts) == {0, 1, 2, 3, 5, 6, 7, 8, SWAP}
    # Chi-squared with 8 degrees of freedom: 26.1 is passed once in a thousand seeds.
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 26.1


def test_contract() -> None:
    check_player("random")
    check_player("random:epsilon=0.5")


def test_over() -> None:
    record = Record(3, 3)
    record.push(record.board().turn, RESIGN)
    with pytest.raises(ValueError, match="the game is over: black has given up"):
        RandomPlayer().choose(record)
