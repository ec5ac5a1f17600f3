"""What a net sees and what its numbers mean, by what its config says. No torch.

==================  =====================================================================================
``policy_value``    logits of the moves and the value of the position: the residual net
``q``               for each cell the value, for the side to move, of playing there: a net with a squash
``policy``          logits of the moves alone: a net of the same shape without the squash
==================  =====================================================================================

A config may have ``encoder``, the name of its planes (``canonical-ring-1`` where it has none); ``squash``, which says
that the net gives one number a cell (``policy_value`` where it has none); and ``size``, the side of the only board that
the net plays (any board where it has none).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal.nets import planes, walls
from fingal.search.evaluator import Evaluation, Positions


def encoder_of(config: Any) -> str:
    """The planes that a net of this config sees."""
    return str(getattr(config, "encoder", planes.ENCODER))


def head_of(config: Any) -> str:
    """What a net of this config says."""
    squash = getattr(config, "squash", None)
    return "policy_value" if squash is None else "policy" if squash == "none" else "q"


def check_size(config: Any, width: int, height: int, name: str) -> None:
    """ValueError when a net, called ``name``, does not play on a board."""
    size = getattr(config, "size", None)
    if size is not None and (width, height) != (size, size):
        raise ValueError(f"{name} plays on {size}x{size} only, not on {width}x{height}")


def encode(config: Any, positions: Positions) -> NDArray[np.float32]:
    """The planes of positions with one canonical shape: [B, planes, H, W]."""
    if encoder_of(config) == planes.ENCODER:
        return planes.encode(positions)
    return walls.encode(positions, config.padding)


def evaluation(head: str, said: NDArray[np.float32], positions: Positions) -> Evaluation:
    """What a ``q`` or ``policy`` net's numbers, [B, cells] on the boards as they are, tell a player or a search.

    The logits are the numbers themselves. A ``q`` net's value of a position is that of the best empty cell; a
    ``policy`` net has none, so it is 0, as is that of a full board.
    """
    value = np.zeros(len(said), np.float32)
    if head == "q":
        empty = planes.unpack(positions.stones, positions.width * positions.height).max(0) == 0
        some = empty.max(1)
        value[some] = np.where(empty, said, -np.inf)[some].max(1)
    return Evaluation(said, value)
