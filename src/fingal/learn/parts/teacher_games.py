"""Games that a player plays against itself for others to learn from, in processes, kept in a file as they end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fingal.arena.crew import Alone, Crew, Workers
from fingal.arena.seats import Task
from fingal.game import Record, formats
from fingal.learn.parts import game_lines

TIMEOUT = 600.0
"""Seconds after which a player is taken to hang."""


def opening(number: int, size: int, most_random: int, seed: int) -> list[int]:
    """The stones that a game begins with: 1 to ``most_random`` at random, so few that nobody can win at once."""
    lots = np.random.default_rng([seed, number])
    count = int(lots.integers(1, max(1, min(most_random, 2 * size - 4)) + 1))
    cells: list[int] = lots.choice(size * size, count, replace=False).tolist()
    return cells


def played(file: Path) -> int:
    """How many games a file holds; a line that a kill cut short is dropped."""
    if not file.exists():
        return 0
    kept = file.read_bytes()
    os.truncate(file, kept.rfind(b"\n") + 1)
    return kept.count(b"\n")


def play(
    file: Path, player: str, size: int, games: int, *, most_random: int, seed: int, jobs: int = 1
) -> Iterator[int]:
    """Add games to a file until it holds ``games``; gives how many it holds after each.

    A game's number decides its opening and its player's random numbers, and games are written in order, so a file is
    the same whoever was stopped in between. ValueError when the player fails.
    """
    done = played(file)
    if done >= games:
        return
    crew: Crew = Alone() if jobs == 1 else Workers(jobs, TIMEOUT)
    waiting: dict[int, str] = {}
    starts = {number: opening(number, size, most_random, seed) for number in range(done + 1, games + 1)}
    tasks = (
        Task(number, player, player, formats.write(Record.of(list(start), size)), seed)
        for number, start in starts.items()
    )
    try:
        crew.check([player])
        with file.open("a", encoding="utf-8") as out, contextlib.closing(crew.play(tasks)) as outcomes:
            for outcome in outcomes:
                if outcome.failure:
                    raise ValueError(f"a game cannot be learned from: {outcome.failure}")
                moves = game_lines.of_record(formats.read(outcome.sgf)).moves
                waiting[outcome.number] = game_lines.line(moves, len(starts[outcome.number]), size, outcome.winner)
                while done + 1 in waiting:
                    out.write(waiting.pop(done + 1) + "\n")
                    out.flush()
                    done += 1
                    yield done
    finally:
        crew.close()
