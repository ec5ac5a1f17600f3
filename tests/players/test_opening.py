"""The swap: as the solved boards say, sensible on every size, and the same place on a smaller board."""

import functools

import numpy as np
import pytest

from fingal.game import SWAP, Board, Record
from fingal.nets.inference import open_evaluator
from fingal.players import make
from fingal.players.opening import known_side, moved, smaller
from fingal.players.player import Limit, Player, judgement
from fingal.players.searching import SearchPlayer, values_after
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.tree import Search, Settings
from fingal.solve import tables


@functools.cache
def engine() -> Player:
    return make("gumbel:net=fingal-small,sims=16,device=cpu,seed=1")


def swaps(size: int, cell: int) -> bool:
    record = Record(size, size, swap=True)
    record.push(record.board().turn, cell)
    return engine().choose(record) == SWAP


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_the_swap_is_right_where_the_truth_is_known(size: int) -> None:
    truth = tables.openings(size, size)
    assert {cell: swaps(size, cell) for cell in truth} == truth
    assert len(truth) == size * size


@pytest.mark.parametrize("size", range(3, 20))
def test_the_middle_is_taken_and_the_corner_is_not(size: int) -> None:
    """The acute corner loses on every board from 3x3 on (Beck 1969), and nobody leaves the middle to the opponent."""
    assert not swaps(size, 0)
    assert not swaps(size, size * size - 1)
    assert swaps(size, (size // 2) * (size + 1)) or size == 4  # where c3 loses, as the table says


def test_the_opening_on_a_solved_board_is_not_surrounded_by_the_same_outcome() -> None:
    """On 8x8 none is even, but where winning and losing ones meet, or are not known, they are hard to tell apart."""
    board, wins = Board(8), tables.openings(8, 8)
    chosen = int(engine().choose(Record(8, 8, swap=True)))
    assert any(wins.get(at) != wins.get(chosen) for at in board.neighbours(chosen))


@pytest.mark.parametrize("size", [13, 14, 19])
def test_the_opening_is_one_that_it_finds_even(size: int) -> None:
    record = Record(size, size, swap=True)
    chosen = engine().choose(record)
    side = min(size, 15)
    record = Record(side, side)
    record.push(record.board().turn, moved(chosen, size, side))
    engine().choose(record)
    value = judgement(engine())
    assert value is not None
    assert abs(value) < 0.6


def test_a_cell_keeps_its_distance_from_the_nearest_edges() -> None:
    large, small = Board(19), Board(13)
    for name, there in (("a1", "a1"), ("b4", "b4"), ("s19", "m13"), ("a10", "a7"), ("r18", "l12"), ("j10", "g7")):
        assert small.name(moved(large.cell(name), 19, 13)) == there
    for cell in range(169):
        assert moved(moved(cell, 13, 19), 19, 13) == cell
        assert moved(cell, 13, 13) == cell
    board = Board(19, swap=True)
    board.push("r4")
    assert smaller(board, 13).colour_at("l4") == 0
    assert known_side(open_evaluator("fingal-small", "cpu")) == 15


def test_an_interrupt_while_it_thinks_of_the_swap_counts_for_the_move_too() -> None:
    asked: list[int] = []

    def evaluator(positions: Positions) -> Evaluation:
        asked.append(positions.width)
        if len(asked) == 2:
            player.interrupt()
        number, cells = len(positions.white_to_move), positions.width * positions.height
        return Evaluation(np.zeros((number, cells), np.float32), np.full(number, 0.5, np.float32))

    player = SearchPlayer(
        "large",
        lambda seed: Search(evaluator, Settings(), seed),
        lambda board, is_over: values_after(evaluator, board),
        Limit(simulations=10_000),
        largest=9,
    )
    record = Record(15, 15, swap=True)
    record.push(record.board().turn, 0)
    assert player.choose(record) in record.board().legal_moves
    assert asked[:2] == [9, 9]
    assert len(asked) <= 3
