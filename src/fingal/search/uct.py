"""Tree search with playouts, in the manner of MoHex 2.0: all moves as first, patterns and knowledge.

It needs no net. Where one is given, its policy takes the place of the patterns' priors (MoHex-CNN, paper 002).
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fingal import _core
from fingal.background import BackgroundCall
from fingal.game import Board
from fingal.ranges import LEAST_WEIGHT, MOST_INT, MOST_MEMORY, MOST_THREADS, MOST_WEIGHT, check_range
from fingal.search import growing, patterns
from fingal.search.evaluator import Evaluator, Positions
from fingal.search.growing import MOST_EDGES, check_limits
from fingal.solve import dfpn

SLICE = 0.05
"""Interrupts are heard, and callers may look, after so many seconds."""


@dataclass(frozen=True)
class Settings:
    """How the search chooses and what it looks at."""

    rave_initial: float = 1.0
    """What one game counts, in which a move was made at another time, while there are few,"""
    rave_final: float = 800.0
    """and what all of them count together when there are many."""
    even: float = 8.0
    """So many games as good as the position itself are part of what such games say of a move."""
    bias: float = 5.0
    """How much the priors count; less and less with the visits."""
    c: float = 0.0
    """How much priors count that goes on with the visits of the position, as in PUCT."""
    fpu_reduction: float = 0.0
    """How much less than its position a move that was never tried is worth."""
    expand: int = 1
    """So many playouts begin at a position before it gets its moves."""
    knowledge: int = 20
    """A position with so many visits is asked for its connections and inferior cells; 0: none is."""
    ask: int = 1
    """Where there is a net: it gives the root its priors, and every position with more visits than this."""
    flat: float = 1.0
    """What a net's logits are divided by: above 1 its priors are flatter, for boards that it was not trained on."""
    batch: int = 1
    """So many visits, and one a thread at least, may wait for the net at once; it judges their positions together."""
    backup: Literal["mean", "min"] = "mean"
    """What a move is worth: the mean of the games after it, or what the opponent's best reply leaves (the minimum)."""
    least_reply: int = 8
    """With the minimum: so many visits a reply needs to count; a move with no such reply has its mean."""
    threads: int = 1
    """How many threads share the tree."""
    solver: int = 0
    """Megabytes of a solver's table, which tries to prove the position meanwhile, in a thread of its own; 0: none."""

    def __post_init__(self) -> None:
        """Reject numbers that the core does not hold."""
        check_range(self, LEAST_WEIGHT, MOST_WEIGHT, "rave_initial", "rave_final", "even", "flat")
        check_range(self, 0, MOST_WEIGHT, "bias", "c", "fpu_reduction")
        check_range(self, 1, MOST_INT, "expand", "ask", "least_reply")
        check_range(self, 0, MOST_INT, "knowledge")
        check_range(self, 0, MOST_MEMORY, "solver")
        check_range(self, 1, MOST_THREADS, "threads", "batch")
        if self.backup not in ("mean", "min"):
            raise ValueError(f"backup must be mean or min, not {self.backup!r}")

    def core(self, net: bool = False) -> _core.UctSettings:
        """The same for the core; ``net`` says whether there is one."""
        settings = _core.UctSettings()
        settings.net, settings.in_flight = (self.ask, self.batch) if net else (0, 1)
        settings.least_reply = self.least_reply if self.backup == "min" else 0
        for name in ("rave_initial", "rave_final", "even", "bias", "c", "fpu_reduction", "expand", "knowledge"):
            setattr(settings, name, getattr(self, name))
        return settings


class Search(growing.Search):
    """A tree search with playouts. With one thread, no solver and the same seed it finds the same."""

    def __init__(self, settings: Settings | None = None, seed: int = 0, net: Evaluator | None = None) -> None:
        """Search as the settings say; the net's policy, where there is one, gives the priors."""
        super().__init__()
        self.settings = settings or Settings()
        self._seed = seed
        self._net = net
        self._uct: _core.UctSearch | None = None
        self._solver: dfpn.Solver | None = None

    @property
    def _tree(self) -> _core.UctSearch | None:
        return self._uct

    def _go_to(self, board: Board, follows: bool) -> None:
        if self._uct is not None and follows:
            self._uct.set_position(board)
            return
        settings = self.settings
        core = settings.core(self._net is not None)
        self._uct = _core.UctSearch(board, patterns.model(), core, self._seed, settings.threads)
        self._solver = None
        if settings.solver > 0:
            self._solver = dfpn.Solver(board.width, board.height, dfpn.Settings(memory=settings.solver))

    def run(
        self, simulations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Iterator[None]:
        """Search until a limit is reached; gives control back every twentieth of a second."""
        check_limits(simulations, seconds, nodes)
        _, board = self._there()
        tree = self._uct
        assert tree is not None
        end = math.inf if seconds is None else time.monotonic() + seconds
        left = 1 << 60 if simulations is None else simulations
        most_nodes = MOST_EDGES // board.cells
        if nodes is not None:
            most_nodes = min(most_nodes, tree.nodes + nodes)
        proving = _Proving(self._solver, board)
        tree.cancel()  # an interrupt may have left visits under way
        try:
            proving.start()
            while left > 0 and not self._stop.is_set():
                wait = max(0.0, end - time.monotonic())
                left -= self._slice(tree, board, left, wait, most_nodes)
                if wait == 0 or tree.proof != 0 or tree.nodes >= most_nodes or proving.solution is not None:
                    break
                yield
        finally:
            try:
                proving.end()
            finally:
                proving.end()  # a second interrupt may have come at the very moment the first ``end`` began
                tree.cancel()
                self._stop.clear()
        if tree.proof == 0 and (proof := proving.solution) is not None:
            tree.prove(1 if proof.winner is board.turn else -1, proof.winning[0] if proof.winning else -1)

    def _slice(self, tree: _core.UctSearch, board: Board, simulations: int, left: float, nodes: int) -> int:
        """Search for a while of the seconds left, asking the net whenever visits wait for it; how many simulations."""
        seconds = min(left, SLICE)
        if self._net is None:
            return tree.run(simulations, seconds, nodes, left)
        done, now = 0, time.monotonic()
        end, over = now + seconds, now + left
        while True:
            now = time.monotonic()
            done += tree.run(simulations - done, max(end - now, 0.0), nodes, max(over - now, 0.0))
            stones, white, last = tree.waiting()
            if not len(last) or self._stop.is_set() or time.monotonic() >= end:
                return done
            said = self._net(Positions(board.width, board.height, stones, white.astype(np.bool_), last))
            tree.answer(said.logits / np.float32(self.settings.flat))

    def clear(self) -> None:
        """Let go of the tree."""
        self._uct = self._solver = None


class _Proving:
    """A solver at work on a position in a thread of its own, where there is one."""

    def __init__(self, solver: dfpn.Solver | None, board: Board) -> None:
        self._solver = solver
        self._call = None
        if solver is not None:
            self._call = BackgroundCall(functools.partial(solver.solve, board.copy()), solver.interrupt)

    def start(self) -> None:
        """Begin, where there is a solver."""
        if self._call is not None:
            self._call.start()

    def end(self) -> None:
        """End it; nothing is at work when this returns."""
        if self._call is not None and self._solver is not None:
            self._call.end()
            self._solver.take_back_interrupt()

    @property
    def solution(self) -> dfpn.Solution | None:
        """The proof, once there is one."""
        solution = None if self._call is None or not self._call.wait(0.0) else self._call.result()
        return None if solution is None or solution.winner is None else solution
