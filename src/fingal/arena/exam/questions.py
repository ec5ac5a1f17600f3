"""The exam's positions with their answers: the sets that come with Fingal, and all positions of the smallest boards.

A set is a text, one question a line: where it comes from, the moves that lead there, Black's first, and the moves
that win (``-`` when none does)::

    expert b3c2d4 b4c4
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

import numpy as np

from fingal.arena.exam.enumeration import Enumeration
from fingal.game import Board, Record

SIZES = (3, 4, 5, 6, 7)
"""The boards that there is an exam for."""

SEED = 1
"""The seed of the sets that come with Fingal."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position and every move that wins in it."""

    source: str
    """'random' or 'expert': whose game it is from; 'all' for one of a list of all positions."""
    moves: tuple[int, ...]
    """How it came about, Black's move first."""
    winning: tuple[int, ...]
    """() when the side to move has lost."""

    def record(self, size: int) -> Record:
        """The game so far."""
        return Record.of(list(self.moves), size)


def write(questions: Iterable[Question], size: int) -> str:
    """A set as text."""
    board = Board(size)

    def names(moves: tuple[int, ...]) -> str:
        return "".join(board.name(move) for move in moves) or "-"

    return "".join(f"{asked.source} {names(asked.moves)} {names(asked.winning)}\n" for asked in questions)


def read(text: str, size: int) -> list[Question]:
    """A set from its text; ValueError when a line is no question on a board of this size."""
    board = Board(size)
    questions = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        source, *parts = line.split(" ")
        if len(parts) != 2:
            raise ValueError(f"{line[:60]!r} is no question: its source, its moves and its answer are expected")
        moves, winning = (tuple(board.cell(name) for name in re.findall("[a-z][0-9]+", part)) for part in parts)
        questions.append(Question(source, moves, winning))
    return questions


def shipped(size: int) -> list[Question]:
    """The set that comes with Fingal, for 5x5 to 7x7."""
    file = resources.files(__package__).joinpath("sets", f"{size}x{size}.txt")
    return read(file.read_text(encoding="utf-8"), size)


def every(listed: Enumeration) -> Iterator[Question]:
    """All positions of a small board, won and lost, by number of stones."""
    rng = random.Random(SEED)
    for level in listed.levels:
        for stones in listed.stones(level.codes):
            yield _question(listed, stones, rng)


def sample(listed: Enumeration, count: int, seed: int) -> list[Question]:
    """Positions of a small board, each drawn from all of them with the same probability."""
    rng = np.random.default_rng(seed)
    sizes = [len(level.codes) for level in listed.levels]
    shuffle = random.Random(seed)
    drawn = np.sort(rng.choice(sum(sizes), min(count, sum(sizes)), replace=False))
    codes = np.concatenate([level.codes for level in listed.levels])[drawn]
    questions = [_question(listed, stones, shuffle) for stones in listed.stones(codes)]
    shuffle.shuffle(questions)
    return questions


def _question(listed: Enumeration, stones: np.ndarray[tuple[int], np.dtype[np.uint8]], rng: random.Random) -> Question:
    """The stones in some order: every order is a game, since nobody has won."""
    black, white = (np.flatnonzero(stones == colour).tolist() for colour in (1, 2))
    rng.shuffle(black)
    rng.shuffle(white)
    moves = [move for pair in zip(black, white, strict=False) for move in pair]
    if len(black) > len(white):
        moves.append(black[-1])
    board = Board(listed.width, listed.height)
    for move in moves:
        board.push(move)
    return Question("all", tuple(moves), listed.winning(board))
