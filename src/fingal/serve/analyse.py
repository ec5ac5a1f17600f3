"""What ``fingal analyse`` says of a position: every analysis that there is, for programs and for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TextIO, get_args

from fingal.analysis.connections import EDGES, Connection, Connections
from fingal.analysis.distance import Distance, shortest_path, two_distance
from fingal.analysis.inferior import Inferior, find_inferior
from fingal.analysis.resistance import Resistance, resistance
from fingal.game import Board, Colour, formats
from fingal.solve.dfpn import Settings, Solution, Solver

Topic = Literal["resistance", "distance", "connections", "inferior", "solver"]
TOPICS: tuple[Topic, ...] = get_args(Topic)

SOLVER_MEMORY = 256
"""Megabytes: a look at a position should not fill a laptop."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What one colour's connections make of a position."""

    won: tuple[int, ...] | None
    """The cells that a connection of its edges needs; None when there is none."""
    links: tuple[Connection, ...]
    """Of the full connections between groups of stones and edges, the smallest of each pair."""
    fulls: int
    semis: int
    """How many connections there are, those of empty cells included."""


@dataclass(frozen=True)
class Analysis:
    """What was found out of a position; None where it was not asked for."""

    board: Board
    resistance: Resistance | None = None
    path: Distance | None = None
    two: Distance | None = None
    connections: tuple[Joined, Joined] | None = None
    """Black's and White's."""
    must_play: tuple[int, ...] | None = None
    """Where the side to move has to play: none when it has lost; all empty cells when nothing forces it."""
    inferior: Inferior | None = None
    solution: Solution | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: cells by name, what is infinite as None."""
        board = self.board
        stones = {str(colour): self._names(_stones(board, colour)) for colour in Colour}
        winner = None if board.winner is None else str(board.winner)
        said: dict[str, Any] = {
            "size": [board.width, board.height],
            **stones,
            "turn": str(board.turn),
            "winner": winner,
        }
        if self.resistance is not None:
            said["resistance"] = self._resistance(self.resistance)
        if self.path is not None and self.two is not None:
            ways = {"shortest_path": self.path, "two_distance": self.two}
            said["distance"] = {name: self._distance(way) for name, way in ways.items()}
        if self.connections is not None and self.must_play is not None:
            said["connections"] = {str(colour): self._joined(colour) for colour in Colour}
            said["must_play"] = self._names(self.must_play)
        if self.inferior is not None:
            said["inferior"] = self._inferior(self.inferior)
        if self.solution is not None:
            said["solver"] = self.solution.as_dict(board)
        return said

    def end_name(self, colour: Colour, end: int) -> str:
        """'a1' or 'top': the name of a connection's end."""
        return self.board.name(end) if end < self.board.cells else EDGES[colour][end - self.board.cells]

    def _names(self, cells: Iterable[int]) -> list[str]:
        return [self.board.name(cell) for cell in cells]

    def _resistance(self, found: Resistance) -> dict[str, Any]:
        ohms = {str(colour): found.resistance(colour) for colour in Colour}
        shares = {
            str(colour): {self.board.name(cell): round(float(found.energy[colour, cell]), 6) for cell in found.order}
            for colour in Colour
        }
        finite = {colour: value if math.isfinite(value) else None for colour, value in ohms.items()}
        return finite | {"black_value": found.black_value, "energy": shares}

    def _distance(self, found: Distance) -> dict[str, Any]:
        return {str(colour): found.least[colour] if found.least[colour] >= 0 else None for colour in Colour}

    def _joined(self, colour: Colour) -> dict[str, Any]:
        assert self.connections is not None
        found = self.connections[colour]
        links = [
            {
                "ends": [self.end_name(colour, link.a), self.end_name(colour, link.b)],
                "carrier": self._names(sorted(link.carrier)),
            }
            for link in found.links
        ]
        won = None if found.won is None else self._names(found.won)
        return {"winning_carrier": won, "full": found.fulls, "semi": found.semis, "links": links}

    def _inferior(self, found: Inferior) -> dict[str, Any]:
        name = self.board.name
        fill = {str(colour): self._names(found.fill[colour]) for colour in Colour}
        pruned = [
            {"kind": claim.kind, "cell": name(claim.cell), "by": name(claim.by)}
            for claim in found.claims
            if claim.cell is not None and claim.by is not None
        ]
        return {"fill": fill, "dead": self._names(found.cells("dead")), "pruned": pruned}


