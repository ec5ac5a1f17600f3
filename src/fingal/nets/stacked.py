"""Many hexagonal nets of one shape at once: values, gradients and Hessian-vector products by batched matrix products.

An online learner makes millions of tiny updates. Here R nets stand in one array and one call serves all of them, each
with its own positions. A layer is one matrix product: its weights [filters, inputs * taps] times the inputs' columns
[inputs * taps, cells], one column for what a filter sees from each cell. Gradients are written out by hand in the same
form (three times as fast as autograd's on a CPU); the tests hold them against autograd through ``Hexagonal``.

A stack keeps a net's numbers in its own order, [R, width]: filters of small diameter are widened to the layer's
largest with zeros that stay zero. ``Stack.wide`` and ``Stack.narrow`` go between that and ``Config.shapes``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets.hexagonal import DIAMETERS, Activation, Config, Hexagonal, activate, flatten, inside, squash, taps
from fingal.nets.walls import PLANES


class Matrices(NamedTuple):
    """Views of R nets' numbers [R, width] as matrices."""

    kernels: list[Tensor]
    """For each layer [R, filters, inputs * taps]."""
    biases: list[Tensor]
    """For each layer [R, filters, 1]."""
    dense: Tensor
    """[R, cells, features]"""
    dense_bias: Tensor
    """[R, cells]"""


class Trunk(NamedTuple):
    """What a forward pass up to the dense layer leaves for the backward one; B positions a net, n = side * side."""

    columns: list[Tensor]
    """What each layer's filters see, [R, inputs * taps, B * n]."""
    sums: list[Tensor]
    """Each layer's output before the activation, [R, filters, B * n]."""
    features: Tensor
    """What the dense layer sees, [R, B, filters * n]."""


class Pass(NamedTuple):
    """A whole forward pass."""

    trunk: Trunk
    """All but the dense layer."""
    outputs: Tensor
    """What the nets say of every cell before the squash, [R, B, cells]."""


