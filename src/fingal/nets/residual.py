"""The residual net: one set of weights for every board size.

Pre-activation blocks with global pooling in every third one, after KataGo (Wu 2019, "Accelerating Self-Play Learning
in Go", 3.3), on planes that show the board in its ring. Normalisation has a shift but no scale of its own: a ReLU
passes a positive factor through, so the next convolution can hold it. That is also why ``folded`` can remove it from
the trained net completely.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.planes import PLANES

OFF_BOARD = -1e4
"""The policy's logit of cells that are in a mixed batch's frame but not on the board."""


@dataclass(frozen=True)
class Config:
    """The shape of a residual net."""

    blocks: int = 6
    """Residual blocks, each of two 3x3 convolutions."""
    channels: int = 64
    """Channels of the trunk."""
    pool_every: int = 3
    """Every how many blocks one has global pooling; 0 for none."""
    pool_channels: int = 16
    """How many of a pooling block's channels are pooled rather than passed on."""
    hexagonal: bool = False
    """Whether 3x3 kernels are restricted to a cell and its six neighbours."""
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
            "pool_every": (0, 64),
            "pool_channels": (1, self.channels - 1),
            "policy_channels": (1, 1024),
            "value_channels": (1, 1024),
            "value_hidden": (1, 4096),
        }
        for field, (low, high) in limits.items():
            value = getattr(self, field)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r:.40}")
        if type(self.hexagonal) is not bool:
            raise ValueError(f"hexagonal must be true or false, not {self.hexagonal!r:.40}")

    def has_pooling(self, block: int) -> bool:
        """Whether a block, counted from 0, has global pooling."""
        return self.pool_every > 0 and (block + 1) % self.pool_every == 0


SMALL = Config()
"""For laptops: 6 blocks of 64 channels."""
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


class Convolution(nn.Conv2d):
    """A 3x3 convolution, over a cell's six neighbours only when ``hexagonal``."""

    def __init__(self, inputs: int, outputs: int, hexagonal: bool) -> None:
        """Make one with Kaiming's initial weights for a ReLU before it."""
        super().__init__(inputs, outputs, 3, padding=1, bias=False)
        kernel = torch.ones(3, 3)
        if hexagonal:
            # Cell (r, c) touches neither (r - 1, c - 1) nor (r + 1, c + 1).
            kernel[0, 0] = kernel[2, 2] = 0
        self.register_buffer("kernel", kernel, persistent=False)
        self.kernel: Tensor
        self.hexagonal = hexagonal
        with torch.no_grad():
            nn.init.normal_(self.weight, std=math.sqrt(2 / (inputs * (7 if hexagonal else 9))))
            self.weight.mul_(kernel)

    def effective_weight(self) -> Tensor:
        """The weight that is used: [outputs, inputs, 3, 3]."""
        return self.weight * self.kernel if self.hexagonal else self.weight

    def forward(self, x: Tensor) -> Tensor:
        """[B, inputs, H, W] to [B, outputs, H, W]."""
        return F.conv2d(x, self.effective_weight(), padding=1)


