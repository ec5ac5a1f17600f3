"""Opponents with names, from a beginner's to the strongest that there is, and how strong each is by the league.

Each is a player's text that the league knows as well; all of them play on every board from 3x3 to 19x19.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

Elo = tuple[float, float, float]
"""Elo, and the ends of its 95% interval; a random player's is 0."""


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent."""

    name: str
    """In ``level:NAME``."""
    title: str
    text: str
    """One line for people."""
    player: str

    @property
    def elo(self) -> dict[str, Elo]:
        """By the size of a square board, as far as the league has played there: '11' for 11x11."""
        return {size: ladder[self.player] for size, ladder in _ladders().items() if self.player in ladder}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        elo = {size: list(known) for size, known in self.elo.items()}
        return {"name": self.name, "title": self.title, "text": self.text, "player": self.player, "elo": elo}


LEVELS = (
    Level(
        "first-steps",
        "First steps",
        "Heads for the other side, and every second move is any move at all.",
        "shortest-path:epsilon=0.5",
    ),
    Level(
        "novice",
        "Novice",
        "Heads for the other side; three moves in ten are any move at all.",
        "shortest-path:epsilon=0.3",
    ),
    Level(
        "beginner",
        "Beginner",
        "Takes the shortest way, sees no bridges, and is lost in thought now and then.",
        "shortest-path:epsilon=0.15",
    ),
    Level(
        "casual",
        "Casual player",
        "Knows bridges and edge templates; one move in ten is careless.",
        "resistance:epsilon=0.1",
    ),
    Level("improver", "Improver", "Plays a few hundred games in its head before each move.", "uct:sims=150"),
    Level("club", "Club player", "Plays a thousand games in its head and sees what is connected.", "uct:sims=1000"),
    Level(
        "strong",
        "Strong player",
        "Has learned from millions of its own games, and plays at first sight.",
        "net:fingal-small",
    ),
    Level("expert", "Expert", "The same, looking ahead a little.", "puct:net=fingal-small,sims=100"),
    Level(
        "full",
        "Full strength",
        "Has learned from more than a million games, and looks ahead as far as a few seconds allow.",
        "puct:net=fingal-large,sims=300",
    ),
)
"""From the weakest to the strongest."""


def find(name: str) -> Level:
    """The level of that name; ValueError, with those there are, when there is none."""
    for level in LEVELS:
        if level.name == name:
            return level
    raise ValueError(f"there is no level {name!r}; there are {', '.join(level.name for level in LEVELS)}")


def about() -> list[dict[str, Any]]:
    """All levels, ready for JSON."""
    return [level.as_dict() for level in LEVELS]


def read_league(file: Path | None = None) -> dict[str, Any]:
    """The league as ``fingal.arena.league`` has written it; one without boards where there is none."""
    try:
        where = file or resources.files("fingal.arena").joinpath("league.json")
        found = json.loads(where.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"sizes": {}}


@functools.cache
def _ladders() -> dict[str, dict[str, Elo]]:
    """By size and player."""
    return {
        size: {row["player"]: (row["elo"], *row["interval"]) for row in board["ladder"]}
        for size, board in read_league()["sizes"].items()
    }
