"""Start positions: from a file and from the mentor's own games, with none that is over."""

from pathlib import Path

import pytest
import torch

from fingal.game import Board, Record
from fingal.learn.parts import starts
from fingal.learn.parts.starts import Starts
from fingal.nets.walls_torch import chained

CPU = torch.device("cpu")
GAME = "b2 a1 b1 c1 b3"
"""Black wins on 3x3 with its last move, straight down the middle."""


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def stones(moves: list[str], size: int) -> torch.Tensor:
    """Black's and White's stones after moves, bool [2, n, n], set one by one."""
    board = Board(size)
    for move in moves:
        board.push(move)
    found = torch.zeros(2, size, size, dtype=torch.bool)
    for cell in range(board.cells):
        colour = board.colour_at(cell)
        if colour is not None:
            found[int(colour), cell // size, cell % size] = True
    return found


def is_over(boards: torch.Tensor) -> torch.Tensor:
    chains = chained(boards)
    return chains[:, 0, -1].any(1) | chains[:, 2, :, -1].any(1)


def test_a_file_of_games(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(f"{GAME}\n\na3 b2 \n")
    found = starts.from_file(file, 3, CPU)
    assert len(found) == 2
    assert found.lengths.tolist() == [5, 2]
    boards = found.after(torch.tensor([0, 0, 0, 1]), torch.tensor([0, 3, 4, 1]))
    for board, moves in zip(boards, ("", "b2 a1 b1", "b2 a1 b1 c1", "a3"), strict=True):
        assert torch.equal(board, stones(moves.split(), 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no game"),
        ("\n \n", "there is no game"),
        ("a1 d1", "line 1: 'd1' is no empty cell of 3x3"),
        ("a1\na1 b2 a1", "line 2: 'a1' is no empty cell"),
        ("a1 b", "'b' is no empty cell"),
        ("a1 b0", "'b0' is no empty cell"),
        (f"a1 b1\n{GAME} c3", "line 2: the game is over before its last move"),
    ],
)
def test_what_is_no_file_of_games_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        starts.from_file(file, 3, CPU)
    assert "games.txt" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.txt cannot be read"):
        starts.from_file(tmp_path / "none.txt", 3, CPU)


def test_every_ply_either_mover_and_either_way_round_are_drawn_alike() -> None:
    game = [move for _, move in Record.of(list(GAME.split()), 3).moves]
    one = Starts(torch.tensor([game]), 3)
    expected: dict[bytes, float] = {}
    for plies in range(5):
        board = stones(GAME.split()[:plies], 3)
        for mover in (board, board.flip(0).transpose(1, 2)):
            for turned in (mover, mover.flip(1, 2)):
                key = turned.numpy().tobytes()
                expected[key] = expected.get(key, 0) + 1 / 20
    count = 20_000
    drawn = one.draw(count, generator())
    assert not is_over(drawn).any()
    counts: dict[bytes, int] = {}
    for board in drawn:
        key = board.numpy().tobytes()
        counts[key] = counts.get(key, 0) + 1
    assert counts.keys() == expected.keys()
    # Five standard deviations of a share of 1/4 are 1.5%.
    assert all(counts[key] / count == pytest.approx(share, abs=0.016) for key, share in expected.items())


@pytest.mark.parametrize(("size", "games"), [(1, 3), (2, 20), (3, 60), (5, 60), (11, 4)])
def test_the_mentors_games_are_games_of_hex(size: int, games: int) -> None:
    found = starts.by_mentor(size, games, 0.15, generator())
    assert len(found) == games
    for moves in found.moves.tolist():
        board = Board(size)
        for move in moves:
            if move < 0:
                break
            assert not board.is_over()
            board.push(move)
        assert board.is_over()
    assert not is_over(found.draw(200, generator())).any()


def test_random_moves_make_the_games_differ() -> None:
    found = starts.by_mentor(4, 200, 0.15, generator())
    same = starts.by_mentor(4, 200, 0.15, generator())
    assert torch.equal(found.moves, same.moves)
    assert len(torch.unique(found.moves, dim=0)) > 60
    # Without them a game is decided by its first move.
    fixed = starts.by_mentor(4, 200, 0.0, generator())
    assert len(torch.unique(fixed.moves, dim=0)) <= 16
