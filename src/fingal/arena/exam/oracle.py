"""Who knows the answers: a list of all positions on the smallest boards, the solver on the others."""

from __future__ import annotations

import random
from typing import Protocol

from fingal.analysis.resistance import resistance
from fingal.arena.exam.enumeration import MOST_CELLS, Enumeration, enumeration
from fingal.game import Board
from fingal.solve import tables
from fingal.solve.dfpn import Settings, Solver

MEMORY = 256
"""Megabytes for the solver's table."""

CANDIDATES = 8
"""How many defences the perfect defender compares: those with the most energy."""

MOST_EMPTY = 30
"""With more empty cells than this, to count the winning replies to every defence would take too long."""


SOLVABLE = 43
"""With more empty cells than this, to find all winning moves takes minutes: on 7x7, before the seventh move."""


class Oracle(Protocol):
    """What an exam asks about positions that are not over. The swap is left out of account."""

    def wins(self, board: Board, seconds: float | None = None) -> bool | None:
        """Whether the side to move wins; None when that is not found out within the time."""
        ...

    def winning(self, board: Board, seconds: float | None = None) -> tuple[int, ...] | None:
        """Every move that wins for the side to move; None when they are not found within the time."""
        ...


class Listed:
    """Looks up a list of all positions."""

    def __init__(self, listed: Enumeration) -> None:
        """Answer for the board that was listed."""
        self._listed = listed

    def wins(self, board: Board, seconds: float | None = None) -> bool:
        """Whether the side to move wins."""
        return self._listed.wins(board)

    def winning(self, board: Board, seconds: float | None = None) -> tuple[int, ...]:
        """Every move that wins."""
        return self._listed.winning(board)


class Solved:
    """Asks the solver, which keeps what it finds; first moves are in its tables."""

    def __init__(self, width: int, height: int) -> None:
        """Answer for boards of one size."""
        self._solver = Solver(width, height, Settings(memory=MEMORY))
        self._openings = tables.openings(width, height)

    def wins(self, board: Board, seconds: float | None = None) -> bool | None:
        """Whether the side to move wins."""
        if board.ply == 1 and len(board.empty_cells) == board.cells - 1 and board.moves[0] in self._openings:
            return not self._openings[board.moves[0]]
        if seconds is None:
            return self._solver.finding(board).winner == board.turn
        winner = self._solver.solve(board, seconds=seconds).winner
        return None if winner is None else winner is board.turn

    def winning(self, board: Board, seconds: float | None = None) -> tuple[int, ...] | None:
        """Every move that wins."""
        found = self._solver.solve(board, find_all=True, seconds=seconds)
        decided = found.winner is not None and len(found.winning) + len(found.losing) == len(board.empty_cells)
        return found.winning if decided else None


def oracle(width: int, height: int) -> Oracle:
    """The oracle for a board."""
    if width * height <= MOST_CELLS:
        return Listed(enumeration(width, height))
    return Solved(width, height)


def drawn_by_energy(board: Board, rng: random.Random) -> list[int]:
    """The empty cells in an order drawn by energy: each comes next with probability energy over what is left of it.

    Efraimidis and Spirakis (2006): sorted by log(u) / weight, the largest first, u uniform in (0, 1].
    """
    energy = _energy(board)
    # Cells that carry nothing come last, but they do come.
    weights = {cell: max(energy[cell], 1e-9) for cell in board.empty_cells}
    return sorted(board.empty_cells, key=lambda cell: rng.expovariate(1.0) / weights[cell])


def expert_move(board: Board, oracle: Oracle, rng: random.Random) -> int:
    """A move drawn by energy from those that win, or the hardest defence where none does.

    While to solve positions would take long, a move drawn by energy from all.
    """
    if len(board.empty_cells) > SOLVABLE:
        return drawn_by_energy(board, rng)[0]
    if not oracle.wins(board):
        return hardest_defence(board, oracle, rng)
    return next(move for move in drawn_by_energy(board, rng) if keeps_win(board, move, oracle))


def hardest_defence(board: Board, oracle: Oracle, rng: random.Random) -> int:
    """In a lost position, the move after which the fewest replies win.

    Of the few moves with the most energy, that is; among equals the draw decides. While there are many empty cells, a
    move is drawn by energy.
    """
    order = drawn_by_energy(board, rng)
    if len(order) > MOST_EMPTY:
        return order[0]
    energy = _energy(board)
    best, fewest = order[0], board.cells
    for move in sorted(order, key=lambda cell: -energy[cell])[:CANDIDATES]:
        replies = _replies(board, move, oracle, fewest)
        if replies < fewest:
            best, fewest = move, replies
    return best


def _energy(board: Board) -> list[float]:
    """Both colours' energy of every cell, rounded: a difference in the last place must not decide between equals."""
    total: list[float] = resistance(board).energy.sum(axis=0).round(9).tolist()
    return total


def _replies(board: Board, move: int, oracle: Oracle, enough: int) -> int:
    """How many replies to a move win; counted no further than ``enough``."""
    after = _after(board, move)
    if after.is_over():
        return 0
    count = 0
    for reply in after.empty_cells:
        count += bool(keeps_win(after, reply, oracle))
        if count >= enough:
            break
    return count


def keeps_win(board: Board, move: int, oracle: Oracle, seconds: float | None = None) -> bool | None:
    """Whether the side that makes a move has won then; None when that is not found out within the time."""
    after = _after(board, move)
    if after.is_over():
        return True
    lost = oracle.wins(after, seconds)
    return None if lost is None else not lost


def _after(board: Board, move: int) -> Board:
    after = board.copy()
    after.push(move)
    return after
