"""Tree search with a net: the core's tree, an evaluator, and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fingal import _core
from fingal.game import Board
from fingal.ranges import MOST_BATCH, MOST_INT, MOST_THREADS, MOST_WEIGHT, check_range
from fingal.search import growing
from fingal.search.crew import Crew
from fingal.search.evaluator import Evaluator
from fingal.search.growing import MOST_EDGES, check_limits

_MANY = 2**30
"""Simulations: no tree gets so far."""
_LONGEST_PLAN = 2**21


@dataclass(frozen=True)
class Settings:
    """How the tree chooses."""

    gumbel: bool = False
    """Sequential halving at the root and completed values below (Gumbel MuZero), or else PUCT."""
    c_init: float = 1.25
    """PUCT's exploration rate; it grows slowly with the visits."""
    fpu_reduction: float = 0.05
    """How much less than its parent a move that was never tried is worth."""
    c_scale: float = 0.4
    """Gumbel's weight of values against the policy."""
    considered: int = 16
    """How many moves Gumbel's root considers."""
    noise: float = 0.0
    """Gumbel: the scale of the noise, 0 for the strongest move. PUCT: the share of Dirichlet noise in the root."""
    connections: int = 0
    """A node with so many visits is asked for its virtual connections, which prove it or rule moves out; 0: none is."""
    batch: int = 8
    """How many positions the net judges at once; 1 gives the best tree, more the better speed."""
    threads: int = 1
    """How many threads share the tree, each with batches of its own; the evaluator must allow calls at once."""

    def __post_init__(self) -> None:
        """Reject numbers that the core does not hold."""
        check_range(self, 1, MOST_INT, "considered")
        check_range(self, 1, MOST_BATCH, "batch")
        check_range(self, 1, MOST_THREADS, "threads")
        check_range(self, 0, MOST_WEIGHT, "c_init", "fpu_reduction", "c_scale")
        check_range(self, 0, MOST_INT, "connections")
        check_range(self, 0, 1, "noise")

    def core(self) -> _core.SearchSettings:
        """The same for the core."""
        settings = _core.SearchSettings()
        settings.gumbel = self.gumbel
        settings.c_init = self.c_init
        settings.fpu_reduction = self.fpu_reduction
        settings.c_scale = self.c_scale
        settings.considered = self.considered
        settings.gumbel_scale = self.noise
        settings.connections = self.connections
        settings.noise_share = 0.0 if self.gumbel else self.noise
        return settings


class Search(growing.Search):
    """A tree search with an evaluator."""

    def __init__(self, evaluator: Evaluator, settings: Settings | None = None, seed: int = 0) -> None:
        """Search with an evaluator; with one thread, the same seed and the same limit it finds the same."""
        super().__init__()
        self.settings = settings or Settings()
        self._evaluator = evaluator
        self._seed = seed
        self._net_tree: _core.TreeSearch | None = None

    @property
    def _tree(self) -> _core.TreeSearch | None:
        return self._net_tree

    def _go_to(self, board: Board, follows: bool) -> None:
        if self._net_tree is not None and follows:
            self._net_tree.set_position(board)
        else:
            self._net_tree = _core.TreeSearch(board, self.settings.core(), self._seed)

    def run(
        self, simulations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Iterator[None]:
        """Search until a limit is reached. The last batches may pass ``nodes``.

        Control comes back after every batch; with several threads every now and then, when none of them is at work.
        """
        check_limits(simulations, seconds, nodes)
        _, board = self._there()
        tree = self._net_tree
        assert tree is not None
        settings = self.settings
        most_nodes = MOST_EDGES // board.cells
        if nodes is not None:
            most_nodes = min(most_nodes, tree.nodes + nodes)
        tree.cancel_all()  # an interrupt may have left visits under way
        crew = Crew(
            tree,
            self._evaluator,
            (board.width, board.height),
            settings.core(),
            _plans(simulations, settings.gumbel),
            min(settings.batch, simulations or settings.batch),
            self._stop,
            seconds,
            most_nodes,
        )
        try:
            while crew.batch() if settings.threads == 1 else crew.together(settings.threads):
                yield
        finally:
            tree.cancel_all()
            self._stop.clear()
            if settings.threads > 1:
                self.longest_step = crew.longest

    def clear(self) -> None:
        """Let go of the tree."""
        self._net_tree = None

    def rivals(self) -> tuple[int, float, float, float]:
        """As every search; Gumbel shares visits out evenly and so has the improved policy decide."""
        moves, best, second, gap = super().rivals()
        if self.settings.gumbel and moves > 1:
            second, best = np.sort(self.policy())[-2:].tolist()
            gap = math.inf
        return moves, best, second, gap

    def policy(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """The improved policy, [cells]: what the search makes of the net's."""
        self._there()
        assert self._net_tree is not None
        policy: np.ndarray[tuple[int], np.dtype[np.float32]] = self._net_tree.improved_policy()
        return policy


def _plans(simulations: int | None, gumbel: bool) -> Iterator[int]:
    """How many simulations to plan for.

    Gumbel's schedule is made for a number of them; without one, or with more than can be meant, ever longer plans.
    """
    if not gumbel:
        yield min(simulations or _MANY, _MANY)
    elif simulations is not None and simulations <= _LONGEST_PLAN:
        yield simulations
    else:
        left, plan = math.inf if simulations is None else simulations, 64
        while left > 0:
            yield int(min(plan, left))
            left, plan = left - plan, min(2 * plan, _LONGEST_PLAN)
