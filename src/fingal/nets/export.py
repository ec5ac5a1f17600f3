"""Nets as ONNX files, for ONNX Runtime and for other programs.

The graph is written node by node from the net rather than traced: there are few kinds of node, it is the same whatever
torch is installed, and batch and board size stay free.

====================  =======================================  ============================================
``planes``  (input)   float32 [batch, 5, rows + 2, columns+2]  as ``fingal.nets.planes`` says
``policy``  (output)  float32 [batch, rows * columns]          logits in the canonical view
``value``   (output)  float32 [batch]                          in [-1, 1], from the side to move's view
====================  =======================================  ============================================

That is the residual net. The convolutional net has the twelve planes of ``fingal.nets.bridges``, logits of the board as
it is, and no value.

The card is in the file's ``metadata_props`` under ``fingal``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from fingal.nets import bridges, checkpoint, planes
from fingal.nets.attention import REACH
from fingal.nets.card import KEY, Card, CheckpointError, write_atomically
from fingal.nets.convolutional import Convolutional
from fingal.nets.folded import Folded, FoldedAttention, FoldedBlock, FoldedNested, fold
from fingal.nets.residual import Residual

OPSET = 17
"""Old enough for every ONNX Runtime of the last years."""
IR_VERSION = 8


def export(source: str | os.PathLike[str], path: str | os.PathLike[str]) -> Card:
    """Write the net of a checkpoint (a file or a shipped name) as ONNX in float32; gives the card in it."""
    net, card = checkpoint.load_any(checkpoint.find(source))
    card = replace(card, precision="float32")
    if isinstance(net, Residual):
        model = graph(fold(net))
    elif isinstance(net, Convolutional):
        model = convolutional_graph(net)
    else:
        raise CheckpointError(f"{card.name} is a {card.architecture} net: only residual and convolutional are exported")
    write_model(model, card, path)
    return card


def write_model(model: onnx.ModelProto, card: Card, path: str | os.PathLike[str]) -> None:
    """Put the card into a model and write it, whole or not at all."""
    write_atomically(Path(path), with_card(model, card))


def with_card(model: onnx.ModelProto, card: Card) -> bytes:
    """A model with its card, as a file has it."""
    del model.metadata_props[:]
    helper.set_model_props(model, {KEY: card.text()})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def graph(net: Folded) -> onnx.ModelProto:
    """The folded net as an ONNX model."""
    writer = _Writer()
    writer.sizes()
    x = writer.convolution("stem", net.stem, "planes")
    for i, block in enumerate(net.blocks):
        if isinstance(block, FoldedAttention):
            x = _attention(writer, "attention", block, x)
        else:
            x = _block(writer, f"block{i}", block, x)
    x = writer.node("Relu", "trunk", [x])
    pooled = writer.pool("policy_pool", writer.convolution("policy_pool", net.policy_pool, x))
    inner = writer.convolution("policy_conv", net.policy_conv, x)
    inner = writer.node("Add", "policy_sum", [inner, writer.linear("policy_bias", net.policy_bias, pooled)])
    logits = writer.convolution("policy_out", net.policy_out, writer.node("Relu", "policy_relu", [inner]))
    if net.config.ring:
        inside = writer.integers(start=[1, 1], end=[-1, -1], axes=[2, 3])
        logits = writer.node("Slice", "policy_inside", [logits, *inside])
    writer.node("Flatten", "policy_flat", [logits], output="policy")
    pooled = writer.pool("value_pool", writer.convolution("value_conv", net.value_conv, x))
    hidden = writer.node("Relu", "value_relu", [writer.linear("value_hidden", net.value_hidden, pooled)])
    logit = writer.linear("value_out", net.value_out, hidden)
    half = writer.node("Mul", "value_half", [logit, writer.constant("half", np.float32(0.5))])
    tanh = writer.node("Tanh", "value_tanh", [half])
    writer.node("Reshape", "value_flat", [tanh, *writer.integers(flat=[-1])], output="value")
    return writer.model(planes.PLANES, {"policy": ["batch", "cells"], "value": ["batch"]})


def convolutional_graph(net: Convolutional) -> onnx.ModelProto:
    """The convolutional net as an ONNX model; a second head is left out, for no player asks it."""
    writer = _Writer()
    x = "planes"
    for i, layer in enumerate(net.layers):
        assert isinstance(layer, nn.Conv2d)
        x = writer.node("Relu", f"layer{i}.relu", [writer.convolution(f"layer{i}", layer, x)])
    writer.node("Flatten", "policy_flat", [writer.convolution("policy_out", net.policy, x)], output="policy")
    return writer.model(bridges.PLANES, {"policy": ["batch", "cells"]})


def _block(writer: _Writer, name: str, block: nn.Module, x: str) -> str:
    assert isinstance(block, (FoldedBlock, FoldedNested))
    active = writer.node("Relu", f"{name}.relu1", [x])
    inner = writer.convolution(f"{name}.conv1", block.conv1, active)
    if isinstance(block, FoldedNested):
        for i, nested in enumerate(block.blocks):
            inner = _block(writer, f"{name}.inner{i}", nested, inner)
    elif block.conv_pool is not None and block.bias is not None:
        pooled = writer.pool(f"{name}.pool", writer.convolution(f"{name}.conv_pool", block.conv_pool, active))
        inner = writer.node("Add", f"{name}.sum1", [inner, writer.linear(f"{name}.bias", block.bias, pooled)])
    inner = writer.node("Relu", f"{name}.relu2", [inner])
    return writer.node("Add", f"{name}.sum2", [writer.convolution(f"{name}.conv2", block.conv2, inner), x])


def _attention(writer: _Writer, name: str, block: FoldedAttention, x: str) -> str:
    heads, channels = len(block.near), block.mixed.in_channels
    parts = writer.convolution(f"{name}.parts", block.parts, x)
    shape = writer.integers(**{f"{name}.heads": [0, 3 * heads, channels // heads, -1]})
    cells = writer.node("Reshape", f"{name}.cells", [parts, *shape])
    # Each [B, heads, channels / heads, cells], so logits are [B, heads, cells, cells], from whom to whom.
    query, key, value = writer.split(f"{name}.split", cells, ("query", "key", "value"), axis=1)
    query = writer.node("Transpose", f"{name}.queries", [query], perm=[0, 1, 3, 2])
    scale = writer.constant(f"{name}.scale", np.float32(math.sqrt(heads / channels)))
    logits = writer.node("MatMul", f"{name}.logits", [writer.node("Mul", f"{name}.scaled", [query, scale]), key])
    near = writer.node(
        "Gather", f"{name}.bias", [writer.constant(f"{name}.near", block.near), _offsets(writer, x)], axis=1
    )
    weights = writer.node("Softmax", f"{name}.weights", [writer.node("Add", f"{name}.sum1", [logits, near])], axis=-1)
    weights = writer.node("Transpose", f"{name}.turned", [weights], perm=[0, 1, 3, 2])
    found = writer.node("MatMul", f"{name}.found", [value, weights])
    found = writer.node("Reshape", f"{name}.planes", [found, writer.node("Shape", f"{name}.shape", [x])])
    return writer.node("Add", f"{name}.sum2", [writer.convolution(f"{name}.mixed", block.mixed, found), x])


def _offsets(writer: _Writer, x: str) -> str:
    """``attention.offsets`` [cells, cells], from the shape of the trunk."""
    shape = writer.node("Shape", "offset.shape", [x], start=2)
    zero, one, reach, least, span = (
        writer.constant(f"offset.{name}", np.int64(value))
        for name, value in (("zero", 0), ("one", 1), ("reach", REACH), ("least", -REACH), ("span", 2 * REACH + 1))
    )
    numbers = []
    for axis, side in ((0, "rows"), (1, "columns")):
        length = writer.node("Gather", f"{side}.length", [shape, writer.constant(f"{side}.axis", np.int64(axis))])
        line = writer.node("Range", f"{side}.line", [zero, length, one])
        # [rows, 1, rows, 1] and [1, columns, 1, columns]: from whom, to whom.
        whom = [
            writer.node("Unsqueeze", f"{side}.{name}", [line, *writer.integers(**{f"{side}.{name}.axes": axes})])
            for name, axes in (("to", [0, 1, 3 - axis]), ("from", [1 - axis, 2, 3]))
        ]
        offset = writer.node("Clip", f"{side}.near", [writer.node("Sub", f"{side}.offset", whom), least, reach])
        numbers.append(writer.node("Add", f"{side}.number", [offset, reach]))
    whole = writer.node("Add", "offset.number", [writer.node("Mul", "offset.down", [numbers[0], span]), numbers[1]])
    cells = writer.node("ReduceProd", "cells", [shape], keepdims=1)
    square = writer.node("Concat", "offset.square", [cells, cells], axis=0)
    return writer.node("Reshape", "offset.flat", [whole, square])


class _Writer:
    """A graph in the making. Every method adds nodes and gives the name of what they compute."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def node(self, op: str, name: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        output = output or name
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def constant(self, name: str, value: NDArray[np.generic] | np.generic | Tensor) -> str:
        array = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def split(self, name: str, x: str, outputs: Sequence[str], axis: int) -> list[str]:
        found = [f"{name}.{output}" for output in outputs]
        self.nodes.append(helper.make_node("Split", [x], found, name=name, axis=axis))
        return found

    def integers(self, **values: list[int]) -> list[str]:
        return [self.constant(name, np.array(value, np.int64)) for name, value in values.items()]

    def convolution(self, name: str, layer: nn.Conv2d, x: str) -> str:
        inputs = [x, self.constant(f"{name}.weight", layer.weight)]
        if layer.bias is not None:
            inputs.append(self.constant(f"{name}.offset", layer.bias))
        side, beyond = layer.kernel_size[0], int(layer.padding[0])
        return self.node("Conv", name, inputs, kernel_shape=[side, side], pads=[beyond] * 4)

    def linear(self, name: str, layer: nn.Linear, x: str) -> str:
        """On [B, C, 1, 1], as a convolution: no reshaping, and its result can be added to planes as it is."""
        inputs = [x, self.constant(f"{name}.weight", layer.weight[:, :, None, None])]
        if layer.bias is not None:
            inputs.append(self.constant(f"{name}.offset", layer.bias))
        return self.node("Conv", name, inputs, kernel_shape=[1, 1])

    def sizes(self) -> None:
        """``size``: what ``residual.Extent.size`` is, from the shape of the planes."""
        shape = self.node("Shape", "shape", ["planes"], start=2)
        sides = self.node("Cast", "sides", [shape], to=TensorProto.FLOAT)
        area = self.node("ReduceProd", "area", [sides], keepdims=1)
        root = self.node("Sqrt", "root", [area])
        centred = self.node("Sub", "centred", [root, self.constant("thirteen", np.float32(13))])
        self.node("Mul", "size", [centred, self.constant("tenth", np.float32(0.1))])

    def pool(self, name: str, x: str) -> str:
        """ReLU and ``folded.pool``: [B, C, H, W] to [B, 3C, 1, 1]."""
        x = self.node("Relu", f"{name}.relu", [x])
        mean = self.node("GlobalAveragePool", f"{name}.mean", [x])
        scaled = self.node("Mul", f"{name}.scaled", [mean, "size"])
        largest = self.node("GlobalMaxPool", f"{name}.max", [x])
        return self.node("Concat", f"{name}.concat", [mean, scaled, largest], axis=1)

    def model(self, inputs: int, outputs: dict[str, list[str | int | None]]) -> onnx.ModelProto:
        """The graph with so many planes, and with the shapes of what it gives."""
        shape: list[str | int | None] = ["batch", inputs, "rows_and_ring", "columns_and_ring"]
        finished = helper.make_graph(
            self.nodes,
            "fingal",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            list(self.constants.values()),
        )
        return helper.make_model(
            finished,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="fingal",
        )
