"""Ratings, the sequential test and killed events, on more leagues, matches and kills than the quick tests have."""

import json
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fingal.arena.sprt import Sprt
from fingal.arena.store import Store
from tests.arena.test_ratings import coverage
from tests.arena.test_sprt import how_often
from tests.slow.kills import PATIENCE, Server, server


@pytest.mark.parametrize(
    ("elo", "games", "leagues"),
    [
        ([0, 200], 50, 2000),
        ([0, 50, 100, 300, 400, 600], 5, 600),
        ([0, 100, 200, 300, 400, 500, 600, 700], 2, 400),
    ],
)
def test_intervals_hold_the_truth(elo: list[float], games: int, leagues: int) -> None:
    """95% of the time, to 2%."""
    held = coverage(elo, advantage=60, games=games, leagues=leagues)
    print(f"{len(elo)} players, {games} games with each colour: {held[:-1].mean():.3f}, first player {held[-1]:.3f}")
    assert 0.93 <= held[:-1].mean() <= 0.97
    assert 0.93 <= held[-1] <= 0.97


@pytest.mark.parametrize("opening", [0.0, 300.0])
def test_error_rates(opening: float) -> None:
    """2,000 matches for each hypothesis: 5% wrong at most, and 1% more for chance (two standard errors)."""
    sprt = Sprt(0, 50)
    _, first = how_often(sprt, 0, opening, 2000)
    second, _ = how_often(sprt, 50, opening, 2000)
    print(f"openings of ±{opening:g} Elo: {100 * first:.1f}% and {100 * second:.1f}% wrong")
    assert max(first, second) <= 0.06


EVENTS = {
    "match": "match random shortest-path --size 3 --games 40 --openings none",
    "openings": "match uct:sims=20 random --size 4 --games 12 --openings all --save {place}",
    "sprt": "match shortest-path random --size 3 --sprt 0 200 --openings none --games 200",
    "round-robin": "tournament random shortest-path random:name=c --size 3 --games 10 --openings none",
    "gauntlet": "tournament random shortest-path random:name=c --kind gauntlet --size 3 --games 10 --openings none",
    "swiss": "tournament random shortest-path random:name=c random:name=d --kind swiss --rounds 3 --size 3 --games 6",
}
"""Events of some dozens of short games."""

KILLS = 60
"""So often every event is killed at least, in as many stores as it takes, and a few times with workers: 370 in all."""

Games = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(tmp_path_factory.mktemp("said")) as found:
        yield found


def games_in(path: Path) -> Games:
    """All that a store holds of its games but how long they took."""
    with Store(path) as store:
        (event,) = store.events()
        assert event.status == "finished"
        found = [(g.number, g.black, g.white, g.opening, g.winner, g.how, g.moves, g.sgf, g.key) for g in store.games()]
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()
    return found


@pytest.mark.parametrize(("name", "workers"), [*((name, False) for name in EVENTS), ("round-robin", True)])
def test_kills_at_any_statement_lose_and_double_no_game(
    name: str, workers: bool, forked: Server, tmp_path: Path
) -> None:
    """The games of an event that is killed again and again are those of one that is not."""
    chooser = random.Random(f"{name} {workers}")

    def arguments(path: Path) -> list[str]:
        words = EVENTS[name].format(place=path.with_suffix("")).split()
        return [*words, "--store", str(path), "--seed", "7", "--jobs", "2", "--name", "e", "--json"]

    began = time.monotonic()
    whole = forked.run(arguments(tmp_path / "whole.db"), tmp_path / "whole.db", alone=not workers)
    assert whole.status == 0, whole.err
    took, expected = time.monotonic() - began, games_in(tmp_path / "whole.db")
    assert len(expected) >= 6
    kills = number = 0
    while kills < (8 if workers else KILLS):
        number += 1
        path = tmp_path / f"{number}.db"
        for _ in range(15):
            touch, seconds = chooser.randint(1, max(2, whole.touches // 5)), PATIENCE
            if chooser.random() < 0.25:
                touch, seconds = 0, chooser.uniform(0, took)
            ended = forked.run(arguments(path), path, touch=touch, seconds=seconds, alone=not workers)
            assert ended.status in (0, -signal.SIGKILL), ended.err
            if ended.status == 0:
                break
            kills += 1
        ended = forked.run(arguments(path), path, alone=not workers)
        assert ended.status == 0, ended.err
        assert json.loads(ended.out)["finished"]
        assert games_in(path) == expected
        if name == "openings":
            assert sorted(file.name for file in path.with_suffix("").iterdir()) == sorted(
                file.name for file in (tmp_path / "whole").iterdir()
            )
    print(f"{name}: {kills} kills in {time.monotonic() - began:.0f} s")
