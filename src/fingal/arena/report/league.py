"""The ladder and the cross table of a store's games, one of each for every size of board."""

from __future__ import annotations

from collections.abc import Sequence

from fingal.arena import charts
from fingal.arena.charts import Row
from fingal.arena.ratings import Ratings, rate
from fingal.arena.report.markup import Section, chart, table, text, tinted
from fingal.arena.statistics import Rate
from fingal.arena.store import StoredGame, distinct


def by_size(games: Sequence[StoredGame]) -> dict[tuple[int, int], list[StoredGame]]:
    """Games by width and height, the small boards first."""
    sizes = sorted({(game.width, game.height) for game in games}, key=lambda size: (size[0] * size[1], size))
    return {size: [game for game in games if (game.width, game.height) == size] for size in sizes}


def section(games: Sequence[StoredGame]) -> Section:
    """Who beats whom, size by size."""
    parts = [
        "<p>Elo by Bradley and Terry's model with an advantage for the first move, with 95% intervals. The mean of the "
        "players is 0: 100 points more win 64 games of 100, 400 points more 91.</p>"
    ]
    for (width, height), played in by_size(games).items():
        ratings = rate(played)
        parts.append(f"<h3>{width}×{height}</h3>")
        parts.append(_remark(played, ratings))
        parts.append(f'<div class="league">{_ladder(ratings)}{_cross_table(played, ratings)}</div>')
    return Section("ladder", "Who beats whom", "".join(parts))


def _remark(games: Sequence[StoredGame], ratings: Ratings) -> str:
    low, high = ratings.advantage_interval
    said = [
        f"{len(games):,} games, {distinct(games):,} of them distinct.",
        f"The first move is worth {ratings.advantage:+.0f} Elo [{low:+.0f}, {high:+.0f}] from these openings.",
    ]
    if forfeits := sum(bool(game.failure) for game in games):
        said.append(f"{forfeits} lost by a failure.")
    return f"<p>{' '.join(said)}</p>"


def _ladder(ratings: Ratings) -> str:
    rows = [
        Row(rating.player, rating.elo, *rating.interval, f"{rating.elo:+.0f}, won {rating.wins} of {rating.games}")
        for rating in ratings.players
    ]
    return chart(charts.rows("Elo", rows))


def _cross_table(games: Sequence[StoredGame], ratings: Ratings) -> str:
    """Each row's score against each column."""
    names = [rating.player for rating in ratings.players]
    score: dict[tuple[str, str], tuple[int, int]] = {}
    for game in games:
        for one, other, won in ((game.won_by, game.lost_by, 1), (game.lost_by, game.won_by, 0)):
            wins, count = score.get((one, other), (0, 0))
            score[one, other] = wins + won, count + 1
    rows = []
    for number, name in enumerate(names, 1):
        cells = []
        for other in names:
            wins, count = score.get((name, other), (0, 0))
            if name == other or not count:
                cells.append('<td class="none">·</td>')
                continue
            rate = Rate(wins, count)
            words = f"{100 * rate.value:.0f}<small>%</small><br><small>{wins}–{count - wins}</small>"
            cells.append(tinted(rate.value, words, f"{name} – {other}: {rate}"))
        rows.append([f"<b>{number}</b> {text(name)}", *cells])
    return table(["", *map(str, range(1, len(names) + 1))], rows, "cross")
