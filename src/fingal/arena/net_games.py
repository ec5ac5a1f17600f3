"""Games between nets, thousands at a time: every net is asked about all the positions in which it is to move at once.

A game between two nets' best moves needs no clock, no process and no record on the way. So all games of a tournament
are played beside each other in one batch of the core, and what is asked of a net is a batch for its device. Equal
positions, of which there are many among deterministic players, are asked about once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from fingal.arena.ratings import Ratings, rate
from fingal.arena.statistics import Rate
from fingal.game import BLACK, WHITE, Colour
from fingal.nets import bridges
from fingal.nets.agreement import legal_logits
from fingal.nets.planes import take
from fingal.search.evaluator import Evaluation, Evaluator, Positions

AT_ONCE = 1024
"""The most positions that a net is asked about in one call: attention on a large board needs memory for each."""

Tell = Callable[[float], None]
"""Told the share of the games' moves, at the most, that is behind."""


class Randomly:
    """An evaluator by which every empty cell is as good as any other: its best move is a random one."""

    def __init__(self, seed: int = 0) -> None:
        """The same seed and the same questions, the same moves."""
        self._random = np.random.default_rng(seed)

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions, anew each time."""
        count = len(positions.white_to_move)
        logits = self._random.random((count, positions.width * positions.height), np.float32)
        return Evaluation(logits, np.zeros(count, np.float32))


@dataclass(frozen=True)
class Game:
    """What a rating needs to know of a game."""

    black: str
    white: str
    winner: Colour


@dataclass(frozen=True, eq=False)
class Games:
    """Games that have been played; G is their number."""

    pairs: NDArray[np.int64]
    """[G, 2]: who had Black and who had White, by number."""
    openings: NDArray[np.int64]
    """[G]: the first stone, where it was given; -1 where Black chose it."""
    black_won: NDArray[np.bool_]
    """[G]"""
    moves: NDArray[np.int16]
    """[G, cells]: cells in the order in which they were played, -1 after the end."""

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[G]: stones on the board at the end."""
        counted: NDArray[np.int64] = (self.moves >= 0).sum(1)
        return counted

    @property
    def distinct(self) -> int:
        """How many different games there are, whoever played them."""
        return len(np.unique(self.moves, axis=0)) if len(self) else 0

    def where(self, chosen: NDArray[np.bool_]) -> Games:
        """Some of them."""
        return Games(self.pairs[chosen], self.openings[chosen], self.black_won[chosen], self.moves[chosen])

    def won(self, players: int) -> NDArray[np.int64]:
        """How many games each of so many players won with each colour, [players, 2]: Black, White."""
        black = np.bincount(self.pairs[self.black_won, 0], minlength=players)
        white = np.bincount(self.pairs[~self.black_won, 1], minlength=players)
        return np.stack([black, white], 1)

    def played(self, players: int) -> NDArray[np.int64]:
        """How many each played, [players, 2]."""
        return np.stack([np.bincount(self.pairs[:, side], minlength=players) for side in (0, 1)], 1)

    def rates(self, group: Sequence[int]) -> tuple[Rate, Rate, Rate]:
        """The share that a group of players won of its games with others: of all, as first and as second."""
        inside = np.isin(self.pairs, group)
        first, second = inside[:, 0] & ~inside[:, 1], inside[:, 1] & ~inside[:, 0]
        wins = int((first & self.black_won).sum()), int((second & ~self.black_won).sum())
        of = int(first.sum()), int(second.sum())
        return Rate(sum(wins), sum(of)), Rate(wins[0], of[0]), Rate(wins[1], of[1])

    def ratings(self, names: Sequence[str], anchor: str | None = None, resamples: int = 200) -> Ratings:
        """The players' Elo by the arena's own model; ``names`` are theirs, by number."""
        games = [
            Game(names[black], names[white], BLACK if won else WHITE)
            for (black, white), won in zip(self.pairs.tolist(), self.black_won.tolist(), strict=True)
        ]
        return rate(games, anchor, resamples)


def round_robin(players: int) -> NDArray[np.int64]:
    """Every pair twice, each as Black once: [players * (players - 1), 2]."""
    return np.array(list(itertools.permutations(range(players), 2)), np.int64).reshape(-1, 2)


def between(group: Sequence[int], others: Sequence[int], rounds: int = 1) -> NDArray[np.int64]:
    """Everyone of a group and every other twice, each as Black once, so many rounds of it: [G, 2]."""
    met = [pair for one in group for two in others for pair in ((one, two), (two, one))]
    return np.array(met * rounds, np.int64).reshape(-1, 2)


def from_every_opening(pairs: NDArray[np.int64], cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each game once for every first stone: the pairs [G * cells, 2] and the stones [G * cells]."""
    return np.repeat(pairs, cells, axis=0), np.tile(np.arange(cells), len(pairs))


def play(
    players: Sequence[Evaluator],
    pairs: NDArray[np.int64],
    size: int,
    openings: NDArray[np.int64] | None = None,
    tell: Tell = lambda share: None,
) -> Games:
    """Play games on a board of ``size`` x ``size`` to their ends, everyone the best move that it sees.

    ``pairs`` [G, 2] are those who have Black and White; ``openings`` [G] the first stones, -1 where Black chooses.
    ValueError when a net does not play on that board.
    """
    cells, count = size * size, len(pairs)
    given = np.full(count, -1, np.int64) if openings is None else openings
    black_won = np.zeros(count, np.bool_)
    moves = np.full((count, cells), -1, np.int16)
    going = np.arange(count)
    if count:
        board = _core.PolicyGames(size, size, count)
    for ply in range(cells):
        if not len(going):
            break
        rows = going.astype(np.int32)
        chosen = np.full(len(going), -1, np.int64) if ply else given[going]
        open_rows = np.flatnonzero(chosen < 0)
        movers = pairs[going[open_rows], ply % 2]
        positions = Positions(size, size, *board.pack(rows))
        for mover in np.unique(movers):
            mine = open_rows[movers == mover]
            chosen[mine] = _best(players[mover], take(positions, mine))
        moves[going, ply] = chosen
        over = board.play(rows, chosen.astype(np.int32))
        black_won[going[over]] = ply % 2 == 0
        going = going[~over]
        tell((ply + 1) / cells)
    tell(1.0)
    return Games(np.asarray(pairs, np.int64), given, black_won, moves)


def _best(player: Evaluator, positions: Positions) -> NDArray[np.int64]:
    """The best legal move of each position, [B]."""
    back = None
    if not isinstance(player, Randomly):
        packed = positions.stones.transpose(1, 0, 2).reshape(len(positions.last), -1)
        if _sees_last(player):
            packed = np.column_stack((packed, positions.last.astype(np.int64).view(np.uint64)))
        _, first, back = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        positions = take(positions, first)
    found = []
    for begin in range(0, len(positions.last), AT_ONCE):
        part = take(positions, slice(begin, begin + AT_ONCE))
        found.append(legal_logits(player(part), part).argmax(1))
    best: NDArray[np.int64] = np.concatenate(found)
    return best if back is None else best[back.reshape(-1)]


def _sees_last(player: Evaluator) -> bool:
    """Whether a net is shown the last move, so that equal stones are not all that it judges by."""
    about = (getattr(player, "card", None), getattr(player, "config", None))
    return any(getattr(one, "encoder", None) == bridges.ENCODER for one in about)
