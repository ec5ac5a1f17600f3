"""Ratings: exact where the answer is known, true on simulated leagues, finite always."""

import math
from itertools import pairwise

import numpy as np
import pytest

from fingal.arena import ratings
from fingal.arena.ratings import SCALE, anchored, expected, fit, rate, resampled, virtual_games
from fingal.game import BLACK
from tests.arena.games import game, results


def test_expected_score_by_hand() -> None:
    """400 Elo are ten to one; 0 is even; 100 is 1 / (1 + 10^-¼) = 0.640065."""
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(0) == 0.5
    assert expected(100) == pytest.approx(0.640065, abs=1e-6)
    assert expected(-400) == pytest.approx(1 / 11)


def test_virtual_games_by_hand() -> None:
    """Two players, 20 games, ten with each colour: each gives each pairing 10/20 of a game, so both have one."""
    pairs = np.array([[0, 1], [1, 0]])
    assert virtual_games(pairs, 2, np.array([10.0, 10.0])) == pytest.approx([1, 1])
    # One that has played 2 games and one that has played 6, against a third with 8: 2/2 + 2/8 and 6/6 + 6/8.
    assert virtual_games(np.array([[0, 2], [1, 2]]), 3, np.array([2.0, 6.0])) == pytest.approx([1.25, 1.75])


def test_two_players_by_hand() -> None:
    """One has won 15.5 of 21 as Black and 9.5 of 21 as White, virtual games included: log-odds s + a and s - a."""
    rated = rate(results(("one", "two", 15, 5), ("two", "one", 11, 9)))
    black, white = math.log(15.5 / 5.5), math.log(9.5 / 11.5)
    assert rated.of("one").elo - rated.of("two").elo == pytest.approx(SCALE * (black + white) / 2, abs=1e-3)
    assert rated.advantage == pytest.approx(SCALE * (black - white) / 2, abs=1e-3)
    assert rated.of("one").elo == pytest.approx(-rated.of("two").elo)
    assert (rated.of("one").wins, rated.of("one").games, rated.games) == (24, 40, 40)


def test_the_score_with_a_colour_has_jeffreys_interval() -> None:
    """14 of 20 with Black. The 2.5% and 97.5% points of Beta(14.5, 6.5), from a table: 0.4828 and 0.8639."""
    wins, losses = np.array([14.0, 7.0]), np.array([6.0, 13.0])
    drawn = resampled(np.array([[0, 1], [1, 0]]), 2, wins, losses, 8000, np.random.default_rng(1))
    chance = 1 / (1 + np.exp(-(drawn[:, 0] - drawn[:, 1] + drawn[:, 2]) / SCALE))
    assert np.percentile(chance, (2.5, 97.5)) == pytest.approx((0.4828, 0.8639), abs=0.01)


def test_a_perfect_score_is_finite_and_uncertain() -> None:
    rated = rate(results(("strong", "weak", 20, 0), ("weak", "strong", 0, 20)), anchor="weak")
    strong = rated.of("strong")
    assert 400 < strong.elo < 1200
    low, high = strong.interval
    # 40 of 40 is compatible with a true score of 91% or so (the rule of three: 3/40), and with any higher one.
    assert 250 < low < 500
    assert high > 1000
    assert math.isfinite(high)


@pytest.mark.parametrize("anchored_last", [False, True])
@pytest.mark.parametrize("ladder", ["abcd", "abcdefghijklmnop"])
def test_a_rating_on_a_ladder_is_inside_its_interval(ladder: str, anchored_last: bool) -> None:
    """Neighbours alone have met, and the stronger one has won everything: a beats b, b beats c, and so on."""
    steps = list(pairwise(ladder))
    games = results(*((one, other, 10, 0) for one, other in steps), *((other, one, 0, 10) for one, other in steps))
    anchor = ladder[-1] if anchored_last else None
    rated = rate(games, anchor, resamples=100)
    assert [rating.player for rating in rated.players] == list(ladder)
    for rating in rated.players:
        low, high = rating.interval
        assert low <= rating.elo <= high
        # Such results do not say how far apart two players are.
        assert high - low > 500 or rating.player == anchor


