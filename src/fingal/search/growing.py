"""What every search has: a position, a tree that grows, limits and interrupts."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fingal import _core
from fingal.background import Flag
from fingal.game import Board, Colour

MOST_EDGES = 1 << 27
"""A tree stops growing at so many edges, of 19 bytes each, or 31 where all moves count as first."""


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


class Search(ABC):
    """A search that keeps its tree from move to move. It can be looked at and interrupted while it runs."""

    def __init__(self) -> None:
        """Begin without a position."""
        self.longest_step = math.inf
        """A run that gives control back seldom may pass a limit of time by so many seconds; infinite for others."""
        self._board: Board | None = None
        self._stop = Flag()

    @property
    @abstractmethod
    def _tree(self) -> _core.SearchedTree | None:
        """What is known, in the core."""

    @abstractmethod
    def _go_to(self, board: Board, follows: bool) -> None:
        """Go to a position in the core; ``follows``: the tree there is for boards of this size."""

    @abstractmethod
    def run(
        self, simulations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Iterator[None]:
        """Search until a limit is reached; gives control back now and then, so that a caller may look or stop.

        The limits are for this run: what the tree holds already comes on top. ``nodes`` are positions that the tree
        grows by. A run also ends when the result is proven and when memory would run short, at about 2.5 GB,
        or 4 GB with playouts.
        """

    @abstractmethod
    def clear(self) -> None:
        """Let go of the tree."""

    def interrupt(self) -> None:
        """End the run under way soon, from any thread; one that has not begun ends at once."""
        self._stop.set()

    @property
    def is_interrupted(self) -> bool:
        """Whether there was an interrupt that no run has heeded."""
        return self._stop.is_set()

    def take_back_interrupt(self) -> None:
        """Forget an interrupt that no run has heeded."""
        self._stop.clear()

    def set_position(self, board: Board) -> None:
        """Go to a position; what was found on the way to it is kept. ValueError when the game is over."""
        before, self._board = self._board, None  # an interrupt must not leave a board that the tree is not at
        fits = before is not None and (board.width, board.height) == (before.width, before.height)
        try:
            self._go_to(board, fits and self._tree is not None and not board.is_over())
        except ValueError:
            self._board = before  # nothing has changed
            raise
        self._board = board.copy()

    @property
    def visits(self) -> int:
        """How often the position was visited, in this run and before."""
        return 0 if self._tree is None else self._tree.visits

    @property
    def value(self) -> float | None:
        """What the position is worth for the side to move, in [-1, 1]; None when nothing is known."""
        return None if self._tree is None or (self._tree.visits == 0 and self._tree.proof == 0) else self._tree.value

    def rivals(self) -> tuple[int, float, float, float]:
        """The moves that may be played in the end: their number, what the best and the second have, and their gap.

        By visits; the last is how many the second is behind, infinite where visits alone do not decide.
        """
        visits = sorted((row[1] for row in self._there()[0].candidates() if row[4] >= 0), reverse=True)
        best, second = (*visits, 0, 0)[:2]
        return len(visits), float(best), float(second), float(best - second)

    @property
    def edges(self) -> int:
        """The tree has no more edges than this: a measure of its memory, as ``MOST_EDGES``."""
        return 0 if self._tree is None or self._board is None else self._tree.nodes * self._board.cells

    def finish(
        self,
        simulations: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> Analysis:
        """Search to the limit and say what was found. At least the position itself is judged.

        ``look`` is called whenever the run gives control back.
        """
        begin = time.monotonic()
        for _ in self.run(simulations, seconds, nodes):
            look()
        tree, _ = self._there()
        while tree.visits == 0 and tree.proof == 0:  # interrupted, perhaps more than once
            for _ in self.run(simulations=1):
                break
        return self.analysis(time.monotonic() - begin)

    def best_move(self) -> int:
        """The move to play after a run."""
        return self._there()[0].best_move()

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

    def _there(self) -> tuple[_core.SearchedTree, Board]:
        tree = self._tree
        if tree is None or self._board is None:
            raise ValueError("the search has no position yet: call set_position first")
        return tree, self._board


def check_limits(simulations: int | None, seconds: float | None, nodes: int | None) -> None:
    """Refuse limits that leave no room."""
    for name, limit in (("simulations", simulations), ("seconds", seconds), ("nodes", nodes)):
        if limit is not None and not limit > 0:
            raise ValueError(f"a limit of {limit} {name} is not possible: it must be more than 0")
