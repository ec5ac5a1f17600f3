"""Virtual connections: what a colour can join whatever its opponent does.

A **full** connection between two ends holds when the opponent moves first, a **semi** one when its owner does. Its
**carrier** is the set of empty cells that it needs: what happens elsewhere cannot break it. Ends are empty cells
(as if they held a stone), groups of stones, and the colour's own edges.

The search is H-search: what touches is joined; two full connections that meet in a stone make a full one, in an empty
cell a semi one (and-rule); semi connections that share no cell make a full one (or-rule). Cells that a stone would
capture may be shared.

>>> from fingal.game import Board, Colour
>>> board = Board(3)
>>> board.push("b2")
>>> black = Connections(board, Colour.BLACK)
>>> black.won
True
>>> sorted(black.full("b2", "top")[0])
[1, 2]
>>> must_play(board) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board, Colour

EDGES = {Colour.BLACK: ("top", "bottom"), Colour.WHITE: ("left", "right")}
"""The names of each colour's edges. As ends they have the numbers ``cells`` and ``cells + 1``."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection between two ends: cells by number, or ``cells`` and ``cells + 1`` for the colour's edges."""

    a: int
    b: int
    carrier: frozenset[int]
    semi: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections the search keeps."""

    fulls: int = 30
    """Full connections of one pair of ends."""
    semis: int = 150
    """Semi connections of one pair of ends."""
    templates: bool = True
    """Begin with edge templates, which the rules alone would not find."""


@dataclass(frozen=True, slots=True)
class Step:
    """How a connection was found, from earlier steps of the same list."""

    rule: str
    """One of ``RULES``. touch: the ends touch. template: an edge template. and: two full connections that meet in
    ``middle``, full when that is a group and semi when it is an empty cell. or: connections of the same ends that
    share no cell, full."""
    a: int
    b: int
    carrier: frozenset[int]
    middle: int
    """Where the two of an and-step meet; for a template its number; otherwise -1."""
    parents: tuple[int, ...]
    """The steps that it combines, by number."""
    captured: tuple[tuple[int, frozenset[int]], ...]
    """What these may share, as pairs of a cell and the cells that the owner's stone there captures."""


RULES = ("touch", "template", "and", "or")


class Connections(_core.Connections):
    """One colour's connections on a board, as it stands when this is made."""

    def __init__(
        self,
        board: Board,
        colour: Colour,
        *,
        filled: tuple[Iterable[int], Iterable[int]] = ((), ()),
        limits: Limits | None = None,
        record: bool = False,
    ) -> None:
        """Search; ``filled``: empty cells that count as Black's and as White's stones.

        ``record``: remember how each connection was found, for ``derivation``.
        """
        kept = limits or Limits()
        black, white = map(list, filled)
        super().__init__(board, int(colour), black, white, kept.fulls, kept.semis, kept.templates, record)
        self.colour = Colour(colour)
        self.width, self.height, self.cells = board.width, board.height, board.cells

    def end(self, name: int | str) -> int:
        """The number of an end: of a cell (by number or name) or of an edge ('top', 'bottom', 'left', 'right')."""
        if isinstance(name, str):
            edges = EDGES[self.colour]
            if name in edges:
                return self.cells + edges.index(name)
            name = _core.parse_cell(name, self.width, self.height)
        return self.end_of(name)

    def full(self, a: int | str, b: int | str) -> list[frozenset[int]]:
        """The carriers of the full connections of two ends; of a group with itself, the empty one."""
        return [frozenset(carrier) for carrier in self.between(self.end(a), self.end(b), False)]

    def semi(self, a: int | str, b: int | str) -> list[frozenset[int]]:
        """The carriers of the semi connections of two ends.

        Those that could add nothing to the full connections of the same ends are not kept.
        """
        return [frozenset(carrier) for carrier in self.between(self.end(a), self.end(b), True)]

    def fulls(self) -> Iterator[Connection]:
        """Every full connection."""
        return self._listed(semi=False)

    def semis(self) -> Iterator[Connection]:
        """Every semi connection."""
        return self._listed(semi=True)

    def derivation(self, connection: Connection) -> list[Step]:
        """How a connection was found, the last step being itself; [] for one that was not recorded."""
        steps = self._derivation(connection.a, connection.b, sorted(connection.carrier))
        return [
            Step(
                RULES[rule],
                a,
                b,
                frozenset(carrier),
                middle,
                tuple(parents),
                tuple((cell, frozenset(cells)) for cell, cells in captured),
            )
            for rule, a, b, carrier, middle, parents, captured in steps
        ]

    def winning_carrier(self) -> frozenset[int] | None:
        """The smallest carrier of a full connection from edge to edge; None when there is none."""
        return frozenset(self._smallest_win()) if self.won else None

    def must_block(self) -> frozenset[int] | None:
        """The cells in which the opponent, to move, has to play: all empty ones when nothing forces it.

        Every other move leaves this colour a semi connection from edge to edge. None when it has a full one, and no
        move helps.
        """
        return None if self.won else frozenset(self._must_play())

    def _listed(self, *, semi: bool) -> Iterator[Connection]:
        ends, carriers = self.listing(semi)
        bits = np.unpackbits(carriers.view(np.uint8), axis=1, bitorder="little")
        for (a, b), row in zip(ends.tolist(), bits, strict=True):
            yield Connection(a, b, frozenset(np.flatnonzero(row).tolist()), semi)


def must_play(board: Board, *, limits: Limits | None = None) -> frozenset[int] | None:
    """The cells in which the side to move has to play, as far as connections tell: all others lose.

    None when it has lost already: the opponent's edges are joined by a full connection.
    """
    return Connections(board, board.turn.other, limits=limits).must_block()


class Verdicts(NamedTuple):
    """What connections say of B positions."""

    proof: NDArray[np.int8]
    """[B]: 1 where the side to move wins, -1 where it loses, 0 where that is not known."""
    winning: NDArray[np.int32]
    """[B]: a move that wins, or -1."""
    moves: NDArray[np.bool_]
    """[B, cells]: the moves that are worth trying."""


def verdicts(
    stones: NDArray[np.uint64], white_to_move: NDArray[np.bool_], width: int, height: int, threads: int = 1
) -> Verdicts:
    """Judge many positions that are not over, stones [2, B, words] and who is to move [B]."""
    count = len(white_to_move)
    found = Verdicts(np.zeros(count, np.int8), np.zeros(count, np.int32), np.zeros((count, width * height), np.bool_))
    _core.judge_by_connections(np.ascontiguousarray(stones), white_to_move, width, height, *found, threads)
    return found
