"""Marks of players whose worth is known: one that plays anywhere, one told the truth, one that fills a column."""

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal.learn.parts.marks import Marks, against_random
from fingal.learn.parts.truth import Truth
from fingal.nets import planes
from fingal.nets.signed_net import from_stones

CPU = torch.device("cpu")


def column(boards: Tensor) -> Tensor:
    """Plays the free cells of the middle column first, from the top: it joins the sides whose stones are its own."""
    out = torch.arange(boards[0].numel(), 0.0, -1).view(boards[0].shape).repeat(len(boards), 1, 1)
    out[:, :, boards.shape[2] // 2] += 1000
    return out.flatten(1)


def test_on_3x3_the_marks_are_the_truths_own() -> None:
    truth = Truth(3)
    known = {}
    for board, winning, white in zip(
        from_stones(torch.from_numpy(planes.stones(truth.positions))),
        truth.winning.reshape(-1, 3, 3),
        truth.positions.white_to_move,
        strict=True,
    ):
        known[tuple(board.flatten().tolist())] = np.array(winning.T if white else winning).ravel()

    def told(boards: Tensor) -> Tensor:
        return torch.from_numpy(np.array([known[tuple(board.flatten().tolist())] for board in boards])).float()

    found = Marks(3)(told, CPU)
    assert found["keeps_win"] == found["first_vs_best"] == found["first_vs_random"] == 1
    assert Marks(3)(lambda boards: torch.zeros(len(boards), 9), CPU)["first_vs_random"] == pytest.approx(2 / 3)


def test_games_against_random_moves_agree_with_the_exact_share_on_3x3() -> None:
    exact = Marks(3)(column, CPU)
    drawn = against_random(column, 3, 4000, CPU)
    for name in ("first_vs_random", "second_vs_random"):
        # Four standard errors of a share of 4000 games.
        assert drawn[name] == pytest.approx(exact[name], abs=4 * (0.25 / 4000) ** 0.5)
    assert exact["first_vs_random"] > exact["second_vs_random"]


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_every_size_has_marks(size: int) -> None:
    found = Marks(size, games=200)(column, CPU)
    assert ("keeps_win" in found) == (size <= 7)
    assert 0 <= found["second_vs_random"] <= found["first_vs_random"] <= 1


def test_no_games_are_refused() -> None:
    with pytest.raises(ValueError, match="games must be at least 1, not 0"):
        Marks(3, games=0)
