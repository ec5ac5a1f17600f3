"""Who should have the first stone: what is proven on small boards, and boards that are larger than a net knows."""

from __future__ import annotations

from fingal.game import Board
from fingal.search.evaluator import Evaluator
from fingal.solve import tables


def first_stone(board: Board) -> int:
    """The cell of the only stone of a board on which the second player may swap."""
    return next(cell for cell in range(board.cells) if not board.is_legal(cell))


def proven_to_win(board: Board) -> bool | None:
    """Whether the one stone of a board wins, where the tables of solved openings say so; None where they do not."""
    return tables.openings(board.width, board.height).get(first_stone(board))


def known_side(evaluator: Evaluator) -> int | None:
    """The side of the largest square board that a net has learned on, by its card; None where there is none."""
    card = getattr(evaluator, "card", None) or getattr(getattr(evaluator, "evaluator", None), "card", None)
    sizes = [size.partition("x") for size in getattr(card, "sizes", ())]
    return max((int(width) for width, _, height in sizes if width == height and width.isdecimal()), default=None)


def moved(cell: int, side: int, other: int) -> int:
    """The cell of a square board of another side that is as far from the nearest edges, or in the middle as well."""
    row, column = divmod(cell, side)
    return _along(row, side, other) * other + _along(column, side, other)


def _along(place: int, side: int, other: int) -> int:
    reach = (min(side, other) - 1) // 2
    if place < reach:
        return place
    return other - side + place if place >= side - reach else other // 2


def smaller(board: Board, side: int) -> Board:
    """The board of a smaller side with the one stone of this one in the same place, as ``moved`` says."""
    found = Board(side)
    found.push(moved(first_stone(board), board.width, side))
    return found
