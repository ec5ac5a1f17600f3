"""The convolutional net: square kernels and nothing that depends on the board's size. One set of weights plays all.

The architecture of paper 002, on the planes of ``bridges``. The first layer takes the ring of border stones away; the
others keep the board's size and see zeros beyond it. A kernel of one cell gives each cell its logit. It has no bias:
one that all cells share would cancel in the softmax.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.bridges import ENCODER, PLANES, VIEW


@dataclass(frozen=True)
class Config:
    """The shape of a convolutional net."""

    layers: int = 6
    """Layers of 3x3 kernels, each followed by a ReLU."""
    channels: int = 128
    """Filters of each layer."""
    values: bool = False
    """Whether a second head gives each move's value, for learners that have a critic."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        for field, low, high in (("layers", 1, 64), ("channels", 1, 1024)):
            value = getattr(self, field)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r:.40}")
        if type(self.values) is not bool:
            raise ValueError(f"values must be true or false, not {self.values!r:.40}")

    @property
    def encoder(self) -> str:
        """The planes that it sees, as a card names them."""
        return ENCODER

    @property
    def view(self) -> str:
        """Whose view they give."""
        return VIEW

    @property
    def head(self) -> str:
        """What it says."""
        return "policy"


PAPER = Config()
"""Paper 002's net as the public code of its first author has it: 752,000 parameters."""
SMALL = Config(layers=4, channels=32)
"""One for small boards and a CPU: 31,264 parameters."""


class Convolutional(nn.Module):
    """Logits of the moves, and their values where the config says so."""

    def __init__(self, config: Config = PAPER) -> None:
        """Normal weights of variance 2 / (9 * channels); biases 0."""
        super().__init__()
        self.config = config
        inputs = [PLANES, *(config.channels for _ in range(config.layers - 1))]
        self.layers = nn.ModuleList(
            nn.Conv2d(count, config.channels, 3, padding=min(index, 1)) for index, count in enumerate(inputs)
        )
        self.policy = nn.Conv2d(config.channels, 1, 1, bias=False)
        self.value = nn.Conv2d(config.channels, 1, 1) if config.values else None
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.normal_(module.weight, std=math.sqrt(2 / (9 * config.channels)))
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes [B, 12, height + 2, width + 2] to logits [B, cells], row by row; those of stones mean nothing.

        The layers may be in 16 bits and the head in 32: logits of good moves are often nearly the same.
        """
        logits: Tensor = self.policy(self._trunk(planes).to(self.policy.weight.dtype)).flatten(1)
        return logits

    def both(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [B, cells] and, in (-1, 1) for the side to move, what playing each cell is worth [B, cells]."""
        if self.value is None:
            raise ValueError("values must be true for a net that is asked for the moves' values")
        x = self._trunk(planes)
        return self.policy(x).flatten(1), self.value(x).flatten(1).tanh()

    def _trunk(self, planes: Tensor) -> Tensor:
        x = planes
        for layer in self.layers:
            x = F.relu(layer(x))
        return x
