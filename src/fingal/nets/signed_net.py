"""What the nets of paper 003 have in common: they see the boards of ``signed``, and one class says what they say.

A net gives a number for every cell, and a value of the position besides where its config says so. How it comes by them
is its own affair: ``feedforward``, ``shortcut``, ``transformer``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from fingal.nets.signed import ENCODER

Head = Literal["q", "policy", "policy_value"]
Squash = Literal["none", "sigmoid", "tanh"]


def from_stones(stones: Tensor) -> Tensor:
    """The side to move's stones and the opponent's, [B, 2, rows, columns], to float32 [B, rows, columns]."""
    return stones[:, 0].float() - stones[:, 1].float()


@dataclass(frozen=True)
class Kind:
    """What a net's numbers mean. The shapes of nets add their own settings."""

    head: Head = "q"
    """What the net says: ``q``, what playing each cell is worth; ``policy``, logits; ``policy_value``, both logits and
    the position's value."""
    squash: Squash = "none"
    """What a learner puts the numbers of a ``q`` net through to get values: ``sigmoid`` from 0 to 1, ``tanh`` from -1
    to 1. The net itself gives them as they are before it; a player needs to know."""
    dueling: bool = False
    """Whether a ``q`` net adds the position's value to what each cell gains over the mean of all empty cells."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        for field, known in (("head", ("q", "policy", "policy_value")), ("squash", ("none", "sigmoid", "tanh"))):
            if getattr(self, field) not in known:
                raise ValueError(f"{field} must be one of {', '.join(known)}, not {getattr(self, field)!r:.40}")
        if type(self.dueling) is not bool:
            raise ValueError(f"dueling must be true or false, not {self.dueling!r:.40}")
        for field, unset in (("squash", "none"), ("dueling", False)):
            if self.head != "q" and getattr(self, field) != unset:
                raise ValueError(f"{field} must be {unset} for a net with head {self.head}: it is for q")

    @property
    def encoder(self) -> str:
        """The boards that it sees, as a card names them."""
        return ENCODER

    @property
    def valued(self) -> bool:
        """Whether the net has a value of the position inside."""
        return self.dueling or self.head == "policy_value"

    def whole(self, **limits: tuple[int, int]) -> None:
        """ValueError unless the settings with these names are whole numbers within these limits."""
        for field, (low, high) in limits.items():
            value = getattr(self, field)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r:.40}")


class Signed(nn.Module):
    """A net that sees signed boards. A kind of net defines ``say``."""

    config: Any

    @property
    def rounds(self) -> bool:
        """Whether it still learns where a GPU multiplies in bfloat16."""
        return True

    def say(self, boards: Tensor) -> tuple[Tensor, Tensor | None]:
        """Boards [B, rows, columns] to a number for each cell [B, cells] and, if ``config.valued``, one [B] for all."""
        raise NotImplementedError

    def forward(self, boards: Tensor) -> Tensor:
        """Boards [B, rows, columns] to [B, cells], row by row, nothing squashed; those of stones mean nothing."""
        numbers, value = self.say(boards)
        return duel(numbers, value, boards) if self.config.dueling and value is not None else numbers

    def both(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [B, cells] and the value [B] for the side to move, in (-1, 1), of a ``policy_value`` net."""
        logits, value = self.say(boards)
        if value is None or self.config.head != "policy_value":
            raise ValueError(f"head must be policy_value for a net that is asked for both, not {self.config.head}")
        return logits, value.tanh()


def duel(gains: Tensor, value: Tensor, boards: Tensor) -> Tensor:
    """Q(s, a) = V(s) + A(s, a) - the mean of A(s, .) over the empty cells: gains [B, cells], values [B] to [B, cells].

    Wang et al. 2016, "Dueling Network Architectures for Deep Reinforcement Learning", equation (9), with the mean taken
    over the moves that there are.
    """
    empty = (boards == 0).flatten(1)
    mean = (gains * empty).sum(1) / empty.sum(1).clamp(min=1)
    return gains + (value - mean).unsqueeze(1)


def cube(rows: int, columns: int, like: Tensor) -> Tensor:
    """Cube coordinates of a board's cells, [3, rows, columns]: x down, the side to move's way, y across, z = -x - y.

    x and y run from -1 to 1 whatever the board's size. They have the device and type of ``like``.
    """
    x, y = (_line(side, like) for side in (rows, columns))
    x, y = x.view(-1, 1).expand(rows, columns), y.expand(rows, columns)
    return torch.stack((x, y, -x - y))


def _line(side: int, like: Tensor) -> Tensor:
    return torch.linspace(-1, 1, side, device=like.device, dtype=like.dtype) if side > 1 else like.new_zeros(1)


class Value(nn.Module):
    """A position's value from what a net has found of each cell: their mean, one hidden layer, a number."""

    def __init__(self, features: int) -> None:
        """Torch's own initial weights."""
        super().__init__()
        self.hidden = nn.Linear(features, features)
        self.out = nn.Linear(features, 1)

    def forward(self, x: Tensor) -> Tensor:
        """[B, cells, features] to [B]."""
        said: Tensor = self.out(torch.relu(self.hidden(x.mean(1)))).squeeze(1)
        return said
