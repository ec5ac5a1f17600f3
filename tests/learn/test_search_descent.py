"""How a step of learning goes: the learning rate over a run, and weights that are averaged."""

import pytest

from fingal.learn.parts.search_descent import follow, pace
from fingal.nets.residual import Residual
from tests.learn.test_alphazero import TINY


@pytest.mark.parametrize(
    ("steps", "done", "expected"),
    [
        (0, 0.0, 0.5),  # the first of four steps of warming up
        (1, 0.1, 1.0),
        (3, 0.2, 2.0),
        (9, 0.5, 2.0),  # level until half is done
        (9, 0.625, 2 * (0.05 + 0.95 * (1 + 0.5**0.5) / 2)),  # a quarter of the fall: cos 45 degrees
        (9, 0.75, 2 * (0.05 + 0.95 / 2)),  # cos 90 degrees
        (9, 1.0, 0.1),  # a twentieth
        (1, 1.0, 0.05),  # both at once
    ],
)
def test_the_learning_rate_rises_stays_and_falls(steps: int, done: float, expected: float) -> None:
    assert pace(2.0, steps, 4, done, 0.5) == pytest.approx(expected)


def test_the_learning_rate_without_a_warm_up_or_a_fall() -> None:
    assert pace(2.0, 0, 0, 0.0, 1.0) == 2.0
    assert pace(2.0, 9, 0, 1.0, 1.0) == 2.0


def test_averaged_weights_are_a_mean_at_first() -> None:
    """With 0.75: (0 + 6) / 2 = 3, 3 + (6 - 3) / 3 = 4, 4 + (8 - 4) / 4 = 5, and from then on a quarter of the way."""
    average, net = Residual(TINY), Residual(TINY)
    for tensor in average.state_dict().values():
        tensor.fill_(0.0)
    for steps, (said, expected) in enumerate([(6.0, 3.0), (6.0, 4.0), (8.0, 5.0), (1.0, 4.0), (0.0, 3.0)], 1):
        for tensor in net.state_dict().values():
            tensor.fill_(said)
        follow(average, net, 0.75, steps)
        for name, tensor in average.state_dict().items():
            assert tensor.flatten().tolist() == pytest.approx([expected] * tensor.numel(), abs=1e-5), name
