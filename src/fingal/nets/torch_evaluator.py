"""Evaluation by torch: float32 on the CPU, bfloat16 with CUDA graphs on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fingal.nets import planes_torch
from fingal.nets.card import Card
from fingal.nets.folded import Folded, fold
from fingal.nets.planes import check, encode, split, take, to_board
from fingal.nets.residual import Residual
from fingal.search.evaluator import Evaluation, Positions

BATCH_SIZES = (1, 8, 32, 128, 512, 2048)
"""Batches on a GPU are filled up to the next of these, so that few graphs are captured."""


class DeviceError(ValueError):
    """The device that was asked for cannot be used; the message is one sentence for the person who asked."""


class CpuEvaluator:
    """A net on the CPU, in float32."""

    def __init__(self, net: Residual, card: Card | None = None, threads: int | None = None) -> None:
        """Fold a net. ``threads`` is for all of torch in this process: it has no finer setting."""
        self.card = card
        if threads is not None:
            if threads < 1:
                raise ValueError(f"threads must be at least 1, not {threads}")
            torch.set_num_threads(threads)
        self._net = _channels_last(fold(net).to("cpu"))

    @torch.inference_mode()
    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions."""
        check(positions)
        logits = np.empty((len(positions.white_to_move), positions.width * positions.height), np.float32)
        value = np.empty(len(positions.white_to_move), np.float32)
        if len(positions.white_to_move):
            for index, part in split(positions):
                planes = torch.from_numpy(encode(part)).contiguous(memory_format=torch.channels_last)
                said = self._net(planes)
                where = slice(None) if index is None else index
                logits[where] = to_board(said.policy.numpy(), part.white_to_move, part.width, part.height)
                value[where] = said.value.numpy()
        return Evaluation(logits, value)

    def update(self, net: Residual) -> None:
        """Take another net's weights, of the same shape."""
        self._net.load_state_dict(fold(net).state_dict())


class CudaEvaluator:
    """A net on a GPU: bfloat16, channels last, one captured graph for each board size and batch size.

    Packed positions go over; unpacking, planes, the net and the way back to the board are in the graph. ``launch``
    returns before the GPU is done, so that two pools can take turns: each has its own ``lane``.
    """

    def __init__(
        self,
        net: Residual,
        card: Card | None = None,
        *,
        device: str | torch.device = "cuda",
        compiled: bool = False,
        batch_sizes: Sequence[int] = BATCH_SIZES,
        dtype: torch.dtype = torch.bfloat16,
    ) -> None:
        """Fold a net onto the GPU; DeviceError when there is none, or too little memory on it.

        ``compiled`` fuses what stands between the convolutions and tunes them: a minute for each graph, worth it for
        self-play. Batches larger than the last of ``batch_sizes`` are cut.
        """
        if not torch.cuda.is_available():
            raise DeviceError("CUDA is not available: there is no GPU, no driver, or this torch was built without CUDA")
        if not batch_sizes or min(batch_sizes) < 1:
            raise ValueError(f"batch_sizes must be positive, not {batch_sizes}")
        self.card = card
        self.batch_sizes = tuple(sorted(batch_sizes))
        self._device = torch.device(device)
        self._dtype = dtype
        with _memory("the net"):
            self._net = _channels_last(fold(net).to(self._device, dtype))
        self._stream: torch.cuda.Stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        self._pool: Any = torch.cuda.graph_pool_handle()
        self._graphs: dict[tuple[int, int, bool | None, int, int], _Graph] = {}
        judge: Any = torch.compile(_judge, dynamic=False, mode="max-autotune-no-cudagraphs") if compiled else _judge
        self._judge: Callable[..., tuple[Tensor, Tensor]] = judge

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions."""
        check(positions)
        largest = self.batch_sizes[-1]
        logits = np.empty((len(positions.white_to_move), positions.width * positions.height), np.float32)
        value = np.empty(len(positions.white_to_move), np.float32)
        for start in range(0, len(positions.white_to_move), largest):
            chunk = slice(start, start + largest)
            for index, part in split(take(positions, chunk)):
                said = self.launch(part)()
                where = slice(None) if index is None else index
                logits[chunk][where] = said.logits
                value[chunk][where] = said.value
        return Evaluation(logits, value)

    def launch(self, positions: Positions, lane: int = 0) -> Callable[[], Evaluation]:
        """Start on positions and return at once; the function that is returned waits for the answer.

        At most ``batch_sizes[-1]`` positions, with one side to move unless the board is square. A lane takes the
        next batch of a board size once the answer to the last one has been fetched.
        """
        count = len(positions.white_to_move)
        if count == 0:
            empty = np.empty((0, positions.width * positions.height), np.float32)
            return lambda: Evaluation(empty, np.empty(0, np.float32))
        graph = self._graph(positions, lane)
        graph.start(positions)
        return lambda: graph.finish(count)

    def update(self, net: Residual) -> None:
        """Take another net's weights, of the same shape; what was launched before is judged by the old ones."""
        folded = fold(net)
        current = torch.cuda.current_stream(self._device)
        current.wait_stream(self._stream)
        with torch.no_grad():
            # In place: the captured graphs read from where the weights lie.
            for mine, new in zip(self._net.parameters(), folded.parameters(), strict=True):
                mine.copy_(new)
        self._stream.wait_stream(current)

    def _graph(self, positions: Positions, lane: int) -> _Graph:
        width, height = positions.width, positions.height
        count, largest = len(positions.white_to_move), self.batch_sizes[-1]
        if count > largest:
            raise ValueError(f"{count} positions are more than the largest batch, {largest}")
        size = next(size for size in self.batch_sizes if size >= count)
        white: bool | None = None
        if width != height:
            white = bool(positions.white_to_move[0])
            if (positions.white_to_move != white).any():
                raise ValueError(f"a batch on {width}x{height} holds both sides to move: split it first")
        key = width, height, white, size, lane
        if key not in self._graphs:
            frame = (width, height) if white else (height, width)

            def judge(stones: Tensor, white_to_move: Tensor) -> tuple[Tensor, Tensor]:
                return self._judge(self._net, stones, white_to_move, width, height, frame, self._dtype)

            with _memory(f"{size} positions on {width}x{height}"), torch.cuda.device(self._device):
                self._graphs[key] = _Graph(judge, size, width * height, self._device, self._stream, self._pool)
        return self._graphs[key]


