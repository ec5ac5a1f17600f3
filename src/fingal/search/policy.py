"""Policies: a net's as the solver's order of moves, and the one that has no opinion."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from fingal.search.evaluator import Evaluation, Evaluator, Positions
from fingal.solve.dfpn import Policy


def uniform(positions: Positions) -> Evaluation:
    """An evaluator to which all moves, and both sides, are alike: what a net adds is measured against it."""
    count = len(positions.white_to_move)
    return Evaluation(np.zeros((count, positions.width * positions.height), np.float32), np.zeros(count, np.float32))


def move_policy(evaluator: Evaluator, width: int, height: int) -> Policy:
    """What an evaluator's policy says of a position's moves; threads ask one after the other."""
    lock = threading.Lock()

    def policy(stones: Sequence[Sequence[int]], to_move: int) -> Sequence[float]:
        packed = np.array(stones, np.uint64)[:, None, :]
        positions = Positions(width, height, packed, np.array([to_move == 1]), np.array([-1], np.int32))
        with lock:
            logits: list[float] = evaluator(positions).logits[0].tolist()
        return logits

    return policy
