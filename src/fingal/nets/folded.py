"""A trained residual net with its normalisation folded away: convolutions, ReLUs, sums and attention, nothing else.

In evaluation mode relu(norm(x)) = s * relu(x + o) with s > 0. The factors s go into the next layer's weights; the
offsets o go into the bias of the layer before. On the trunk, which has no layer before it but a sum, the folded net
carries x + o instead of x, and each block's last bias holds the step from one offset to the next. The blocks inside a
nested block have such a trunk of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.attention import REACH, Attention, attend, nearness
from fingal.nets.blocks import Block, NestedBlock, Norm, PoolingBlock
from fingal.nets.planes import PLANES
from fingal.nets.residual import Config, Residual


class FoldedOutput(NamedTuple):
    """What a search needs of B positions in the canonical view, on boards of rows x columns."""

    policy: Tensor
    """[B, rows * columns]: logits of the move. Occupied cells are not excluded."""
    value: Tensor
    """[B]: in [-1, 1], from the side to move's view."""


class FoldedBlock(nn.Module):
    """x + convolution(relu(convolution(relu(x)))), with pooled channels if ``pooled`` is not 0."""

    def __init__(self, channels: int, pooled: int) -> None:
        """Make one with no particular weights."""
        super().__init__()
        regular = channels - pooled
        self.conv1 = nn.Conv2d(channels, regular, 3, padding=1)
        self.conv_pool = nn.Conv2d(channels, pooled, 3, padding=1) if pooled else None
        self.bias = nn.Linear(3 * pooled, regular, bias=False) if pooled else None
        self.conv2 = nn.Conv2d(regular, channels, 3, padding=1)

    def forward(self, x: Tensor, size: Tensor | float) -> Tensor:
        """[B, channels, H, W] to the same; ``size`` as for ``pool``."""
        active = F.relu(x)
        inner: Tensor = self.conv1(active)
        if self.conv_pool is not None and self.bias is not None:
            inner = inner + self.bias(pool(F.relu(self.conv_pool(active)), size))[:, :, None, None]
        out: Tensor = x + self.conv2(F.relu(inner))
        return out


class FoldedNested(nn.Module):
    """x + convolution(relu(blocks(convolution(relu(x))))): 1x1 to ``width``, two blocks there, 1x1 back."""

    def __init__(self, channels: int, width: int, pooled: int) -> None:
        """Make one with no particular weights; ``pooled`` is for the second inner block."""
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1)
        self.blocks = nn.ModuleList((FoldedBlock(width, 0), FoldedBlock(width, pooled)))
        self.conv2 = nn.Conv2d(width, channels, 1)

    def forward(self, x: Tensor, size: Tensor | float) -> Tensor:
        """[B, channels, H, W] to the same; ``size`` as for ``pool``."""
        inner = self.conv1(F.relu(x))
        for block in self.blocks:
            inner = block(inner, size)
        out: Tensor = x + self.conv2(F.relu(inner))
        return out


class FoldedAttention(nn.Module):
    """x + convolution(attention among the cells of x)."""

    def __init__(self, channels: int, heads: int) -> None:
        """Make one with no particular weights."""
        super().__init__()
        self.parts = nn.Conv2d(channels, 3 * channels, 1, bias=False)
        self.near = nn.Parameter(nearness(heads, REACH))
        self.mixed = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor, size: Tensor | float) -> Tensor:
        """[B, channels, H, W] to the same, whatever the size."""
        out: Tensor = x + self.mixed(attend(self.parts(x), self.near))
        return out


class Folded(nn.Module):
    """The net for inference: boards of one size, policy and value only."""

    def __init__(self, config: Config) -> None:
        """Make one with no particular weights: ``fold`` fills them in."""
        super().__init__()
        self.config = config
        channels, policy = config.channels, config.policy_channels
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=int(config.ring))
        self.blocks = nn.ModuleList(
            FoldedNested(channels, config.bottleneck, config.pooled(block))
            if config.bottleneck
            else FoldedBlock(channels, config.pooled(block))
            for block in range(config.blocks)
        )
        if config.attention:
            self.blocks.append(FoldedAttention(channels, config.attention))
        self.policy_conv = nn.Conv2d(channels, policy, 1)
        self.policy_pool = nn.Conv2d(channels, policy, 1)
        self.policy_bias = nn.Linear(3 * policy, policy, bias=False)
        self.policy_out = nn.Conv2d(policy, 1, 1, bias=False)
        self.value_conv = nn.Conv2d(channels, config.value_channels, 1)
        self.value_hidden = nn.Linear(3 * config.value_channels, config.value_hidden)
        self.value_out = nn.Linear(config.value_hidden, 1)

    def forward(self, planes: Tensor) -> FoldedOutput:
        """Judge planes [B, 5, rows + 2, columns + 2]."""
        size = (math.sqrt(planes.shape[2] * planes.shape[3]) - 13) / 10
        x = self.stem(planes)
        for block in self.blocks:
            x = block(x, size)
        x = F.relu(x)
        bias = self.policy_bias(pool(F.relu(self.policy_pool(x)), size))
        policy = self.policy_out(F.relu(self.policy_conv(x) + bias[:, :, None, None]))
        hidden = F.relu(self.value_hidden(pool(F.relu(self.value_conv(x)), size)))
        value = torch.tanh(self.value_out(hidden).squeeze(1) / 2)
        inside = policy[:, 0, 1:-1, 1:-1] if self.config.ring else policy[:, 0]
        return FoldedOutput(inside.flatten(1), value)


