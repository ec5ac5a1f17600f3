"""Table I: tournaments among nets that were trained with batches, and what tells their objectives apart.

A tournament has one net of every kind, each trained with the tournament's own seed, and every net plays every other
once as the first and once as the second player, from the empty board, always the move with the highest value. The
paper's table has four kinds, in which objective and target change together. Here all eight play: the four are part of
them.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal.experiments.intervals import Mean, student_mean
from fingal.experiments.paper_000.protocol import SEASONS
from fingal.learn.parts.truth import Truth, Values

SIZE = 3


@dataclass(frozen=True, order=True)
class Kind:
    """A net, what it was trained to lessen, and where its targets came from."""

    net: str
    objective: str
    targets: str

    @property
    def name(self) -> str:
        """'CNN-PBE (SARSA)'."""
        return f"{self.net.upper()}-{self.objective.upper()} ({'SARSA' if self.targets == 'sarsa' else 'Q'})"


KINDS = tuple(
    Kind(net, objective, targets)
    for net in ("cnn", "rnn")
    for objective, targets in (("mse", "q"), ("pbe", "sarsa"), ("mse", "sarsa"), ("pbe", "q"))
)
"""All eight."""

ENTERED = tuple(kind for kind in KINDS if (kind.objective == "mse") == (kind.targets == "q"))
"""The paper's four."""


@dataclass(frozen=True)
class Game:
    """One game of a tournament."""

    tournament: int
    """Counted through both seasons."""
    first: Kind
    second: Kind
    first_won: bool
    moves: tuple[int, ...]


def play(kinds: Sequence[Kind], tournaments: int, values: Values, seed: int = 0) -> list[Game]:
    """Play all tournaments, their games side by side.

    ``values`` takes players counted tournament by tournament: kind k of tournament t is t * len(kinds) + k. Among equal
    moves one is drawn, with the seed.
    """
    truth, rng = Truth(SIZE), np.random.default_rng(seed)
    pairs = [(t, first, second) for t in range(tournaments) for first, second in permutations(range(len(kinds)), 2)]
    seats = np.array([[t * len(kinds) + first, t * len(kinds) + second] for t, first, second in pairs], np.int64)
    position = np.zeros(len(pairs), np.int64)
    moves = np.full((len(pairs), truth.cells), -1, np.int64)
    going = np.arange(len(pairs))
    first_won = np.zeros(len(pairs), np.bool_)
    for ply in range(truth.cells):
        if not len(going):
            break
        legal = truth.legal[position[going]]
        chosen = choose(values(seats[going, ply % 2], moves[going, :ply]), legal, rng)
        moves[going, ply] = chosen
        after = [truth.after(int(at), int(move)) for at, move in zip(position[going], chosen, strict=True)]
        over = np.array([child is None for child in after])
        first_won[going[over]] = ply % 2 == 0
        position[going] = [0 if child is None else child for child in after]
        going = going[~over]
    return [
        Game(t, kinds[first], kinds[second], bool(won), tuple(int(move) for move in made if move >= 0))
        for (t, first, second), won, made in zip(pairs, first_won, moves, strict=True)
    ]


def choose(values: NDArray[np.floating], legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """The legal move with the highest value in each row, [N]; one of equals is drawn."""
    worth = np.where(legal, np.nan_to_num(values, nan=-np.inf), -np.inf)
    best = legal & (worth == worth.max(axis=1, keepdims=True))
    drawn: NDArray[np.int64] = (best * (1.0 - rng.random(best.shape))).argmax(axis=1)
    return drawn


@dataclass(frozen=True)
class Standing:
    """How a kind did."""

    kind: Kind
    seasons: tuple[tuple[int, int], ...]
    """Of each season: games won as the first and as the second player."""
    games: int
    share: Mean
    """Of games won; the interval is over tournaments, since the games of one are played by the same nets."""

    @property
    def wins(self) -> int:
        """In all."""
        return sum(first + second for first, second in self.seasons)


def standings(games: Sequence[Game], kinds: Sequence[Kind]) -> list[Standing]:
    """How each kind did in the games among these kinds."""
    inside = [game for game in games if game.first in kinds and game.second in kinds]
    tournaments = 1 + max(game.tournament for game in inside)
    table = []
    for kind in kinds:
        seasons = []
        for season in range(SEASONS):
            part = [game for game in inside if game.tournament * SEASONS // tournaments == season]
            first = sum(game.first_won for game in part if game.first == kind)
            second = sum(not game.first_won for game in part if game.second == kind)
            seasons.append((first, second))
        shares = _shares(inside, {kind}, tournaments)
        played = sum(kind in (game.first, game.second) for game in inside)
        table.append(Standing(kind, tuple(seasons), played, student_mean(shares, (0.0, 1.0))))
    return table


@dataclass(frozen=True)
class Contrast:
    """Two values of a field, set against each other: kinds that have one and their twins that have the other.

    Twins differ in nothing else.
    """

    name: str
    field: str
    high: str
    low: str
    net: str = ""
    """Only kinds with this net, if given."""

    def kinds(self, value: str) -> set[Kind]:
        """The kinds on one side."""
        return {kind for kind in KINDS if getattr(kind, self.field) == value and self.net in ("", kind.net)}


CONTRASTS = (
    Contrast("PBE - MSE, CNN", "objective", "pbe", "mse", "cnn"),
    Contrast("PBE - MSE, RNN", "objective", "pbe", "mse", "rnn"),
    Contrast("CNN - RNN", "net", "cnn", "rnn"),
    Contrast("SARSA - Q targets", "targets", "sarsa", "q"),
)
"""What the paper claims, and what it changes along with the objective."""


def difference(games: Sequence[Game], contrast: Contrast) -> Mean:
    """By how much the one side of a contrast wins more of its games than the other: the mean over tournaments."""
    tournaments = 1 + max(game.tournament for game in games)
    shares = [_shares(games, contrast.kinds(value), tournaments) for value in (contrast.high, contrast.low)]
    return student_mean([more - less for more, less in zip(*shares, strict=True)], (-1.0, 1.0))


def direct(games: Sequence[Game], contrast: Contrast) -> Mean:
    """The share of games that the one side of a contrast wins against its own twins."""
    met: dict[int, list[bool]] = {}
    high, low = contrast.kinds(contrast.high), contrast.kinds(contrast.low)
    for game in games:
        for kind, twin, won in (
            (game.first, game.second, game.first_won),
            (game.second, game.first, not game.first_won),
        ):
            if kind in high and twin in low and replace(kind, **{contrast.field: contrast.low}) == twin:
                met.setdefault(game.tournament, []).append(won)
    return student_mean([sum(wins) / len(wins) for _, wins in sorted(met.items())], (0.0, 1.0))


def _shares(games: Sequence[Game], counted: Set[Kind], tournaments: int) -> list[float]:
    """For each tournament, the share of their games that the counted kinds won; games among them count twice."""
    won, played = [0] * tournaments, [0] * tournaments
    for game in games:
        for kind, wins in ((game.first, game.first_won), (game.second, not game.first_won)):
            if kind in counted:
                won[game.tournament] += wins
                played[game.tournament] += 1
    return [wins / count for wins, count in zip(won, played, strict=True)]


def as_data(games: Sequence[Game]) -> list[dict[str, Any]]:
    """For JSON."""
    return [asdict(game) for game in games]
