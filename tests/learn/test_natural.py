"""The natural gradient's metric against the matrix that it stands for."""

import pytest
import torch

from fingal.learn.parts.natural import Window

RATE, DAMPING = 0.1, 0.01
LIKE = {"rtol": 1e-4, "atol": 1e-5}


def exact(gradients: torch.Tensor) -> torch.Tensor:
    """G of equation (10) after these gradients [t, P], in double."""
    g = torch.eye(gradients.shape[1]).double()
    for phi in gradients.double():
        g = (1 - RATE) * g + RATE * torch.outer(phi, phi)
    return g


@pytest.mark.parametrize("met", [1, 3, 6])
def test_it_is_the_exact_metric_while_the_window_holds_all(met: int) -> None:
    torch.manual_seed(met)
    gradients, direction = torch.randn(2, met, 8), torch.randn(2, 8)
    metric = Window(Window.empty(2, 8, 6), RATE, DAMPING)
    for index in range(met):
        metric.meet(gradients[:, index])
    found = metric.solve(direction)
    for run in range(2):
        damped = exact(gradients[run]) + DAMPING * torch.eye(8).double()
        torch.testing.assert_close(found[run].double(), torch.linalg.solve(damped, direction[run].double()), **LIKE)


def test_inverting_by_sherman_and_morrison_gives_the_same() -> None:
    """As a matrix, without damping: M = (M - zeta M phi (M phi)^T / (1 - zeta + zeta phi M phi)) / (1 - zeta)."""
    torch.manual_seed(1)
    gradients, direction = torch.randn(1, 5, 4), torch.randn(1, 4)
    metric, m = Window(Window.empty(1, 4, 5), RATE, 0.0), torch.eye(4).double()
    for phi in gradients[0].double():
        along = m @ phi
        m = (m - RATE * torch.outer(along, along) / (1 - RATE + RATE * phi @ along)) / (1 - RATE)
        metric.meet(phi.float().unsqueeze(0))
    torch.testing.assert_close(metric.solve(direction)[0].double(), m @ direction[0].double(), **LIKE)


def test_later_it_is_made_of_the_last_gradients() -> None:
    torch.manual_seed(2)
    gradients, direction = torch.randn(1, 9, 5), torch.randn(1, 5)
    metric = Window(Window.empty(1, 5, 4), RATE, DAMPING)
    for index in range(9):
        metric.meet(gradients[:, index])
    kept = torch.zeros(5, 5).double()
    for age, index in enumerate(range(8, 4, -1)):
        phi = gradients[0, index].double()
        kept += RATE * (1 - RATE) ** age * torch.outer(phi, phi)
    kept += ((1 - RATE) ** 9 + DAMPING) * torch.eye(5).double()
    torch.testing.assert_close(
        metric.solve(direction)[0].double(), torch.linalg.solve(kept, direction[0].double()), **LIKE
    )


def test_one_lost_run_does_not_stop_the_others() -> None:
    torch.manual_seed(3)
    gradients, direction = torch.randn(2, 3, 4), torch.randn(2, 4)
    gradients[0, 1, 2] = float("nan")
    metric, alone = Window(Window.empty(2, 4, 3), RATE, DAMPING), Window(Window.empty(1, 4, 3), RATE, DAMPING)
    for index in range(3):
        metric.meet(gradients[:, index])
        alone.meet(gradients[1:, index])
    torch.testing.assert_close(metric.solve(direction)[1:], alone.solve(direction[1:]))
