"""The hexagonal net: layers of hexagonal filters of diameter 1, 3 and 5 and a dense layer with a number for each cell.

The architecture of papers 000 and 001, on the planes of ``walls``. A filter of diameter 3 sees a cell and its six
neighbours, one of diameter 5 the 19 cells within two steps. Only these weights exist: the corners that a square kernel
would have are no parameters, so nothing can make them differ from 0.

Because of the dense layer a net plays one board size only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.walls import KNOWN, PADDING, PLANES, encoder

Activation = Literal["relu", "softplus", "tanh"]
Squash = Literal["sigmoid", "none"]
Border = Literal["kept", "zero"]

DIAMETERS = (1, 3, 5)
"""The filters' diameters, in the order in which a layer counts them."""


def taps(diameter: int) -> tuple[tuple[int, int], ...]:
    """The cells that a filter sees, as (rows, columns) from its own: 1, 7 or 19 of them, row by row."""
    reach = diameter // 2
    steps = range(-reach, reach + 1)
    return tuple((down, right) for down in steps for right in steps if abs(down + right) <= reach)


@dataclass(frozen=True)
class Config:
    """The shape of a hexagonal net."""

    size: int = 3
    """The board's side; the board is square."""
    layers: tuple[tuple[int, int, int], ...] = ((2, 3, 0), (3, 2, 0), (5, 0, 0))
    """For each layer, how many of its filters have diameter 1, 3 and 5."""
    activation: Activation = "relu"
    """What follows each layer. The theory of gradient TD wants a smooth one: softplus or tanh."""
    squash: Squash = "sigmoid"
    """What follows the dense layer: ``sigmoid`` is 2 * sigmoid(x) - 1, for values; ``none`` is for logits."""
    padding: int = PADDING
    """How many rows and columns of wall the board has on each side."""
    border: Border = "kept"
    """What the layers say of the walls: ``kept`` as it is, or ``zero`` after every layer, as NeuroHex has it."""
    connections: bool = False
    """Whether it sees two planes more, of what virtual connections prove."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built; lists, as JSON has them, become tuples."""
        for field, low, high in (("size", 1, 19), ("padding", 1, 4)):
            value = getattr(self, field)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r:.40}")
        for field, choices in (
            ("activation", ("relu", "softplus", "tanh")),
            ("squash", ("sigmoid", "none")),
            ("border", ("kept", "zero")),
        ):
            value = getattr(self, field)
            if value not in choices:
                raise ValueError(f"{field} must be one of {', '.join(choices)}, not {value!r:.40}")
        if type(self.connections) is not bool:
            raise ValueError(f"connections must be true or false, not {self.connections!r:.40}")
        layers = self.layers
        if (
            not isinstance(layers, (tuple, list))
            or not 1 <= len(layers) <= 64
            or not all(isinstance(layer, (tuple, list)) and len(layer) == len(DIAMETERS) for layer in layers)
        ):
            raise ValueError(f"layers must be 1 to 64 triples of counts, not {layers!r:.60}")
        for layer in layers:
            if any(type(count) is not int or count < 0 for count in layer) or not 1 <= sum(layer) <= 1024:
                raise ValueError(f"layers must have 1 to 1024 filters each, counted by diameter, not {layer!r:.60}")
        object.__setattr__(self, "layers", tuple(tuple(layer) for layer in layers))

    @property
    def side(self) -> int:
        """The side of the planes: board and walls."""
        return self.size + 2 * self.padding

    @property
    def cells(self) -> int:
        """How many cells the board has, and how many numbers the net gives."""
        return self.size * self.size

    @property
    def encoder(self) -> str:
        """The planes that it sees, as a card names them."""
        return encoder(self.padding, self.connections)

    @property
    def planes(self) -> int:
        """How many planes it sees."""
        return PLANES + KNOWN if self.connections else PLANES

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The parameters' names and shapes, in the order in which a flat vector holds them.

        A kernel is [filters, inputs, taps]; each layer has a bias for each filter, those of diameter 1 first.
        """
        found: dict[str, tuple[int, ...]] = {}
        inputs = self.planes
        for index, layer in enumerate(self.layers):
            for diameter, filters in zip(DIAMETERS, layer, strict=True):
                if filters:
                    found[f"layers.{index}.kernel{diameter}"] = (filters, inputs, len(taps(diameter)))
            inputs = sum(layer)
            found[f"layers.{index}.bias"] = (inputs,)
        found["dense.weight"] = (self.cells, inputs * self.side**2)
        found["dense.bias"] = (self.cells,)
        return found

    @property
    def parameters(self) -> int:
        """How many numbers the net has."""
        return sum(math.prod(shape) for shape in self.shapes().values())


PAPER_000 = Config()
"""Paper 000's net for 3x3: 2,477 parameters."""


