"""Games that a policy plays against itself or others, all at once, and continuations from single moves of them.

One call of the net serves one ply of all games. Every game begins with a stone on a random cell; that opening was not
the policy's choice, so it is never among the moves that are learned from. Plies count from 0, the opening. A **pair**
is a position, as the planes that the net saw, and the move that was made there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from fingal import _core
from fingal.nets.bridges import PLANES

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]

MOST = 1 << 22
"""Games and continuations that there is room for."""

Draw = Callable[[Rows, int, NDArray[np.uint8]], Rows]
"""(games [B], ply, planes [B, 12, n + 2, n + 2]) to a legal cell each, int32 [B]."""

Answer = Callable[[NDArray[np.uint8]], Rows]
"""As ``Draw`` where neither game nor ply matters."""

Best = Callable[[NDArray[np.uint8], int], Rows]
"""(planes [B, 12, n + 2, n + 2], k) to the k best replies of each position, best first, int32 [B, k]; -1 where there
are fewer."""


class Pairs(NamedTuple):
    """P positions and the moves that were made there."""

    planes: NDArray[np.uint8]
    """[P, 12, n + 2, n + 2]"""
    cells: Ints
    """[P]"""
    game: Ints
    """[P]: the game's number."""
    ply: Ints
    """[P]: how many stones there were before the move."""
    over: NDArray[np.bool_]
    """[P]: whether the move won the game."""


class Games:
    """``count`` games of one size and room for ``branches`` continuations of each."""

    def __init__(self, size: int, count: int, branches: int = 0, threads: int = 1, *, pinned: bool = False) -> None:
        """Make room; ``pinned`` keeps planes where a GPU can fetch them by itself. ValueError for too many games."""
        if count * (1 + branches) > MOST:
            more = f" with {branches} continuations each" if branches else ""
            raise ValueError(f"games={count}{more} are too many: {MOST} at most are played at once")
        self.size, self.cells, self.count, self.branches = size, size * size, count, branches
        self._core = _core.PolicyGames(size, size, count * (1 + branches), threads)
        self._slots = count + np.arange(count * branches, dtype=np.int32).reshape(count, branches)
        """[count, branches]: where a game's continuations are; the first holds the position to go on from."""
        shape = (count * max(1, branches), PLANES, size + 2, size + 2)
        self._planes = torch.empty(shape, dtype=torch.uint8, pin_memory=pinned).numpy()
        self.asked = 0
        """How many positions the net was asked about so far."""

    def planes(self, rows: Rows) -> NDArray[np.uint8]:
        """What the net sees of games, [B, 12, n + 2, n + 2]; the next call writes over it."""
        out = self._planes[: len(rows)]
        self._core.planes(rows, out)
        self.asked += len(rows)
        return out

    def play(self, draw: Draw, rng: np.random.Generator, *, every: bool) -> tuple[Pairs, Ints]:
        """Play all games to their ends; gives pairs, and how many stones each game had at its end [count].

        ``every`` gives all pairs after the opening, ply by ply; otherwise one of each game, game by game, each as
        likely as the game's others, and keeps the position after it for ``branch``.
        """
        rows = np.arange(self.count, dtype=np.int32)
        self._core.reset(rows)
        over = self._core.play(rows, rng.integers(self.cells, size=self.count, dtype=np.int32))
        rows = rows[~over]
        length = np.ones(self.count, np.int64)
        picked = _Picked(self.count, self._planes.shape[1:])
        parts: list[Pairs] = []
        ply = 1
        while len(rows):
            planes = self.planes(rows)
            cells = draw(rows, ply, planes)
            over = self._core.play(rows, cells)
            made = Pairs(planes, cells.astype(np.int64), rows.astype(np.int64), np.full(len(rows), ply), over)
            if every:
                parts.append(made._replace(planes=planes.copy()))
            else:
                # Of a game's first t moves each is kept with chance 1/t, whatever t is at the end.
                taken = rng.random(len(rows)) < 1 / ply
                picked.take(made, taken)
                if self.branches:
                    went_on = rows[taken & ~over]
                    self._core.copy(went_on, np.ascontiguousarray(self._slots[went_on, 0]))
            ply += 1
            length[rows[over]] = ply
            rows = rows[~over]
        if not every:
            return picked.pairs(), length
        return Pairs(*(np.concatenate(column) for column in zip(*parts, strict=True))), length

    def branch(self, pairs: Pairs, answer: Answer, k: int, repeats: int = 1, best: Best | None = None) -> Ints:
        """Go on ``repeats`` times in each of k ways from the one pair of each game that ``play`` gave.

        Gives how many stones there were at the end, [count, k, repeats]; 0 where there is no such continuation: the
        pair's move won, or there are fewer than k replies. Without ``best`` the k ways are all alike, with it they
        begin with the k best replies.
        """
        slots = self._slots[:, : k * repeats].reshape(self.count, k, repeats)
        length = np.zeros(slots.shape, np.int64)
        games = np.flatnonzero(~pairs.over)
        if not len(games):
            return length
        first, others = slots[games, 0, 0], slots[games].reshape(len(games), -1)[:, 1:].ravel()
        self._core.copy(first.repeat(k * repeats - 1), others)
        stones = np.broadcast_to((pairs.ply + 1)[:, None, None], slots.shape).copy()
        going = np.zeros(slots.shape, np.bool_)
        going[games] = True
        if best is not None:
            replies = np.full((self.count, k), -1, np.int32)
            replies[games] = best(self.planes(first), k)
            going &= (replies >= 0)[:, :, None]
            cells = np.ascontiguousarray(np.broadcast_to(replies[:, :, None], slots.shape)[going])
            over = self._core.play(slots[going], cells)
            stones[going] += 1
            ended = np.flatnonzero(going)[over]
            length.flat[ended] = stones.flat[ended]
            going.flat[ended] = False
        length[going] = self._finish(slots[going], stones[going], answer)
        return length

    def _finish(self, rows: Rows, stones: Ints, answer: Answer) -> Ints:
        """Play games [B] that have so many stones [B] to their ends; gives the numbers of stones there."""
        length, at = np.zeros(len(rows), np.int64), np.arange(len(rows))
        while len(rows):
            over = self._core.play(rows, answer(self.planes(rows)))
            stones = stones + 1
            length[at[over]] = stones[over]
            rows, stones, at = rows[~over], stones[~over], at[~over]
        return length


class _Picked:
    """One pair of each game."""

    def __init__(self, count: int, shape: tuple[int, ...]) -> None:
        """None yet."""
        self._planes = np.zeros((count, *shape), np.uint8)
        self._cells, self._ply = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._over = np.zeros(count, np.bool_)

    def take(self, made: Pairs, which: NDArray[np.bool_]) -> None:
        """Let these be their games' pairs from now on."""
        games = made.game[which]
        self._planes[games] = made.planes[which]
        self._cells[games], self._ply[games] = made.cells[which], made.ply[which]
        self._over[games] = made.over[which]

    def pairs(self) -> Pairs:
        """Those of all games, in order."""
        return Pairs(self._planes, self._cells, np.arange(len(self._cells)), self._ply, self._over)
