"""Ratings from games: Bradley-Terry Elo with an advantage for the first player, and bootstrap intervals.

The chance that Black wins is ``expected(black - white + advantage)``. All ratings and the advantage are fitted at once,
by scipy's trust-region Newton method on the log-likelihood, which is concave. docs/arena.md has the formulas.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fingal.game import BLACK, Colour

SCALE = 400 / math.log(10)
"""Elo points in one unit of the logistic function: a player 400 points better wins ten games for one lost."""

VIRTUAL = 1.0
"""Games that every player is given besides its own, half of them won: a perfect score stays finite."""

_RIDGE = 1e-6
"""Pulls all towards 0, just enough to decide what no game decides: how far apart are players with no common rival."""

Floats = NDArray[np.float64]


class Played(Protocol):
    """What a rating needs to know of a game; ``StoredGame`` does."""

    @property
    def black(self) -> str:
        """Who had Black."""
        ...

    @property
    def white(self) -> str:
        """Who had White."""
        ...

    @property
    def winner(self) -> Colour:
        """Who won."""
        ...


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's."""

    player: str
    elo: float
    interval: tuple[float, float]
    """95%, relative to the anchor, and as far as the rating itself; of the anchor, a point."""
    games: int
    wins: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Those of a set of players."""

    players: tuple[Rating, ...]
    """The best first."""
    advantage: float
    """What having Black, and with it the first move, is worth in Elo: in the games played, with their openings."""
    advantage_interval: tuple[float, float]
    games: int
    anchor: str | None
    """The player whose Elo is 0; None where the mean is."""

    def of(self, player: str) -> Rating:
        """A player's; KeyError when it has played no game."""
        for rating in self.players:
            if rating.player == player:
                return rating
        raise KeyError(player)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ratings": [
                {"player": r.player, "elo": r.elo, "interval": r.interval, "games": r.games, "wins": r.wins}
                for r in self.players
            ],
            "first_player_advantage": {"elo": self.advantage, "interval": self.advantage_interval},
            "anchor": self.anchor,
            "games": self.games,
        }


def expected(elo: float) -> float:
    """The chance to win of a player so many Elo better (Elo 1978): 1 / (1 + 10^(-elo/400))."""
    return 1 / (1 + 10 ** (-elo / 400))


def rate(games: Sequence[Played], anchor: str | None = None, resamples: int = 1000, seed: int = 0) -> Ratings:
    """Rate the players of some games, with 95% intervals from a Bayesian bootstrap; the same games, the same ratings.

    ``anchor`` has Elo 0; without one the mean is 0. ValueError when the anchor has not played.
    """
    names = sorted({name for game in games for name in (game.black, game.white)})
    if anchor is not None and anchor not in names:
        raise ValueError(f"the anchor {anchor!r} has played no game; there are {', '.join(names) or 'no players'}")
    if not names:
        return Ratings((), 0.0, (0.0, 0.0), 0, anchor)
    at = {name: index for index, name in enumerate(names)}
    won: Counter[tuple[int, int]] = Counter()
    lost: Counter[tuple[int, int]] = Counter()
    for game in games:
        (won if game.winner is BLACK else lost)[at[game.black], at[game.white]] += 1
    pairs = sorted(won.keys() | lost.keys())
    wins = np.array([won[pair] for pair in pairs], np.float64)
    losses = np.array([lost[pair] for pair in pairs], np.float64)
    elo = fit(np.array(pairs), len(names), wins[None], losses[None])[0]
    drawn = resampled(np.array(pairs), len(names), wins, losses, resamples, np.random.default_rng(seed))
    base = None if anchor is None else at[anchor]
    elo, drawn = anchored(elo, base), anchored(drawn, base)
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    # A fit counts half of each virtual game as lost, most bootstraps less: where one side won everything they put the
    # two further apart. On a long ladder of such pairs that adds up to more than chance does: the fit lies outside.
    low, high = np.minimum(low, elo), np.maximum(high, elo)

    played = Counter(name for game in games for name in (game.black, game.white))
    victories = Counter(game.black if game.winner is BLACK else game.white for game in games)
    ratings = [
        Rating(name, float(elo[i]), (float(low[i]), float(high[i])), played[name], victories[name])
        for i, name in enumerate(names)
    ]
    ratings.sort(key=lambda rating: -rating.elo)
    return Ratings(tuple(ratings), float(elo[-1]), (float(low[-1]), float(high[-1])), len(games), anchor)