class Stack:
    """The shape of R nets, and what can be asked of them."""

    def __init__(self, config: Config) -> None:
        """Work out where everything stands; ValueError for nets that see connections, which are looked for in play."""
        if config.connections:
            raise ValueError("nets that see connections cannot be stacked")
        self.config = config
        self.side, self.cells = config.side, config.cells
        self.points = config.side**2
        self.diameters = [max(d for d, count in zip(DIAMETERS, layer, strict=True) if count) for layer in config.layers]
        inputs = [PLANES, *(sum(layer) for layer in config.layers)]
        self.inputs = inputs[:-1]
        shapes: list[tuple[int, ...]] = []
        free: list[Tensor] = []
        at = 0
        for filters, count, diameter in zip(config.layers, self.inputs, self.diameters, strict=True):
            wide = taps(diameter)
            row = count * len(wide)
            index = torch.arange(sum(filters) * row).view(sum(filters), count, len(wide))
            done = 0
            for small, number in zip(DIAMETERS, filters, strict=True):
                if number:
                    where = [wide.index(tap) for tap in taps(small)]
                    free.append(at + index[done : done + number][:, :, where].reshape(-1))
                    done += number
            shapes += [(sum(filters), row), (sum(filters), 1)]
            at += sum(filters) * row
            free.append(at + torch.arange(sum(filters)))
            at += sum(filters)
        shapes += [(config.cells, inputs[-1] * self.points), (config.cells,)]
        size = config.cells * (inputs[-1] * self.points + 1)
        free.append(at + torch.arange(size))
        self.width = at + size
        """How many numbers a net takes in a stack."""
        self.free = torch.cat(free)
        """Where the parameters stand among them, int64 [parameters]."""
        self._shapes = shapes
        self._views: list[tuple[Tensor, Matrices]] = []
        self._masks = [self._mask(index) for index in range(len(config.layers))]
        self._indices = {d: column_index(self.side, d) for d in DIAMETERS[1:]}
        self._board = inside(config).view(1, 1, 1, -1) if config.border == "zero" else None

    def _mask(self, layer: int) -> Tensor | None:
        """1 where a layer's matrix has a parameter, [filters, inputs * taps]; None when everywhere."""
        used = torch.zeros(self.width)
        used[self.free] = 1
        mask = self.matrices(used.unsqueeze(0)).kernels[layer][0]
        return None if bool(mask.all()) else mask

    def wide(self, vectors: Tensor) -> Tensor:
        """Parameters in the order of ``Config.shapes`` [R, parameters] as the stack has them [R, width]."""
        out = vectors.new_zeros(*vectors.shape[:-1], self.width)
        out[..., self.free] = vectors
        return out

    def narrow(self, stacked: Tensor) -> Tensor:
        """The way back: [R, width] to [R, parameters]."""
        return stacked[..., self.free]

    def initial(self, seeds: list[int]) -> Tensor:
        """Random nets [R, width], each as ``Hexagonal`` makes it after ``torch.manual_seed(seed)``."""
        vectors = []
        with torch.random.fork_rng(devices=[]):
            for seed in seeds:
                torch.manual_seed(seed)
                vectors.append(flatten(Hexagonal(self.config)))
        return self.wide(torch.stack(vectors))

    def matrices(self, stacked: Tensor) -> Matrices:
        """Views of [R, width]."""
        # Making them takes longer than a layer of a few nets, and the same few tensors come again and again.
        for known, views in self._views:
            if known is stacked:
                return views
        views = self._matrices(stacked)
        if not (stacked.requires_grad or torch.is_grad_enabled()):
            self._views = [(stacked, views), *self._views[:7]]
        return views

    def _matrices(self, stacked: Tensor) -> Matrices:
        parts = []
        at = 0
        for shape in self._shapes:
            stop = at + math.prod(shape)
            parts.append(stacked[..., at:stop].view(*stacked.shape[:-1], *shape))
            at = stop
        return Matrices(parts[0:-2:2], parts[1:-2:2], parts[-2], parts[-1])

    def columns(self, planes: Tensor) -> Tensor:
        """What the first layer's filters see of planes [R, B, 6, side, side]: [R, 6 * taps, B * n]."""
        return self._columns(planes.flatten(3).transpose(1, 2), self.diameters[0])

    def _columns(self, x: Tensor, diameter: int) -> Tensor:
        """Columns [R, C * taps, B * n] of [R, C, B, n]."""
        count, channels, batch, points = x.shape
        if diameter == 1:
            return x.reshape(count, channels, batch * points)
        # One zero behind every board stands for everything outside it.
        seen = F.pad(x, (0, 1)).reshape(-1, points + 1).index_select(1, self._indices[diameter])
        seen = seen.view(count, channels, batch, len(taps(diameter)), points)
        if batch > 1:
            seen = seen.transpose(2, 3)
        return seen.reshape(count, channels * len(taps(diameter)), batch * points)

    def forward(self, stacked: Tensor, columns: Tensor) -> Pass:
        """Run R nets [R, width] on the columns [R, 6 * taps, B * n] of B positions each. Autograd can go through it."""
        done = self.trunk(stacked, columns)
        return Pass(done, self.outputs(stacked, done))

    def trunk(self, stacked: Tensor, columns: Tensor) -> Trunk:
        """Run R nets [R, width] up to the dense layer on the columns [R, 6 * taps, B * n] of B positions each.

        Autograd can go through it.
        """
        net = self.matrices(stacked)
        batch = columns.shape[2] // self.points
        seen, sums = [columns], []
        for layer, (kernel, bias) in enumerate(zip(net.kernels, net.biases, strict=True)):
            z = torch.baddbmm(bias, kernel, seen[-1])
            x = activate(z, self.config.activation).view(*z.shape[:2], batch, self.points)
            if self._board is not None:
                x = x * self._board
            sums.append(z)
            if layer + 1 < len(net.kernels):
                seen.append(self._columns(x, self.diameters[layer + 1]))
        return Trunk(seen, sums, x.transpose(1, 2).flatten(2))

    def outputs(self, stacked: Tensor, done: Trunk) -> Tensor:
        """What the nets say of every cell before the squash, [R, B, cells]."""
        net = self.matrices(stacked)
        return torch.baddbmm(net.dense_bias.unsqueeze(1), done.features, net.dense.transpose(1, 2))

    def output(self, stacked: Tensor, done: Trunk, cell: Tensor) -> Tensor:
        """What they say of one cell each, int64 [R], of one position each (B = 1), before the squash: [R]."""
        net, runs = self.matrices(stacked), torch.arange(len(stacked))
        return (net.dense[runs, cell] * done.features[:, 0]).sum(1) + net.dense_bias[runs, cell]

    def values(self, stacked: Tensor, planes: Tensor) -> Tensor:
        """What R nets [R, width] say of their own positions [R, B, 6, side, side]: [R, B, cells], squashed."""
        return squash(self.forward(stacked, self.columns(planes)).outputs, self.config.squash)

    def same_values(self, stacked: Tensor, planes: Tensor, runs: int = 8, positions: int = 64) -> Tensor:
        """What R nets [R, width] say of the same positions [B, 6, side, side]: [R, B, cells], squashed.

        So many runs and positions at a time stay in a processor's cache. Positions stand innermost here, so that the
        columns are made of whole rows: six times as fast as ``values`` with thousands of positions.
        """
        out = stacked.new_empty(len(stacked), len(planes), self.cells)
        seen = planes.flatten(2).permute(1, 2, 0)
        for first in range(0, len(planes), positions):
            some = seen[:, :, first : first + positions].contiguous()
            columns = self._innermost(some, self.diameters[0]).view(-1, self.points * some.shape[2])
            for low in range(0, len(stacked), runs):
                net = self._matrices(stacked[low : low + runs])
                kernel = net.kernels[0]
                z = (kernel.flatten(0, 1) @ columns).view(*kernel.shape[:2], -1) + net.biases[0]
                x = self._innermost_activation(z)
                for layer in range(1, len(net.kernels)):
                    wide = self._innermost(x.flatten(0, 1), self.diameters[layer])
                    wide = wide.view(len(kernel), -1, self.points * some.shape[2])
                    x = self._innermost_activation(torch.baddbmm(net.biases[layer], net.kernels[layer], wide))
                said = torch.baddbmm(net.dense_bias.unsqueeze(2), net.dense, x.flatten(1, 2))
                out[low : low + runs, first : first + positions] = said.transpose(1, 2)
        return squash(out, self.config.squash)

    def _innermost_activation(self, z: Tensor) -> Tensor:
        """[R, filters, n * B] to [R, filters, n, B]."""
        x = activate(z, self.config.activation).view(*z.shape[:2], self.points, -1)
        return x if self._board is None else x * self._board.view(-1, 1)

    def _innermost(self, x: Tensor, diameter: int) -> Tensor:
        """Columns [C, taps * n, B] of [C, n, B]."""
        return x if diameter == 1 else F.pad(x, (0, 0, 0, 1)).index_select(1, self._indices[diameter])

    def gradient(self, stacked: Tensor, done: Trunk, pull: Tensor) -> Tensor:
        """The gradient [R, width] of sum(pull * outputs), pull [R, cells], for one position each (B = 1)."""
        net = self.matrices(stacked)
        out = torch.empty_like(stacked)
        into = self.matrices(out)
        into.dense.copy_(pull.unsqueeze(2) * done.features)
        into.dense_bias.copy_(pull)
        self._descend(net, into, done, torch.bmm(pull.unsqueeze(1), net.dense))
        return out

    def gradient_at(
        self, stacked: Tensor, done: Trunk, cell: Tensor, pull: Tensor, out: Tensor | None = None
    ) -> Tensor:
        """The gradient [R, width] of pull * output, pull [R], of one cell each, int64 [R], for one position each.

        It is written to ``out`` where that is given.
        """
        net, runs = self.matrices(stacked), torch.arange(len(stacked))
        out = torch.zeros_like(stacked) if out is None else out.zero_()
        into = self.matrices(out)
        factor = pull.unsqueeze(1)
        into.dense[runs, cell] = factor * done.features[:, 0]
        into.dense_bias.scatter_(1, cell.unsqueeze(1), factor)
        self._descend(net, into, done, factor * net.dense[runs, cell])
        return out

    def _descend(self, net: Matrices, into: Matrices, done: Trunk, g: Tensor) -> None:
        """The gradient of all layers, given that of the features [R, filters * n]."""
        g = g.view(len(g), -1, self.points)
        for layer in reversed(range(len(net.kernels))):
            g = self._through(g, done.sums[layer])
            self._pull_kernel(into, layer, torch.bmm(g, done.columns[layer].transpose(1, 2)), g)
            if layer:
                g = self._back(net.kernels[layer], g, layer)

    def curvature_at(
        self,
        stacked: Tensor,
        done: Trunk,
        cell: Tensor,
        pull: Tensor,
        bend: Tensor,
        direction: Tensor,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gradient, slope and Hessian-vector product of a function of one output each, for one position each (B = 1).

        ``pull`` and ``bend`` [R] are the function's first and second derivative at the output of ``cell``, int64 [R].
        The answer is the gradient [R, width], the slope (gradient . direction) [R] and the Hessian times the direction
        [R, width], all exact: forward and backward pass are differentiated along the direction (Pearlmutter 1994).
        Gradient and product are written to ``out`` where that is given.
        """
        net, way, runs = self.matrices(stacked), self.matrices(direction), torch.arange(len(stacked))
        name = self.config.activation
        moved_columns: list[Tensor | None] = [None]
        moved_sums: list[Tensor] = []
        for layer, z in enumerate(done.sums):
            dz = torch.baddbmm(way.biases[layer], way.kernels[layer], done.columns[layer])
            before = moved_columns[layer]
            if before is not None:
                dz = torch.baddbmm(dz, net.kernels[layer], before)
            moved_sums.append(dz)
            dx = self._through(dz, z)
            if layer + 1 < len(done.sums):
                moved_columns.append(self._columns(dx.unsqueeze(2), self.diameters[layer + 1]))
        features, moved_features = done.features[:, 0], dx.flatten(1)
        row, way_row = net.dense[runs, cell], way.dense[runs, cell]
        change = (way_row * features + row * moved_features).sum(1) + way.dense_bias[runs, cell]

        first, second = pull.unsqueeze(1), (bend * change).unsqueeze(1)
        gradient, product = (torch.empty_like(stacked), torch.empty_like(stacked)) if out is None else out
        gradient.zero_()
        product.zero_()
        into, onto = self.matrices(gradient), self.matrices(product)
        into.dense[runs, cell] = first * features
        onto.dense[runs, cell] = second * features + first * moved_features
        into.dense_bias.scatter_(1, cell.unsqueeze(1), first)
        onto.dense_bias.scatter_(1, cell.unsqueeze(1), second)
        shape = (len(stacked), -1, self.points)
        g = (row * first).view(shape)
        dg = (way_row * first + row * second).view(shape)
        for layer in reversed(range(len(net.kernels))):
            z = done.sums[layer]
            curve = _bend(z, name)
            dg = self._through(dg, z)
            if curve is not None:
                dg = dg + self._inside(g * curve * moved_sums[layer])
            g = self._through(g, z)
            self._pull_kernel(into, layer, torch.bmm(g, done.columns[layer].transpose(1, 2)), g)
            moved = torch.bmm(dg, done.columns[layer].transpose(1, 2))
            before = moved_columns[layer]
            if before is not None:
                moved = torch.baddbmm(moved, g, before.transpose(1, 2))
            self._pull_kernel(onto, layer, moved, dg)
            if layer:
                dg = self._back(net.kernels[layer], dg, layer) + self._back(way.kernels[layer], g, layer)
                g = self._back(net.kernels[layer], g, layer)
        return gradient, pull * change, product

    def _through(self, g: Tensor, z: Tensor) -> Tensor:
        """A gradient [R, filters, n] back through the activation and the border."""
        name = self.config.activation
        if name == "relu":
            return self._inside(torch.ops.aten.threshold_backward(g, z, 0))
        return self._inside(g * (torch.sigmoid(z) if name == "softplus" else 1 - torch.tanh(z).square()))

    def _inside(self, x: Tensor) -> Tensor:
        return x if self._board is None else x * self._board[0]

    def _pull_kernel(self, into: Matrices, layer: int, kernel: Tensor, g: Tensor) -> None:
        mask = self._masks[layer]
        if mask is None:
            into.kernels[layer].copy_(kernel)
        else:
            torch.mul(kernel, mask, out=into.kernels[layer])
        torch.sum(g, 2, keepdim=True, out=into.biases[layer])

    def _back(self, kernel: Tensor, g: Tensor, layer: int) -> Tensor:
        """A gradient [R, filters, n] of a layer's sums, as one of its inputs [R, inputs, n].

        A filter looks at a cell from where the cell looks at it, so this is a layer with its taps in reverse order.
        """
        diameter = self.diameters[layer]
        if diameter == 1:
            return torch.bmm(kernel.transpose(1, 2), g)
        count, filters = g.shape[:2]
        turned = (
            kernel.view(count, filters, self.inputs[layer], -1)
            .flip(3)
            .transpose(1, 2)
            .reshape(count, self.inputs[layer], -1)
        )
        return torch.bmm(turned, self._columns(g.unsqueeze(2), diameter))


def column_index(side: int, diameter: int) -> Tensor:
    """Where each tap of each cell's filter looks, int64 [taps * n]; n, behind the board, stands for outside."""
    found = []
    for down, right in taps(diameter):
        for row in range(side):
            for column in range(side):
                r, c = row + down, column + right
                found.append(r * side + c if 0 <= r < side and 0 <= c < side else side * side)
    return torch.tensor(found)


def _bend(z: Tensor, name: Activation) -> Tensor | None:
    """The activation's second derivative; None when it is 0."""
    if name == "relu":
        return None
    if name == "softplus":
        s = torch.sigmoid(z)
        return s * (1 - s)
    t = torch.tanh(z)
    return -2 * t * (1 - t.square())
