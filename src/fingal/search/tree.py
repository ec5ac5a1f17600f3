"""Tree search with a net: the core's tree, an evaluator, and limits."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fingal import _core
from fingal.game import Board, Colour
from fingal.search.evaluator import Evaluator, Positions

MOST_EDGES = 1 << 27
"""A tree stops growing at so many edges, of 19 bytes each."""


@dataclass(frozen=True)
class Settings:
    """How the tree chooses."""

    gumbel: bool = False
    """Sequential halving at the root and completed values below (Gumbel MuZero), or else PUCT."""
    c_init: float = 1.25
    """PUCT's exploration rate; it grows slowly with the visits."""
    fpu_reduction: float = 0.25
    """How much less than its parent a move that was never tried is worth."""
    c_scale: float = 0.1
    """Gumbel's weight of values against the policy."""
    considered: int = 16
    """How many moves Gumbel's root considers."""
    noise: float = 0.0
    """Gumbel: the scale of the noise, 0 for the strongest move. PUCT: the share of Dirichlet noise in the root."""
    connections: int = 0
    """A node with so many visits is asked for its virtual connections, which prove it or rule moves out; 0: none is."""
    batch: int = 8
    """How many positions the net judges at once; 1 gives the best tree, more the better speed."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("considered", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("c_init", "fpu_reduction", "c_scale"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number from 0 on, not {getattr(self, name)}")
        if self.connections < 0:
            raise ValueError(f"connections must be at least 0, not {self.connections}")
        if not 0 <= self.noise <= 1:
            raise ValueError(f"noise must be from 0 to 1, not {self.noise}")

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


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a search thinks of one move, in the view of the side to move."""

    move: int
    visits: int
    value: float
    """In [-1, 1]."""
    prior: float
    proof: int
    """1: proven to win, -1: proven to lose, 0: not proven."""
    variation: tuple[int, ...]
    """The moves expected, this one first."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search thinks of a position so far."""

    turn: Colour
    visits: int
    value: float
    """For the side to move, in [-1, 1]."""
    proof: int
    """1: the side to move is proven to win, -1: to lose, 0: not proven."""
    candidates: tuple[Candidate, ...]
    """The moves with visits, the best first."""
    seconds: float


class Search:
    """A search that keeps its tree from move to move. It can be looked at and interrupted while it runs."""

    def __init__(self, evaluator: Evaluator, settings: Settings | None = None, seed: int = 0) -> None:
        """Search with an evaluator; with the same seed and limit it finds the same."""
        self.settings = settings or Settings()
        self._evaluator = evaluator
        self._seed = seed
        self._tree: _core.TreeSearch | None = None
        self._board: Board | None = None
        self._stop = threading.Event()

    def interrupt(self) -> None:
        """End the run under way soon, from any thread; one that has not begun ends at once."""
        self._stop.set()

    def take_back_interrupt(self) -> None:
        """Forget an interrupt that no run has heeded."""
        self._stop.clear()

    def set_position(self, board: Board) -> None:
        """Go to a position; what was found on the way to it is kept. ValueError when the game is over."""
        if self._tree is not None and self._board is not None:
            same_size = (board.width, board.height) == (self._board.width, self._board.height)
            if same_size and not board.is_over():
                self._tree.set_position(board)
                self._board = board.copy()
                return
        self._tree = _core.TreeSearch(board, self.settings.core(), self._seed)
        self._board = board.copy()

    def run(
        self, simulations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Iterator[None]:
        """Search until a limit is reached; gives control back after every batch, so that a caller may look or stop.

        The limits are for this run: what the tree holds already comes on top. ``nodes`` are positions that the tree
        grows by; the last batch may pass them. A run also ends when the result is proven and when memory would run
        short, at about 2.5 GB.
        """
        for name, limit in (("simulations", simulations), ("seconds", seconds), ("nodes", nodes)):
            if limit is not None and not limit > 0:
                raise ValueError(f"a limit of {limit} {name} is not possible: it must be more than 0")
        tree, board = self._there()
        settings = self.settings
        deadline = None if seconds is None else time.monotonic() + seconds
        most_nodes = MOST_EDGES // board.cells
        if nodes is not None:
            most_nodes = min(most_nodes, tree.nodes + nodes)
        batch = min(settings.batch, simulations or settings.batch)
        stones = np.zeros((2, batch, tree.words), np.uint64)
        white, last = np.zeros(batch, np.bool_), np.zeros(batch, np.int32)
        try:
            for planned in _plans(simulations, settings.gumbel):
                tree.prepare(planned, settings.core())
                while True:
                    if self._stop.is_set() or tree.nodes >= most_nodes:
                        return
                    if deadline is not None and time.monotonic() >= deadline:
                        return
                    count = tree.select(batch, planned, stones, white, last)
                    if count == 0:
                        break
                    asked = Positions(
                        board.width, board.height, np.ascontiguousarray(stones[:, :count]), white[:count], last[:count]
                    )
                    said = self._evaluator(asked)
                    tree.update(np.ascontiguousarray(said.logits), np.ascontiguousarray(said.value))
                    yield
                if tree.proof != 0:
                    return
        finally:
            tree.cancel()
            self._stop.clear()

    def finish(
        self, simulations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Analysis:
        """Search to the limit and say what was found. At least the position itself is judged."""
        begin = time.monotonic()
        for _ in self.run(simulations, seconds, nodes):
            pass
        if self._there()[0].visits == 0 and self._there()[0].proof == 0:
            for _ in self.run(simulations=1):
                break
        return self.analysis(time.monotonic() - begin)

    def best_move(self) -> int:
        """The move to play after a run."""
        return self._there()[0].best_move()

    def policy(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """The improved policy, [cells]: what the search makes of the net's."""
        policy: np.ndarray[tuple[int], np.dtype[np.float32]] = self._there()[0].improved_policy()
        return policy

    def analysis(self, seconds: float = 0.0, lines: int = 2**30) -> Analysis:
        """What the search thinks at this moment, at most ``lines`` candidates."""
        tree, board = self._there()
        return Analysis(board.turn, tree.visits, tree.value, tree.proof, self.candidates(lines=lines), seconds)

    def candidates(self, line: Sequence[int] = (), lines: int = 2**30) -> tuple[Candidate, ...]:
        """What the search thinks of the moves after a line of moves, the best first, in the view of who makes them.

        Moves with visits or a proof only; () where the tree does not reach.
        """
        tree, _ = self._there()
        return tuple(
            Candidate(move, visits, value, prior, proof, (move, *tree.principal_variation([*line, move])))
            for move, visits, value, prior, proof in tree.candidates([*line])[:lines]
            if visits > 0 or proof != 0
        )

    def _there(self) -> tuple[_core.TreeSearch, Board]:
        if self._tree is None or self._board is None:
            raise ValueError("the search has no position yet: call set_position first")
        return self._tree, self._board


def _plans(simulations: int | None, gumbel: bool) -> Iterator[int]:
    """How many simulations to plan for. Gumbel's schedule needs their number: without one, ever longer plans."""
    if simulations is not None:
        yield simulations
    elif not gumbel:
        yield 2**30
    else:
        yield from (64 << i for i in range(16))
        yield from itertools.repeat(2**21)
