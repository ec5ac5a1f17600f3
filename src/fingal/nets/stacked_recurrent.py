"""Many recurrent nets of one shape at once, as ``stacked`` has hexagonal ones: autograd goes through all of it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from fingal.nets.hexagonal import Config as HexagonalConfig
from fingal.nets.hexagonal import flatten, squash
from fingal.nets.recurrent import Config, Recurrent, remember, say
from fingal.nets.stacked import Stack


class RecurrentStack(Stack):
    """The shape of R recurrent nets. A net's numbers are those of its hexagonal net, then the recurrent layer's."""

    config: Config

    def __init__(self, config: Config) -> None:
        """Work out where everything stands."""
        super().__init__(config)
        self._layer = {
            name.removeprefix("recurrence."): shape
            for name, shape in config.shapes().items()
            if name.startswith("recurrence.")
        }
        self.start = self.width
        """Where the recurrent layer's numbers begin."""
        self.width += sum(math.prod(shape) for shape in self._layer.values())
        self.free = torch.cat((self.free, torch.arange(self.start, self.width)))

    def initial(self, seeds: list[int]) -> Tensor:
        """Random nets [R, width], each as ``Recurrent`` makes it after ``torch.manual_seed(seed)``."""
        vectors = []
        with torch.random.fork_rng(devices=[]):
            for seed in seeds:
                torch.manual_seed(seed)
                vectors.append(flatten(Recurrent(self.config)))
        return self.wide(torch.stack(vectors))

    def recurrence(self, stacked: Tensor) -> dict[str, Tensor]:
        """The recurrent layers of R nets [R, width], by name: [R, cells, cells] or [R, cells]."""
        return self.layer(stacked[..., self.start :])

    def layer(self, numbers: Tensor) -> dict[str, Tensor]:
        """The same, given only the recurrent layers' numbers [R, width - start]."""
        found, at = {}, 0
        for name, shape in self._layer.items():
            stop = at + math.prod(shape)
            found[name] = numbers[..., at:stop].view(-1, *shape)
            at = stop
        return found

    def follow(self, weights: dict[str, Tensor], x: Tensor) -> Tensor:
        """What R nets say of G games each, given x [R, T, G, cells] of the games' first T boards: the same shape.

        A game that is over has boards behind its end, of which nothing matters.
        """
        count, plies, games, cells = x.shape
        drive = torch.baddbmm(weights["b"].unsqueeze(1), x.flatten(1, 2), weights["U"].mT).view(x.shape)
        told = weights["W"].mT
        states: list[Tensor] = []
        for ply in range(plies):
            if ply == self.config.piece(ply):
                states.append(squash(drive[:, ply], "sigmoid"))
            else:
                states.append(squash(torch.baddbmm(drive[:, ply], states[-1], told), "sigmoid"))
        hidden = torch.stack(states, 1).view(count, plies * games, cells)
        return say(weights, hidden, self.config.squash).view(x.shape)

    def step(self, weights: dict[str, Tensor], x: Tensor, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
        """The next board of G games each: x [R, G, cells] and h to what the nets say and the next h.

        ``hidden`` is None at the first board of a piece.
        """
        after = remember(weights, x, torch.zeros_like(x) if hidden is None else hidden)
        return say(weights, after, self.config.squash), after

    def values(self, stacked: Tensor, planes: Tensor) -> Tensor:
        """What R nets say of their own positions [R, B, 6, side, side], each alone: [R, B, cells]."""
        return self.step(self.recurrence(stacked), super().values(stacked, planes), None)[0]

    def same_values(self, stacked: Tensor, planes: Tensor, runs: int = 8, positions: int = 64) -> Tensor:
        """What R nets say of the same positions [B, 6, side, side], each alone: [R, B, cells]."""
        return self.step(self.recurrence(stacked), super().same_values(stacked, planes, runs, positions), None)[0]


def stack_of(shape: HexagonalConfig) -> Stack:
    """Stacks of nets of this shape, with or without memory."""
    return RecurrentStack(shape) if isinstance(shape, Config) else Stack(shape)
