"""Squared errors and steps of RMSProp for R runs at once; docs/batch.md has the equations by number."""

from __future__ import annotations

from torch import Tensor


def bootstrapped(reward: Tensor, next_value: Tensor, going: Tensor, sign: Tensor) -> Tensor:
    """Equation (1): y = R + g v', and y = R where the game is over: [R, N].

    ``going`` is 1 where it is not over; ``sign`` [R] is g.
    """
    return reward + sign.unsqueeze(1) * going * next_value


def squared_errors(aim: Tensor, said: Tensor, counted: Tensor) -> Tensor:
    """Equations (2), (3) and (4): the sum of (aim - said)^2 over the moves that count, [R, N] to [R]."""
    return (counted * (aim - said).square()).sum(1)


def rmsprop(
    parameters: Tensor, mean_square: Tensor, gradient: Tensor, rate: Tensor, decay: float, floor: float
) -> None:
    """Equation (5), in place: m = decay m + (1 - decay) g^2, then theta = theta - rate g / sqrt(m + floor).

    ``parameters``, ``mean_square`` and ``gradient`` are [R, W], ``rate`` is [R]. The floor stands inside the root;
    ``torch.optim.RMSprop`` adds it outside.
    """
    mean_square.mul_(decay).addcmul_(gradient, gradient, value=1 - decay)
    parameters.addcmul_(rate.unsqueeze(1), gradient / (mean_square + floor).sqrt(), value=-1)


def error_pull(aim: Tensor, said: Tensor, counted: Tensor) -> Tensor:
    """The derivative of (2), (3) and (4) with regard to what is said, the aim held fixed: -2 (aim - said), [R, N]."""
    return -2 * counted * (aim - said)
