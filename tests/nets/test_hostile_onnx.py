"""ONNX files that somebody else wrote: what they may not do, and what other exporters' nets may."""

import io
import itertools
import json
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

from fingal.nets import inference, onnx_check
from fingal.nets.card import WEIGHTS, Card, CheckpointError
from fingal.nets.inference import open_evaluator
from fingal.nets.planes import encode, to_board
from tests.nets import liars
from tests.nets.sample import random_positions

Node = onnx.NodeProto


def looped(trips: int) -> onnx.ModelProto:
    """A value that so many steps of a loop compute."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go_on"], ["goes_on"]),
            helper.make_node("Identity", ["carried"], ["carries"]),
        ],
        "body",
        [
            info("step", TensorProto.INT64, []),
            info("go_on", TensorProto.BOOL, []),
            info("carried", TensorProto.FLOAT, None),
        ],
        [info("goes_on", TensorProto.BOOL, []), info("carries", TensorProto.FLOAT, None)],
    )
    loop = helper.make_node("Loop", ["trips", "true", "mean"], ["late"], body=body)
    return liars.model([loop], {"trips": np.int64(trips), "true": np.bool_(True)}, value="late")


def branched(operator: str = "Relu") -> onnx.ModelProto:
    """A graph inside the attribute of a node that might pass for another."""
    inner = helper.make_graph([], "inner", [], [])
    return liars.model([helper.make_node(operator, ["mean"], ["late"], then_branch=inner)], value="late")


def nested(depth: int) -> onnx.ModelProto:
    """Graphs in graphs."""
    graph = helper.make_graph([], "innermost", [], [])
    for _ in range(depth):
        graph = helper.make_graph([helper.make_node("If", ["x"], ["y"], then_branch=graph)], "deep", [], [])
    return liars.model([helper.make_node("If", ["mean"], ["late"], then_branch=graph)], value="late")


def one(
    operator: str,
    *inputs: Any,
    domain: str = "",
    opset: int = 17,
    of: str = "mean",
    before: tuple[Node, ...] = (),
    **attributes: Any,
) -> onnx.ModelProto:
    """A net whose value takes another node's output, multiplied by 0; what is no name is a constant."""
    constants = {f"c{i}": np.asarray(value) for i, value in enumerate(inputs) if not isinstance(value, str)}
    names = [value if isinstance(value, str) else f"c{i}" for i, value in enumerate(inputs)]
    nodes = [
        *before,
        helper.make_node(operator, names, ["given"], domain=domain, **attributes),
        helper.make_node("Cast", ["given"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["float"], ["least"], keepdims=0),
        helper.make_node("Mul", ["least", "zero"], ["nothing"]),
        helper.make_node("Add", [of, "nothing"], ["late"]),
    ]
    imports = [domain] if domain else []
    return liars.model(nodes, constants | {"zero": np.float32(0)}, value="late", opset=opset, domains=imports)


def constant_in(location: str) -> onnx.ModelProto:
    """A net with numbers that are to be read from another file."""
    tensor = numpy_helper.from_array(np.zeros(16, np.float32), "outside")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "64")):
        tensor.external_data.add(key=key, value=value)
    return liars.model(
        [helper.make_node("ReduceMax", ["outside"], ["late"], keepdims=0)], {"outside": tensor}, value="late"
    )


def large_constant() -> onnx.ModelProto:
    """A constant of 2^31 floats of which none is there."""
    tensor = TensorProto(name="large", data_type=TensorProto.FLOAT, dims=[1 << 31])
    return liars.model(
        [helper.make_node("ReduceMax", ["large"], ["late"], keepdims=0)], {"large": tensor}, value="late"
    )


def with_function() -> onnx.ModelProto:
    model = one("Relu", "mean")
    model.functions.append(
        helper.make_function("own", "Twice", ["x"], ["y"], [helper.make_node("Add", ["x", "x"], ["y"])], [])
    )
    return model


def long_chain(count: int) -> onnx.ModelProto:
    """A chain of so many nodes."""
    links = itertools.pairwise(["mean", *(f"x{i}" for i in range(count))])
    return liars.model([helper.make_node("Relu", [a], [b]) for a, b in links], value=f"x{count - 1}")


