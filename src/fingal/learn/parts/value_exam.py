"""What a net of values is worth by its values alone, against the truth of small boards."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from fingal.learn.parts import lockstep
from fingal.learn.parts.truth import LARGEST, Truth
from fingal.nets import planes

AT_ONCE = 2048
"""Positions whose moves are judged in one go."""


@functools.cache
def known(size: int) -> tuple[Truth, Tensor]:
    """The truth of a size, and its positions bool [P, 2, n, n], each seen by its side to move."""
    truth = Truth(size)
    return truth, torch.from_numpy(planes.stones(truth.positions))


@torch.no_grad()
def examine(chance: lockstep.Chance, size: int, device: torch.device) -> dict[str, float]:
    """Figures of the positions whose truth is known; none on boards beyond 7x7.

    ``sign`` is the share of positions whose value is above one half where the side to move wins and below it where it
    loses; ``keeps_win`` the share of won positions in which the move that is best one move deep wins;
    ``first_vs_best``, on boards up to 3x3, whether the first player wins against a best responder, one move deep.
    """
    if size > LARGEST:
        return {}
    truth, boards = known(size)
    parts = torch.split(boards.to(device), AT_ONCE)
    sure = torch.cat([chance(part) for part in parts]).cpu().numpy() > 0.5
    worth = torch.cat([lockstep.worth(part, lockstep.empty_cells(part), chance) for part in parts])
    measured = truth.measure((1 - 2 * worth).cpu().numpy()[None], canonical=True)
    found = {"sign": float((sure == truth.won).mean())}
    return found | {name: float(measured[name][0]) for name in ("keeps_win", "first_vs_best") if name in measured}
