"""Where the agents meet: games between nets' best moves, played once and kept in a folder."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingal.arena import net_games
from fingal.arena.net_games import Games, Randomly
from fingal.nets.inference import open_evaluator
from fingal.search.evaluator import Evaluator

RANDOM_SEED = 1
"""Start of the random player's moves."""


@dataclass(frozen=True)
class Agent:
    """A net that plays, or the random player."""

    kind: str
    """Its net's name and what else tells its run from others."""
    generation: int
    net: Path | None
    """None is the random player."""

    @property
    def name(self) -> str:
        """'convolutional-cube 40'."""
        return f"{self.kind} {self.generation}" if self.net is not None else self.kind


RANDOM = Agent("random", 0, None)


class Hall:
    """Plays, and keeps what was played."""

    def __init__(self, folder: Path, teller: Callable[[str], Callable[[float], None]]) -> None:
        """``teller`` gives, for a name, what is told the share that is done."""
        self._folder, self._teller = folder, teller
        self._open: dict[Path, Evaluator] = {}
        self.played = 0
        """Games, in all."""

    def play(
        self,
        name: str,
        agents: Sequence[Agent],
        pairs: NDArray[np.int64],
        size: int,
        openings: NDArray[np.int64] | None = None,
    ) -> Games:
        """The games of a name: read where the same nets have played the same games, and played otherwise."""
        file, key = self._folder / f"{name}.npz", _key(agents, pairs, size, openings)
        games = _read(file, key)
        if games is None:
            games = net_games.play([self._player(one) for one in agents], pairs, size, openings, self._teller(name))
            self._folder.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part.npz")
            np.savez_compressed(
                part, key=key, pairs=games.pairs, openings=games.openings, black_won=games.black_won, moves=games.moves
            )
            part.replace(file)
        self.played += len(games)
        return games

    def round_robin(self, name: str, agents: Sequence[Agent], size: int) -> Games:
        """Every pair twice from the empty board."""
        return self.play(name, agents, net_games.round_robin(len(agents)), size)

    def from_every_opening(self, name: str, agents: Sequence[Agent], pairs: NDArray[np.int64], size: int) -> Games:
        """The same pairs from every first stone."""
        return self.play(name, agents, *_opened(pairs, size))

    def _player(self, agent: Agent) -> Evaluator:
        if agent.net is None:
            return Randomly(RANDOM_SEED)
        if agent.net not in self._open:
            self._open[agent.net] = open_evaluator(agent.net, backend="torch")
        return self._open[agent.net]


def _opened(pairs: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], int, NDArray[np.int64]]:
    doubled, openings = net_games.from_every_opening(pairs, size * size)
    return doubled, size, openings


def _key(
    agents: Sequence[Agent], pairs: NDArray[np.int64], size: int, openings: NDArray[np.int64] | None
) -> NDArray[np.uint8]:
    """What differs when anything else is asked for, or a net has changed."""
    told = hashlib.sha256(f"{size} {RANDOM_SEED}".encode())
    for agent in agents:
        told.update(b"random" if agent.net is None else hashlib.sha256(agent.net.read_bytes()).digest())
    told.update(np.ascontiguousarray(pairs).tobytes())
    told.update(b"" if openings is None else np.ascontiguousarray(openings).tobytes())
    return np.frombuffer(told.digest(), np.uint8)


def _read(file: Path, key: NDArray[np.uint8]) -> Games | None:
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as kept:
            if not np.array_equal(kept["key"], key):
                return None
            games = Games(kept["pairs"], kept["openings"], kept["black_won"], kept["moves"])
    except (LookupError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, AttributeError, OSError):
        raise ValueError(f"{file} is damaged: put it elsewhere") from None
    count = (len(games.pairs),) if games.pairs.ndim == 2 else ()
    if not games.openings.shape == games.black_won.shape == games.moves.shape[:1] == count:
        raise ValueError(f"{file} is damaged: put it elsewhere")
    return games
