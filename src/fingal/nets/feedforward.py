"""The feed-forward net of paper 003: dense layers from the board to the cells. It plays one board size."""

from __future__ import annotations

from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.signed_net import Kind, Signed


@dataclass(frozen=True)
class Config(Kind):
    """The shape of a feed-forward net."""

    size: int = 7
    """The board's side; the board is square."""
    hidden: tuple[int, ...] = (128, 128, 128)
    """The widths of the hidden layers, each followed by a ReLU."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        super().__post_init__()
        self.whole(size=(1, 19))
        hidden = self.hidden
        if type(hidden) is not tuple or not 1 <= len(hidden) <= 16:
            raise ValueError(f"hidden must be 1 to 16 widths, not {hidden!r:.40}")
        if not all(type(width) is int and 1 <= width <= 8192 for width in hidden):
            raise ValueError(f"hidden must be whole numbers from 1 to 8192, not {hidden!r:.40}")


PAPER = Config()
"""As the public code of the paper's authors has it on 7x7: 45,745 parameters."""
WIDE = Config(hidden=(256, 256))
"""As the paper's section II-C has it: 91,185 parameters."""
NARROW = Config(hidden=(128, 128))
"""As its section II-A has it: 29,233 parameters."""


class Feedforward(Signed):
    """Dense layers."""

    def __init__(self, config: Config = PAPER) -> None:
        """Torch's own initial weights."""
        super().__init__()
        self.config = config
        cells = config.size**2
        self.layers = nn.ModuleList(
            nn.Linear(inputs, width) for inputs, width in zip((cells, *config.hidden), config.hidden, strict=False)
        )
        self.out = nn.Linear(config.hidden[-1], cells)
        self.value = nn.Linear(config.hidden[-1], 1) if config.valued else None

    def say(self, boards: Tensor) -> tuple[Tensor, Tensor | None]:
        """Boards [B, size, size] to [B, cells], and [B] if the net has a value."""
        x = boards.flatten(1)
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.out(x), None if self.value is None else self.value(x).squeeze(1)
