"""Nets in files: safetensors with a card, written whole or not at all, read with suspicion.

Loading never runs anything that is in the file: it is a JSON header and plain numbers, and every one of them is
checked against the net that the card describes before memory is spent on it.

An **architecture** is a file of ``fingal.nets`` that defines ``Config``, a frozen dataclass that refuses what cannot be
built, and the net: an ``nn.Module`` made of a ``Config``, which it keeps as ``config``, with the file's name in
capitals (``residual.Residual``). There is no list of architectures to keep. The config alone says what planes the net
sees and what its numbers mean (``heads``); the card repeats it.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar, overload

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from fingal.nets.card import KEY, Card, CheckpointError, find, read_bytes, write_atomically
from fingal.nets.heads import encoder_of, head_of, view_of
from fingal.nets.residual import Config, Residual

__all__ = ["Card", "CheckpointError", "architectures", "find", "load", "load_any", "save"]

_MAX_HEADER = 1 << 20
_DTYPES = ("F32", "F16", "BF16")


N = TypeVar("N", bound=nn.Module)


def save(net: nn.Module, path: str | os.PathLike[str], card: Card | None = None, *, half: bool = False) -> Card:
    """Write a net; gives the card as written, whose architecture, settings, planes and head are the net's.

    ``half`` stores matrices and kernels in 16 bits; statistics and biases stay in 32. Whatever fails, a file that
    stood at ``path`` before is left as it was: OSError for the disk, ValueError for a net with numbers that are not
    finite.
    """
    stem = os.path.basename(os.fspath(path)).partition(".")[0]
    config: Any = net.config
    card = replace(
        card or Card(stem, {}),
        architecture=type(net).__module__.rpartition(".")[2],
        config=asdict(config),
        encoder=encoder_of(config),
        view=view_of(config),
        head=head_of(config),
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


@overload
def load(path: str | os.PathLike[str]) -> tuple[Residual, Card]: ...
@overload
def load(path: str | os.PathLike[str], kind: type[N]) -> tuple[N, Card]: ...
def load(path: str | os.PathLike[str], kind: type[nn.Module] = Residual) -> tuple[nn.Module, Card]:
    """Read a net of one kind, in float32 and evaluation mode on the CPU, and its card.

    CheckpointError for whatever is not such a net; nothing in the file is ever run.
    """
    return _load(path, (kind.__module__.rpartition(".")[2],))


def load_any(path: str | os.PathLike[str]) -> tuple[nn.Module, Card]:
    """As ``load``, a net of whatever architecture its card names."""
    return _load(path, architectures())


def card_of(path: str | os.PathLike[str]) -> Card:
    """The card of a net in a file, which may still turn out to be no net; CheckpointError when it has none."""
    source = os.path.basename(os.fspath(path))
    return _card(_header(read_bytes(path), source), source)


def fill(net: nn.Module, path: str | os.PathLike[str]) -> None:
    """Give a net the weights of a file; ValueError when those are of another kind or shape of net.

    A residual net may have more blocks than the file: those behind change nothing until they have learned something.
    It may also lack the ring that the file's has, and then has to learn anew what stands beyond the board.
    """
    kept, _ = load(path, type(net))
    if isinstance(net, Residual) and isinstance(kept, Residual) and _is_begun_by(net.config, kept.config):
        for block in net.blocks[kept.config.blocks : net.config.blocks]:
            nn.init.zeros_(block.get_parameter("conv2.weight"))
            # They see what the trunk ends with, so that they need no time to find its range.
            block.get_submodule("norm1").load_state_dict(kept.norm.state_dict())
    elif kept.config != net.config:
        raise ValueError(f"{os.path.basename(os.fspath(path))} has another shape than the net to fill: {kept.config}")
    net.load_state_dict(net.state_dict() | kept.state_dict())


def _is_begun_by(config: Config, shorter: Config) -> bool:
    """Whether a residual net is another without its ring, or with blocks behind its last one: no attention then."""
    if shorter.blocks > config.blocks or (shorter.blocks < config.blocks and config.attention):
        return False
    return replace(shorter, blocks=config.blocks, ring=shorter.ring and config.ring) == config


@functools.cache
def architectures() -> tuple[str, ...]:
    """The files of ``fingal.nets`` that define an architecture."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple(file.stem for file in files if re.search(r"^class Config\b", file.read_text("utf-8"), re.MULTILINE))


def _load(path: str | os.PathLike[str], known: Sequence[str]) -> tuple[nn.Module, Card]:
    source = os.path.basename(os.fspath(path))
    data = read_bytes(path)
    header = _header(data, source)
    card = _card(header, source)
    # The name is compared with this build's own files before anything is imported by it.
    card.require(source, known, encoder=None, head=None, view=None)
    module = importlib.import_module(f"fingal.nets.{card.architecture}")
    config = _config(card, module.Config, source)
    card.require(source, known, encoder_of(config), head_of(config), view_of(config))
    make: Callable[[], nn.Module] = functools.partial(getattr(module, card.architecture.capitalize()), config)
    with (
        torch.random.fork_rng(devices=[]),  # who loads a net mid-way wants the same random numbers afterwards
        torch.device("meta"),  # shapes without memory: the card may ask for more than there is
    ):
        expected = make().state_dict()
    _check_names_and_shapes(header, expected, source)
    try:
        tensors = safetensors.torch.load(data)
    except safetensors.SafetensorError:
        raise CheckpointError(f"{source} is truncated or damaged") from None
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f"{source}: {name} holds numbers that are not finite")
        if name.endswith(".variance") and (tensor < 0).any():
            raise CheckpointError(f"{source}: {name} holds a variance below 0")
    with torch.random.fork_rng(devices=[]):
        net = make()
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


def _card(header: dict[str, Any], source: str) -> Card:
    """The card in a header, which is taken out of it."""
    metadata = header.pop("__metadata__", {})
    return Card.parse(metadata.get(KEY) if isinstance(metadata, dict) else None, source)


def _config(card: Card, kind: type[Any], source: str) -> Any:
    try:
        return kind(**{name: _as_tuples(value) for name, value in card.config.items()})
    except (TypeError, RecursionError):  # a name too many, or lists in lists in lists
        raise CheckpointError(f"{source}: the card's settings are not those of a {card.architecture} net") from None
    except ValueError as error:
        raise CheckpointError(f"{source}: the card cannot be right: {error}") from None


def _as_tuples(value: Any) -> Any:
    """JSON knows lists only; settings hold tuples."""
    return tuple(_as_tuples(entry) for entry in value) if isinstance(value, list) else value


def _check_names_and_shapes(header: dict[str, Any], expected: dict[str, Tensor], source: str) -> None:
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
