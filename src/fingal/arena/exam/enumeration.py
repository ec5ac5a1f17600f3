"""Who wins every position of a small board, by going back from the full board: no search, no pruning.

A position is one number: cell i counts 3**i once for a Black stone and twice for a White one. Those with the right
number of stones and no winner are all reachable: a part of a board without a winner has none either, so every order of
the stones is a game.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal.game import Board, Colour
from fingal.search.evaluator import Positions

MOST_CELLS = 16
"""On 4x4 there are 3**16 numbers: a byte each. Another row would need 3.5 GB."""

LOST, WON, OVER = 0, 1, 2
"""What is known of a position: the side to move loses, wins, or the game is over."""


@dataclass(frozen=True, slots=True)
class Level:
    """The positions with so many stones in which nobody has won."""

    codes: NDArray[np.int64]
    """[n]: their numbers, in no order that means anything."""
    keeping: NDArray[np.uint8]
    """[n]: how many moves win for the side to move; 0 in a lost position."""


class Enumeration:
    """Every position of a board of at most 16 cells.

    >>> enumeration = Enumeration(3, 3)
    >>> board = Board(3)
    >>> [board.name(move) for move in enumeration.winning(board)]
    ['c1', 'a2', 'b2', 'c2', 'a3']
    """

    def __init__(self, width: int, height: int) -> None:
        """Go back from the full board; ValueError when the board has too many cells."""
        if width * height > MOST_CELLS:
            raise ValueError(
                f"{width}x{height} has too many positions to list: at most {MOST_CELLS} cells are possible"
            )
        self.width, self.height = width, height
        self.cells = width * height
        self._powers = 3 ** np.arange(self.cells, dtype=np.int64)
        self._state = np.full(3**self.cells, OVER, np.uint8)
        joined = [_joined(width, height, colour) for colour in Colour]
        levels = []
        for stones in range(self.cells, -1, -1):
            codes = _placed(self.cells, (stones + 1) // 2, stones // 2, self._powers, joined)
            keeping = self._keeping(codes, stones)
            self._state[codes] = np.where(keeping > 0, WON, LOST)
            levels.append(Level(codes, keeping))
        self.levels = tuple(reversed(levels))
        """By number of stones, from the empty board on. Black has one stone more, or as many, and is then to move."""

    def wins(self, board: Board) -> bool:
        """Whether the side to move wins; the game must not be over, and the number of stones must be right."""
        state = self._state[self.code(board)]
        if state == OVER:
            raise ValueError("the game is over")
        return bool(state == WON)

    def winning(self, board: Board) -> tuple[int, ...]:
        """Every move that wins for the side to move."""
        code = self.code(board)
        after = [(cell, code + (1 + int(board.turn)) * int(self._powers[cell])) for cell in board.empty_cells]
        # After a move the game is over only when that move has won it.
        return tuple(cell for cell, child in after if self._state[child] != WON)

    def code(self, board: Board) -> int:
        """The number of a position; ValueError when no game of alternating moves leads to it."""
        at = [board.colour_at(cell) for cell in range(self.cells)]
        black, white = at.count(Colour.BLACK), at.count(Colour.WHITE)
        if black - white != int(board.turn):
            raise ValueError("the sides have not moved in turn: Black first, then alternately")
        return sum((1 + int(colour)) * 3**cell for cell, colour in enumerate(at) if colour is not None)

    def stones(self, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """What stands on every cell, [n, cells]: 0 nothing, 1 Black, 2 White."""
        return (codes[:, None] // self._powers % 3).astype(np.uint8)

    def positions(self, codes: NDArray[np.int64]) -> Positions:
        """Positions as evaluators take them; the last move is not known."""
        stones = self.stones(codes)
        bits = np.uint64(1) << np.arange(self.cells, dtype=np.uint64)
        packed = np.stack([(stones == colour) @ bits for colour in (1, 2)])[:, :, None]
        white = (stones == 1).sum(axis=1) > (stones == 2).sum(axis=1)
        return Positions(self.width, self.height, packed, white, np.full(len(codes), -1, np.int32))

    def winning_cells(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which moves win for the side to move, [n, cells]."""
        stones = self.stones(codes)
        colour = 1 + ((stones > 0).sum(axis=1) % 2)
        children = codes[:, None] + colour[:, None] * self._powers
        empty = stones == 0
        wins: NDArray[np.bool_] = empty & (self._state[np.where(empty, children, 0)] != WON)
        return wins

    def _keeping(self, codes: NDArray[np.int64], stones: int) -> NDArray[np.uint8]:
        keeping = np.zeros(len(codes), np.uint8)
        for power in self._powers:
            empty = codes // power % 3 == 0
            child = codes[empty] + (1 + stones % 2) * power
            keeping[empty] += self._state[child] != WON
        return keeping


@functools.cache
def enumeration(width: int, height: int) -> Enumeration:
    """The positions of a board, listed once."""
    return Enumeration(width, height)


def _placed(
    cells: int, black: int, white: int, powers: NDArray[np.int64], joined: list[NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Every way to place so many stones without a winner."""
    sets = [
        np.array(
            [mask for mask in _masks(cells, count) if not joined[colour][mask]],
            np.int64,
        )
        for colour, count in zip(Colour, (black, white), strict=True)
    ]
    bits = np.arange(cells)
    worth = [((masks[:, None] >> bits) & 1) @ powers for masks in sets]
    found = [
        code + 2 * worth[1][(sets[1] & mask) == 0]
        for mask, code in zip(sets[0].tolist(), worth[0].tolist(), strict=True)
    ]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _masks(cells: int, count: int) -> list[int]:
    return [sum(1 << cell for cell in chosen) for chosen in itertools.combinations(range(cells), count)]


def _joined(width: int, height: int, colour: Colour) -> NDArray[np.bool_]:
    """For every set of cells, whether stones there join the colour's sides, [2**cells]."""
    cells = width * height
    sets = np.arange(1 << cells, dtype=np.int64)
    around = [sum(1 << near for near in Board(width, height).neighbours(cell)) for cell in range(cells)]
    sides = _sides(width, height, colour)
    reached = sets & sides[0]
    while True:
        spread = reached.copy()
        for cell in range(cells):
            spread |= np.where(reached >> cell & 1, around[cell], 0)
        spread &= sets
        if np.array_equal(spread, reached):
            joined: NDArray[np.bool_] = (reached & sides[1]) != 0
            return joined
        reached = spread


def _sides(width: int, height: int, colour: Colour) -> tuple[int, int]:
    """The cells along the two sides that a colour joins."""
    rows, columns = range(height), range(width)
    if colour is Colour.BLACK:
        return sum(1 << column for column in columns), sum(1 << (height - 1) * width + column for column in columns)
    return sum(1 << row * width for row in rows), sum(1 << row * width + width - 1 for row in rows)