def _judge(
    net: Folded,
    stones: Tensor,
    white_to_move: Tensor,
    width: int,
    height: int,
    frame: tuple[int, int],
    dtype: torch.dtype,
) -> tuple[Tensor, Tensor]:
    """Logits [B, cells] on the board as it is and values [B], float32, of packed positions int64 [2, B, words]."""
    where = planes_torch.layout(white_to_move, width, height, frame)
    planes = planes_torch.encode(stones, white_to_move, where, frame, dtype)
    said = net(planes.contiguous(memory_format=torch.channels_last))
    return planes_torch.to_board(said.policy.float(), white_to_move, width, height), said.value.float()


class _Graph:
    """A captured graph with its buffers on both sides."""

    def __init__(
        self,
        judge: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
        size: int,
        cells: int,
        device: torch.device,
        stream: torch.cuda.Stream,
        pool: Any,
    ) -> None:
        words = (cells + 63) // 64
        self._stream = stream
        self._stones_here = torch.zeros((2, size, words), dtype=torch.int64, pin_memory=True)
        self._white_here = torch.zeros(size, dtype=torch.bool, pin_memory=True)
        self._logits_here = torch.zeros((size, cells), pin_memory=True)
        self._value_here = torch.zeros(size, pin_memory=True)
        self._stones = torch.zeros((2, size, words), dtype=torch.int64, device=device)
        self._white = torch.zeros(size, dtype=torch.bool, device=device)
        self._done: torch.cuda.Event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        self._busy = False
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=True):
            with torch.cuda.stream(stream):
                # Compilation, tuning and lazy set-up must be over before the capture.
                for _ in range(3):
                    judge(self._stones, self._white)
            stream.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            # One pool for all graphs: they run one after another on one stream, so they can share memory.
            with torch.cuda.graph(self._graph, pool=pool, stream=stream):
                self._logits, self._value = judge(self._stones, self._white)

    def start(self, positions: Positions) -> None:
        """Copy, run, copy back: queued, not waited for. Rows past the positions keep whatever they held."""
        if self._busy:
            raise RuntimeError("this lane is still at work on another batch: fetch its answer first")
        self._busy = True
        count = len(positions.white_to_move)
        self._stones_here.numpy()[:, :count] = positions.stones.view(np.int64)
        self._white_here.numpy()[:count] = positions.white_to_move
        with torch.cuda.stream(self._stream):
            self._stones.copy_(self._stones_here, non_blocking=True)
            self._white.copy_(self._white_here, non_blocking=True)
            self._graph.replay()
            self._logits_here.copy_(self._logits, non_blocking=True)
            self._value_here.copy_(self._value, non_blocking=True)
            self._done.record(self._stream)

    def finish(self, count: int) -> Evaluation:
        """Wait for the answer to ``count`` positions."""
        self._done.synchronize()
        self._busy = False
        return Evaluation(self._logits_here.numpy()[:count].copy(), self._value_here.numpy()[:count].copy())


@contextmanager
def _memory(what: str) -> Iterator[None]:
    """Turn a GPU that is full into a DeviceError."""
    try:
        yield
    except torch.cuda.OutOfMemoryError:
        raise DeviceError(f"the GPU has too little free memory for {what}") from None


def _channels_last(net: Folded) -> Folded:
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return net
