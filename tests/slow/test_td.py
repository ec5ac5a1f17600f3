"""What the online learners reach on 3x3 within 20,000 games, and what the literal target does not: minutes."""

import pytest
import torch

from fingal.learn import td
from fingal.learn.td import TD, Rule, Target

SEEDS = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("alpha", [0.01, 0.03])
@pytest.mark.parametrize(("rule", "beta_ratio"), [("sarsa", 1.0), ("q", 1.0), ("tdc", 0.1)])
def test_the_first_player_beats_a_best_responder(rule: Rule, beta_ratio: float, alpha: float) -> None:
    torch.set_num_threads(1)
    settings = [
        TD(rule=rule, alpha=alpha, beta_ratio=beta_ratio, epsilon=0.1, games=20_000, rows=20, seed=seed)
        for seed in SEEDS
    ]
    histories = td.sweep(settings)
    last = [history.rows[-3:] for history in histories]
    won = sum(any(row["first_vs_best"] == 1 for row in rows) for rows in last)
    second = sum(any(row["second_vs_random"] >= 0.92 for row in rows) for rows in last)
    print(rule, alpha, won, second, [[row["first_vs_best"] for row in rows] for rows in last])
    assert won >= 4
    assert second >= 4


@pytest.mark.parametrize("rule", ["sarsa", "q"])
def test_the_literal_target_learns_values_near_one_and_no_play(rule: Rule) -> None:
    torch.set_num_threads(1)
    target: Target = "literal"
    settings = [TD(rule=rule, target=target, alpha=0.01, games=1_200, rows=6, seed=seed) for seed in SEEDS]
    for history in td.sweep(settings):
        assert history.rows[-1]["value"] >= 0.95
        assert history.rows[-1]["first_vs_best"] == 0
