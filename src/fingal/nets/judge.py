"""A net that judges packed positions on a device: the encoder, the folded net, and the way back to the board."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from fingal.nets import choice
from fingal.nets.folded import Folded, fold
from fingal.nets.planes_torch import encode, layout, to_board
from fingal.nets.residual import Config, Residual
from fingal.nets.ringed import Ringed
from fingal.search.evaluator import EvaluationError


class Judge:
    """One set of weights, filled anew from a net whenever that net has changed; a residual net's are folded.

    On a GPU it has a stream of its own, which goes before others: whoever waits for a judgement is playing.
    """

    def __init__(
        self, config: Config | choice.Config, device: torch.device, *, compiled: bool = False, dtype: torch.dtype
    ) -> None:
        """Hold weights for a kind of net; ``refresh`` fills them.

        ``compiled`` takes seconds for each new shape and is faster from then on.
        """
        self.config, self.device, self.dtype = config, device, dtype
        with torch.random.fork_rng(devices=[]):
            net = Folded(config) if isinstance(config, Config) else Ringed(choice.of(config))
            self._net: nn.Module = net.to(device, dtype, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._net.eval().requires_grad_(False)
        self.stream: torch.cuda.Stream | None = None
        if device.type == "cuda":
            self.stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]
            # One pool for all graphs: they run one after another on one stream, so they can share memory.
            self.memory: Any = torch.cuda.graph_pool_handle()
        self._forward: Callable[..., tuple[Tensor, Tensor]] = (
            torch.compile(self._judge, dynamic=False) if compiled else self._judge
        )

    @torch.no_grad()
    def refresh(self, net: Residual | Ringed) -> None:
        """Take over a net's weights as they are now; what was launched before is judged by the old ones."""
        new = fold(net) if isinstance(net, Residual) else net
        if self.stream is not None:
            torch.cuda.current_stream(self.device).wait_stream(self.stream)
        # In place: the captured graphs read from where the weights lie.
        for mine, theirs in zip(self._net.parameters(), new.parameters(), strict=True):
            mine.copy_(theirs)
        if self.stream is not None:
            self.stream.wait_stream(torch.cuda.current_stream(self.device))

    @torch.no_grad()
    def __call__(
        self, stones: Tensor, white_to_move: Tensor, width: int, height: int, *, once: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Logits [B, cells] on the boards as they are and values [B] for the side to move, both float32.

        ``stones`` is int64 [2, B, words], ``white_to_move`` bool [B], the boards are square. A shape that is seen
        ``once`` in a while is not worth compiling for.
        """
        return (self._judge if once else self._forward)(stones, white_to_move, width, height, (height, width))

    def _judge(
        self, stones: Tensor, white_to_move: Tensor, width: int, height: int, frame: tuple[int, int]
    ) -> tuple[Tensor, Tensor]:
        where = layout(white_to_move, width, height, frame)
        planes = encode(stones, white_to_move, where, frame, self.dtype)
        said = self._net(planes.contiguous(memory_format=torch.channels_last))
        return to_board(said.policy.float(), white_to_move, width, height), said.value.float()


def require_finite(*outputs: Tensor) -> None:
    """EvaluationError unless what a net gave in training is finite: no games can be played with it."""
    # A sum is not finite where one of its numbers is not, and costs a fraction of looking at each.
    if not all(math.isfinite(output.sum()) for output in outputs):
        raise EvaluationError("the net that plays gave outputs that are not finite: it began so, or has diverged")


class Lane:
    """Batches of one shape on their way to a judge and back.

    Fill ``stones`` and ``white_to_move``, ``launch``, go on with something else, ``wait``, read ``logits`` and
    ``value``. On a GPU ``launch`` returns at once, and a judgement is one captured graph.
    """

    def __init__(self, judge: Judge, count: int, width: int, height: int, white: bool | None = None) -> None:
        """Make room for ``count`` positions. ``white`` says who is to move in all of them: needed off the square."""
        self._judge, self._shape = judge, (width, height, (width, height) if white else (height, width))
        self._cuda = judge.device.type == "cuda"
        self.stones = torch.zeros((2, count, (width * height + 63) // 64), dtype=torch.int64, pin_memory=self._cuda)
        """int64 [2, count, words]"""
        self.white_to_move = torch.zeros(count, dtype=torch.bool, pin_memory=self._cuda)
        """bool [count]"""
        self.logits = torch.zeros((count, width * height), pin_memory=self._cuda)
        """[count, cells]"""
        self.value = torch.zeros(count, pin_memory=self._cuda)
        """[count]"""
        self.in_flight = False
        self.busy_ms = 0.0
        """How long the GPU has judged for this lane so far; what is in flight is not in it."""
        if self._cuda:
            self._capture()

    def launch(self) -> None:
        """Judge what stands in the buffers."""
        self.in_flight = True
        if not self._cuda:
            logits, value = self._judge(self.stones, self.white_to_move, *self._shape[:2])
            self.logits.copy_(logits)
            self.value.copy_(value)
            return
        with torch.cuda.stream(self._judge.stream):
            self._started.record()
            self._stones.copy_(self.stones, non_blocking=True)
            self._white.copy_(self.white_to_move, non_blocking=True)
            self._graph.replay()
            self.logits.copy_(self._said[0], non_blocking=True)
            self.value.copy_(self._said[1], non_blocking=True)
            self._ended.record()

    def wait(self) -> None:
        """Wait until the judgements are there."""
        if self._cuda and self.in_flight:
            self._ended.synchronize()
            self.busy_ms += self._started.elapsed_time(self._ended)
        self.in_flight = False

    def repeat(self, times: int) -> None:
        """Judge the same batch again and again and wait: for measuring."""
        for _ in range(times):
            if self._cuda:
                with torch.cuda.stream(self._judge.stream):
                    self._graph.replay()
            else:
                self.launch()
        if self._judge.stream is not None:
            self._judge.stream.synchronize()

    @torch.no_grad()
    def _capture(self) -> None:
        judge, device, stream = self._judge, self._judge.device, self._judge.stream
        assert stream is not None
        self._stones, self._white = self.stones.to(device), self.white_to_move.to(device)
        self._started, self._ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.device(device), torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=True):
            with torch.cuda.stream(stream):
                # Compilation, tuning and lazy set-up must be over before the capture.
                for _ in range(3):
                    judge._forward(self._stones, self._white, *self._shape)
            stream.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, pool=judge.memory, stream=stream):
                self._said = judge._forward(self._stones, self._white, *self._shape)
