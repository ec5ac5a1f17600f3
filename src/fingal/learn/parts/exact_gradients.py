"""What each estimator of a policy gradient gives on average, and how much it varies, by enumeration on 2x2 and 3x3.

The policy is a table: one logit for every move of every position, so that nothing but the estimator is to blame. Games
are self-play after a uniformly random first move, which is not learned from. Whoever makes the last move wins, so the
number of stones at the end says who has won: all that is needed of a position is how likely each number is.
docs/alternating-games.md has the equations by number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import returns
from fingal.learn.parts.truth import Truth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Kind = Literal["reinforce-v", "reinforce-b", "amcpg-a", "amcpg-b", "soft", "average"]


@dataclass(frozen=True)
class Estimator:
    """How the weight R of a move's gradient is made of results."""

    kind: Kind
    """reinforce-v takes every move with its game's result. The others take one move of each game: reinforce-b the mean
    of its result and k others, amcpg-a the minimum, soft the soft minimum, amcpg-b the minimum over the k likeliest
    replies, average the minimum over those of a mean of m results."""
    k: int = 0
    """More games from the move, or replies."""
    m: int = 1
    """Games for each reply: average's."""
    temperature: float = 1.0
    """Soft's."""

    def __post_init__(self) -> None:
        """Refuse what is no estimator."""
        if self.k < 0 or (self.kind == "average" and self.k < 1):
            raise ValueError(f"k must be at least {int(self.kind == 'average')}, not {self.k}")
        if self.m < 1:
            raise ValueError(f"m must be at least 1, not {self.m}")
        if self.temperature < 0:
            raise ValueError(f"temperature must be at least 0, not {self.temperature}")

    def weight(self, results: Tensor) -> Tensor:
        """R of results [N, K], the game's own first, for those whose R is made of one result for each game: [N]."""
        match self.kind:
            case "reinforce-b":
                return returns.mean(results)
            case "soft":
                return returns.soft_minimum(results, self.temperature)
            case "amcpg-a" | "amcpg-b":
                return returns.minimum(results)
            case _:
                raise ValueError(f"{self.kind} does not weigh a move by one result for each game")

    def __str__(self) -> str:
        """As tables show it."""
        if self.kind == "reinforce-v":
            return "reinforce-v"
        more = {"average": f", m={self.m}", "soft": f", T={self.temperature:g}"}.get(self.kind, "")
        return f"{self.kind} (k={self.k}{more})"