class Layer(nn.Module):
    """Hexagonal filters of several diameters side by side, without the activation."""

    def __init__(self, inputs: int, filters: tuple[int, int, int]) -> None:
        """Glorot's uniform weights, with the free weights as the fan; biases 0."""
        super().__init__()
        self.groups = [(d, count) for d, count in zip(DIAMETERS, filters, strict=True) if count]
        self.diameter = self.groups[-1][0]
        for diameter, count in self.groups:
            weights = len(taps(diameter))
            kernel = nn.Parameter(torch.empty(count, inputs, weights))
            limit = math.sqrt(6 / (weights * (inputs + count)))
            nn.init.uniform_(kernel, -limit, limit)
            self.register_parameter(f"kernel{diameter}", kernel)
        self.bias = nn.Parameter(torch.zeros(sum(filters)))

    def square(self) -> Tensor:
        """All filters as square kernels, [filters, inputs, diameter, diameter], 0 where a filter sees nothing."""
        grown = []
        for diameter, count in self.groups:
            kernel: Tensor = getattr(self, f"kernel{diameter}")
            at = torch.tensor(self._places(diameter), device=kernel.device)
            empty = kernel.new_zeros(count, kernel.shape[1], self.diameter**2)
            grown.append(empty.index_copy(2, at, kernel))
        return torch.cat(grown).view(len(self.bias), -1, self.diameter, self.diameter)

    @torch.no_grad()
    def take_square(self, square: Tensor) -> None:
        """Take over weights as ``square`` gives them."""
        flat, done = square.flatten(2), 0
        for diameter, count in self.groups:
            getattr(self, f"kernel{diameter}").copy_(flat[done : done + count][:, :, self._places(diameter)])
            done += count

    def _places(self, diameter: int) -> list[int]:
        """Where a filter's cells stand in a square kernel of the layer's diameter."""
        reach = self.diameter // 2
        return [(reach + down) * self.diameter + reach + right for down, right in taps(diameter)]

    def forward(self, x: Tensor) -> Tensor:
        """[B, inputs, H, W] to [B, filters, H, W]; outside the planes everything is 0."""
        return F.conv2d(x, self.square(), self.bias, padding=self.diameter // 2)


class Hexagonal(nn.Module):
    """A number for each cell of the board: the value of playing there, or a logit."""

    def __init__(self, config: Config = PAPER_000) -> None:
        """Random initial weights."""
        super().__init__()
        self.config = config
        inputs = [config.planes, *(sum(layer) for layer in config.layers)]
        self.layers = nn.ModuleList(
            Layer(count, filters) for count, filters in zip(inputs[:-1], config.layers, strict=True)
        )
        self.dense = nn.Linear(inputs[-1] * config.side**2, config.cells)
        nn.init.xavier_uniform_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes [B, planes, side, side] to [B, cells], in the canonical view, row by row.

        With ``squash="sigmoid"`` entry j is the value in (-1, 1), for the side to move, of the position that it makes
        by playing cell j; what it says of occupied cells means nothing.
        """
        x = planes
        for layer in self.layers:
            x = activate(layer(x), self.config.activation)
            if self.config.border == "zero":
                x = x * inside(self.config, x.device)
        return squash(self.dense(x.flatten(1)), self.config.squash)


def activate(x: Tensor, name: Activation) -> Tensor:
    """The activation of that name."""
    return F.relu(x) if name == "relu" else F.softplus(x) if name == "softplus" else torch.tanh(x)


def squash(x: Tensor, name: Squash) -> Tensor:
    """2 * sigmoid(x) - 1, or x as it is."""
    return torch.tanh(x / 2) if name == "sigmoid" else x


def slope_of_squash(value: Tensor) -> Tensor:
    """The derivative of v = 2 sigmoid(x) - 1 with regard to x, given v: (1 - v^2) / 2. That of this is -v times it."""
    return (1 - value.square()) / 2


def inside(config: Config, device: torch.device | None = None) -> Tensor:
    """1 on the board and 0 on the walls, [side, side]."""
    mask = torch.zeros(config.side, config.side, device=device)
    mask[config.padding : config.padding + config.size, config.padding : config.padding + config.size] = 1
    return mask


def flatten(net: Hexagonal) -> Tensor:
    """The net's parameters as one vector [parameters], in the order of ``Config.shapes``."""
    tensors = dict(net.named_parameters())
    return torch.cat([tensors[name].detach().reshape(-1) for name in net.config.shapes()])


def unflatten(config: Config, vector: Tensor) -> dict[str, Tensor]:
    """Views of a vector [..., parameters] with the parameters' names and shapes [..., *shape]."""
    found, start = {}, 0
    for name, shape in config.shapes().items():
        stop = start + math.prod(shape)
        found[name] = vector[..., start:stop].view(*vector.shape[:-1], *shape)
        start = stop
    return found


def from_vector(config: Config, vector: Tensor) -> Hexagonal:
    """The net whose parameters are in a vector [parameters], in the vector's precision."""
    with torch.random.fork_rng(devices=[]):
        net = Hexagonal(config).to(vector.dtype)
    net.load_state_dict({name: tensor.clone() for name, tensor in unflatten(config, vector).items()})
    return net
