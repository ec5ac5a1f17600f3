"""The last step of every evaluator: outputs that the contract does not allow are an error that names the net."""

from __future__ import annotations

import numpy as np

from fingal.nets.planes import unpack
from fingal.search.evaluator import Evaluation, EvaluationError, Positions

ROUNDING = 0.01
"""Values may be so far outside [-1, 1], about a step of 8 bits; they count as -1 or 1."""


def checked(evaluation: Evaluation, positions: Positions, name: str) -> Evaluation:
    """Give an evaluation that keeps the contract of ``fingal.search.evaluator``; EvaluationError when it does not.

    Logits of occupied cells may be anything, as minus infinity is in nets that mask them.
    """
    logits, value = evaluation
    if value.min(initial=0) >= -1 and value.max(initial=0) <= 1 and np.isfinite(logits).all():
        return evaluation
    board = f"on {positions.width}x{positions.height}"
    outside = ~(np.abs(value) <= 1 + ROUNDING)  # as not-a-number is
    if outside.any():
        raise EvaluationError(f"{name} gave {value[outside][0]:g} as a value {board}: values are from -1 to 1")
    wrong = ~np.isfinite(logits)
    wrong &= unpack(positions.stones, logits.shape[1]).max(0) == 0
    if wrong.any():
        raise EvaluationError(f"{name} gave {logits[wrong][0]:g} as a logit {board}: logits are finite numbers")
    return Evaluation(logits, value.clip(-1, 1))
