"""Nets in files: safetensors with a card, written whole or not at all, read with suspicion.

Loading never runs anything that is in the file: it is a JSON header and plain numbers, and every one of them is
checked against the net that the card describes before memory is spent on it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from fingal.nets.card import KEY, Card, CheckpointError, find, read_bytes, write_atomically
from fingal.nets.residual import Config, Residual

__all__ = ["Card", "CheckpointError", "find", "load", "save"]

_MAX_HEADER = 1 << 20
_DTYPES = {"F32", "F16", "BF16"}


def save(net: Residual, path: str | os.PathLike[str], card: Card | None = None, *, half: bool = False) -> Card:
    """Write a net; gives the card as written, whose architecture and settings are the net's.

    ``half`` stores matrices and kernels in 16 bits; statistics and biases stay in 32. Whatever fails, a file that
    stood at ``path`` before is left as it was: OSError for the disk, ValueError for a net with numbers that are not
    finite.
    """
    stem = os.path.basename(os.fspath(path)).partition(".")[0]
    card = replace(
        card or Card(stem, {}),
        architecture="residual",
        config=asdict(net.config),
        precision="float16" if half else "float32",
    )
    tensors = {}
    for name, tensor in net.state_dict().items():
        stored = tensor.detach().to("cpu", torch.float16 if half and tensor.ndim > 1 else torch.float32).contiguous()
        if not torch.isfinite(stored).all():
            raise ValueError(f"the net is not saved: {name} holds numbers that are not finite")
        tensors[name] = stored
    write_atomically(path, safetensors.torch.save(tensors, {KEY: card.text()}))
    return card


def load(path: str | os.PathLike[str]) -> tuple[Residual, Card]:
    """Read a net, in float32 and evaluation mode on the CPU, and its card.

    CheckpointError for whatever is not a net that this build knows; nothing in the file is ever run.
    """
    source = os.path.basename(os.fspath(path))
    data = read_bytes(path)
    header = _header(data, source)
    metadata = header.pop("__metadata__", {})
    card = Card.parse(metadata.get(KEY) if isinstance(metadata, dict) else None, source)
    card.require(source, architectures=("residual",))
    config = _config(card, source)
    _check_names_and_shapes(header, config, source)
    try:
        tensors = safetensors.torch.load(data)
    except safetensors.SafetensorError:
        raise CheckpointError(f"{source} is truncated or damaged") from None
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f"{source}: {name} holds numbers that are not finite")
        if name.endswith(".variance") and (tensor < 0).any():
            raise CheckpointError(f"{source}: {name} holds a variance below 0")
    with torch.random.fork_rng(devices=[]):  # who loads a net mid-way wants the same random numbers afterwards
        net = Residual(config)
    net.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return net.eval(), card


def _header(data: bytes, source: str) -> dict[str, Any]:
    """The JSON header: each tensor's dtype, shape and place."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > _MAX_HEADER or data[8:9] != b"{":
        raise CheckpointError(f"{source} is not a safetensors file")
    if len(data) < 8 + length:
        raise CheckpointError(f"{source} is truncated or damaged")
    try:
        header = json.loads(data[8 : 8 + length])
    except (ValueError, RecursionError):
        raise CheckpointError(f"{source} is not a safetensors file: its header is not JSON") from None
    return dict(header)


def _config(card: Card, source: str) -> Config:
    try:
        return Config(**card.config)
    except TypeError:
        raise CheckpointError(f"{source}: the card's settings are not those of a residual net") from None
    except ValueError as error:
        raise CheckpointError(f"{source}: the card cannot be right: {error}") from None


def _check_names_and_shapes(header: dict[str, Any], config: Config, source: str) -> None:
    with (
        torch.random.fork_rng(devices=[]),
        torch.device("meta"),
    ):  # shapes without memory: the card may ask for more than there is
        expected: dict[str, Tensor] = Residual(config).state_dict()
    for name in expected:
        if name not in header:
            raise CheckpointError(f"{source} lacks {name}, which a net of its kind has")
    for name, entry in header.items():
        if name not in expected:
            raise CheckpointError(f"{source} holds {name!r:.60}, which a net of its kind has not")
        if not isinstance(entry, dict) or entry.get("dtype") not in _DTYPES:
            raise CheckpointError(f"{source}: {name} is stored in a way that this build does not know")
        shape = list(expected[name].shape)
        if entry.get("shape") != shape:
            raise CheckpointError(f"{source}: {name} has shape {entry.get('shape')!r:.60} where {shape} is expected")
