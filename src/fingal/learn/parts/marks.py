"""What a net that gives one number a cell is worth: against the truth and, with either side, against random moves.

The player that is measured plays the legal cell with the highest number. A board is float [B, n, n]: 1 for the side to
move's stones, -1 for the opponent's, 0 for empty cells, in the canonical view.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from fingal.learn.parts.mirror import best_cell
from fingal.learn.parts.opponent_games import random_reply, wins
from fingal.learn.parts.truth import LARGEST
from fingal.learn.parts.value_exam import AT_ONCE, known
from fingal.nets.signed_net import from_stones

Scores = Callable[[Tensor], Tensor]
"""From boards float [B, n, n] to what is thought of each cell, [B, cells]; on stones it does not matter."""


class Marks:
    """The same positions and the same random numbers for everyone who is measured."""

    def __init__(self, size: int, games: int = 256, seed: int = 0) -> None:
        """For one size, with so many games as the first player and as many as the second."""
        if games < 1:
            raise ValueError(f"games must be at least 1, not {games}")
        self.size, self.games, self.seed = size, games, seed

    @torch.no_grad()
    def __call__(self, scores: Scores, device: torch.device) -> dict[str, float]:
        """The marks of a net on a device.

        ``keeps_win``, up to 7x7, is the share of won positions in which its move still wins. ``first_vs_random`` and
        ``second_vs_random`` are the shares of games won from the empty board: up to 3x3 they are exact, and there is
        also ``first_vs_best``, whether it wins as the first player against a best responder.
        """
        found: dict[str, float] = {}
        if self.size <= LARGEST:
            truth, stones = known(self.size)
            boards = from_stones(stones).to(device)
            said = torch.cat([scores(part).float() for part in torch.split(boards, AT_ONCE)]).cpu().numpy()
            measured = truth.measure(said[np.newaxis], canonical=True)
            wanted = ("keeps_win", "first_vs_random", "second_vs_random", "first_vs_best")
            found = {name: float(measured[name][0]) for name in wanted if name in measured}
        if "first_vs_random" not in found:
            found |= against_random(scores, self.size, self.games, device, self.seed)
        return found


@torch.no_grad()
def against_random(scores: Scores, size: int, games: int, device: torch.device, seed: int = 0) -> dict[str, float]:
    """The share of games won against random moves, as the first player and as the second, ``games`` of each."""
    generator = torch.Generator(device=device).manual_seed(seed)

    def choose(boards: Tensor, legal: Tensor) -> Tensor:
        return best_cell(scores(boards.float()), legal)[1]

    won = [wins(choose, random_reply, size, games, generator, second=second) for second in (False, True)]
    return {"first_vs_random": won[0] / games, "second_vs_random": won[1] / games}