def pool(x: Tensor, size: Tensor | float) -> Tensor:
    """Global pooling as in ``residual.pool``, boards of one size: [B, C, H, W] to [B, 3C]."""
    mean = x.mean((2, 3))
    return torch.cat((mean, mean * size, x.amax((2, 3))), 1)


@torch.no_grad()
def fold(net: Residual) -> Folded:
    """The net, as it is in evaluation mode, folded: float32, on the net's device."""
    folded = Folded(net.config).to(net.norm.shift.device)
    entry = _fold_trunk(net.blocks, folded.blocks, net.norm)
    _fill(folded.stem, net.stem.effective_weight(), bias=entry)
    trunk = _over_inputs(net.norm.factors()[0])
    policy, value = net.policy_head, net.value_head
    _fill(folded.policy_conv, policy.conv.weight * trunk, bias=policy.norm.factors()[1])
    _fill(folded.policy_pool, policy.conv_pool.weight * trunk, bias=policy.norm_pool.factors()[1])
    _fill(folded.policy_bias, policy.bias.weight * _over_pools(policy.norm_pool))
    _fill(folded.policy_out, policy.out.weight[:1] * _over_inputs(policy.norm.factors()[0]))
    _fill(folded.value_conv, value.conv.weight * trunk, bias=value.norm.factors()[1])
    _fill(folded.value_hidden, value.hidden.weight * _over_pools(value.norm), bias=value.hidden.bias)
    _fill(folded.value_out, value.out.weight, bias=value.out.bias)
    return folded.eval().requires_grad_(False)


def _fold_trunk(blocks: Iterable[nn.Module], targets: Iterable[nn.Module], last: Norm) -> Tensor:
    """Fold blocks that add to one trunk, up to the norm at its end; gives the offset [C] that it must come in with."""
    found = [block for block in blocks if isinstance(block, (Block, PoolingBlock, NestedBlock, Attention))]
    offsets = [norm.factors()[1] for norm in (*(block.norm1 for block in found), last)]
    for block, target, (here, there) in zip(found, targets, pairwise(offsets), strict=True):
        _fold_block(block, target, there - here)
    return offsets[0]


def _fold_block(block: Block | PoolingBlock | NestedBlock | Attention, target: nn.Module, step: Tensor) -> None:
    """Fold one block; ``step`` [C] is what it adds to the trunk's offset."""
    scale = _over_inputs(block.norm1.factors()[0])
    if isinstance(block, Attention):
        assert isinstance(target, FoldedAttention)
        # There is no ReLU, and norm(x) = s * (x + o) all the same.
        _fill(target.parts, block.parts.weight * scale)
        _fill(target.mixed, block.mixed.weight, bias=step)
        target.near.copy_(block.near)
        return
    inner, offset = block.norm2.factors()
    if isinstance(block, NestedBlock):
        assert isinstance(target, FoldedNested)
        _fill(target.conv1, block.conv1.weight * scale, bias=_fold_trunk(block.blocks, target.blocks, block.norm2))
        _fill(target.conv2, block.conv2.weight * _over_inputs(inner), bias=step)
        return
    assert isinstance(target, FoldedBlock)
    weight1, regular = block.conv1.effective_weight() * scale, len(inner)
    _fill(target.conv1, weight1[:regular], bias=offset)
    _fill(target.conv2, block.conv2.effective_weight() * _over_inputs(inner), bias=step)
    if isinstance(block, PoolingBlock):
        assert target.conv_pool is not None
        assert target.bias is not None
        _fill(target.conv_pool, weight1[regular:], bias=block.norm_pool.factors()[1])
        _fill(target.bias, block.bias.weight * _over_pools(block.norm_pool))


def _fill(layer: nn.Conv2d | nn.Linear, weight: Tensor, bias: Tensor | None = None) -> None:
    layer.weight.copy_(weight)
    if bias is not None:
        assert layer.bias is not None
        layer.bias.copy_(bias)


def _over_inputs(scale: Tensor) -> Tensor:
    """A factor per input channel, shaped for a convolution's weight."""
    return scale.view(1, -1, 1, 1)


def _over_pools(norm: Norm) -> Tensor:
    """A factor per pooled number, shaped for a linear layer's weight: pooling passes a positive factor through."""
    return norm.factors()[0].repeat(3).view(1, -1)
