"""Many games of one size at once on a device, each seen by its side to move, every move of every game judged together.

A board is bool [2, n, n]: the side to move's stones and the opponent's, in the canonical view (the side to move joins
top and bottom). After a move the board is transposed and the colours are exchanged: ``mirror.play_stones``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fingal import _core
from fingal.nets import planes
from fingal.nets.walls import NEIGHBOURS
from fingal.nets.walls_torch import chained

Chance = Callable[[Tensor], Tensor]
"""From boards bool [B, 2, n, n] to how likely each side to move wins, float [B]."""

AT_ONCE = 1 << 15
"""The most boards that are judged in one call: more would need gigabytes for their planes."""


def empty_cells(boards: Tensor) -> Tensor:
    """bool [B, 2, n, n] to [B, cells]."""
    return ~boards.any(1).flatten(1)


def winning_cells(boards: Tensor) -> Tensor:
    """The empty cells on which the side to move wins at once, bool [B, cells]."""
    reached = chained(boards)[:, :2]
    wide = F.pad(reached, (1, 1, 1, 1))
    size = boards.shape[2]
    touched = torch.zeros_like(reached)
    for down, right in NEIGHBOURS:
        touched |= wide[:, :, 1 + down : 1 + down + size, 1 + right : 1 + right + size]
    touched[:, 0, 0] = touched[:, 1, -1] = True
    return touched.all(1).flatten(1) & empty_cells(boards)


def after_moves(boards: Tensor, row: Tensor, cell: Tensor) -> Tensor:
    """The boards [N, 2, n, n] after moves: cell int64 [N] on the board with the number row int64 [N]."""
    child = boards[row]
    child[:, 0].flatten(1).scatter_(1, cell.unsqueeze(1), True)
    return child.flip(1).transpose(2, 3)


@torch.inference_mode()
def worth(boards: Tensor, moves: Tensor, chance: Chance, depth: int = 1) -> Tensor:
    """How likely the opponent wins after each move, float [B, cells]; infinite where ``moves`` has none.

    0 after a move that wins. Deeper, the opponent is thought to answer as well as it can.
    """
    out = torch.full(moves.shape, torch.inf, device=boards.device)
    row, cell = moves.nonzero(as_tuple=True)
    won = winning_cells(boards)[row, cell]
    said = torch.zeros(len(row), device=boards.device)
    left = (~won).nonzero(as_tuple=True)[0]
    for some in torch.split(left, AT_ONCE if depth == 1 else AT_ONCE // moves.shape[1]):
        child = after_moves(boards, row[some], cell[some])
        if depth == 1:
            said[some] = chance(child).float()
        else:
            said[some] = 1 - worth(child, empty_cells(child), chance, depth - 1).amin(1)
    out[row, cell] = said
    return out


def decided(boards: Tensor, threads: int) -> tuple[Tensor, Tensor, Tensor]:
    """What virtual connections say of boards that are not over.

    Gives, on the boards' device, int64 [B] 1 where the side to move wins, -1 where it loses and 0 where it is not
    known; int64 [B] a move that wins, or -1; and bool [B, cells] the moves that are worth trying.
    """
    count, _, size, _ = boards.shape
    stones = planes.pack(boards.flatten(2).transpose(0, 1).cpu().numpy().astype(np.uint8))
    proof, winning = np.zeros(count, np.int8), np.zeros(count, np.int32)
    moves = np.zeros((count, size * size), np.bool_)
    black = np.zeros(count, np.bool_)
    _core.judge_by_connections(np.ascontiguousarray(stones), black, size, size, proof, winning, moves, threads)
    found = (torch.from_numpy(proof).long(), torch.from_numpy(winning).long(), torch.from_numpy(moves))
    return found[0].to(boards.device), found[1].to(boards.device), found[2].to(boards.device)
