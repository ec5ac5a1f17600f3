"""Puzzles: positions in which exactly one move wins, and why it does, and why the others do not.

``puzzles.jsonl`` holds them, a line each; ``puzzle_build`` makes it. What is told of a puzzle before somebody has
answered it does not hold the answer.
"""

from __future__ import annotations

import functools
import json
import threading
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from fastapi import APIRouter

from fingal.analysis.connections import EDGES, Connections
from fingal.game import Board, Colour, formats
from fingal.serve.web.messages import Cell, ColourName, Said, colour_name
from fingal.serve.web.refusal import Refusal
from fingal.solve.dfpn import Settings, Solver

FILE = Path(str(resources.files("fingal.serve.web").joinpath("puzzles.jsonl")))

MEMORY = 16
"""Megabytes for the table of a solver that explains: the positions are small."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One of them."""

    id: str
    """The same however often the file is made: it follows from the position."""
    position: str
    """A size and the moves of the game so far: '5 c3 b4 d2'."""
    turn: str
    """'black' or 'white'."""
    answer: str
    grade: int
    """From 1, which nearly every player finds, to 5, which hardly any does."""
    missed: int
    """How many of those asked did not find it."""
    asked: int

    @property
    def size(self) -> int:
        """Of the board, which is square."""
        return int(self.position.split()[0])

    def board(self) -> Board:
        """The position."""
        return formats.position(self.position).board()

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self))


class Listed(Said):
    """A puzzle in the list."""

    id: str
    width: int
    height: int
    grade: int


class List(Said):
    """All of them, the easy ones first."""

    puzzles: list[Listed]


class Question(Said):
    """A puzzle, without its answer."""

    id: str
    width: int
    height: int
    grade: int
    missed: int
    asked: int
    turn: ColourName
    stones: dict[ColourName, list[Cell]]
    last: Cell | None
    """The move that led here."""
    position: str
    """The moves of the game so far, as a text that can be read as a game."""


class Tried(Said):
    """A move to try, or None to be shown the answer."""

    move: Cell | None


class Explained(Said):
    """What becomes of a move."""

    right: bool
    only: Cell | None
    """The winning move, once it was found or asked for."""
    text: str
    carrier: list[Cell]
    """What the connection of who wins needs, whichever side that is; empty where none shows it."""
    winner: ColourName
    """Of the position after the move, and of who made the connection."""
    reply: Cell | None
    """The opponent's winning reply to a wrong move."""
    variation: list[Cell]
    """How it goes on after the move, and after the reply if there is one, as the solver expects it."""


