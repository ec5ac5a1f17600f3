"""NeuroHex's mentor: what an electric circuit says of every move, for many positions at once on any device.

In a colour's circuit every empty cell is a node, and neighbouring ones are joined by a wire of conductance 1. The
colour's stones conduct perfectly: all empty cells around one group are joined by wires of conductance 1. The opponent's
stones are not there. One side of the board, with the groups that touch it, is a source of 1 volt, the opposite one is
ground, and a wire of conductance 1 joins each to the empty cells around it. docs/neurohex.md has the equations by
number.

A board is bool [2, n, n] in the canonical view, as in ``lockstep``: the side to move joins top and bottom. The circuit
of the opponent is that of the board as the opponent sees it.
"""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.nets.walls import NEIGHBOURS

LEAK = 1e-9
"""The conductance from every node to the ground: nodes that nothing joins to source or ground need some voltage, 0."""

MOST_CURRENT = 1 - 1e-3
"""What a cell's current is cut to in equation (3), which has no value for 1."""

AT_ONCE = {"cpu": 1 << 22, "cuda": 1 << 26}
"""The most entries that the matrices of one call have: some of 8 bytes each stand beside each other."""


def scores(boards: Tensor) -> Tensor:
    """Equation (5) for every move: boards bool [B, 2, n, n], none of them over, to float32 [B, cells].

    In [-1, 1], the side to move's view; -1 where a stone stands.
    """
    size = boards.shape[2]
    at_once = max(1, AT_ONCE.get(boards.device.type, 1 << 22) // (2 * size**4))
    found = [_scores(part) for part in torch.split(boards, at_once)]
    return torch.cat(found) if found else boards.new_zeros((0, size * size), dtype=torch.float32)


def _scores(boards: Tensor) -> Tensor:
    count, _, size, _ = boards.shape
    opponents = boards.flip(1).transpose(2, 3)
    through, conductance = circuit(torch.cat((boards, opponents)))
    mine, theirs = through.view(2, count, size, size)
    theirs = theirs.transpose(1, 2).flatten(1)
    own, other = conductance.view(2, count, 1)
    found = score(conductance_after(own, mine.flatten(1)), other_after(other, theirs))
    return found.masked_fill(boards.any(1).flatten(1), -1.0).float()


def conductance_after(conductance: Tensor, through: Tensor) -> Tensor:
    """Equation (3): what the mover's conductance is thought to be after it plays a cell with this current."""
    current = through.clamp(max=MOST_CURRENT)
    return conductance + current.square() / (3 * (1 - current))


def other_after(conductance: Tensor, through: Tensor) -> Tensor:
    """Equation (4): what the opponent's conductance is thought to be after it loses a cell with this current."""
    return (conductance - through).clamp(min=0)


def score(own: Tensor, other: Tensor) -> Tensor:
    """Equation (5): the two conductances as a value in [-1, 1] for the mover."""
    return torch.where(own > other, 1 - other / own.clamp(min=LEAK), own / other.clamp(min=LEAK) - 1).clamp(-1, 1)


def circuit(boards: Tensor) -> tuple[Tensor, Tensor]:
    """Equations (1) and (2) for the side to move, who joins top and bottom: float64 currents and conductance.

    The currents [B, cells] are half the sum of what flows in the wires of each cell, 0 on stones; the conductance [B]
    is what flows from top to bottom.
    """
    links, source, sink = wires(boards)
    empty = ~boards.any(1).flatten(1)
    links, source, sink = links.double(), source.double(), sink.double()
    total = links.sum(2) + source + sink + torch.where(empty, LEAK, 1.0)
    voltage = torch.linalg.solve_ex(torch.diag_embed(total) - links, source)[0]
    between = (voltage.unsqueeze(2) - voltage.unsqueeze(1)).abs_().mul_(links).sum(2)
    entering, leaving = source * (1 - voltage), sink * voltage
    return (between + entering.abs() + leaving.abs()) / 2, entering.sum(1)


def wires(boards: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The circuit of the side to move: wires between cells bool [B, cells, cells], from the source and to the ground.

    The latter are bool [B, cells].
    """
    count, _, size, _ = boards.shape
    cells = size * size
    empty = ~boards.any(1)
    names = groups(boards[:, 0])
    wide = F.pad(names, (1, 1, 1, 1))
    near = [wide[:, 1 + down : 1 + down + size, 1 + right : 1 + right + size] for down, right in NEIGHBOURS]
    # Which groups an empty cell touches: [B, names, cells]; name 0 is no group.
    touches = torch.zeros((count, cells + 3, cells), device=boards.device)
    touches.scatter_(1, torch.stack([part.flatten(1) for part in near], 1), 1.0)
    touches.mul_(empty.flatten(1).unsqueeze(1))
    inner = touches[:, 1 : cells + 1]
    links = torch.bmm(inner.mT, inner) > 0
    free = empty.flatten(1)
    links |= adjacency(size, boards.device) & free.unsqueeze(1) & free.unsqueeze(2)
    links.diagonal(dim1=1, dim2=2).fill_(False)
    source, sink = touches[:, cells + 2] > 0, touches[:, cells + 1] > 0
    source[:, :size] |= free[:, :size]
    sink[:, -size:] |= free[:, -size:]
    return links, source, sink


def groups(stones: Tensor) -> Tensor:
    """A name for every group of one colour's stones, bool [B, n, n] to int64 [B, n, n], 0 where there is none.

    A group that touches the top is n * n + 2, one that touches the bottom n * n + 1, and others are at most n * n.
    """
    size = stones.shape[1]
    names = torch.arange(1, size * size + 1, device=stones.device).view(size, size).clone()
    names[-1], names[0] = size * size + 1, size * size + 2
    found = names * stones
    while True:
        wide = F.pad(found, (1, 1, 1, 1))
        grown = found.clone()
        for down, right in NEIGHBOURS:
            near = wide[:, 1 + down : 1 + down + size, 1 + right : 1 + right + size]
            torch.maximum(grown, near, out=grown)
        grown.mul_(stones)
        if torch.equal(grown, found):
            return found
        found = grown


@functools.cache
def adjacency(size: int, device: torch.device) -> Tensor:
    """Which cells are neighbours, bool [cells, cells]."""
    row, column = torch.arange(size * size) // size, torch.arange(size * size) % size
    down, right = row.unsqueeze(0) - row.unsqueeze(1), column.unsqueeze(0) - column.unsqueeze(1)
    found = torch.zeros(size * size, size * size, dtype=torch.bool)
    for step in NEIGHBOURS:
        found |= (down == step[0]) & (right == step[1])
    return found.to(device)
