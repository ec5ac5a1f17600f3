"""Policy iteration for two players, in four ways: which of them find the optimum, and which go round in circles.

Algorithm 1 takes best responses in turn, algorithm 2 makes both players greedy at once, algorithm 3 makes the first
greedy and lets the second respond, and algorithm 4 is the same with the players exchanged. docs/alternating-games.md
has the pictures.

>>> from fingal.learn.parts.markov_games import G2
>>> course = follow(G2, 2, np.array([0, 1, 0, 0, 1, 1]))
>>> course.period, course.policies[1].tolist()
(3, [0, 0, 1, 1, 1, 0])
>>> follow(G2, 3, np.array([0, 1, 0, 0, 1, 1])).found
True
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fingal.learn.parts.markov_games import Floats, Game, Policy

SCHEMES = {
    1: "best responses in turn",
    2: "both greedy",
    3: "the first greedy, the second responds",
    4: "the second greedy, the first responds",
}
"""The paper's four algorithms, by number."""

CLOSE = 1e-6
"""A state that is worth the optimum but for this much is worth the optimum."""

MOST = 1000
"""Iterations after which nothing more is expected: policies are finite, so a scheme ends or repeats itself."""


@dataclass(frozen=True)
class Course:
    """What one scheme did from one start."""

    scheme: int
    policies: tuple[Policy, ...]
    """Both players' actions, [S] each: the start, then after every iteration until one comes again."""
    gaps: tuple[float, ...]
    """For each of them, how far the worth of any state under it is from the optimum, at most."""
    wrong: tuple[float, ...]
    """For each of them, the share of the states that are not worth what they are worth at the optimum."""
    period: int
    """1 when the scheme has stopped: an iteration changes neither policy. More: it repeats itself after so many."""

    @property
    def found(self) -> bool:
        """Whether it has stopped at the optimum."""
        return self.period == 1 and self.gaps[-1] < CLOSE

    def at(self, iteration: int) -> int:
        """Which of the policies is there after so many iterations, however long ago the first has come again."""
        first = len(self.policies) - self.period
        return iteration if iteration < first else first + (iteration - first) % self.period


@dataclass(frozen=True)
class Summary:
    """What one scheme did on one game, over all starts."""

    game: str
    scheme: int
    starts: int
    found: int
    """Starts from which it stops at the optimum."""
    periods: dict[int, int]
    """How many starts end in a circle of each length; 1 is a stop."""
    worst: tuple[float, ...]
    """The largest distance from the optimum over all starts, at the start and after every iteration."""
    wrong: tuple[float, ...]
    """The share of states, over all starts, that are not worth what they are at the optimum."""
    longest: int
    """Iterations until the last of those that stop has stopped."""


def iterate(game: Game, scheme: int, policy: Policy) -> Policy:
    """One iteration of a scheme: both players' next actions, [S]."""
    match scheme:
        case 1:
            return game.respond(game.respond(policy, first=False), first=True)
        case 2:
            return game.greedy(game.evaluate(policy), policy)
        case 3 | 4:
            improves = game.first if scheme == 3 else ~game.first
            better = np.where(improves, game.greedy(game.evaluate(policy), policy), policy)
            return game.respond(better, first=scheme == 4)
        case _:
            raise ValueError(f"there is no scheme {scheme}: they are 1 to {len(SCHEMES)}")


def follow(game: Game, scheme: int, start: Policy, optimum: Floats | None = None) -> Course:
    """Iterate until the two policies are a pair that was there before: the last one (a stop) or an older one."""
    best = game.optimum() if optimum is None else optimum
    policies, seen = [start], {start.tobytes(): 0}
    for number in range(1, MOST + 1):
        policy = iterate(game, scheme, policies[-1])
        again = seen.get(policy.tobytes())
        if again is not None:
            apart = [np.abs(game.evaluate(kept) - best) for kept in policies]
            gaps, wrong = (
                tuple(float(gap.max()) for gap in apart),
                tuple(float((gap > CLOSE).mean()) for gap in apart),
            )
            return Course(scheme, tuple(policies), gaps, wrong, number - again)
        seen[policy.tobytes()] = number
        policies.append(policy)
    raise ValueError(f"scheme {scheme} has not come back to a policy on {game.name} within {MOST} iterations")


def every_policy(game: Game) -> list[Policy]:
    """All pairs of policies of a small game."""
    choices = [np.flatnonzero(actions).tolist() for actions in game.legal]
    return [np.array(actions) for actions in itertools.product(*choices)]


def compare(game: Game, starts: Sequence[Policy], iterations: int) -> list[Summary]:
    """All four schemes from all starts, with so many iterations of the distance."""
    best = game.optimum()
    found = []
    for scheme in SCHEMES:
        courses = [follow(game, scheme, start, best) for start in starts]
        shown = [[course.at(number) for number in range(iterations + 1)] for course in courses]
        gaps = np.array([[course.gaps[at] for at in places] for course, places in zip(courses, shown, strict=True)])
        wrong = np.array([[course.wrong[at] for at in places] for course, places in zip(courses, shown, strict=True)])
        stopped = [len(course.policies) - 1 for course in courses if course.period == 1]
        found.append(
            Summary(
                game.name,
                scheme,
                len(starts),
                sum(course.found for course in courses),
                dict(sorted(Counter(course.period for course in courses).items())),
                tuple(gaps.max(0).tolist()),
                tuple(wrong.mean(0).tolist()),
                max(stopped, default=0),
            )
        )
    return found
