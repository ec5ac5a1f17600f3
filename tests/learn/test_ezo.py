"""EZO-CNN: games played all at once, the loss worked by hand, perfect play on 3x3, and a run that goes on."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.learn.ezo import Ezo, Trainer, losses, train
from fingal.learn.parts import lockstep
from fingal.learn.parts.minimax_games import opening_cells
from fingal.learn.parts.run import Run
from fingal.nets import planes

SMALL = Ezo(size=3, channels=12, dense=12, games=40, epochs=4, latest_turn=4, connections=False, keep_epochs=2)


Make = Callable[[Ezo, str], Trainer]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes trainers in folders of these names, and closes their runs."""
    runs = []

    def trainer(config: Ezo, name: str = "run") -> Trainer:
        runs.append(Run(tmp_path / name, asdict(config)))
        return Trainer(config, runs[-1], torch.device("cpu"))

    yield trainer
    for run in runs:
        run.close()


def canonical(board: Board) -> torch.Tensor:
    """The board as its side to move sees it, bool [1, 2, n, n]."""
    return torch.from_numpy(planes.encode(planes.positions_of([board]))[:, :2, 1:-1, 1:-1] > 0)


@pytest.mark.parametrize(("size", "count"), [(3, 9), (5, 24), (7, 40), (9, 56), (11, 72)])
def test_openings_are_the_cells_within_two_rows_of_a_side(size: int, count: int) -> None:
    assert len(opening_cells(size)) == count


def cost(value: float, following: float, over: bool = False, known: int = 0, target: str = "complement") -> float:
    logit = torch.tensor([value]).logit()
    return float(losses(logit, torch.tensor([following]), torch.tensor([over]), torch.tensor([known]), target))


def test_the_loss_worked_by_hand() -> None:
    # A value of 0.75 that should be 1 - 0.5 = 0.5, one of 0.5 that should be 0.75, and an end that is thought even.
    assert cost(0.75, 0.5) == pytest.approx(0.0625)
    assert cost(0.5, 0.25) == pytest.approx(0.0625)
    assert cost(0.5, 0.25, over=True) == pytest.approx(math.log(2))
    assert cost(0.9, 0.1) == pytest.approx(0, abs=1e-6)
    assert cost(0.9, 0.1, target="literal") == pytest.approx(0.64)
    # Where the result is known: -log 0.8 and -log 0.2.
    assert cost(0.8, 0.5, known=1) == pytest.approx(0.2231, abs=1e-4)
    assert cost(0.8, 0.5, known=-1) == pytest.approx(1.6094, abs=1e-4)


@pytest.mark.parametrize(
    ("over", "known", "target", "falls"),
    [
        (True, 0, "complement", True),  # the end is lost
        (False, 0, "complement", False),  # the next position is bad for the opponent
        (False, 0, "literal", True),
        (False, 1, "complement", False),
        (False, -1, "complement", True),
    ],
)
def test_which_way_a_value_is_moved(over: bool, known: int, target: str, falls: bool) -> None:
    logit = torch.zeros(1, requires_grad=True)
    losses(logit, torch.tensor([0.1]), torch.tensor([over]), torch.tensor([known]), target).sum().backward()  # type: ignore[no-untyped-call]
    assert logit.grad is not None
    assert (float(logit.grad) > 0) == falls


