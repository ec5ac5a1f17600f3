"""The four schemes of policy iteration: which stop, which go round in circles, and that two find the optimum."""

import numpy as np
import pytest

from fingal.learn.alternating import compare, every_policy, follow, iterate
from fingal.learn.parts.markov_games import G1, G2, deterministic, hex_game, random_game


def test_best_responses_in_turn_go_round_in_circles_on_g1() -> None:
    course = follow(G1, 1, np.array([0, 0, 1, 1, 1, 1]))
    assert [policy.tolist() for policy in course.policies[1:]] == [[1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 1, 0]]
    assert course.period == 2
    assert not course.found
    assert min(course.gaps) > 0.1


def test_two_greedy_players_go_round_in_circles_on_g2() -> None:
    course = follow(G2, 2, np.array([0, 1, 0, 0, 1, 1]))
    assert [policy.tolist() for policy in course.policies] == [
        [0, 1, 0, 0, 1, 1],
        [0, 0, 1, 1, 1, 0],
        [1, 1, 0, 0, 1, 0],
    ]
    assert course.period == 3
    assert [course.at(number) for number in range(8)] == [0, 1, 2, 0, 1, 2, 0, 1]
    assert iterate(G2, 2, course.policies[-1]).tolist() == course.policies[0].tolist()


def test_from_all_starts() -> None:
    one, two = compare(G1, every_policy(G1), 8), compare(G2, every_policy(G2), 8)
    assert [row.starts for row in one + two] == [64] * 8
    assert [row.found for row in two] == [64, 18, 64, 64]
    assert two[1].periods == {1: 18, 3: 46}
    assert one[0].periods.keys() == {1, 2}
    assert one[1].found < 64
    assert [row.found for row in one[2:]] == [64, 64]
    for row in (*one[2:], *two[2:]):
        assert row.periods == {1: 64}
        assert row.worst[-1] < 1e-9 < row.worst[0]
        assert row.wrong[-1] == 0
    for row in (one[0], one[1], two[1]):
        assert row.worst[-1] > 1
        assert row.wrong[-1] > 0


@pytest.mark.parametrize("outcomes", [1, 3])
def test_the_two_that_converge_find_what_value_iteration_finds(outcomes: int) -> None:
    lots = np.random.default_rng(outcomes)
    for _ in range(10):
        game = random_game(12, 3, outcomes, 0.9, lots)
        start, best = game.random_policy(lots), game.optimum()
        for scheme in (3, 4):
            course = follow(game, scheme, start)
            assert course.period == 1
            assert game.evaluate(course.policies[-1]) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("size", [2, 3])
def test_on_hex_all_four_find_the_optimum(size: int) -> None:
    game, lots = hex_game(size), np.random.default_rng(1)
    for row in compare(game, [game.random_policy(lots)], 12):
        assert row.found == 1
        assert row.longest <= 10
        assert row.worst[-1] == 0


def test_equal_actions_are_no_circle() -> None:
    game = deterministic("tie", [True, False], [[(1, 1.0), (1, 1.0)], [(0, 2.0), (0, 2.0)]], 0.5)
    for scheme in (1, 2, 3, 4):
        for start in every_policy(game):
            course = follow(game, scheme, start)
            assert len(course.policies) == 1
            assert course.found


def test_there_are_four() -> None:
    with pytest.raises(ValueError, match="there is no scheme 5"):
        iterate(G1, 5, np.zeros(6, np.int64))
