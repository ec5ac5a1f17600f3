"""Learners of a table: their samples have the exact mean and variance, and they learn."""

from typing import Any

import numpy as np
import pytest

from fingal.learn.gradient_bias import chances, logits
from fingal.learn.parts.exact_gradients import Estimator, SelfPlay, average
from fingal.learn.parts.truth import Truth
from fingal.learn.tabular_gradients import Tabular, learn, learn_without_noise, tuned

TWO, THREE = Truth(2), Truth(3)
KINDS = [
    Estimator("reinforce-v"),
    Estimator("reinforce-b", 2),
    Estimator("amcpg-a", 2),
    Estimator("amcpg-b", 2),
    Estimator("soft", 2),
    Estimator("average", 2, 2),
]


@pytest.mark.parametrize("estimator", KINDS, ids=str)
@pytest.mark.parametrize("truth", [TWO, THREE], ids=["2x2", "3x3"])
def test_samples_have_the_exact_mean_and_variance(truth: Truth, estimator: Estimator) -> None:
    start, runs, games = logits(truth, "rough"), 40, 400
    exact = average(SelfPlay(truth, chances(start)), estimator)
    after = learn(truth, start, Tabular(estimator, rate=1e-6, games=games, iterations=1, runs=runs)).logits
    # What one game adds, on average over the games of a run.
    found = np.where(truth.legal, after - np.where(truth.legal, start, 0.0), 0.0) / (1e-6 * games)
    apart = found - exact.gradient
    assert (apart**2).sum((1, 2)).mean() * games == pytest.approx(exact.variance, rel=0.1)
    # Along the exact gradient the mean over all runs is known much better than in all directions together.
    length = (exact.gradient**2).sum()
    along = (found * exact.gradient).sum((1, 2)) / length
    error = along.std(ddof=1) / np.sqrt(runs)
    assert error < 0.35
    assert abs(along.mean() - 1) < 4 * error


def test_the_same_seed_gives_the_same_tables() -> None:
    config = Tabular(Estimator("amcpg-b", 2), games=16, iterations=5, runs=2)
    start = logits(THREE, "taught")
    one, two = learn(THREE, start, config), learn(THREE, start, config)
    assert np.array_equal(one.logits, two.logits)
    assert one.rows == two.rows
    assert [row.iteration for row in one.rows] == [0, 5]


def test_learners_gain_against_a_best_responder() -> None:
    start = logits(THREE, "taught")
    for estimator, rate in ((Estimator("reinforce-v"), 0.15), (Estimator("reinforce-b", 1), 0.5)):
        learned = learn(THREE, start, Tabular(estimator, rate=rate, iterations=120, runs=2, every=60))
        assert learned.rows[0].sampled == pytest.approx([0.106, 0.106], abs=1e-3)
        assert min(learned.rows[-1].sampled) > 0.22
        assert max(learned.rows[-1].entropy) < min(learned.rows[0].entropy)


def test_without_noise_it_does_what_very_many_games_do() -> None:
    start = logits(TWO, "rough")
    config = Tabular(Estimator("amcpg-a", 1), rate=5e-4, games=40_000, iterations=3, runs=3, every=1)
    sampled, exact = learn(TWO, start, config), learn_without_noise(TWO, start, config)
    moved = np.abs(np.where(TWO.legal, exact.logits[0] - np.where(TWO.legal, start, 0.0), 0.0)).max()
    apart = np.where(TWO.legal, sampled.logits - np.where(TWO.legal, exact.logits[0], 0.0), 0.0)
    assert moved > 1
    assert np.abs(apart).max() < 0.1 * moved
    for one, two in zip(sampled.rows[1:], exact.rows[1:], strict=True):
        assert one.sampled == pytest.approx([two.sampled[0]] * 3, abs=0.02)
    assert exact.config.runs == 1


def test_a_pool_of_opponents() -> None:
    config = Tabular(Estimator("reinforce-v"), rate=0.15, pool=10, iterations=100, runs=2)
    assert config.name == "reinforce-a"
    learned = learn(THREE, logits(THREE, "taught"), config)
    assert min(learned.rows[-1].sampled) > 0.2
    assert learned.logits.shape == (2, 4520, 9)


def test_openings_kept_is_1_for_perfect_play_and_0_for_the_worst() -> None:
    perfect = THREE.policy(np.where(THREE.winning, 1.0, 0.0)[None])
    worst = THREE.policy(np.where(THREE.winning, 0.0, 1.0)[None])
    assert THREE.openings_kept(np.concatenate([perfect, worst])).tolist() == [1.0, 0.0]


def test_openings_kept_after_losing_first_moves_is_what_measure_says() -> None:
    values = np.random.default_rng(2).normal(size=(3, 4520, 9)) + THREE.winning
    policy = THREE.policy(values)
    # After a losing first move of the opponent's the player is the second, against a best responder.
    losing = THREE.legal[0] & ~THREE.winning[0]
    always = np.where(THREE.winning, 1.0, 0.0)
    perfect_first = np.where(THREE.positions.white_to_move[:, None], values, 5 * always)
    kept = THREE.openings_kept(THREE.policy(perfect_first))
    # Black plays perfectly, so it keeps what it wins, and the rest is White's.
    expected = (losing.sum() * THREE.measure(values)["second_vs_best"] + (~losing).sum()) / 9
    assert kept == pytest.approx(expected)
    assert THREE.openings_kept(policy).shape == (3,)


def test_tuning_takes_the_best_rate() -> None:
    config = Tabular(Estimator("reinforce-v"), iterations=40, runs=2, games=64)
    rate, tried = tuned(THREE, logits(THREE, "taught"), config, (1e-4, 0.2))
    assert rate == 0.2
    assert [one.config.rate for one in tried] == [1e-4, 0.2]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"rate": 0.0}, "rate must be above 0"),
        ({"pool": -1}, "pool must be at least 0"),
        ({"pool": 1, "estimator": Estimator("amcpg-a", 1)}, "the estimator must be reinforce-v"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tabular(**({"estimator": Estimator("reinforce-v")} | setting))


@pytest.mark.parametrize("size", [1, 5])
def test_other_boards_are_refused(size: int) -> None:
    truth = Truth(size)
    with pytest.raises(ValueError, match=f"size={size} is not possible"):
        learn(truth, np.zeros(truth.legal.shape), Tabular(Estimator("reinforce-v")))


def test_games_are_worked_out_up_to_3x3() -> None:
    with pytest.raises(ValueError, match="cannot be worked out"):
        Truth(5).openings_kept(np.zeros((1, 1000, 25)))
