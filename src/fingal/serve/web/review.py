"""A whole game looked at again: what each move lost, what was better, and whether the swap was right.

Every position of the line gets the same few simulations, in one tree that goes along. What connections or the solver
prove counts as proved. Where the line has a surprise, the moves that were not played get a second look of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fingal.analysis.connections import verdicts
from fingal.game import SWAP, Board, Record, Special
from fingal.nets.planes import positions_of
from fingal.players import spec
from fingal.players.player import Limit
from fingal.players.searching import SearchPlayer, searching, values_after
from fingal.search.growing import Analysis
from fingal.serve.web import messages
from fingal.serve.web.knowledge import QUICK, STRONG, Solvers, on_cpu
from fingal.serve.web.line import Line, Position, Step, Way
from fingal.serve.web.seen import black_value
from fingal.solve import tables

PLAYER = f"puct:net={STRONG},connections=10,device=cpu,seed=1"
"""Who looks at the positions where nobody else is named."""
WORK = 300_000
"""Simulations times cells, for a whole game: 40 simulations for each of 60 positions on 11x11."""
FEWEST, MOST = 12, 80
"""Simulations of a position, at least and at most."""
NAMED_SECONDS = 0.2
"""For every position, where a player is named: they differ too much for a number of simulations."""
SECOND_LOOKS = 10
"""So many moves of a game get a second look, at most,"""
OTHERS = 2
"""with so many other moves each."""
SURPRISE = 0.2
"""What a move must lose, or a search have been wrong by, for a second look."""
MISTAKE = 0.25
"""What a mistake loses, at least: an eighth of the win rate."""
MOST_MISTAKES = 3
SOLVER_SECONDS = 4.0
"""For all positions together,"""
SOLVER_ONE = 0.5
"""for one,"""
SOLVER_FAILS = 2
"""and after so many in a row that were not solved, earlier ones are not tried."""

Tell = Callable[[messages.Found], None]


def review(
    record: Record,
    ids: Sequence[int],
    *,
    request: int,
    game: str,
    tell: Tell = lambda found: None,
    cancelled: Callable[[], bool] = lambda: False,
    player: str | None = None,
    solvers: Solvers | None = None,
) -> messages.Found:
    """Look at every move of a record's main line; ``ids`` are its nodes' numbers, the root first.

    ``tell`` hears how far it has come, with what is known so far; what is returned is the last of it, with ``done``.
    ValueError when the player named does not search or does not play on such a board.
    """
    line = Line.of(record, ids)
    searcher = searcher_of(player or PLAYER)
    limit = Limit(simulations=_simulations(line)) if player is None else Limit(seconds=NAMED_SECONDS)
    reviewer = Reviewer(line, searcher, limit, solvers or Solvers(), cancelled)

    def report(share: float, *, done: bool = False) -> messages.Found:
        line.settle()
        moves = [told for step in line.steps if (told := _reviewed(line, step)) is not None]
        worst = sorted((move for move in moves if move.loss >= MISTAKE), key=lambda move: -move.loss)
        return messages.Found(
            request=request,
            game=game,
            done=done,
            share=share,
            moves=moves,
            mistakes=[move.node for move in worst[:MOST_MISTAKES]],
            swap=_swap(line) if record.swap else None,
        )

    try:
        for share in reviewer.work():
            if cancelled():
                break
            tell(report(share))
    finally:
        searcher.close()
    return report(1.0, done=True)


def searcher_of(text: str) -> SearchPlayer:
    """A player that searches; ValueError when that of the text does not."""
    player = spec.make(text)
    found = searching(player)
    if found is None:
        player.close()
        raise ValueError(f"{player.name} cannot review a game: it does not search")
    return found


def _simulations(line: Line) -> int:
    """For each position: the fewer, the more there are and the larger they are."""
    cells = sum(position.board.cells for position in line.positions)
    return min(MOST, max(FEWEST, WORK // max(1, cells)))


class Reviewer:
    """The work on a line, in parts."""

    def __init__(
        self,
        line: Line,
        player: SearchPlayer,
        limit: Limit,
        solvers: Solvers,
        cancelled: Callable[[], bool] = lambda: False,
        seconds: float = SOLVER_SECONDS,
    ) -> None:
        """Find out what the line's positions are worth: ``limit`` is for each, ``seconds`` are the solver's for all."""
        self._line, self._player, self._limit = line, player, limit
        self._solvers, self._cancelled, self._seconds = solvers, cancelled, seconds

    def work(self) -> Iterator[float]:
        """Do it; gives the share that is done after every part."""
        self._connect()
        yield 0.05
        self._solve()
        yield 0.15
        positions = [position for position in self._line.positions if position.proof == 0]
        for done, position in enumerate(positions, 1):
            if position.is_opening:
                position.ways = [even_opening(position.board)]
            else:
                self.search(position)
            yield 0.15 + 0.65 * done / len(positions)
        self._line.spread()
        self._line.settle()
        surprises = self._surprises()
        for done, step in enumerate(surprises, 1):
            self._look_again(step)
            yield 0.8 + 0.2 * done / len(surprises)
        self._line.spread()

    def _connect(self) -> None:
        """Prove what connections prove."""
        going = [position for position in self._line.positions if position.proof == 0]
        if going:
            asked = positions_of([position.board for position in going])
            found = verdicts(asked.stones, asked.white_to_move, asked.width, asked.height)
            for position, proof, winning in zip(going, found.proof.tolist(), found.winning.tolist(), strict=True):
                position.prove(proof, winning if winning >= 0 else None)
        self._line.spread()

    def _solve(self) -> None:
        """Prove what the solver can, from the end backwards: what is proved helps with what was before."""
        end = time.monotonic() + self._seconds
        fails = 0
        for position in reversed(self._line.positions):
            left = end - time.monotonic()
            if fails >= SOLVER_FAILS or left <= 0 or self._cancelled():
                break
            if position.proof or position.is_opening:
                continue
            found = self._solvers.solve(position.board, min(left, SOLVER_ONE), self._cancelled)
            fails = 0 if found.winner is not None else fails + 1
            if found.winner is not None:
                wins = found.winner is position.board.turn
                position.prove(1 if wins else -1, found.winning[0] if found.winning else None, found.variation)
        self._line.spread()

    def search(self, position: Position) -> None:
        """Look at a position's moves."""
        found = self._looked_at(position.board)
        if found.proof:
            best = found.candidates[0] if found.candidates else None
            position.prove(found.proof, None if best is None else best.move, () if best is None else best.variation)
        position.ways = [
            Way(way.move, float(way.proof or way.value), way.visits, way.variation) for way in found.candidates
        ]

    def _looked_at(self, board: Board) -> Analysis:
        search = self._player.search
        search.set_position(board)
        return search.finish(self._limit.simulations, self._limit.seconds)

    def _surprises(self) -> list[Step]:
        """Moves that lost something, and moves that the search liked until it saw what came of them; the worst ones."""
        wrong: list[tuple[float, Step]] = []
        for step in self._line.steps:
            position, outcome = self._line.positions[step.before], self._line.outcome(step)
            if position.proof or not position.ways or position.worth is None or outcome is None or step.after is None:
                continue
            hoped = max(position.worth, position.ways[0].value)
            if hoped - outcome > SURPRISE and not position.is_opening:
                wrong.append((hoped - outcome, step))
        wrong.sort(key=lambda pair: -pair[0])
        return [step for _, step in wrong[:SECOND_LOOKS]]

    def _look_again(self, step: Step) -> None:
        """Look at what else could have been played, each move on its own."""
        position = self._line.positions[step.before]
        most = max(way.visits for way in position.ways)
        others = [way for way in position.ways if way.move != step.move][:OTHERS]
        for way in others:
            after = position.board.copy()
            after.push(way.move)
            if self._cancelled() or after.is_over():
                break
            found = self._looked_at(after)
            best = found.candidates[0] if found.candidates else None
            value = -float(found.proof or (found.value if best is None else best.value))
            variation = (way.move, *(() if best is None else best.variation))
            position.ways[position.ways.index(way)] = Way(way.move, value, most, variation)
            if found.proof < 0:
                position.prove(1, way.move, variation)