@functools.cache
def load(file: Path = FILE) -> dict[str, Puzzle]:
    """The puzzles of a file by name, the easy ones first."""
    puzzles = (Puzzle(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines())
    return {puzzle.id: puzzle for puzzle in puzzles}


def question(puzzle: Puzzle) -> Question:
    """What may be known of a puzzle before it is answered."""
    board = puzzle.board()
    stones: dict[ColourName, list[Cell]] = {
        "black": _of_colour(board, Colour.BLACK),
        "white": _of_colour(board, Colour.WHITE),
    }
    return Question(
        id=puzzle.id,
        width=board.width,
        height=board.height,
        grade=puzzle.grade,
        missed=puzzle.missed,
        asked=puzzle.asked,
        turn=colour_name(board.turn),
        stones=stones,
        last=board.name(board.moves[-1]) if board.moves else None,
        position=puzzle.position,
    )


_one_at_a_time = threading.Lock()
"""A solver takes memory and a core: however many people answer, one explanation is worked out at a time."""


def explain(puzzle: Puzzle, move: int | None) -> Explained:
    """What becomes of a legal move, or of the answer for None; worked out once and then remembered."""
    with _one_at_a_time:
        return _explain(puzzle, move)


@functools.lru_cache(maxsize=4096)
def _explain(puzzle: Puzzle, move: int | None) -> Explained:
    board = puzzle.board()
    mover, answer = board.turn, board.cell(puzzle.answer)
    solver = Solver(board.width, board.height, Settings(memory=MEMORY))
    if move is None or move == answer:
        return _right(board, answer, solver, shown=move is None)
    tried = board.name(move)
    board.push(move)
    other = _title(mover.other)
    joined = Connections(board, mover.other).winning_carrier()
    if joined is not None:
        text = f"{tried} loses. {other} need not even answer: its edges are joined through the marked cells."
        return _said(board, solver, text, winner=mover.other, carrier=joined)
    reply = _reply(board, solver)
    board.push(reply)
    said = f"{tried} loses: {other} plays {board.name(reply)}"
    if board.winner is not None:
        return _said(board, solver, f"{said} and has joined its edges.", winner=mover.other, reply=reply)
    carrier, joined_now = _held(board, mover.other, solver)
    if joined_now:
        text = f"{said}, and its edges are joined through the marked cells, whatever {_title(mover)} does."
    else:
        text = f"{said}, and wins within the marked cells, whatever {_title(mover)} does: so the solver proves."
    return _said(board, solver, text, winner=mover.other, carrier=carrier, reply=reply)


def _right(board: Board, answer: int, solver: Solver, *, shown: bool) -> Explained:
    """The only winning move, made on a board."""
    mover, name = board.turn, board.name(answer)
    board.push(answer)
    begin = f"{name} is the only move that wins." if shown else f"{name} is right, and nothing else wins."
    carrier, joined = _held(board, mover, solver)
    within = f"to every move of {_title(mover.other)}'s in the marked cells there is an answer"
    how = f"{_title(mover)}'s edges are joined: {within}." if joined else f"So the solver proves: {within}."
    return _said(board, solver, f"{begin} {how}", winner=mover, carrier=carrier, right=not shown, only=name)


def _said(
    board: Board,
    solver: Solver,
    text: str,
    *,
    winner: Colour,
    carrier: frozenset[int] = frozenset(),
    reply: int | None = None,
    right: bool = False,
    only: Cell | None = None,
) -> Explained:
    """All that is told of a move, on the board after it and after the reply."""
    variation = () if board.is_over() else solver.solve(board).variation
    return Explained(
        right=right,
        only=only,
        text=text,
        carrier=[board.name(cell) for cell in sorted(carrier)],
        winner=colour_name(winner),
        reply=None if reply is None else board.name(reply),
        variation=[board.name(cell) for cell in variation],
    )


def _held(board: Board, winner: Colour, solver: Solver) -> tuple[frozenset[int], bool]:
    """The cells that a winner who is not to move needs, and whether they join its edges by a connection.

    Otherwise they are those of the solver's proof: what happens elsewhere does not matter to it.
    """
    carrier = Connections(board, winner).winning_carrier()
    if carrier is not None:
        return carrier, True
    return frozenset(cell for cell in solver.finding(board).proof if board.is_legal(cell)), False


def _reply(board: Board, solver: Solver) -> int:
    """A winning reply: one that makes a connection with the smallest carrier that there is, else the solver's."""
    own = Connections(board, board.turn)
    found: list[tuple[int, int]] = []
    for key in sorted({cell for carrier in own.semi(*EDGES[board.turn]) for cell in carrier}):
        after = board.copy()
        after.push(key)
        carrier = Connections(after, board.turn).winning_carrier() if after.winner is None else frozenset()
        if carrier is not None:
            found.append((len(carrier), key))
    return min(found)[1] if found else solver.winning_move(board)


def _of_colour(board: Board, colour: Colour) -> list[Cell]:
    return [board.name(cell) for cell in range(board.cells) if board.colour_at(cell) is colour]


def _title(colour: Colour) -> str:
    return str(colour).title()


def router(file: Path = FILE) -> APIRouter:
    """The part of the API that gives puzzles and takes answers."""
    routes = APIRouter(tags=["learn"])

    def find(id: str) -> Puzzle:
        puzzle = load(file).get(id)
        if puzzle is None:
            raise Refusal("not_found", "there is no such puzzle")
        return puzzle

    @routes.get("/api/puzzles")
    def puzzles() -> List:
        """All puzzles, the easy ones first."""
        listed = [Listed(id=p.id, width=p.size, height=p.size, grade=p.grade) for p in load(file).values()]
        return List(puzzles=listed)

    @routes.get("/api/puzzles/{id}")
    def one(id: str) -> Question:
        """A puzzle without its answer."""
        return question(find(id))

    @routes.post("/api/puzzles/{id}")
    def answer(id: str, tried: Tried) -> Explained:
        """Try a move, or with none be shown the answer."""
        puzzle = find(id)
        board = puzzle.board()
        try:
            move = None if tried.move is None else board.cell(tried.move)
        except ValueError as error:
            raise Refusal("illegal", str(error)) from None
        if move is not None and not board.is_legal(move):
            raise Refusal("illegal", f"{tried.move} is not empty: choose an empty cell")
        return explain(puzzle, move)

    return routes
