"""Self-play on a device: pools of games in the core, one net that judges for all of them.

The pools take turns. While the device judges one pool's positions, the processor's threads play on in another, so
that neither waits.
"""

from __future__ import annotations

import time

import torch

from fingal import _core
from fingal.nets.judge import Judge, Lane, require_finite

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
            require_finite(self.lane.logits, self.lane.value)
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
