"""The recurrent net of paper 000: a hexagonal net and, on what it says of each board, a recurrent layer.

Of a game's boards, one after the other, each in the view of the side that is then to move:

    x_t = what the hexagonal net says of board t                      [cells]     (1)
    h_t = f(U x_t + W h_{t-1} + b),   h_{-1} = 0                     [cells]     (2)
    o_t = f(V h_t + c)                                               [cells]     (3)

with f(x) = 2 * sigmoid(x) - 1, which is tanh(x / 2). Entry j of o_t is the value, for the side to move, of playing
cell j on board t. Without a squash, (1) and (3) have none, and o_t holds logits.

**How far it remembers.** A sequence holds at most ``depth`` boards and never crosses games. A game with more boards is
cut into pieces of ``depth``, and h is 0 at the start of each: board t is seen with those since t // depth * depth. The
net plays as it learned, because both go by this rule. On 3x3 a game has at most nine boards, so it is one piece.

A position alone, without the game that led to it, is judged as the first of its piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fingal.nets import hexagonal
from fingal.nets.hexagonal import Hexagonal, squash


@dataclass(frozen=True)
class Config(hexagonal.Config):
    """The shape of a recurrent net: that of its hexagonal net, and how long a sequence is."""

    depth: int = 10
    """How many boards a sequence holds at most."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        super().__post_init__()
        if type(self.depth) is not int or not 1 <= self.depth <= 361:
            raise ValueError(f"depth must be a whole number from 1 to 361, not {self.depth!r:.40}")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The parameters' names and shapes, in the order in which a flat vector holds them."""
        cells = self.cells
        return super().shapes() | {
            "recurrence.U": (cells, cells),
            "recurrence.W": (cells, cells),
            "recurrence.b": (cells,),
            "recurrence.V": (cells, cells),
            "recurrence.c": (cells,),
        }

    def piece(self, ply: int) -> int:
        """The first board of the piece in which board ``ply``, counted from 0, stands."""
        return ply // self.depth * self.depth


PAPER_000 = Config()
"""Paper 000's recurrent net for 3x3: 2,738 parameters, 18 of them biases of the recurrent layer."""


class Recurrence(nn.Module):
    """The recurrent layer: equations (2) and (3)."""

    def __init__(self, cells: int) -> None:
        """Glorot's uniform weights; biases 0."""
        super().__init__()
        for name in "UWV":
            matrix = nn.Parameter(torch.empty(cells, cells))
            nn.init.xavier_uniform_(matrix)
            self.register_parameter(name, matrix)
        self.b = nn.Parameter(torch.zeros(cells))
        self.c = nn.Parameter(torch.zeros(cells))


class Recurrent(Hexagonal):
    """Values of moves, given the boards before."""

    config: Config

    def __init__(self, config: Config = PAPER_000) -> None:
        """Random initial weights."""
        super().__init__(config)
        self.recurrence = Recurrence(config.cells)

    def forward(self, planes: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Planes [B, 6, side, side] of single boards to [B, cells]; ``hidden`` is h before them, 0 if not given."""
        return self.step(planes, hidden)[0]

    def step(self, planes: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """One board of B games each: o [B, cells] and h [B, cells], given h of the boards before."""
        weights = {name: tensor.unsqueeze(0) for name, tensor in self.recurrence.named_parameters()}
        x = super().forward(planes).unsqueeze(0)
        before = torch.zeros_like(x) if hidden is None else hidden.unsqueeze(0)
        after = remember(weights, x, before)
        return say(weights, after, self.config.squash).squeeze(0), after.squeeze(0)


def remember(weights: dict[str, Tensor], x: Tensor, hidden: Tensor) -> Tensor:
    """Equation (2) for R nets: weights [R, ...], x and h [R, B, cells] to the next h."""
    drive = torch.baddbmm(weights["b"].unsqueeze(1), x, weights["U"].mT)
    return squash(torch.baddbmm(drive, hidden, weights["W"].mT), "sigmoid")


def say(weights: dict[str, Tensor], hidden: Tensor, how: hexagonal.Squash) -> Tensor:
    """Equation (3) for R nets: h [R, B, cells] to o; ``how`` is the config's squash."""
    return squash(torch.baddbmm(weights["c"].unsqueeze(1), hidden, weights["V"].mT), how)
