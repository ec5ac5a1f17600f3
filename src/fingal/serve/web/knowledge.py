"""What is known of a position without searching for long: the topics that a page asks about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board, Colour
from fingal.nets.agreement import legal_logits
from fingal.nets.inference import open_evaluator
from fingal.nets.planes import positions_of, take, unpack
from fingal.search.evaluator import Evaluator, Positions
from fingal.serve.analyse import Analyst
from fingal.serve.web import messages
from fingal.solve.dfpn import Progress, Settings, Solution, Solver

STRONG = "fingal-large"
"""The best net: asked once, for its policy."""
QUICK = "fingal-small"
"""The net that is asked about thousands of positions."""
SOLVER_SECONDS = 2.0
SOLVER_MEMORY = 64
"""Megabytes of a solver's table."""
SOLVERS = 2
"""So many solvers are kept, with what they have proved."""
JUDGEMENTS = 400_000
"""Positions that the net judges for one ownership, about, times their cells: what a few seconds allow."""
FEWEST, MOST = 8, 48
"""Games to the end, at least and at most."""

_ANALYST: tuple[messages.Topic, ...] = ("connections", "inferior", "resistance")


class Solvers:
    """Solvers of all boards. One at a time uses each; the last few are kept, since proofs help with the next position.

    It may be used from any thread.
    """

    def __init__(self, most: int = SOLVERS, memory: int = SOLVER_MEMORY) -> None:
        """Keep ``most`` of them, with ``memory`` megabytes each."""
        self._most, self._memory = most, memory
        self._lock = threading.Lock()
        self._idle: list[tuple[tuple[int, int], Solver]] = []

    def solve(
        self, board: Board, seconds: float, cancelled: Callable[[], bool] = lambda: False, *, find_all: bool = False
    ) -> Solution:
        """What can be proved of a position in some seconds; less when it is cancelled."""
        with self._one(board) as solver:

            def look(progress: Progress) -> None:
                if cancelled():
                    solver.interrupt()

            try:
                return solver.solve(board, seconds=seconds, find_all=find_all, progress=look)
            finally:
                solver.take_back_interrupt()

    @contextmanager
    def _one(self, board: Board) -> Iterator[Solver]:
        size = board.width, board.height
        with self._lock:
            known = next((pair for pair in self._idle if pair[0] == size), None)
            if known is not None:
                self._idle.remove(known)
        solver = known[1] if known is not None else Solver(*size, Settings(memory=self._memory))
        yield solver
        # Not kept after an error: what it holds then is not known.
        with self._lock:
            self._idle.append((size, solver))
            del self._idle[: -self._most]


