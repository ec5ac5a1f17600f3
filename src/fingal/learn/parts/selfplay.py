"""Self-play on a device: pools of games in the core, one net that judges for all of them.

The pools take turns. While the device judges one pool's positions, the processor's threads play on in another, so
that neither waits. On a CUDA device a judgement is one captured graph: encoder, net, and the way back to the board.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.nets.folded import Folded, fold
from fingal.nets.planes_torch import encode, layout, to_board
from fingal.nets.residual import Config, Residual

Game = tuple[int, int, int, bool, list[int]]
"""A finished game: its id, how many moves were set, who won (0: Black), whether by resignation, and the moves."""


class Judge:
    """The net that judges: one set of folded weights, filled anew from the net in training."""

    def __init__(self, config: Config, device: torch.device, compiled: bool) -> None:
        """Hold weights for a kind of net; ``refresh`` fills them."""
        self.device = device
        self.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        with torch.random.fork_rng(devices=[]):
            self._net: Folded = Folded(config).to(device, self.dtype, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._net.eval().requires_grad_(False)
        self._forward: Callable[[Tensor], Any] = torch.compile(self._net, dynamic=False) if compiled else self._net

    def refresh(self, net: Residual) -> None:
        """Take over a net's weights as they are now; captured graphs see them too."""
        with torch.no_grad():
            for mine, new in zip(self._net.parameters(), fold(net).parameters(), strict=True):
                mine.copy_(new)

    def __call__(
        self, stones: Tensor, white_to_move: Tensor, width: int, height: int, *, once: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Logits [B, cells] on the boards as they are and values [B] for the side to move, both float32.

        ``stones`` is int64 [2, B, words], ``white_to_move`` bool [B]; boards are square or all have one side to move.
        A shape that is seen ``once`` in a while is not worth compiling for.
        """
        frame = (height, width)
        planes = encode(stones, white_to_move, layout(white_to_move, width, height, frame), frame, self.dtype)
        said = (self._net if once else self._forward)(planes.contiguous(memory_format=torch.channels_last))
        return to_board(said.policy, white_to_move, width, height).float(), said.value.float()


class DevicePool:
    """One pool of games and the buffers between it and the device."""

    def __init__(self, size: int, games: int, settings: _core.SelfplaySettings, seed: int, threads: int, judge: Judge):
        """Begin ``games`` games on boards of ``size`` x ``size``."""
        self.size = size
        self.core = _core.SelfplayPool(size, size, games, settings, seed, threads)
        self._judge = judge
        cuda = judge.device.type == "cuda"

        def both(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
            host = torch.zeros(shape, dtype=dtype, pin_memory=cuda)
            return host, host.to(judge.device) if cuda else host

        self._stones, self._device_stones = both((2, games, self.core.words), torch.int64)
        self._white, self._device_white = both((games,), torch.bool)
        self._last = torch.zeros(games, dtype=torch.int32)
        self._logits = torch.zeros((games, size * size), pin_memory=cuda)
        self._value = torch.zeros(games, pin_memory=cuda)
        self._stones_view: NDArray[Any] = self._stones.numpy().view("uint64")
        self._graph: torch.cuda.CUDAGraph | None = None
        self._out: tuple[Tensor, Tensor] | None = None
        self._started = torch.cuda.Event(enable_timing=True) if cuda else None  # type: ignore[no-untyped-call]
        self._ended = torch.cuda.Event(enable_timing=True) if cuda else None  # type: ignore[no-untyped-call]
        self._in_flight = False
        self.busy_ms = 0.0
        """How long the device has judged for this pool so far; CUDA only."""

    def launch(self) -> None:
        """Walk every game to its next leaf and start judging the leaves."""
        self.core.select(self._stones_view, self._white.numpy(), self._last.numpy())
        if self._judge.device.type != "cuda":
            with torch.no_grad():
                logits, value = self._judge(self._stones, self._white, self.size, self.size)
            self._logits.copy_(logits)
            self._value.copy_(value)
            self._in_flight = True
            return
        assert self._started is not None
        assert self._ended is not None
        if self._graph is None:
            self._capture()
        assert self._graph is not None
        assert self._out is not None
        self._started.record()
        self._device_stones.copy_(self._stones, non_blocking=True)
        self._device_white.copy_(self._white, non_blocking=True)
        self._graph.replay()
        self._logits.copy_(self._out[0], non_blocking=True)
        self._value.copy_(self._out[1], non_blocking=True)
        self._ended.record()
        self._in_flight = True

    def wait(self) -> None:
        """Wait until the judgements under way are there."""
        if self._ended is not None and self._in_flight:
            self._ended.synchronize()

    def collect(self) -> None:
        """Wait for the judgements and hand them to the games."""
        if not self._in_flight:
            return
        self.wait()
        if self._ended is not None and self._started is not None:
            self.busy_ms += self._started.elapsed_time(self._ended)
        self.core.update(self._logits.numpy(), self._value.numpy())
        self._in_flight = False

    def drop(self) -> None:
        """Forget judgements under way: after this the pool may be saved, restored or given other openings."""
        self.wait()
        self._in_flight = False

    def _capture(self) -> None:
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.no_grad(), torch.cuda.stream(stream):  # compiles, and warms up what must not happen in a capture
            for _ in range(3):
                self._judge(self._device_stones, self._device_white, self.size, self.size)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self._graph):
            self._out = self._judge(self._device_stones, self._device_white, self.size, self.size)

    def bare_rate(self, seconds: float) -> float:
        """Judgements per second with no games at all: the same positions again and again."""
        if self._judge.device.type == "cuda" and self._graph is None:
            self._capture()
        begin, rounds = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < seconds:
            if self._graph is not None:
                for _ in range(10):
                    self._graph.replay()
                torch.cuda.synchronize()
                rounds += 10
            else:
                with torch.no_grad():
                    self._judge(self._stones, self._white, self.size, self.size)
                rounds += 1
        return rounds * len(self._value) / spent


@torch.no_grad()
def even_openings(
    judge: Judge, size: int, count: int, most_stones: int, spread: float, generator: torch.Generator
) -> list[list[int]]:
    """Lines of 1 to ``most_stones`` random stones after which the net thinks the game is even.

    Eight times as many lines are drawn as are kept; a line with value v is kept with weight exp(-(v / spread)^2 / 2).
    """
    # With this few stones nobody can win in one move, which a pool's openings must not allow.
    most_stones = min(most_stones, 2 * (size - 2))
    if most_stones < 1:
        return [[]]
    drawn, cells = 8 * count, size * size
    length = torch.randint(1, most_stones + 1, (drawn,), generator=generator)
    order = torch.rand((drawn, cells), generator=generator).argsort(1)[:, :most_stones]
    packed = torch.zeros((2, drawn, (cells + 63) // 64), dtype=torch.int64)
    rows = torch.arange(drawn)
    for ply in range(most_stones):
        cell = order[:, ply]
        bit = torch.where(ply < length, torch.ones_like(cell) << (cell & 63), 0)
        packed[ply % 2, rows, cell >> 6] |= bit
    white = length % 2 == 1
    values = [
        judge(packed[:, part].to(judge.device), white[part].to(judge.device), size, size, once=True)[1].cpu()
        for part in torch.split(rows, 4096)
    ]
    weight = torch.exp(-((torch.cat(values) / spread) ** 2) / 2) + 1e-6
    picked = torch.multinomial(weight, count, generator=generator)
    return [order[i, : length[i]].tolist() for i in picked.tolist()]
