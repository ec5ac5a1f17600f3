import errno
import json
import os
import struct
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from fingal.nets import card as card_module
from fingal.nets import checkpoint
from fingal.nets.card import KEY, Card, CheckpointError
from fingal.nets.residual import Config, Residual
from tests.nets.sample import SHAPES, TINY, lively_net


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("nets") / "tiny.safetensors"
    checkpoint.save(lively_net(), path)
    return path.read_bytes()


def rebuilt(
    data: bytes,
    change_card: dict[str, Any] | None = None,
    change: Callable[[dict[str, torch.Tensor]], Any] | None = None,
) -> bytes:
    """A file like ``data`` with some entries of its card or some tensors changed."""
    length = struct.unpack("<Q", data[:8])[0]
    card = json.loads(json.loads(data[8 : 8 + length])["__metadata__"][KEY]) | (change_card or {})
    tensors = safetensors.torch.load(data)
    if change is not None:
        change(tensors)
    return safetensors.torch.save(tensors, {KEY: json.dumps(card)})


@pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
def test_round_trip(config: Config, tmp_path: Path) -> None:
    net = lively_net(config)
    path = tmp_path / "tiny.safetensors"
    written = checkpoint.save(
        net, path, Card("tiny", {}, sizes=("5x5", "7x9"), cost={"minutes": 1.5, "on": "a laptop"})
    )
    again, card = checkpoint.load(path)
    assert card == written
    assert card.sizes == ("5x5", "7x9")
    assert card.config["channels"] == 12
    assert card.encoder == "canonical-ring-1"
    assert card.head == "policy_value"
    assert again.config == config
    assert not again.training
    for name, tensor in net.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name


def test_a_card_from_before_a_setting_came_opens(good: bytes, tmp_path: Path) -> None:
    """The first nets' cards know nothing of bottlenecks, attention and nets without a ring."""
    old = {name: value for name, value in asdict(TINY).items() if name not in ("bottleneck", "attention", "ring")}
    (tmp_path / "old.safetensors").write_bytes(rebuilt(good, {"config": old}))
    assert checkpoint.load(tmp_path / "old.safetensors")[0].config == TINY


def test_half_precision(tmp_path: Path) -> None:
    net = lively_net()
    card = checkpoint.save(net, tmp_path / "half.safetensors", half=True)
    assert card.precision == "float16"
    again, _ = checkpoint.load(tmp_path / "half.safetensors")
    for name, tensor in net.state_dict().items():
        assert torch.allclose(tensor, again.state_dict()[name], atol=1e-3, rtol=1e-3), name
        assert again.state_dict()[name].dtype == torch.float32
    checkpoint.save(net, tmp_path / "full.safetensors")
    assert (tmp_path / "half.safetensors").stat().st_size < (tmp_path / "full.safetensors").stat().st_size


