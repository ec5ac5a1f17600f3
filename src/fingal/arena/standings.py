"""What a tournament has come to: ratings, a cross table, failures, as a table for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from fingal.arena.ratings import Played, Ratings, rate
from fingal.arena.results import Meeting, Tally
from fingal.players import spec

_MOST_COLUMNS = 12
"""Of a cross table: with more players it has their scores only."""


def summary(tally: Tally, ratings: Ratings) -> dict[str, Any]:
    """What ``--json`` prints of some games."""
    played, won = crosses(tally.meetings())
    cross = [
        {"player": one, "opponent": two, "wins": won[one, two], "games": count}
        for (one, two), count in sorted(played.items())
    ]
    failures = [
        {"event": one.event, "game": one.number, "player": one.player, "reason": one.reason} for one in tally.failures
    ]
    return {
        **ratings.as_dict(),
        "cross_table": cross,
        "distinct_games": tally.distinct,
        "failures": failures,
    }


def crosses(parts: Iterable[Meeting]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How often each player met each other one, and how often it won."""
    played: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    for part in parts:
        if part.black != part.white:
            played[part.black, part.white] += part.games
            played[part.white, part.black] += part.games
            won[part.black, part.white] += part.black_won
            won[part.white, part.black] += part.games - part.black_won
    return played, won


def table(tally: Tally, ratings: Ratings | None = None, total: int | None = None) -> Table:
    """Players, the best first, with their Elo and, where there is room, how often each beat each other one.

    Without ratings, as while games are being played, the order is that of the scores.
    """
    played, won = crosses(tally.meetings())
    wins, count = Counter[str](), Counter[str]()
    for one, two in played:
        wins[one] += won[one, two]
        count[one] += played[one, two]
    if ratings is None:
        order = sorted(count, key=lambda player: (-wins[player] / count[player], player))
    else:
        order = [rating.player for rating in ratings.players]
    names = labels(order)
    title = f"{tally.games}{'' if total is None else f' of {total}'} games, {tally.distinct} distinct"
    shown = Table(title=title, caption=None if ratings is None else _caption(ratings))
    shown.add_column("", justify="right")
    shown.add_column("player", overflow="fold", min_width=12)
    if ratings is not None:
        shown.add_column("Elo", justify="right", no_wrap=True)
    shown.add_column("score", justify="right", no_wrap=True)
    crossed = len(order) <= _MOST_COLUMNS
    for number in range(1, len(order) + 1 if crossed else 1):
        shown.add_column(str(number), justify="right", no_wrap=True)
    for number, player in enumerate(order, 1):
        cells = [Text(names[player])]
        if ratings is not None:
            cells.append(Text(_elo(ratings, player)))
        cells.append(Text(f"{wins[player]}/{count[player]}"))
        if crossed:
            cells += [Text(f"{won[player, r]}/{played[player, r]}" if played[player, r] else "·") for r in order]
        shown.add_row(str(number), *cells)
    return shown


def labels(texts: Sequence[str]) -> dict[str, str]:
    """How players are shown: by their name= where the text has one and no other player has the same."""
    named = {text: spec.parse(text).settings.get("name") or text for text in texts}
    often = Counter(named.values())
    return {text: name if often[name] == 1 else text for text, name in named.items()}


def rated(games: Sequence[Played], anchor: str | None) -> Ratings:
    """The ratings; an anchor may also be named as it is shown."""
    players = sorted({text for game in games for text in (game.black, game.white)})
    by_label = {label: text for text, label in labels(players).items()}
    return rate(games, None if anchor is None else by_label.get(anchor, anchor))


def _elo(ratings: Ratings, player: str) -> str:
    rating = ratings.of(player)
    if player == ratings.anchor:
        return "0"
    low, high = rating.interval
    return f"{_points(rating.elo)}\n[{_points(low)}, {_points(high)}]"


def _caption(ratings: Ratings) -> str:
    low, high = ratings.advantage_interval
    zero = "the mean is 0" if ratings.anchor is None else f"{ratings.anchor} is 0"
    black = f"{_points(ratings.advantage)} [{_points(low)}, {_points(high)}]"
    return f"Elo with 95% intervals, {zero}; having Black: {black}"


def _points(elo: float) -> str:
    return f"{round(elo):+d}"
