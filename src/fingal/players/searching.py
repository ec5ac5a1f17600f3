"""What the players that search have in common: limits, the swap, openings, resignation, analysis."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal.game import RESIGN, SWAP, Board, Record
from fingal.players import clock, opening
from fingal.players.adjusted import Adjusted
from fingal.players.player import NO_LIMIT, Limit, Player, open_board
from fingal.players.pondering import Ponderer
from fingal.search import ending
from fingal.search.evaluator import Evaluator, Positions, check_size
from fingal.search.growing import Analysis, Search
from fingal.search.tree import Search as NetSearch
from fingal.search.tree import Settings

OPENING_SIMULATIONS = 64
"""So many say whether to swap where the board is larger than the net knows."""
ENDING_RATE = 10_000
"""Positions a second that the end of a game is searched with, at the least."""
LOOK = 0.02
"""Under a clock, a search is asked so often, in seconds, whether it has found enough."""
LEAST_SECONDS = 1e-6
"""What a search gets when there is no time: the position is judged, and no more."""
HURRY = 1.0
"""With less time than this, in seconds, a first move that may be swapped is made without judging them all."""

Opener = Callable[[Board, Callable[[], bool]], NDArray[np.float32] | None]
"""From an empty board to what it is worth after each first move, [cells], in the view of the side that then moves.

