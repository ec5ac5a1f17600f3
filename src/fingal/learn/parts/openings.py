"""How games of self-play begin: with stones after which the net thinks the game is even."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from fingal.learn.parts.game_lines import Game
from fingal.learn.parts.lockstep import winning_cells
from fingal.learn.parts.selfplay import DevicePool
from fingal.nets.judge import Judge, require_finite

Lines = list[list[int]]
"""Cells, Black's first, as a pool takes them: after none of them can anybody win in one move."""


class Openings(NamedTuple):
    """What kinds of openings there are, and how many of each; the rest have a few random stones."""

    most_stones: int
    spread: float
    """How even: the standard deviation of the kept values, roughly."""
    wild_share: float
    """Of openings with up to a boardful of random stones."""
    drawn_share: float = 0.0
    """Of openings whose moves the net's own policy made."""
    recorded_share: float = 0.0
    """Of openings that are the first moves of games on record."""

    def draw(self, judge: Judge, pools: Sequence[DevicePool], generator: torch.Generator) -> None:
        """Give every pool new openings, as many as games are played at once on its size."""
        for size in dict.fromkeys(pool.size for pool in pools):
            here = [pool.core for pool in pools if pool.size == size]
            lines = self.lines(judge, size, sum(core.count for core in here), generator)
            for core in here:
                core.set_openings(lines)

    def lines(
        self, judge: Judge, size: int, count: int, generator: torch.Generator, games: Sequence[Game] = ()
    ) -> Lines:
        """So many openings of one size, kind by kind; on boards too small for any an empty one of each kind.

        Without games on record there are more with a few random stones.
        """
        wild, drawn = round(count * self.wild_share), round(count * self.drawn_share)
        recorded = round(count * self.recorded_share) if games else 0
        lines: Lines = []
        for some, stones in ((count - wild - drawn - recorded, self.most_stones), (wild, size * size)):
            if some > 0:
                lines += random_lines(judge, size, some, stones, self.spread, generator)
        if drawn > 0:
            lines += drawn_lines(judge, size, drawn, self.spread, generator)
        if recorded > 0:
            lines += recorded_lines(judge, size, recorded, games, self.spread, generator)
        return lines


def evenness(value: Tensor, spread: float) -> Tensor:
    """The weight of a position with this value among those to begin from."""
    return torch.exp(-((value / spread) ** 2) / 2) + 1e-6


@torch.no_grad()
def random_lines(
    judge: Judge, size: int, count: int, most_stones: int, spread: float, generator: torch.Generator
) -> Lines:
    """Lines of 1 to ``most_stones`` random stones after which the net thinks the game is even.

    Eight times as many lines are drawn as are kept, each with the weight of its value.
    """
    # With this few stones nobody can win in one move.
    most_stones = min(most_stones, 2 * (size - 2))
    if most_stones < 1:
        return [[]]
    drawn, cells = 8 * count, size * size
    length = torch.randint(1, most_stones + 1, (drawn,), generator=generator)
    order = torch.rand((drawn, cells), generator=generator).topk(most_stones, 1).indices
    return _even(judge, size, order, length, count, spread, generator)


@torch.no_grad()
def recorded_lines(
    judge: Judge, size: int, count: int, games: Sequence[Game], spread: float, generator: torch.Generator
) -> Lines:
    """First moves of games after which the net thinks them even: where other players' ways lead.

    Eight times as many are drawn as are kept, each with the weight of its value: every game is as likely as the others,
    then every ply of it from the stones that were given to the last but one. Somebody may win in one move there, which
    a pool does not take.
    """
    picked = torch.randint(len(games), (8 * count,), generator=generator)
    plies = torch.tensor([len(game.moves) for game in games])[picked]
    given = torch.minimum(torch.tensor([game.given for game in games])[picked], (plies - 2).clamp(min=0))
    choices = (plies - 1 - given).clamp(min=1)
    length = given + (torch.rand(len(picked), generator=generator) * choices).long()
    moves = [torch.tensor(game.moves, dtype=torch.int64) for game in games]
    order = nn.utils.rnn.pad_sequence(moves, batch_first=True)[picked]
    return _even(judge, size, order, length, count, spread, generator)


def _even(
    judge: Judge, size: int, order: Tensor, length: Tensor, count: int, spread: float, generator: torch.Generator
) -> Lines:
    """So many of the lines that have the first cells of each row, each with the weight of its value."""
    drawn, most_stones = order.shape
    packed = torch.zeros((2, drawn, (size * size + 63) // 64), dtype=torch.int64)
    rows = torch.arange(drawn)
    for ply in range(most_stones):
        cell = order[:, ply]
        bit = torch.where(ply < length, torch.ones_like(cell) << (cell & 63), 0)
        packed[ply % 2, rows, cell >> 6] |= bit
    white = length % 2 == 1
    values = [
        judge(packed[:, part].to(judge.device), white[part].to(judge.device), size, size, once=True)[1].cpu()
        for part in torch.split(rows, 4096)
    ]
    require_finite(*values)
    picked = torch.multinomial(evenness(torch.cat(values), spread), count, generator=generator)
    return [order[i, : length[i]].tolist() for i in picked.tolist()]


@torch.no_grad()
def drawn_lines(judge: Judge, size: int, count: int, spread: float, generator: torch.Generator) -> Lines:
    """Lines of moves drawn from the net's policy, up to half a boardful, each cut where the net thinks it is even.

    Both sides make mistakes in them, as weaker players do, so that games begin with attacks that should have failed and
    games that were lost and are open again: positions that a search does not let come about.
    """
    cells, device = size * size, judge.device
    longest = cells // 2
    moves = torch.zeros((count, longest), dtype=torch.int64)
    weight = torch.zeros((count, longest))
    stones = torch.zeros((count, 2, cells), dtype=torch.bool, device=device)
    packed = torch.zeros((2, count, (cells + 63) // 64), dtype=torch.int64, device=device)
    going = torch.ones(count, dtype=torch.bool, device=device)
    rows = torch.arange(count, device=device)
    for ply in range(longest):
        boards = stones.view(count, 2, size, size)
        going &= ~(winning_cells(boards) | winning_cells(boards.flip(1).transpose(2, 3))).any(1)
        white = torch.full((count,), ply % 2 == 1, device=device)
        logits, value = judge(packed, white, size, size, once=True)
        require_finite(logits, value)
        weight[:, ply] = (evenness(value, spread) * going).cpu()
        chances = logits.masked_fill(stones.any(1), -torch.inf).softmax(1).cpu()
        moves[:, ply] = torch.multinomial(chances, 1, generator=generator).squeeze(1)
        cell = moves[:, ply].to(device)
        stones[rows, ply % 2, cell] = True
        packed[ply % 2, rows, cell >> 6] |= torch.ones_like(cell) << (cell & 63)
    length = torch.multinomial(weight, 1, generator=generator).squeeze(1)
    return [line[:plies].tolist() for line, plies in zip(moves, length.tolist(), strict=True)]
