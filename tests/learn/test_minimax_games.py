"""Games of minimax over values: what is noted of them, who plays, and matches."""

import pytest
import torch
from torch import Tensor

from fingal.learn.parts.lockstep import Games
from fingal.learn.parts.minimax_games import Style, match, opening_cells, play
from tests.analysis.exhaustive import Exhaustive

CPU = torch.device("cpu")


def groups(size: int, *counts: int, connections: bool = False) -> list[Games]:
    return [Games(size, count, connections, 1, CPU) for count in counts]


def even(boards: Tensor) -> Tensor:
    return torch.full((len(boards),), 0.5)


def winner(board: Tensor) -> int | None:
    """Who has joined its sides on bool [2, n, n]: 0 for the side to move, who joins top and bottom."""
    oracle = Exhaustive(board.shape[1], board.shape[1])
    for colour in (0, 1):
        if oracle.connected(sum(1 << int(cell) for cell in board[colour].flatten().nonzero()), colour):
            return colour
    return None


class Perfect:
    """Knows who wins, on a board small enough to try everything; wrong about it, if so wanted."""

    def __init__(self, size: int, wrong: bool = False) -> None:
        self._oracle, self._wrong = Exhaustive(size, size), wrong
        self.asked = 0

    def __call__(self, boards: Tensor) -> Tensor:
        self.asked += len(boards)
        sides = [[{int(cell) for cell in plane.flatten().nonzero()} for plane in board] for board in boards]
        return torch.tensor([float((self._oracle.winner(*side, 0) == 0) != self._wrong) for side in sides])


def test_positions_lead_to_the_end_of_each_game() -> None:
    played = play(groups(3, 40, 25), [even], Style(4, 0.05, 1), torch.Generator().manual_seed(1))
    assert played.games == int(played.over.sum()) > 40
    assert bool(played.over[-1])
    stones = played.boards.flatten(1).sum(1)
    going = ~played.over[:-1]
    assert bool((stones[1:][going] == stones[:-1][going] + 1).all())
    # After a move the other side looks at the board: what was the side to move's is the opponent's, transposed.
    now, later = played.boards[:-1][going], played.boards[1:][going]
    assert bool((now[:, 1].transpose(1, 2) == later[:, 0]).all())
    assert bool((now[:, 0].transpose(1, 2) & ~later[:, 1]).sum() == 0)
    for board, over in zip(played.boards, played.over, strict=True):
        assert winner(board) == (1 if over else None)
    firsts = stones[played.over] % 2 == 1
    assert played.first_wins == int(firsts.sum())
    assert played.against == [65]


def test_games_begin_to_be_noted_after_their_random_move() -> None:
    seen = set()
    for latest in (1, 3):
        played = play(groups(5, 200), [even], Style(latest, 0.05, 1), torch.Generator().manual_seed(2))
        first = torch.cat((torch.tensor([True]), played.over[:-1]))
        turns = played.boards[first].flatten(1).sum(1)
        assert set(turns.tolist()) == set(range(1, latest + 1))
        openings = played.boards[first][turns == 1]
        # White sees Black's stone as the opponent's, and the board transposed.
        cells = openings[:, 1].transpose(1, 2).flatten(1).float().argmax(1)
        assert set(cells.tolist()) <= set(opening_cells(5).tolist())
        seen |= set(cells.tolist())
        assert 12 not in seen  # the centre
    assert len(seen) == 24


def test_decided_positions_are_known_and_true() -> None:
    played = play(groups(4, 30, connections=True), [even], Style(6, 0.05, 1), torch.Generator().manual_seed(3))
    perfect = Perfect(4)
    late = played.boards.flatten(1).sum(1) >= 5
    for board, over, known in zip(played.boards[late], played.over[late], played.known[late], strict=True):
        if over:
            assert known == -1
        elif known != 0:
            assert (float(perfect(board[None])) > 0.5) == (known > 0)
    assert int((played.known > 0).sum()) > 30
    # Who is known to win wins: the sign turns with every move until the end.
    going = ~played.over[:-1] & (played.known[:-1] != 0)
    assert bool((played.known[1:][going] == -played.known[:-1][going]).all())


def test_the_present_net_plays_every_game_and_past_ones_some() -> None:
    judges = [Perfect(3), Perfect(3), Perfect(3)]
    played = play(groups(3, 150), judges, Style(1, 0.0, 1), torch.Generator().manual_seed(4))
    assert sum(played.against) == 150
    assert all(30 < count < 70 for count in played.against)
    assert judges[0].asked > judges[1].asked > 0
    assert judges[2].asked > 0


def test_the_better_values_win() -> None:
    # The present net is right about every position and the past one wrong, so it wins all games that it can: those in
    # which the opening, drawn from all cells, is the opponent's mistake or its own good one.
    right, wrong = Perfect(3), Perfect(3, wrong=True)
    assert match(right, right, 3, CPU) == 0.5
    score = match(right, wrong, 3, CPU)
    assert score > 0.85
    assert match(wrong, right, 3, CPU) == pytest.approx(1 - score)


def test_noise_changes_moves_but_not_wins() -> None:
    right = Perfect(3)
    calm = [play(groups(3, 60), [right], Style(1, 0.0, 1), torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(calm[0].boards, calm[1].boards)
    assert calm[0].boards.shape != calm[2].boards.shape or not torch.equal(calm[0].boards, calm[2].boards)
    # Noise of 0.05 cannot hide a lost position from values that are 0 or 1: each game goes to who has it at first.
    noisy = play(groups(3, 60), [right], Style(1, 0.05, 1), torch.Generator().manual_seed(1))
    start = torch.cat((torch.tensor([True]), noisy.over[:-1])).nonzero().flatten().tolist()
    ends = noisy.over.nonzero().flatten().tolist()
    for first, last in zip(start, ends, strict=True):
        mover_won = (last - first) % 2 == 1
        assert (float(right(noisy.boards[first][None])) > 0.5) == mover_won


def test_depth_two_sees_a_reply() -> None:
    # Values that only tell whether the opponent could end the game at once: at depth 1 they are of no use before the
    # last move, at depth 2 a move that allows it is not made.
    def shallow(boards: Tensor) -> Tensor:
        return torch.full((len(boards),), 0.5)

    results = []
    for depth in (1, 2):
        played = play(groups(4, 60), [shallow], Style(1, 0.05, depth), torch.Generator().manual_seed(5))
        results.append(len(played.over) / played.games)
    assert results[1] > results[0]
