"""Broken and hostile net files: bytes, fields, graphs, headers and cards changed at random."""

import faulthandler
import json
import os
import random
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
from onnx import numpy_helper

from fingal.nets import (
    checkpoint,
    convolutional,
    feedforward,
    hexagonal,
    narrowing,
    onnx_check,
    recurrent,
    shortcut,
    transformer,
)
from fingal.nets.card import KEY, WEIGHTS, Card, CheckpointError
from fingal.nets.export import export
from fingal.nets.inference import open_evaluator
from fingal.nets.onnx_check import OPERATORS, QUANTISED, check_model
from fingal.nets.planes import unpack
from fingal.search.evaluator import EvaluationError
from tests.nets import liars
from tests.nets.sample import NESTED, TINY, lively_net, random_positions

SECONDS = 300
"""A file that takes longer has hung; the process is ended."""
TRIAL_SECONDS = 5
"""Files that take longer to try are refused sooner than by people's own Fingal, so that thousands can be tried."""

NUMBERS = (0, 1, 2, 3, 7, 19, 127, 128, 255, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 62, (1 << 64) - 1)
WORDS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 64, 1 << 31, 1 << 64, 1e308, float("nan"), float("inf"), 0.5),
    *(
        "",
        "x",
        "11x11",
        "0x0",
        "99999999999x1",
        "\ud800",
        "\n",
        "F32",
        "I64",
        "residual",
        "hexagonal",
        "os",
        "q",
        "policy",
    ),
    *([], [[]], [0], [1 << 62], {}, {"a": 1}, "x" * 100_000, [0, 1 << 40]),
)
"""What may stand in JSON where something else did."""


def fuzz_onnx(seed: int, count: int) -> None:
    """Open so many broken .onnx files and evaluate positions; AssertionError unless each ends as it should."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name, patch.object(onnx_check, "SECONDS", TRIAL_SECONDS):
        folder = Path(name)
        goods = _onnx_files(folder)
        for _ in range(count):
            good = rng.choice(goods)
            data = rng.choice((_bytes, _bytes, _wire, _wire, _wire, _graph, _graph, _graph))(good, rng)
            _try(folder / "fuzzed.onnx", data)


def fuzz_check(seed: int, count: int) -> None:
    """Check so many broken .onnx files, none of which is run: what passes must be free of what ``onnx`` finds there."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        goods = [*_onnx_files(Path(name))[1:], *_hostile_files()]
        for _ in range(count):
            data = rng.choice((_bytes, _wire, _wire, _graph))(rng.choice(goods), rng)
            with _no_longer_than(SECONDS):
                try:
                    check_model(data, "fuzzed.onnx")
                except CheckpointError as error:
                    _assert_sentence(str(error))
                    continue
                _assert_harmless(data)


def fuzz_safetensors(seed: int, count: int) -> None:
    """As ``fuzz_onnx`` with .safetensors files of all architectures."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        goods = _safetensors_files(folder)
        for _ in range(count):
            data = rng.choice((_bytes, _header, _header, _card, _card, _tensors))(rng.choice(goods), rng)
            _try(folder / "fuzzed.safetensors", data)


def fuzz_nets(seed: int, count: int) -> None:
    """All three, an eighth of the count with files that are run as ONNX."""
    fuzz_onnx(seed, count // 8)
    fuzz_check(seed, count // 2)
    fuzz_safetensors(seed, count - count // 8 - count // 2)


def _try(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        with _no_longer_than(SECONDS):
            evaluator = open_evaluator(path, device="cpu")
            sides = {5, getattr(evaluator.card, "config", {}).get("size", 4)}  # type: ignore[attr-defined]
            for side in (side for side in sides if type(side) is int and 1 <= side <= 19):
                positions = random_positions(side, side, 3, seed=len(data))
                try:
                    found = evaluator(positions)
                except EvaluationError as error:
                    _assert_line(str(error))
                    continue
                except ValueError as error:
                    _assert_line(str(error), " only, not on ")
                    continue
                empty = unpack(positions.stones, side * side).max(0) == 0
                assert found.logits.shape == (3, side * side)
                assert np.isfinite(found.logits[empty]).all()
                assert (np.abs(found.value) <= 1).all()
    except CheckpointError as error:
        _assert_sentence(str(error))
    except Exception as error:
        keep = Path(tempfile.gettempdir()) / f"fuzzed-{os.getpid()}{path.suffix}"
        keep.write_bytes(data)
        raise AssertionError(f"{keep} raised {error!r}") from error


@contextmanager
def _no_longer_than(seconds: int) -> Iterator[None]:
    """End the process, with its stack, when this takes longer."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _assert_sentence(text: str) -> None:
    assert text.startswith("fuzzed."), text
    _assert_line(text)


