"""The ladder and the cross table of a store's games, one of each for every size of board."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fingal.arena import charts
from fingal.arena.charts import Curve, Row
from fingal.arena.ratings import Ratings, rate
from fingal.arena.report.markup import Section, chart, table, text, tinted
from fingal.arena.results import Tally
from fingal.arena.standings import crosses, labels
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
        names = labels([rating.player for rating in ratings.players])
        parts.append(f"<h3>{width}×{height}</h3>")
        parts.append(_remark(played, ratings))
        parts.append(f'<div class="league">{_ladder(ratings, names)}{_cross_table(played, names)}</div>')
        parts.append(_over_training(ratings, names))
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


def _ladder(ratings: Ratings, names: dict[str, str]) -> str:
    rows = [
        Row(names[rated.player], rated.elo, *rated.interval, f"{rated.elo:+.0f}, won {rated.wins} of {rated.games}")
        for rated in ratings.players
    ]
    return chart(charts.rows("Elo", rows))


def _over_training(ratings: Ratings, names: dict[str, str]) -> str:
    """Elo by step, where checkpoints of a run have played: the arena names them after their steps."""
    points = []
    for rated in ratings.players:
        if step := re.fullmatch(r"step (\d+)", names[rated.player]):
            points.append((int(step[1]), rated.elo, rated.interval))
    if len(points) < 2:
        return ""
    points.sort()
    curve = Curve("", [(step, elo) for step, elo, _ in points], [interval for *_, interval in points], dots=True)
    return chart(charts.plane("Elo over training", [curve], x_name="step", y_name="Elo", width=640, height=320))


def _cross_table(games: Sequence[StoredGame], names: dict[str, str]) -> str:
    """Each row's score against each column."""
    played, won = crosses(Tally(games).meetings())
    rows = []
    for number, (player, name) in enumerate(names.items(), 1):
        cells = []
        for other in names:
            if not (count := played[player, other]):
                cells.append('<td class="none">·</td>')
                continue
            score = Rate(won[player, other], count)
            words = f"{100 * score.value:.0f}<small>%</small><br><small>{score.wins}–{count - score.wins}</small>"
            cells.append(tinted(score.value, words, f"{name} – {names[other]}: {score}"))
        rows.append([f"<b>{number}</b> {text(name)}", *cells])
    return table(["", *map(str, range(1, len(names) + 1))], rows, "cross")
