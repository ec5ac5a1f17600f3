"""Each update rule against numbers worked by hand, on linear functions, and on Baird's counterexample."""

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal.learn.parts import rules

# A linear function of three features: v(s, a) = theta . phi. One step of two runs, g = -1 and g = +1, lambda = 1/2.
THETA = np.array([1.0, -2.0, 0.5])
PHI, PHI_NEXT, BEFORE = np.array([1.0, 0.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.array([2.0, 2.0, 0.0])
W = np.array([0.5, 1.0, -1.0])
HW, XI_BEFORE = np.array([0.0, 4.0, 0.0]), np.array([2.0, 0.0, 0.0])


def both(vector: np.ndarray) -> Tensor:
    return torch.tensor(np.stack((vector, vector)))


SIGN, HALF = torch.tensor([-1.0, 1.0]).double(), torch.tensor([0.5, 0.5]).double()
# v = 1*1 + 0.5*2 = 2 and v' = -2 + 0.5 = -1.5, with a reward of 0: delta = 0 + 1.5 - 2 = -0.5, and -1.5 - 2 = -3.5.
DELTA = torch.tensor([-0.5, -3.5]).double()
# e = phi + g/2 * before: (1,0,2) - (1,1,0) = (0,-1,2), and (2,1,2). phi.w = 0.5 - 2 = -1.5. e.w = -3, and 0.
E = torch.tensor([[0.0, -1.0, 2.0], [2.0, 1.0, 2.0]]).double()
SLOPE, ALONG = torch.tensor([-1.5, -1.5]).double(), torch.tensor([-3.0, 0.0]).double()
# xi = hw + g/2 * before: (0,4,0) - (1,0,0), and (1,4,0).
XI = torch.tensor([[-1.0, 4.0, 0.0], [1.0, 4.0, 0.0]]).double()
NOW = rules.Moment(DELTA, both(PHI), both(PHI_NEXT), E, SLOPE, ALONG, SIGN * (1 - HALF), rules.Curve(both(HW), XI))


def test_the_error() -> None:
    value, next_value = torch.tensor([2.0, 2.0]).double(), torch.tensor([-1.5, -1.5]).double()
    assert torch.equal(rules.td_error(torch.zeros(2), value, next_value, SIGN), DELTA)
    assert rules.td_error(torch.ones(1), torch.tensor([0.25]), torch.zeros(1), torch.tensor([-1.0])) == 0.75


def test_traces() -> None:
    assert torch.equal(rules.trace(both(BEFORE), both(PHI), SIGN, HALF), E)
    assert torch.equal(rules.trace(both(XI_BEFORE), both(HW), SIGN, HALF), XI)
    cut = rules.trace(both(BEFORE), both(PHI), SIGN, HALF, torch.tensor([0.0, 2.0]))
    assert torch.equal(cut, torch.tensor([[1.0, 0.0, 2.0], [3.0, 2.0, 2.0]]).double())


def test_the_ratio_of_the_policies() -> None:
    # Four moves, one in ten moves random: the best one is played with 0.9 + 0.1 / 4 = 0.925.
    rho = rules.importance(torch.tensor([True, False]), torch.tensor([0.1, 0.1]), torch.tensor([4, 4]))
    torch.testing.assert_close(rho, torch.tensor([1 / 0.925, 0.0]))


def test_sarsa() -> None:
    step = rules.sarsa(DELTA, E)
    torch.testing.assert_close(rules.total(step.theta), torch.tensor([[0.0, 0.5, -1.0], [-7.0, -3.5, -7.0]]).double())
    assert step.w == []


def test_tdc_with_traces() -> None:
    step = rules.tdc(NOW)
    # delta e - g (1 - lambda) (e.w) phi' - h,  h = delta xi - (phi.w) hw.
    # g = -1: (0, .5, -1) + .5 * (-3) * (0,1,1) = (0, -1, -2.5); h = (.5, -2, 0) + (0, 6, 0) = (.5, 4, 0).
    # g = +1: (-7, -3.5, -7) - 0;                               h = (-3.5, -14, 0) + (0, 6, 0) = (-3.5, -8, 0).
    expected = torch.tensor([[-0.5, -5.0, -2.5], [-3.5, 4.5, -7.0]]).double()
    torch.testing.assert_close(rules.total(step.theta), expected)
    # delta e - (phi.w) phi: (0, .5, -1) + 1.5 * (1, 0, 2), and (-7, -3.5, -7) + (1.5, 0, 3).
    torch.testing.assert_close(rules.total(step.w), torch.tensor([[1.5, 0.5, 2.0], [-5.5, -3.5, -4.0]]).double())


def test_gtd2_with_traces() -> None:
    step = rules.gtd2(NOW)
    # (phi.w) phi - g (1 - lambda) (e.w) phi' - h: (-1.5, 0, -3) - (0, 1.5, 1.5) - (.5, 4, 0), and + (3.5, 8, 0).
    expected = torch.tensor([[-2.0, -5.5, -4.5], [2.0, 8.0, -3.0]]).double()
    torch.testing.assert_close(rules.total(step.theta), expected)
    torch.testing.assert_close(rules.total(step.w), torch.tensor([[1.5, 0.5, 2.0], [-5.5, -3.5, -4.0]]).double())


def by_hand_without_traces(rule: str, hessian: bool) -> tuple[np.ndarray, np.ndarray]:
    """GTD2 and TDC as Maei et al. (2009) write them, g = -1."""
    delta, slope, g = -0.5, PHI @ W, -1.0
    h = (delta - slope) * HW if hessian else 0 * HW
    theta = (PHI - g * PHI_NEXT) * slope - h if rule == "gtd2" else delta * PHI - g * PHI_NEXT * slope - h
    return theta, (delta - slope) * PHI


@pytest.mark.parametrize("hessian", [True, False])
@pytest.mark.parametrize("rule", ["gtd2", "tdc"])
def test_without_traces_they_are_the_rules_of_2009(rule: str, hessian: bool) -> None:
    phi, hw = both(PHI), both(HW)
    zero = torch.zeros(2).double()
    theta, w = by_hand_without_traces(rule, hessian)
    # As lambda = 0 is computed, with e = phi; and as the general rule computes it, with traces times 0.
    traced = rules.trace(both(BEFORE), phi, SIGN, zero), rules.trace(both(XI_BEFORE), hw, SIGN, zero)
    for e, xi in ((phi, hw), traced):
        curve = rules.Curve(hw, xi) if hessian else None
        now = rules.Moment(DELTA, phi, both(PHI_NEXT), e, SLOPE, (e * both(W)).sum(1), SIGN, curve)
        made = getattr(rules, rule)(now)
        torch.testing.assert_close(rules.total(made.theta)[0], torch.tensor(theta))
        torch.testing.assert_close(rules.total(made.w)[0], torch.tensor(w))


def test_runs_with_two_rules_each_have_their_own() -> None:
    one, other = rules.gtd2(NOW), rules.tdc(NOW)
    mixed = rules.either(torch.tensor([True, False]), one, other)
    assert torch.equal(rules.total(mixed.theta)[0], rules.total(one.theta)[0])
    assert torch.equal(rules.total(mixed.theta)[1], rules.total(other.theta)[1])
    assert torch.equal(rules.total(mixed.w), rules.total(one.w))


def test_adding_is_times_the_rate_of_each_run() -> None:
    into = torch.ones(2, 3).double()
    rules.add(into, torch.tensor([0.5, 0.0]).double(), [(DELTA, both(PHI)), (SLOPE, both(W))])
    torch.testing.assert_close(into[0], torch.tensor(1 + 0.5 * (-0.5 * PHI - 1.5 * W)))
    assert torch.equal(into[1], torch.ones(3).double())


class Baird:
    """Baird's star (1995): 7 states, two actions, no rewards, gamma 0.99; expected updates over all transitions.

    ``solid`` leads to state 7 and has the values 2 t_i + t_8 (and t_7 + 2 t_8 in state 7); ``dashed`` leads to one of
    states 1 to 6 and has values of its own. It is played six times in seven; every state is as likely as the others.
    """

    GAMMA = 0.99

    def __init__(self) -> None:
        solid, dashed = np.zeros((7, 15)), np.zeros((7, 15))
        for state in range(6):
            solid[state, state], solid[state, 7] = 2, 1
        solid[6, 6], solid[6, 7] = 1, 2
        dashed[np.arange(7), 8 + np.arange(7)] = 1
        rows = [(1 / 49, solid[state], 6) for state in range(7)]
        rows += [(1 / 49, dashed[state], after) for state in range(7) for after in range(6)]
        self.chance = torch.tensor([chance for chance, _, _ in rows])
        self.phi = torch.tensor(np.stack([phi for _, phi, _ in rows])).float()
        self.after = torch.tensor([after for _, _, after in rows])
        self.moves = torch.tensor(np.stack((solid, dashed), 1)).float()  # [state, action, 15]
        self.theta = torch.tensor([1.0] * 6 + [10.0, 1.0] + [0.0] * 7)
        self.w = torch.zeros(15)

    def update(self, rule: str, alpha: float, beta: float, target: str) -> float:
        """One expected update; gives the length of E[delta phi], which is 0 at a fixed point."""
        count = len(self.phi)
        values = self.moves @ self.theta
        action = values.argmax(1) if target == "greedy" else torch.zeros(7, dtype=torch.int64)
        chosen = action[self.after]
        phi_next = self.moves[self.after, chosen]
        gamma = torch.full((count,), self.GAMMA)
        delta = rules.td_error(torch.zeros(count), self.phi @ self.theta, phi_next @ self.theta, gamma)
        slope = self.phi @ self.w
        if rule == "semi-gradient":
            step = rules.sarsa(delta, self.phi)
        else:
            step = getattr(rules, rule)(rules.Moment(delta, self.phi, phi_next, self.phi, slope, slope, gamma, None))
        self.theta = self.theta + alpha * self.chance @ rules.total(step.theta)
        if step.w:
            self.w = self.w + beta * self.chance @ rules.total(step.w)
        return float((self.chance @ (delta.unsqueeze(1) * self.phi)).norm())


@pytest.mark.parametrize("target", ["greedy", "solid"])
def test_q_learning_diverges_on_bairds_counterexample(target: str) -> None:
    star = Baird()
    first = star.update("semi-gradient", 0.5, 0.0, target)
    for _ in range(2000):
        last = star.update("semi-gradient", 0.5, 0.0, target)
    assert last > 100 * first
    assert star.theta.norm() > 1000


@pytest.mark.parametrize("target", ["greedy", "solid"])
@pytest.mark.parametrize("rule", ["gtd2", "tdc"])
def test_gradient_td_converges_on_bairds_counterexample(rule: str, target: str) -> None:
    star = Baird()
    first = star.update(rule, 0.2, 2.0, target)
    for _ in range(1000):
        last = star.update(rule, 0.2, 2.0, target)
    assert last < 1e-3 * first
    assert star.theta.norm() < 20