COUNT = helper.make_node("Cast", ["count"], ["whole"], to=TensorProto.INT64)
WIDE = helper.make_node("Unsqueeze", ["whole", "cells"], ["wide"])
HUGE = np.array([1 << 33], np.int64)
REFUSED: dict[str, tuple[Callable[[], onnx.ModelProto], str]] = {
    "a loop without end": (lambda: looped(1 << 62), "has a graph inside a node"),
    "a branch": (branched, "has a graph inside a node"),
    "graphs in graphs": (lambda: nested(30), "has a graph inside a node"),
    "a function": (with_function, "has functions of its own"),
    "a constant of 2^31 floats": (large_constant, "has a constant of more than 16777216 numbers"),
    "data in /etc/passwd": (lambda: constant_in("/etc/passwd"), "has data in another file"),
    "data in a file above": (lambda: constant_in("../../secret"), "has data in another file"),
    "an operator of its own": (lambda: one("Evil", "mean", domain="evil.corp"), "operator 'Evil' of 'evil.corp'"),
    "another of Microsoft's": (
        lambda: one("Attention", "mean", domain="com.microsoft"),
        "operator 'Attention' of 'com.microsoft'",
    ),
    "an operator that is none": (lambda: one("Explode", "mean"), "operator 'Explode'"),
    "text": (lambda: one("StringNormalizer", "mean"), "operator 'StringNormalizer'"),
    "random numbers": (lambda: one("RandomNormal", shape=[2]), "operator 'RandomNormal'"),
    "shapes by stones": (
        lambda: one("ConstantOfShape", "wide", before=(COUNT, WIDE)),
        "ConstantOfShape whose output's shape depends on the stones",
    ),
    "ranges by stones": (
        lambda: one("Range", np.int64(0), "whole", np.int64(1), before=(COUNT,)),
        "Range whose output's shape depends on the stones",
    ),
    "which cells hold stones": (lambda: one("NonZero", "mean"), "operator 'NonZero'"),
    "a division by no stones": (lambda: one("Div", "whole", "whole", before=(COUNT,)), "divides whole numbers"),
    "too new operators": (lambda: one("Relu", "mean", opset=99), "has operators of version 99: versions 7 to 26"),
    "too old operators": (lambda: one("Relu", "mean", opset=1), "has operators of version 1: versions 7 to 26"),
    "too many nodes": (lambda: long_chain(10_001), "has more than 10000 nodes"),
    "a huge fill": (lambda: one("ConstantOfShape", HUGE), "takes more than 1024 MiB to be opened"),
    "a huge copy": (lambda: one("Expand", "mean", np.array([1 << 20, 1 << 12, 1])), "takes more than 1024 MiB"),
    "a huge tiling": (lambda: one("Tile", "plain", np.array([1 << 12, 1 << 12])), "takes more than 1024 MiB"),
    "a huge pad": (lambda: one("Pad", "plain", np.array([0, 0, 0, 1 << 33])), "takes more than 1024 MiB"),
    "a huge range": (lambda: one("Range", np.int64(0), np.int64(1 << 40), np.int64(1)), "takes more than 1024 MiB"),
    "a huge picture": (
        lambda: one("Resize", "stones", "", np.array([1, 1, 1e5, 1e5], np.float32), mode="nearest"),
        "takes more than 1024 MiB",
    ),
    "an endless product": (
        lambda: one(
            "MatMul",
            "square",
            "product4",
            before=(
                helper.make_node("ConstantOfShape", ["sides"], ["square"]),
                helper.make_node("MatMul", ["square", "square"], ["product0"]),
                *(helper.make_node("MatMul", ["square", f"product{i}"], [f"product{i + 1}"]) for i in range(4)),
            ),
        ),
        "takes more than 2 seconds to be opened and run once",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_net_may_do_is_refused_in_a_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, message = REFUSED[case]
    model = make()
    if case == "an endless product":
        monkeypatch.setattr(onnx_check, "SECONDS", 2)
        model.graph.initializer.append(numpy_helper.from_array(np.array([5000, 5000]), "sides"))
    path = liars.write(tmp_path / "hostile.onnx", model)
    with pytest.raises(CheckpointError, match=message) as refusal:
        open_evaluator(path)
    assert str(refusal.value).startswith("hostile.onnx ")
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 200


GOOD_CARD = json.loads(Card("net", {}).text())
CARDS: dict[str, tuple[str | None, str]] = {
    "none": (None, "has no card: it is not a net of Fingal's"),
    "empty": ("", "the card is not JSON"),
    "no JSON": ("{", "the card is not JSON"),
    "a list": ("[]", "the card is not a JSON object"),
    "nested brackets": ("[" * 60_000, "the card is not JSON"),
    "nested objects": ('{"a":' * 13_000, "the card is not JSON"),
    "100,000 nested brackets": ("[" * 100_000, "the card is longer than 64 KiB"),
    "a number of many digits": ("9" * 5000, "the card is not JSON"),
    "another version": (json.dumps(GOOD_CARD | {"format": 2}), "a card of version 2"),
    "an encoder that is none": (json.dumps(GOOD_CARD | {"encoder": "x"}), "has planes 'x' where canonical-ring-1 is"),
    "another view": (json.dumps(GOOD_CARD | {"view": "absolute"}), "has view 'absolute' where canonical is"),
    "another head": (json.dumps(GOOD_CARD | {"head": "q"}), "has head 'q' where policy_value is expected"),
    "planes of another net": (
        json.dumps(GOOD_CARD | {"encoder": "bridges-1", "view": "absolute", "head": "policy"}),
        "does not map planes to policy",
    ),
    "sizes that are none": (json.dumps(GOOD_CARD | {"sizes": ["1e9x2"]}), "the card's sizes are not a list of boards"),
    "sizes too large": (json.dumps(GOOD_CARD | {"sizes": ["99x99"]}), "the card's sizes are not a list of boards"),
    "a name in lines": (json.dumps(GOOD_CARD | {"name": "a\nb"}), "the card's name 'a\\nb' is not a line of text"),
}


@pytest.mark.parametrize("case", CARDS)
def test_a_bad_card_is_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    card, message = CARDS[case]
    path = liars.write(tmp_path / "carded.onnx", liars.model(), card or "")
    if card is None:
        model = liars.model()
        path.write_bytes(model.SerializeToString())
    with pytest.raises(CheckpointError) as refusal:
        open_evaluator(path)
    assert message in str(refusal.value)
    assert str(refusal.value).startswith("carded.onnx")
    assert "\n" not in str(refusal.value)


def test_a_card_that_is_no_text_is_refused(tmp_path: Path) -> None:
    data = liars.write(tmp_path / "carded.onnx", liars.model(), "x" * 10).read_bytes()
    (tmp_path / "carded.onnx").write_bytes(data.replace(b"x" * 10, b"\xff\xfe" * 5))
    with pytest.raises(CheckpointError, match=r"^carded\.onnx is not an ONNX file, or is damaged$"):
        open_evaluator(tmp_path / "carded.onnx")


BYTES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is not an ONNX file, or is damaged"),
    "text": (b"once upon a time", "is not an ONNX file, or is damaged"),
    "ONNX Runtime's own format": (b"\x32\x7f\x00\x00ORTM" + bytes(121), "is in ONNX Runtime's own format"),
    "a length beyond the end": (b"\x3a\xff\xff\xff\xff\x0f", "is not an ONNX file, or is damaged"),
    "a number without end": (b"\x08" + b"\xff" * 1000, "is not an ONNX file, or is damaged"),
    "groups": (b"\x3b" * 1000, "is not an ONNX file, or is damaged"),
    "a million fields": (b"\x08\x08" * 1_000_000, "has more than 500000 fields"),
    "a million nodes": (b"\x3a\x80\x89\x7a" + b"\x0a\x00" * 1_000_000, "has more than 500000 fields"),
}


@pytest.mark.parametrize("case", BYTES)
def test_bytes_that_are_no_model_are_refused(case: str, tmp_path: Path) -> None:
    data, message = BYTES[case]
    (tmp_path / "bytes.onnx").write_bytes(data)
    with pytest.raises(CheckpointError) as refusal:
        open_evaluator(tmp_path / "bytes.onnx")
    assert str(refusal.value).startswith(f"bytes.onnx {message}")


def test_a_file_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = liars.write(tmp_path / "once.onnx", liars.model(), Card("once", {}).text())
    open_evaluator(path)
    monkeypatch.setattr(onnx_check.sys, "executable", "/nowhere/python")
    assert open_evaluator(path, threads=2) is not None
    path.write_bytes(path.read_bytes() + b"\x32\x01x")  # a description more: another file
    with pytest.raises(OSError, match="/nowhere/python"):
        open_evaluator(path)


def test_shipped_nets_are_opened_without_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_check.sys, "executable", "/nowhere/python")
    inference._onnx_file.cache_clear()
    for name in ("fingal-small", "fingal-large"):
        assert np.isfinite(open_evaluator(name, "cpu")(random_positions(5, 5, 3)).value).all()


