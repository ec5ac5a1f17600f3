"""ONNX nets in int8, calibrated on positions of the net's own play.

The convolutions of all blocks are quantised, weights per channel and symmetric, activations unsigned. The rest stays
in float32, and so does the trunk that they add to. Of the convolutional net all layers but the first and the last are.

Weights have 7 bits. Processors with AVX2 but without VNNI multiply in pairs into 16 bits, and with 8-bit weights
those sums can overflow without a word: the file has to mean the same everywhere.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from fingal.nets.agreement import agreement, own_play
from fingal.nets.card import Card, read_bytes, write_atomically
from fingal.nets.channels_last import channels_last
from fingal.nets.export import export, write_model
from fingal.nets.onnx_evaluator import OnnxEvaluator
from fingal.nets.planes import take
from fingal.search.evaluator import Positions

_BATCH = 32
_DRAFTS = 6
_POSITIONS = 384
"""Of each size, to calibrate a draft."""


def quantise(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    positions: Sequence[Positions] | None = None,
    seed: int = 0,
) -> Card:
    """Write a float32 ``.onnx`` of ``fingal.nets.export`` as int8; gives the card in it.

    ``positions`` calibrate the ranges of the activations: a few hundred that resemble those it will see. By default
    the net plays them itself, on the sizes its card names.
    """
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        QuantFormat,
        QuantType,
        quantize_static,
    )

    evaluator = OnnxEvaluator(source)
    if positions is None:
        positions = [own_play(evaluator, *size, count=_POSITIONS, seed=seed) for size in _sizes(evaluator.card)]
    planes = [seen for given in positions for _, _, seen in evaluator.seen(given)]
    batches = [{"planes": array[i : i + _BATCH]} for array in planes for i in range(0, len(array), _BATCH)]
    batches = [batches[i] for i in np.random.default_rng(seed).permutation(len(batches))]
    model = onnx.load_from_string(read_bytes(source))
    coarse = _coarse([node.name for node in model.graph.node if node.op_type == "Conv"])
    if not coarse:
        raise ValueError(f"{evaluator.card.name} has no layers between its first and its last to quantise")
    with tempfile.TemporaryDirectory() as folder, _quiet():
        target = Path(folder) / "int8.onnx"
        quantize_static(
            model,
            str(target),
            _Reader(batches),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            nodes_to_quantize=coarse,
            # Ranges by a moving average over the batches: one outlier must not coarsen everybody's steps.
            extra_options={"CalibMovingAverage": True, "CalibMovingAverageConstant": 0.05},
        )
        quantised = channels_last(onnx.load(str(target)))
    card = replace(evaluator.card, precision="int8")
    write_model(quantised, card, path)
    return card


def export_int8(source: str | os.PathLike[str], path: str | os.PathLike[str]) -> Card:
    """Write the net of a checkpoint (a file or a shipped name) as ONNX in int8; gives the card in it.

    How well the ranges fit depends on the positions they were taken from. Of several drafts the one that most often
    has float32's best move is kept, on positions that none was calibrated on.
    """
    with tempfile.TemporaryDirectory() as folder:
        wide = Path(folder) / "float32.onnx"
        export(source, wide)
        evaluator = OnnxEvaluator(wide, model=wide.read_bytes())
        sizes = _sizes(evaluator.card)
        asked = [own_play(evaluator, *size, count=500, seed=1) for size in sizes]
        played = [own_play(evaluator, *size, count=_DRAFTS * _POSITIONS) for size in sizes]
        best, score = b"", -1.0
        for seed in range(_DRAFTS):
            draft = Path(folder) / "int8.onnx"
            part = slice(seed * _POSITIONS, (seed + 1) * _POSITIONS)
            card = quantise(wide, draft, [take(positions, part) for positions in played], seed)
            narrow = OnnxEvaluator(draft, model=draft.read_bytes())
            agreed = sum(agreement(evaluator, narrow, positions) for positions in asked)
            if agreed > score:
                best, score = draft.read_bytes(), agreed
        write_atomically(path, best)
        return card


def _sizes(card: Card) -> list[tuple[int, int]]:
    sizes = sorted({(int(w), int(h)) for w, _, h in (size.partition("x") for size in card.sizes)})
    return sizes[-3:] or [(9, 9), (11, 11)]


def _coarse(names: list[str]) -> list[str]:
    """The convolutions to quantise: those of every block, or of every layer but the first and the last."""
    layers = [name for name in names if name.startswith("layer")]
    return layers[1:-1] or [name for name in names if name.startswith("block") and ".conv" in name]


class _Reader:
    """Batches, in the way the calibrator asks for them."""

    def __init__(self, batches: list[dict[str, NDArray[np.float32]]]) -> None:
        self._batches: Iterator[dict[str, NDArray[np.float32]]] = iter(batches)

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        return next(self._batches, None)


@contextmanager
def _quiet() -> Iterator[None]:
    """The quantiser advises, through the root logger, steps that a graph written by ``export`` does not need."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