def _assert_line(text: str, part: str = "") -> None:
    assert part in text
    assert "\n" not in text, text
    assert len(text) < 400, text


def _assert_harmless(data: bytes) -> None:
    """What the ``onnx`` package reads in a file is nothing that a net may not have."""
    try:
        model = onnx.load_from_string(data)
    except Exception:
        return
    assert not model.functions
    assert not model.training_info
    assert not model.graph.sparse_initializer
    tensors = list(model.graph.initializer)
    for node in model.graph.node:
        assert node.domain in ("", "ai.onnx", "com.microsoft"), node.domain
        assert node.op_type in (QUANTISED if node.domain == "com.microsoft" else OPERATORS), node.op_type
        for attribute in node.attribute:
            assert not attribute.HasField("g")
            assert not attribute.graphs
            assert not attribute.tensors
            tensors.append(attribute.t)
    for tensor in tensors:
        assert not tensor.external_data
        assert tensor.data_location == 0
        assert np.prod([float(side) for side in tensor.dims]) <= 1 << 24


# The files that are broken


def _onnx_files(folder: Path) -> list[bytes]:
    """A shipped net, nets of ``fingal export`` and one written by hand."""
    found = [(WEIGHTS / "fingal-small.int8.onnx").read_bytes()]
    for number, config in enumerate((TINY, NESTED)):
        checkpoint.save(lively_net(config), folder / "good.safetensors", Card(f"good{number}", {}, sizes=("5x5",)))
        export(folder / "good.safetensors", folder / "good.onnx")
        found.append((folder / "good.onnx").read_bytes())
    found.append(liars.write(folder / "small.onnx", liars.liar("value", 9)).read_bytes())
    return found


def _hostile_files() -> list[bytes]:
    """Nets that are like others but for one thing each."""
    from tests.nets.test_hostile_onnx import branched, constant_in, looped, with_function

    models = (branched(), constant_in("other"), looped(3), with_function())
    return [model.SerializeToString() for model in models]


def _safetensors_files(folder: Path) -> list[bytes]:
    nets = (
        lively_net(),
        convolutional.Convolutional(convolutional.Config(layers=2, channels=4)),
        hexagonal.Hexagonal(),
        narrowing.Narrowing(narrowing.Config(size=4, channels=4, dense=4)),
        recurrent.Recurrent(),
        feedforward.Feedforward(feedforward.Config(size=4, hidden=(8, 8))),
        shortcut.Shortcut(shortcut.Config(channels=4)),
        transformer.Transformer(transformer.Config(width=16, heads=1, layers=1, dense=4)),
    )
    found = []
    for net in nets:
        checkpoint.save(net, folder / "good.safetensors")
        found.append((folder / "good.safetensors").read_bytes())
    return found


# The ways to break them


