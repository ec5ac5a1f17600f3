"""One function called many times over; on a GPU as one CUDA graph.

Where steps are small the time on a GPU goes to starting kernels, not to their work. A graph starts them all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Repeated:
    """A function of numbers [*shape], called for each row of [times, *shape]."""

    def __init__(
        self,
        function: Callable[[Tensor], None],
        times: int,
        shape: int | tuple[int, ...],
        kept: list[Tensor],
        graph: bool,
        dtype: torch.dtype = torch.int64,
    ) -> None:
        """Capture, if ``graph``; ``kept`` is all that the function changes, and the trial runs leave it as it was.

        The function must work on tensors that stay where they are and never wait for the device.
        """
        self._function, self.times = function, times
        self._graph: Any = None
        if graph:
            shape = (shape,) if isinstance(shape, int) else shape
            self._picks = torch.zeros((times, *shape), dtype=dtype, device=kept[0].device)
            self._capture(kept)

    def __call__(self, picks: Tensor) -> None:
        """Call the function with every row."""
        if self._graph is None:
            for pick in picks:
                self._function(pick)
        else:
            self._picks.copy_(picks)
            self._graph.replay()

    def _capture(self, kept: list[Tensor]) -> None:
        before = [tensor.detach().clone() for tensor in kept]
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=True):
            with torch.cuda.stream(stream):
                # Tuning and lazy set-up must be over before the capture.
                for _ in range(3):
                    self._function(self._picks[0])
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                for pick in self._picks:
                    self._function(pick)
        with torch.no_grad():
            for tensor, was in zip(kept, before, strict=True):
                tensor.copy_(was)