class SelfPlay:
    """Everything about games that a table plays against itself."""

    def __init__(self, truth: Truth, policy: Floats) -> None:
        """Take the chance [P, cells] of every move in every position of 2x2 or 3x3, on the board as it is."""
        if not truth.whole:
            raise ValueError(f"size={truth.size} is not possible: all positions are known up to 3x3")
        self.truth, self.policy = truth, policy
        self.plies: Ints = (truth.histories >= 0).sum(1)
        """[P]: the stones in each position."""

    @cached_property
    def lengths(self) -> Floats:
        """[P, cells, T + 1]: how likely a game is to end with T stones after each move; 0 where there is a stone."""
        truth, most = self.truth, self.truth.cells
        count = len(truth.legal)
        after = np.zeros((count + 2, most + 1))
        found = np.zeros((count, most, most + 1))
        for stones in range(most - 1, -1, -1):
            level = np.flatnonzero(self.plies == stones)
            after[count] = np.eye(most + 1)[stones + 1]  # a move that wins here is the last
            found[level] = after[truth.child[level]]
            after[level] = (self.policy[level][:, :, None] * found[level]).sum(1)
        return found

    @cached_property
    def reach(self) -> Floats:
        """[P]: how often a game comes by each position in self-play; 1 for the empty board."""
        return self._reached(self.policy)

    def _reached(self, chances: Floats) -> Floats:
        """The same where moves have these chances [P, cells]; the first move is random."""
        truth = self.truth
        reach = np.zeros(len(truth.legal) + 2)
        reach[0] = 1.0
        for stones in range(truth.cells):
            level = np.flatnonzero(self.plies == stones)
            chance = chances[level] if stones else truth.legal[level] / truth.cells
            np.add.at(reach, truth.child[level], reach[level, None] * chance)
        return reach[:-2]

    @cached_property
    def mover_wins(self) -> NDArray[np.bool_]:
        """[P, 1, T + 1]: whether a game with T stones is one that the side to move wins."""
        won: NDArray[np.bool_] = (np.arange(self.truth.cells + 1) - self.plies[:, None, None]) % 2 == 1
        return won

    @cached_property
    def wins(self) -> Floats:
        """[P, cells]: how likely the mover wins after each move, in self-play."""
        chance: Floats = (self.lengths * self.mover_wins).sum(2)
        return chance

    @cached_property
    def replies(self) -> Floats:
        """[P, cells, cells]: how likely the mover wins after its move and each reply; 1 where there is none."""
        # Both more rows stand for "no reply": after a win, and on a stone.
        loses = np.concatenate([1 - self.wins, np.ones((2, self.truth.cells))])
        there = np.concatenate([self.truth.legal, np.zeros((2, self.truth.cells), np.bool_)])
        return np.where(there[self.truth.child], loses[self.truth.child], 1.0)

    @cached_property
    def likeliest(self) -> Ints:
        """[P, cells, cells]: the replies to each move, the likeliest first; those that are not there come last."""
        chance = np.where(self.truth.legal, self.policy, -1.0)
        order = np.argsort(-chance, axis=1, kind="stable")
        none = np.broadcast_to(np.arange(self.truth.cells), (2, self.truth.cells))
        ordered: Ints = np.concatenate([order, none])[self.truth.child]
        return ordered

    @cached_property
    def best_responder(self) -> tuple[Floats, Ints]:
        """How likely the mover wins after each move against an opponent who answers as well as can be, [P, cells].

        And what such an opponent, who knows the policy, plays in each position, [P]; the first of equal moves.
        """
        truth = self.truth
        count = len(truth.legal)
        # What is left to a side that plays the policy, with the best responder to move.
        waiting, answer = np.ones(count + 2), np.zeros(count, np.int64)
        found = np.zeros(truth.legal.shape)
        for stones in range(truth.cells - 1, -1, -1):
            level = np.flatnonzero(self.plies == stones)
            found[level] = np.where(truth.legal[level], waiting[truth.child[level]], 0.0)
            # A reply that wins leaves nothing; on a stone there is none.
            left = np.append((self.policy * found).sum(1), (0.0, 2.0))[truth.child[level]]
            waiting[level], answer[level] = left.min(1), left.argmin(1)
        return found, answer

    @cached_property
    def reach_against_best(self) -> Floats:
        """[P]: how often a game comes by each position with the side to move playing the policy, and the other best."""
        truth, answer = self.truth, self.best_responder[1]
        reply = np.zeros(truth.legal.shape)
        reply[np.arange(len(reply)), answer] = 1.0
        white = truth.positions.white_to_move
        found = np.zeros(len(white))
        for own in (False, True):
            reach = self._reached(np.where((white == own)[:, None], self.policy, reply))
            found[white == own] = reach[white == own]
        return found

    @cached_property
    def lasting(self) -> tuple[Floats, Floats]:
        """The mean of 1 / (T - 1) over games that the mover wins and over those it loses, each [P, cells].

        That is how often one move of a game, picked from all but the random first, is this one; the sum over both is
        the whole chance.
        """
        share = self.lengths / np.maximum(np.arange(self.truth.cells + 1) - 1, 1)
        return (share * self.mover_wins).sum(2), (share * ~self.mover_wins).sum(2)


@dataclass(frozen=True)
class Average:
    """What an estimator does on average, for one game and the games that continue it."""

    gradient: Floats
    """[P, cells]: the mean of its gradient with regard to every logit."""
    variance: float
    """The mean squared distance of one game's gradient from that mean."""
    weight: float
    """The mean of R over the moves that it takes."""
    worth: float
    """The mean of what those moves are worth in self-play."""
    moves: float
    """How many moves the policy makes for it."""


def gradient_of(play: SelfPlay, weight: Floats, reach: Floats | None = None) -> Floats:
    """Equation (5): the gradient [P, cells] where each move counts ``weight`` [P, cells] when it is made.

    Positions occur as they do in self-play, or as ``reach`` [P] says. The first move of a game is random and has none.
    """
    often = play.reach if reach is None else reach
    made = often[:, None] * play.policy * weight * (play.plies > 0)[:, None]
    gradient: Floats = made - play.policy * made.sum(1, keepdims=True)
    return gradient


def self_play_gradient(play: SelfPlay) -> Floats:
    """Equation (6): the gradient of the result that each side gets in self-play, with regard to its own moves."""
    return gradient_of(play, 2 * play.wins - 1)


def least_reply_gradient(play: SelfPlay) -> Floats:
    """Equation (7), the paper's (12): each move counts what it is worth after the reply that is worst for its mover."""
    return gradient_of(play, 2 * play.replies.min(2) - 1)


def best_responder_gradient(play: SelfPlay) -> Floats:
    """Equation (8): the gradient of the result that each side gets against a best responder.

    A small change of the policy leaves the responder's answers as they are, so they need no gradient of their own.
    """
    return gradient_of(play, 2 * play.best_responder[0] - 1, play.reach_against_best)