def virtual_games(pairs: NDArray[np.int64], players: int, games: Floats) -> Floats:
    """How many virtual games each pair is given, [M]: ``VIRTUAL`` a player, spread over the games it has played."""
    played = np.bincount(pairs.ravel(), np.repeat(games, 2), players)
    spread: Floats = VIRTUAL * games * (1 / played[pairs]).sum(1)
    return spread


def fit(pairs: NDArray[np.int64], players: int, wins: Floats, losses: Floats) -> Floats:
    """Elo of the players and, last, of having Black, [B, players + 1], for B sets of results at once.

    ``pairs`` [M, 2] says who had Black and White, ``wins`` and ``losses`` [B, M] how often Black won and lost there.
    """
    virtual = virtual_games(pairs, players, wins[0] + losses[0])
    return _maximise(pairs, players, wins + virtual / 2, losses + virtual / 2)


def resampled(
    pairs: NDArray[np.int64], players: int, wins: Floats, losses: Floats, count: int, rng: np.random.Generator
) -> Floats:
    """Fits to ``count`` Bayesian bootstraps of the results, [count, players + 1]; arguments as for ``fit``, [M].

    Each game, virtual ones included, counts with a weight drawn from Exp(1) (Rubin 1981), and the sum of n such weights
    is drawn from Gamma(n). Where two players alone meet, equally often with each colour, that is Jeffreys' interval for
    the score with each colour. The usual bootstrap would call a perfect score certain: there is no loss to draw.
    """
    virtual = virtual_games(pairs, players, wins + losses)
    size = (count, len(wins))
    return _maximise(
        pairs, players, rng.standard_gamma(wins + virtual / 2, size), rng.standard_gamma(losses + virtual / 2, size)
    )


def anchored(elo: Floats, anchor: int | None) -> Floats:
    """Ratings [..., players + 1] moved so that the anchor's is 0, or the mean; the advantage, last, stays."""
    zero = elo[..., :-1].mean(-1) if anchor is None else elo[..., anchor]
    moved = elo - zero[..., None]
    moved[..., -1] = elo[..., -1]
    return moved


def _maximise(pairs: NDArray[np.int64], players: int, wins: Floats, losses: Floats) -> Floats:
    """Maximise the log-likelihood of B sets of results: a sum of concave functions is one, so all at once."""
    from scipy.optimize import minimize
    from scipy.sparse import coo_array
    from scipy.special import expit, log_expit

    # Three entries a row: Black's, White's and the advantage's. Of hundreds of players the others would all be zeros.
    columns = np.column_stack([pairs, np.full(len(pairs), players)])
    entries = np.tile([1.0, -1.0, 1.0], len(pairs))
    design = coo_array(
        (entries, (np.repeat(np.arange(len(pairs)), 3), columns.ravel())), (len(pairs), players + 1)
    ).tocsr()
    shape, total = (len(wins), players + 1), wins + losses

    def loss(flat: Floats) -> tuple[float, Floats]:
        theta = flat.reshape(shape)
        ahead = (design @ theta.T).T
        likelihood = (wins * log_expit(ahead) + losses * log_expit(-ahead)).sum()
        gradient = (design.T @ (total * expit(ahead) - wins).T).T + _RIDGE * theta
        return float(_RIDGE / 2 * (theta * theta).sum() - likelihood), gradient.ravel()

    def curve(flat: Floats, along: Floats) -> Floats:
        chance = expit((design @ flat.reshape(shape).T).T)
        step = along.reshape(shape)
        bent: Floats = (design.T @ (total * chance * (1 - chance) * (design @ step.T).T).T).T + _RIDGE * step
        return bent.ravel()

    found = minimize(
        loss, np.zeros(shape).ravel(), jac=True, hessp=curve, method="trust-ncg", options={"gtol": 1e-5, "maxiter": 500}
    )
    elo: Floats = SCALE * found.x.reshape(shape)
    return elo
