"""Runs that learn from batches, many moves an update: the bookkeeping of ``online`` for more than one move a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.online import CHECKED, GAME, Learner, Measure, Plan, Runs


class Learned(NamedTuple):
    """What one update of R runs was made of."""

    row: Tensor
    """[R, 9]: what to add to a row, as ``online.ROW`` names it."""
    ended: Tensor
    """int64 [R]: games that ended."""
    sound: Tensor
    """bool [R]: whether the update is made of finite numbers."""
    more: dict[str, Tensor]
    """Other figures [R], each the sum over the moves that were played."""


class BatchLearner(Protocol):
    """R runs that learn together, as ``online.Learner``, but many moves an update."""

    state: dict[str, Tensor]

    def step(self) -> Learned:
        """One update in every run."""
        ...

    def refresh(self) -> None:
        """Work out what is kept beside ``state``, after it was replaced."""
        ...

    def parameters(self) -> Tensor:
        """What is learned, [R, W]."""
        ...


class BatchedRuns(Runs):
    """The runs of one stack and what they leave behind."""

    def __init__(self, learner: BatchLearner, plan: Plan, settings: Sequence[dict[str, Any]], measure: Measure) -> None:
        """Begin; ``settings`` are those of the learner's R runs, in order."""
        super().__init__(cast(Learner, learner), plan, settings, measure)
        self._batches = learner

    def _step(self) -> None:
        learned = self._batches.step()
        self.steps += 1
        self.updates[self.active] += 1
        self.row += learned.row.double().numpy()
        for name, figure in learned.more.items():
            self.more.setdefault(name, np.zeros(len(self.active)))
            self.more[name] += figure.double().numpy()
        bad = ~learned.sound
        if self.steps % CHECKED == 0:
            bad |= ~(self._batches.parameters().abs().amax(1) <= self.plan.bound)
        before = self.played[self.active]
        self.played[self.active] += learned.ended.numpy()
        after = self.played[self.active]
        plan = self.plan
        due, had = (np.minimum(games, plan.games) * plan.rows // plan.games for games in (after, before))
        for at in np.flatnonzero((due > had) & ~bad.numpy()):
            self._close_row(int(at))
            self._repeat_row(int(at), int(due[at] - had[at]) - 1)
        done: NDArray[np.bool_] = after >= plan.games
        lost = bad.numpy() & ~done
        for at in np.flatnonzero(lost):
            self._diverge(int(at))
        if lost.any() or done.any():
            self._drop(~(lost | done))

    def _repeat_row(self, at: int, times: int) -> None:
        """An update may end so many games that several rows are due at once: they are alike."""
        run = int(self.active[at])
        for _ in range(times):
            if self._waiting:
                self._waiting.append(self._waiting[-1])
            else:
                self.rows[run].append(dict(self.rows[run][-1]))


def count_moves(game: Tensor, value: Tensor, first: Tensor, over: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
    """Add one move of G games of R runs each to the games' sums, and ended games to a row: (game, row).

    ``game`` is [R, G, 6] as ``online.GAME`` names it; value [R, G] is the move's, in its mover's view; ``first`` says
    whether the first player made it, ``over`` whether it ended the game, ``counted`` whether there was a move at all.
    Sums of games that ended are 0 in what comes back.
    """
    one = counted.to(value.dtype)
    mine, other = one * first, one * ~first
    game = game + torch.stack((one * value, one, mine * value, mine, other * value, other), 2)
    ended = (over & counted).to(value.dtype)
    total, moves, my, my_moves, others, other_moves = (game[:, :, at] for at in range(len(GAME)))
    row = torch.stack(
        (
            ended.sum(1),
            (ended * total / moves.clamp(min=1)).sum(1),
            (ended * my / my_moves.clamp(min=1)).sum(1),
            (ended * (my_moves > 0)).sum(1),
            (ended * others / other_moves.clamp(min=1)).sum(1),
            (ended * (other_moves > 0)).sum(1),
            one.sum(1),
            (one * value.abs()).sum(1),
            (one * (value.abs() > 0.99)).sum(1),
        ),
        1,
    )
    return game * (1 - ended).unsqueeze(2), row
