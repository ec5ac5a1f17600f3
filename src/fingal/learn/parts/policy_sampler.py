"""Moves drawn from a net's policy, for many positions at once: what self-play asks a net for.

Positions are planes uint8 [B, 12, height + 2, width + 2] in the host's memory, as ``bridges`` makes them. A GPU works
in batches of a few sizes, each with its own CUDA graph. A GPU, and a CPU that knows bfloat16, may play with weights
that are rounded to it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.policy import legal_in_planes
from fingal.nets.convolutional import Convolutional

SIZES = tuple(32 * step for step in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64))
"""The sizes of a GPU's batches; more positions are cut in parts of the largest."""

AT_ONCE = 256
"""Positions of one part on a CPU; more at once are no faster."""

STEP = 8
"""A CPU's batches are multiples of it: it, too, prepares anew for every size that it has not seen."""


def drawn(logits: Tensor, legal: Tensor, noise: Tensor) -> Tensor:
    """A legal cell for each position, drawn from the softmax over its legal cells, equation (1): int64 [B].

    ``noise`` [B, cells] comes from the exponential distribution with mean 1: the least noise / exp(logit) is cell c
    with the chance that the softmax gives it.
    """
    return (logits - noise.log()).masked_fill(~legal, -torch.inf).argmax(1)


class Sampler:
    """Asks a net; random numbers come from a generator that ``seed`` sets."""

    def __init__(self, net: Convolutional, device: torch.device, *, half: bool = True, graph: bool = True) -> None:
        """For a net on a device. ``half`` plays in bfloat16 where the machine knows it, ``graph`` is a GPU's."""
        self.device, self._cuda = device, device.type == "cuda"
        self.half = half and (self._cuda or knows_bfloat16())
        self._learned = net
        self.net = copy.deepcopy(net).requires_grad_(False).eval()
        if self.half:
            self.net.to(torch.bfloat16)
        self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._pairs = list(zip(self.net.parameters(), net.parameters(), strict=True))
        self.generator = torch.Generator(device=device)
        self._graph = graph and self._cuda
        self._asked: dict[tuple[int, ...], _Asked] = {}

    def seed(self, number: int) -> None:
        """Draw from here on as this number says."""
        self.generator.manual_seed(number)

    @torch.no_grad()
    def follow(self) -> None:
        """Take over the weights that the net has now."""
        for mine, learned in self._pairs:
            mine.copy_(learned)

    @torch.inference_mode()
    def draw(self, planes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """A cell for each position, int32 [B]."""
        out = np.empty(len(planes), np.int32)
        for part, asked in self._parts(planes):
            asked.noise.exponential_(generator=self.generator)
            asked.run()
            out[part] = asked.cells[: part.stop - part.start].cpu().numpy()
        return out

    @torch.inference_mode()
    def logits(self, planes: NDArray[np.uint8]) -> Tensor:
        """What the net says, float32 [B, cells] on the CPU; minus infinity where a stone stands."""
        out = torch.empty(len(planes), (planes.shape[2] - 2) * (planes.shape[3] - 2))
        for part, asked in self._parts(planes):
            asked.run()
            count = part.stop - part.start
            out[part] = asked.logits[:count].masked_fill(~asked.legal[:count], -torch.inf).cpu()
        return out

    def _parts(self, planes: NDArray[np.uint8]) -> Iterator[tuple[slice, _Asked]]:
        """Cut a batch; gives each part's place and where its answer will be, with its planes there."""
        most = SIZES[-1] if self._cuda else AT_ONCE
        for start in range(0, len(planes), most):
            part = slice(start, min(len(planes), start + most))
            some = torch.from_numpy(planes[part])
            count = len(some)
            size = next(size for size in SIZES if size >= count) if self._cuda else -(-count // STEP) * STEP
            key = (size, *planes.shape[2:])
            if key not in self._asked:
                self._asked[key] = _Asked(self.net, (size, *planes.shape[1:]), self.device, self._graph)
            asked = self._asked[key]
            asked.planes[:count].copy_(some, non_blocking=True)
            yield part, asked


class _Asked:
    """One batch size: tensors that stay where they are and, on a GPU, the graph that works on them."""

    def __init__(self, net: Convolutional, shape: tuple[int, ...], device: torch.device, graph: bool) -> None:
        """Set up, and capture the graph."""
        self._net = net
        self._dtype = next(net.parameters()).dtype
        cells = (shape[2] - 2) * (shape[3] - 2)
        self.planes = torch.zeros(shape, dtype=torch.uint8, device=device)
        self.noise = torch.ones(shape[0], cells, device=device)
        self.logits = torch.zeros(shape[0], cells, device=device)
        self.legal = torch.zeros(shape[0], cells, dtype=torch.bool, device=device)
        self.cells = torch.zeros(shape[0], dtype=torch.int32, device=device)
        self._graph: Any = None
        if graph:
            self._capture()

    def run(self) -> None:
        """From planes and noise to logits and cells."""
        if self._graph is None:
            self._work()
        else:
            self._graph.replay()

    def _work(self) -> None:
        seen = self.planes.to(self._dtype).contiguous(memory_format=torch.channels_last)
        self.logits.copy_(self._net(seen))
        self.legal.copy_(legal_in_planes(self.planes))
        self.cells.copy_(drawn(self.logits, self.legal, self.noise))

    def _capture(self) -> None:
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=True):
            with torch.cuda.stream(stream):
                for _ in range(3):  # tuning and lazy set-up must be over before the capture
                    self._work()
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._work()


def knows_bfloat16() -> bool:
    """Whether this machine's CPU multiplies in bfloat16; others would be slower with it."""
    return torch.cpu._is_avx512_bf16_supported()
