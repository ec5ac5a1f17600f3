"""A policy made of a net's logits: which cells it may choose, how likely each is, and what its gradient is had by."""

from __future__ import annotations

import torch
from torch import Tensor

from fingal.nets.bridges import EMPTY


def legal_in_planes(planes: Tensor) -> Tensor:
    """The empty cells of positions, bool [B, cells], by their planes [B, 12, height + 2, width + 2]."""
    return planes[:, EMPTY, 1:-1, 1:-1].flatten(1) != 0


def log_chances(logits: Tensor, legal: Tensor) -> Tensor:
    """The log of the softmax over legal cells, float32 [B, cells]; -infinity elsewhere.

    Equation (1) of docs/policy-gradient.md and of docs/imitate.md.
    """
    return logits.float().masked_fill(~legal, -torch.inf).log_softmax(1)


def surrogate(log_policy: Tensor, cells: Tensor, weights: Tensor) -> Tensor:
    """Minus the sum of R log pi(a|s), whose gradient is that of equation (3) of docs/policy-gradient.md.

    From the log of the policy [B, cells], the moves int64 [B] and what they are worth [B].
    """
    return -(weights * log_policy.gather(1, cells.unsqueeze(1)).squeeze(1)).sum()


def entropy(log_policy: Tensor) -> Tensor:
    """How undecided policies are, in nats: [B, cells] to [B]."""
    return -(log_policy.exp() * log_policy.clamp(min=-1e9)).sum(1)


def draw(chances: Tensor, legal: Tensor, number: Tensor) -> Tensor:
    """The legal cell that a number in [0, 1), [R], picks by its chance, [R, cells]: int64 [R]."""
    reached = chances.cumsum(1)
    picked = (reached <= (number * reached[:, -1]).unsqueeze(1)).sum(1)
    # Rounding may lead past the last cell that has a chance.
    last = legal.shape[1] - 1 - legal.flip(1).long().argmax(1)
    return torch.minimum(picked, last)


def sampled(logits: Tensor, legal: Tensor, number: Tensor) -> Tensor:
    """The cell that a number in [0, 1), [B], picks by the policy of equation (1): int64 [B].

    Where there is no legal cell any may be picked.
    """
    return draw(log_chances(logits, legal).exp().nan_to_num(), legal, number)
