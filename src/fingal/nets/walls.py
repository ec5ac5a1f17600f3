"""The encoder ``walls-2`` in numpy: six planes that show stones, walls, and what is chained to which wall.

After paper 000 and NeuroHex. The board stands in ``padding`` rows and columns of wall on every side (two, unless asked
otherwise), so planes are [rows + 2 * padding, columns + 2 * padding]:

====  ==========================================================================  ==================
 0    the side to move's stones                                                   top and bottom
 1    the opponent's stones                                                       left and right
 2    the side to move's stones that are chained to the top wall                  top
 3    the side to move's stones that are chained to the bottom wall               bottom
 4    the opponent's stones that are chained to the left wall                     left
 5    the opponent's stones that are chained to the right wall                    right
====  ==========================================================================  ==================

The last column names the walls that are 1 in the plane. A corner belongs to both walls that meet in it, so it carries
both colours.

``walls-2-connections`` has two more, with no walls, from what virtual connections prove:

====  ===============================================================================================
 6    the moves worth trying: those that can meet all of the opponent's known threats, pruned
 7    one move that is proved to win, where there is one
====  ===============================================================================================

The view is Fingal's canonical one: the side to move is Black, who joins top and bottom (see ``planes``). The paper
shows the side to move as Red, who joins left and right; that is the same game transposed, cell (r, c) for (c, r).
``walls_torch`` holds the same encoder for tensors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fingal.analysis.connections import verdicts
from fingal.nets import planes
from fingal.search.evaluator import Positions

PLANES = 6
"""How many planes there are."""

KNOWN = 2
"""How many more there are with connections."""

PADDING = 2
"""How many rows and columns of wall a board has on each side, unless asked otherwise."""

NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
"""The six neighbours of a cell, as (rows, columns) from it."""


def encoder(padding: int = PADDING, connections: bool = False) -> str:
    """The name that a net's card gives for these planes: ``walls-2`` with two cells of padding."""
    return f"walls-{padding}-connections" if connections else f"walls-{padding}"


ENCODER = encoder()
"""The name with two cells of padding."""


def encode(positions: Positions, padding: int = PADDING, *, connections: bool = False) -> NDArray[np.float32]:
    """Planes of positions that have one canonical shape: float32 [B, 6, rows + 2 * padding, columns + 2 * padding].

    There are eight with ``connections``. As for ``planes.encode``, a batch on a board that is not square has one side
    to move: see ``planes.split``.
    """
    if padding < 1:
        raise ValueError(f"padding must be at least 1, not {padding}")
    stones = planes.stones(positions)
    count, _, rows, columns = stones.shape
    frame = (slice(None), slice(None), slice(padding, padding + rows), slice(padding, padding + columns))
    out = walls(count, rows, columns, padding)
    out[frame][:, :2] = stones
    out[frame][:, 2:] = chained(stones)
    if not connections:
        return out
    more = np.zeros((count, KNOWN, *out.shape[2:]), np.float32)
    more[frame] = known(stones)
    return np.concatenate((out, more), 1)


def walls(count: int, rows: int, columns: int, padding: int = PADDING) -> NDArray[np.float32]:
    """Planes of boards with no stones."""
    out = np.zeros((count, PLANES, rows + 2 * padding, columns + 2 * padding), np.float32)
    out[:, 0, :padding] = out[:, 2, :padding] = 1
    out[:, 0, -padding:] = out[:, 3, -padding:] = 1
    out[:, 1, :, :padding] = out[:, 4, :, :padding] = 1
    out[:, 1, :, -padding:] = out[:, 5, :, -padding:] = 1
    return out


def chained(stones: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which stones are chained to a wall: [B, 2, rows, columns] to [B, 4, rows, columns].

    Given are the side to move's stones and the opponent's; the four are top, bottom, left and right.
    """
    mine = np.repeat(stones, 2, axis=1)
    reached = np.zeros_like(mine)
    reached[:, 0, 0], reached[:, 1, -1] = mine[:, 0, 0], mine[:, 1, -1]
    reached[:, 2, :, 0], reached[:, 3, :, -1] = mine[:, 2, :, 0], mine[:, 3, :, -1]
    rows, columns = stones.shape[2:]
    while True:
        wide = np.pad(reached, ((0, 0), (0, 0), (1, 1), (1, 1)))
        grown = reached.copy()
        for down, right in NEIGHBOURS:
            grown |= wide[:, :, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
        grown &= mine
        if np.array_equal(grown, reached):
            return reached
        reached = grown


def known(stones: NDArray[np.bool_], threads: int = 1) -> NDArray[np.bool_]:
    """Planes 6 and 7 of the side to move's stones and the opponent's: bool [B, 2, rows, columns] to the same shape.

    Nothing is known of a game that is over.
    """
    count, _, rows, columns = stones.shape
    chains = chained(stones)
    going = np.flatnonzero(~(chains[:, 0, -1].any(1) | chains[:, 2, :, -1].any(1)))
    found = np.zeros((count, KNOWN, rows * columns), np.bool_)
    packed = planes.pack(np.ascontiguousarray(stones[going].reshape(len(going), 2, -1).transpose(1, 0, 2), np.uint8))
    said = verdicts(packed, np.zeros(len(going), np.bool_), columns, rows, threads)
    found[going, 0] = said.moves
    wins = said.winning >= 0
    found[going[wins], 1, said.winning[wins]] = True
    return found.reshape(count, KNOWN, rows, columns)
