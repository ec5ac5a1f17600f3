"""The solver: who wins a position, and by which moves."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fingal import _core
from fingal.background import Flag, run_interruptibly
from fingal.game import Board, Colour
from fingal.ranges import (
    MOST_COUNT,
    MOST_MEMORY,
    MOST_SECONDS,
    MOST_THREADS,
    MOST_WEIGHT,
    check_number,
    check_range,
    shown,
)

Policy = Callable[[Sequence[Sequence[int]], int], Sequence[float]]
"""From stones (Black's and White's words, cell i in bit i % 64 of word i // 64) and the side to move to a score for
every cell, [cells]: the higher, the sooner it is tried."""

FEW_NODES = 32
"""So many positions are searched in a moment, without listening for Ctrl-C."""


@dataclass(frozen=True)
class Settings:
    """What a solver may use, and how its search spreads."""

    memory: int = 1024
    """Megabytes for the table of positions. When it is full, what is cheapest to find again makes room."""
    threads: int = 1
    """How many threads search together; they share the table."""
    wide_base: int = 1
    """So many moves of a position are searched at once,"""
    wide_factor: float = 0.25
    """and this share of those that are left besides."""
    epsilon: float = 0.25
    """How far the work on one move may outgrow that on the next before the search turns there."""
    templates: bool = True
    """Whether connections may rest on edge templates. The checker of proofs does not know them: without, the search
    takes longer and proofs are much shorter."""

    def __post_init__(self) -> None:
        """Reject numbers that the core does not hold."""
        check_range(self, 1, MOST_MEMORY, "memory")
        check_range(self, 1, MOST_THREADS, "threads")
        check_range(self, 1, MOST_WEIGHT, "wide_base")
        check_range(self, 0, MOST_WEIGHT, "wide_factor", "epsilon")

    def core(self) -> _core.SolverSettings:
        """The same for the core."""
        settings = _core.SolverSettings()
        settings.memory_mb = self.memory
        settings.threads = self.threads
        settings.wide_base = self.wide_base
        settings.wide_factor = self.wide_factor
        settings.epsilon = self.epsilon
        settings.templates = self.templates
        return settings


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    nodes: int
    """Positions looked at."""
    seconds: float
    to_win: int
    """The least number of positions that must still be won to prove that the side to move wins."""
    to_lose: int
    """The same for a loss."""
    table: float
    """The share of the table that is in use."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What was found out about a position."""

    to_move: Colour
    winner: Colour | None
    """None when a limit or an interrupt came first."""
    variation: tuple[int, ...]
    """The moves expected, as far as they are known; the winner's win, the loser's put up the longest fight."""
    progress: Progress
    winning: tuple[int, ...] = ()
    """Moves that are proved to win for the side to move: one is enough unless all were asked for."""
    losing: tuple[int, ...] = ()
    """Moves that are proved to lose."""
    open: tuple[int, ...] = field(default=())
    """Moves of which nothing is proved, the most hopeful first."""

    def as_dict(self, board: Board) -> dict[str, Any]:
        """What there is to say, ready for JSON."""
        names = {key: [board.name(move) for move in getattr(self, key)] for key in ("winning", "losing", "open")}
        return {
            "winner": None if self.winner is None else str(self.winner),
            "to_move": str(self.to_move),
            "size": f"{board.width}x{board.height}",
            "winning_moves": names["winning"],
            "losing_moves": names["losing"],
            "open_moves": names["open"],
            "variation": [board.name(move) for move in self.variation],
            "nodes": self.progress.nodes,
            "seconds": round(self.progress.seconds, 3),
            "to_win": self.progress.to_win,
            "to_lose": self.progress.to_lose,
            "table_used": round(self.progress.table, 4),
        }


class Solver:
    """Proves who wins, on boards of one size. What it finds is kept from position to position.

    >>> solver = Solver(4, 4)
    >>> board = Board(4)
    >>> solver.solve(board).winner
    <Colour.BLACK: 0>
    >>> [board.name(move) for move in solver.solve(board, find_all=True).winning]
    ['d1', 'c2', 'b3', 'a4']
    """

    def __init__(
        self,
        width: int,
        height: int | None = None,
        settings: Settings | None = None,
        policy: Policy | None = None,
    ) -> None:
        """Make a solver; ValueError when there is no such board or not so much memory.

        ``policy`` orders the moves, where it is given; otherwise electric currents do. What it raises ends the search
        and is raised there.
        """
        self.settings = settings or Settings()
        try:
            self._core = _core.Solver(width, width if height is None else height, self.settings.core())
        except RuntimeError as error:
            raise ValueError(f"memory={self.settings.memory} is not possible: {error}") from None
        self._stop = Flag()
        if policy is not None:
            self._core.set_policy(policy)

    def interrupt(self) -> None:
        """End the search under way, or the next one, soon, from any thread; what it has found is kept."""
        self._stop.set()
        self._core.stop()

    def take_back_interrupt(self) -> None:
        """Forget an interrupt that no search has heeded."""
        self._stop.clear()

    def solve(
        self,
        board: Board,
        *,
        find_all: bool = False,
        nodes: int | None = None,
        seconds: float | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Solution:
        """Find the winner, within limits, or with ``find_all`` every winning move.

        It goes on from what the table knows, so a search that a limit or Ctrl-C has ended can be taken up again. The
        swap is left out of account. ValueError when the board has another size.
        """
        self._core.look_up(board)  # raises when the board has another size
        budget = _Budget(self, nodes, seconds, progress)
        winner = budget.run(board)
        winning, losing = set[int](), set[int]()
        if find_all and not board.is_over():
            self._try_all(board, budget, winning, losing)
        reached = budget.progress(board)
        if winning:
            winner = board.turn
        elif winner is board.turn and not board.is_over():
            winning.add(self.winning_move(board))
        elif winner is not None and not board.is_over():
            losing.update(board.empty_cells)
        hopeful = [move for move in self._core.look_up(board).moves if move not in winning | losing]
        rest = [move for move in board.empty_cells if move not in winning | losing and move not in hopeful]
        return Solution(
            board.turn,
            winner,
            tuple(self._variation(board) or sorted(winning)[:1]),
            reached,
            tuple(sorted(winning)),
            tuple(sorted(losing)),
            () if board.is_over() else (*hopeful, *rest),
        )

    def guess(self, board: Board) -> int:
        """The most hopeful move of a position that is not solved: the one that the search has spent most on."""
        found = self._core.look_up(board)
        work = {move: self._core.look_up(self._after(board, move)).work for move in found.moves}
        return max(work, key=lambda move: work[move]) if work else board.empty_cells[len(board.empty_cells) // 2]

    def finding(self, board: Board) -> _core.Finding:
        """What the table holds of a position, solved first if it is not."""
        self._run_short(board)
        return self._core.look_up(board)

    def save(self, path: Path) -> None:
        """Write the table to a file, for ``load``; an older file stays whole until the new one is."""
        part = path.with_name(path.name + ".part")
        try:
            self._core.save(os.fspath(part))
        except RuntimeError as error:
            raise ValueError(str(error)) from None
        os.replace(part, path)

    def load(self, path: Path) -> None:
        """Add the positions of a file; ValueError, and nothing added, when it holds none for this size of board."""
        try:
            self._core.load(os.fspath(path))
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    def _try_all(self, board: Board, budget: _Budget, winning: set[int], losing: set[int]) -> None:
        for move in board.empty_cells:
            if move in losing:
                continue
            after = board.copy()
            after.push(move)
            winner = budget.run(after)
            if winner is board.turn:
                winning.add(move)
            elif winner is not None:
                # The answers to this move also answer every move that they do not need.
                needed = self._core.look_up(after).proof
                losing.update(cell for cell in board.empty_cells if cell == move or cell not in needed)

    def winning_move(self, board: Board) -> int:
        """A winning move of a side to move that wins."""
        found = self.finding(board)
        if found.best >= 0:
            return found.best
        filled = self._filled(board)
        if filled.winner is not None:
            # Won whoever moves: a stone more does no harm.
            return next(iter(found.filled[board.turn]), board.empty_cells[0])
        # Won by a connection: one of its cells is the key, which shows at once; to try another may take for ever.
        keys = [move for move in found.proof if filled.is_legal(move)]
        for nodes in (10**power for power in range(18)):
            for move in keys:
                if self._run_short(self._after(board, move), nodes) == board.turn:
                    return move
        raise AssertionError("a won position without a winning move")

    def _run_short(self, board: Board, nodes: int = 1 << 60) -> int:
        """Search where the answer is mostly near: a few positions need no thread."""
        winner = self._core.run(board, min(nodes, FEW_NODES), math.inf)
        return winner if winner >= 0 or nodes <= FEW_NODES else self._run(board, nodes - FEW_NODES)

    def _run(
        self,
        board: Board,
        nodes: int = 1 << 60,
        seconds: float = math.inf,
        check: Callable[[], object] = lambda: None,
    ) -> int:
        """Search in a thread, so that Ctrl-C ends it: the winner, or -1 when a limit came first."""
        core, stops = self._core, self._core.stops
        return run_interruptibly([lambda: core.run(board, nodes, seconds, stops)], core.stop, check)[0]

    def _filled(self, board: Board) -> Board:
        """The position as the search sees it: with cells filled in that do not change the winner."""
        filled = board.copy()
        for colour, cells in zip(Colour, self._core.look_up(board).filled, strict=True):
            for cell in cells:
                filled.set_stone(cell, colour)
        filled.turn = board.turn
        return filled

    def _after(self, board: Board, move: int) -> Board:
        """The position after a move that is not filled in, as the search sees it."""
        after = self._filled(board)
        after.push(move)
        return after

    def _variation(self, board: Board) -> list[int]:
        moves: list[int] = []
        at = board
        while at.winner is None and (found := self._core.look_up(at)).winner >= 0:
            filled = self._filled(at)
            if found.winner == at.turn:
                moves.append(self.winning_move(at))
            elif filled.winner is None:
                # The move that took the longest to refute.
                work = {cell: self._core.look_up(self._after(at, cell)).work for cell in filled.empty_cells}
                move = max(work, key=lambda cell: work[cell])
                if work[move] == 0:
                    break
                moves.append(move)
            if filled.winner is not None:
                break
            at = self._after(at, moves[-1])
        return moves


class _Budget:
    """What is left of a search's limits."""

    def __init__(
        self,
        solver: Solver,
        nodes: int | None,
        seconds: float | None,
        report: Callable[[Progress], None] | None,
    ) -> None:
        for name, limit in (("nodes", nodes), ("seconds", seconds)):
            if limit is not None and not limit > 0:
                raise ValueError(f"{name}={shown(limit)} is not possible: a limit is more than 0")
        check_number("nodes", nodes, 1, MOST_COUNT)
        check_number("seconds", seconds, 0, MOST_SECONDS)
        self.solver, self.report = solver, report
        self.begun, self.first = time.monotonic(), solver._core.nodes
        self.end = math.inf if seconds is None else self.begun + seconds
        self.last = None if nodes is None else self.first + nodes

    def run(self, board: Board) -> Colour | None:
        """Search with what is left of the limits, and report progress now and then."""
        core = self.solver._core
        left = (1 << 60) if self.last is None else max(0, self.last - core.nodes)
        if self.solver._stop.is_set():
            left = 0

        def check() -> None:
            if self.solver._stop.is_set():
                core.stop()
            if self.report is not None:
                self.report(self.progress(board))

        winner = self.solver._run(board, left, max(0.0, self.end - time.monotonic()), check)
        return None if winner < 0 else Colour(winner)

    def progress(self, board: Board) -> Progress:
        core = self.solver._core
        found = core.look_up(board)
        seconds = time.monotonic() - self.begun
        return Progress(core.nodes - self.first, seconds, found.phi, found.delta, core.table_used / core.table_capacity)
