"""The teacher: was a move a mistake, and what would a strong player do? Each with a sentence for a reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fingal.analysis.connections import EDGES, Connections, must_play
from fingal.game import SWAP, Board, Record
from fingal.players.player import Limit, open_board
from fingal.serve.web import messages
from fingal.serve.web.knowledge import Solvers
from fingal.serve.web.line import Line, Position, Way
from fingal.serve.web.review import PLAYER, Reviewer, even_opening, searcher_of
from fingal.serve.web.seen import black_value

FALL = 0.5
"""A move that loses so much of the value, a quarter of the win rate, is pointed out."""
SIMULATIONS = 60
"""For each position that is looked at, when a move is judged."""
ADVISED = 240
"""For a hint: one position, and what the teacher recommends must not be what a review calls a mistake."""
SECONDS = 1.0
"""The solver's, for one answer."""

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Lesson:
    """Why a move was a mistake."""

    loss: float
    """From 0 to 2."""
    better: int
    """A cell or ``SWAP``."""
    reason: str
    carrier: tuple[int, ...]
    """The cells that the opponent's winning connection needs; () where none proves it."""

    def message(self, record: Record, game: str, node: int) -> messages.Warned:
        """The same for a page; ``node`` is the number of the move's node."""
        carrier = [record.name(cell) for cell in self.carrier]
        better = record.name(self.better)
        return messages.Warned(game=game, node=node, loss=self.loss, better=better, reason=self.reason, carrier=carrier)


@dataclass(frozen=True, slots=True)
class Tip:
    """What to play, and why."""

    move: int
    """A cell or ``SWAP``."""
    value: float
    """Of the position, Black's view."""
    reason: str

    def message(self, record: Record, request: int, node: int) -> messages.Advice:
        """The same for a page."""
        move = record.name(self.move)
        return messages.Advice(request=request, node=node, move=move, value=self.value, reason=self.reason)


class Teacher:
    """Looks at single moves, for a second or so. It may be used from any thread."""

    def __init__(self, solvers: Solvers | None = None) -> None:
        """``solvers`` may be shared with others."""
        self._solvers = solvers or Solvers()

    def mistake(self, record: Record, cancelled: Cancelled = lambda: False) -> Lesson | None:
        """Whether the last move of a record's main line loses what was won, or much of it; None when it does not."""
        line = Line.of(record, range(len(record.main_line))).last()
        if line is None or line.steps[0].after is None:
            return None
        step = line.steps[0]
        with self._reviewer(line, cancelled) as reviewer:
            for _ in reviewer.work():
                if cancelled():
                    return None
        line.settle()
        better, outcome, worth = line.better(step), line.outcome(step), line.positions[0].worth
        if better is None or outcome is None or worth is None or worth - outcome <= FALL:
            return None
        carrier: frozenset[int] = frozenset()
        if line.positions[1].proof > 0 and step.move != SWAP:
            carrier = winning_carrier(line.positions[1].board)
        return Lesson(min(2.0, worth - outcome), better.move, _why(line, better, carrier), tuple(sorted(carrier)))

    def hint(self, record: Record, cancelled: Cancelled = lambda: False) -> Tip:
        """What to play at the end of a record's main line; ValueError when the game there is over."""
        board = open_board(record)
        line = Line([Position(board)], [])
        position = line.positions[0]
        if position.is_opening:
            way = even_opening(board)
            reason = f"{board.name(way.move)} is about even, so that a swap gains little."
            return Tip(way.move, black_value(way.value, board.turn), reason)
        with self._reviewer(line, cancelled, ADVISED) as reviewer:
            for _ in reviewer.work():
                if cancelled():
                    break
            if position.proof < 0 or not (position.proof or position.ways):
                # Nothing wins: the search knows at least what is hardest to refute.
                reviewer.search(position)
        line.settle()
        move, reason = _advice(position)
        return Tip(move, black_value(position.worth or 0.0, board.turn), reason)

    @contextmanager
    def _reviewer(self, line: Line, cancelled: Cancelled, simulations: int = SIMULATIONS) -> Iterator[Reviewer]:
        searcher = searcher_of(PLAYER)
        try:
            yield Reviewer(line, searcher, Limit(simulations=simulations), self._solvers, cancelled, SECONDS)
        finally:
            searcher.close()