def average(play: SelfPlay, estimator: Estimator) -> Average:
    """Equations (9) to (11): the mean and variance of an estimator's gradient for one game."""
    worth = 2 * play.wins - 1
    own = play.reach[:, None] * play.policy * (play.plies > 0)[:, None]
    length = 1 - 2 * play.policy + (play.policy**2).sum(1, keepdims=True)  # of the gradient of a move's logarithm
    if estimator.kind == "reinforce-v":
        gradient = self_play_gradient(play)
        mean = float((own * worth).sum() / own.sum())
        return Average(gradient, float((own * length).sum() - (gradient**2).sum()), mean, mean, float(own.sum()))
    won, lost = play.lasting
    given, square = np.zeros_like(worth), np.zeros_like(worth)
    for result, share in ((1, won), (-1, lost)):
        first, second = moments(play, estimator, result)
        given, square = given + share * first, square + share * second
    gradient = gradient_of(play, given)
    variance = float((own * length * square).sum() - (gradient**2).sum())
    picked = own * (won + lost)
    moves = float(own.sum() + (picked * _more_moves(play, estimator)).sum())
    return Average(gradient, variance, float((own * given).sum()), float((picked * worth).sum()), moves)


def moments(play: SelfPlay, estimator: Estimator, result: int) -> tuple[Floats, Floats]:
    """The mean of R and of its square for every move, each [P, cells], when its own game's result is this one."""
    shape, k = play.wins.shape, estimator.k
    if estimator.kind == "average":
        return _least_mean(_replies(play, k), estimator.m)
    if estimator.kind == "amcpg-b":
        chances = _replies(play, k)
        chances = chances.reshape(-1, chances.shape[2])
        patterns = _patterns(chances.shape[1])
        chance = np.where(patterns[None] > 0, chances[:, None], 1 - chances[:, None]).prod(2).reshape(*shape, -1)
    else:
        # The order of results does not matter: w wins among k games, in all the ways that there are.
        number = np.arange(k + 1)
        patterns = np.where(np.arange(k) < number[:, None], 1.0, -1.0)
        ways = np.array([math.comb(k, int(count)) for count in number], np.float64)
        wins = play.wins[:, :, None]
        chance = ways * wins**number * (1 - wins) ** (k - number)
    results = torch.from_numpy(np.concatenate([np.full((len(patterns), 1), float(result)), patterns], 1))
    said = estimator.weight(results).numpy()
    return chance @ said, chance @ said**2


def _replies(play: SelfPlay, k: int) -> Floats:
    """[P, cells, k]: how likely the mover wins after each of the k likeliest replies; 1 for those that are missing.

    A reply that is missing cannot lower a minimum, and after a move that wins the minimum is 1. There are never more
    than all cells but the random first move's and the mover's own.
    """
    return np.take_along_axis(play.replies, play.likeliest[:, :, : min(k, max(1, play.truth.cells - 2))], 2)


def _more_moves(play: SelfPlay, estimator: Estimator) -> Floats:
    """How many moves the games that continue after each move have, [P, cells]; a reply that is given is none."""
    stones = np.arange(play.truth.cells + 1)
    left = play.lengths @ stones - play.lengths.sum(2) * (play.plies[:, None] + 1)
    if estimator.kind not in ("amcpg-b", "average"):
        return np.asarray(estimator.k * left)
    after = np.concatenate([left, np.zeros((2, play.truth.cells))])[play.truth.child]
    likeliest = play.likeliest[:, :, : estimator.k]
    return np.asarray(estimator.m * np.take_along_axis(after, likeliest, 2).sum(2))


def _patterns(count: int) -> Floats:
    """All results of so many games: -1 and 1 in [2 ** count, count]."""
    bits = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    return np.where(bits, 1.0, -1.0)


def _least_mean(chances: Floats, m: int) -> tuple[Floats, Floats]:
    """The mean of the least of several means of m results, and of its square: chances to win [..., k] to [...]."""
    wins = np.arange(m + 1)
    ways = np.array([math.comb(m, int(count)) for count in wins], np.float64)
    each = ways * chances[..., None] ** wins * (1 - chances[..., None]) ** (m - wins)
    at_least = each[..., ::-1].cumsum(-1)[..., ::-1].prod(-2)  # every reply has that many wins
    exactly = at_least - np.append(at_least[..., 1:], np.zeros_like(at_least[..., :1]), -1)
    said = 2 * wins / m - 1
    return exactly @ said, exactly @ said**2