def test_every_export_passes_the_check() -> None:
    """The shipped files are not checked when they are opened: nets that people export from their own training are."""
    files = list(WEIGHTS.glob("*.onnx"))
    assert len(files) > 2
    for file in files:
        onnx_check.check_model(file.read_bytes(), file.name)
        onnx_check.try_model(file.read_bytes(), file.name)


class Foreign(torch.nn.Module):
    """A net as others write them: convolutions, batch normalisation, attention, and both heads."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = torch.nn.Conv2d(5, 16, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(16)
        self.query, self.key, self.mixed = (torch.nn.Linear(16, 16) for _ in range(3))
        self.policy, self.value = torch.nn.Conv2d(16, 1, 1), torch.nn.Linear(16, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.nn.functional.mish(self.norm(self.stem(planes)))
        tokens = x.flatten(2).transpose(1, 2)
        weights = torch.softmax(self.query(tokens) @ self.key(tokens).transpose(1, 2) / 4, 2)
        x = x + (weights @ self.mixed(tokens)).transpose(1, 2).reshape(x.shape)
        return self.policy(x)[:, :, 1:-1, 1:-1].flatten(1), torch.tanh(self.value(x.mean((2, 3)))).view(-1)


@pytest.fixture(scope="module")
def foreign() -> tuple[torch.nn.Module, onnx.ModelProto]:
    torch.manual_seed(0)
    net = Foreign().eval()
    file = io.BytesIO()
    axes = {"planes": {0: "batch", 2: "rows", 3: "columns"}}
    names = {"input_names": ["planes"], "output_names": ["policy", "value"], "dynamic_axes": axes}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the two exporters of torch this one needs no other package
        torch.onnx.export(net, (torch.zeros(2, 5, 7, 7),), file, dynamo=False, opset_version=17, **names)
    return net, onnx.load_from_string(file.getvalue())


@pytest.mark.parametrize("kind", ["float32", "dynamic", "operators", "pairs"])
def test_nets_of_other_exporters_are_opened(
    kind: str, foreign: tuple[torch.nn.Module, onnx.ModelProto], tmp_path: Path
) -> None:
    """Torch's own exporter, and what ONNX Runtime's quantisation makes of it in its three ways."""
    net, model = foreign
    wide, path = liars.write(tmp_path / "wide.onnx", model), tmp_path / "foreign.onnx"
    logging.disable(logging.WARNING)
    try:
        if kind == "dynamic":
            quantization.quantize_dynamic(wide, path, weight_type=quantization.QuantType.QUInt8)
        elif kind != "float32":
            form = quantization.QuantFormat.QOperator if kind == "operators" else quantization.QuantFormat.QDQ
            quantization.quantize_static(wide, path, Calibration(), quant_format=form)
    finally:
        logging.disable(logging.NOTSET)
    liars.write(path, onnx.load(str(wide if kind == "float32" else path)))
    evaluator = open_evaluator(path)
    positions = random_positions(5, 5, 30)
    with torch.inference_mode():
        policy, value = net(torch.from_numpy(encode(positions)))
    found = evaluator(positions)
    far = 1e-4 if kind == "float32" else 0.1
    assert np.abs(found.logits - to_board(policy.numpy(), positions.white_to_move, 5, 5)).max() < far
    assert np.abs(found.value - value.numpy()).max() < far


class Calibration(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Planes to quantise by."""

    def __init__(self) -> None:
        self._left = [random_positions(7, 7, 30, seed) for seed in range(3)]

    def get_next(self) -> dict[str, np.ndarray] | None:
        return {"planes": encode(self._left.pop())} if self._left else None
