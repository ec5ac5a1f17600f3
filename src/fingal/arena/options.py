"""What the command line may say of a match or a tournament. Kept apart from what plays it, which loads more slowly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from fingal.arena.provenance import cores


@dataclass(frozen=True)
class EventOptions:
    """How games are played, and where they go."""

    size: Annotated[str, tyro.conf.arg(metavar="N|WxH")] = "11"
    """The board: 11, or 7x9 (7 wide, 9 high)."""
    games: int | None = None
    """How many games each two players play. Without it: every opening twice, but 100 with the openings none and fair;
    in a tournament 20, in a Swiss round 2."""
    openings: str = "fair"
    """none, all (every cell as Black's first stone), edge (cells within two rows of a side), fair (first moves near
    even; fair:30 for so many) or a file with one opening a line. Each is played with both colours."""
    sims: int | None = None
    """Simulations a move, for players that search."""
    time: float | None = None
    """Seconds a move."""
    timeout: float = 600.0
    """Seconds after which a player that has not moved is ended and loses."""
    adjudicate: bool = False
    """End a game where virtual connections prove the winner."""
    jobs: int | None = None
    """Games at a time, each in a process of its own; as many as there are cores, if not given."""
    seed: int | None = None
    """Start of the random numbers, for players whose text has none; without one, no two events are alike."""
    store: Path = Path("games.sqlite")
    """The file for the games."""
    name: str | None = None
    """The event's name in the store. Without one, the last unfinished event of the same kind goes on, or a new one
    begins; with one, that event goes on, or is shown when it is finished."""
    save: Path | None = None
    """A folder for the games as SGF files too."""

    @property
    def processes(self) -> int:
        """How many games are played at a time."""
        return cores() if self.jobs is None else self.jobs
