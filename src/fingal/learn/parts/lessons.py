"""Positions with the mentor's scores of all their moves: what a net learns before it plays."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from fingal.learn.parts import mentor
from fingal.learn.parts.deep_q import NEVER, Descent
from fingal.learn.parts.starts import Starts

QUESTIONS = 1024
"""The most positions that a net is asked about."""


def mentor_loss(said: Tensor, scores: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
    """Equation (8): the mean of (said - score)^2 over the cells that count, all [B, cells], and its derivative."""
    wrong = (said - scores) * counted / counted.sum()
    return ((said - scores) * wrong).sum(), 2 * wrong


class Lessons:
    """Positions of a database to learn from, and of other games of it to be asked about."""

    def __init__(
        self,
        starts: Starts,
        positions: int,
        see: Callable[[Tensor], Tensor],
        generator: torch.Generator,
        legal: bool = False,
    ) -> None:
        """Draw and score them. The last twentieth of the games is not learned from; ``see`` gives a net's planes.

        With ``legal`` only the scores of empty cells are learned, and not the -1 of the others.
        """
        apart = max(1, len(starts) // 20)
        kept = starts.part(0, max(1, len(starts) - apart))
        asked = starts.part(len(starts) - apart, len(starts))
        boards = kept.draw(positions, generator)
        questions = asked.draw(min(QUESTIONS, positions), generator)
        self._seen, self._scores = see(boards), mentor.scores(boards)
        self._asked, self._answers = see(questions), mentor.scores(questions)
        self._legal = legal
        self.cost = torch.zeros((), device=boards.device)
        """The sum of all steps' losses since it was last set to 0."""

    def __len__(self) -> int:
        """How many positions there are to learn from."""
        return len(self._scores)

    @torch.no_grad()
    def learn(self, descent: Descent, pick: Tensor) -> None:
        """One step of a net from the positions with numbers int64 [batch]."""
        seen, scores = self._seen.index_select(0, pick), self._scores.index_select(0, pick)
        counted = (~seen[:, :2].any(1).flatten(1)).float() if self._legal else torch.ones_like(scores)
        said, kept = descent.trace(seen)
        loss, pull = mentor_loss(said, scores, counted)
        self.cost += loss
        descent.descend(kept, said, pull)

    def agreement(self, descent: Descent) -> float:
        """The share of the questions in which the net's best move is one that the mentor likes best."""
        stones = self._asked[:, :2].any(1).flatten(1)
        best = descent.values(self._asked).masked_fill(stones, NEVER).argmax(1, keepdim=True)
        liked = self._answers.gather(1, best).squeeze(1)
        return float((liked >= self._answers.amax(1) - 1e-6).float().mean())
