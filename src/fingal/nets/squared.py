"""A hexagonal net laid out for fast learning: all its numbers in one vector, its filters as square kernels.

The same function as ``hexagonal.Hexagonal``. A filter's corners, which it does not have, are zeros that stay zero (the
gradient is masked); filters lie with their inputs last and the dense layer has rows of zeros up to a multiple of eight,
as tensor cores want them; and where a border of zeros follows every layer, it is never worked out, nor are the weights
kept that only meet it. One optimiser step is then a handful of operations on one vector, and everything can be captured
in a CUDA graph.
"""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets.hexagonal import Hexagonal, Layer, activate, squash
from fingal.nets.walls_torch import walls


class Squared:
    """The shape of one net, and what can be asked of vectors of its numbers."""

    def __init__(self, net: Hexagonal, device: torch.device, dtype: torch.dtype = torch.float32) -> None:
        """Take a net's shape; it is asked in ``dtype``, whose sums are float32 where the device's own are."""
        config = net.config
        self.config, self.device, self.dtype = config, device, dtype
        self.inner = config.border == "zero"
        """Whether layers say something of the board alone."""
        self._net = copy.deepcopy(net).cpu()
        frame = walls(config.size, config.size, config.padding, device).to(dtype)
        self._walls = F.pad(frame, (0, 0, 0, 0, 0, config.planes - frame.shape[1]))
        features = config.size if self.inner else config.side
        self._shapes: list[tuple[int, ...]] = []
        inputs = self._walls.shape[1]
        for layer in _layers(net):
            filters, reach = len(layer.bias), layer.diameter
            self._shapes += [(filters, reach, reach, inputs), (filters,)]
            inputs = filters
        self._rows = -(-config.cells // 8) * 8
        self._shapes += [(self._rows, features, features, inputs), (self._rows,)]
        self.width = sum(math.prod(shape) for shape in self._shapes)
        """How many numbers the vector has."""
        ones = copy.deepcopy(self._net)
        for parameter in ones.parameters():
            torch.nn.init.ones_(parameter)
        self.mask = self.vector(ones)
        """[width]: 1 where there is a parameter, 0 in a filter's corners and in rows that are none."""

    def vector(self, net: Hexagonal) -> Tensor:
        """A net's numbers, float32 [width] on the device; those that only meet a border of zeros are left out."""
        config, parts = self.config, []
        for layer in _layers(net):
            parts += [layer.square().permute(0, 2, 3, 1), layer.bias]
        dense = net.dense.weight.view(config.cells, -1, config.side, config.side)
        more = self._rows - config.cells
        parts += [F.pad(self._board(dense).permute(0, 2, 3, 1), (0,) * 7 + (more,)), F.pad(net.dense.bias, (0, more))]
        return torch.cat([part.detach().float().reshape(-1) for part in parts]).to(self.device)

    def net(self, vector: Tensor) -> Hexagonal:
        """The net with these numbers, on the CPU."""
        net = copy.deepcopy(self._net)
        tensors = self.weights(vector.detach().cpu())
        with torch.no_grad():
            for index, layer in enumerate(_layers(net)):
                layer.take_square(tensors[2 * index])
                layer.bias.copy_(tensors[2 * index + 1])
            dense = net.dense.weight.view(self.config.cells, -1, self.config.side, self.config.side)
            self._board(dense).copy_(tensors[-2][: self.config.cells])
            net.dense.bias.copy_(tensors[-1][: self.config.cells])
        return net

    def _board(self, dense: Tensor) -> Tensor:
        """The dense layer's weights [cells, filters, side, side] without those for a border of zeros."""
        pad, size = self.config.padding, self.config.size
        return dense[:, :, pad : pad + size, pad : pad + size] if self.inner else dense

    def weights(self, vector: Tensor) -> list[Tensor]:
        """Views of a vector: a kernel [filters, inputs, d, d] and a bias for each layer, the dense ones last."""
        found, start = [], 0
        for shape in self._shapes:
            stop = start + math.prod(shape)
            part = vector[start:stop].view(shape)
            found.append(part.permute(0, 3, 1, 2) if len(shape) == 4 else part)
            start = stop
        return found

    def flat(self, gradients: tuple[Tensor, ...]) -> Tensor:
        """Gradients of ``weights`` as one vector [width]; those of the corners, which no parameter has, with them."""
        parts = [part.permute(0, 2, 3, 1).reshape(-1) if part.ndim == 4 else part for part in gradients]
        return torch.cat(parts)

    def outputs(self, weights: list[Tensor], planes: Tensor) -> Tensor:
        """What the net says, float32 [B, cells], of planes of the board without walls, [B, planes, n, n].

        The planes are 0 and 1 in any type, the weights those of ``weights`` in this net's own.
        """
        config = self.config
        pad = config.padding
        x = F.pad(planes.to(self.dtype), (pad,) * 4) + self._walls
        if self.device.type == "cuda":
            x = x.contiguous(memory_format=torch.channels_last)
        for index in range(0, len(weights) - 2, 2):
            kernel, bias = weights[index], weights[index + 1]
            reach = kernel.shape[2] // 2
            if self.inner and index == 0:
                # The walls themselves are seen here alone: their own outputs are zeros.
                x = F.conv2d(F.pad(x, (reach - pad,) * 4), kernel, bias)
            else:
                x = F.conv2d(x, kernel, bias, padding=reach)
            x = activate(x, config.activation)
        dense = weights[-2].permute(0, 2, 3, 1).reshape(self._rows, -1)
        said = F.linear(x.permute(0, 2, 3, 1).reshape(len(x), -1), dense, weights[-1])
        return squash(said[:, : config.cells].float(), config.squash)


def _layers(net: Hexagonal) -> list[Layer]:
    return [layer for layer in net.layers if isinstance(layer, Layer)]
