"""The narrowing net: kernels without padding shrink the board to a point, and two dense layers give its value.

The architecture of EZO-CNN, on the planes of ``triangles``. Kernels of 3x3 take two rows and columns away each until
one or two are left; a kernel of 2x2 takes the last. So a net plays one board size only.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.triangles import ENCODER, PLANES


@dataclass(frozen=True)
class Config:
    """The shape of a narrowing net."""

    size: int = 11
    """The board's side; the board is square."""
    channels: int = 128
    """Filters of each layer."""
    dense: int = 168
    """Numbers between the last filters and the value."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        for field, low, high in (("size", 2, 19), ("channels", 1, 1024), ("dense", 1, 4096)):
            value = getattr(self, field)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r:.40}")

    @property
    def kernels(self) -> tuple[int, ...]:
        """The layers' kernels: (3, 3, 3, 3, 3, 2) on 11x11."""
        left, found = self.size + 1, []
        while left > 1:
            found.append(3 if left > 2 else 2)
            left -= found[-1] - 1
        return tuple(found)

    @property
    def encoder(self) -> str:
        """The planes that it sees, as a card names them."""
        return ENCODER

    @property
    def head(self) -> str:
        """What it says."""
        return "value"


class Narrowing(nn.Module):
    """The value of a position, as a logit of the chance that the side to move wins."""

    def __init__(self, config: Config) -> None:
        """He's normal weights; biases 0."""
        super().__init__()
        self.config = config
        inputs = [PLANES, *(config.channels for _ in config.kernels)]
        self.layers = nn.ModuleList(
            nn.Conv2d(count, config.channels, kernel) for count, kernel in zip(inputs, config.kernels, strict=False)
        )
        self.dense = nn.Linear(config.channels, config.dense)
        self.value = nn.Linear(config.dense, 1)
        for module in (*self.layers, self.dense, self.value):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            nn.init.zeros_(module.bias)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes [B, 27, size + 1, size + 1] to [B]."""
        x = planes
        for layer in self.layers:
            x = F.relu(layer(x))
        said: Tensor = self.value(F.relu(self.dense(x.flatten(1)))).squeeze(1)
        return said

    @torch.inference_mode()
    def chance(self, planes: Tensor) -> Tensor:
        """How likely the side to move wins, [B], from 0 to 1."""
        return torch.sigmoid(self(planes))
