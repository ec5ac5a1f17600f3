"""Evaluation on the CPU by ONNX Runtime, float32 or int8. No torch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from fingal.nets import bridges
from fingal.nets.card import KEY, Card, CheckpointError, is_shipped, read_bytes
from fingal.nets.onnx_check import check_model, try_model
from fingal.nets.outputs import checked
from fingal.nets.planes import PLANES, check, encode, split, take, to_board
from fingal.search.evaluator import Evaluation, EvaluationError, Positions

_CHUNK = 64
"""Larger batches gain nothing on a CPU and no longer fit its cache."""


class OnnxEvaluator:
    """An evaluator from an ``.onnx`` file that ``fingal.nets.export`` wrote."""

    concurrent = True
    """Any number of threads may call it at once."""

    def __init__(self, path: str | os.PathLike[str], threads: int = 1, model: bytes | None = None) -> None:
        """Open a file; CheckpointError when it is not such a net. ``threads`` share the work of one batch.

        A file that did not come with Fingal is checked, and tried in another process, before it is opened here.
        ``model`` is the content of the file where this process has written it, which is not checked.
        """
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        source = os.path.basename(os.fspath(path))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        data = read_bytes(path) if model is None else model
        if model is None and not is_shipped(path):
            check_model(data, source)
            try_model(data, source)
        try:
            self._session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
            card = self._session.get_modelmeta().custom_metadata_map.get(KEY)
            inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        except Exception:  # the runtime has a dozen exceptions of its own for what is wrong with a file
            raise CheckpointError(f"{source} is not an ONNX file, or is damaged") from None
        self.card = Card.parse(card, source)
        self._absolute = self.card.encoder == bridges.ENCODER
        if self._absolute:
            self.card.require(source, encoder=bridges.ENCODER, head="policy", view=bridges.VIEW)
        else:
            self.card.require(source)
        count = bridges.PLANES if self._absolute else PLANES
        self._says = ("policy",) if self._absolute else ("policy", "value")
        if [(i.name, i.type, list(i.shape)[1:2]) for i in inputs] != [("planes", "tensor(float)", [count])] or [
            (o.name, o.type) for o in outputs
        ] != [(name, "tensor(float)") for name in self._says]:
            raise CheckpointError(f"{source} does not map planes to {' and '.join(self._says)}")
        try:
            policy, value = self.run(np.zeros((2, count, 5, 6), np.float32))
        except EvaluationError as error:  # a graph may be well formed and still not run
            raise CheckpointError(f"{source} is damaged, or needs a newer ONNX Runtime: {error}") from None
        if not (np.isfinite(policy).all() and np.isfinite(value).all()):
            raise CheckpointError(f"{source} does not give a finite policy and value for a board")

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions."""
        check(positions)
        count = len(positions.white_to_move)
        logits = np.empty((count, positions.width * positions.height), np.float32)
        value = np.empty(count, np.float32)
        for start in range(0, count, _CHUNK):
            chunk = slice(start, start + _CHUNK)
            for index, part, planes in self.seen(take(positions, chunk)):
                where = slice(None) if index is None else index
                policy, value[chunk][where] = self.run(planes)
                if not self._absolute:
                    policy = to_board(policy, part.white_to_move, part.width, part.height)
                logits[chunk][where] = policy
        return checked(Evaluation(logits, value), positions, self.card.name)

    def seen(self, positions: Positions) -> Iterator[tuple[NDArray[np.intp] | None, Positions, NDArray[np.float32]]]:
        """Parts of one shape, each with the indices of its positions (None stands for all) and what the net sees."""
        if self._absolute:
            yield None, positions, bridges.encode(positions).astype(np.float32)
            return
        for index, part in split(positions):
            yield index, part, encode(part)

    def run(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The bare net on planes [B, 5 or 12, rows + 2, columns + 2]: logits [B, cells] in its view and values [B].

        The values of a net that has none are 0. EvaluationError when it does not run, or gives other shapes.
        """
        count, _, height, width = planes.shape
        try:
            answer: Any = self._session.run(self._says, {"planes": planes})
        except Exception as error:  # as above
            raise EvaluationError(f"{self.card.name} does not run on this board: {str(error)[:200]!r}") from None
        policy, value = answer[0], answer[1] if len(answer) > 1 else np.zeros(count, np.float32)
        if (policy.shape, value.shape) != ((count, (height - 2) * (width - 2)), (count,)):
            raise EvaluationError(f"{self.card.name} does not give a policy and a value for every board size")
        return policy, value
