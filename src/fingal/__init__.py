"""Fingal: the open platform for the board game Hex."""

from fingal.game import BLACK, RESIGN, SWAP, WHITE, Board, Colour, Record

__version__ = "0.1.0"
__all__ = ["BLACK", "RESIGN", "SWAP", "WHITE", "Board", "Colour", "Record", "__version__"]
