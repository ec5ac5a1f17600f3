"""Which games have been taken: a game that is delivered again is refused, in whatever order games come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Ledger:
    """The identities of all games taken: who played it, in which pool, and its number there.

    A pool of ``slots`` games numbers those of slot s by s, s + slots, s + 2 slots and so on. So one number a slot says
    which games have come, however many there were; only those that came before their turn are remembered one by one.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._next: dict[tuple[str, int], NDArray[np.int64]] = {}
        self._early: dict[tuple[str, int], set[int]] = {}

    def take(self, actor: str, pool: int, slots: int, games: Iterable[int]) -> NDArray[np.bool_]:
        """Enter games; says of each whether it is new."""
        key = actor, pool
        following = self._next.setdefault(key, np.arange(slots))
        if len(following) != slots:
            raise ValueError(f"pool {pool} of {actor} has {len(following)} games at once, not {slots}")
        early = self._early.setdefault(key, set())
        new = []
        for game in games:
            slot = game % slots
            new.append(bool(game >= following[slot] and game not in early))
            if new[-1]:
                early.add(game)
                while following[slot] in early:
                    early.remove(following[slot])
                    following[slot] += slots
        return np.array(new, np.bool_)

    def __len__(self) -> int:
        """How many games have been taken."""
        in_turn = sum(int((following // len(following)).sum()) for following in self._next.values())
        return in_turn + sum(map(len, self._early.values()))

    def kept(self) -> dict[str, Tensor]:
        """What has to be kept of it, by name."""
        return {
            f"{actor}/{pool}/{kind}": torch.from_numpy(numbers)
            for (actor, pool), following in self._next.items()
            for kind, numbers in (("next", following), ("early", np.array(sorted(self._early[actor, pool]), np.int64)))
        }

    def restore(self, kept: Mapping[str, Tensor]) -> None:
        """Go on with what ``kept`` gave."""
        self._next.clear()
        self._early.clear()
        for name, numbers in kept.items():
            actor, pool, kind = name.rsplit("/", 2)
            if kind == "next":
                self._next[actor, int(pool)] = numbers.numpy().copy()
            else:
                self._early[actor, int(pool)] = set(numbers.tolist())