def winning_carrier(board: Board) -> frozenset[int]:
    """The cells by which the side to move joins its edges, as connections prove it; none where they do not."""
    found = Connections(board, board.turn)
    if found.won:
        return found.winning_carrier() or frozenset()
    return min(found.semi(*EDGES[board.turn]), key=len, default=frozenset())


def _why(line: Line, better: Way, carrier: Collection[int]) -> str:
    """The reason why a move was a mistake."""
    before, after = line.positions
    step, board = line.steps[0], before.board
    move, best = _spoken(board, step.move), _spoken(board, better.move)
    opponent = str(step.colour.other).capitalize()
    if before.is_opening:
        return f"{move} is too one-sided where {opponent} may swap: {best} is more even."
    if before.proof > 0 and after.proof > 0:
        edges = " and ".join(EDGES[step.colour.other])
        how = f"{opponent} can now join {edges} through the marked cells" if carrier else f"{opponent} now wins"
        won = "to swap would have won" if better.move == SWAP else f"{best} would have won"
        return f"{move} loses a won position: {how}. That is proved, and so is that {won}."
    outcome = line.outcome(step)
    assert outcome is not None
    assert before.worth is not None
    if after.proof > 0:
        edges = " and ".join(EDGES[step.colour.other])
        how = f"join {edges} through the marked cells" if carrier else "win by force"
        return f"After {move}, {opponent} can {how}. {_better(best, better)}"
    chances = f"your chances fall from {_percent(before.worth)} to {_percent(outcome)}"
    return f"After {move}, {chances}. {_better(best, better)}"


def _better(best: str, better: Way) -> str:
    return "To swap was better." if better.move == SWAP else f"{best} was better."


def _advice(position: Position) -> tuple[int, str]:
    """A move and the reason for it."""
    board = position.board
    opponent = str(board.turn.other).capitalize()
    if position.proof > 0 and position.winning is not None:
        return position.winning, _winning(position, position.winning)
    hopes = position.hopes(None)
    must = must_play(board)
    if must is not None:
        hopes = [way for way in hopes if way.move == SWAP or way.move in must] or hopes
    best = max(hopes, key=lambda way: way.value, default=None)
    if best is None:
        return board.empty_cells[0], "Nothing is known of this position."
    name = board.name(best.move)
    if position.proof < 0:
        return best.move, f"{opponent} wins against any move: that is proved. {name} makes it as hard as possible."
    if best.move == SWAP:
        return best.move, f"Swap: {opponent}'s stone is worth more than the move."
    chance = f"it wins about {_percent(best.value)} of the games"
    if must is not None and len(must) == 1:
        return best.move, f"{name} is the only move that stops {opponent}; {chance}."
    if must is not None and len(must) <= len(board.empty_cells) // 2:
        return best.move, f"{opponent} threatens to connect: of the {len(must)} moves that stop it, {name} is best."
    visits = sum(way.visits for way in position.ways)
    return best.move, f"{name} is the best move by a search of {visits} positions: {chance}."


def _winning(position: Position, move: int) -> str:
    board = position.board
    opponent, edges = str(board.turn.other).capitalize(), " and ".join(EDGES[board.turn])
    if move == SWAP:
        return f"Swap: {opponent}'s stone wins. That is proved."
    after = board.copy()
    after.push(move)
    name = board.name(move)
    if after.is_over():
        return f"{name} joins {edges}."
    if Connections(after, board.turn).won:
        return f"{name} wins: {edges} are then connected, whatever {opponent} plays."
    return f"{name} wins: that is proved."


def _spoken(board: Board, move: int) -> str:
    """'a1', 'the swap'."""
    return "the swap" if move == SWAP else board.name(move)


def _percent(value: float) -> str:
    """A value in [-1, 1] as a win rate."""
    return f"{50 + 50 * value:.0f}%"
