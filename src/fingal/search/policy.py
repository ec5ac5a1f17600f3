"""A net's policy as the solver's order of moves."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from fingal.search.evaluator import Evaluator, Positions
from fingal.solve.dfpn import Policy


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
