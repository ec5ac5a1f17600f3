"""A quantised net as ONNX Runtime runs it fastest: channels last, and 8 bits handed from one convolution to the next.

What ``onnxruntime.quantization`` writes has a pair of nodes, to 8 bits and back, around every convolution, and the
runtime turns the pairs into convolutions of 8 bits. But these have their channels last and all else has them first, so
that it transposes before and after each; and where a ReLU stands between two of them it rounds twice. Written out here,
a block is: to 8 bits, which is a ReLU as well, two convolutions, back, and the sum.

The convolution with its channels last is the runtime's own (``com.microsoft``): no other program reads such a file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_KEPT = {"Add", "Cast", "Flatten", "Mul", "ReduceProd", "Relu", "Reshape", "Shape", "Sqrt", "Sub", "Tanh"}
"""Nodes to which it is all the same where the channels are."""
_POOLS = {"GlobalAveragePool": "ReduceMean", "GlobalMaxPool": "ReduceMax"}
_FIRST, _LAST = [0, 3, 1, 2], [0, 2, 3, 1]
"""Where the axes come from that channels first, or last, has."""


def channels_last(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same quantised model with its channels last: what it is given and what it gives stay as they are.

    One with attention, which has shapes of its own, comes back unchanged.
    """
    if any(node.op_type == "Softmax" for node in model.graph.node):
        return model
    writer = _Writer(model)
    for node in model.graph.node:
        writer.take(node)
    graph = model.graph
    written = helper.make_graph(writer.nodes, graph.name, graph.input, graph.output, list(writer.constants.values()))
    opsets = [*model.opset_import, helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(
        written, opset_imports=opsets, ir_version=model.ir_version, producer_name=model.producer_name
    )


class _Writer:
    """Takes the nodes of a quantised model in their order and writes those of the new one."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._given = {tensor.name: tensor for tensor in model.graph.initializer}
        self._inputs = {tensor.name for tensor in model.graph.input}
        self._producer = {output: node for node in model.graph.node for output in node.output}
        self._consumers = defaultdict[str, list[onnx.NodeProto]](list)
        for node in model.graph.node:
            for name in node.input:
                self._consumers[name].append(node)
        self._written: set[str] = set()
        self._joined: dict[str, onnx.NodeProto] = {}
        """By the name of a ReLU's result: the convolution that gives its 8 bits."""
        self._passed: set[str] = set()
        """What lies between those two."""
        for node in model.graph.node:
            if node.op_type == "Relu":
                self._join(node)

    def _join(self, relu: onnx.NodeProto) -> None:
        """Where a convolution goes to 8 bits and back, through this ReLU and to 8 bits, and nowhere else: join them."""
        back = self._producer.get(relu.input[0])
        if back is None or back.op_type != "DequantizeLinear" or len(self._consumers[relu.input[0]]) > 1:
            return
        narrow, after = self._producer[back.input[0]], self._consumers[relu.output[0]]
        maker = self._producer.get(narrow.input[0])
        # Only with a zero of 0 do 8 bits end where a ReLU does.
        if (
            self._is_narrow(maker)
            and [node.op_type for node in after] == ["QuantizeLinear"]
            and self._array(after[0].input[2]).item() == 0
        ):
            self._joined[relu.output[0]] = maker
            self._passed |= {narrow.output[0], relu.output[0]}

    def take(self, node: onnx.NodeProto) -> None:
        """Write what stands for a node."""
        op, output = node.op_type, node.output[0]
        if output in self._passed or op == "DequantizeLinear" or self._is_narrow(node):
            return  # what nobody asks for, or is written where somebody does
        if op == "QuantizeLinear":
            maker = self._joined.get(node.input[0], self._producer.get(node.input[0]))
            if self._is_narrow(maker):
                self._convolve_narrowly(maker, node)
            else:
                self._add(op, node.input, output)
        elif op == "Conv":
            self._convolve(node)
        elif op == "Concat":
            self._add(op, node.input, output, axis=3)
        elif op == "Slice":
            places = self._constant(f"{output}.axes", self._array(node.input[3]) - 1)
            self._add(op, [*node.input[:3], places], output)
        elif op in _POOLS:
            self._add(_POOLS[op], node.input, output, axes=[1, 2], keepdims=1)
        elif op in _KEPT:
            self._add(op, node.input, output, **_attributes(node))
        else:
            raise ValueError(f"{op} is not a node of a quantised net")

    def _is_narrow(self, node: onnx.NodeProto | None) -> TypeGuard[onnx.NodeProto]:
        """Whether it is a convolution of 8 bits: it is written where it goes to 8 bits again."""
        if node is None or node.op_type != "Conv":
            return False
        maker = self._producer.get(node.input[0])
        return maker is not None and maker.op_type == "DequantizeLinear"

    def _convolve_narrowly(self, node: onnx.NodeProto, after: onnx.NodeProto) -> None:
        """A convolution from 8 bits to the 8 bits that ``after`` makes."""
        activation, weight, offset = (self._producer[name].input for name in node.input)
        _, scale, zero = after.input
        inputs = [*activation, *weight, scale, zero, offset[0]]
        self._add("QLinearConv", inputs, after.output[0], domain="com.microsoft", channels_last=1, **_attributes(node))

    def _convolve(self, node: onnx.NodeProto) -> None:
        """A convolution in float32: of a cell alone it is a product, else the channels go first and last again."""
        output = node.output[0]
        weight = self._array(node.input[1])
        if weight.shape[2:] == (1, 1):
            matrix = self._constant(f"{output}.matrix", weight[:, :, 0, 0].T)
            product = output if len(node.input) == 2 else f"{output}.product"
            self._add("MatMul", [node.input[0], matrix], product)
            if len(node.input) > 2:
                self._add("Add", [product, node.input[2]], output)
            return
        source = node.input[0]
        if source not in self._inputs:
            source = self._add("Transpose", [source], f"{output}.first", perm=_FIRST)
        first = self._add("Conv", [source, *node.input[1:]], f"{output}.convolved", **_attributes(node))
        self._add("Transpose", [first], output, perm=_LAST)

    def _add(self, op: str, inputs: Iterable[str], output: str, domain: str = "", **attributes: Any) -> str:
        inputs = list(inputs)
        for name in inputs:
            self._provide(name)
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        self._written.add(output)
        return output

    def _provide(self, name: str) -> None:
        """See to it that a constant, or the float32 of 8 bits, is there."""
        if name in self._given:
            self.constants[name] = self._given[name]
        maker = self._producer.get(name)
        if maker is not None and maker.op_type == "DequantizeLinear" and name not in self._written:
            self._add("DequantizeLinear", maker.input, name)

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _array(self, name: str) -> NDArray[np.generic]:
        return numpy_helper.to_array(self._given[name])


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
