"""What an ONNX file may be that did not come with Fingal: operators and bounds, and a trial in a process of its own.

``check_model`` reads the file field by field, without the ``onnx`` package, which playing does not need. Each kind of
message has its own table, so that nothing is nested deeper than they are. What a table does not list is refused:
ONNX Runtime may know it and find something in it that was not checked.

Refused are control flow and functions, for loops need not end; data in other files; operators that are not in
``OPERATORS`` or ``QUANTISED``; constants that are larger than a net; integer divisions, which may end the process where
the divisor is zero; and shapes that depend on the stones. What a net costs may depend on the board's size alone: that
is what ``try_model`` measures.
"""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from fingal.game.board import MAX_SIDE
from fingal.nets import onnx_trial
from fingal.nets.card import MAX_BYTES, CheckpointError

SECONDS = 30
"""What a trial may take of a processor's time; of the clock, where others are at work, four times as much."""
MEGABYTES = 1024
"""What a trial may take of memory, on top of ONNX Runtime's own."""

OPSETS = range(7, 27)
"""Versions of ONNX's own operators."""
MAX_NODES = 10_000
MAX_ELEMENTS = MAX_BYTES // 4
"""Numbers of one constant: as many floats as the largest file holds."""
MAX_FIELDS = 500_000
"""Fields of all messages together; the largest net of ``fingal export`` has some 4,000."""