def test_winning_cells_are_those_that_end_the_game() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        board = Board(4)
        while not board.is_over() and rng.random() < 0.93:
            board.push(int(rng.choice(board.empty_cells)))
        if board.is_over():
            continue
        found = lockstep.winning_cells(canonical(board))[0].view(4, 4)
        wins = torch.zeros(4, 4, dtype=torch.bool)
        for cell in board.empty_cells:
            after = board.copy()
            after.push(cell)
            row, column = divmod(cell, 4)
            wins[(row, column) if int(board.turn) == 0 else (column, row)] = after.is_over()
        assert torch.equal(found, wins)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_worth_of_moves_is_minimax(depth: int) -> None:
    weights = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(2))

    def chance(boards: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid((boards * weights).sum((1, 2, 3)))

    def whole(board: torch.Tensor, left: int) -> float:
        """The side to move's chance."""
        if left == 0:
            return float(chance(board))
        best = 0.0
        for cell in lockstep.empty_cells(board)[0].nonzero().flatten():
            if lockstep.winning_cells(board)[0, cell]:
                return 1.0
            after = lockstep.after_moves(board, torch.tensor([0]), cell.view(1))
            best = max(best, 1 - whole(after, left - 1))
        return best

    boards = torch.zeros(2, 2, 3, 3, dtype=torch.bool)
    boards[1, 0, 1, 1] = boards[1, 1, 0, 0] = True
    found = 1 - lockstep.worth(boards, lockstep.empty_cells(boards), chance, depth).amin(1)
    assert [float(one) for one in found] == pytest.approx([whole(board[None], depth) for board in boards])


def test_connections_decide_many_boards_at_once() -> None:
    # On 3x3 Black has won after b2; before it, with the board empty, the winner is not known or the win is named.
    boards = torch.cat([canonical(Board(3)), canonical(_after(3, "b2")), canonical(_after(3, "a1"))])
    known, winning, moves = lockstep.decided(boards, threads=2)
    assert known.tolist()[1] == -1
    assert int(known[0]) == 1
    assert bool(moves[0, int(winning[0])] | (winning[0] >= 0))
    board = Board(3)
    board.push(int(winning[0]))
    assert lockstep.decided(canonical(board), threads=1)[0].tolist() == [-1]


def _after(size: int, *moves: str) -> Board:
    board = Board(size)
    for move in moves:
        board.push(move)
    return board


def test_games_are_followed_to_their_end(make: Make) -> None:
    played = make(replace(SMALL, games=60), "run").play()
    assert played.games == int(played.over.sum()) > 40
    assert bool(played.over[-1])
    stones = played.boards.flatten(1).sum(1)
    same = ~played.over[:-1]
    assert bool((stones[1:][same] == stones[:-1][same] + 1).all())
    # The end of a game is won for the side that has just moved, whose stones join left and right of the other's view.
    ends = played.boards[played.over]
    for board in ends:
        shown = Board(3)
        for colour, plane in enumerate(board):
            for cell in plane.flatten().nonzero().flatten():
                shown._set_stone(int(cell), colour)
        assert shown.winner is not None
        assert int(shown.winner) == 1


def test_it_learns_to_play_3x3_perfectly_and_not_from_the_printed_target(make: Make) -> None:
    def first_wins(target: str) -> bool:
        """Whether its best move of every position that Black can lead to, moving first, keeps the win."""
        config = replace(SMALL, channels=32, dense=32, games=100, epochs=25, target=target)  # type: ignore[arg-type]
        made = make(config, target)
        for _ in train(made):
            pass
        judge = made.chance(made.net)

        def wins(board: Board) -> bool:
            """Black to move and to win against every defence."""
            worth = lockstep.worth(canonical(board), lockstep.empty_cells(canonical(board)), judge)
            after = board.copy()
            after.push(int(worth.argmin()))
            if after.is_over():
                return True
            for reply in after.empty_cells:
                answered = after.copy()
                answered.push(reply)
                if answered.is_over() or not wins(answered):
                    return False
            return True

        return wins(Board(3))

    assert first_wins("complement")
    assert not first_wins("literal")


def test_a_run_goes_on_as_if_it_had_not_stopped(make: Make, tmp_path: Path) -> None:
    whole = make(SMALL, "whole")
    for _ in train(whole):
        pass
    part = make(SMALL, "part")
    steps = train(part, save_seconds=0)
    for _ in range(3):
        next(steps)
    again = make(SMALL, "part")
    for _ in train(again):
        pass
    for one, other in zip(whole.net.parameters(), again.net.parameters(), strict=True):
        assert torch.equal(one, other)
    lines = (tmp_path / "part" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["epoch"] == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"depth": 3}, "depth must be 1 or 2"),
        ({"noise": -1.0}, "noise must be a number from 0 on"),
        ({"target": "other"}, "target must be one of complement, literal"),
        ({"size": 1}, "size must be a whole number from 2"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **wrong)  # type: ignore[arg-type]