class Norm(nn.Module):
    """Batch normalisation with a shift and no scale, its statistics taken over the mask's cells alone.

    In training mode it normalises by the batch and follows its statistics; in evaluation mode it uses those.
    """

    EPSILON = 1e-4
    MOMENTUM = 0.05
    summed: Callable[[Tensor], Tensor] = staticmethod(lambda tensor: tensor)
    """Gives the sum over all processes that share a batch: of one, unless somebody says otherwise."""

    def __init__(self, channels: int) -> None:
        """Start from mean 0 and variance 1."""
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(channels))
        # Constant; it is there because the fast kernels insist on a scale.
        self.register_buffer("scale", torch.ones(channels), persistent=False)
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))
        self.scale: Tensor
        self.mean: Tensor
        self.variance: Tensor

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Normalise [B, C, H, W]. What it gives outside the mask is not 0: the caller multiplies after the ReLU."""
        if mask is None or not self.training:
            return F.batch_norm(
                x, self.mean, self.variance, self.scale, self.shift, self.training, self.MOMENTUM, self.EPSILON
            )
        with torch.autocast(x.device.type, enabled=False):
            wide, mask = x.float(), mask.float()
            count = self.summed(mask.sum())
            mean = self.summed((wide * mask).sum((0, 2, 3))) / count
            centred = wide - mean.view(1, -1, 1, 1)
            variance = self.summed((centred.square() * mask).sum((0, 2, 3))) / count
            with torch.no_grad():
                self.mean.lerp_(mean, self.MOMENTUM)
                self.variance.lerp_(variance * (count / (count - 1).clamp(min=1)), self.MOMENTUM)
            scale = (variance + self.EPSILON).rsqrt().view(1, -1, 1, 1)
            return (centred * scale + self.shift.view(1, -1, 1, 1)).to(x.dtype)

    def factors(self) -> tuple[Tensor, Tensor]:
        """``scale`` and ``offset`` [C] such that, in evaluation mode, relu(norm(x)) = scale * relu(x + offset)."""
        deviation = (self.variance + self.EPSILON).sqrt()
        return 1 / deviation, self.shift * deviation - self.mean


class Extent(NamedTuple):
    """What part of the frame is board and ring, the same for every layer."""

    mask: Tensor | None
    """[B, 1, H, W]: 1 on the board and its ring; None when they fill the frame."""
    area: Tensor | None
    """[B, 1]: how many cells the mask has."""
    size: Tensor | float
    """[B, 1] or one for all: the square root of the area, brought near 0."""

    @staticmethod
    def of(planes: Tensor, mask: Tensor | None) -> Extent:
        """The extent of a batch of planes [B, C, H, W]."""
        if mask is None:
            return Extent(None, None, (math.sqrt(planes.shape[2] * planes.shape[3]) - 13) / 10)
        area = mask.float().sum((2, 3))
        return Extent(mask, area, (area.sqrt() - 13) / 10)


def relu(x: Tensor, extent: Extent) -> Tensor:
    """ReLU, and 0 outside the extent."""
    x = F.relu(x)
    return x if extent.mask is None else x * extent.mask.to(x.dtype)


# Not compiled: compiled in 16 bits, its gradient was NaN (torch 2.11 on CUDA, 2.13 on the CPU).
@torch.compiler.disable  # type: ignore[untyped-decorator]
def pool(x: Tensor, extent: Extent) -> Tensor:
    """Global pooling [B, C, H, W] to [B, 3C]: the mean, the mean times the board's size, the maximum.

    ``x`` comes from ``relu``: it is 0 outside the extent and nowhere negative, so the maximum needs no mask.
    """
    mean = x.mean((2, 3)) if extent.area is None else (x.sum((2, 3)) / extent.area).to(x.dtype)
    size = extent.size if isinstance(extent.size, float) else extent.size.to(x.dtype)
    return torch.cat((mean, mean * size, x.amax((2, 3))), 1)


class Block(nn.Module):
    """x + convolution(relu(norm(convolution(relu(norm(x))))))."""

    def __init__(self, config: Config) -> None:
        """Make one whose output is small beside its input, so that a deep net starts tame."""
        super().__init__()
        self.norm1 = Norm(config.channels)
        self.conv1 = Convolution(config.channels, config.channels, config.hexagonal)
        self.norm2 = Norm(config.channels)
        self.conv2 = Convolution(config.channels, config.channels, config.hexagonal)
        _shrink(self.conv2, config.blocks)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same."""
        inner = self.conv1(relu(self.norm1(x, extent.mask), extent))
        out: Tensor = x + self.conv2(relu(self.norm2(inner, extent.mask), extent))
        return out


