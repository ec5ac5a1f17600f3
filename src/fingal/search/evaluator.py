"""What a search asks and what it is told: positions in, policies and values out."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Positions(NamedTuple):
    """Packed positions of one board size, as the core hands them out. B is their number."""

    width: int
    height: int
    stones: NDArray[np.uint64]
    """[2, B, words]: Black's and White's, cell i in bit i % 64 of word i // 64."""
    white_to_move: NDArray[np.bool_]
    """[B]"""
    last: NDArray[np.int32]
    """[B]: the cell of the last move, -1 when there is none."""


class Evaluation(NamedTuple):
    """What a policy and value net says of B positions."""

    logits: NDArray[np.float32]
    """[B, cells]: the policy before softmax, on the board as it is: finite on empty cells, anything on others."""
    value: NDArray[np.float32]
    """[B]: in [-1, 1], from the side to move's view."""


class EvaluationError(ValueError):
    """An evaluator's output is none, or no player can use it; the message is one sentence with the net's name."""


class Evaluator(Protocol):
    """Anything that can judge positions. ``fingal.testing.check_evaluator`` says what it must get right."""

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions. May be called from any one thread at a time; see ``is_concurrent``.

        EvaluationError when the net's outputs are not those of an ``Evaluation``: not finite, for example.
        """
        ...


@runtime_checkable
class Concurrent(Protocol):
    """What an evaluator may have besides: threads that may call it at the same time, each with work of its own."""

    concurrent: bool
    """Whether it may be called so."""


def is_concurrent(evaluator: Evaluator) -> bool:
    """Whether several threads may call an evaluator at the same time, and gain by it."""
    return isinstance(evaluator, Concurrent) and evaluator.concurrent


@runtime_checkable
class SizeBound(Protocol):
    """What an evaluator, or a player, may have besides: boards that it does not play on."""

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError, in one sentence that names the net and its boards, for a board that is not one of them."""
        ...


def check_size(evaluator: Evaluator, width: int, height: int) -> None:
    """Raise ValueError for a board that an evaluator, or the one in its wrappers, does not evaluate."""
    inner: object = evaluator
    while inner is not None and not isinstance(inner, SizeBound):
        inner = getattr(inner, "evaluator", None)
    if inner is not None:
        inner.check_size(width, height)


@runtime_checkable
class Remembering(Protocol):
    """What an evaluator may have besides: a memory, so that its judgement depends on how a position came about."""

    def along(self, positions: Positions) -> Evaluation:
        """Judge the last position of one game, B = 1, given all of the game's positions in order."""
        ...
