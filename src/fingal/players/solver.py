"""Perfect where it can prove the winner in time; otherwise it plays its best guess, and says so."""

from __future__ import annotations

from dataclasses import dataclass

from fingal.game import SWAP, Board, Record
from fingal.players.player import NO_LIMIT, Limit, open_board
from fingal.players.searching import may_be_swapped
from fingal.solve import dfpn, tables
from fingal.solve.dfpn import Solution, Solver

DEFAULT = Limit(seconds=10)
"""What a move may cost where nothing else is said."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``solver:``."""

    time: float | None = None
    """Seconds a move; 10 unless a limit is given."""
    nodes: int | None = None
    """Positions a move."""
    memory: int = 256
    """Megabytes for the table of positions."""
    threads: int = 1
    """How many threads search together."""

    def __post_init__(self) -> None:
        """Refuse what the solver would refuse."""
        self.solver()

    def solver(self) -> dfpn.Settings:
        """The solver's own settings."""
        return dfpn.Settings(memory=self.memory, threads=self.threads)


class SolverPlayer:
    """A player that proves. What it has found is kept from move to move and from game to game."""

    def __init__(self, settings: Settings) -> None:
        """Solve as the settings say."""
        self.name = "solver"
        self.remark = ""
        """What the last move rests on, in a sentence: a proof, or a guess."""
        self.value: float | None = None
        """1 or -1 where the last position was solved; None where the move was a guess."""
        self._settings = settings
        self._solver: Solver | None = None
        self._size = (0, 0)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """A winning move where there is one and it is found in time; a swap by the same measure."""
        board = open_board(record)
        self.value = None
        if may_be_swapped(board):
            self.remark = "Nothing wins where the opponent may swap."
            return _hard_opening(board)
        solver = self._at(board)
        if limit == NO_LIMIT:
            limit = DEFAULT
        try:
            found = solver.solve(board, nodes=limit.nodes, seconds=limit.seconds)
        finally:
            solver.take_back_interrupt()
        if found.winner is None:
            self.remark = f"A guess: not solved after {found.progress.nodes:,} positions."
            return solver.guess(board)
        self.remark = f"Proved: {found.winner} wins."
        self.value = 1.0 if found.winner is board.turn else -1.0
        if found.winner is board.turn:
            return found.winning[0]
        return SWAP if board.can_swap else _last_stand(found)

    def interrupt(self) -> None:
        """End the search under way, or the next one, soon."""
        if self._solver is not None:
            self._solver.interrupt()

    def close(self) -> None:
        """Let go of the table."""
        self._solver = None

    @property
    def megabytes(self) -> int:
        """What its table takes; nothing before its first move."""
        return 0 if self._solver is None else self._settings.memory

    def _at(self, board: Board) -> Solver:
        if self._solver is None or self._size != (board.width, board.height):
            self._solver = Solver(board.width, board.height, self._settings.solver())
            self._size = (board.width, board.height)
        return self._solver


def _last_stand(found: Solution) -> int:
    """In a lost position: the move that took the longest to refute."""
    return found.variation[0] if found.variation else found.losing[len(found.losing) // 2]


def _hard_opening(board: Board) -> int:
    """A first move next to one with the other outcome: the hardest to judge."""
    known = tables.openings(board.width, board.height)
    edge = [cell for cell, wins in known.items() if any(known.get(at, wins) != wins for at in board.neighbours(cell))]
    return edge[0] if edge else 0


def make(settings: Settings) -> SolverPlayer:
    """The player that the settings describe."""
    return SolverPlayer(settings)
