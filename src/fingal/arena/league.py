"""The standing league: every kind of player that ships, on every board, by one command.

``python -m fingal.arena.league STORE PAGE LADDERS [GUEST ...]`` plays what of it has not been played yet and writes the
page, in Markdown, and the ladders, in JSON; ``make league`` those that Fingal ships. Guests are players' texts, such as
an outside engine's with a ``name=``. It may be stopped at any time: the same command goes on.

With ``--anew PLAYER ...`` only these play again, for example after a net has been replaced: the ladders keep the games
of all others.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from fingal.arena import command, results, standings
from fingal.arena.levels import LEVELS
from fingal.arena.options import EventOptions
from fingal.arena.provenance import commit, machine
from fingal.arena.store import Store, StoredGame
from fingal.nets.card import write_atomically

PLAYERS = tuple(
    dict.fromkeys(
        (
            "random",
            "shortest-path",
            "resistance:depth=1",
            "resistance:depth=2",
            "uct:sims=1000",
            "uct:sims=1000,prior=policy-9",
            "net:fingal-large",
            "net:policy-9",
            "characteristics",
            *(level.player for level in LEVELS),
        )
    )
)
"""Who plays on every board; ``random`` is 0 on every ladder."""

SPECIALISTS = {
    7: ("minimax:net=ezo-7,depth=1", "minimax:net=ezo-7,depth=2"),
    9: ("minimax:net=ezo-9,depth=1", "minimax:net=ezo-9,depth=2"),
    11: ("minimax:net=ezo-11,depth=1", "minimax:net=ezo-11,depth=2"),
}
"""Who plays beside them on one board alone: nets that know no other."""

SIZES = (5, 7, 9, 11, 13)

ROUNDS = 8
"""Of a Swiss tournament: players of like scores meet, since games that are decided beforehand tell nothing."""

GAMES = 8
"""Between two players who meet, half with each colour, from fair openings."""

STEPS = tuple(f"shortest-path:epsilon={epsilon}" for epsilon in (0.9, 0.8, 0.65))
"""Between ``random``, which loses all games with a level, and the first level: Elo is known where both win some."""

RUNGS = tuple(itertools.pairwise((PLAYERS[0], *STEPS, *(level.player for level in LEVELS))))
"""Each level and the next weaker one: they meet more often, so that what a level is said to be worth is known well."""

RUNG_GAMES = 40

QUICK_GAMES = 200
"""Between two of whom neither searches: their games take no time."""


def play(
    store: Path,
    sizes: Sequence[int] = SIZES,
    games: int = GAMES,
    players: Sequence[str] = PLAYERS,
    guests: Sequence[str] = (),
) -> None:
    """Play what is left of the league, or of one among other ``players``, of whom the first one's Elo is 0."""
    for size in sizes:
        entered = (*players, *SPECIALISTS.get(size, ()), *guests)
        _tournament(store, size, _event(size), entered, games, min(ROUNDS, len(entered) - 1))


def play_rungs(
    store: Path, sizes: Sequence[int] = SIZES, games: int = RUNG_GAMES, quick_games: int = QUICK_GAMES
) -> None:
    """Play what is left of the games between neighbouring levels."""
    for size in sizes:
        for rung in RUNGS:
            _tournament(store, size, _rung(size, *rung), rung, quick_games if _quick(rung) else games)


