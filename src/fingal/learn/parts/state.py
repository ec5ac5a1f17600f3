"""All that a run needs to resume exactly where it was, in one safetensors file: numbers only, nothing that could run.

Beside the tensors the file has a checksum of each: a byte that changed on the disk is an error at the moment of
reading, not a strange game hours later.
"""

from __future__ import annotations

import contextlib
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor
from torch.optim import Optimizer

from fingal.arena.json_files import is_finite
from fingal.nets.card import write_atomically

KEY, SUMS = "fingal-run", "fingal-sums"
"""Where the file has what is not a tensor, and the checksums."""

RANDOM_BYTES = (16, 5056)
"""The sizes of a generator's state: a GPU's and a CPU's."""

OF_THE_DEVICE = ("random", "colour", "group")
"""Tensors whose shape is another on another device, by the last part of their name."""


ANEW = ": choose another folder, and --start for the net of this one"
"""What to do where a run cannot be resumed."""


class StateError(ValueError):
    """A state from which a run cannot be resumed; the message is one sentence with the file's or the folder's name."""


def save(file: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors from any device, and what JSON can hold; the file is whole at every moment."""
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(about)
    sums = {"": zlib.crc32(text.encode())} | {name: checksum(tensor) for name, tensor in kept.items()}
    write_atomically(file, safetensors.torch.save(kept, {KEY: text, SUMS: json.dumps(sums)}))


def load(file: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Read what ``save`` has written; None where there is no such file, StateError where it is damaged."""
    if not file.exists():
        return None
    data = file.read_bytes()
    with _reading(file):
        tensors = safetensors.torch.load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return tensors, _checked(tensors, header["__metadata__"], whole=True)


def part(file: Path, prefix: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Read the tensors under a prefix alone; None where there is no such file, StateError where it is damaged."""
    if not file.is_file():
        return None
    with _reading(file), safetensors.safe_open(file, "pt") as kept:
        names = [name for name in kept.keys() if name.startswith(f"{prefix}.")]  # noqa: SIM118
        tensors = {name: kept.get_tensor(name) for name in names}
        about = _checked(tensors, {KEY: "{}"} | (kept.metadata() or {}), whole=False)
        return under(tensors, prefix), about


def remove_parts(folder: Path) -> None:
    """Remove what a kill left half written in a folder."""
    for file in folder.glob(".*.part"):
        file.unlink(missing_ok=True)


def checksum(tensor: Tensor) -> int:
    """A checksum of a tensor's type, shape and bytes."""
    head = zlib.crc32(f"{tensor.dtype} {list(tensor.shape)}".encode())
    return zlib.crc32(tensor.reshape(-1).view(torch.uint8).numpy().data, head) if tensor.numel() else head


def _checked(tensors: Mapping[str, Tensor], metadata: Mapping[str, str], *, whole: bool) -> dict[str, Any]:
    """What stands beside the tensors; ValueError where a checksum is wrong, or a tensor of the ``whole`` is missing."""
    text = metadata[KEY]
    about = json.loads(text)
    if not isinstance(about, dict):
        raise ValueError("no object")
    if SUMS in metadata:  # an older Fingal wrote none
        sums = json.loads(metadata[SUMS])
        there = {"": zlib.crc32(text.encode())} | {name: checksum(tensor) for name, tensor in tensors.items()}
        if (whole and there.keys() != sums.keys()) or any(sums.get(name) != there[name] for name in there):
            raise ValueError("another checksum")
    return about


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with a file that cannot be read."""
    try:
        yield
    except (safetensors.SafetensorError, LookupError, TypeError, ValueError, AttributeError, RuntimeError):
        raise StateError(f"{file} is truncated or damaged") from None


def check_about(file: Path, about: Mapping[str, Any], fresh: Mapping[str, Any]) -> None:
    """StateError unless what stands beside the tensors has the entries and types of a run that begins."""
    for name, value in fresh.items():
        if name not in about:
            raise StateError(f"{file} lacks {name}: it is damaged, or another Fingal wrote it{ANEW}")
        if not _is_like(about[name], value):
            raise StateError(f"{file} is damaged, {name} cannot be {about[name]!r:.60}{ANEW}")
        if isinstance(value, dict) and value and about[name]:
            check_about(file, about[name], value)
    if unknown := sorted(about.keys() - fresh.keys()):
        raise StateError(f"{file} has {unknown[0]!r:.60}, which this Fingal does not know: another one wrote it{ANEW}")


def _is_like(found: object, fresh: object) -> bool:
    """Whether a value from JSON has the type of another: counts are whole numbers from 0 on that 63 bits hold."""
    if isinstance(fresh, list):
        return isinstance(found, list) and all(map(is_finite, found))
    if isinstance(fresh, bool) or not isinstance(fresh, int | float):
        return fresh is None or type(found) is type(fresh)
    if isinstance(fresh, int):
        return type(found) is int and 0 <= found < 2**63
    return is_finite(found) or (isinstance(found, float) and not math.isfinite(fresh) and not math.isnan(found))


def check_finite(file: Path, tensors: Mapping[str, Tensor]) -> None:
    """StateError where a tensor holds numbers that are not finite."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise StateError(f"{file} is damaged, {name} holds numbers that are not finite{ANEW}")


def check_taken(
    file: Path, tensors: Mapping[str, Tensor], taken: Mapping[str, Tensor], elsewhere: Sequence[str] = ()
) -> None:
    """StateError unless a learner that took its tensors from a file has ``taken`` just these, as they are there.

    Names that begin with one of ``elsewhere`` do not count.
    """
    for name, tensor in taken.items():
        if name.startswith(tuple(elsewhere)):
            continue
        of_the_device = name.rpartition(".")[2] in OF_THE_DEVICE
        if name not in tensors:
            if not of_the_device:
                raise StateError(f"{file} lacks {name}: it is damaged, or another Fingal wrote it{ANEW}")
            continue
        here, there = (tensor.dtype, list(tensor.shape)), (tensors[name].dtype, list(tensors[name].shape))
        if here != there and not (of_the_device and here[0] == there[0]):
            raise StateError(
                f"{file} does not fit this run, {name} is {_kind(*there)} where {_kind(*here)} is expected{ANEW}"
            )
    for name in tensors.keys() - taken.keys():
        if name.rpartition(".")[2] not in OF_THE_DEVICE and not name.startswith(tuple(elsewhere)):
            raise StateError(f"{file} does not fit this run, which has no {name!r:.60}{ANEW}")


def _kind(dtype: torch.dtype, shape: list[int]) -> str:
    return f"{str(dtype).removeprefix('torch.')} {shape}"


def under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Those whose names begin with ``prefix.``, without it."""
    start = f"{prefix}."
    return {name[len(start) :]: tensor for name, tensor in tensors.items() if name.startswith(start)}


def named(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The other way round."""
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}


def set_random(generator: torch.Generator, kept: Tensor) -> None:
    """Resume the random numbers of ``generator.get_state()``; after a change of device with others from there."""
    if kept.dtype != torch.uint8 or kept.ndim != 1 or len(kept) not in RANDOM_BYTES:
        raise ValueError("no state of a generator")
    if kept.shape == generator.get_state().shape:
        generator.set_state(kept)
    else:  # CPUs and GPUs draw in different ways
        generator.manual_seed(zlib.crc32(kept.numpy().tobytes()))


def of_optimiser(optimiser: Optimizer) -> dict[str, Tensor]:
    """What an optimiser remembers of each parameter, by ``number.name``."""
    states = optimiser.state_dict()["state"].items()
    return {f"{index}.{name}": torch.as_tensor(tensor) for index, state in states for name, tensor in state.items()}


def into_optimiser(optimiser: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Let an optimiser remember what ``of_optimiser`` gave; ValueError where a part of it is missing or misshapen."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, _, key = name.partition(".")
        state.setdefault(int(index), {})[key] = tensor
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    if len({frozenset(kept) for kept in state.values()}) > 1:  # parameters that no loss moves have nothing there
        raise ValueError("not the same of every parameter")
    for place, kept in state.items():
        for tensor in kept.values():
            if tensor.ndim and tensor.shape != parameters[place].shape:
                raise ValueError("of another shape than its parameter")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
    for parameter, kept in optimiser.state.items():
        for name, tensor in kept.items():
            if tensor.shape == parameter.shape:  # a fused optimiser wants it to lie in memory as the weights do
                kept[name] = torch.empty_like(parameter).copy_(tensor)
