"""Analysis over the Hex Text Protocol: what KataGo's and Leela Zero's front ends read, and lines for people.

A report is one line, the best move first: ``info move c3 visits 12 winrate 0.53 prior 0.1 order 0 pv c3 d4 info move``
and so on. Rates are in the view of the side to move; Leela Zero's are whole numbers from 0 to 10000.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from fingal.game import Colour, Record
from fingal.players.player import Limit, Player
from fingal.players.searching import SearchPlayer, searching
from fingal.search.growing import Analysis, Candidate, Search
from fingal.serve.htp_text import to_colour, to_int

INTERVAL = 50
"""Centiseconds from report to report, where the controller does not say."""

Shown = Callable[[float], str]
"""How a share is written."""


class Live(Protocol):
    """The controller while a command runs: it reads along, and may send the next one."""

    def write(self, text: str) -> None:
        """Send a text at once."""
        ...

    def has_spoken(self, seconds: float | None = 0.0) -> bool:
        """Whether a line has come since the command, waiting for one so long; None waits until there is one."""
        ...


def kata(share: float) -> str:
    """A share as KataGo writes it."""
    return f"{share:.6f}"


def leela(share: float) -> str:
    """A share as Leela Zero writes it."""
    return str(round(10_000 * share))


def player_of(player: Player) -> SearchPlayer:
    """The player that searches; ValueError when there is none."""
    found = searching(player)
    if found is None:
        raise ValueError(f"{player.name} does not search: analysis needs a player such as puct or uct")
    return found


def arguments(words: list[str], turn: Colour) -> tuple[Colour, float]:
    """The side and the seconds between reports of ``[COLOUR] [interval] [CENTISECONDS]``."""
    colour, interval = turn, INTERVAL
    for index, word in enumerate(words):
        if word.isdecimal():
            interval = to_int(word)
        elif word != "interval":
            if index > 0:
                raise ValueError(f"{word[:40]} is not a number of centiseconds")
            colour = to_colour(word)
    if interval < 1:
        raise ValueError(f"an interval of {interval} centiseconds is not possible: at least 1")
    return colour, interval / 100


def reports(player: SearchPlayer, record: Record, interval: float, live: Live | None, shown: Shown) -> Iterator[str]:
    """Reports on the end of a record until the controller speaks, one at least; only one when there is nobody live."""
    due, reported = time.monotonic() + interval, False
    for search in player.analyse(record):
        is_last = live is None or live.has_spoken()
        if (is_last and not reported) or time.monotonic() >= due:
            found = search.analysis()
            if found.candidates:
                yield report(found, record, shown)
                due, reported = time.monotonic() + interval, True
        if is_last and reported:
            return
    # Nothing is left to be found: the last word stands until the next command.
    yield report(_found(search), record, shown)
    if live is not None:
        live.has_spoken(None)


def report(found: Analysis, record: Record, shown: Shown) -> str:
    """All candidates on one line."""
    return " ".join(infos(found, record, shown))


def infos(found: Analysis, record: Record, shown: Shown) -> list[str]:
    """A text for each candidate, the best first."""
    return [_info(candidate, order, record, shown) for order, candidate in enumerate(found.candidates)]


def once(player: SearchPlayer, record: Record, simulations: int | None) -> list[str]:
    """A text for each candidate after one search, with so many simulations or the player's own limit."""
    limit = player.default if simulations is None else Limit(simulations=simulations)
    for search in player.analyse(record, limit):
        last = search
    return infos(_found(last), record, kata)


def _found(search: Search) -> Analysis:
    """What a search that has ended found; one that was interrupted at once looks at one move at least."""
    found = search.analysis()
    return found if found.candidates else search.finish(simulations=1)


def _info(candidate: Candidate, order: int, record: Record, shown: Shown) -> str:
    line = " ".join(record.name(move) for move in candidate.variation)
    rate, prior = shown((1 + candidate.value) / 2), shown(candidate.prior)
    name = record.name(candidate.move)
    return f"info move {name} visits {candidate.visits} winrate {rate} prior {prior} order {order} pv {line}"