def renew(
    store: Path,
    said: dict[str, Any],
    texts: Sequence[str],
    guests: Sequence[str] = (),
    games: int = GAMES,
    rung_games: int = RUNG_GAMES,
    quick_games: int = QUICK_GAMES,
) -> dict[str, Any]:
    """Play some players' games of a league again; gives the ladders with those instead of the ones that they had.

    Each meets as many others as in the tournament, those who were nearest to it, and its neighbours among the levels as
    often as these do. An outside engine that is not given as a guest does not meet them. ValueError, before anything is
    played, when a player is on none of the ladders or these have no games in them.
    """
    if not all("meetings" in board for board in said["sizes"].values()):
        raise ValueError("these ladders are without their games: play the whole league once, without --anew")
    boards = {size: results.from_json(board) for size, board in said["sizes"].items()}
    known = {player for parts in boards.values() for part in parts for player in (part.black, part.white)}
    for text in texts:
        if text not in known:
            raise ValueError(f"{text} is not in the league: {', '.join(sorted(known))} are")
    earlier, renewed = said.get("renewed", ()), {}
    for size, parts in boards.items():
        elo = {rating.player: rating.elo for rating in standings.rated(results.games_of(parts), said["anchor"]).players}
        entered = {*PLAYERS, *SPECIALISTS.get(int(size), ()), *guests}
        pairs = dict[tuple[str, ...], int]()
        for text in (text for text in texts if text in elo):
            near = sorted((p for p in elo if p != text and p in entered), key=lambda p: abs(elo[p] - elo[text]))
            pairs |= {tuple(sorted((text, rival))): games for rival in near[:ROUNDS]}
        for rung in RUNGS:
            if set(rung) & set(texts):
                pairs[tuple(sorted(rung))] = quick_games if _quick(rung) else rung_games
        # The next renewal of these ladders has other names, so that a net which is replaced again plays again.
        names = [f"renewal {len(earlier) + 1}, {size}x{size}, {_digest(pair)}" for pair in pairs]
        for name, (pair, number) in zip(names, pairs.items(), strict=True):
            _tournament(store, int(size), name, pair, number)
        with Store(store) as kept:
            played = [game for name in names for game in kept.games(name)]
        failures = [one for one in said["sizes"][size]["failures"] if not {*one["players"]} & {*texts}]
        meetings = sorted(results.without(parts, texts) + results.Tally(played).meetings())
        renewed[size] = _board(meetings, failures + _failures(played))
    again = {"players": list(texts), "commit": commit()[:7], "date": str(datetime.date.today()), "machine": machine()}
    return said | {"sizes": renewed, "renewed": [*earlier, again]}


def _digest(players: Sequence[str]) -> str:
    """Short enough for an event's name, whatever the players' texts are."""
    return hashlib.sha256("\n".join(players).encode()).hexdigest()[:16]


def _quick(rung: Sequence[str]) -> bool:
    return rung[1].startswith("shortest-path")


def _tournament(store: Path, size: int, name: str, players: tuple[str, ...], games: int, rounds: int = 1) -> None:
    options = EventOptions(size=str(size), games=games, store=store, name=name, seed=1, adjudicate=True)
    notes = Console(stderr=True)
    if not command.tournament(players, options, "swiss", 1, rounds, players[0], False, Console(), notes).finished:
        raise KeyboardInterrupt  # whoever stops one event wants no other


def page(said: dict[str, Any]) -> str:
    """The ladders as a page in Markdown."""
    parts = [_INTRODUCTION.format(**said)]
    for again in said.get("renewed", ()):
        names = ", ".join(f"`{name}`" for name in again["players"])
        parts.append(f"Played anew at commit {again['commit']}, {again['date']}, on {again['machine']}: {names}.\n")
    return "\n".join(parts + [_ladder(size, board) for size, board in said["sizes"].items()])