def test_ratings_do_not_depend_on_the_order_of_the_games() -> None:
    games = results(("a", "b", 7, 3), ("b", "c", 6, 4), ("c", "a", 2, 8))
    assert rate(games) == rate(games[::-1])
    assert [rating.player for rating in rate(games).players] == ["a", "b", "c"]


def test_anchors() -> None:
    games = results(("a", "b", 7, 3), ("b", "a", 4, 6))
    free, fixed = rate(games), rate(games, anchor="b")
    assert fixed.of("b").elo == 0
    assert fixed.of("b").interval == (0, 0)
    assert fixed.of("a").elo == pytest.approx(free.of("a").elo - free.of("b").elo)
    assert fixed.advantage == pytest.approx(free.advantage)
    assert sum(rating.elo for rating in free.players) == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match=r"^the anchor 'c' has played no game; there are a, b$"):
        rate(games, anchor="c")


def test_players_with_no_common_rival() -> None:
    """Nothing says how far apart the two pairs are: they are put side by side."""
    rated = rate(results(("a", "b", 8, 2), ("c", "d", 8, 2)))
    assert rated.of("a").elo == pytest.approx(rated.of("c").elo, abs=1)


def test_no_games_and_games_against_oneself() -> None:
    assert rate([]).players == ()
    alone = rate([game(n, "a", "a", BLACK) for n in range(1, 31)])
    assert alone.of("a").elo == 0
    assert alone.advantage > 200
    assert (alone.of("a").games, alone.of("a").wins) == (60, 30)


def test_without_colours_the_ratings_are_those_of_choix(monkeypatch: pytest.MonkeyPatch) -> None:
    """choix 0.4's opt_pairwise on the same results, with alpha=0: 159.8401, 18.1316, -138.9687, -39.0030."""
    monkeypatch.setattr(ratings, "VIRTUAL", 1e-9)
    won = {(0, 1): 6, (0, 2): 9, (0, 3): 8, (1, 2): 7, (1, 3): 5, (2, 3): 4}
    # Of ten games with each colour, Black and White do equally well: the first move is worth nothing.
    pairs = np.array([*won, *((j, i) for i, j in won)])
    wins = np.array([*won.values(), *(10 - n for n in won.values())], np.float64)
    found = anchored(fit(pairs, 4, wins[None], 10 - wins[None])[0], None)
    assert found == pytest.approx([159.8401, 18.1316, -138.9687, -39.0030, 0], abs=1e-3)


def coverage(elo: list[float], advantage: float, games: int, leagues: int, resamples: int = 300) -> np.ndarray:
    """How often the 95% intervals of simulated round robins hold the truth, [players + 1], Black's advantage last."""
    rng = np.random.default_rng(1)
    players = len(elo)
    pairs = np.array([(i, j) for i in range(players) for j in range(players) if i != j])
    true = np.array(elo) - np.mean(elo)
    chance = 1 / (1 + 10 ** (-(true[pairs[:, 0]] - true[pairs[:, 1]] + advantage) / 400))
    held = np.zeros(players + 1)
    for _ in range(leagues):
        wins = rng.binomial(games, chance).astype(float)
        drawn = anchored(resampled(pairs, players, wins, games - wins, resamples, rng), None)
        low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
        held += (low <= [*true, advantage]) & ([*true, advantage] <= high)
    return held / leagues


def test_intervals_hold_the_truth() -> None:
    """95% of the time, to 2%; tests/slow has more leagues and kinds of them."""
    held = coverage([0, 100, 200, 400], advantage=60, games=10, leagues=300)
    assert 0.93 <= held[:-1].mean() <= 0.97
    assert 0.92 <= held[-1] <= 0.98


def test_many_games_find_the_truth() -> None:
    true, advantage = np.array([-150.0, -20.0, 170.0]), 45.0
    pairs = np.array([(i, j) for i in range(3) for j in range(3) if i != j])
    chance = 1 / (1 + 10 ** (-(true[pairs[:, 0]] - true[pairs[:, 1]] + advantage) / 400))
    wins = 1e6 * chance
    found = anchored(fit(pairs, 3, wins[None], 1e6 - wins[None])[0], None)
    assert found == pytest.approx([*true, advantage], abs=0.1)