def even_opening(board: Board) -> Way:
    """The first move that is fairest by the net, where it may be swapped: what it is worth to who makes it."""
    values = np.abs(values_after(on_cpu(QUICK), board))
    best = int(values.argmin())
    return Way(best, -float(values[best]), 1, (best,))


def _reviewed(line: Line, step: Step) -> messages.Reviewed | None:
    """What is known of a move; None while too little is."""
    position, outcome = line.positions[step.before], line.outcome(step)
    if outcome is None or position.worth is None:
        return None
    better = line.better(step)
    best, variation = (step.move, line.expected(step)) if better is None else (better.move, better.variation)
    named = [_name(position.board, move) for move in variation]
    # A position may be settled from what was looked at enough, and its best move be none of that: then nothing is lost.
    loss = 0.0 if better is None else min(2.0, max(0.0, position.worth - outcome))
    return messages.Reviewed(
        node=step.node,
        before=black_value(position.worth, step.colour),
        after=black_value(outcome, step.colour),
        loss=loss,
        best=_name(position.board, best),
        variation=named,
        proven=bool(position.proof) and (step.after is None or bool(line.positions[step.after].proof)),
    )


def _name(board: Board, move: int) -> str:
    return Special(move).text if move < 0 else board.name(move)


def _swap(line: Line) -> messages.Swap | None:
    """What there is to say of the swap, once the first stone has been judged."""
    step = next((step for step in line.steps if line.positions[step.before].board.can_swap), None)
    opening = next((step for step in line.steps if line.positions[step.before].is_opening), None)
    if opening is None or opening.after is None:
        return None
    after = line.positions[opening.after]
    board = after.board
    known = tables.openings(board.width, board.height).get(opening.move)
    name = board.name(opening.move)
    did = step is not None and step.move == SWAP
    answered = step is not None and step.after is not None
    if known is not None:
        value = 1.0 if known else -1.0
        why = f"On {board.width}x{board.height}, {name} {'wins' if known else 'loses'} for Black: that is proved."
    elif after.ways:
        value = -max(way.value for way in after.hopes(None) if way.move != SWAP)
        why = f"After {name}, Black would win about {50 + 50 * value:.0f}% of the games if White did not swap."
    else:
        return None
    should = value > 0
    if not answered:
        advice = f"White should {'swap' if should else 'not swap'}."
    elif did == should:
        advice = f"White was right {'to swap' if did else 'not to swap'}."
    else:
        advice = f"White should {'have swapped' if should else 'not have swapped'}."
    return messages.Swap(opening=name, value=value, should=should, did=did, text=f"{why} {advice}")