class Analyst:
    """Finds out what the topics ask for. What the solver proves is kept from position to position."""

    def __init__(self, topics: Collection[str] = TOPICS, seconds: float = 2.0) -> None:
        """``seconds`` are what the solver may take for a position; ValueError when it is none."""
        if not seconds > 0:
            raise ValueError(f"seconds={seconds:g} is not possible: a limit is more than 0")
        self._topics = frozenset(topics)
        self._seconds = seconds
        self._solvers: dict[tuple[int, int], Solver] = {}

    def analyse(self, board: Board) -> Analysis:
        """Look at one position."""
        asked = self._topics
        is_joined = "connections" in asked
        joined, must = _connections(board) if is_joined else (None, None)
        return Analysis(
            board,
            resistance(board, connections=is_joined) if "resistance" in asked else None,
            shortest_path(board) if "distance" in asked else None,
            two_distance(board) if "distance" in asked else None,
            joined,
            must,
            find_inferior(board) if "inferior" in asked else None,
            self._solver(board).solve(board, seconds=self._seconds) if "solver" in asked else None,
        )

    def _solver(self, board: Board) -> Solver:
        size = board.width, board.height
        if size not in self._solvers:
            self._solvers[size] = Solver(*size, Settings(memory=SOLVER_MEMORY))
        return self._solvers[size]


def _connections(board: Board) -> tuple[tuple[Joined, Joined], tuple[int, ...]]:
    """Both colours' connections, and where the side to move has to play."""
    found = [Connections(board, colour) for colour in Colour]
    must = () if board.is_over() else tuple(sorted(found[board.turn.other].must_block() or ()))
    black, white = (_joined(board, connections) for connections in found)
    return (black, white), must


def _joined(board: Board, connections: Connections) -> Joined:
    smallest: dict[tuple[int, int], Connection] = {}
    fulls = 0
    for link in connections.fulls():
        fulls += 1
        is_between_stones = all(end >= board.cells or board.colour_at(end) is not None for end in (link.a, link.b))
        best = smallest.get((link.a, link.b))
        if is_between_stones and link.carrier and (best is None or len(link.carrier) < len(best.carrier)):
            smallest[link.a, link.b] = link
    won = connections.winning_carrier()
    links = tuple(sorted(smallest.values(), key=lambda link: (link.a, link.b)))
    return Joined(None if won is None else tuple(sorted(won)), links, fulls, sum(1 for _ in connections.semis()))


def read_boards(source: str, typed: TextIO | None = None) -> list[Board]:
    """The positions of a file, or of ``typed`` for '-': one a line, as ``formats.find`` reads it or as JSON with a
    "position". ValueError, with the number of the line, when one cannot be read.
    """
    text = (typed or sys.stdin).read() if source == "-" else formats.contents(source).decode("utf-8-sig", "replace")
    boards = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = formats.find(_position(line.strip()))
            boards.append(record.board(record.current))
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
    if not boards:
        raise ValueError(f"{source} holds no positions: one a line is expected, for example '11 a1 b2'")
    return boards


def _position(line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        said = json.loads(line)["position"]
    except (ValueError, KeyError, RecursionError):
        said = None
    if not isinstance(said, str):
        raise ValueError('a line of JSON needs a text called "position"')
    return said


def _stones(board: Board, colour: Colour) -> list[int]:
    return [cell for cell in range(board.cells) if board.colour_at(cell) is colour]