def test_loading_leaves_the_random_numbers_alone(tmp_path: Path) -> None:
    checkpoint.save(lively_net(), tmp_path / "tiny.safetensors")
    torch.manual_seed(5)
    before = torch.rand(3)
    torch.manual_seed(5)
    checkpoint.load(tmp_path / "tiny.safetensors")
    assert torch.equal(torch.rand(3), before)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_last_good_file(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tiny.safetensors"
    checkpoint.save(lively_net(seed=1), path)
    last_good = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.save(lively_net(seed=2), path)
    assert path.read_bytes() == last_good
    assert os.listdir(tmp_path) == ["tiny.safetensors"]


def test_a_net_that_went_wrong_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "tiny.safetensors"
    net = lively_net()
    checkpoint.save(net, path)
    last_good = path.read_bytes()
    with torch.no_grad():
        net.norm.shift[3] = float("nan")
    with pytest.raises(ValueError, match=r"norm\.shift"):
        checkpoint.save(net, path)
    assert path.read_bytes() == last_good


def reheaded(data: bytes, key: str | None, *value: Any) -> bytes:
    """A file like ``data`` whose header says something else, or nothing, of a tensor."""
    length = struct.unpack("<Q", data[:8])[0]
    said = json.loads(data[8 : 8 + length])
    if key is None:
        said["norm.shift"] = value[0]
    else:
        del said["norm.shift"][key]
        said["norm.shift"] |= dict.fromkeys([key], *value) if value else {}
    return header(json.dumps(said).encode()) + data[8 + length :]


def header(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


DEEP = b'{"a":' * 100_000
REFUSED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda good: b"", "not a safetensors file"),
    "text": (lambda good: b"once upon a time", "not a safetensors file"),
    "pickle": (lambda good: b"\x80\x02c__builtin__\neval\n.", "not a safetensors file"),
    "zip": (lambda good: b"PK\x03\x04" + bytes(100), "not a safetensors file"),
    "half of it": (lambda good: good[: len(good) // 2], "truncated"),
    "all but one byte": (lambda good: good[:-1], "truncated"),
    "half the header": (lambda good: good[:300], "truncated"),
    "one byte more": (lambda good: good + b"x", "truncated or damaged"),
    "huge header": (lambda good: struct.pack("<Q", 1 << 62) + good[8:], "not a safetensors file"),
    "deep header": (lambda good: header(DEEP[:900_000]), "not JSON"),
    "list header": (lambda good: header(b"[]"), "not a safetensors file"),
    "no card": (lambda good: safetensors.torch.save(safetensors.torch.load(good)), "no card"),
    "metadata is a list": (lambda good: header(b'{"__metadata__":[1]}'), "no card"),
    "card is no text": (lambda good: header(b'{"__metadata__":{"fingal":1}}'), "no card"),
    "deep card": (
        lambda good: safetensors.torch.save({}, {KEY: '{"a":' * 10_000}),
        "not JSON",
    ),
    "long card": (lambda good: rebuilt(good, {"notes": "x" * 70_000}), "longer than 64 KiB"),
    "version": (lambda good: rebuilt(good, {"format": 2}), "version 2, and this build of Fingal reads version 1"),
    "version true": (lambda good: rebuilt(good, {"format": True}), "version True"),
    "planes": (lambda good: rebuilt(good, {"encoder": "absolute-7"}), "planes 'absolute-7'"),
    "view": (lambda good: rebuilt(good, {"view": "black"}), "view 'black'"),
    "head": (lambda good: rebuilt(good, {"head": "q"}), "head 'q'"),
    "architecture": (lambda good: rebuilt(good, {"architecture": "os"}), "architecture 'os'"),
    "unknown entry": (lambda good: rebuilt(good, {"run": "me"}), "'run'"),
    "name": (lambda good: rebuilt(good, {"name": 3}), "name is not text"),
    "name with a line end": (lambda good: rebuilt(good, {"name": "a\nb"}), r"name 'a\\nb' is not a line of text"),
    "name of a terminal": (lambda good: rebuilt(good, {"name": "\x1b[2J"}), "is not a line of text"),
    "name that no text can hold": (lambda good: rebuilt(good, {"name": "\ud800"}), "is not a line of text"),
    "no name": (lambda good: rebuilt(good, {"name": ""}), "is not a line of text"),
    "long name": (lambda good: rebuilt(good, {"name": "x" * 256}), "is not a line of text"),
    "sizes": (lambda good: rebuilt(good, {"sizes": "11x11"}), "sizes are not a list"),
    "size that is none": (lambda good: rebuilt(good, {"sizes": ["11x11", "x"]}), "sizes are not a list of boards"),
    "size of nothing": (lambda good: rebuilt(good, {"sizes": ["0x0"]}), "sizes are not a list of boards"),
    "size too large": (lambda good: rebuilt(good, {"sizes": ["20x20"]}), "sizes are not a list of boards"),
    "size of many digits": (
        lambda good: rebuilt(good, {"sizes": ["9" * 5000 + "x1"]}),
        "sizes are not a list of boards",
    ),
    "cost": (lambda good: rebuilt(good, {"cost": {"minutes": [1]}}), "cost is not"),
    "config": (lambda good: rebuilt(good, {"config": []}), "config is not an object"),
    "unknown setting": (lambda good: rebuilt(good, {"config": {"depth": 3}}), "settings are not those"),
    "impossible bottleneck": (lambda good: rebuilt(good, {"config": {"bottleneck": 2}}), "bottleneck must be 0 or a"),
    "impossible setting": (lambda good: rebuilt(good, {"config": {"blocks": 10**9}}), "blocks must be"),
    "setting of many digits": (lambda good: rebuilt(good, {"config": {"channels": 10**4000}}), "channels must be"),
    "setting that is a fraction": (lambda good: rebuilt(good, {"config": {"blocks": 3.0}}), "blocks must be"),
    "setting that is true": (lambda good: rebuilt(good, {"config": {"blocks": True}}), "blocks must be"),
    "setting that is text": (lambda good: rebuilt(good, {"config": {"channels": "64"}}), "settings are not those"),
    "setting of lists": (lambda good: rebuilt(good, {"config": {"blocks": [[]]}}), "blocks must be"),
    "too large a net": (lambda good: rebuilt(good, {"config": {"blocks": 64, "channels": 1024}}), "lacks blocks"),
    "another net": (lambda good: rebuilt(good, {"config": {"channels": 20, "blocks": 3}}), "has shape"),
    "missing": (lambda good: rebuilt(good, change=lambda t: t.pop("norm.shift")), r"lacks norm\.shift"),
    "extra": (lambda good: rebuilt(good, change=lambda t: t.update(x=torch.ones(1))), "holds 'x'"),
    "shape": (lambda good: rebuilt(good, change=lambda t: t.update({"norm.shift": torch.ones(13)})), r"shape \[13\]"),
    "integers": (
        lambda good: rebuilt(good, change=lambda t: t.update({"norm.shift": torch.ones(12, dtype=torch.int64)})),
        "does not know",
    ),
    "kind is a list": (lambda good: reheaded(good, "dtype", []), "stored in a way that this build does not know"),
    "kind is an object": (lambda good: reheaded(good, "dtype", {}), "stored in a way that this build does not know"),
    "shape is a number": (lambda good: reheaded(good, "shape", 12), "has shape 12 where"),
    "shape is missing": (lambda good: reheaded(good, "shape"), "has shape None where"),
    "place is text": (lambda good: reheaded(good, "data_offsets", "x"), "truncated or damaged"),
    "place is negative": (lambda good: reheaded(good, "data_offsets", [-1, 47]), "truncated or damaged"),
    "place is missing": (lambda good: reheaded(good, "data_offsets"), "truncated or damaged"),
    "place of another": (lambda good: reheaded(good, "data_offsets", [0, 1 << 62]), "truncated or damaged"),
    "tensor is a list": (lambda good: reheaded(good, None, []), "stored in a way that this build does not know"),
    "nan": (lambda good: rebuilt(good, change=lambda t: t["norm.shift"].fill_(float("nan"))), "not finite"),
    "infinity": (lambda good: rebuilt(good, change=lambda t: t["stem.weight"].fill_(float("inf"))), "not finite"),
    "variance": (lambda good: rebuilt(good, change=lambda t: t["norm.variance"].fill_(-1)), "below 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str, good: bytes, tmp_path: Path) -> None:
    make, message = REFUSED[case]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(make(good))
    with pytest.raises(CheckpointError, match=message) as refusal:
        checkpoint.load(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_an_oversized_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.safetensors"
    with open(path, "wb") as file:
        file.truncate(card_module.MAX_BYTES + 1)
    with pytest.raises(CheckpointError, match="larger than 64 MiB"):
        checkpoint.load(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be read: No such file"):
        checkpoint.load(tmp_path / "none.safetensors")
    with pytest.raises(CheckpointError, match="cannot be read: Is a directory"):
        checkpoint.load(tmp_path)


def test_damaged_files_are_refused_or_read(good: bytes, tmp_path: Path) -> None:
    """Whatever bytes are changed, cut or repeated: a net, or a CheckpointError, and nothing else."""
    random = np.random.default_rng(0)
    length = struct.unpack("<Q", good[:8])[0]
    path = tmp_path / "bad.safetensors"
    refused = 0
    for attempt in range(400):
        data = bytearray(good)
        end = 8 + length if attempt % 2 else len(data)  # every other time in the header, where it hurts
        for at in random.integers(0, end, random.integers(1, 6)):
            data[at] = random.integers(256)
        if attempt % 5 == 0:
            del data[random.integers(len(data)) :]
        elif attempt % 7 == 0:
            start, stop = sorted(random.integers(0, end, 2))
            data[start:stop] = data[start:stop] * 2
        path.write_bytes(data)
        try:
            checkpoint.load(path)
        except CheckpointError:
            refused += 1
    assert refused > 200


def test_finding_a_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_module, "WEIGHTS", tmp_path)
    (tmp_path / "fingal-tiny.safetensors").touch()
    (tmp_path / "fingal-tiny.int8.onnx").touch()
    assert card_module.shipped() == ["fingal-tiny"]
    assert checkpoint.find("fingal-tiny").name == "fingal-tiny.safetensors"
    assert checkpoint.find("fingal-tiny", (".int8.onnx", ".onnx")).name == "fingal-tiny.int8.onnx"
    assert checkpoint.find(tmp_path / "fingal-tiny.int8.onnx") == tmp_path / "fingal-tiny.int8.onnx"
    with pytest.raises(CheckpointError, match=r"no net 'huge'.*\(fingal-tiny\)"):
        checkpoint.find("huge")
    with pytest.raises(CheckpointError, match="there is no file"):
        checkpoint.find("../weights/fingal-tiny")
    with pytest.raises(CheckpointError, match="there is no file"):
        checkpoint.find("huge.safetensors")


def test_a_net_with_more_blocks_begins_as_the_one_in_the_file(tmp_path: Path) -> None:
    short = lively_net()
    path = tmp_path / "short.safetensors"
    checkpoint.save(short, path)
    longer = Residual(replace(short.config, blocks=short.config.blocks + 3))
    checkpoint.fill(longer, path)
    planes = torch.rand((4, 5, 9, 9))
    expected, found = short.eval()(planes), longer.eval()(planes)
    for one, other in zip(expected, found, strict=True):
        assert torch.equal(one, other)
    # What was added can learn.
    longer.train()(planes).policy.square().sum().backward()
    gradient = list(longer.blocks)[-1].get_parameter("conv2.weight").grad
    assert gradient is not None
    assert gradient.abs().sum() > 0


def test_blocks_that_a_net_has_more_are_given_numbers_near_1(tmp_path: Path) -> None:
    short = lively_net()
    planes = torch.rand((64, 5, 9, 9))
    for _ in range(200):
        short.train()(planes)  # its statistics become those of these planes
    path = tmp_path / "short.safetensors"
    checkpoint.save(short, path)
    longer = Residual(replace(short.config, blocks=short.config.blocks + 1))
    checkpoint.fill(longer, path)
    seen: list[torch.Tensor] = []
    longer.blocks[-1].get_submodule("norm1").register_forward_hook(lambda _, __, out: seen.append(out))
    longer.eval()(planes)
    scale = seen[0].std((0, 2, 3))
    assert torch.allclose(scale, torch.ones_like(scale), atol=0.05)


def test_a_net_without_a_ring_begins_with_the_weights_of_one_that_has_one(tmp_path: Path) -> None:
    ringed = lively_net()
    path = tmp_path / "ringed.safetensors"
    checkpoint.save(ringed, path)
    bare = Residual(replace(TINY, blocks=TINY.blocks + 1, ring=False))
    checkpoint.fill(bare, path)
    found = bare.state_dict()
    assert all(torch.equal(tensor, found[name]) for name, tensor in ringed.state_dict().items())
    checkpoint.save(bare, tmp_path / "bare.safetensors")
    with pytest.raises(ValueError, match="has another shape than the net to fill"):
        checkpoint.fill(Residual(replace(bare.config, ring=True)), tmp_path / "bare.safetensors")
    # In the middle of a large board, further from the edges than kernels reach, nothing is different but the pooling.
    plain = replace(TINY, pool_every=0)
    checkpoint.save(lively_net(plain), path)
    bare, whole = Residual(replace(plain, ring=False)), Residual(plain)
    for net in (bare, whole):
        checkpoint.fill(net, path)
    trunks: list[torch.Tensor] = []
    for net in (bare, whole):
        net.norm.register_forward_hook(lambda _, given, __: trunks.append(given[0]))
        net.eval()(torch.rand((1, 5, 21, 21), generator=torch.Generator().manual_seed(0)))
    inside, ring_too = trunks[0][0, :, 9, 9], trunks[1][0, :, 10, 10]
    assert torch.allclose(inside, ring_too, atol=1e-4)


@pytest.mark.parametrize("change", [{"blocks": 1}, {"blocks": 5, "channels": 16}, {"blocks": 5, "attention": 2}])
def test_other_shapes_are_not_filled(change: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / "short.safetensors"
    checkpoint.save(lively_net(), path)
    other = Residual(replace(TINY, **change))
    before = {name: tensor.clone() for name, tensor in other.state_dict().items()}
    with pytest.raises(ValueError, match=r"short\.safetensors has another shape than the net to fill"):
        checkpoint.fill(other, path)
    assert all(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())
