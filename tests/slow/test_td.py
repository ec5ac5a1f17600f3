"""What the online learners reach on 3x3 within 20,000 games, and what the literal target does not: ten minutes."""

from itertools import product

import pytest
import torch

from fingal.learn import td
from fingal.learn.parts.history import History
from fingal.learn.td import TD, Rule, Target

SEEDS = (1, 2, 3, 4, 5)
ALPHAS = (0.01, 0.03)
RATIOS: dict[Rule, float] = {"sarsa": 1.0, "q": 1.0, "tdc": 0.1}
"""Each learner's beta / alpha; TDC's is what its curvature term bears, see docs/td.md."""


@pytest.fixture(scope="module")
def histories() -> dict[tuple[Rule, float], list[History]]:
    """All runs at once: a stack of many takes hardly longer than one of few."""
    torch.set_num_threads(1)
    kinds = list(product(RATIOS, ALPHAS))
    settings = [
        TD(rule=rule, alpha=alpha, beta_ratio=RATIOS[rule], epsilon=0.1, games=20_000, rows=20, seed=seed)
        for (rule, alpha), seed in product(kinds, SEEDS)
    ]
    found = iter(td.sweep(settings))
    return {kind: [next(found) for _ in SEEDS] for kind in kinds}


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("rule", RATIOS)
def test_the_first_player_beats_a_best_responder(
    rule: Rule, alpha: float, histories: dict[tuple[Rule, float], list[History]]
) -> None:
    last = [history.rows[-3:] for history in histories[rule, alpha]]
    won = sum(any(row["first_vs_best"] == 1 for row in rows) for rows in last)
    second = [max(row["second_vs_random"] for row in rows) for rows in last]
    right = [max(row["right"] for row in history.rows) for history in histories[rule, alpha]]
    print(f"{rule}, alpha {alpha}: {won} of 5 seeds; second against random {second}; right {right}")
    assert won >= 4
    assert sum(share >= 0.92 for share in second) >= 4


@pytest.mark.parametrize("rule", ["sarsa", "q"])
def test_the_literal_target_learns_values_near_one_and_no_play(rule: Rule) -> None:
    torch.set_num_threads(1)
    target: Target = "literal"
    settings = [TD(rule=rule, target=target, alpha=0.01, games=1_200, rows=6, seed=seed) for seed in SEEDS]
    for history in td.sweep(settings):
        assert history.rows[-1]["value"] >= 0.95
        assert history.rows[-1]["first_vs_best"] == 0
