"""A ring of the last steps of many games, on the device: each board is kept once, and what follows it lies beside it.

With n steps to a lesson, the return and the board after n moves are put together when a move is drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

ALPHA, BETA, FLOOR = 0.6, 0.4, 1e-6
"""Prioritised replay's: how much an error counts, how much of that is taken back, and the least error."""


class Lesson(NamedTuple):
    """B moves to learn from."""

    boards: Tensor
    """int8 [B, n, n]: before the move, seen by who made it."""
    cell: Tensor
    """int64 [B]: the move."""
    gained: Tensor
    """float32 [B]: the rewards of up to n steps, discounted."""
    carried: Tensor
    """float32 [B]: what the value of ``following`` is multiplied by; 0 where the game has ended before it."""
    following: Tensor
    """int8 [B, n, n]: the board n steps later. Where ``carried`` is 0, nothing of it counts."""
    weight: Tensor
    """float32 [B]: how much the move counts; 1 unless errors have priority."""
    at: Tensor
    """int64 [B]: where the moves are, for ``judge``."""


class TimeRing:
    """The last steps of ``games`` games, at least ``capacity`` moves."""

    def __init__(
        self,
        capacity: int,
        games: int,
        size: int,
        device: torch.device,
        *,
        discount: float,
        steps: int = 1,
        prioritised: bool = False,
    ) -> None:
        """Make room.

        ``discount`` is what a value is multiplied by for each step: gamma, or -gamma where the sides take turns.
        """
        self.games, self.steps, self.discount = games, steps, discount
        self.rows = max(1, -(-capacity // games))
        """How many steps can be learned from at most."""
        # Those that still wait for what follows, and the board that comes next.
        self.slots = self.rows + steps
        self.boards = torch.zeros((self.slots, games, size, size), dtype=torch.int8, device=device)
        self.cell = torch.zeros((self.slots, games), dtype=torch.int64, device=device)
        self.reward = torch.zeros((self.slots, games), device=device)
        self.done = torch.zeros((self.slots, games), dtype=torch.bool, device=device)
        self.priority = torch.zeros((self.slots, games), device=device) if prioritised else None
        self.largest = torch.ones((), device=device)
        self.at = torch.zeros(1, dtype=torch.int64, device=device)
        """Where the next step goes."""
        self.added = torch.zeros((), dtype=torch.int64, device=device)
        """How many steps there have been."""

    def begin(self, boards: Tensor) -> None:
        """The boards int8 [games, n, n] that the first step finds."""
        self.boards.index_copy_(0, self.at, boards.unsqueeze(0))

    def add(self, cell: Tensor, reward: Tensor, done: Tensor, boards: Tensor) -> None:
        """A step: the moves made on the newest boards, what they brought, and the boards after them."""
        for kept, new in ((self.cell, cell), (self.reward, reward), (self.done, done)):
            kept.index_copy_(0, self.at, new.unsqueeze(0))
        self.added += 1
        if self.priority is not None:
            ready = (self.at - (self.steps - 1)) % self.slots
            # Before the first steps have their successors this marks moves that have not been made.
            fresh = torch.where(self.added >= self.steps, self.largest, 0.0)
            self.priority.index_copy_(0, ready, fresh.expand(1, self.games))
        self.at.copy_((self.at + 1) % self.slots)
        self.boards.index_copy_(0, self.at, boards.unsqueeze(0))
        if self.priority is not None:
            self.priority.index_fill_(0, self.at, 0.0)

    def draw(self, lots: Tensor) -> Lesson:
        """Moves to learn from, by numbers float64 [B] in [0, 1); at least one step is there to learn from."""
        ready = (self.added - (self.steps - 1)).clamp(1, self.rows)
        if self.priority is None:
            oldest = self.at - (self.steps - 1) - ready
            number = (lots * (ready * self.games)).long()
            slot, game = (oldest + number // self.games) % self.slots, number % self.games
            weight = torch.ones(lots.shape, device=lots.device)
        else:
            reached = self.priority.flatten().double().cumsum(0)
            number = torch.searchsorted(reached, lots * reached[-1], right=True).clamp(max=len(reached) - 1)
            slot, game = number // self.games, number % self.games
            chance = self.priority.flatten()[number].double() / reached[-1]
            weight = importance(chance)
        gained = torch.zeros(lots.shape, device=lots.device)
        carried = torch.ones(lots.shape, device=lots.device)
        for step in range(self.steps):
            there = (slot + step) % self.slots
            gained += carried * self.reward[there, game]
            carried = carried * self.discount * ~self.done[there, game]
        following = self.boards[(slot + self.steps) % self.slots, game]
        cell, boards = self.cell[slot, game], self.boards[slot, game]
        return Lesson(boards, cell, gained, carried, following, weight, slot * self.games + game)

    def judge(self, at: Tensor, error: Tensor) -> None:
        """The moves at int64 [B] were wrong by ``error`` [B]: they are drawn accordingly from now on."""
        if self.priority is not None:
            priority = urgency(error)
            self.priority.view(-1).index_copy_(0, at, priority)
            self.largest.copy_(torch.maximum(self.largest, priority.max()))

    def state(self) -> dict[str, Tensor]:
        """Everything that changes."""
        kept = {"boards": self.boards, "cell": self.cell, "reward": self.reward, "done": self.done}
        kept |= {"at": self.at, "added": self.added, "largest": self.largest}
        return kept if self.priority is None else kept | {"priority": self.priority}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what ``state`` gave."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])


def urgency(error: Tensor) -> Tensor:
    """Equation (8): a move's priority, (|error| + 1e-6)^0.6."""
    return (error.abs() + FLOOR) ** ALPHA


def importance(chance: Tensor) -> Tensor:
    """Equation (9): chance^-0.4, divided by the largest of the batch, float32.

    Whatever chances are multiplied by, such as the number of moves, cancels.
    """
    weight = chance**-BETA
    return (weight / weight.max()).float()
