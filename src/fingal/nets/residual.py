"""The residual net: one set of weights for every board size.

Pre-activation blocks with global pooling in every third one, after KataGo (Wu 2019, "Accelerating Self-Play Learning
in Go", 3.3), on planes that show the board in its ring. Normalisation has a shift but no scale of its own: a ReLU
passes a positive factor through, so the next convolution can hold it. That is also why ``folded`` can remove it from
the trained net completely. Blocks may be nested ones, after a later net of KataGo's, and one block of attention
may follow them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.attention import Attention
from fingal.nets.blocks import OFF_BOARD, Convolution, Extent, NestedBlock, Norm, block, linear, pool, relu
from fingal.nets.planes import PLANES


@dataclass(frozen=True)
class Config:
    """The shape of a residual net."""

    blocks: int = 6
    """Residual blocks, each of two 3x3 convolutions; of four where there is a bottleneck."""
    channels: int = 64
    """Channels of the trunk."""
    bottleneck: int = 0
    """Channels of the convolutions inside a block, between two of 1x1; 0 for the trunk's channels and no 1x1."""
    attention: int = 0
    """Heads of attention among all cells, in one block at the end of the trunk; 0 for none."""
    pool_every: int = 3
    """Every how many blocks one has global pooling; 0 for none."""
    pool_channels: int = 16
    """How many of a pooling block's channels are pooled rather than passed on."""
    hexagonal: bool = False
    """Whether 3x3 kernels are restricted to a cell and its six neighbours."""
    ring: bool = True
    """Whether the trunk keeps the ring around the board; else the first layer takes it away, which is faster."""
    policy_channels: int = 32
    """Channels of the policy head, and as many more that it pools."""
    value_channels: int = 32
    """Channels that the value head pools."""
    value_hidden: int = 64
    """Hidden units of the value head."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        limits = {
            "blocks": (1, 64),
            "channels": (4, 1024),
            "bottleneck": (4, self.channels),
            "attention": (0, 64),
            "pool_every": (0, 64),
            "pool_channels": (1, (self.bottleneck or self.channels) - 1),
            "policy_channels": (1, 1024),
            "value_channels": (1, 1024),
            "value_hidden": (1, 4096),
        }
        for field, (low, high) in limits.items():
            value = getattr(self, field)
            optional = field == "bottleneck"
            if type(value) is not int or not (low <= value <= high or (optional and value == 0)):
                known = f"{'0 or ' if optional else ''}a whole number from {low} to {high}"
                raise ValueError(f"{field} must be {known}, not {value!r:.40}")
        if self.attention and self.channels % self.attention:
            raise ValueError(f"attention must be 0 or a divisor of channels, {self.channels}, not {self.attention}")
        for field in ("hexagonal", "ring"):
            if type(getattr(self, field)) is not bool:
                raise ValueError(f"{field} must be true or false, not {getattr(self, field)!r:.40}")

    def pooled(self, block: int) -> int:
        """How many channels a block, counted from 0, pools: ``pool_channels`` in every ``pool_every``-th, else 0."""
        return self.pool_channels if self.pool_every > 0 and (block + 1) % self.pool_every == 0 else 0


SMALL = Config(blocks=10, ring=False)
"""For laptops: 10 blocks of 64 channels."""
LARGE = Config(blocks=10, channels=128, pool_channels=32, hexagonal=True)
"""For GPUs, and for patience: 10 blocks of 128 channels."""


class Output(NamedTuple):
    """What the net says of B positions in the canonical view, in a frame of N = rows * columns cells."""

    policy: Tensor
    """[B, N]: logits of the move; ``OFF_BOARD`` off the board. Occupied cells are not excluded."""
    value_logit: Tensor
    """[B]: the logit that the side to move wins; ``value`` makes it a number in [-1, 1]."""
    reply: Tensor
    """[B, N]: logits of the opponent's next move; ``OFF_BOARD`` off the board."""
    owner: Tensor
    """[B, N]: the logit that the cell holds the side to move's stone at the end; 0 off the board."""

    @property
    def value(self) -> Tensor:
        """[B]: in [-1, 1], from the side to move's view."""
        return torch.tanh(self.value_logit / 2)


