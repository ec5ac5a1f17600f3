"""All that a run needs to go on exactly where it was, in one safetensors file: numbers only, nothing that could run."""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor
from torch.optim import Optimizer

from fingal.nets.card import write_atomically

KEY = "fingal-run"
"""Where the file keeps what is not a tensor."""


def save(file: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors from any device, and what JSON can hold; the file is whole at every moment."""
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(file, safetensors.torch.save(kept, {KEY: json.dumps(about)}))


def load(file: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """What ``save`` has written; None where there is no such file, ValueError where it is spoiled."""
    if not file.exists():
        return None
    data = file.read_bytes()
    with _reading(file):
        tensors = safetensors.torch.load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return tensors, json.loads(header["__metadata__"][KEY])


def part(file: Path, prefix: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The same of the tensors under a prefix alone, which are read when they are looked at."""
    if not file.is_file():
        return None
    with _reading(file), safetensors.safe_open(file, "pt") as kept:
        names = [name for name in kept.keys() if name.startswith(f"{prefix}.")]  # noqa: SIM118
        about = json.loads((kept.metadata() or {}).get(KEY, "{}"))
        return under({name: kept.get_tensor(name) for name in names}, prefix), about


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with a file that cannot be read."""
    try:
        yield
    except (safetensors.SafetensorError, KeyError, ValueError):
        raise ValueError(f"{file} is truncated or damaged") from None


def under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Those whose names begin with ``prefix.``, without it."""
    start = f"{prefix}."
    return {name[len(start) :]: tensor for name, tensor in tensors.items() if name.startswith(start)}


def named(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The other way round."""
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}


def set_random(generator: torch.Generator, kept: Tensor) -> None:
    """Go on with the random numbers of ``generator.get_state()``; after a change of device with others from there."""
    if kept.shape == generator.get_state().shape:
        generator.set_state(kept)
    else:  # CPUs and GPUs draw in different ways
        generator.manual_seed(zlib.crc32(kept.numpy().tobytes()))


def of_optimiser(optimiser: Optimizer) -> dict[str, Tensor]:
    """What an optimiser remembers of each parameter, by ``number.name``."""
    states = optimiser.state_dict()["state"].items()
    return {f"{index}.{name}": torch.as_tensor(tensor) for index, state in states for name, tensor in state.items()}


def into_optimiser(optimiser: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Let an optimiser remember what ``of_optimiser`` gave."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, _, key = name.partition(".")
        state.setdefault(int(index), {})[key] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
    for parameter, kept in optimiser.state.items():
        for name, tensor in kept.items():
            if tensor.shape == parameter.shape:  # a fused optimiser wants it to lie in memory as the weights do
                kept[name] = torch.empty_like(parameter).copy_(tensor)
