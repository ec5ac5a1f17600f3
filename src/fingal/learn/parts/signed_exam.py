"""What a net that sees signed boards is worth by its best moves alone: against the random player and the truth."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from fingal.learn.parts.mirror import best_cell
from fingal.learn.parts.opponent_games import random_reply, wins
from fingal.learn.parts.truth import LARGEST, Truth
from fingal.nets import planes
from fingal.nets.signed_net import from_stones

GAMES = 200
"""Games against the random player as the first, and as many as the second."""

AT_ONCE = 1024
"""Positions that are judged in one go."""

Say = Callable[[Tensor], Tensor]
"""Boards [B, n, n] of 1, -1 and 0 to a number for each cell, [B, cells]: the higher, the better to play there."""


@functools.cache
def _truth(size: int) -> tuple[Truth, Tensor]:
    """The truth of a size, and its positions as float32 [P, n, n], each seen by its side to move."""
    truth = Truth(size)
    return truth, from_stones(torch.from_numpy(planes.stones(truth.positions)))


@torch.no_grad()
def examine(say: Say, size: int, device: torch.device, *, games: int = GAMES, seed: int = 1) -> dict[str, float]:
    """Figures of a player who takes the cell with the highest number.

    ``first_vs_random`` and ``second_vs_random`` are the shares of games that it wins as the first and as the second;
    up to 7x7 there is ``keeps_win``, the share of won positions in which its move wins, and up to 3x3
    ``first_vs_best``, whether it wins as the first against a best responder.
    """
    generator = torch.Generator(device=device).manual_seed(seed)

    def best(boards: Tensor, legal: Tensor) -> Tensor:
        return best_cell(say(boards.float()), legal)[1]

    found = {}
    for name, second in (("first_vs_random", False), ("second_vs_random", True)):
        found[name] = wins(best, random_reply, size, games, generator, second=second) / games
    if size > LARGEST:
        return found
    truth, boards = _truth(size)
    said = torch.cat([say(some.to(device)).float() for some in torch.split(boards, AT_ONCE)])
    judged = truth.measure(said.cpu().numpy()[np.newaxis], canonical=True)
    return found | {name: float(judged[name][0]) for name in ("keeps_win", "first_vs_best") if name in judged}
