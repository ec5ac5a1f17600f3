"""Gradients of games that are really played, on 2x2 and 3x3, against what enumeration says of each estimator."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fingal.learn import amcpg, reinforce
from fingal.learn.amcpg import Amcpg
from fingal.learn.parts.exact_gradients import Estimator, SelfPlay, average
from fingal.learn.parts.policy_learning import Learning, Lesson, PolicyGradient
from fingal.learn.parts.run import Run
from fingal.learn.parts.truth import Truth
from fingal.learn.reinforce import Reinforce
from fingal.nets import bridges

GAMES = 8000
NET: dict[str, Any] = {"layers": 2, "channels": 8, "games": GAMES, "half": False}

CASES = [
    (Reinforce(variant="v", **NET), Estimator("reinforce-v")),
    (Reinforce(variant="b", k=2, **NET), Estimator("reinforce-b", k=2)),
    (Amcpg(variant="a", k=2, **NET), Estimator("amcpg-a", k=2)),
    (Amcpg(variant="a", k=2, temperature=0.5, **NET), Estimator("soft", k=2, temperature=0.5)),
    (Amcpg(variant="b", k=2, **NET), Estimator("amcpg-b", k=2)),
    (Amcpg(variant="b", k=2, repeats=3, **NET), Estimator("average", k=2, m=3)),
]


def trainer_of(config: PolicyGradient, folder: Path) -> Learning:
    run = Run(folder, asdict(config))
    try:
        made: Learning = (reinforce if isinstance(config, Reinforce) else amcpg).Trainer(
            config,
            run,
            torch.device("cpu"),
        )
    finally:
        run.close()
    with torch.no_grad():
        made.net.policy.weight *= 8  # a policy with likes and dislikes
    made.sampler.follow()
    return made


def policy_of(trainer: Learning, truth: Truth) -> NDArray[np.float64]:
    """The chance of every move in every position, [P, cells]."""
    return trainer.sampler.logits(bridges.encode(truth.positions)).double().softmax(1).numpy()


def gradient_of(lesson: Lesson, truth: Truth, policy: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean gradient of a game with regard to the table's logits, [P, cells]."""
    known = {stones.tobytes(): number for number, stones in enumerate(bridges.encode(truth.positions)[:, :2])}
    at = np.array([known[stones.tobytes()] for stones in lesson.pairs.planes[:, :2]])
    found = np.zeros_like(policy)
    np.add.at(found, (at, lesson.pairs.cells), lesson.weights)
    total = np.bincount(at, lesson.weights, len(policy))
    return (found - policy * total[:, None]) / GAMES


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(("config", "estimator"), CASES, ids=[str(estimator) for _, estimator in CASES])
def test_games_give_the_gradient_that_enumeration_gives(
    config: PolicyGradient, estimator: Estimator, size: int, tmp_path: Path
) -> None:
    trainer = trainer_of(type(config)(**(asdict(config) | {"size": size})), tmp_path)
    truth = Truth(size)
    policy = policy_of(trainer, truth)
    play = SelfPlay(truth, policy)
    rng = np.random.default_rng(7)
    trainer.sampler.seed(7)
    found = gradient_of(trainer.lesson(rng), truth, policy)
    exact = average(play, estimator)
    missed = found - exact.gradient
    # The squared distance is that of a mean of so many games.
    assert (missed**2).sum() < 1.5 * exact.variance / GAMES
    # It does not lie towards what any other estimator gives; on 2x2 two of them are the same.
    for _, other in CASES:
        way = average(play, other).gradient - exact.gradient
        if (way**2).sum() > 1e-9:
            assert abs((missed * way).sum() / (way**2).sum()) < 0.5
