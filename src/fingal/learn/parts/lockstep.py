"""Many games of one size at once on a device, each seen by its side to move, every move of every game judged together.

A board is bool [2, n, n]: the side to move's stones and the opponent's, in the canonical view (the side to move joins
top and bottom). After a move the board is transposed and the colours are exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fingal import _core
from fingal.nets.walls import NEIGHBOURS
from fingal.nets.walls_torch import chained

Chance = Callable[[Tensor], Tensor]
"""From boards bool [B, 2, n, n] to how likely each side to move wins, float [B]."""

AT_ONCE = 1 << 15
"""The most boards that are judged in one call: more would need gigabytes for their planes."""


def rounded(count: int) -> int:
    """A number of boards from ``count`` on: a power of two from 256 to 4096, and then multiples of 4096."""
    return -(-count // 4096) * 4096 if count > 2048 else max(256, 1 << (count - 1).bit_length())


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
    """The boards [N, 2, n, n] after moves, as the opponent sees them: cell int64 [N] on board number row int64 [N]."""
    child = boards[row].contiguous()  # indexing keeps the strides of a transposed board, of which flatten is a copy
    child[:, 0].flatten(1).scatter_(1, cell.unsqueeze(1), True)
    return child.flip(1).transpose(2, 3).contiguous()


@torch.inference_mode()
def worth(boards: Tensor, moves: Tensor, chance: Chance, depth: int = 1, wins: Tensor | None = None) -> Tensor:
    """How likely the opponent wins after each move, float [B, cells]; infinite where ``moves`` has none.

    0 after a move that wins: ``wins`` bool [B, cells] where they are known already. Deeper, the opponent is thought to
    answer as well as it can.
    """
    out = torch.full(moves.shape, torch.inf, device=boards.device)
    row, cell = moves.nonzero(as_tuple=True)
    won = (winning_cells(boards) if wins is None else wins)[row, cell]
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


class Known(NamedTuple):
    """What is known of the games that go on, each seen by its side to move."""

    proof: Tensor
    """int64 [B]: 1 where the side to move wins, -1 where it loses, 0 where it is not known."""
    winning: Tensor
    """int64 [B]: a move that wins, or -1."""
    moves: Tensor
    """bool [B, cells]: the moves that are worth trying; all where the game is decided."""


class Games:
    """Games of one size in the core, all at the same ply, beside their boards on a device.

    The core finds out who has won and what connections say, in a thread of its own, while the device may be at work
    for other games.
    """

    def __init__(self, size: int, count: int, connections: bool, threads: int, device: torch.device) -> None:
        """Games that begin with ``begin``."""
        self._core = _core.JudgedGames(size, size, count, connections, threads)
        self._turned = torch.arange(size * size).view(size, size).T.flatten()
        self._thread = ThreadPoolExecutor(1)
        self._asked: Future[Known] | None = None
        self.size, self.count, self.device = size, count, device
        self.begin()

    def begin(self) -> None:
        """Every game from the empty board."""
        self.known()
        self._core.reset()
        self.ply = 0
        self.going = torch.arange(self.count, device=self.device)
        """int64 [B]: the games that are not over."""
        self._numbers = np.arange(self.count, dtype=np.int32)
        self.boards = torch.zeros(self.count, 2, self.size, self.size, dtype=torch.bool, device=self.device)
        """bool [B, 2, n, n]: theirs, each seen by its side to move."""

    def ask(self) -> None:
        """Begin to find out what ``known`` gives."""
        self._asked = self._thread.submit(self._judge)

    def known(self) -> Known | None:
        """What has been asked; None when nothing has."""
        if self._asked is None:
            return None
        found, self._asked = self._asked.result(), None
        return Known(*(part.to(self.device, non_blocking=True) for part in found))

    def _judge(self) -> Known:
        count = len(self._numbers)
        proof, winning = np.zeros(count, np.int8), np.zeros(count, np.int32)
        moves = np.zeros((count, self.size * self.size), np.bool_)
        self._core.judge(self._numbers, proof, winning, moves)
        won, seen = torch.from_numpy(winning).long(), torch.from_numpy(moves)
        if self.ply % 2:  # the core's boards are Black's view
            won, seen = torch.where(won >= 0, self._turned[won], won), seen[:, self._turned]
        return Known(torch.from_numpy(proof).long(), won, seen)

    def play(self, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Play a cell int64 [B] in every game that goes on, as its side to move sees it.

        Gives the boards after it, bool [B, 2, n, n] for who moves next, and which games that has ended, bool [B];
        those no longer go on.
        """
        after = after_moves(self.boards, torch.arange(len(cell), device=self.device), cell)
        there = cell.cpu()
        over = np.zeros(len(there), np.bool_)
        played = (self._turned[there] if self.ply % 2 else there).numpy().astype(np.int32)
        self._core.play(self._numbers, played, over)
        self.ply += 1
        ended = torch.from_numpy(over).to(self.device)
        self._numbers = np.ascontiguousarray(self._numbers[~over])
        self.boards, self.going = after[~ended], self.going[~ended]
        return after, ended