def ladders(store: Path, sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """The ladder of every board that has been played on, for programs: the strongest player first."""
    with Store(store) as kept:
        boards = {size: _games(kept, size) for size in sizes}
    date = str(datetime.date.today())
    told = {
        str(size): _board(results.Tally(games).meetings(), _failures(games)) for size, games in boards.items() if games
    }
    return {"anchor": PLAYERS[0], "commit": commit()[:7], "date": date, "machine": machine(), "sizes": told}


def _failures(games: Sequence[StoredGame]) -> list[dict[str, Any]]:
    return [{"players": [game.lost_by, game.won_by], "reason": game.failure} for game in games if game.failure]


def _board(parts: Sequence[results.Meeting], failures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    rows = standings.rated(results.games_of(parts), PLAYERS[0]).as_dict()["ratings"]
    names = standings.labels([row["player"] for row in rows])
    ladder = [_rounded(row) | {"player": names[row["player"]]} for row in rows]
    games = sum(part.games for part in parts)
    return {"games": games, "ladder": ladder, "failures": list(failures), **results.to_json(parts)}


def _rounded(rating: dict[str, Any]) -> dict[str, Any]:
    low, high = rating["interval"]
    return rating | {"elo": round(rating["elo"]), "interval": [round(low), round(high)]}


def _event(size: int) -> str:
    return f"league {size}x{size}"


def _rung(size: int, weaker: str, stronger: str) -> str:
    return f"{weaker} and {stronger} {size}x{size}"


def _games(kept: Store, size: int) -> list[StoredGame]:
    return [game for name in (_event(size), *(_rung(size, *rung) for rung in RUNGS)) for game in kept.games(name)]


def _ladder(size: str, board: dict[str, Any]) -> str:
    parts = results.from_json(board)
    games = results.games_of(parts)
    ratings = standings.rated(games, PLAYERS[0])
    played, won = standings.crosses(parts)
    order = [rating.player for rating in ratings.players]
    names = standings.labels(order)
    heads = " | ".join(str(number) for number in range(1, len(order) + 1))
    lines = [
        f"## {size}x{size}",
        "",
        f"{len(games)} games, {sum(part.distinct for part in parts)} distinct; "
        f"Black won {sum(part.black_won for part in parts)}.",
        "",
        f"| | player | Elo | 95% interval | won | {heads} |",
        "|--:|---|--:|--:|--:|" + "--:|" * len(order),
    ]
    for number, rating in enumerate(ratings.players, 1):
        low, high = rating.interval
        interval = "" if rating.player == ratings.anchor else f"{low:+.0f} to {high:+.0f}"
        cross = " | ".join(
            f"{won[rating.player, other]}/{played[rating.player, other]}" if played[rating.player, other] else ""
            for other in order
        )
        score = f"{rating.wins}/{rating.games}"
        lines.append(f"| {number} | `{names[rating.player]}` | {rating.elo:+.0f} | {interval} | {score} | {cross} |")
    guests = [f"{name} is `{text}`." for text, name in names.items() if text != name]
    failures = ["- `{}` against `{}`: {}".format(*one["players"], one["reason"]) for one in board["failures"]]
    return "\n".join([*lines, "", *guests, *failures, ""])


_INTRODUCTION = f"""# The league

Every kind of player that ships with Fingal, on each board that it plays: a Swiss tournament of {ROUNDS} rounds, where
players of like scores meet for {GAMES} games from fair openings with both colours, and {RUNG_GAMES} games more between
each of the web app's levels and the next, {QUICK_GAMES} where neither searches. A game ends where connections prove the
winner, unless that is one who may [throw it away](arena.md). `make league` plays it and writes this page. Elo is
Bradley and Terry's with an advantage for the first player, and `{PLAYERS[0]}` is 0; [the arena](arena.md) says how it
is computed. Where a player wins or loses nearly every game its Elo is only known roughly, and the interval says so.

Played at commit {{commit}}, finished on {{date}}, on {{machine}}.
"""


def main(
    store: tyro.conf.Positional[Path],
    page_file: tyro.conf.Positional[Path],
    ladders_file: tyro.conf.Positional[Path],
    guests: tyro.conf.Positional[tuple[str, ...]] = (),
    anew: tuple[str, ...] = (),
) -> None:
    """Play what is left of the league, or some players' part of it anew, and write its page and its ladders."""
    if anew:
        try:
            told = renew(store, results.read_ladders(ladders_file), anew, guests)
        except (OSError, ValueError) as error:
            print(error, file=sys.stderr)
            sys.exit(2)
    else:
        play(store, guests=guests)
        play_rungs(store)
        told = ladders(store)
    write_atomically(page_file, page(told).encode())
    write_atomically(ladders_file, (json.dumps(told, indent=1) + "\n").encode())


if __name__ == "__main__":
    tyro.cli(main, prog="python -m fingal.arena.league")
