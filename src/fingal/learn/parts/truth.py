"""What greedy players are worth, exactly: their values for every position in, shares of won games and right moves out.

A greedy player plays the move with the highest value; among equal ones it draws, each with the same chance, and every
figure is the exact mean over these draws. On boards of up to 3x3 all positions are there, and games against a best
responder and against random moves are worked out to the end. On 4x4 to 7x7 the positions are the exam's.

>>> truth = Truth(3)
>>> len(truth.positions.last)
4520
>>> truth.measure(np.zeros((1, 4520, 9)))["first_vs_random"].round(4)
array([0.6667])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fingal.arena.exam.enumeration import enumeration
from fingal.arena.exam.questions import SEED, Question, every, sample, shipped
from fingal.search.evaluator import Positions

Floats = NDArray[np.float64]

LISTED = 3
"""Boards of up to this size have so few positions that all are measured."""

DRAWN = 4
"""On this size positions are drawn from the list of all; on larger ones they come with Fingal."""

LARGEST = 7
"""There is no exam on larger boards."""

SAMPLE = 1000
"""How many positions of 4x4 are drawn: as many as come with Fingal for 5x5."""

CHUNK = 32
"""Players that are measured at once: 150 MB on 3x3."""

Values = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.floating]]
"""(players [N], moves [N, plies]) to values [N, cells], on the board as it is: what these players think of each move
after these games, for the side to move."""


class Truth:
    """The positions of a board with the moves that win in them."""

    def __init__(self, size: int) -> None:
        """List or read the positions; ValueError where the truth is not known."""
        if not 1 <= size <= LARGEST:
            raise ValueError(f"size={size} is not possible: the truth is known from 1x1 to {LARGEST}x{LARGEST}")
        self.size, self.cells = size, size * size
        questions = _questions(size)
        count = len(questions)
        plies = np.array([len(asked.moves) for asked in questions])
        self.histories = np.full((count, int(plies.max(initial=0))), -1, np.int64)
        """[P, plies]: moves that lead to each position, Black's first, with -1 after the last."""
        self.winning = np.zeros((count, self.cells), np.bool_)
        """[P, cells]: the moves that win for the side to move."""
        for number, asked in enumerate(questions):
            self.histories[number, : len(asked.moves)] = asked.moves
            self.winning[number, list(asked.winning)] = True
        self.positions = packed(self.histories, size)
        """[P]: none is over; on 3x3 all 4,520, the empty board first, by number of stones."""
        self.legal = ~_occupied(self.histories, self.cells)
        """[P, cells]"""
        self.won = self.winning.any(axis=1)
        """[P]: whether the side to move wins."""
        self.whole = size <= LISTED
        """Whether all positions are there, so that games can be worked out."""
        self._plies = plies
        self.child = self._children() if self.whole else np.zeros((0, self.cells), np.int64)
        """[P, cells], where all positions are there: the position after each move; P after a move that wins the game,
        P + 1 where there is a stone."""

    def measure(self, q: NDArray[np.floating], *, canonical: bool = False) -> dict[str, Floats]:
        """Measures of R players, each [R], of what they think of every move: q is [R, P, cells], for the side to move.

        ``canonical`` says that the cells are a net's, transposed where White is to move; otherwise they are the
        board's. What q says of occupied cells does not matter. Beside what ``judge`` gives, where the board is small:
        the share of games won from the empty board as the first player against a best responder, who knows the player
        (``first_vs_best``) and against random moves (``first_vs_random``), and as the second against random moves
        (``second_vs_random``) and against a best responder who has to begin with a losing move (``second_vs_best``,
        the mean over the losing first moves).
        """
        measured = self.judge(q, canonical=canonical)
        if self.whole:
            parts = [self._games(self.policy(part)) for part in _chunks(self._on_board(q, canonical))]
            measured |= {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
        return _rounded(measured)

    def judge(self, q: NDArray[np.floating], *, canonical: bool = False) -> dict[str, Floats]:
        """What needs no games, each [R], of values [R, P, cells].

        ``keeps_win`` is the share of won positions whose best-valued move wins, ``right`` the number of positions whose
        best-valued move is as good as any (where all lose, all are), ``sign`` the share of positions whose best value
        is positive where the side to move wins and negative where it loses.
        """
        kept, right, sign = [], [], []
        for part in _chunks(self._on_board(q, canonical)):
            winning = (self.policy(part) * self.winning).sum(axis=2)
            best = np.where(self.legal, part, -np.inf).max(axis=2)
            kept.append(winning[:, self.won].mean(axis=1))
            right.append(np.where(self.won, winning, 1.0).sum(axis=1))
            sign.append(np.where(self.won, best > 0, best < 0).mean(axis=1))
        names = ("keeps_win", "right", "sign")
        return _rounded(
            {name: np.concatenate(got) for name, got in zip(names, (kept, right, sign), strict=True) if got}
        )

    def policy(self, q: NDArray[np.floating]) -> Floats:
        """The chance [R, P, cells] of each move for greedy players with values [R, P, cells] on the board as it is.

        A value that is no number is worse than any other.
        """
        worth = np.where(self.legal, np.nan_to_num(q, nan=-np.inf, posinf=np.inf, neginf=-np.inf), -np.inf)
        best = self.legal & (worth == worth.max(axis=2, keepdims=True))
        chances: Floats = best / best.sum(axis=2, keepdims=True)
        return chances

    def measure_with_memory(self, players: int, values: Values, seed: int = 0) -> dict[str, Floats]:
        """The games of ``measure``, each [players], for players whose values depend on how the game went.

        Every game that the opponent can choose is played. Among equal moves one is drawn, with the seed, where
        ``measure`` takes the mean over all.
        """
        if not self.whole:
            raise ValueError(f"games on {self.size}x{self.size} cannot be worked out: at most {LISTED}x{LISTED}")
        rng = np.random.default_rng(seed)
        first = self._tree(players, values, rng, plays_first=True)
        second = self._tree(players, values, rng, plays_first=False)
        losing = self.legal[0] & ~self.winning[0]
        found = {"first_vs_best": first[0][:, 0], "first_vs_random": first[1][:, 0]}
        found["second_vs_random"] = second[1].mean(axis=1)
        if losing.any():
            found["second_vs_best"] = second[0][:, losing].mean(axis=1)
        return _rounded(found)

    def after(self, position: int, move: int) -> int | None:
        """The number of the position after a move; None when the move ends the game (the mover has won it)."""
        child = int(self.child[position, move])
        if child > len(self.legal):
            raise ValueError(f"cell {move} is occupied")
        return child if child < len(self.legal) else None

    def _on_board(self, q: NDArray[np.floating], canonical: bool) -> NDArray[np.floating]:
        if q.shape[1:] != self.legal.shape:
            raise ValueError(f"values [R, {len(self.legal)}, {self.cells}] are expected, not {list(q.shape)}")
        if not canonical:
            return q
        turned = np.arange(self.cells).reshape(self.size, self.size).T.ravel()
        return np.where(self.positions.white_to_move[:, None], q[:, :, turned], q)

    def _children(self) -> NDArray[np.int64]:
        """What ``child`` is."""
        listed, powers = enumeration(self.size, self.size), 3 ** np.arange(self.cells, dtype=np.int64)
        codes = np.concatenate([level.codes for level in listed.levels])
        number = np.full(3**self.cells, len(codes), np.int64)
        number[codes] = np.arange(len(codes))
        colour = 1 + self.positions.white_to_move.astype(np.int64)
        children = codes[:, None] + colour[:, None] * powers
        return np.where(self.legal, number[np.where(self.legal, children, 0)], len(codes) + 1)

    def openings_kept(self, policy: Floats) -> Floats:
        """The share of all first moves after which a player still wins the games that are to be won, [R].

        After each first move the player has the side that wins with best play, against a best responder who knows it;
        ``policy`` [R, P, cells] has the chance of each move on the board as it is.
        """
        if not self.whole:
            raise ValueError(f"games on {self.size}x{self.size} cannot be worked out: at most {LISTED}x{LISTED}")
        own, other = self._worth(policy)
        after = self.child[0]
        kept: Floats = np.where(self.winning[0][:, None], other[after, 0], own[after, 0]).mean(axis=0)
        return kept.round(9)

    def _games(self, policy: Floats) -> dict[str, Floats]:
        """Won games of R players, each [R]."""
        own, other = self._worth(policy)
        losing = self.legal[0] & ~self.winning[0]
        found = {"first_vs_best": own[0, 0], "first_vs_random": own[0, 1], "second_vs_random": other[0, 1]}
        if losing.any():
            found["second_vs_best"] = own[self.child[0, losing], 0].mean(axis=0)
        return found

    def _worth(self, policy: Floats) -> tuple[Floats, Floats]:
        """What R players win with it to move and with the opponent to move, by going back from the full board.

        Both are [P + 2, against, R], against the best responder and against random moves.
        """
        count, runs = len(self.legal), len(policy)
        # A move that ends the game wins it for whoever made it.
        own, other = np.zeros((count + 2, 2, runs)), np.zeros((count + 2, 2, runs))
        other[count] = 1.0
        own[count + 1, 0] = 2.0  # no move of the best responder's
        chance = policy.transpose(1, 2, 0)
        for stones in range(int(self._plies.max()), -1, -1):
            level = np.flatnonzero(self._plies == stones)
            child, moves = self.child[level], self.legal[level].sum(axis=1)
            own[level] = (chance[level][:, :, None] * other[child]).sum(axis=1)
            replies = own[child]
            other[level, 0] = replies[:, :, 0].min(axis=1)
            other[level, 1] = replies[:, :, 1].sum(axis=1) / moves[:, None]
        return own, other

    def _tree(self, players: int, values: Values, rng: np.random.Generator, plays_first: bool) -> tuple[Floats, Floats]:
        """The won share against a best responder and against random moves, each [players, first moves].

        There is one first move, the player's own, or as many as the opponent has.
        """
        run = np.arange(players)
        position, moves = np.zeros(players, np.int64), np.zeros((players, 0), np.int64)
        layers = []  # of each ply: the parent of every node of the next, its place among all, and whether it is over
        while len(run):
            if plays_first == (moves.shape[1] % 2 == 0):
                worth = np.where(self.legal[position], np.nan_to_num(values(run, moves), nan=-np.inf), -np.inf)
                best = self.legal[position] & (worth == worth.max(axis=1, keepdims=True))
                move = (best * (1.0 - rng.random(best.shape))).argmax(axis=1)
                parent = np.arange(len(run))
            else:
                parent, move = np.nonzero(self.legal[position])
            child = self.child[position[parent], move]
            over = child == len(self.legal)
            layers.append((len(run), parent, over))
            going = parent[~over]
            moves = np.concatenate([moves[going], move[~over, None]], axis=1)
            run, position = run[going], child[~over]
        best_share, mean_share = np.zeros(0), np.zeros(0)
        for ply in range(len(layers) - 1, -1, -1):
            nodes, parent, over = layers[ply]
            own_move = plays_first == (ply % 2 == 0)
            best, mean = np.full(len(parent), float(own_move)), np.full(len(parent), float(own_move))
            best[~over], mean[~over] = best_share, mean_share
            if ply == 0:
                return best.reshape(players, -1), mean.reshape(players, -1)
            best_share, mean_share = np.ones(nodes), np.bincount(parent, mean, nodes) / np.bincount(parent)
            np.minimum.at(best_share, parent, best)
        return np.zeros((0, 0)), np.zeros((0, 0))


def packed(moves: NDArray[np.integer], size: int) -> Positions:
    """The positions after games [P, plies] on a square board of at most 64 cells; -1 stands after the last move."""
    made = moves >= 0
    bits = np.where(made, np.uint64(1) << np.maximum(moves, 0).astype(np.uint64), np.uint64(0))
    stones = np.stack([bits[:, colour::2].sum(axis=1, dtype=np.uint64) for colour in (0, 1)])[:, :, None]
    plies = made.sum(axis=1)
    last = np.full(len(moves), -1, np.int32)
    begun = plies > 0
    last[begun] = moves[begun, plies[begun] - 1]
    return Positions(size, size, stones, plies % 2 == 1, last)


def _questions(size: int) -> list[Question]:
    if size <= LISTED:
        return list(every(enumeration(size, size)))
    return sample(enumeration(size, size), SAMPLE, SEED) if size == DRAWN else shipped(size)


def _occupied(moves: NDArray[np.int64], cells: int) -> NDArray[np.bool_]:
    taken = np.zeros((len(moves), cells + 1), np.bool_)
    np.put_along_axis(taken, np.where(moves >= 0, moves, cells), True, axis=1)
    return taken[:, :cells]


def _rounded(measured: dict[str, Floats]) -> dict[str, Floats]:
    """Three thirds are 1, so that whoever wins every game has exactly that."""
    return {name: share.round(9) for name, share in measured.items()}


def _chunks(q: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    return [q[start : start + CHUNK] for start in range(0, len(q), CHUNK)]
