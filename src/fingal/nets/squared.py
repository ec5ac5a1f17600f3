"""A hexagonal net laid out for fast learning: all its numbers in one vector, its filters as square kernels.

The same function as ``hexagonal.Hexagonal``. A filter's corners, which it does not have, are zeros that stay zero (the
gradient is masked). Filters lie with their inputs last, and there are planes and rows of zeros up to a multiple of
eight, as tensor cores want them. Where a border of zeros follows every layer it is never worked out, nor are the
weights kept that only meet it. The backward pass is written out, so that a forward pass of two batches can be followed
by a backward pass of one. One step of an optimiser is a handful of operations on one vector, and everything can be
captured in a CUDA graph. The tests hold all of it against autograd through the plain net.
"""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets.hexagonal import Hexagonal, Layer, slope_of_squash, squash
from fingal.nets.walls_torch import walls


class Squared:
    """The shape of one net, and what can be asked of vectors of its numbers."""

    def __init__(self, net: Hexagonal, device: torch.device, dtype: torch.dtype = torch.float32) -> None:
        """Take a net's shape; its layers are worked out in ``dtype``, the dense one always in float32.

        Values of moves are often nearly the same: in 16 bits the best one would be lost among them.
        """
        config = net.config
        if config.activation != "relu":
            raise ValueError(f"activation must be relu here, not {config.activation}")
        self.config, self.device, self.dtype = config, device, dtype
        self.inner = config.border == "zero"
        """Whether layers say something of the board alone."""
        self._net = copy.deepcopy(net).cpu()
        frame = walls(config.size, config.size, config.padding, device).to(dtype)
        # Planes of zeros, up to a multiple of eight.
        self._walls = F.pad(frame, (0, 0, 0, 0, 0, -(-config.planes // 8) * 8 - frame.shape[1]))
        self._more = self._walls.shape[1] - config.planes
        features = config.size if self.inner else config.side
        self._shapes: list[tuple[int, ...]] = []
        inputs = self._walls.shape[1]
        for layer in _layers(net):
            filters, reach = len(layer.bias), layer.diameter
            self._shapes += [(filters, reach, reach, inputs), (filters,)]
            inputs = filters
        self._height = -(-config.cells // 8) * 8
        self._shapes += [(self._height, features, features, inputs), (self._height,)]
        self.early = sum(math.prod(shape) for shape in self._shapes[:-2])
        """How many numbers stand before the dense layer's."""
        self.width = sum(math.prod(shape) for shape in self._shapes)
        """How many numbers the vector has."""
        ones = copy.deepcopy(self._net)
        for parameter in ones.parameters():
            torch.nn.init.ones_(parameter)
        self.mask = self.vector(ones)
        """[width]: 1 where there is a parameter, 0 in a filter's corners and where zeros fill up."""

    def vector(self, net: Hexagonal) -> Tensor:
        """A net's numbers, float32 [width] on the device; those that only meet a border of zeros are left out."""
        config, parts = self.config, []
        for index, layer in enumerate(_layers(net)):
            kernel = layer.square().permute(0, 2, 3, 1)
            parts += [F.pad(kernel, (0, self._more)) if index == 0 else kernel, layer.bias]
        dense = net.dense.weight.view(config.cells, -1, config.side, config.side)
        more = self._height - config.cells
        parts += [F.pad(self._board(dense).permute(0, 2, 3, 1), (0,) * 7 + (more,)), F.pad(net.dense.bias, (0, more))]
        return torch.cat([part.detach().float().reshape(-1) for part in parts]).to(self.device)

    def net(self, vector: Tensor) -> Hexagonal:
        """The net with these numbers, on the CPU."""
        net = copy.deepcopy(self._net)
        tensors = self.weights(vector.detach().cpu())
        with torch.no_grad():
            for index, layer in enumerate(_layers(net)):
                kernel = tensors[2 * index]
                layer.take_square(kernel[:, : -self._more] if index == 0 and self._more else kernel)
                layer.bias.copy_(tensors[2 * index + 1])
            dense = net.dense.weight.view(self.config.cells, -1, self.config.side, self.config.side)
            self._board(dense).copy_(tensors[-2][: self.config.cells])
            net.dense.bias.copy_(tensors[-1][: self.config.cells])
        return net

    def _board(self, dense: Tensor) -> Tensor:
        """The dense layer's weights [cells, filters, side, side] without those for a border of zeros."""
        pad, size = self.config.padding, self.config.size
        return dense[:, :, pad : pad + size, pad : pad + size] if self.inner else dense

    def weights(self, vector: Tensor, early: Tensor | None = None) -> list[Tensor]:
        """Views of a vector: a kernel [filters, inputs, d, d] and a bias for each layer, the dense ones last.

        ``early`` is the vector up to the dense layer's numbers in this net's own type, where it is at hand.
        """
        early = vector[: self.early].to(self.dtype) if early is None else early
        found, start = [], 0
        for index, shape in enumerate(self._shapes):
            stop = start + math.prod(shape)
            part = (early if index < len(self._shapes) - 2 else vector)[start:stop].view(shape)
            found.append(part.permute(0, 3, 1, 2) if len(shape) == 4 else part)
            start = stop
        return found

    def outputs(self, weights: list[Tensor], planes: Tensor) -> Tensor:
        """What the net says, float32 [B, cells], of planes of the board without walls, [B, planes, n, n].

        The planes are 0 and 1 in any type.
        """
        return self.trace(weights, planes)[0]

    def trace(self, weights: list[Tensor], planes: Tensor) -> tuple[Tensor, list[Tensor]]:
        """As ``outputs``, and what ``gradient`` needs: what each layer sees, the dense one last."""
        config = self.config
        pad = config.padding
        x = F.pad(planes.to(self.dtype), (pad,) * 4 + (0, self._more)) + self._walls
        if self.device.type == "cuda":
            x = x.contiguous(memory_format=torch.channels_last)
        if self.inner:
            # The walls are seen by the first layer alone, and only as far as it sees from the board.
            x = F.pad(x, (weights[0].shape[2] // 2 - pad,) * 4)
        seen = []
        for index in range(0, len(weights) - 2, 2):
            seen.append(x)
            x = F.conv2d(x, weights[index], weights[index + 1], padding=self._padding(index, weights)).relu_()
        seen.append(x)
        said = F.linear(_rows(x), _rows(weights[-2]), weights[-1])
        return squash(said[:, : config.cells], config.squash), seen

    def gradient(self, weights: list[Tensor], seen: list[Tensor], said: Tensor, pull: Tensor) -> Tensor:
        """The gradient of a loss whose derivative with regard to what is said is ``pull``: float32 [width].

        ``said`` and ``pull`` are [B, cells]; of what ``trace`` has seen the first B positions count. Numbers that are
        no parameters have 0.
        """
        count = len(pull)
        slope = pull * slope_of_squash(said) if self.config.squash == "sigmoid" else pull
        slope = F.pad(slope, (0, self._height - self.config.cells))
        x = seen[-1][:count]
        back: Tensor = (slope @ _rows(weights[-2])).to(x.dtype).view(count, *x.shape[2:], -1).permute(0, 3, 1, 2)
        gradient = torch.empty(self.width, device=self.device)
        early, late = gradient[: self.early], gradient[self.early : -self._height]
        torch.mm(slope.T, _rows(x), out=late.view(self._height, -1))
        torch.sum(slope, 0, out=gradient[-self._height :])
        # In a graph the layers' own gradients are worked out beside those that go on to the layer before. What they
        # need is kept until they are done: the memory would be used again.
        aside = torch.cuda.Stream() if self._captures() else None  # type: ignore[no-untyped-call]
        found, needed = [], []
        for index in range(len(weights) - 4, -1, -2):
            back = torch.ops.aten.threshold_backward(back, x, 0)
            needed.append(back)
            x = seen[index // 2][:count]
            if aside is None:
                back, by_kernel, by_bias = self._back(back, x, weights, index, [index > 0, True, True])
            else:
                aside.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(aside):
                    _, by_kernel, by_bias = self._back(back, x, weights, index, [False, True, True])
                if index > 0:
                    back = self._back(back, x, weights, index, [True, False, False])[0]
            found += [by_bias, by_kernel.permute(0, 2, 3, 1)]
        if aside is not None:
            torch.cuda.current_stream().wait_stream(aside)
        torch.mul(torch.cat([part.reshape(-1) for part in reversed(found)]), self.mask[: self.early], out=early)
        return gradient

    def _back(
        self, back: Tensor, x: Tensor, weights: list[Tensor], index: int, asked: list[bool]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """A layer's gradients with regard to what it sees, its kernel and its bias: those that are asked for."""
        kernel, padding = weights[index], [self._padding(index, weights)] * 2
        more = (len(kernel),), (1, 1), padding, (1, 1), False, (0, 0), 1, asked
        found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.convolution_backward(back, x, kernel, *more)
        return found

    def _captures(self) -> bool:
        return self.device.type == "cuda" and torch.cuda.is_current_stream_capturing()

    def _padding(self, index: int, weights: list[Tensor]) -> int:
        """How many rows of zeros a layer has around what it sees."""
        return 0 if self.inner and index == 0 else weights[index].shape[2] // 2


def _rows(x: Tensor) -> Tensor:
    """[B, C, H, W] as float32 [B, H * W * C]."""
    return x.permute(0, 2, 3, 1).reshape(len(x), -1).float()


def _layers(net: Hexagonal) -> list[Layer]:
    return [layer for layer in net.layers if isinstance(layer, Layer)]