class PolicyHead(nn.Module):
    """Logits of the move and of the opponent's reply."""

    def __init__(self, config: Config) -> None:
        """Make one whose policy is nearly uniform."""
        super().__init__()
        channels = config.policy_channels
        self.conv = nn.Conv2d(config.channels, channels, 1, bias=False)
        self.conv_pool = nn.Conv2d(config.channels, channels, 1, bias=False)
        self.norm_pool = Norm(channels)
        self.bias = linear(3 * channels, channels, bias=False, gain=0.3)
        self.norm = Norm(channels)
        self.out = nn.Conv2d(channels, 2, 1, bias=False)
        nn.init.normal_(self.out.weight, std=0.1 / math.sqrt(channels))

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to [B, 2, H, W]: the move, the reply."""
        bias = self.bias(pool(relu(self.norm_pool(self.conv_pool(x), extent.mask), extent), extent))
        inner: Tensor = self.conv(x) + bias[:, :, None, None]
        out: Tensor = self.out(relu(self.norm(inner, extent.mask), extent))
        return out


class ValueHead(nn.Module):
    """The logit of winning, and of each cell's owner at the end."""

    def __init__(self, config: Config) -> None:
        """Make one that knows nothing: values near 0."""
        super().__init__()
        channels = config.value_channels
        self.conv = nn.Conv2d(config.channels, channels, 1, bias=False)
        self.norm = Norm(channels)
        self.hidden = linear(3 * channels, config.value_hidden, bias=True, gain=1)
        self.out = linear(config.value_hidden, 1, bias=True, gain=0.1)
        self.cells = nn.Conv2d(channels, 1, 1)
        nn.init.normal_(self.cells.weight, std=0.1 / math.sqrt(channels))
        assert self.cells.bias is not None
        nn.init.zeros_(self.cells.bias)

    def forward(self, x: Tensor, extent: Extent) -> tuple[Tensor, Tensor]:
        """[B, channels, H, W] to the logit [B] and [B, 1, H, W]: the owner."""
        inner = relu(self.norm(self.conv(x), extent.mask), extent)
        logit: Tensor = self.out(F.relu(self.hidden(pool(inner, extent))))
        return logit.squeeze(1), self.cells(inner)


class Residual(nn.Module):
    """The net. Planes are those of ``fingal.nets.planes``."""

    def __init__(self, config: Config = SMALL) -> None:
        """Make an untrained net; ``torch.manual_seed`` decides which."""
        super().__init__()
        self.config = config
        self.stem = Convolution(PLANES, config.channels, config.hexagonal, padding=int(config.ring))
        self.blocks = nn.ModuleList(
            NestedBlock(config.channels, config.bottleneck, config.pooled(i), config.blocks, config.hexagonal)
            if config.bottleneck
            else block(config.channels, config.pooled(i), config.blocks, config.hexagonal)
            for i in range(config.blocks)
        )
        if config.attention:
            self.blocks.append(Attention(config.channels, config.attention))
        self.norm = Norm(config.channels)
        self.policy_head = PolicyHead(config)
        self.value_head = ValueHead(config)

    def forward(self, planes: Tensor, mask: Tensor | None = None) -> Output:
        """Judge B positions in the canonical view.

        ``planes`` is [B, 5, rows + 2, columns + 2]; ``mask`` is [B, 1, rows + 2, columns + 2] with 1 on each board
        and its ring when boards are smaller than the frame, and None when they all fill it, which is faster.
        """
        extent = Extent.of(planes, mask, self.config.ring)
        x = self.stem(planes)
        for each in self.blocks:
            x = each(x, extent)
        x = relu(self.norm(x, extent.mask), extent)
        moves = self.policy_head(x, extent)
        value_logit, owner = self.value_head(x, extent)
        if self.config.ring:
            moves, owner = moves[:, :, 1:-1, 1:-1], owner[:, :, 1:-1, 1:-1]
        moves, owner = moves.flatten(2), owner[:, 0].flatten(1)
        if mask is not None:
            on_board = planes[:, 2, 1:-1, 1:-1].flatten(1) > 0
            moves = torch.where(on_board.unsqueeze(1), moves, OFF_BOARD)
            owner = torch.where(on_board, owner, 0.0)
        return Output(moves[:, 0], value_logit, moves[:, 1], owner)
