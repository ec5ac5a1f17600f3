"""Mirrored self-play against the board, and the random numbers of runs."""

import numpy as np
import pytest
import torch

from fingal.arena.exam.enumeration import enumeration
from fingal.game import Board
from fingal.learn.parts.mirror import Games, best_cell, listed, play_stones, random_cell, uniform
from fingal.nets import walls
from fingal.nets.hexagonal import Config
from fingal.nets.planes import positions_of
from fingal.nets.stacked import Stack

SMALL = ((1, 1, 0), (2, 0, 0))


def test_there_are_4520_positions_and_994_ends_on_3x3() -> None:
    table = listed(3)
    assert len(table.stones) == 4520
    assert int(table.legal.sum()) == 16167
    row, cell = table.wins.nonzero(as_tuple=True)
    ends, won = play_stones(table.stones[row], cell)
    assert won.all()
    assert len(torch.unique(ends.flatten(1), dim=0)) == 994
    assert len(table.stones) == sum(len(level.codes) for level in enumeration(3, 3).levels)
    # Every move leads somewhere: to a position or to the end.
    assert torch.equal(table.legal, (table.child >= 0) | table.wins)


def test_large_boards_are_not_listed() -> None:
    with pytest.raises(ValueError, match="4x4 has too many positions"):
        listed(4)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_games_are_those_of_the_board(size: int) -> None:
    """Random games, as the side to move sees them: planes, legal moves and ends are the board's."""
    stack = Stack(Config(size=size, layers=SMALL))
    games = Games(stack)
    random = np.random.default_rng(size)
    runs = 5
    boards, state = [Board(size) for _ in range(runs)], games.begin(runs)
    for _ in range(4 * size * size):
        planes = walls.encode(positions_of(boards))
        assert torch.equal(games.columns(state), stack.columns(torch.from_numpy(planes).unsqueeze(1)))
        moves = [int(random.choice(board.empty_cells)) for board in boards]
        seen = [m % size * size + m // size if b.turn else m for m, b in zip(moves, boards, strict=True)]
        legal = games.legal(state)
        for index, board in enumerate(boards):
            empty = {c % size * size + c // size if board.turn else c for c in board.empty_cells}
            assert set(legal[index].nonzero().flatten().tolist()) == empty
        state, over = games.play(state, torch.tensor(seen))
        for index, (board, move) in enumerate(zip(boards, moves, strict=True)):
            board.push(move)
            assert bool(over[index]) == board.is_over()
            if over[index]:
                boards[index] = Board(size)


def test_no_run_may_be_left() -> None:
    for size in (3, 4):
        games = Games(Stack(Config(size=size, layers=SMALL)))
        state, over = games.play(games.begin(0), torch.zeros(0, dtype=torch.int64))
        assert games.columns(state).shape[0] == len(over) == 0


def test_random_cells_are_legal_and_equally_likely() -> None:
    legal = torch.tensor([[False, True, True, False, True]]).expand(3000, -1)
    numbers = (torch.arange(3000) + 0.5) / 3000
    cells = random_cell(legal, numbers)
    assert torch.equal(cells.bincount(minlength=5), torch.tensor([0, 1000, 1000, 0, 1000]))
    assert random_cell(legal[:2], torch.tensor([0.0, 1 - 2**-24])).tolist() == [1, 4]


def test_the_best_cell_is_a_legal_one() -> None:
    values = torch.tensor([[0.9, -0.5, -0.2], [1.0, 1.0, 0.3]])
    best, cell = best_cell(values, torch.tensor([[False, True, True], [True, True, True]]))
    assert cell.tolist() == [2, 0]
    torch.testing.assert_close(best, torch.tensor([-0.2, 1.0]))


def test_random_numbers_are_a_runs_own() -> None:
    seeds, steps = np.array([1, 2, 1], np.uint64), np.array([5, 5, 6], np.uint64)
    high, low = uniform(seeds, steps, 0)
    alone = uniform(seeds[:1], steps[:1], 0)
    assert (high[0], low[0]) == (alone[0][0], alone[1][0])
    assert len({*high.tolist(), *low.tolist(), *uniform(seeds, steps, 1)[0].tolist()}) == 9
    many = torch.stack(uniform(np.full(40000, 7, np.uint64), np.arange(40000, dtype=np.uint64), 0)).double()
    assert float(many.min()) >= 0
    assert float(many.max()) < 1
    assert torch.allclose(many.mean(1), torch.tensor([0.5, 0.5]).double(), atol=0.01)
    assert torch.allclose(many.var(1), torch.tensor([1 / 12, 1 / 12]).double(), atol=0.005)
    assert abs(float(torch.corrcoef(many)[0, 1])) < 0.02
