"""The board, in the manner of python-chess."""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.game.colour import Colour
from fingal.ranges import shown

SWAP: int = _core.SWAP
"""The move swap-pieces: the first stone is mirrored in the long diagonal and becomes White's."""

MAX_SIDE: int = _core.MAX_SIDE


def mirror(cell: int, side: int) -> int:
    """The mirror image of a cell in the long diagonal of a square board: where swap-pieces moves a stone."""
    row, column = divmod(cell, side)
    return column * side + row


def parse_size(text: str) -> tuple[int, int]:
    """Width and height from '11' or '7x9'; ValueError with one sentence otherwise."""
    match = re.fullmatch(r"([0-9]{1,3})(?:[xX]([0-9]{1,3}))?", text.strip())
    if match is None:
        raise ValueError(f"{text[:20]!r} is not a board size: 11, or 7x9 for 7 wide and 9 high, is expected")
    board = Board(int(match[1]), int(match[2] or match[1]))
    return board.width, board.height


class Board(_core.Board):
    """A game in progress: stones, side to move, and the moves that can be taken back.

    A move is a cell, numbered row by row from the top-left corner (``row * width + column``), or ``SWAP``.
    ``push`` also takes names: ``"a1"``, ``"swap"``.

    >>> board = Board(3)
    >>> board.push("b2"); board.push("a1"); board.push("b1"); board.push("c1"); board.push("b3")
    >>> board.winner
    <Colour.BLACK: 0>
    """

    def __init__(self, width: int | _core.Board = 11, height: int | None = None, *, swap: bool = False) -> None:
        """Make an empty board; ``Board(7, 9)`` is 7 wide and 9 high. ``Board(board)`` copies."""
        if isinstance(width, _core.Board):
            super().__init__(width)
            return
        height = width if height is None else height
        if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
            size = f"{shown(width)}x{shown(height)}"
            raise ValueError(f"a board of {size} is not possible: width and height run from 1 to {MAX_SIDE}")
        super().__init__(width, height, swap)

    @property
    def turn(self) -> Colour:
        """The side to move."""
        return Colour(self._turn())

    @turn.setter
    def turn(self, colour: Colour) -> None:
        self._set_turn(Colour(colour))

    @property
    def winner(self) -> Colour | None:
        """The side that has joined its edges, if any."""
        winner = self._winner()
        return None if winner < 0 else Colour(winner)

    @property
    def legal_moves(self) -> list[int]:
        """Every legal move: the empty cells in order, then ``SWAP`` where it is possible; [] after the end."""
        if self.is_over():
            return []
        return [*self.empty_cells, SWAP] if self.can_swap else self.empty_cells

    @property
    def moves(self) -> list[int]:
        """The moves pushed so far."""
        return self._moves()

    def is_legal(self, move: int) -> bool:
        """Whether ``push(move)`` would be accepted."""
        if self.is_over():
            return False
        return self.can_swap if move == SWAP else 0 <= move < self.cells and self._colour_at(move) < 0

    def colour_at(self, cell: int | str) -> Colour | None:
        """The stone on a cell."""
        colour = self._colour_at(self.cell(cell))
        return None if colour < 0 else Colour(colour)

    def set_stone(self, cell: int | str, colour: Colour | None) -> None:
        """Set up a stone, or remove one: the position becomes a new start, with no moves to take back."""
        self._set_stone(self.cell(cell), -1 if colour is None else Colour(colour))

    def cell(self, cell: int | str) -> int:
        """The number of a cell given by name or number; ValueError when it is off the board."""
        if isinstance(cell, str):
            # Half of a surrogate pair, as bad UTF-8 on a terminal becomes, cannot cross into the core.
            return _core.parse_cell(cell.encode(errors="replace").decode(), self.width, self.height)
        self._colour_at(cell)  # raises when there is no such cell
        return cell

    def name(self, move: int) -> str:
        """'a1' for 0, 'swap-pieces' for ``SWAP``."""
        return "swap-pieces" if move == SWAP else _core.cell_name(move, self.width, self.height)

    def neighbours(self, cell: int | str) -> list[int]:
        """The cells that touch a cell: two to six of them (none on 1x1)."""
        row, column = divmod(self.cell(cell), self.width)
        steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        around = ((row + down, column + right) for down, right in steps)
        return [r * self.width + c for r, c in around if 0 <= r < self.height and 0 <= c < self.width]

    def rotated(self) -> Self:
        """The position turned by 180 degrees, with no moves to take back and no right to swap."""
        return type(self)(super().rotated())

    def mirrored(self) -> Self:
        """The position mirrored in the long diagonal, colours exchanged; no moves to take back, no right to swap.

        Its winner and best moves are the mirror images of this one's.
        """
        return type(self)(super().mirrored())

    def packed(self) -> NDArray[np.uint64]:
        """Stones as bits, [2, words]: Black's and White's, cell i in bit i % 64 of word i // 64."""
        return np.array([self._packed(0), self._packed(1)], dtype=np.uint64)

    def copy(self) -> Self:
        """A board that shares nothing with this one, its moves included."""
        return type(self)(self)

    def svg(self, **options: Any) -> str:
        """The board as an SVG picture; options as for ``fingal.game.draw.picture``."""
        from fingal.game import draw

        return draw.svg(draw.picture(self, **options))

    def __str__(self) -> str:
        from fingal.game import draw

        return draw.text(self)

    def __repr__(self) -> str:
        moves = " ".join(self.name(move) for move in self.moves)
        state = f"to move: {self.turn}" if self.winner is None else f"won by {self.winner}"
        return f"<Board {self.width}x{self.height} [{moves}] {state}>"

    def __hash__(self) -> int:
        """The Zobrist hash. It changes with every push: do not push while the board is a key."""
        return self.zobrist

    def __eq__(self, other: object) -> bool:
        """The same size, stones, side to move and right to swap; how the game got there does not matter."""
        return isinstance(other, _core.Board) and super().__eq__(other)

    def __reduce__(self) -> tuple[Any, ...]:
        start = (self._start(0), self._start(1))
        played = list(zip(self._movers(), self.moves, strict=True))
        return _restore, (type(self), self.width, self.height, self.swap, start, played, self._turn())


def _restore(
    kind: type[Board],
    width: int,
    height: int,
    swap: bool,
    start: tuple[list[int], list[int]],
    played: list[tuple[int, int]],
    turn: int,
) -> Board:
    board = kind(width, height, swap=swap)
    for colour in Colour:
        for cell in start[colour]:
            board.set_stone(cell, colour)
    for mover, move in played:
        board.turn = Colour(mover)
        board.push(move)
    board.turn = Colour(turn)
    return board
