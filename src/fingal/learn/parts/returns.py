"""What a move is thought to be worth: from the results of games to the weight R of its gradient.

docs/policy-gradient.md has the equations by number. Every result is +1 or -1 (or a value in [-1, 1]) **for the player
who made the move**, so the opponent's best reply is always a minimum. Results of N moves stand in float [N, K]; where a
move has fewer than K of them, ``there`` bool [N, K] says which are. The game's own result counts as one of the K unless
a function says otherwise.
"""

from __future__ import annotations

import torch
from torch import Tensor

COLDEST, HOTTEST = 1e-30, 1e30
"""Temperatures beyond these are as 0 and as infinity: float32 can tell no difference."""


def signed(length: Tensor, ply: Tensor) -> Tensor:
    """Equation (2): z = +1 where the mover of a ply won the game, -1 where it lost; float, of the shape of both.

    Plies count from 0 and ``length`` is the number of stones at the end: whoever made the last move has won, and the
    sign alternates from there backwards.
    """
    return 1.0 - 2.0 * ((length - 1 - ply) % 2).float()


def mean(results: Tensor, there: Tensor | None = None) -> Tensor:
    """Equation (4), REINFORCE-B: the mean of the results, [N, K] to [N]."""
    there = _all(results, there)
    return torch.where(there, results, 0).sum(1) / there.sum(1)


def minimum(results: Tensor, there: Tensor | None = None) -> Tensor:
    """Equation (5), AMCPG-A and AMCPG-B: the least of the results, [N, K] to [N]."""
    return torch.where(_all(results, there), results, torch.inf).amin(1)


def soft_minimum(results: Tensor, temperature: float, there: Tensor | None = None) -> Tensor:
    """Equation (6): -T log of the mean of exp(-r / T), [N, K] to [N]: near 0 the minimum, for large T the mean.

    ``temperature`` may be 0 and infinite, for the two ends.
    """
    chance = _all(results, there).to(results.dtype)
    return weighted_soft_minimum(results, chance / chance.sum(1, keepdim=True), temperature)


def weighted_soft_minimum(values: Tensor, chance: Tensor, temperature: float) -> Tensor:
    """Equation (6) for values [N, K] that have chances [N, K], which sum to 1: -T log sum p exp(-v / T), [N].

    For large T it is the expectation, near 0 the least of the values that have a chance at all.
    """
    least = torch.where(chance > 0, values, torch.inf).amin(1)
    if temperature < COLDEST:
        return least
    above = torch.where(chance > 0, values - least.unsqueeze(1), 0)
    if temperature > HOTTEST:
        return least + (chance * above).sum(1)
    # Written around the least value: the one form loses no digits where T is large, the other none where T is small and
    # the least value has next to no chance.
    away = -above / temperature
    near = (chance * away.expm1()).sum(1)
    whole = torch.where(near > -0.5, near.clamp(min=-0.5).log1p(), (chance.log() + away).logsumexp(1))
    return least - temperature * whole


def least_mean(results: Tensor, there: Tensor | None = None, temperature: float = 0.0) -> Tensor:
    """Equation (7), B-avg(m): the least, over K replies, of the mean of m results each, [N, K, m] to [N].

    The game's own result has no part in it: it followed one reply, whose noise the mean is there to remove.
    ``there`` bool [N, K] says which replies there are; a temperature makes the minimum soft.
    """
    return soft_minimum(results.mean(2), temperature, there)


def centred(returns: Tensor) -> Tensor:
    """Equation (8): each return less the mean of all others, [N]; as they are where there is but one."""
    count = len(returns)
    return returns if count < 2 else (returns - returns.mean()) * (count / (count - 1))


def standardised(returns: Tensor) -> Tensor:
    """Equation (9): returns less their mean, divided by their standard deviation, [N]; 0 where all are equal."""
    return (returns - returns.mean()) / returns.std(correction=0).clamp(min=1e-6)


def _all(results: Tensor, there: Tensor | None) -> Tensor:
    return torch.ones_like(results, dtype=torch.bool) if there is None else there
