"""The mentor's scores: two circuits worked by hand, random positions beside Kirchhoff's law, and the symmetries."""

import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.learn.parts import mentor
from fingal.nets import planes
from tests.learn.kirchhoff import circuit


def canonical(boards: list[Board]) -> torch.Tensor:
    """Boards as their sides to move see them, bool [B, 2, n, n]."""
    return torch.from_numpy(planes.stones(planes.positions_of(boards)))


def positions(size: int, count: int, seed: int) -> list[Board]:
    """Random positions that are not over, with any number of stones."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        board, plies = Board(size), rng.integers(size * size)
        for _ in range(plies):
            if not board.is_over():
                board.push(int(rng.choice(board.empty_cells)))
        if not board.is_over():
            found.append(board)
    return found


def test_two_by_two_by_hand() -> None:
    # a1 b1 / a2 b2, where b1 touches both cells of the other row and a1 touches a2 but not b2. Kirchhoff: a1 has wires
    # to the source, b1 and a2; b1 to the source, a1, a2 and b2; a2 to the ground, a1, b1 and b2; b2 to the ground, b1
    # and a2. With V(a2) = 1 - V(b1) and V(b2) = 1 - V(a1), by the half-turn: 3 V(a1) = 1 + V(b1) + V(a2) = 2, so
    # V(a1) = 2/3, V(b2) = 1/3, and 4 V(b1) = 1 + 2/3 + V(a2) + 1/3 = 3 - V(b1), so V(b1) = 3/5, V(a2) = 2/5.
    # C = 1/3 + 2/5 = 11/15. Through a1: (1/3 + 1/15 + 4/15) / 2 = 1/3; b1: (2/5 + 1/15 + 1/5 + 4/15) / 2 = 7/15.
    through, conductance = mentor.circuit(torch.zeros(1, 2, 2, 2, dtype=torch.bool))
    assert float(conductance) == pytest.approx(11 / 15)
    assert through[0].tolist() == pytest.approx([1 / 3, 7 / 15, 7 / 15, 1 / 3])
    # a1: C1' = 11/15 + (1/9) / (3 * 2/3) = 71/90, C2' = 11/15 - 1/3 = 36/90, so the score is 35/71.
    # b1: C1' = 11/15 + (49/225) / (3 * 8/15) = 313/360, C2' = 4/15 = 96/360, so the score is 217/313.
    scores = mentor.scores(torch.zeros(1, 2, 2, 2, dtype=torch.bool))[0]
    assert scores.tolist() == pytest.approx([35 / 71, 217 / 313, 217 / 313, 35 / 71])


def test_a_stone_in_the_middle_of_three_by_three_by_hand() -> None:
    # The opponent's stone on b2. The mover, from top to bottom, has a1 b1 c1 / a2 . c2 / a3 b3 c3: a2 touches a1, b1
    # and a3, c2 touches c1, b3 and c3. By the half-turn V(c2) = 1 - V(a2); with x, y, z, w for a1, b1, c1, a2:
    # a1 (source, b1, a2): 3x = 1 + y + w.  b1 (source, a1, c1, a2): 4y = 1 + x + z + w.  c1 (source, b1, c2):
    # 3z = 2 + y - w.  a2 (a1, b1, a3): 3w = 1 + x + y - z.  Solved: x, y, z, w = 49/61, 48/61, 44/61, 38/61.
    board = Board(3)
    board.push("b2")
    through, conductance = mentor.circuit(canonical([board]))
    assert float(conductance) == pytest.approx((12 + 13 + 17) / 61)
    # Through b1: from the source, to a1, c1 and a2.
    assert float(through[0, 1]) == pytest.approx((13 + 1 + 4 + 10) / 2 / 61)
    assert float(through[0, 4]) == 0


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 12), (3, 60), (5, 80), (8, 30), (11, 6), (13, 3), (19, 1)])
def test_kirchhoff_says_the_same_of_random_positions(size: int, count: int) -> None:
    boards = positions(size, count, seed=size)
    scores = mentor.scores(canonical(boards))
    for board, given in zip(boards, scores.tolist(), strict=True):
        mine, own = circuit(board, board.turn)
        theirs, other = circuit(board, board.turn.other)
        for cell in range(board.cells):
            row, column = divmod(cell, size)
            said = given[cell if int(board.turn) == 0 else column * size + row]
            if cell not in mine:
                assert said == -1
                continue
            current = min(mine[cell], 0.999)
            after, left = own + current**2 / (3 * (1 - current)), max(0.0, other - theirs[cell])
            expected = 1 - left / after if after > left else after / left - 1
            assert said == pytest.approx(max(-1.0, min(1.0, expected)), abs=1e-5)


def test_a_half_turn_of_the_board_turns_the_scores() -> None:
    boards = canonical(positions(6, 40, seed=3))
    turned = mentor.scores(boards.flip(2, 3)).view(-1, 6, 6).flip(1, 2)
    assert torch.allclose(turned, mentor.scores(boards).view(-1, 6, 6), atol=1e-6)


def test_the_numbers_of_equations_three_to_five() -> None:
    half = torch.tensor([0.5])
    assert mentor.conductance_after(torch.tensor([1.0]), half).item() == pytest.approx(1 + 0.25 / 1.5)
    assert mentor.conductance_after(torch.tensor([1.0]), torch.tensor([1.0])).item() > 100
    assert mentor.other_after(torch.tensor([0.25]), half).item() == 0
    assert mentor.score(torch.tensor([2.0]), half).item() == 0.75
    assert mentor.score(half, torch.tensor([2.0])).item() == -0.75


def test_no_positions() -> None:
    assert mentor.scores(torch.zeros(0, 2, 4, 4, dtype=torch.bool)).shape == (0, 16)


def test_groups_have_the_names_of_the_sides_that_they_touch() -> None:
    # Of a line of three from the top right one end touches the top, and a1 does; d4 touches the bottom.
    stones = torch.zeros(1, 4, 4, dtype=torch.bool)
    for row, column in ((0, 0), (0, 3), (1, 2), (2, 1), (3, 3)):
        stones[0, row, column] = True
    names = mentor.groups(stones)[0]
    assert names[0, 0] == names[0, 3] == names[1, 2] == names[2, 1] == 18
    assert names[3, 3] == 17
    assert names[1, 1] == 0
