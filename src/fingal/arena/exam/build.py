"""Draw questions; ``python -m fingal.arena.exam.build`` draws the sets that come with Fingal anew.

Every question has random numbers of its own, so that a set's first questions are the same however many there are.
Nothing in it depends on limits or on nets: a set is the same wherever and whenever it is drawn.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from fingal.arena.exam.oracle import SOLVABLE, Oracle, expert_move, oracle
from fingal.arena.exam.questions import SEED, Question, write
from fingal.game import Board

FOLDER = Path(__file__).with_name("sets")

COUNT = 1000
"""Questions in a set: half from random games, half from experts'."""

RANDOM_STONES = 3
"""An expert game begins with one to three random moves, so that no two are alike."""


def draw(size: int, seed: int) -> Iterator[Question]:
    """Questions without end, from random and expert games in turn, no two with the same position."""
    known = oracle(size, size)
    seen: set[Board] = set()
    number = 0
    while True:
        rng = random.Random(f"exam {size} {seed} {number}")
        source = ("random", "expert")[number % 2]
        board = _position(size, source == "expert", known, rng)
        while board in seen:
            board = _position(size, source == "expert", known, rng)
        seen.add(board)
        winning = known.winning(board)
        assert winning is not None
        yield Question(source, tuple(board.moves), winning)
        number += 1


def _position(size: int, expert: bool, known: Oracle, rng: random.Random) -> Board:
    """A game up to a move whose number is drawn first; a game that ends before it is drawn again, number and all."""
    while True:
        board = Board(size)
        first = max(0, board.cells - SOLVABLE)
        stones = rng.randint(1, RANDOM_STONES) if expert else board.cells
        length = rng.randrange(max(first, stones + 1 if expert else 0), board.cells)
        while board.ply < length and not board.is_over():
            if board.ply < stones:
                board.push(rng.choice(board.empty_cells))
            else:
                board.push(expert_move(board, known, rng))
        if not board.is_over():
            return board


def build(size: int) -> None:
    """Draw the set of a size and write it."""
    questions = []
    for question in draw(size, SEED):
        questions.append(question)
        if len(questions) % 50 == 0:
            print(f"{size}x{size}: {len(questions)} of {COUNT}", file=sys.stderr, flush=True)
        if len(questions) == COUNT:
            break
    FOLDER.mkdir(exist_ok=True)
    head = f"# {size}x{size}, seed {SEED}: source, moves, winning moves. Drawn by fingal.arena.exam.build.\n"
    (FOLDER / f"{size}x{size}.txt").write_text(head + write(questions, size), encoding="utf-8")


if __name__ == "__main__":
    for side in map(int, sys.argv[1:] or ("5", "6", "7")):
        build(side)
