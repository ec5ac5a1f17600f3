"""What players think of a position: whose view, how sure, and when they say nothing."""

import numpy as np
import pytest

from fingal.game import Board, Record
from fingal.nets.planes import positions_of
from fingal.players import spec
from fingal.players.adjusted import has_values
from fingal.players.player import Limit, judgement
from fingal.players.random import RandomPlayer

WON = Record.of(["b2", "a1", "b1", "c2"], 3)
"""Black to move joins at once, by b3 or a3."""
LOST = Record.of(["b2", "a1", "b1"], 3)
"""White to move can stop one of two joins."""


@pytest.mark.parametrize("text", ["solver", "uct:sims=200,seed=1", "net:fingal-small", "puct:fingal-small,sims=50"])
def test_the_view_is_the_side_to_moves(text: str) -> None:
    player = spec.make(text)
    for record, sign in ((WON, 1), (LOST, -1)):
        player.choose(record)
        value = judgement(player)
        assert value is not None
        assert 0.8 < sign * value <= 1
    player.close()


def test_resistance_has_values() -> None:
    player = spec.make("resistance")
    player.choose(WON)
    assert judgement(player) == 1


@pytest.mark.parametrize("text", ["random", "shortest-path", "random:epsilon=0.5"])
def test_some_have_no_values(text: str) -> None:
    player = spec.make(text)
    player.choose(WON)
    assert judgement(player) is None
    assert not has_values(player)


def test_a_guess_and_a_random_move_rest_on_no_value() -> None:
    player = spec.make("solver")
    player.choose(Record(11, 11), Limit(nodes=2))
    assert judgement(player) is None
    wild = spec.make("solver:epsilon=1")
    wild.choose(WON)
    assert judgement(wild) is None
    assert has_values(wild)
    seldom = spec.make("solver:epsilon=0.001,seed=1")
    seldom.choose(WON)
    assert judgement(seldom) == 1


def test_the_probabilities_of_random_moves() -> None:
    """Two of nine cells are taken: 1/7 for each of the others. 9x9 needs two words."""
    large = Board(9)
    for move in (0, 64, 80):
        large.push(move)
    small = WON.board().copy()
    small.pop()
    small.pop()
    for board, stones in ((small, 2), (large, 3)):
        chances = RandomPlayer().probabilities(positions_of([board]))
        assert chances.shape == (1, board.cells)
        empty = board.empty_cells
        assert chances[0, empty] == pytest.approx(1 / (board.cells - stones))
        assert np.count_nonzero(chances) == len(empty)