_SHAPES = {
    "ConstantOfShape": (0,),
    "CumSum": (1,),
    "Expand": (1,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    **dict.fromkeys(("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean"), (1,)),
    **dict.fromkeys(("ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"), (1,)),
}
"""Operators with inputs, by number, that say what shape the output has."""
_COMPARISONS = {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "Or", "Xor"}
_PLAIN = """
Abs Add AveragePool BatchNormalization Cast Ceil Clip Concat Constant Conv ConvInteger ConvTranspose DepthToSpace
DequantizeLinear Div Dropout DynamicQuantizeLinear Einsum Elu Erf Exp Flatten Floor Gather GatherElements GatherND
Gelu Gemm GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization
LayerNormalization LeakyRelu Log LogSoftmax LpNormalization MatMul MatMulInteger Max MaxPool Mean Min Mish Mul Neg
PRelu Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization Reciprocal Relu Round Selu Shape Sigmoid Sign Size
Softmax Softplus Softsign SpaceToDepth Sqrt Sub Sum Swish Tanh ThresholdedRelu Transpose Where
"""
OPERATORS = frozenset({*_PLAIN.split(), *_SHAPES, *_COMPARISONS})
"""ONNX's own operators that a net may use: those of feed-forward nets, as exporters write them."""
_MICROSOFT = """
DequantizeLinear DynamicQuantizeMatMul MatMulIntegerToFloat QGemm QLinearAdd QLinearAveragePool QLinearConcat
QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax
QLinearWhere QuantizeLinear
"""
QUANTISED = frozenset(_MICROSOFT.split())
"""Operators of ``com.microsoft`` that ONNX Runtime's own quantisation writes."""

_ONNX = ("", "ai.onnx")
"""The names of the domain of ONNX's own operators."""
_FLOATS = {1, 10, 11, 16}
"""ONNX's numbers for float32, float16, float64 and bfloat16."""
_INT64 = 7
_MOST_SIDES = 32
"""Dimensions of a constant."""


class _Message(NamedTuple):
    """A kind of message in onnx.proto: the fields that may stand in it."""

    forms: dict[int, tuple[int, ...]]
    """By a field's number, the forms it may have: 0 a number, 1 and 5 eight and four bytes, 2 any number of them."""
    refused: Mapping[int, str] = MappingProxyType({})
    """What the fields are that somebody may miss."""


def _bytes(*numbers: int) -> dict[int, tuple[int, ...]]:
    return dict.fromkeys(numbers, (2,))


_MODEL = _Message(
    _bytes(2, 3, 4, 6, 7, 8, 14) | {1: (0,), 5: (0,)}, {20: "training information", 25: "functions of its own"}
)
_OPSET = _Message({1: (2,), 2: (0,)})
_GRAPH = _Message(_bytes(1, 2, 5, 10, 11, 12, 13, 14, 16), {15: "sparse constants"})
_NODE = _Message(_bytes(1, 2, 3, 4, 5, 6, 7, 9))
_INPUT = _Message(_bytes(1, 2, 3, 4))
_ATTRIBUTE = _Message(
    _bytes(1, 4, 5, 9, 13) | {2: (5,), 3: (0,), 7: (2, 5), 8: (0, 2), 20: (0,)},
    dict.fromkeys((6, 11), "a graph inside a node"),
)
_TENSOR = _Message(
    _bytes(8, 9, 12, 16) | {1: (0, 2), 2: (0,), 4: (2, 5), 5: (0, 2), 7: (0, 2), 10: (1, 2), 11: (0, 2), 14: (0,)},
    {13: "data in another file", 6: "a constant of texts"},
)


def check_model(data: bytes, source: str) -> None:
    """CheckpointError, in one sentence with the name ``source``, unless a file's content is a net that may be run."""
    if data[4:8] == b"ORTM":  # ONNX Runtime would read such bytes in a format of its own
        raise CheckpointError(f"{source} is in ONNX Runtime's own format: an .onnx file is expected")
    try:
        _Reader(source).model(memoryview(data))
    except _Malformed:
        raise CheckpointError(f"{source} is not an ONNX file, or is damaged") from None


def try_model(data: bytes, source: str) -> None:
    """Run a file's content in a process with limits; CheckpointError, as ``check_model``, when it fails.

    It runs one position on every square board. A content that has passed is not tried again.
    """
    digest = hashlib.sha256(data).digest()
    if digest in _passed:
        return
    # -P: the program's folder holds modules whose names are also those of others.
    command = [sys.executable, "-P", onnx_trial.__file__, *map(str, (MAX_SIDE, SECONDS, MEGABYTES))]
    try:
        status = subprocess.run(
            command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=4 * SECONDS
        ).returncode
    except subprocess.TimeoutExpired:
        status = onnx_trial.NO_TIME
    match status:
        case 0:
            _passed.add(digest)
        case onnx_trial.NO_TIME:
            raise CheckpointError(f"{source} takes more than {SECONDS} seconds to be opened and run once")
        case onnx_trial.NO_MODEL:
            raise CheckpointError(f"{source} is not an ONNX file, or is damaged")
        case onnx_trial.DOES_NOT_RUN:
            raise CheckpointError(f"{source} does not run: it is damaged, or needs a newer ONNX Runtime")
        case onnx_trial.NO_MEMORY:
            raise CheckpointError(f"{source} takes more than {MEGABYTES} MiB to be opened and run once")
        case _:
            raise CheckpointError(f"{source} ends the process that opens it, with status {status}: it is damaged")


_passed: set[bytes] = set()
"""SHA-256 of what has passed a trial of this process."""


class _Malformed(Exception):
    """Bytes that are no message."""


class _Value(NamedTuple):
    """What is certain of a tensor."""

    is_float: bool
    """Whether it holds floating-point numbers."""
    follows_stones: bool
    """Whether it may depend on the planes, and not only on their shape."""


@dataclass(slots=True)
class _Node:
    """A node as far as it matters here."""

    operator: str = ""
    domain: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    type: int = 1
    """ONNX's number for the type of numbers that Cast makes and that a constant holds; float32 if not given."""


class _Reader:
    """Reads one file."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._fields_left = MAX_FIELDS
        self._values = {"": _Value(False, False)}

    def model(self, data: memoryview) -> None:
        """Read and check a ModelProto."""
        entries: list[tuple[int, Any]] = []
        version = None
        for number, value in self._fields(data, _MODEL):
            if number == 7:  # where there are several graphs, protobuf makes one of them
                entries += self._fields(value, _GRAPH)
            elif number == 8:
                opset = dict(self._fields(value, _OPSET))
                if _text(opset.get(1, b"")) in _ONNX:
                    version = opset.get(2, 0)
        if not entries:
            raise _Malformed
        if version not in OPSETS:
            self._refuse(f"has operators of version {version}: versions {OPSETS[0]} to {OPSETS[-1]} can be read")
        if sum(number == 1 for number, _ in entries) > MAX_NODES:
            self._refuse(f"has more than {MAX_NODES} nodes")
        for number, value in entries:
            if number == 5:
                name, kind = self._tensor(value)
                self._define(name, _Value(kind in _FLOATS, False))
        for number, value in entries:
            if number == 11:
                name = _text(dict(self._fields(value, _INPUT)).get(1, b""))
                self._values.setdefault(name, _Value(True, True))
        for number, value in entries:
            if number == 1:
                self._follow(self._node(value))

    def _node(self, data: memoryview) -> _Node:
        node = _Node()
        for number, value in self._fields(data, _NODE):
            match number:
                case 1:
                    node.inputs.append(_text(value))
                case 2:
                    node.outputs.append(_text(value))
                case 4:
                    node.operator = _text(value)
                case 5:
                    self._attribute(value, node)
                case 7:
                    node.domain = _text(value)
        return node

    def _attribute(self, data: memoryview, node: _Node) -> None:
        name, whole = "", 0
        for number, value in self._fields(data, _ATTRIBUTE):
            match number:
                case 1:
                    name = _text(value)
                case 3:
                    whole = value
                case 5:
                    node.type = self._tensor(value)[1]
        if name == "to":
            node.type = whole
        elif name in ("value_int", "value_ints"):
            node.type = _INT64

    def _tensor(self, data: memoryview) -> tuple[str, int]:
        """The name and the type of a TensorProto."""
        name, kind, sides = "", 0, list[int]()
        for number, value in self._fields(data, _TENSOR):
            match number:
                case 1:
                    sides += [value] if isinstance(value, int) else _numbers(value)
                    if len(sides) > _MOST_SIDES:
                        raise _Malformed
                case 2:
                    kind = value
                case 8:
                    name = _text(value)
                case 14 if value != 0:
                    self._refuse("has data in another file, which no net may")
        if max(sides, default=0) > MAX_ELEMENTS or math.prod(sides) > MAX_ELEMENTS:
            self._refuse(f"has a constant of more than {MAX_ELEMENTS} numbers")
        return name, kind

    def _follow(self, node: _Node) -> None:
        """Check a node, and note of its outputs what matters to the nodes after it."""
        operator = node.operator
        allowed = OPERATORS if node.domain in _ONNX else QUANTISED if node.domain == "com.microsoft" else ()
        if operator not in allowed:
            owner = f" of {_shown(node.domain)}" if node.domain else ""
            self._refuse(f"uses the operator {_shown(operator)}{owner}, which no net may")
        try:
            inputs = [self._values[name] for name in node.inputs]
        except KeyError:  # no node before this one gives it
            raise _Malformed from None
        if any(inputs[at].follows_stones for at in _SHAPES.get(operator, ()) if at < len(inputs)):
            self._refuse(f"has a {operator} whose output's shape depends on the stones, which no net may")
        if operator == "Div" and not (inputs and inputs[0].is_float):
            self._refuse("divides whole numbers, which no net may")
        follows = operator not in ("Shape", "Size") and any(value.follows_stones for value in inputs)
        for name in filter(None, node.outputs):
            self._define(name, _Value(_gives_floats(node, inputs), follows))

    def _define(self, name: str, value: _Value) -> None:
        if name in self._values:
            raise _Malformed
        self._values[name] = value

    def _fields(self, data: memoryview, message: _Message) -> Iterator[tuple[int, Any]]:
        """The fields of a message: their numbers, and an int or a memoryview each."""
        at = 0
        while at < len(data):
            self._fields_left -= 1
            if self._fields_left < 0:
                self._refuse(f"has more than {MAX_FIELDS} fields")
            tag, at = _number(data, at)
            number, form = tag >> 3, tag & 7
            if form not in message.forms.get(number, ()):
                if number in message.refused:
                    self._refuse(f"has {message.refused[number]}, which no net may")
                raise _Malformed
            if form == 0:
                value, at = _number(data, at)
                yield number, value
                continue
            length = {1: 8, 5: 4}.get(form, 0)
            if form == 2:
                length, at = _number(data, at)
            if length > len(data) - at:
                raise _Malformed
            yield number, data[at : at + length]
            at += length

    def _refuse(self, why: str) -> NoReturn:
        raise CheckpointError(f"{self._source} {why}")


def _gives_floats(node: _Node, inputs: Sequence[_Value]) -> bool:
    """Whether a node's outputs certainly hold floating-point numbers; most operators give what they take."""
    match node.operator:
        case "Cast" | "Constant" | "ConstantOfShape":
            return node.type in _FLOATS
        case "DequantizeLinear":
            return True
        case "QuantizeLinear" | "DynamicQuantizeLinear" | "Shape" | "Size":
            return False
        case "Where":
            return len(inputs) == 3 and inputs[1].is_float
        case operator:
            return operator not in _COMPARISONS and bool(inputs) and inputs[0].is_float


def _number(data: memoryview, at: int) -> tuple[int, int]:
    """A varint, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise _Malformed
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _Malformed


def _numbers(data: memoryview) -> list[int]:
    """Packed varints, no more than a shape has."""
    found, at = list[int](), 0
    while at < len(data) and len(found) <= _MOST_SIDES:
        value, at = _number(data, at)
        found.append(value)
    return found


def _text(data: memoryview | bytes) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise _Malformed from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
