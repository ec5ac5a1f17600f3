"""What nets say after games, for nets that remember and for nets that do not.

A game is a path through a list of boards. What the hexagonal nets say of each board on the list is worked out once;
the recurrent layers then follow the paths.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.mirror import LARGEST_TABLE, listed, play_stones
from fingal.learn.parts.online import Measure
from fingal.learn.parts.truth import Truth
from fingal.nets import walls_torch
from fingal.nets.hexagonal import squash
from fingal.nets.recurrent import say
from fingal.nets.stacked import Stack
from fingal.nets.stacked_recurrent import RecurrentStack


class Recall:
    """R nets, and what they say of every board on a list."""

    def __init__(self, stack: Stack, stacked: Tensor, boards: Tensor) -> None:
        """Ask nets [R, width] about boards bool [U, 2, n, n], as the side to move sees them."""
        self.stack, self.stacked = stack, stacked
        planes = walls_torch.from_stones(boards, stack.config.padding)
        self._seen = Stack.same_values(stack, stacked, planes)
        if isinstance(stack, RecurrentStack):
            self._weights = stack.recurrence(stacked)
            self._seen = torch.baddbmm(self._weights["b"].unsqueeze(1), self._seen, self._weights["U"].mT)

    def everyone(self, paths: Tensor, plies: Tensor) -> Tensor:
        """What every net says after every game, [R, P, cells], in the view of the side to move.

        ``paths`` [P, T] are the numbers of the games' boards, ``plies`` [P] the place of the last one.
        """
        if not isinstance(self.stack, RecurrentStack):
            return self._seen[:, paths.gather(1, plies.unsqueeze(1)).squeeze(1)]
        out = torch.zeros(len(self.stacked), *paths.shape[:1], self.stack.cells)
        hidden = torch.zeros_like(out)
        for ply in range(paths.shape[1]):
            drive = self._seen[:, paths[:, ply]]
            if ply != self.stack.config.piece(ply):
                drive = torch.baddbmm(drive, hidden, self._weights["W"].mT)
            hidden = squash(drive, "sigmoid")
            here = plies == ply
            out[:, here] = say(self._weights, hidden[:, here], self.stack.config.squash)
        return out

    def values(self, players: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.floating]:
        """``truth.Values`` of nets on a board whose positions are all on the list: [N, cells] on the board as it is."""
        size, plies = self.stack.config.size, moves.shape[1]
        who, paths = torch.from_numpy(players), paths_of(moves, size)
        if isinstance(self.stack, RecurrentStack):
            told, said, bias = (self._weights[name].index_select(0, who) for name in "WVc")
            begin = self.stack.config.piece(plies)
            hidden = squash(self._seen[who, paths[:, begin]].unsqueeze(2), "sigmoid")
            for ply in range(begin + 1, plies + 1):
                drive = self._seen[who, paths[:, ply]].unsqueeze(2)
                hidden = squash(torch.baddbmm(drive, told, hidden), "sigmoid")
            found = squash(torch.baddbmm(bias.unsqueeze(2), said, hidden).squeeze(2), self.stack.config.squash)
        else:
            found = self._seen[who, paths[:, plies]]
        values: NDArray[np.floating] = found.numpy()
        if plies % 2:
            values = values.reshape(-1, size, size).transpose(0, 2, 1).reshape(-1, size * size)
        return values


def seen_cell(cell: Tensor, ply: int, size: int) -> Tensor:
    """Cells of the board as the side to move sees them after ``ply`` moves: transposed for White. And back."""
    return cell % size * size + cell // size if ply % 2 else cell


def paths_of(moves: NDArray[np.int64], size: int) -> Tensor:
    """Games [N, plies] as numbers of ``mirror.listed``'s boards, [N, plies + 1].

    After a move of -1, and after the end of a game, a path stays where it is.
    """
    child = listed(size).child
    given = torch.from_numpy(moves)
    paths = [torch.zeros(len(given), dtype=torch.int64)]
    for ply in range(given.shape[1]):
        cell = seen_cell(given[:, ply].clamp(min=0), ply, size)
        after = child[paths[-1], cell]
        paths.append(torch.where((given[:, ply] >= 0) & (after >= 0), after, paths[-1]))
    return torch.stack(paths, 1)


def distinct(moves: NDArray[np.int64], size: int) -> tuple[Tensor, Tensor]:
    """The boards of games [N, plies], each once, bool [U, 2, n, n], and the games as numbers of them."""
    given = torch.from_numpy(moves)
    boards = [torch.zeros(len(given), 2, size, size, dtype=torch.bool)]
    for ply in range(given.shape[1]):
        after, _ = play_stones(boards[-1], seen_cell(given[:, ply].clamp(min=0), ply, size))
        boards.append(torch.where((given[:, ply] >= 0).view(-1, 1, 1, 1), after, boards[-1]))
    every, paths = torch.unique(torch.stack(boards, 1).flatten(2).flatten(0, 1), dim=0, return_inverse=True)
    return every.view(-1, 2, size, size), paths.view(len(given), -1)


def memory_measure(stack: RecurrentStack) -> Measure:
    """What greedy players with stacked recurrent nets [N, width] are worth against the truth, where it is known.

    A position of the exam is shown with one game that leads to it. Games against a best responder and against random
    moves are played in full, so that the nets remember what they have seen.
    """
    try:
        truth = Truth(stack.config.size)
    except ValueError:
        return lambda parameters: {}
    size = stack.config.size
    if size * size <= LARGEST_TABLE:
        boards, paths = listed(size).stones, paths_of(truth.histories, size)
    else:
        boards, paths = distinct(truth.histories, size)
    plies = torch.from_numpy((truth.histories >= 0).sum(1))

    def measure(parameters: Tensor) -> dict[str, NDArray[np.float64]]:
        recall = Recall(stack, parameters, boards)
        found = truth.judge(recall.everyone(paths, plies).numpy(), canonical=True)
        if truth.whole:
            found |= truth.measure_with_memory(len(parameters), recall.values)
        return found

    return measure
