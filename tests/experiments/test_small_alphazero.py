"""Paper 003's AlphaZero for 3x3: its tables against the rules, its search by hand, and what its mistakes change."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from fingal.experiments.paper_003 import small_alphazero
from fingal.experiments.paper_003.small_alphazero import Judgement, Search, Small, boards, number_of, puct
from fingal.game import Board
from fingal.nets.feedforward import Config, Feedforward
from fingal.nets.planes import positions_of, stones

TINY = Small(iterations=2, games=6, simulations=6, epochs=1)


def number(board: Board) -> int:
    return int(number_of(torch.from_numpy(stones(positions_of([board]))))[0])


def test_the_tables_know_the_rules() -> None:
    """Random games on the board and by number, to the end."""
    random = np.random.default_rng(0)
    known = boards()
    for _ in range(60):
        board = Board(3)
        at = number(board)
        while not board.is_over():
            seen = {c % 3 * 3 + c // 3 if int(board.turn) else c: c for c in board.empty_cells}
            assert known.legal[at].nonzero()[0].tolist() == sorted(seen)
            shown = int(random.choice(list(seen)))
            board.push(seen[shown])
            assert known.wins[at, shown] == board.is_over()
            at = int(known.child[at, shown])
            if not board.is_over():
                assert at == number(board)


def test_puct_by_hand() -> None:
    """sqrt(4) = 2: 0.5 + 0.1 * 2 / 4, 0 + 0.5 * 2 / 2, 0 + 0.4 * 2 / 1; with c = 0.1 the first is best."""
    mean, count = np.array([[0.5, 0.0, 0.0]]), np.array([[3.0, 1.0, 0.0]])
    policy, legal = np.array([[0.1, 0.5, 0.4]]), np.array([[True, True, True]])
    assert puct(mean, count, policy, legal, 1.0).tolist() == [2]
    assert puct(mean, count, policy, legal, 0.1).tolist() == [0]
    assert puct(mean, count, policy, np.array([[True, True, False]]), 1.0).tolist() == [0]
    assert puct(0 * mean, 0 * count, policy, legal, 1.0).tolist() == [1]


def even() -> Judgement:
    """A net that knows nothing."""
    legal = boards().legal
    return Judgement(legal / np.maximum(legal.sum(1, keepdims=True), 1), np.zeros(len(legal)))


def searched(moves: list[str], config: Small) -> tuple[Board, Any]:
    board = Board(3)
    for move in moves:
        board.push(move)
    root = np.array([number(board)])
    return board, Search(even(), 1, config).run(np.array([0]), root)[0].reshape(3, 3)


def test_a_search_finds_the_win_and_the_only_defence() -> None:
    config = Small(simulations=200)
    # Black has b1 and b2 and wins with b3 or a3.
    board, visits = searched(["b1", "a1", "b2", "c1"], config)
    assert visits.sum() == 200
    assert board.name(int(visits.argmax())) in ("a3", "b3")
    assert visits[2, :2].sum() > 150
    # Black has b1 and b2 again, and White a3: only b3 holds, and wins.
    board, visits = searched(["b1", "a3", "b2"], config)
    assert board.name(int(visits.T.argmax())) == "b3"
    assert visits.max() > 100


def test_without_the_mirror_the_second_player_goes_the_wrong_way() -> None:
    """White has a2 and b2; c1 or c2 would join left and right. Shown the board as it is, he wants top and bottom."""
    right = Small(simulations=100)
    board, visits = searched(["a1", "a2", "c3", "b2", "a3"], right)
    assert board.name(int(visits.T.argmax())) in ("c1", "c2")
    real = np.array([number(board)])
    wrong = replace(right, reflect=False)
    seen = small_alphazero.as_seen(real, True, wrong)
    found = Search(even(), 1, wrong).run(np.array([0]), seen)[0]
    cell = small_alphazero.on_board(found.argmax(keepdims=True), True, wrong)[0]
    assert board.name(int(cell % 3 * 3 + cell // 3)) not in ("c1", "c2")


@pytest.mark.parametrize("fixed", [False, True])
def test_results_are_told_as_they_were_or_always_the_same(fixed: bool) -> None:
    config = replace(TINY, games=30, fixed_result=fixed)
    torch.manual_seed(0)
    net = Feedforward(Config(size=3, hidden=(8,), head="policy_value"))
    seen = small_alphazero.play(net, config, np.random.default_rng(0))
    stones_on = (boards().signed[torch.from_numpy(seen.board)] != 0).sum((1, 2)).numpy()
    by_first = {int(result) for result in seen.result[stones_on % 2 == 0]}
    assert by_first == ({-1} if fixed else {-1, 1})
    assert np.allclose(seen.policy.sum(1), 1)
    assert (seen.policy[~boards().legal[seen.board]] == 0).all()


def test_a_run_is_its_seeds() -> None:
    one, again, other = (small_alphazero.learn(replace(TINY, seed=seed)) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), again.parameters(), strict=True))
    assert not torch.equal(one.out.weight, other.out.weight)
    assert sum(parameter.numel() for parameter in one.parameters()) == 19_082


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"exploration": 0.0}, "exploration must be a number above 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0"),
    ],
)
def test_nonsense_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Small(**fields)
