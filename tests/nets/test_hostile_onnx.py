"""ONNX files that somebody else wrote: what they may not do, and what other exporters' nets may."""

import io
import itertools
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

from fingal.nets import onnx_check
from fingal.nets.card import CheckpointError
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
    "a huge tiling": (lambda: one("Tile", "plain", np.array([1 << 10, 540])), "takes more than 1024 MiB"),
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
