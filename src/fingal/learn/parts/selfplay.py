"""Self-play on a device: pools of games in the core, one net that judges for all of them.

The pools take turns. While the device judges one pool's positions, the processor's threads play on in another, so
that neither waits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch

from fingal import _core
from fingal.nets.judge import Judge, Lane

Game = tuple[int, int, int, bool, list[int]]
"""A finished game: its id, how many moves were set, who won (0: Black), whether by resignation, and the moves."""


class DevicePool:
    """One pool of games and its lane to the judge."""

    def __init__(self, size: int, games: int, settings: _core.SelfplaySettings, seed: int, threads: int, judge: Judge):
        """Begin ``games`` games on boards of ``size`` x ``size``."""
        self.size = size
        self.core = _core.SelfplayPool(size, size, games, settings, seed, threads)
        self._last = torch.zeros(games, dtype=torch.int32)
        self.waited_s = 0.0
        """How long ``collect`` has waited for the device so far."""
        self.set_judge(judge)

    def set_judge(self, judge: Judge) -> None:
        """From now on another judge judges; what the last one was asked is forgotten."""
        self.lane = Lane(judge, self.core.count, self.size, self.size)

    def launch(self) -> None:
        """Walk every game to its next leaf and start judging the leaves."""
        lane = self.lane
        self.core.select(lane.stones.numpy().view("uint64"), lane.white_to_move.numpy(), self._last.numpy())
        lane.launch()

    def collect(self) -> None:
        """Wait for the judgements and hand them to the games."""
        if self.lane.in_flight:
            begin = time.perf_counter()
            self.lane.wait()
            self.waited_s += time.perf_counter() - begin
            self.core.update(self.lane.logits.numpy(), self.lane.value.numpy())

    def drop(self) -> None:
        """Forget judgements under way: after this the pool may be saved, restored or given other openings."""
        self.lane.wait()

    def bare_rate(self, seconds: float) -> float:
        """Judgements per second with no games at all: the same positions again and again."""
        begin, rounds = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < seconds:
            self.lane.repeat(10)
            rounds += 10
        return rounds * self.core.count / spent


@torch.no_grad()
def even_openings(
    judge: Judge, size: int, count: int, most_stones: int, spread: float, generator: torch.Generator
) -> list[list[int]]:
    """Lines of 1 to ``most_stones`` random stones after which the net thinks the game is even.

    Eight times as many lines are drawn as are kept; a line with value v is kept with weight exp(-(v / spread)^2 / 2).
    """
    # With this few stones nobody can win in one move, which a pool's openings must not allow.
    most_stones = min(most_stones, 2 * (size - 2))
    if most_stones < 1:
        return [[]]
    drawn, cells = 8 * count, size * size
    length = torch.randint(1, most_stones + 1, (drawn,), generator=generator)
    order = torch.rand((drawn, cells), generator=generator).argsort(1)[:, :most_stones]
    packed = torch.zeros((2, drawn, (cells + 63) // 64), dtype=torch.int64)
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
    weight = torch.exp(-((torch.cat(values) / spread) ** 2) / 2) + 1e-6
    picked = torch.multinomial(weight, count, generator=generator)
    return [order[i, : length[i]].tolist() for i in picked.tolist()]


def draw_openings(
    judge: Judge, pools: Sequence[DevicePool], most_stones: int, spread: float, wild: int, generator: torch.Generator
) -> None:
    """Give every pool 512 openings that the net thinks even; ``wild`` of them have up to a boardful of stones."""
    for size in dict.fromkeys(pool.size for pool in pools):
        lines = []
        for count, stones in ((512 - wild, most_stones), (wild, size * size)):
            if count > 0:
                lines += even_openings(judge, size, count, stones, spread, generator)
        for pool in pools:
            if pool.size == size:
                pool.core.set_openings(lines)
