"""What the residual net is made of: convolutions, normalisation over a mask, global pooling, residual blocks.

Blocks are made by their width. A nested block holds blocks of a smaller width between two 1x1 convolutions, after
KataGo's b18c384nbt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

OFF_BOARD = -1e4
"""The logit of what is in a mixed batch's frame but not on the board."""


class Convolution(nn.Conv2d):
    """A 3x3 convolution, over a cell's six neighbours only when ``hexagonal``."""

    def __init__(self, inputs: int, outputs: int, hexagonal: bool, padding: int = 1) -> None:
        """Make one with Kaiming's initial weights for a ReLU before it; without padding it takes a ring away."""
        super().__init__(inputs, outputs, 3, padding=padding, bias=False)
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
        """[B, inputs, H, W] to [B, outputs, H, W], or two rows and columns less without padding."""
        return F.conv2d(x, self.effective_weight(), padding=self.padding)


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
    """What part of the trunk's frame is board, and its ring where the trunk has one: the same for every layer."""

    mask: Tensor | None
    """[B, 1, H, W]: 1 on it; None when it fills the frame."""
    area: Tensor | None
    """[B, 1]: how many cells the mask has."""
    size: Tensor | float
    """[B, 1] or one for all: the square root of how many cells board and ring have, brought near 0."""

    @staticmethod
    def of(planes: Tensor, mask: Tensor | None, ring: bool = True) -> Extent:
        """The extent of a batch of planes [B, C, H, W] whose mask has the ring; the trunk may have none."""
        if mask is None:
            return Extent(None, None, (math.sqrt(planes.shape[2] * planes.shape[3]) - 13) / 10)
        size = (mask.float().sum((2, 3)).sqrt() - 13) / 10
        if not ring:
            mask = planes[:, 2:3, 1:-1, 1:-1]
        return Extent(mask, mask.float().sum((2, 3)), size)


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

    def __init__(self, channels: int, among: int, hexagonal: bool) -> None:
        """Make one of ``among`` blocks: its output is small beside its input, so that a deep net starts tame."""
        super().__init__()
        self.norm1 = Norm(channels)
        self.conv1 = Convolution(channels, channels, hexagonal)
        self.norm2 = Norm(channels)
        self.conv2 = Convolution(channels, channels, hexagonal)
        _shrink(self.conv2, among)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same."""
        inner = self.conv1(relu(self.norm1(x, extent.mask), extent))
        out: Tensor = x + self.conv2(relu(self.norm2(inner, extent.mask), extent))
        return out


class PoolingBlock(nn.Module):
    """A block of which ``pooled`` inner channels are pooled over the board and added, as a bias, to the others."""

    def __init__(self, channels: int, pooled: int, among: int, hexagonal: bool) -> None:
        """Make one of ``among`` blocks; the bias starts small."""
        super().__init__()
        regular = channels - pooled
        self.norm1 = Norm(channels)
        self.conv1 = Convolution(channels, channels, hexagonal)
        self.norm_pool = Norm(pooled)
        self.bias = linear(3 * pooled, regular, bias=False, gain=0.3)
        self.norm2 = Norm(regular)
        self.conv2 = Convolution(regular, channels, hexagonal)
        self.parts = [regular, pooled]
        _shrink(self.conv2, among)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same."""
        inner, pooled = self.conv1(relu(self.norm1(x, extent.mask), extent)).split(self.parts, 1)
        bias = self.bias(pool(relu(self.norm_pool(pooled, extent.mask), extent), extent))
        inner = inner + bias[:, :, None, None]
        out: Tensor = x + self.conv2(relu(self.norm2(inner, extent.mask), extent))
        return out


class NestedBlock(nn.Module):
    """x + convolution(relu(norm(blocks(convolution(relu(norm(x))))))): 1x1 to ``width``, two blocks there, 1x1 back."""

    def __init__(self, channels: int, width: int, pooled: int, among: int, hexagonal: bool) -> None:
        """Make one of ``among`` blocks; its second inner block pools ``pooled`` channels, if that is not 0."""
        super().__init__()
        self.norm1 = Norm(channels)
        self.conv1 = _point(channels, width)
        self.blocks = nn.ModuleList((Block(width, 2, hexagonal), block(width, pooled, 2, hexagonal)))
        self.norm2 = Norm(width)
        self.conv2 = _point(width, channels)
        _shrink(self.conv2, among)

    def forward(self, x: Tensor, extent: Extent) -> Tensor:
        """[B, channels, H, W] to the same."""
        inner = self.conv1(relu(self.norm1(x, extent.mask), extent))
        for each in self.blocks:
            inner = each(inner, extent)
        out: Tensor = x + self.conv2(relu(self.norm2(inner, extent.mask), extent))
        return out


def block(channels: int, pooled: int, among: int, hexagonal: bool) -> Block | PoolingBlock:
    """One of ``among`` blocks of two 3x3 convolutions, with ``pooled`` pooled channels if that is not 0."""
    return PoolingBlock(channels, pooled, among, hexagonal) if pooled else Block(channels, among, hexagonal)


def _point(inputs: int, outputs: int) -> nn.Conv2d:
    """A 1x1 convolution with Kaiming's initial weights for a ReLU before it."""
    layer = nn.Conv2d(inputs, outputs, 1, bias=False)
    nn.init.normal_(layer.weight, std=math.sqrt(2 / inputs))
    return layer


def linear(inputs: int, outputs: int, bias: bool, gain: float) -> nn.Linear:
    """A linear layer whose weights start with standard deviation ``gain`` / sqrt(inputs), its bias, if any, at 0."""
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(inputs))
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def _shrink(convolution: nn.Conv2d, blocks: int) -> None:
    with torch.no_grad():
        convolution.weight.mul_(1 / math.sqrt(blocks))
