"""The encoder ``bridges-1``: twelve planes of stones and bridges, by absolute colour, after paper 002.

The board stands in a ring of stones one cell wide, so planes are [height + 2, width + 2]. The rows above and below are
Black's, corners included, the columns beside it White's. The ring's stones take part in bridges. A bridge is two stones
of a colour with two common neighbours, its carriers.

====  ==============================================================================================
 0    Black's stones, the ring's included
 1    White's stones, the ring's included
 2    the empty cells of the board
 3    1 everywhere when White is to move, 0 when Black is
 4    Black's ends of bridges whose carriers hold no white stone
 5    White's ends of bridges whose carriers hold no black stone
 6    the side to move saves a bridge: the empty carrier, where the opponent's last move is the other
 7    the side to move makes a connection: an empty cell between two of its stones in a straight line
 8    the side to move forms a bridge with one of its stones; both carriers are empty
 9    the opponent saves a bridge: the empty carrier, where the other holds a stone of the side to move
10    the opponent forms a bridge
11    the opponent makes a connection
====  ==============================================================================================

What the opponent would save was broken into before its last move, and positions do not carry the move before the last.
So plane 9 asks for a stone on the other carrier, whenever it was put there.

Nothing is turned or exchanged for the side to move: the view is ``absolute``, and what a net says of cell i is about
cell i. The core computes the planes, and nobody else does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.search.evaluator import Positions

ENCODER = "bridges-1"
"""The name that a net's card gives for these planes. Planes that change in any way get another name."""

VIEW = "absolute"
"""Whose view they give: nobody's."""

PLANES = 12
"""How many planes there are."""

EMPTY = 2
"""The plane of the empty cells."""


def encode(positions: Positions) -> NDArray[np.uint8]:
    """Planes of positions, 0 and 1: uint8 [B, 12, height + 2, width + 2]; ValueError for stones off the board."""
    return _core.bridge_planes(
        np.ascontiguousarray(positions.stones),
        np.ascontiguousarray(positions.white_to_move),
        np.ascontiguousarray(positions.last),
        positions.width,
        positions.height,
    )
