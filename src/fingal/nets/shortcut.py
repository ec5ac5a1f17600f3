"""The convolutional nets of paper 003: 5x5 kernels, and the first layer's sum added after each. They play any board.

    x_0 = kernel 3x3 of the board, with no activation
    x_i = relu(kernel 5x5 of x_{i-1}) + x_0,   i = 1 .. blocks
    what is said of a cell = kernel 3x3 of x_blocks

The kernels see zeros beyond the board. With three blocks a cell's number depends on what is up to eight cells away.

``cube`` shows three more planes, the cells' coordinates. ``edges`` shows the first kernel a ring of stones around the
board instead of zeros, the side to move's above and below it and the opponent's at its sides. The paper has no such
ring: its net has to find out whose sides are whose from nothing but the way they lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.signed_net import Kind, Signed, Value, cube


@dataclass(frozen=True)
class Config(Kind):
    """The shape of a convolutional net with shortcuts."""

    channels: int = 128
    """Filters of each layer."""
    blocks: int = 3
    """Layers of 5x5 kernels."""
    cube: bool = False
    """Whether the net sees the cells' cube coordinates."""
    edges: bool = False
    """Whether it sees a ring of stones around the board."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        super().__post_init__()
        self.whole(channels=(1, 1024), blocks=(1, 64))
        for field in ("cube", "edges"):
            if type(getattr(self, field)) is not bool:
                raise ValueError(f"{field} must be true or false, not {getattr(self, field)!r:.40}")


PAPER = Config()
"""The paper's Convolutional: 1,231,617 parameters."""
CUBE = Config(cube=True)
"""The paper's Convolutional+: 1,235,073 parameters."""


class Shortcut(Signed):
    """Kernels, and a way past them."""

    def __init__(self, config: Config = PAPER) -> None:
        """Torch's own initial weights."""
        super().__init__()
        self.config = config
        channels = config.channels
        self.stem = nn.Conv2d(4 if config.cube else 1, channels, 3)
        self.layers = nn.ModuleList(nn.Conv2d(channels, channels, 5, padding=2) for _ in range(config.blocks))
        self.out = nn.Conv2d(channels, 1, 3, padding=1)
        self.value = Value(channels) if config.valued else None

    def say(self, boards: Tensor) -> tuple[Tensor, Tensor | None]:
        """Boards [B, rows, columns] to [B, cells], and [B] if the net has a value."""
        first: Tensor = self.stem(self._planes(boards))
        x = first
        for layer in self.layers:
            x = F.relu(layer(x)) + first
        numbers: Tensor = self.out(x).flatten(1)
        return numbers, None if self.value is None else self.value(x.flatten(2).mT)

    def _planes(self, boards: Tensor) -> Tensor:
        """What the first kernel sees, [B, planes, rows + 2, columns + 2]."""
        count, rows, columns = boards.shape
        seen = F.pad(boards, (1, 1, 1, 1)).unsqueeze(1)
        if self.config.edges:
            seen = seen + ring(rows, columns, boards)
        if self.config.cube:
            where = F.pad(cube(rows, columns, boards), (1, 1, 1, 1))
            seen = torch.cat((seen, where.expand(count, -1, -1, -1)), 1)
        return seen


def ring(rows: int, columns: int, like: Tensor) -> Tensor:
    """Stones around a board, [rows + 2, columns + 2]: 1 above and below, -1 at the sides, 0 in the corners."""
    empty = like.new_zeros(rows, columns)
    own = F.pad(F.pad(empty, (0, 0, 1, 1), value=1.0), (1, 1, 0, 0))
    other = F.pad(F.pad(empty, (1, 1, 0, 0), value=-1.0), (0, 0, 1, 1))
    return own + other
