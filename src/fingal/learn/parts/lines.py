"""What moves lead to when a net plays on for both sides: many lines of play at once, on boards of one size."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.nets.judge import Judge


class Coming:
    """A tensor on its way from a device: only what was asked of the device before it is waited for."""

    def __init__(self, tensor: Tensor) -> None:
        """Send it off."""
        self._there = tensor.to("cpu", non_blocking=True)
        self._sent = None
        if tensor.device.type == "cuda":
            self._sent = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._sent.record()

    def array(self) -> NDArray[Any]:
        """Wait for it."""
        if self._sent is not None:
            self._sent.synchronize()
        return self._there.numpy()


def sent(array: NDArray[Any], device: torch.device) -> Tensor:
    """A copy of an array on a device, which is not waited for."""
    here = torch.from_numpy(array)
    return (here.pin_memory() if device.type == "cuda" else here.clone()).to(device, non_blocking=True)


class Lines:
    """A move each, then the net's best moves for both sides; a line that has come to its end waits there."""

    def __init__(self, size: int, count: int, judge: Judge) -> None:
        """Make room for ``count`` lines."""
        self.size, self.count, self.judge = size, count, judge
        self._core = _core.PolicyGames(size, size, count)
        self._rows = np.arange(count, dtype=np.int32)
        self._cells = torch.arange(size * size, device=judge.device)

    def begin(self, games: _core.PolicyGames, rows: NDArray[np.int32], cells: NDArray[np.int32]) -> None:
        """Make moves, cells [count], in copies of games, rows [count], of which one may be named more than once."""
        self._core.copy(rows, self._rows, games)
        self._going, self._result = self._rows, np.zeros(self.count, dtype=np.float32)
        self._plies, self._worth = 0, list[Tensor]()
        self._play(cells)

    def go_on(self) -> None:
        """Make the net's best move in every line that goes on."""
        self._play(self._best.array()[self._going])

    def worth(self) -> Tensor:
        """What the first moves were worth, [count], in the view of who made them.

        That is the mean of the last two positions' values, one for each side to move: the net's judgements, and the
        result of a line that has come to its end.
        """
        return torch.stack(self._worth[-2:]).mean(0)

    def _play(self, cells: NDArray[np.int32]) -> None:
        """Make moves in the lines that go on, and ask the net about what they have come to."""
        over = self._core.play(self._going, cells)
        self._plies += 1
        sign = 1 if self._plies % 2 else -1
        self._result[self._going[over]] = sign
        self._going = self._going[~over]
        packed, turns, _ = self._core.pack(self._rows)
        stones, white, result = (
            sent(array, self.judge.device) for array in (packed.view(np.int64), turns, self._result)
        )
        logits, value = self.judge(stones, white, self.size, self.size)
        self._worth.append(torch.where(result == 0, -sign * value, result))
        taken = (stones.sum(0)[:, self._cells >> 6] >> (self._cells & 63)) & 1
        self._best = Coming(logits.masked_fill(taken.bool(), -torch.inf).argmax(1).int())