class Scholar:
    """Answers ``ask``. It may be used from any thread."""

    def __init__(self, solvers: Solvers | None = None, seconds: float = SOLVER_SECONDS) -> None:
        """``seconds`` are the solver's."""
        self._solvers = solvers or Solvers()
        self._seconds = seconds

    def know(
        self,
        board: Board,
        topics: Sequence[messages.Topic],
        *,
        request: int,
        game: str,
        node: int,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> messages.Knowledge:
        """What is known of a position, by topics; a cancelled one is answered sooner, and worse."""
        said: dict[str, Any] = {}
        plain = [topic for topic in topics if topic in _ANALYST]
        if plain:
            said |= _analysed(board, plain)
        if "solver" in topics:
            said["solver"] = verdict(board, self._solvers.solve(board, self._seconds, cancelled, find_all=True))
        if "policy" in topics:
            said["policy"] = policy(on_cpu(STRONG), board)
        if "ownership" in topics:
            said["ownership"] = ownership(on_cpu(QUICK), board, cancelled=cancelled)
        return messages.Knowledge(request=request, game=game, node=node, **said)


def on_cpu(net: str) -> Evaluator:
    """A shipped net, on the CPU: there one evaluator serves all threads."""
    return open_evaluator(net, device="cpu")


def _analysed(board: Board, topics: Sequence[messages.Topic]) -> dict[str, Any]:
    found = Analyst(topics).analyse(board).as_dict()
    said: dict[str, Any] = {}
    if "connections" in found:
        said["connections"] = {
            colour: messages.Connections(
                winning_carrier=joined["winning_carrier"],
                links=[
                    messages.Link(ends=(link["ends"][0], link["ends"][1]), carrier=link["carrier"])
                    for link in joined["links"]
                ],
            )
            for colour, joined in found["connections"].items()
        }
        said["must_play"] = found["must_play"]
    if "inferior" in found:
        inferior = found["inferior"]
        pruned = {claim["cell"]: f"{claim['kind']} by {claim['by']}" for claim in inferior["pruned"]}
        said["inferior"] = messages.Inferior(fill=inferior["fill"], dead=inferior["dead"], pruned=pruned)
    if "resistance" in found:
        flow = found["resistance"]
        cells = sorted({*flow["energy"]["black"], *flow["energy"]["white"]}, key=board.cell)
        # Each colour's shares add up to 1, so the mean is a share as well.
        energy = {cell: sum(flow["energy"][str(colour)].get(cell, 0.0) for colour in Colour) / 2 for cell in cells}
        said["resistance"] = messages.Resistance(
            black=flow["black"], white=flow["white"], black_value=flow["black_value"], energy=energy
        )
    return said


def verdict(board: Board, found: Solution) -> messages.Verdict:
    """What the solver found, for a page; the winning and losing moves as far as they are proved."""
    names = {key: [board.name(move) for move in getattr(found, key)] for key in ("winning", "losing", "variation")}
    winner = None if found.winner is None else messages.colour_name(found.winner)
    return messages.Verdict(winner=winner, text=_sentence(board, found), **names)


def _sentence(board: Board, found: Solution) -> str:
    turn = str(board.turn).capitalize()
    if board.winner is not None:
        return f"{str(board.winner).capitalize()} has joined its edges."
    if found.winner is None:
        return f"Not solved: {found.progress.nodes:,} positions were looked at in {found.progress.seconds:.0f} seconds."
    if found.winner is not board.turn:
        return f"{turn} is to move and loses, whatever it plays."
    wins = len(found.winning)
    which = f"{wins} moves are" if wins > 1 else "one move is"
    rest = f", {len(found.open)} are not decided" if found.open else f", the {len(found.losing)} others lose"
    return f"{turn} is to move and wins: {which} proved to win{rest if found.losing or found.open else ''}."


def policy(net: Evaluator, board: Board) -> dict[str, float]:
    """How probable a net thinks each move is, without search; nothing when the game is over."""
    if board.is_over():
        return {}
    positions = positions_of([board])
    chances = _chances(legal_logits(net(positions), positions))[0]
    return {board.name(cell): round(float(chances[cell]), 6) for cell in board.empty_cells}


def ownership(
    net: Evaluator,
    board: Board,
    games: int | None = None,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, float]:
    """How often each cell is Black's when the position is played on to the end, from 0 to 1.

    Moves are drawn from the net's policy. A cell that is still empty at the end counts half.
    """
    room = len(board.empty_cells)
    count = min(MOST, max(FEWEST, JUDGEMENTS // max(1, room * board.cells))) if games is None else games
    ends = _played_on(net, board, count, np.random.default_rng(seed), cancelled)
    stones = unpack(ends.stones, board.cells).astype(np.float64)
    black = 0.5 + (stones[0] - stones[1]).mean(0) / 2
    return {board.name(cell): round(float(black[cell]), 4) for cell in range(board.cells)}


def _played_on(
    net: Evaluator, board: Board, count: int, random: np.random.Generator, cancelled: Callable[[], bool]
) -> Positions:
    """The ends of games that a net's policy plays from a position."""
    begin = take(positions_of([board]), np.zeros(count, np.intp))
    if board.is_over():
        return begin
    rows = np.arange(count, dtype=np.int32)
    going = rows
    played = _core.PolicyGames(board.width, board.height, count)
    played.set(rows, np.ascontiguousarray(begin.stones), begin.white_to_move, begin.last)
    while len(going) and not cancelled():
        positions = Positions(board.width, board.height, *played.pack(going))
        logits = legal_logits(net(positions), positions)
        # Gumbel's noise: the largest of a sum is a draw from the softmax.
        drawn = (logits + random.gumbel(size=logits.shape)).argmax(1).astype(np.int32)
        over = played.play(going, drawn)
        going = going[~over]
    return Positions(board.width, board.height, *played.pack(rows))


def _chances(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Softmax over the last axis; what is minus infinity has none."""
    weights = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    chances: NDArray[np.float64] = weights / weights.sum(-1, keepdims=True)
    return chances
