"""A player sits the exam: every question, every opening, then the positions of its own games."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator

import numpy as np

from fingal.arena.exam import build, games
from fingal.arena.exam.enumeration import MOST_CELLS, Enumeration, enumeration
from fingal.arena.exam.marks import Answer, Marks
from fingal.arena.exam.oracle import Oracle, keeps_win, oracle
from fingal.arena.exam.questions import SEED, SIZES, Question, every, sample, shipped
from fingal.arena.play import Absent
from fingal.game import BLACK, RESIGN, WHITE, Board, Record
from fingal.players import spec
from fingal.players.adjusted import has_values
from fingal.players.player import NO_LIMIT, Drawing, Limit, Player, PlayerError, ask, judgement
from fingal.ranges import shown

SAMPLE = 2000
"""How many positions of 4x4 are drawn where not all are asked for: there are 8,188,705."""

GAMES = 50
"""About so many won openings are played: every one as often as that needs, and once at least."""

OWN_GAMES = 30
"""Games against random moves."""

SECONDS = 10.0
"""What the solver may spend on a position of the player's own games."""

CHUNK = 200_000
"""Positions whose probabilities are asked for at once."""

Progress = Callable[[str, int, int], None]
"""Told what is under way, how much of it is done, and of how much."""


class Sitting:
    """One player's exam on one size of board."""

    def __init__(
        self,
        text: str,
        size: int,
        *,
        seed: int = SEED,
        positions: int | None = None,
        every_position: bool = False,
        limit: Limit = NO_LIMIT,
        make: Callable[[str], Player] = spec.make,
    ) -> None:
        """Prepare an exam; ValueError, in one sentence, when there is none for this size.

        ``positions`` is how many are asked about, the whole set if not given. With ``every_position`` all of a small
        board are, won and lost.
        """
        if size not in SIZES:
            raise ValueError(f"there is no exam on {size}x{size}: the answers are known for 3x3, 4x4, 5x5, 6x6 and 7x7")
        if positions is not None and positions < 1:
            raise ValueError(f"an exam with {shown(positions)} positions is not possible: at least 1")
        if positions is not None and every_position:
            raise ValueError(f"positions={shown(positions)} is not possible with every, which asks about all there are")
        if seed < 0:
            raise ValueError(f"seed={shown(seed)} is not possible: it is 0 or more")
        if every_position and size * size > MOST_CELLS:
            raise ValueError(f"{size}x{size} has too many positions to ask about each: that is possible on 3x3 and 4x4")
        self._text, self._make, self._limit = text, make, limit
        self._positions, self._every = positions, every_position or (size == 3 and positions is None)
        self._player = make(text)
        self.marks = Marks(text, size, "", seed)

    def sit(self, progress: Progress = lambda what, done, total: None) -> Marks:
        """Ask everything; what there is so far is in ``marks``.

        ValueError when the player does not play this size, PlayerError when it fails at the first question.
        """
        begun = time.monotonic()
        marks, size = self.marks, self.marks.size
        try:
            small = enumeration(size, size) if size * size <= MOST_CELLS else None
            known = oracle(size, size)
            if small is not None and isinstance(self._player, Drawing) and self._positions is None:
                self._compute(self._player, small, progress)
            else:
                self._ask(*self._questions(small), progress)
            self._convert(known, progress)
            self._own_games(known, progress)
            marks.finished = True
        finally:
            marks.seconds = time.monotonic() - begun
            self._player.close()
        return marks

    def _questions(self, small: Enumeration | None) -> tuple[Iterator[Question], int]:
        """The questions and how many they are."""
        marks = self.marks
        if small is not None:
            total = sum(len(level.codes) for level in small.levels)
            if self._every:
                marks.asked = f"all {total:,}"
                return every(small), total
            drawn = sample(small, self._positions or SAMPLE, marks.seed)
            marks.asked = f"{len(drawn):,} drawn from all {total:,}"
            return iter(drawn), len(drawn)
        count = self._positions or build.COUNT
        if marks.seed == SEED and count <= build.COUNT:
            marks.asked = f"{count:,} that come with Fingal"
            return iter(shipped(marks.size)[:count]), count
        marks.asked = f"{count:,} drawn with seed {marks.seed}"
        return itertools.islice(build.draw(marks.size, marks.seed), count), count

    def _compute(self, player: Drawing, small: Enumeration, progress: Progress) -> None:
        """All positions of a small board at once, from the probabilities of the moves."""
        marks = self.marks
        total = sum(len(level.codes) for level in small.levels)
        marks.asked, marks.exact = f"all {total:,}", True
        done = 0
        for level in small.levels:
            for start in range(0, len(level.codes), CHUNK):
                part = slice(start, start + CHUNK)
                codes, keeping = level.codes[part], level.keeping[part]
                kept = (player.probabilities(small.positions(codes)) * small.winning_cells(codes)).sum(axis=1)
                sums, counts = np.bincount(keeping, kept), np.bincount(keeping)
                for number in np.flatnonzero(counts).tolist():
                    score, seen = marks.totals.get(number, (0.0, 0))
                    marks.totals[number] = score + float(sums[number]), seen + int(counts[number])
                done += len(codes)
                progress("positions", done, total)
        marks.lost = marks.totals.pop(0, (0.0, 0))[1]

    def _ask(self, questions: Iterator[Question], total: int, progress: Progress) -> None:
        """Ask about every position. A lost one tells only about values: who has none is not asked about it."""
        marks, judges = self.marks, has_values(self._player)
        for number, question in enumerate(questions, 1):
            if question.winning or judges:
                record = question.record(marks.size)
                move = self._choose(record)
                kept, value = float(move in question.winning), judgement(self._player)
                marks.answers.append(Answer(question.source, len(question.winning), kept, value))
            else:
                marks.lost += 1
            progress("positions", number, total)

    def _choose(self, record: Record) -> int:
        try:
            return ask(self._player, record, record.board(), self._limit)
        except PlayerError as error:
            if not self.marks.answers:
                # Who fails at the first question, on a board of this size for example, need not be asked on.
                raise
            self._fail(str(error))
            return RESIGN

    def _fail(self, reason: str) -> None:
        """A failure counts as a wrong answer; the player is made anew, and while it cannot be, it fails again."""
        self.marks.failures.append(reason)
        self._player.close()
        try:
            self._player = self._make(self._text)
        except PlayerError as error:
            self._player = Absent(self._text, str(error))

    def _convert(self, known: Oracle, progress: Progress) -> None:
        """Play every won opening against a perfect defender; each game gives one position of the player's own."""
        marks = self.marks
        cells = marks.size**2
        openings = list(range(cells)) * max(1, round(GAMES / cells))
        for number, opening in enumerate(openings):
            rng = random.Random(f"convert {marks.size} {marks.seed} {number}")
            game = games.convert(self._player, opening, marks.size, known, rng, self._limit)
            marks.converted.append(game.won)
            if game.failure:
                self._fail(game.failure)
            if game.turns:
                # Every position was won, and only the last move may have let the win go.
                marks.own.append(float(game.won or rng.randrange(len(game.turns)) < len(game.turns) - 1))
            progress("won openings", number + 1, len(openings))

    def _own_games(self, known: Oracle, progress: Progress) -> None:
        marks = self.marks
        for number in range(OWN_GAMES):
            rng = random.Random(f"own {marks.size} {marks.seed} {number}")
            game = games.against_random(self._player, (WHITE, BLACK)[number % 2], marks.size, rng, self._limit)
            if game.failure:
                self._fail(game.failure)
            if game.turns:
                self._mark(*rng.choice(game.turns), known)
            progress("own games", number + 1, OWN_GAMES)

    def _mark(self, board: Board, move: int, known: Oracle) -> None:
        """Mark one position of an own game: those of one game are too much alike to count as many."""
        won = known.wins(board, SECONDS)
        kept = bool(won) and move != RESIGN and keeps_win(board, move, known, SECONDS)
        if won is None or kept is None:
            self.marks.unsolved += 1
        elif not won:
            self.marks.own_lost += 1
        else:
            self.marks.own.append(float(kept))
