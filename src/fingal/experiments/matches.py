"""Matches of a paper's players with its yardstick: played once, kept in a store, gone on with after a kill."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fingal.arena.crew import Workers
from fingal.arena.match import Match
from fingal.arena.openings import openings
from fingal.arena.statistics import Rate
from fingal.arena.store import Store, StoredGame, distinct
from fingal.arena.tournament import Plan, Tournament, find_event, ordered, start_text
from fingal.game import BLACK, WHITE
from fingal.players import spec

STORE = "matches.sqlite"
"""The file in a paper's folder."""

PATIENCE = 900.0
"""Seconds after which a player that has not moved is ended and loses."""

Tell = Callable[[int, int], None]
"""Told how many games are played, and of how many."""


@dataclass(frozen=True)
class Meeting:
    """A player and its yardstick, both colours from every opening."""

    name: str
    """What tables call the player."""
    player: str
    """Its text."""
    opponent: str
    """The yardstick's text."""
    size: int
    """The board's side."""
    openings: str = "all"
    """Where games begin, as ``fingal match`` has it: none, all, edge, fair."""
    games: int | None = None
    """How many; every opening once with each colour, if not given."""
    seed: int = 1
    """Start of the random numbers of players whose texts have none."""
    against: str = ""
    """What tables call the opponent; '' for its text."""

    def __post_init__(self) -> None:
        """Refuse what leaves one colour with fewer games."""
        if self.games is not None and (self.games < 2 or self.games % 2):
            raise ValueError(f"games={self.games} is not possible: an even number is, so that both colours are equal")

    def plan(self) -> Plan:
        """Its games."""
        starts = ordered(openings(self.openings, self.size, self.size), self.openings)
        games = self.games if self.games is not None else 2 * len(starts)
        texts = tuple(map(start_text, starts))
        players = (self.player, self.opponent)
        return Plan("match", players, self.size, self.size, games, texts, openings=self.openings, seed=self.seed)


@dataclass(frozen=True)
class Score:
    """What came of a meeting."""

    meeting: Meeting
    games: Sequence[StoredGame]

    @property
    def rate(self) -> Rate:
        """The player's share of all games."""
        return self._match().rate(0)

    @property
    def first(self) -> Rate:
        """Its share of the games in which it had Black, who moves first."""
        return self._match().rate(0, BLACK)

    @property
    def second(self) -> Rate:
        """Its share of those in which it had White."""
        return self._match().rate(0, WHITE)

    @property
    def distinct(self) -> int:
        """How many games differ."""
        return distinct(list(self.games))

    def seconds(self, player: int = 0) -> tuple[float, float]:
        """The mean thinking time of the player (0) or of its opponent (1): in a game, and for a move.

        Games that ended with a failure are left out: nobody knows what their sides took.
        """
        whole = [game for game in self.games if not game.failure]
        taken = sum(game.seconds[_colour(game, player)] for game in whole)
        moves = sum(_moves(game, _colour(game, player)) for game in whole)
        return taken / max(1, len(whole)), taken / max(1, moves)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        (game, move), (opponents_game, opponents_move) = self.seconds(0), self.seconds(1)
        return {
            **asdict(self.meeting),
            "played": len(self.games),
            "distinct": self.distinct,
            "failures": sum(bool(one.failure) for one in self.games),
            "win_rate": self.rate.value,
            "all": self.rate.as_dict(),
            "first": self.first.as_dict(),
            "second": self.second.as_dict(),
            "seconds_a_game": game,
            "seconds_a_move": move,
            "opponent_seconds_a_game": opponents_game,
            "opponent_seconds_a_move": opponents_move,
        }

    def _match(self) -> Match:
        return Match((self.meeting.player, self.meeting.opponent), list(self.games))


def play(meetings: Iterable[Meeting], folder: Path, jobs: int, tell: Tell = lambda played, of: None) -> list[Score]:
    """Play what has not been played, ``jobs`` games at a time; what came of each meeting, in order.

    The games are in a store in the folder. A meeting whose players' nets have changed since is played anew.
    ValueError and PlayerError when a player cannot be made.
    """
    asked = list(meetings)
    plans = [meeting.plan() for meeting in asked]
    crew = Workers(jobs, PATIENCE)
    folder.mkdir(parents=True, exist_ok=True)
    of = sum(plan.total for plan in plans)
    scores, played = [], 0
    checked: set[str] = set()
    try:
        with Store(folder / STORE, create=True) as store:
            for meeting, plan in zip(asked, plans, strict=True):
                event = find_event(store, plan, _event(plan), has_seed=True)
                running = Tournament(store, event)
                if event.status != "finished":
                    # Before the games: who is not there is an error, not a lost game.
                    crew.check(text for text in plan.players if text not in checked)
                    checked |= set(plan.players)
                    with store.playing(event):
                        for _ in running.play(crew):
                            tell(played + running.tally.games, of)
                played += running.tally.games
                tell(played, of)
                scores.append(Score(meeting, store.games(event.name)))
    finally:
        crew.close()
    return scores


def markdown(scores: Sequence[Score]) -> str:
    """The table of some meetings, for a page."""
    lines = [
        "| player | opponent | openings | games (distinct) | won | as first | as second | s a game | s a move |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for score in scores:
        meeting, (game, move) = score.meeting, score.seconds()
        cells = [
            meeting.name,
            meeting.against or f"`{meeting.opponent}`",
            f"{meeting.openings}, {meeting.size}x{meeting.size}",
            f"{len(score.games)} ({score.distinct})",
            *(in_percent(rate) for rate in (score.rate, score.first, score.second)),
            f"{game:.2f}",
            f"{move:.3f}",
        ]
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def in_percent(rate: Rate) -> str:
    """'20.4% [18.0, 23.0] 204/1000'."""
    low, high = rate.interval
    return f"{100 * rate.value:.1f}% [{100 * low:.1f}, {100 * high:.1f}] {rate.wins}/{rate.games}"


def _event(plan: Plan) -> str:
    """A name that another plan, or the same one with other nets, does not have."""
    told = [plan.settings(), [_contents(text) for text in plan.players]]
    return f"match {hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]}"


def _contents(text: str) -> list[str]:
    """What stands in the files that a player's text names."""
    told = spec.parse(text)
    files = [value for value in (told.argument, *told.settings.values()) if value and os.path.isfile(value)]
    return [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]


def _colour(game: StoredGame, player: int) -> int:
    """0 when a player (0 or 1) has Black: the first one has it in games with odd numbers."""
    return player if game.number % 2 else 1 - player


def _moves(game: StoredGame, colour: int) -> int:
    """How many of the moves after the opening a colour (0 for Black) has made."""
    given = len(game.opening.split())
    starts = given % 2 == colour
    return (game.moves + starts) // 2