class PoolingBlock(nn.Module):
    """A block of which some inner channels are pooled over the board and added, as a bias, to the others."""

    def __init__(self, config: Config) -> None:
        """Make one; the bias starts small."""
        super().__init__()
        regular = config.channels - config.pool_channels
        self.norm1 = Norm(config.channels)
        self.conv1 = Convolution(config.channels, config.channels, config.hexagonal)
        self.norm_pool = Norm(config.pool_channels)
        self.bias = _linear(3 * config.pool_channels, regular, bias=False, gain=0.3)
        self.norm2 = Norm(regular)
        self.conv2 = Convolution(regular, config.channels, config.hexagonal)
        self.parts = [regular, config.pool_channels]
        _shrink(self.conv2, config.blocks)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same."""
        inner, pooled = self.conv1(relu(self.norm1(x, extent.mask), extent)).split(self.parts, 1)
        bias = self.bias(pool(relu(self.norm_pool(pooled, extent.mask), extent), extent))
        inner = inner + bias[:, :, None, None]
        out: Tensor = x + self.conv2(relu(self.norm2(inner, extent.mask), extent))
        return out


class PolicyHead(nn.Module):
    """Logits of the move and of the opponent's reply."""

    def __init__(self, config: Config) -> None:
        """Make one whose policy is nearly uniform."""
        super().__init__()
        channels = config.policy_channels
        self.conv = nn.Conv2d(config.channels, channels, 1, bias=False)
        self.conv_pool = nn.Conv2d(config.channels, channels, 1, bias=False)
        self.norm_pool = Norm(channels)
        self.bias = _linear(3 * channels, channels, bias=False, gain=0.3)
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
        self.hidden = _linear(3 * channels, config.value_hidden, bias=True, gain=1)
        self.out = _linear(config.value_hidden, 1, bias=True, gain=0.1)
        self.cells = nn.Conv2d(channels, 1, 1)
        nn.init.normal_(self.cells.weight, std=0.1 / math.sqrt(channels))
        nn.init.zeros_(_bias(self.cells))

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
        self.stem = Convolution(PLANES, config.channels, config.hexagonal)
        self.blocks = nn.ModuleList(
            PoolingBlock(config) if config.has_pooling(block) else Block(config) for block in range(config.blocks)
        )
        self.norm = Norm(config.channels)
        self.policy_head = PolicyHead(config)
        self.value_head = ValueHead(config)

    def forward(self, planes: Tensor, mask: Tensor | None = None) -> Output:
        """Judge B positions in the canonical view.

        ``planes`` is [B, 5, rows + 2, columns + 2]; ``mask`` is [B, 1, rows + 2, columns + 2] with 1 on each board
        and its ring when boards are smaller than the frame, and None when they all fill it, which is faster.
        """
        extent = Extent.of(planes, mask)
        x = self.stem(planes)
        for block in self.blocks:
            x = block(x, extent)
        x = relu(self.norm(x, mask), extent)
        moves = self.policy_head(x, extent)
        value_logit, owner = self.value_head(x, extent)
        moves, owner = moves[:, :, 1:-1, 1:-1].flatten(2), owner[:, 0, 1:-1, 1:-1].flatten(1)
        if mask is not None:
            on_board = planes[:, 2, 1:-1, 1:-1].flatten(1) > 0
            moves = torch.where(on_board.unsqueeze(1), moves, OFF_BOARD)
            owner = torch.where(on_board, owner, 0.0)
        return Output(moves[:, 0], value_logit, moves[:, 1], owner)


def _linear(inputs: int, outputs: int, bias: bool, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(inputs))
    if bias:
        nn.init.zeros_(_bias(layer))
    return layer


def _bias(layer: nn.Linear | nn.Conv2d) -> Tensor:
    assert layer.bias is not None
    return layer.bias


def _shrink(convolution: Convolution, blocks: int) -> None:
    with torch.no_grad():
        convolution.weight.mul_(1 / math.sqrt(blocks))