None when the other function, which says whether the time is over, did so before anything was known.
"""


@dataclass(frozen=True)
class Manner:
    """How a player makes a move of what a search or a net says."""

    temperature: float = 0.0
    """0 plays the best move; more draws moves with probability visits ** (1 / temperature)."""
    resign: float | None = None
    """Give up when the value, from -1 to 1, is below this; None never does."""
    seed: int | None = None
    """Start of the random numbers."""

    def __post_init__(self) -> None:
        """Refuse a threshold at which nobody would play."""
        if self.resign is not None and not -1 <= self.resign < 0:
            raise ValueError(f"resign={self.resign:g} is not possible: it is a value from -1 to below 0")


class SearchPlayer:
    """A player that searches. Its tree is kept from move to move; what is proven to win is won in the fewest moves."""

    def __init__(
        self,
        name: str,
        search: Callable[[int], Search],
        opener: Opener,
        default: Limit,
        manner: Manner | None = None,
        ponders: bool = False,
        evaluator: Evaluator | None = None,
        largest: int | None = None,
    ) -> None:
        """Search with what ``search`` makes of a seed, within ``default`` where no limit is given.

        ``opener`` judges Black's first move where White may swap. ``ponders`` says whether ``ponder`` does something.
        ``evaluator`` is the net of the search, where there is one. On boards with a longer side than ``largest``,
        openings are judged on a board with that side.
        """
        self.name = name
        self.ponders = ponders
        self._evaluator = evaluator
        self._largest = largest
        self.value: float | None = None
        """What the last search found the position worth."""
        self.meant: float | None = None
        """The seconds that the last move should have taken in all; None where it was not searched under a clock."""
        self.watch: Callable[[Search], None] = lambda search: None
        """Called every now and then while ``choose`` searches, in its thread: it may look at the search, or end it."""
        self._manner = manner or Manner()
        self._random = random.Random(self._manner.seed)
        self._opener = opener
        self._default = default
        self._search = search(self._random.getrandbits(62))
        self._ponderer = Ponderer(self._search)

    @classmethod
    def with_net(
        cls,
        name: str,
        evaluator: Evaluator,
        settings: Settings,
        default: Limit,
        manner: Manner | None = None,
        ponders: bool = False,
    ) -> SearchPlayer:
        """A player whose search asks an evaluator."""
        return cls(
            name,
            lambda seed: NetSearch(evaluator, settings, seed),
            lambda board, is_over: values_after(evaluator, board),
            default,
            manner,
            ponders,
            evaluator,
            opening.known_side(evaluator),
        )

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The search's move. It swaps where that is better, and opens evenly where the opponent may swap."""
        self.rest()
        board = open_board(record)
        self.value = self.meant = None
        try:
            if limit == NO_LIMIT:
                limit = self._default
            if may_be_swapped(board):
                return self._open(board, limit)
            began = time.monotonic()
            stone_wins = self._stone_wins(board, limit) if board.can_swap else False
            if stone_wins:
                self._search.set_position(board)
                self._search.finish(simulations=1)  # whoever looks at the search finds this position
                return SWAP
            found = self._look(board, limit, began)
            self.value = found.value
            # Mirrored, the position is the opponent's: a swap makes of a value its negative.
            if stone_wins is None and found.value < 0:
                return SWAP
            # Where the swap decides, whoever may still swap has won, whatever the search says.
            is_won = board.can_swap and opening.proven_to_win(board) is not None
            if self._manner.resign is not None and found.value < self._manner.resign and not is_won:
                return RESIGN
            if found.proof != 0:
                return self._last_moves(board, found, limit)
            return self._drawn(found) if self._manner.temperature > 0 else self._search.best_move()
        finally:
            self._search.take_back_interrupt()

    def analyse(self, record: Record, limit: Limit | None = None) -> Generator[Search, None, None]:
        """Search on and on, or to a limit; gives the search after every batch, to be asked for its ``analysis()``.

        The swap is left out of account. ValueError when the game is over. It ends when nothing is left to be found,
        on ``interrupt()``, and when the caller stops asking.
        """
        self.rest()
        self._search.set_position(open_board(record))
        limit = limit or NO_LIMIT
        for _ in self._search.run(limit.simulations, limit.seconds, limit.nodes):
            yield self._search
        yield self._search

    @property
    def search(self) -> Search:
        """The search, to be looked at between two moves."""
        return self._search

    @property
    def default(self) -> Limit:
        """What a move may cost where nothing else is said."""
        return self._default

    def ponder(self, record: Record) -> None:
        """Search on while the opponent thinks at the end of the record, until ``rest`` or the next question.

        Only a player that ``ponders`` does; ValueError when the game is over.
        """
        if self.ponders:
            self._ponderer.start(open_board(record))

    def rest(self) -> None:
        """Ponder no more; nothing is at work when this returns."""
        self._ponderer.stop()

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError for a board that the net, where there is one, does not evaluate."""
        if self._evaluator is not None:
            check_size(self._evaluator, width, height)

    def interrupt(self) -> None:
        """End the search under way, or the next one, soon."""
        self._search.interrupt()

    def close(self) -> None:
        """Ponder no more, and let go of the tree."""
        self.rest()
        self._search.clear()

    def _open(self, board: Board, limit: Limit) -> int:
        """A first move near even."""
        share = None if limit.clock is None else clock.share(limit.clock, board.cells, limit.moves)
        if share is not None and share.most < HURRY:
            return customary_opening(board)
        end = time.monotonic() + min(
            math.inf if limit.seconds is None else limit.seconds, math.inf if share is None else share.usual
        )
        side = board.width if self._largest is None else min(self._largest, board.width)
        judged = board if side == board.width else Board(side, swap=True)
        values = self._opener(judged, lambda: time.monotonic() >= end or self._search.is_interrupted)
        if values is None:
            return customary_opening(board)
        return opening.moved(even_opening(values, self._manner.temperature, self._random), side, board.width)

    def _stone_wins(self, board: Board, limit: Limit) -> bool | None:
        """Whether the first stone is worth having where the search of the board itself should not say: None elsewhere.

        By proof on small boards; on those larger than the net knows, by a short search of a smaller one.
        """
        proven = opening.proven_to_win(board)
        if proven is not None or self._largest is None or self._largest >= board.width:
            if proven:
                self.value = -1.0
            return proven
        bounds = [] if limit.seconds is None else [limit.seconds / 2]
        if limit.clock is not None:
            bounds.append(max(clock.share(limit.clock, board.cells, limit.moves).usual, LEAST_SECONDS))
        seconds = min(bounds, default=None)
        self._search.set_position(opening.smaller(board, self._largest))
        found = self._search.finish(OPENING_SIMULATIONS, seconds)
        if found.visits < OPENING_SIMULATIONS and found.proof == 0:
            self._search.interrupt()  # there was no time for this, so there is none for more
        self.value = found.value
        return found.value < 0

    def _look(self, board: Board, limit: Limit, began: float) -> Analysis:
        """Search within a limit, of which all time since ``began`` is gone already."""
        gone = time.monotonic() - began
        seconds = None if limit.seconds is None else max(LEAST_SECONDS, limit.seconds - gone)
        search = self._search
        search.set_position(board)
        if limit.clock is None:
            return search.finish(limit.simulations, seconds, limit.nodes, lambda: self.watch(search))
        timed = _Timed(search, clock.share(max(0.0, limit.clock - gone), len(board.empty_cells), limit.moves))

        def look() -> None:
            timed.look()
            self.watch(search)

        most = min(timed.share.most, math.inf if seconds is None else seconds)
        found = search.finish(limit.simulations, max(most, LEAST_SECONDS), limit.nodes, look)
        # Threads are looked at seldom, but keep a limit to a batch: only that much of what passed can be late.
        self.meant = gone + min(most, max(timed.wanted, found.seconds - search.longest_step))
        return found

    def _last_moves(self, board: Board, found: Analysis, limit: Limit) -> int:
        """Where the result is proven: the move that wins soonest, or that loses latest."""
        nodes = ending.NODES
        if limit.clock is not None:
            usual = clock.share(limit.clock, len(board.empty_cells), limit.moves).usual
            nodes = int(min(nodes, ENDING_RATE * usual))
        if found.proof > 0:
            win = ending.fewest_moves(board, nodes)
            return self._search.best_move() if win is None else win[1]
        longest = ending.longest_defence(board, nodes)
        hardest = [candidate.move for candidate in found.candidates if candidate.move in longest]
        return (hardest or longest)[0]

    def _drawn(self, found: Analysis) -> int:
        """A move drawn by visits; what is proven to lose is not drawn."""
        hopeful = [candidate for candidate in found.candidates if candidate.proof == 0 and candidate.visits > 0]
        if not hopeful:
            return self._search.best_move()
        most = max(candidate.visits for candidate in hopeful)
        weights = [(candidate.visits / most) ** (1 / self._manner.temperature) for candidate in hopeful]
        return self._random.choices(hopeful, weights)[0].move


class _Timed:
    """A search under a clock: it is ended when its move has had what it should get."""

    def __init__(self, search: Search, share: clock.Share) -> None:
        self.share = share
        self.wanted = share.most
        """Seconds, as far as is known."""
        self._search = search
        self._began = self._looked = time.monotonic()
        self._visits, self._value = search.visits, search.value

    def look(self) -> None:
        """End the search if it need not go on."""
        now = time.monotonic()
        if now < self._looked + LOOK:
            return
        self._looked, search = now, self._search
        if self._value is None:
            self._value = search.value
        moves, best, second, gap = search.rivals()
        fall = (self._value or 0.0) - (search.value or 0.0)
        spent = now - self._began
        rate = (search.visits - self._visits) / spent
        doubt = clock.Doubt(moves, best, second, gap, fall)
        self.wanted = clock.wanted(self.share, doubt)
        if clock.is_enough(self.wanted, doubt, spent, rate):
            search.interrupt()


def searching(player: Player) -> SearchPlayer | None:
    """The player that searches in a player, whatever stands around it; None when there is none."""
    while isinstance(player, Adjusted):
        player = player.player
    return player if isinstance(player, SearchPlayer) else None


def may_be_swapped(board: Board) -> bool:
    """Whether the opponent may answer the next move with a swap."""
    if not board.swap or board.ply > 0 or len(board.empty_cells) < board.cells:
        return False
    after = board.copy()
    after.push(0)
    return after.can_swap


def customary_opening(board: Board) -> int:
    """A first move that people take for even where the opponent may swap: b4, or a2 on small boards."""
    return board.cell("b4" if min(board.width, board.height) >= 9 else "a2")


def even_opening(values: NDArray[np.float32], temperature: float, rng: random.Random) -> int:
    """The first move whose value, [cells], is nearest to even: the opponent takes whichever side is better.

    With a temperature it is drawn with probability exp(-|value| / temperature), over their sum.
    """
    value = np.abs(values)
    return draw(-value, temperature, rng) if temperature > 0 else int(value.argmin())


def draw(scores: NDArray[np.floating], temperature: float, rng: random.Random) -> int:
    """An index of ``scores`` drawn with probability exp(score / temperature), over their sum."""
    ahead = scores.astype(np.float64) - scores.max()  # the best has weight 1, however low the temperature is
    with np.errstate(over="ignore"):
        weights = np.exp(ahead / temperature)
    return rng.choices(range(len(weights)), weights.tolist())[0]


def values_after(evaluator: Evaluator, board: Board) -> NDArray[np.float32]:
    """What an empty board is worth after each first move, [cells], in the view of the side that then moves."""
    cells, words = board.cells, (board.cells + 63) // 64
    stones = np.zeros((2, cells, words), np.uint64)
    index = np.arange(cells)
    stones[int(board.turn), index, index // 64] = np.uint64(1) << (index % 64).astype(np.uint64)
    white = np.full(cells, int(board.turn) == 0)
    return evaluator(Positions(board.width, board.height, stones, white, index.astype(np.int32))).value


def limit_of(sims: int, time: float | None, nodes: int | None) -> Limit:
    """What a player's settings say of a move's cost: the simulations count only where nothing else is said."""
    given = time is not None or nodes is not None
    return Limit(None if given else sims, time, nodes)