def _bytes(good: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, cut off or repeated, every other time near the beginning."""
    data = bytearray(good)
    end = min(len(data), 2000) if rng.random() < 0.5 else len(data)
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(end)] = rng.randrange(256)
    match rng.randrange(5):
        case 0:
            del data[rng.randrange(len(data)) :]
        case 1:
            start, stop = sorted(rng.randrange(end) for _ in range(2))
            data[start:stop] = data[start:stop] * 2
    return bytes(data)


Field = tuple[int, int, Any]
"""Of a message: number, form and content, which is a list of fields where it is a message too."""


def _fields(data: bytes, depth: int = 6) -> list[Field] | None:
    """Bytes as a message of protobuf; None when they are none."""
    found: list[Field] = []
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 128:
                return value

    try:
        while at < len(data):
            tag = number()
            form = tag & 7
            if form not in (0, 1, 2, 5) or not 0 < tag >> 3 < 64:
                return None
            content: Any
            if form == 0:
                content = number()
            else:
                length = {1: 8, 5: 4}.get(form) or number()
                content, at = data[at : at + length], at + length
                if at > len(data):
                    return None
                if form == 2 and depth and length < 100_000:
                    content = _fields(content, depth - 1) or content
            found.append((tag >> 3, form, content))
    except IndexError:
        return None
    return found


def _written(fields: list[Field]) -> bytes:
    out = bytearray()
    for number, form, content in fields:
        out += _varint(number << 3 | form)
        if form == 0:
            out += _varint(content)
            continue
        data = _written(content) if isinstance(content, list) else content
        out += (_varint(len(data)) if form == 2 else b"") + data
    return bytes(out)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _wire(good: bytes, rng: random.Random) -> bytes:
    """Some fields, at whatever depth, with other numbers, forms and contents, gone, moved or there twice."""
    fields = _fields(good)
    assert fields is not None
    for _ in range(rng.randrange(1, 4)):
        inside = fields
        while (lists := [content for _, _, content in inside if isinstance(content, list)]) and rng.random() < 0.8:
            inside = rng.choice(lists)
        if not inside:
            continue
        at = rng.randrange(len(inside))
        number, form, content = inside[at]
        match rng.randrange(7):
            case 0:
                del inside[at]
            case 1:
                inside.insert(rng.randrange(len(inside) + 1), inside[at])
            case 2:
                inside[at] = rng.randrange(1, 40), form, content
            case 3:
                inside[at] = number, 0, rng.choice(NUMBERS)
            case 4:
                inside[at] = number, 2, rng.choice((b"", b"\xff\xfe", b"Loop", b"If", rng.randbytes(20)))
            case 5:
                other = rng.choice(inside)
                inside[at] = number, other[1], other[2]
            case 6 if isinstance(content, bytes) and content and form == 2:
                inside[at] = number, form, rng.randbytes(len(content))
            case _ if form == 0:
                inside[at] = number, form, content ^ (1 << rng.randrange(63))
    return _written(fields)


def _graph(good: bytes, rng: random.Random) -> bytes:
    """A well-formed file whose graph is another: operators, attributes, constants and edges."""
    model = onnx.load_from_string(good)
    nodes, constants = model.graph.node, model.graph.initializer
    for _ in range(rng.randrange(1, 4)):
        node = rng.choice(nodes)
        match rng.randrange(7):
            case 0:
                node.op_type = rng.choice(sorted(OPERATORS | {"Loop", "If", "Scan", "NonZero", "RandomNormal", "Mod"}))
            case 1 if node.input:
                node.input[rng.randrange(len(node.input))] = rng.choice(rng.choice(nodes).output)
            case 2 if node.attribute:
                attribute = rng.choice(node.attribute)
                attribute.i = rng.choice((-1, 0, 1, 2, 9, 1 << 31, 1 << 62))
                if attribute.ints:
                    attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice((-1, 0, 1, 5, 1 << 20, 1 << 62))
            case 3:
                tensor = rng.choice(constants)
                with suppress(Exception):  # it was broken before
                    array = numpy_helper.to_array(tensor).copy()
                    values = (0, 1, -1, 1 << 31, 3e38, np.nan) if array.dtype.kind == "f" else (0, 1, -1, 100, 1 << 40)
                    with np.errstate(all="ignore"):
                        array.reshape(-1)[rng.randrange(array.size)] = np.array(rng.choice(values)).astype(array.dtype)
                    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
            case 4:
                del nodes[rng.randrange(len(nodes))]
            case 5:
                tensor = rng.choice(constants)
                if tensor.dims:
                    tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice((0, 1, -1, 1 << 31, 1 << 62))
            case _:
                node.domain = rng.choice(("", "ai.onnx", "com.microsoft", "evil"))
    data: bytes = model.SerializeToString()
    return data


def _taken_apart(good: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack("<Q", good[:8])[0]
    return json.loads(good[8 : 8 + length]), good[8 + length :]


def _put_together(header: Any, rest: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + rest


def _edited(value: Any, rng: random.Random) -> Any:
    """JSON with one thing in it that is another."""
    if not value or not isinstance(value, (dict, list)) or rng.random() < 0.1:
        return rng.choice(WORDS)
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], _edited(value[at], rng), *value[at + 1 :]]
    key = rng.choice(list(value))
    match rng.randrange(8):
        case 0:
            return {name: entry for name, entry in value.items() if name != key}
        case 1:
            return value | {str(rng.choice(WORDS))[:50]: value[key]}
        case _:
            return value | {key: _edited(value[key], rng)}


def _header(good: bytes, rng: random.Random) -> bytes:
    header, rest = _taken_apart(good)
    return _put_together(_edited(header, rng), rest)


def _card(good: bytes, rng: random.Random) -> bytes:
    header, rest = _taken_apart(good)
    card = json.loads(header["__metadata__"][KEY])
    card = card | {"config": _edited(card["config"], rng)} if rng.random() < 0.6 else _edited(card, rng)
    text = json.dumps(card) if rng.random() < 0.95 else '{"a":' * 100_000
    header["__metadata__"][KEY] = text
    return _put_together(header, rest)


def _tensors(good: bytes, rng: random.Random) -> bytes:
    """Other weights: a few that are huge, or not finite."""
    header, rest = _taken_apart(good)
    numbers = np.frombuffer(rest, np.float32).copy()
    for _ in range(rng.randrange(1, 50)):
        numbers[rng.randrange(len(numbers))] = rng.choice((0, 3e38, -3e38, 1e20, np.inf, np.nan, 1e-45))
    return _put_together(header, numbers.tobytes())
