"""One call that opens a net as an evaluator, on whatever there is."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import Literal

from fingal.nets.card import CheckpointError, find
from fingal.nets.wrappers import Averaged, Batcher, Cached
from fingal.search.evaluator import Evaluator, Remembering

__all__ = ["Averaged", "Backend", "Batcher", "Cached", "Device", "open_evaluator"]

Device = Literal["auto", "cpu", "cuda"]
Backend = Literal["auto", "onnx", "torch"]

_ONNX = (".int8.onnx", ".onnx")


def open_evaluator(
    name_or_path: str | os.PathLike[str],
    device: Device = "auto",
    backend: Backend = "auto",
    threads: int = 1,
    average: bool = False,
) -> Evaluator:
    """Open a net as an evaluator.

    ``name_or_path`` is a shipped net's name (``fingal-small``), an ``.onnx`` or a ``.safetensors`` file. ``auto``
    takes a GPU when torch sees one, otherwise the CPU, there through ONNX Runtime (the int8 file before the float32
    one) when the net has an ``.onnx`` or is a convolutional one, otherwise through torch. ``threads`` are those of the
    CPU; ``average`` asks twice, for the position and for the position turned by 180 degrees.

    CheckpointError for a file that is no net of Fingal's, DeviceError (both are ValueErrors) for a device that is not
    there.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device must be auto, cpu or cuda, not {device!r}")
    if backend not in ("auto", "onnx", "torch"):
        raise ValueError(f"backend must be auto, onnx or torch, not {backend!r}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    evaluator = _open(name_or_path, device, backend, threads)
    if average and isinstance(evaluator, Remembering):
        raise ValueError(f"{name_or_path} remembers the game, so it cannot be asked twice: leave average out")
    return Averaged(evaluator) if average else evaluator


def _open(name_or_path: str | os.PathLike[str], device: Device, backend: Backend, threads: int) -> Evaluator:
    given = Path(name_or_path)
    if backend == "onnx" or (backend == "auto" and given.suffix == ".onnx"):
        if device == "cuda":
            raise ValueError("ONNX files are run on the CPU here: give the .safetensors file to use CUDA")
        return _open_onnx(find(given, _ONNX), threads)
    if backend == "torch":
        return _open_torch(find(given, (".safetensors",)), device, threads)
    if device == "cuda" or (device == "auto" and _has_cuda()):
        return _open_torch(find(given, (".safetensors",)), device, threads)
    path = find(given, (*_ONNX, ".safetensors"))
    return _open_onnx(path, threads) if path.suffix == ".onnx" else _open_torch(path, device, threads, swiftly=True)


def _open_onnx(path: Path, threads: int) -> Evaluator:
    if path.suffix != ".onnx":
        raise CheckpointError(f"{path.name} is not an .onnx file: write one with 'fingal export'")
    stamp = path.stat()
    return _onnx_file(path.resolve(), stamp.st_mtime_ns, stamp.st_size, threads)


@functools.lru_cache(maxsize=8)
def _onnx_file(path: Path, written: int, size: int, threads: int) -> Evaluator:
    """An .onnx file's evaluator, kept until the file changes: players share it, also those of different threads."""
    from fingal.nets.onnx_evaluator import OnnxEvaluator

    return OnnxEvaluator(path, threads)


def _open_torch(path: Path, device: Device, threads: int, swiftly: bool = False) -> Evaluator:
    """A .safetensors file; ``swiftly`` on the CPU by way of ONNX Runtime, where that is faster and installed."""
    if path.suffix == ".onnx":
        raise CheckpointError(f"{path.name} cannot be opened with torch: give the .safetensors file")
    if importlib.util.find_spec("torch") is None:
        raise CheckpointError(f"{path.name} needs torch, which is not installed: pip install 'fingal[learn]'")
    from fingal.nets import checkpoint
    from fingal.nets.plain_evaluator import GameEvaluator, PlainEvaluator
    from fingal.nets.recurrent import Recurrent
    from fingal.nets.residual import Residual
    from fingal.nets.torch_evaluator import CpuEvaluator, CudaEvaluator

    cuda = device == "cuda" or (device == "auto" and _has_cuda())
    if swiftly and not cuda and _has_onnx() and checkpoint.card_of(path).architecture == "convolutional":
        stamp = path.stat()
        return _as_onnx(path.resolve(), stamp.st_mtime_ns, stamp.st_size, threads)
    net, card = checkpoint.load_any(path)
    where, shared = ("cuda", None) if cuda else ("cpu", threads)
    if isinstance(net, Recurrent):
        return GameEvaluator(net, card, where, shared)
    if not isinstance(net, Residual):
        return PlainEvaluator(net, card, where, shared)
    return CudaEvaluator(net, card) if cuda else CpuEvaluator(net, card, threads)


@functools.lru_cache(maxsize=8)
def _as_onnx(path: Path, written: int, size: int, threads: int) -> Evaluator:
    """A convolutional net of a .safetensors file, for ONNX Runtime.

    A position at a time takes about half as long as with torch. Kept until the file changes: a player that is made anew
    for every game should not read its net anew, and this evaluator may be asked by several threads.
    """
    from fingal.nets import checkpoint
    from fingal.nets.convolutional import Convolutional
    from fingal.nets.export import convolutional_graph, with_card
    from fingal.nets.onnx_evaluator import OnnxEvaluator

    net, card = checkpoint.load(path, Convolutional)
    return OnnxEvaluator(path, threads, with_card(convolutional_graph(net), card))


def _has_onnx() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("onnx", "onnxruntime"))


def _has_cuda() -> bool:
    """Whether torch can use a GPU; torch, which takes seconds to import, is left alone where there is none."""
    driver = "torch" in sys.modules or os.path.exists("/dev/nvidiactl") or shutil.which("nvidia-smi") is not None
    if not driver or importlib.util.find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()
