"""Why paper 003's transformers are slow to learn: one cause at a time, without the noise of games.

A net learns which moves win on 4x4, where that is known of every position: a number for each empty cell, by
cross-entropy, as in the paper's deep Q-learning where the discount is 1. Positions are drawn from those that are won
and in which at most a third of the moves win, so that little can be guessed; some are kept to measure on. Settings that
are no cause are the learner's: AdamW with AMSGrad, batches of 32.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.arena.exam.enumeration import enumeration
from fingal.nets import choice, signed, transformer
from fingal.nets.planes import to_board
from fingal.nets.signed_net import Signed

SIZE = 4
DRAWN, ASIDE = 80_000, 2000
"""Positions that are drawn from all, and how many of the hard ones among them are measured on."""
MEASURED = 8
"""How often a net is measured on its way."""


@dataclass(frozen=True)
class Lesson:
    """A net and how it learns."""

    net: Literal["transformer", "convolutional"] = "transformer"
    """What learns; the convolutional net is there to compare with, and has no settings but the rates'."""
    positions: transformer.Places = "learned"
    """How a token knows its place."""
    norm: Literal["post", "pre"] = "post"
    """Whether sums are normalised, or what goes into the parts."""
    width: int = 32
    """Numbers of a token; channels of the convolutional net."""
    learning_rate: float = 1e-3
    """AdamW's."""
    warm_up: int = 0
    """Steps over which the rate rises from 0."""
    steps: int = 400
    """Steps of learning."""
    batch: int = 32
    """Positions in a step."""
    seed: int = 1
    """Decides the first weights and what is drawn."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name, least in (("warm_up", 0), ("steps", MEASURED), ("batch", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate must be a number above 0, not {self.learning_rate}")
        if self.net not in ("transformer", "convolutional"):
            raise ValueError(f"net must be transformer or convolutional, not {self.net!r:.40}")
        self.shape()

    def shape(self) -> choice.Config:
        """The net's."""
        if self.net == "convolutional":
            return choice.shape("convolutional", SIZE, self.width)
        config = choice.shape(f"transformer-{self.positions}", SIZE, self.width)
        assert isinstance(config, transformer.Config)
        return replace(config, norm=self.norm)


CAUSES: dict[str, dict[str, Any]] = {
    "Transformer2 as published": {"learning_rate": 1e-4},
    "with the others' learning rate": {},
    "and warm-up": {"warm_up": 100},
    "and normalised beforehand": {"norm": "pre"},
    "and cube coordinates (the paper's Transformer)": {"positions": "cube"},
    "and coordinates, normalised beforehand": {"positions": "cube", "norm": "pre"},
    "and offsets that begin near": {"positions": "relative"},
    "offsets, normalised beforehand (ours)": {"positions": "relative", "norm": "pre"},
    "ours with the published learning rate": {"positions": "relative", "norm": "pre", "learning_rate": 1e-4},
    "Convolutional": {"net": "convolutional"},
}
"""Names and the fields in which a lesson differs from the second, which changes no more than the learning rate."""

DQN_CAUSES: dict[str, dict[str, Any]] = {
    "Transformer2 as published": {"net": "transformer-learned", "learning_rate": 1e-4, "schedule": "published"},
    "with a rate that stays": {"net": "transformer-learned", "learning_rate": 1e-4},
    "with the others' learning rate": {"net": "transformer-learned"},
    "and cube coordinates (the paper's Transformer)": {"net": "transformer-cube"},
    "and offsets, normalised beforehand (ours)": {"net": "transformer-relative"},
    "Convolutional": {"net": "convolutional"},
}
"""The same for runs of ``fingal train dqn`` against the random player: fields of its settings."""


class Positions(NamedTuple):
    """Hard positions of 4x4, each seen by its side to move."""

    boards: Tensor
    """[P, 4, 4]"""
    wins: Tensor
    """[P, cells]: 1 for moves that win."""
    empty: Tensor
    """bool [P, cells]"""


@functools.cache
def positions() -> Positions:
    """The first ``ASIDE`` are to measure on."""
    listed = enumeration(SIZE, SIZE)
    codes = np.concatenate([level.codes for level in listed.levels])
    codes = np.random.default_rng(0).permutation(codes)[:DRAWN]
    packed = listed.positions(codes)
    winning = to_board(listed.winning_cells(codes).astype(np.float32), packed.white_to_move, SIZE, SIZE)
    boards = torch.from_numpy(signed.encode(packed))
    wins, empty = torch.from_numpy(winning), (boards == 0).flatten(1)
    share = wins.sum(1) / empty.sum(1)
    hard = (share > 0) & (share <= 1 / 3)
    return Positions(boards[hard], wins[hard], empty[hard])


def loss(said: Tensor, wins: Tensor, empty: Tensor) -> Tensor:
    """The cross-entropy of every empty cell's number, said [B, cells], with whether it wins; the mean of them."""
    each = F.binary_cross_entropy_with_logits(said, wins, reduction="none")
    return (each * empty).sum() / empty.sum()


@torch.no_grad()
def keeps_win(net: Signed) -> float:
    """The share of the positions that were set aside in which the best empty cell wins."""
    known = positions()
    best = net(known.boards[:ASIDE]).masked_fill(~known.empty[:ASIDE], -torch.inf).argmax(1, keepdim=True)
    return float(known.wins[:ASIDE].gather(1, best).mean())


def learn(lesson: Lesson) -> list[tuple[int, float]]:
    """Steps so far and ``keeps_win`` then, ``MEASURED`` times, evenly spaced."""
    torch.manual_seed(lesson.seed)
    generator = torch.Generator().manual_seed(lesson.seed)
    net, known = choice.of(lesson.shape()), positions()
    adam = torch.optim.AdamW(net.parameters(), lesson.learning_rate, amsgrad=True)
    rows = []
    for step in range(1, lesson.steps + 1):
        for group in adam.param_groups:
            group["lr"] = lesson.learning_rate * min(1.0, step / max(1, lesson.warm_up))
        pick = torch.randint(ASIDE, len(known.boards), (lesson.batch,), generator=generator)
        adam.zero_grad()
        loss(net(known.boards[pick]), known.wins[pick], known.empty[pick]).backward()  # type: ignore[no-untyped-call]
        adam.step()
        if step * MEASURED // lesson.steps > (step - 1) * MEASURED // lesson.steps:
            rows.append((step, keeps_win(net)))
    return rows


def measured(lesson: Lesson) -> dict[str, float]:
    """``early``, a quarter of the way, ``end``, and the ``mean`` along the way."""
    kept = [share for _, share in learn(lesson)]
    return {"early": kept[MEASURED // 4 - 1], "end": kept[-1], "mean": sum(kept) / len(kept)}


def lessons(common: Mapping[str, Any], seeds: int) -> list[tuple[str, Lesson]]:
    """A lesson of every cause and seed; ``common`` are fields that all have."""
    return [
        (name, Lesson(**{**common, **fields, "seed": seed}))
        for name, fields in CAUSES.items()
        for seed in range(1, seeds + 1)
    ]
