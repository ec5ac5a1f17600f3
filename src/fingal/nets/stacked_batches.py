"""Batches for many hexagonal nets of one shape at once: values of B positions each, and gradients, without autograd.

The positions stand innermost, [R, channels, n, B] with n = side * side, so that what a layer's filters see is made of
whole rows of B numbers and nothing has to be transposed between layers. Parameters are as a ``Stack`` has them.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets.hexagonal import activate, inside
from fingal.nets.stacked import Matrices, Stack, column_index


class Forward(NamedTuple):
    """What a forward pass leaves for the backward one."""

    columns: list[Tensor]
    """What each layer's filters see, [R, inputs * taps, n * B]; overwritten by the next pass of the same shape."""
    sums: list[Tensor]
    """Each layer's output before the activation, [R, filters, n * B]."""
    features: Tensor
    """What the dense layer sees, [R, filters * n, B]."""
    outputs: Tensor
    """What the nets say before the squash, [R, cells, B]."""


class Batches:
    """Forward and backward passes of a stack's nets on batches."""

    def __init__(self, stack: Stack) -> None:
        """For nets of the stack's shape."""
        self.stack, self.config = stack, stack.config
        self.points = stack.points
        self._rows = {d: column_index(stack.side, d) for d in set(stack.diameters) if d > 1}
        self._board = inside(self.config).view(-1, 1) if self.config.border == "zero" else None
        self._free = torch.zeros(stack.width).index_fill_(0, stack.free, 1.0)
        # Large arrays that are made anew in every pass cost more than what is done with them.
        self._kept: dict[tuple[str, int, tuple[int, ...]], Tensor] = {}

    def innermost(self, planes: Tensor) -> Tensor:
        """Planes [R, B, 6, side, side], or flat ones, as the passes take them: [R, 6, n, B]."""
        return planes.reshape(*planes.shape[:2], -1).transpose(1, 2).unflatten(1, (-1, self.points)).contiguous()  # type: ignore[no-untyped-call, no-any-return]

    def look(self, planes: Tensor, name: str = "") -> Tensor:
        """What the first layers see of R nets' own positions [R, 6, n, B]: [R, 6 * taps, n * B].

        It is overwritten when planes of the same shape are looked at under the same name.
        """
        return self._columns(planes, 0, f"look {name}")

    def forward(self, stacked: Tensor, look: Tensor) -> Forward:
        """Run R nets [R, width] on what their first layers see."""
        net = self.stack.matrices(stacked)
        batch = look.shape[2] // self.points
        columns: list[Tensor] = []
        sums: list[Tensor] = []
        x = look
        for layer, (kernel, bias) in enumerate(zip(net.kernels, net.biases, strict=True)):
            columns.append(self._columns(x, layer, "forward") if layer else look)
            z = torch.baddbmm(bias, kernel, columns[-1])
            sums.append(z)
            x = self._inside(activate(z, self.config.activation).view(*z.shape[:2], self.points, batch))
        features = x.flatten(1, 2)
        outputs = torch.baddbmm(net.dense_bias.unsqueeze(2), net.dense, features)
        return Forward(columns, sums, features, outputs)

    def gradient(self, stacked: Tensor, done: Forward, pull: Tensor) -> Tensor:
        """The gradient [R, width] of sum(pull * outputs), pull [R, cells, B]; 0 where a stack has no parameter."""
        net = self.stack.matrices(stacked)
        out = torch.zeros_like(stacked)
        into = self.stack.matrices(out)
        into.dense.copy_(torch.bmm(pull, done.features.mT))
        into.dense_bias.copy_(pull.sum(2))
        g = torch.bmm(net.dense.mT, pull).view(len(pull), -1, self.points * pull.shape[2])
        for layer in reversed(range(len(net.kernels))):
            g = self._through(g, done.sums[layer])
            into.kernels[layer].copy_(torch.bmm(g, done.columns[layer].mT))
            into.biases[layer].copy_(g.sum(2, keepdim=True))
            if layer:
                g = self._back(net, layer, g)
        return out.mul_(self._free)

    def _columns(self, x: Tensor, layer: int, use: str) -> Tensor:
        """Columns [R, C * taps, n * B] of [R, C, n, B] for a layer's filters."""
        count, channels, points, batch = x.shape
        diameter = self.stack.diameters[layer]
        if diameter == 1:
            return x.view(count, channels, points * batch)
        # One row of zeros behind every board stands for everything outside it.
        wide = F.pad(x, (0, 0, 0, 1)).view(count * channels, points + 1, batch)
        rows = self._rows[diameter]
        key = (use, layer, (count, channels, batch))
        if key not in self._kept:
            if len(self._kept) > 32:
                self._kept.clear()
            self._kept[key] = x.new_empty(count * channels, len(rows), batch)
        torch.index_select(wide, 1, rows, out=self._kept[key])
        return self._kept[key].view(count, -1, points * batch)

    def _inside(self, x: Tensor) -> Tensor:
        return x if self._board is None else x * self._board

    def _through(self, g: Tensor, z: Tensor) -> Tensor:
        """A gradient [R, filters, n * B] back through the border and the activation."""
        if self._board is not None:
            g = self._inside(g.view(*g.shape[:2], self.points, -1)).view(g.shape)
        if self.config.activation == "relu":
            return torch.ops.aten.threshold_backward(g, z, 0)  # type: ignore[no-any-return]
        if self.config.activation == "softplus":
            return g * torch.sigmoid(z)
        return g * (1 - torch.tanh(z).square())

    def _back(self, net: Matrices, layer: int, g: Tensor) -> Tensor:
        """A gradient of a layer's sums, as one of its inputs [R, inputs, n * B].

        A filter looks at a cell from where the cell looks at it, so this is a layer with its taps in reverse order.
        """
        kernel = net.kernels[layer]
        if self.stack.diameters[layer] == 1:
            return torch.bmm(kernel.mT, g)
        count, filters = g.shape[:2]
        split = kernel.view(count, filters, self.stack.inputs[layer], -1).flip(3).transpose(1, 2)
        turned = split.reshape(count, self.stack.inputs[layer], -1)
        return torch.bmm(turned, self._columns(g.view(count, filters, self.points, -1), layer, "backward"))
