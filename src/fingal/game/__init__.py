"""The rules: board, colours, records and their formats."""

from fingal.game.board import MAX_SIDE, SWAP, Board
from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.record import RESIGN, Mark, Node, Record, Result, Special

__all__ = [
    "BLACK",
    "MAX_SIDE",
    "RESIGN",
    "SWAP",
    "WHITE",
    "Board",
    "Colour",
    "Mark",
    "Node",
    "Record",
    "Result",
    "Special",
]
