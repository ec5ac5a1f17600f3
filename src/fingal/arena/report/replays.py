"""Sample games that replay in the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from fingal.arena.ratings import rate
from fingal.arena.report.league import by_size
from fingal.arena.report.markup import Section, grid, text
from fingal.arena.standings import labels
from fingal.arena.store import StoredGame
from fingal.game import SWAP, Board, Colour, Record
from fingal.game.board import mirror
from fingal.game.draw import THEMES, picture
from fingal.game.picture import svg

MOST = 4
"""Games of each size."""


def section(games: Sequence[StoredGame]) -> Section:
    """A board for each size, with a list of games to choose from."""
    parts = [
        "<p>The longest game between each two neighbours on the ladder, and the greatest upset. The arrow keys step "
        "through a game, Home and End go to its ends.</p>"
    ]
    parts.append(grid((_player(size, sample(played)) for size, played in by_size(games).items()), "replays"))
    return Section("games", "Games to replay", "".join(parts))


def sample(games: Sequence[StoredGame]) -> list[tuple[str, StoredGame]]:
    """What is worth a look, with the reason: games that were not lost by a failure only."""
    ratings = rate(games, resamples=1)
    elo = {rating.player: rating.elo for rating in ratings.players}
    names = [rating.player for rating in ratings.players]
    whole = [game for game in games if not game.failure]
    chosen: list[tuple[str, StoredGame]] = []
    for one, other in pairwise(names):
        between = [game for game in whole if {game.black, game.white} == {one, other}]
        if between:
            chosen.append(("longest of its pair", max(between, key=lambda game: game.moves)))
    chosen = chosen[: MOST - 1]
    upsets = [game for game in whole if elo[game.won_by] < elo[game.lost_by]]
    if upsets:
        upset = max(upsets, key=lambda game: elo[game.lost_by] - elo[game.won_by])
        if all(game != upset for _, game in chosen):
            chosen.append(("greatest upset", upset))
    return chosen


def _player(size: tuple[int, int], chosen: Sequence[tuple[str, StoredGame]]) -> str:
    if not chosen:
        return ""
    width, height = size
    theme = replace(THEMES["black-white"], background="")
    empty = svg(picture(Board(width, height), theme=theme, title=f"Hex, {width}x{height}"))
    names = labels(sorted({name for _, game in chosen for name in (game.black, game.white)}))
    options = "".join(
        f"<option value={number}>{text(names[game.black])} – {text(names[game.white])}: "
        f"{text(names[game.won_by])} wins ({reason})</option>"
        for number, (reason, game) in enumerate(chosen)
    )
    data = json.dumps([steps(game.record, names[game.black], names[game.white]) for _, game in chosen])
    buttons = "".join(
        f'<button type="button" data-go="{go}" aria-label="{label}" title="{label}">'
        f'<svg viewBox="0 0 16 16" aria-hidden="true"><path d="{path}"/></svg></button>'
        for go, label, path in (
            ("first", "to the beginning", "M3 3v10M13 3 6 8l7 5z"),
            ("back", "one move back", "M11 3 4 8l7 5z"),
            ("play", "play or pause", "M3 3l6 5-6 5zM11 3v10M14 3v10"),
            ("on", "one move on", "M5 3l7 5-7 5z"),
            ("last", "to the end", "M3 3l7 5-7 5zM13 3v10"),
        )
    )
    return (
        f'<div class="replay" tabindex="0" role="group" aria-label="Games on {width} by {height}">'
        f"<h3>{width}×{height}</h3>"
        f'<label>Game <select class="games">{options}</select></label>'
        f'<div class="stage">{empty}</div><p class="said" aria-live="polite"></p>'
        f'<div class="buttons">{buttons}<input type="range" min="0" value="0" aria-label="move"></div>'
        # Nothing in it can end the script early.
        f'<script type="application/json">{data.replace("<", chr(92) + "u003c")}</script></div>'
    )


def steps(record: Record, black: str, white: str) -> dict[str, Any]:
    """A game as the page replays it: stones put down and taken away, with words for each step."""
    names = {Colour.BLACK: black, Colour.WHITE: white}
    found: list[dict[str, Any]] = []
    first: int | None = None
    for node in record.main_line:
        # Stones that were set up stand there before the first step.
        for cell, colour in node.setup.items():
            if colour is not None:
                found.append({"put": record.name(cell), "side": colour.letter, "off": None, "say": "set up"})
        if node.move is None or node.colour is None:
            continue
        who = f"{str(node.colour).capitalize()} ({names[node.colour]})"
        if node.move == SWAP and first is not None:
            there = record.name(mirror(first, record.width))
            found.append({"put": there, "side": "W", "off": record.name(first), "say": f"{who} swaps"})
        elif node.move >= 0:
            first = node.move if first is None else first
            put = record.name(node.move)
            found.append({"put": put, "side": node.colour.letter, "off": None, "say": f"{who} {put}"})
        else:
            found.append({"put": None, "side": "", "off": None, "say": f"{who}: {record.name(node.move)}"})
    board = record.board()
    winner = record.winner()
    won = "" if winner is None else f"{str(winner).capitalize()} ({names[winner]}) wins"
    return {"steps": found, "chain": [record.name(cell) for cell in board.winning_chain()], "won": won}
