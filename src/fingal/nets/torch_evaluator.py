"""Evaluation by torch: float32 on the CPU, bfloat16 with CUDA graphs on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from fingal.nets.card import Card
from fingal.nets.folded import Folded, fold
from fingal.nets.judge import Judge, Lane
from fingal.nets.outputs import checked
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
        self._name = "this net" if card is None else card.name
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
        return checked(Evaluation(logits, value), positions, self._name)

    def update(self, net: Residual) -> None:
        """Take another net's weights, of the same shape."""
        self._net.load_state_dict(fold(net).state_dict())


class CudaEvaluator:
    """A net on a GPU: bfloat16, channels last, one captured graph for each board size and batch size.

    ``launch`` returns before the GPU is done, so that several can be under way: each has its own ``lane``.
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

        ``compiled`` fuses what stands between the convolutions: seconds for each graph, worth it for long work.
        Batches larger than the last of ``batch_sizes`` are cut.
        """
        if not torch.cuda.is_available():
            raise DeviceError("CUDA is not available: there is no GPU, no driver, or this torch was built without CUDA")
        if not batch_sizes or min(batch_sizes) < 1:
            raise ValueError(f"batch_sizes must be positive, not {batch_sizes}")
        self.card = card
        self._name = "this net" if card is None else card.name
        self.batch_sizes = tuple(sorted(batch_sizes))
        with _memory("the net"):
            self._judge = Judge(net.config, torch.device(device), compiled=compiled, dtype=dtype)
            self._judge.refresh(net.to(device))
        self._lanes: dict[tuple[int, int, bool | None, int, int], Lane] = {}

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
        used = self._lane(positions, lane)
        if used.in_flight:
            raise RuntimeError("this lane is still at work on another batch: fetch its answer first")
        used.stones.numpy()[:, :count] = positions.stones.view(np.int64)
        used.white_to_move.numpy()[:count] = positions.white_to_move
        used.launch()  # rows past the positions keep whatever they held

        def fetch() -> Evaluation:
            used.wait()
            found = Evaluation(used.logits.numpy()[:count].copy(), used.value.numpy()[:count].copy())
            return checked(found, positions, self._name)

        return fetch

    def update(self, net: Residual) -> None:
        """Take another net's weights, of the same shape; what was launched before is judged by the old ones."""
        self._judge.refresh(net.to(self._judge.device))

    def _lane(self, positions: Positions, lane: int) -> Lane:
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
        if key not in self._lanes:
            with _memory(f"{size} positions on {width}x{height}"):
                self._lanes[key] = Lane(self._judge, size, width, height, white)
        return self._lanes[key]


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
