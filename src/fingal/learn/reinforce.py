"""REINFORCE: a policy learns from who won the games that it plays against itself or its past selves.

Variant v learns from every move, a from its own moves against past selves, b from one move of each game, with the mean
of that game's result and of k continuations. docs/policy-gradient.md has the equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from fingal.learn.parts import returns
from fingal.learn.parts.policy_games import Ints, Pairs, Rows
from fingal.learn.parts.policy_learning import PANELS, SHOWN, Learning, Lesson, PolicyGradient, of_every_move, train
from fingal.learn.parts.policy_sampler import Sampler
from fingal.learn.parts.run import Run
from fingal.nets import checkpoint
from fingal.nets.convolutional import Convolutional

__all__ = ["PANELS", "PRESETS", "SHOWN", "Reinforce", "Trainer", "train"]


@dataclass(frozen=True)
class Reinforce(PolicyGradient):
    """How to train."""

    variant: Literal["v", "a", "b"] = "v"
    """v learns from all moves, a from those against past selves, b from one move of each game."""
    k: int = 1
    """Continuations of variant b's moves, whose results are averaged with the game's own; 0 for none."""
    normalise: bool = False
    """Whether the gradients of v and a are averaged over moves, as b's are, and not summed over a game's."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        super().__post_init__()
        if self.variant not in ("v", "a", "b"):
            raise ValueError(f"variant must be v, a or b, not {self.variant!r}")
        if self.k < 0:
            raise ValueError(f"k must be at least 0, not {self.k}")


PRESETS = {
    "cpu-5x5": Reinforce(size=5, layers=4, channels=32),
    "cpu-7x7": Reinforce(size=7, layers=4, channels=32),
    "paper-9x9": Reinforce(),
    "paper-11x11": Reinforce(size=11),
}
"""Named settings for ``--preset``; the paper's runs begin from a net that has learned from games (``--start``)."""


class Trainer(Learning):
    """The loop, in parts that can be stopped, saved and gone on with."""

    config: Reinforce

    def __init__(self, config: Reinforce, run: Run, device: torch.device, start: Path | None = None) -> None:
        """Begin a run, or go on with the one in the folder; ``start`` is a net to begin from."""
        super().__init__(config, run, device, start)
        if config.variant == "a":
            self._past = Convolutional(config.net).to(device)
            self._opponent = Sampler(self._past, device, half=config.half, graph=config.graph)
            self._take_past(self.progress.opponent)

    def name(self) -> str:
        """What the net's file calls it."""
        return f"reinforce-{self.config.variant}"

    def branches(self) -> int:
        """As many as k, for variant b."""
        return self.config.k if self.config.variant == "b" else 0

    def lesson(self, rng: np.random.Generator) -> Lesson:
        """Play the games of one iteration."""
        match self.config.variant:
            case "v":
                return self._of_moves(*self.games.play(self.draw, rng, every=True))
            case "a":
                return self._against_past(rng)
            case _:
                pairs, length, results, there = self.branched(rng, self.config.k)
                return Lesson(pairs, returns.mean(results, there).numpy(), self.config.games, length)

    def _of_moves(self, pairs: Pairs, length: Ints) -> Lesson:
        """Every move counts by who won its game."""
        return of_every_move(pairs, length, None if self.config.normalise else self.config.games)

    def _against_past(self, rng: np.random.Generator) -> Lesson:
        """Games against a past self, who has either colour in about half of them; only the net's own moves count."""
        kept = range(0, self.progress.iterations + 1, self.config.keep_iterations)
        if rng.random() >= 1 / len(kept):
            self._take_past(int(rng.choice(kept)))
        self._opponent.seed(int(rng.integers(2**62)))
        colour = rng.integers(2, size=self.config.games)

        def draw(rows: Rows, ply: int, planes: NDArray[np.uint8]) -> Rows:
            own = colour[rows] == ply % 2
            cells = np.empty(len(rows), np.int32)
            cells[own], cells[~own] = self.sampler.draw(planes[own]), self._opponent.draw(planes[~own])
            return cells

        pairs, length = self.games.play(draw, rng, every=True)
        own = colour[pairs.game] == pairs.ply % 2
        return self._of_moves(Pairs(*(column[own] for column in pairs)), length)

    def _take_past(self, iteration: int) -> None:
        """Let the net of that iteration play."""
        self.progress.opponent = iteration
        checkpoint.fill(self._past, self.run.kept(iteration))
        self._opponent.follow()
