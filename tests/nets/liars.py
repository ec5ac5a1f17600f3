"""Small ONNX files whose graphs are written by hand: nets that lie, and graphs that no net may have."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from fingal.nets.card import KEY, Card


def write(path: Path, model: onnx.ModelProto, card: str | None = None) -> Path:
    """Write a model with a card."""
    helper.set_model_props(model, {KEY: Card(path.name.partition(".")[0], {}).text() if card is None else card})
    path.write_bytes(model.SerializeToString())
    return path


def model(
    nodes: Sequence[onnx.NodeProto] = (),
    constants: dict[str, Any] | None = None,
    *,
    policy: str = "plain",
    value: str = "mean",
    opset: int = 17,
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    """A net whose logits are the side to move's stones, ``plain``, and whose value is their share, ``mean``.

    More nodes, which may use both, compute what takes their place: the tensors called ``policy`` and ``value``.
    """
    ends = [
        helper.make_node("Identity", [policy], ["policy"]),
        helper.make_node("Identity", [value], ["value"]),
    ]
    start = [
        helper.make_node("Slice", ["planes", "first", "last", "axes"], ["stones"]),
        helper.make_node("Flatten", ["stones"], ["plain"]),
        helper.make_node("ReduceMean", ["plain"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("ReduceSum", ["plain", "cells"], ["count"], keepdims=0),
        helper.make_node("Unsqueeze", ["count", "cells"], ["column"]),
    ]
    arrays = {
        "first": np.array([0, 1, 1], np.int64),
        "last": np.array([1, -1, -1], np.int64),
        "axes": np.array([1, 2, 3], np.int64),
        "cells": np.array([1], np.int64),
    } | (constants or {})
    graph = helper.make_graph(
        [*start, *nodes, *ends],
        "liar",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["batch", 5, "rows", "columns"])],
        [
            helper.make_tensor_value_info("policy", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, None),
        ],
        [
            array if isinstance(array, TensorProto) else numpy_helper.from_array(np.asarray(array), name)
            for name, array in arrays.items()
        ],
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def liar(kind: str, stones: int) -> onnx.ModelProto:
    """A net that gives NaN (``value``, ``policy``, ``both``) or a value of 7 (``large``) from so many stones on.

    The stones are those of the side to move.
    """
    nodes = [
        helper.make_node("Sub", ["most", "count"], ["left"]),
        helper.make_node("Sqrt", ["left"], ["wrong"]),
        helper.make_node("Mul", ["wrong", "zero"], ["value_error"]),
        helper.make_node("Unsqueeze", ["value_error", "cells"], ["policy_error"]),
        helper.make_node("Add", ["plain", "policy_error"], ["bad_policy"]),
        helper.make_node("Add", ["mean", "value_error"], ["bad_value"]),
        helper.make_node("Less", ["left", "zero"], ["is_late"]),
        helper.make_node("Where", ["is_late", "seven", "mean"], ["large_value"]),
    ]
    constants = {"most": np.float32(stones - 0.5), "zero": np.float32(0), "seven": np.float32(7)}
    return model(
        nodes,
        constants,
        policy="bad_policy" if kind in ("policy", "both") else "plain",
        value={"value": "bad_value", "both": "bad_value", "large": "large_value"}.get(kind, "mean"),
    )
