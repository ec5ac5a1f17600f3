"""Alternating Markov games, small enough to be known exactly: what policies are worth, best responses, the optimum.

Two players share one reward: the first wants as much of it as possible, the second as little. Every state belongs to
one of them, who chooses an action there; chance decides what state follows. docs/alternating-games.md has the equations
by number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from fingal.learn.parts.truth import LISTED, Truth

Floats = NDArray[np.float64]
Policy = NDArray[np.int64]
"""[S]: the action of whoever owns the state, in every state of both players."""

TIE = 1e-9
"""Values closer than this are equal."""

DENSE = 200
"""Up to so many states a plain matrix is faster than a sparse one."""


@dataclass(frozen=True)
class Game:
    """S states with up to A actions each, after each of which up to K things may happen."""

    name: str
    first: NDArray[np.bool_]
    """[S]: whether the state is the first player's, who maximises."""
    following: NDArray[np.int64]
    """[S, A, K]: the state that follows; S when the game is over."""
    chance: Floats
    """[S, A, K]: how likely. An action whose chances are all 0 is not there."""
    reward: Floats
    """[S, A, K]"""
    gamma: float
    """What a reward one step later is worth."""

    def __post_init__(self) -> None:
        """Refuse what is no game."""
        states, shape = len(self.first), self.following.shape
        if len(shape) != 3 or shape[0] != states or self.chance.shape != shape or self.reward.shape != shape:
            raise ValueError(f"following must be [{states}, A, K], with chance and reward alike, not {list(shape)}")
        if ((self.following < 0) | (self.following > states)).any():
            raise ValueError(f"following must be from 0 to {states}, the end")
        total = self.chance.sum(2)
        if (self.chance < 0).any() or not (np.isclose(total, 0) | np.isclose(total, 1)).all():
            raise ValueError("chance must add up to 1 for every action, or to 0 where there is none")
        if not np.isclose(total, 1).any(1).all():
            raise ValueError("chance must leave every state an action")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be from 0 to 1, not {self.gamma}")

    @property
    def legal(self) -> NDArray[np.bool_]:
        """[S, A]: the actions that there are."""
        return np.asarray(self.chance.sum(2) > 0)

    def action_values(self, values: Floats) -> Floats:
        """Equation (1): the worth [S, A] of every action where states are worth [S]; nan where there is none."""
        later = np.append(values, 0.0)[self.following]
        worth = (self.chance * (self.reward + self.gamma * later)).sum(2)
        return np.where(self.legal, worth, np.nan)

    def greedy(self, values: Floats, current: Policy) -> Policy:
        """The best action in every state, for its owner, [S]; the current one where none is better."""
        worth = self._owners(self.action_values(values))
        kept = np.take_along_axis(worth, current[:, None], 1)[:, 0] >= worth.max(1) - TIE
        return np.where(kept, current, worth.argmax(1))

    def evaluate(self, policy: Policy) -> Floats:
        """Equation (2), solved: the value [S] of every state when both players follow a policy."""
        states = np.arange(len(policy))
        chance, following = self.chance[states, policy], self.following[states, policy]
        reward = (chance * self.reward[states, policy]).sum(1)
        going = following < len(states)
        rows = np.broadcast_to(states[:, None], chance.shape)[going]
        steps, count = self.gamma * chance[going], len(states)
        if count <= DENSE:
            matrix = np.eye(count)
            np.add.at(matrix, (rows, following[going]), -steps)
            return np.linalg.solve(matrix, reward)
        onward = scipy.sparse.csc_matrix((steps, (rows, following[going])), (count, count))
        solved: Floats = scipy.sparse.linalg.spsolve(scipy.sparse.identity(count, format="csc") - onward, reward)
        return solved

    def respond(self, policy: Policy, *, first: bool) -> Policy:
        """Equation (3): a best response of one player to the other's part of a policy, which stays as it is, [S].

        An action that is as good as any is kept.
        """
        own = self.first == first
        found = policy
        while True:
            values = self.evaluate(found)
            better = np.where(own, self.greedy(values, found), found)
            if np.array_equal(better, found):
                return np.where(own, self.greedy(values, policy), policy)
            found = better

    def optimum(self, sweeps: int = 100_000) -> Floats:
        """Equation (4): the value [S] of every state when both play as well as possible, by value iteration."""
        values = np.zeros(len(self.first))
        for _ in range(sweeps):
            better = self._owners(self._owners(self.action_values(values)).max(1, keepdims=True))[:, 0]
            if np.abs(better - values).max() < 1e-13 * max(1.0, np.abs(better).max()):
                return better
            values = better
        raise ValueError(f"{self.name} does not settle within {sweeps} sweeps")

    def random_policy(self, rng: np.random.Generator) -> Policy:
        """Any action in every state, all as likely."""
        drawn: Policy = np.where(self.legal, rng.random(self.legal.shape), -1.0).argmax(1)
        return drawn

    def _owners(self, worth: Floats) -> Floats:
        """A worth [S, A] as the state's owner sees it; -inf where there is no action."""
        return np.where(np.isnan(worth), -np.inf, np.where(self.first[:, None], worth, -worth))


def deterministic(name: str, first: list[bool], actions: list[list[tuple[int, float]]], gamma: float) -> Game:
    """A game without chance: for every state its actions as (next state, reward)."""
    following = np.array([[[state] for state, _ in choices] for choices in actions], np.int64)
    reward = np.array([[[paid] for _, paid in choices] for choices in actions], np.float64)
    return Game(name, np.array(first), following, np.ones_like(reward), reward, gamma)


SIDES = [True] * 3 + [False] * 3

G1 = deterministic(
    "G1",
    SIDES,
    [
        [(3, 0), (4, 3)],
        [(3, 2), (4, 1)],
        [(4, -5), (5, 0)],
        [(0, -1), (1, 0)],
        [(1, 4), (2, 1)],
        [(2, 1), (0, 5)],
    ],
    0.9,
)
"""A game in which best responses in turn go round in circles from some starts."""

G2 = deterministic(
    "G2",
    SIDES,
    [
        [(5, -1), (3, -2)],
        [(3, -5), (4, -2)],
        [(4, -4), (5, -3)],
        [(0, -3), (2, 0)],
        [(2, 2), (1, -2)],
        [(2, -3), (0, -1)],
    ],
    0.95,
)
"""A game in which two players who become greedy together go round in circles from most starts."""


def hex_game(size: int) -> Game:
    """Hex on a board of 2x2 or 3x3: 1 for Black, who moves first, when Black wins, and -1 when White does."""
    if size > LISTED:
        raise ValueError(f"size={size} is not possible: all positions are known up to {LISTED}x{LISTED}")
    truth = Truth(size)
    black = ~truth.positions.white_to_move
    count = len(black)
    ends = truth.child == count
    following = np.where(truth.legal, truth.child, count)
    reward = np.where(ends, np.where(black, 1.0, -1.0)[:, None], 0.0)
    return Game(
        f"Hex {size}x{size}",
        black,
        following[:, :, None],
        truth.legal.astype(np.float64)[:, :, None],
        reward[:, :, None],
        1.0,
    )


def random_game(states: int, actions: int, outcomes: int, gamma: float, rng: np.random.Generator) -> Game:
    """A game drawn at random: half of an even number of states is the first player's, and turns alternate."""
    half, shape = states // 2, (states, actions, outcomes)
    first = np.arange(states) < half
    following = rng.integers(0, half, shape) + np.where(first, half, 0)[:, None, None]
    chance = rng.dirichlet(np.ones(outcomes), shape[:2])
    return Game("random", first, following, chance, rng.normal(size=shape), gamma)
