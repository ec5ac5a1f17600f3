"""A ring of single moves to learn from, on the device: what was seen, what was played, and what was seen then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class Moves(NamedTuple):
    """B moves, each seen by its mover; what follows is seen by the opponent."""

    planes: Tensor
    """bool [B, planes, n, n]: the board before the move, without walls."""
    cell: Tensor
    """int64 [B]: the move, as the mover sees the board."""
    won: Tensor
    """bool [B]: whether it has won."""
    following: Tensor
    """bool [B, planes, n, n]: the board after it. Where it has won, nothing of it counts."""


class Transitions:
    """The last ``capacity`` moves."""

    def __init__(self, capacity: int, planes: int, size: int, device: torch.device) -> None:
        """Make room."""
        self.capacity, self.device = capacity, device
        self.seen = 0
        """How many moves have ever been added."""
        self.held = torch.zeros((), device=device)
        """How many there are, for who cannot wait for a number to come from the device."""

        def boards() -> Tensor:
            return torch.zeros((capacity, planes, size, size), dtype=torch.bool, device=device)

        self.moves = Moves(
            boards(),
            torch.zeros(capacity, dtype=torch.int64, device=device),
            torch.zeros(capacity, dtype=torch.bool, device=device),
            boards(),
        )

    def __len__(self) -> int:
        """How many moves there are."""
        return min(self.seen, self.capacity)

    def add(self, moves: Moves) -> None:
        """Add moves, at most ``capacity``, in place of the oldest."""
        count = len(moves.cell)
        at = (self.seen + torch.arange(count, device=self.device)) % self.capacity
        for mine, new in zip(self.moves, moves, strict=True):
            mine.index_copy_(0, at, new)
        self.seen += count
        self.held.fill_(len(self))

    def draw(self, *shape: int, generator: torch.Generator) -> Tensor:
        """Numbers of moves for ``at``, int64, each move as likely as the others; there is at least one."""
        lots = torch.rand(shape, generator=generator, device=self.device, dtype=torch.float64)
        return (lots * self.held).long()

    def at(self, pick: Tensor) -> Moves:
        """The moves with numbers int64 [B]."""
        return Moves(*(part.index_select(0, pick) for part in self.moves))

    def state(self) -> dict[str, Tensor]:
        """Everything, on the CPU, eight cells a byte."""
        kept = len(self)
        found = {}
        for name, part in zip(Moves._fields, self.moves, strict=True):
            tensor = part[:kept].cpu()
            found[name] = torch.from_numpy(np.packbits(tensor.numpy())) if tensor.dtype == torch.bool else tensor
        return found

    def restore(self, state: dict[str, Tensor], seen: int) -> None:
        """Take over what ``state`` gave of a ring that had seen so many moves."""
        self.seen = seen
        kept = len(self)
        for name, part in zip(Moves._fields, self.moves, strict=True):
            tensor = state[name]
            if part.dtype == torch.bool:
                flat = np.unpackbits(tensor.numpy(), count=part[:kept].numel())
                tensor = torch.from_numpy(flat).bool().view(part[:kept].shape)
            part[:kept] = tensor.to(self.device)
        self.held.fill_(kept)
