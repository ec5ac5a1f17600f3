"""The update rules of temporal-difference learning as pure functions; docs/td.md has the equations by number.

R runs are updated at once. Vectors are [R, P] (P numbers to learn for each run) and scalars are [R]:

========  =======================================================================================
phi       the gradient of v(s, a), the value of the move that was played, with regard to theta
phi_next  the gradient of the value that delta uses for s'; its weight is 0 where the game is over
e         the eligibility trace, (3)
hw        the Hessian of v(s, a) times w
xi        the trace of hw, (8)
slope     phi . w
along     e . w
sign      +1 or -1: whether the next mover's value counts as it is or with its sign turned
========  =======================================================================================

A rule says what to add to theta and to w as terms, pairs of a factor [R] and a vector [R, P], before the step sizes;
``add`` adds them up. All its vectors belong to the same moment: w is never newer than theta.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

Terms = list[tuple[Tensor, Tensor]]


class Step(NamedTuple):
    """What a rule adds."""

    theta: Terms
    """To the net's parameters, times alpha."""
    w: Terms
    """To the second vector of the gradient-TD rules, times beta; nothing for the others."""


class Curve(NamedTuple):
    """What the correction for a value that is not linear needs."""

    hw: Tensor
    """[R, P]"""
    xi: Tensor
    """[R, P]; with lambda = 0 the same as hw."""


class Moment(NamedTuple):
    """All that a gradient-TD rule looks at."""

    delta: Tensor
    phi: Tensor
    phi_next: Tensor
    e: Tensor
    slope: Tensor
    along: Tensor
    discount: Tensor
    """g (1 - lambda), 0 where the game is over, [R]."""
    curve: Curve | None
    """None where the correction for a value that is not linear is left out."""


def add(into: Tensor, rate: Tensor, terms: Terms) -> None:
    """Add terms, times rate [R], to [R, P] in place."""
    for factor, vector in terms:
        into.addcmul_((rate * factor).unsqueeze(1), vector)


def total(terms: Terms) -> Tensor:
    """The sum of terms, [R, P]."""
    out = torch.zeros_like(terms[0][1])
    add(out, torch.ones_like(terms[0][0]), terms)
    return out


def td_error(reward: Tensor, value: Tensor, next_value: Tensor, sign: Tensor) -> Tensor:
    """Equation (1): delta = R + g v' - v. The next value is 0 where the game is over."""
    return reward + sign * next_value - value


def importance(greedy: Tensor, epsilon: Tensor, moves: Tensor) -> Tensor:
    """Equation (2): rho, the greedy policy's probability of the move over the epsilon-greedy one's, [R].

    ``greedy`` says whether the move is the greedy one, ``moves`` how many there were.
    """
    return torch.where(greedy, 1 / (1 - epsilon + epsilon / moves), 0.0)


def trace(before: Tensor, vector: Tensor, sign: Tensor, decay: Tensor, rho: Tensor | None = None) -> Tensor:
    """Equations (3) and (8): e = phi + g lambda rho e, [R, P]; rho is 1 unless given."""
    factor = sign * decay if rho is None else sign * decay * rho
    return torch.addcmul(vector, factor.unsqueeze(1), before)


def sarsa(delta: Tensor, e: Tensor) -> Step:
    """Equation (4), SARSA(lambda); with the best move's value in delta and e = phi it is Q-learning, (5)."""
    return Step([(delta, e)], [])


def gtd2(now: Moment) -> Step:
    """Equation (6), GTD2(lambda)."""
    return _gradient_step(now, (now.slope, now.phi))


def tdc(now: Moment) -> Step:
    """Equation (7), TDC(lambda); with the greedy move in s' and rho in the traces it is Greedy-GQ(lambda)."""
    return _gradient_step(now, (now.delta, now.e))


def _gradient_step(now: Moment, first: tuple[Tensor, Tensor]) -> Step:
    """What (6) and (7) have in common after their first terms, and (9)."""
    theta = [first, (-now.discount * now.along, now.phi_next), *_bend(now.delta, now.slope, now.curve)]
    return Step(theta, _second(now.delta, now.e, now.slope, now.phi))


def either(first: Tensor, one: Step, other: Step) -> Step:
    """The one step where ``first``, bool [R], says so, and the other elsewhere: runs with two rules in one stack."""
    merged: list[Terms] = []
    for mine, others in zip(one, other, strict=True):
        factors = {id(vector): [factor, torch.zeros_like(factor)] for factor, vector in mine}
        for factor, vector in others:
            factors.setdefault(id(vector), [torch.zeros_like(factor), factor])[1] = factor
        vectors = {id(vector): vector for _, vector in (*mine, *others)}
        merged.append([(torch.where(first, pair[0], pair[1]), vectors[at]) for at, pair in factors.items()])
    return Step(*merged)


def _second(delta: Tensor, e: Tensor, slope: Tensor, phi: Tensor) -> Terms:
    """Equation (9): delta e - (phi . w) phi."""
    return [(delta - slope, phi)] if e is phi else [(delta, e), (-slope, phi)]


def _bend(delta: Tensor, slope: Tensor, curve: Curve | None) -> Terms:
    """Equation (8): minus h = delta xi - (phi . w) hw; nothing when it is left out."""
    if curve is None:
        return []
    if curve.xi is curve.hw:
        return [(slope - delta, curve.hw)]
    return [(-delta, curve.xi), (slope, curve.hw)]
