"""What a net sees and what its numbers mean, by what its config says. No torch.

==================  =====================================================================================
``policy_value``    logits of the moves and the value of the position: the residual net, PPO
``q``               for each cell the value, for the side to move, of playing there: a net with a squash, a DQN
``policy``          logits of the moves alone: a net of the same shape without the squash, the convolutional net
``value``           the value of the position alone, as a logit of the chance to win: the narrowing net
==================  =====================================================================================

A config may have ``encoder``, the name of its planes (``canonical-ring-1`` where it has none); ``head``, or ``squash``,
which says that the net gives one number a cell (``policy_value`` where it has neither); ``size``, the side of the only
board that the net plays (any board where it has none); and ``view``: ``absolute`` for planes of the board as it is,
where others show the side to move as Black.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal.nets import bridges, planes, signed, triangles, walls
from fingal.search.evaluator import Evaluation, Positions


def encoder_of(config: Any) -> str:
    """The planes that a net of this config sees."""
    return str(getattr(config, "encoder", planes.ENCODER))


def head_of(config: Any) -> str:
    """What a net of this config says."""
    if hasattr(config, "head"):
        return str(config.head)
    squash = getattr(config, "squash", None)
    return "policy_value" if squash is None else "policy" if squash == "none" else "q"


def view_of(config: Any) -> str:
    """Whose view a net of this config sees, and gives its numbers in."""
    return str(getattr(config, "view", "canonical"))


def check_size(config: Any, width: int, height: int, name: str) -> None:
    """ValueError when a net, called ``name``, does not play on a board."""
    size = getattr(config, "size", None)
    if size is not None and (width, height) != (size, size):
        raise ValueError(f"{name} plays on {size}x{size} only, not on {width}x{height}")


def encode(config: Any, positions: Positions) -> NDArray[np.float32]:
    """The planes of positions: [B, planes, H, W], or [B, H, W] of ``signed``; in the canonical view of one shape."""
    match encoder_of(config):
        case bridges.ENCODER:
            return bridges.encode(positions).astype(np.float32)
        case planes.ENCODER:
            return planes.encode(positions)
        case signed.ENCODER:
            return signed.encode(positions)
        case triangles.ENCODER:
            return triangles.encode(positions)
        case _:
            return walls.encode(positions, config.padding, connections=getattr(config, "connections", False))


def evaluation(head: str, said: NDArray[np.float32], positions: Positions) -> Evaluation:
    """What the numbers of a ``q``, ``policy`` or ``value`` net tell a player or a search.

    They are [B, cells] on the boards as they are, or [B] for ``value``. The logits are the numbers themselves, and all
    alike for ``value``. A ``q`` net's value of a position is that of the best empty cell; a ``policy`` net has none, so
    it is 0, as is that of a full board.
    """
    cells = positions.width * positions.height
    if head == "value":
        return Evaluation(np.zeros((len(said), cells), np.float32), np.tanh(said / 2))
    value = np.zeros(len(said), np.float32)
    if head == "q":
        empty = planes.unpack(positions.stones, cells).max(0) == 0
        some = empty.max(1)
        value[some] = np.where(empty, said, -np.inf)[some].max(1)
    return Evaluation(said, value)


def as_value(config: Any, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the numbers of a ``q`` net are as values in [-1, 1].

    The nets of ``signed`` boards give them as they are before the squash; a chance of 0 to 1 becomes -1 to 1. Other
    nets squash them themselves.
    """
    if encoder_of(config) != signed.ENCODER:
        return numbers
    match config.squash:
        case "sigmoid":
            return np.tanh(numbers / 2)
        case "tanh":
            return np.tanh(numbers)
        case _:
            return np.clip(numbers, -1, 1)
