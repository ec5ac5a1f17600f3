"""Alternating Markov games against games worked by hand and against trying every policy."""

import itertools

import numpy as np
import pytest

from fingal.learn.parts.markov_games import G1, G2, Game, Policy, deterministic, hex_game, random_game
from fingal.learn.parts.truth import Truth


def every(game: Game, first: bool) -> list[Policy]:
    """All policies of one player, with action 0 in the other's states."""
    ways = [np.flatnonzero(legal) if own == first else [0] for own, legal in zip(game.first, game.legal, strict=True)]
    return [np.array(way) for way in itertools.product(*ways)]


def joined(game: Game, one: Policy, two: Policy) -> Policy:
    return np.where(game.first, one, two)


def test_a_policy_worked_by_hand() -> None:
    # The first player takes 2 and gives the move away; the second takes 1 from it and ends the game, or goes on for -3.
    game = deterministic("two", [True, False], [[(1, 2.0), (2, 0.0)], [(2, -1.0), (0, -3.0)]], 0.5)
    assert game.evaluate(np.array([0, 0])).tolist() == pytest.approx([1.5, -1.0])
    # v0 = 2 + v1 / 2 and v1 = -3 + v0 / 2: v0 = 2/3, v1 = -8/3.
    assert game.evaluate(np.array([0, 1])).tolist() == pytest.approx([2 / 3, -8 / 3])
    assert game.optimum().tolist() == pytest.approx([2 / 3, -8 / 3])
    assert game.greedy(np.array([1.5, -1.0]), np.array([0, 0])).tolist() == [0, 1]


def test_chance_is_weighed() -> None:
    game = Game(
        "dice",
        np.array([True]),
        np.array([[[1, 1], [1, 1]]]),
        np.array([[[0.25, 0.75], [1.0, 0.0]]]),
        np.array([[[8.0, 0.0], [1.0, 100.0]]]),
        1.0,
    )
    assert game.action_values(np.zeros(1)).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    "game", [G1, G2, random_game(6, 2, 3, 0.9, np.random.default_rng(4))], ids=["G1", "G2", "random"]
)
def test_best_responses_and_the_optimum_by_trying_everything(game: Game) -> None:
    ones, twos = every(game, True), every(game, False)
    worth = np.array([[game.evaluate(joined(game, one, two)) for two in twos] for one in ones])
    for at, one in enumerate(ones):
        answer = game.respond(joined(game, one, twos[0]), first=False)
        assert game.evaluate(answer) == pytest.approx(worth[at].min(0))
        assert np.array_equal(answer[game.first], one[game.first])
    for at, two in enumerate(twos):
        answer = game.respond(joined(game, ones[0], two), first=True)
        assert game.evaluate(answer) == pytest.approx(worth[:, at].max(0))
    assert game.optimum() == pytest.approx(worth.min(1).max(0), abs=1e-9)


def test_the_optimum_of_g2_is_the_known_one() -> None:
    assert G2.optimum().round(3).tolist() == [-41.755, -40.0, -42.0, -42.667, -40.0, -42.9]
    assert G2.evaluate(np.array([0, 1, 0, 0, 1, 0])) == pytest.approx(G2.optimum())


def test_an_equal_action_is_kept() -> None:
    game = deterministic("tie", [True], [[(1, 1.0), (1, 1.0), (1, 0.0)]], 1.0)
    assert game.greedy(np.zeros(1), np.array([1])).tolist() == [1]
    assert game.greedy(np.zeros(1), np.array([2])).tolist() == [0]
    assert game.respond(np.array([1]), first=True).tolist() == [1]
    assert game.respond(np.array([1]), first=False).tolist() == [1]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_hex_is_won_by_whom_the_enumeration_says(size: int) -> None:
    truth, game = Truth(size), hex_game(size)
    won = np.where(truth.positions.white_to_move, -1.0, 1.0) * np.where(truth.won, 1.0, -1.0)
    assert game.optimum().tolist() == won.tolist()
    worth = game.action_values(won)
    assert np.array_equal(worth == np.where(truth.positions.white_to_move, -1.0, 1.0)[:, None], truth.winning)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"following": np.array([[[2]]])}, "following must be from 0 to 1"),
        ({"chance": np.array([[[0.5]]])}, "chance must add up to 1"),
        ({"chance": np.array([[[0.0]]])}, "chance must leave every state an action"),
        ({"reward": np.zeros((1, 2, 1))}, r"following must be \[1, A, K\]"),
        ({"gamma": 1.5}, "gamma must be from 0 to 1"),
    ],
)
def test_what_is_no_game_is_refused(change: dict[str, object], message: str) -> None:
    parts: dict[str, object] = {"following": np.array([[[1]]]), "chance": np.ones((1, 1, 1)), "gamma": 1.0}
    parts |= {"name": "one", "first": np.array([True]), "reward": np.zeros((1, 1, 1))}
    Game(**parts)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        Game(**(parts | change))  # type: ignore[arg-type]


def test_hex_is_known_up_to_3x3() -> None:
    with pytest.raises(ValueError, match="size=4 is not possible"):
        hex_game(4)


def test_a_game_that_never_settles_says_so() -> None:
    endless = deterministic("endless", [True], [[(0, 1.0)]], 1.0)
    with pytest.raises(ValueError, match="endless does not settle within 50 sweeps"):
        endless.optimum(50)
