"""Events: they go on where they were, whatever stopped them, and every game is played once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fingal.arena.crew import Alone
from fingal.arena.openings import openings
from fingal.arena.store import Event, Store
from fingal.arena.tournament import Plan, Tournament, find_event, opening_of, ordered, play, start_text
from fingal.game import BLACK, WHITE, Colour, Record, formats

FINGAL = [sys.executable, "-c", "from fingal.cli import main; main()"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


def count(path: Path) -> int:
    if not path.exists():
        return 0
    with Store(path) as store:
        return len(store.games())


def test_killed_three_times_it_has_every_game_once(path: Path) -> None:
    """What comes out is what would have come out without: the same games, to the move."""
    players = ("resistance", "shortest-path", "random")
    arguments = ["tournament", *players, "--size", "6", "--games", "30", "--seed", "7", "--openings", "edge"]
    arguments += ["--jobs", "2", "--store", str(path), "--name", "league", "--json"]
    for enough in (5, 15, 25):
        with subprocess.Popen([*FINGAL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while count(path) < enough:
                assert process.poll() is None
                time.sleep(0.02)
            os.kill(process.pid, signal.SIGKILL)
        assert enough <= count(path) < 90
    ended = subprocess.run([*FINGAL, *arguments], capture_output=True, text=True, check=True)
    assert "league goes on after " in ended.stderr
    result = json.loads(ended.stdout)
    assert (result["games"], result["finished"], result["failures"]) == (90, True, [])

    with Store(path) as store:
        kept = store.games("league")
        plan = Plan.read(store.event("league").settings, "round-robin")
    assert [game.number for game in kept] == list(range(1, 91))
    assert {game.number: game.sgf for game in kept} == {game.number: game.sgf for game in play(plan)}


def test_an_unfinished_event_of_the_same_plan_goes_on(path: Path) -> None:
    plan = Plan("match", ("random", "random"), 3, 3, 6)
    with Store(path, create=True) as store:
        event = find_event(store, plan, None, has_seed=False)
        games = Tournament(store, event).play(Alone())
        next(games)
        games.close()
        assert store.event(event.name).status == "playing"
        # Another plan is another event.
        other = find_event(store, replace(plan, width=4), None, has_seed=False)
        assert other.name == "match-2"
        again = find_event(store, plan, None, has_seed=False)
        assert (again.name, again.settings["seed"]) == (event.name, event.settings["seed"])
        assert [game.number for game in Tournament(store, again).play(Alone())] == [2, 3, 4, 5, 6]
        assert store.event(event.name).status == "finished"
        assert find_event(store, plan, None, has_seed=False).name == "match-3"


def test_a_name_stands_for_one_plan(path: Path) -> None:
    plan = Plan("match", ("random", "shortest-path"), 3, 3, 2, seed=1)
    with Store(path, create=True) as store:
        event = find_event(store, plan, "mine", has_seed=True)
        assert len(list(Tournament(store, event).play(Alone()))) == 2
        again = find_event(store, plan, "mine", has_seed=True)
        assert list(Tournament(store, again).play(Alone())) == []
        for change, word in (({"width": 4}, "width"), ({"seed": 2}, "seed"), ({"games": 1}, "games")):
            with pytest.raises(ValueError, match=f"^mine in .* is an event with another {word}: choose another name$"):
                find_event(store, replace(plan, **change), "mine", has_seed=True)
        # More games may be asked for: those that are there stay.
        more = find_event(store, replace(plan, games=4), "mine", has_seed=True)
        assert [game.number for game in Tournament(store, more).play(Alone())] == [3, 4]
        assert [game.number for game in store.games("mine")] == [1, 2, 3, 4]


def test_no_more_games_are_asked_for_while_another_process_plays(path: Path) -> None:
    plan = Plan("match", ("random", "shortest-path"), 3, 3, 2, seed=1)
    program = """
import sys
from fingal.arena.store import Store
with Store(sys.argv[1]) as store, store.playing(store.event("mine")):
    print("playing", flush=True)
    sys.stdin.read()
"""
    with Store(path, create=True) as store:
        event = find_event(store, plan, "mine", has_seed=True)
        with subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "playing\n"
            with pytest.raises(ValueError, match=r"^mine in .* is being played by another process$"):
                find_event(store, replace(plan, games=4), "mine", has_seed=True)
            assert store.event("mine") == event
            other.communicate()
        assert find_event(store, replace(plan, games=4), "mine", has_seed=True).settings["games"] == 4


def test_an_event_is_not_finished_while_games_are_missing_that_were_asked_for(path: Path) -> None:
    plan = Plan("match", ("random", "shortest-path"), 3, 3, 2, seed=1)
    with Store(path, create=True) as store:
        running = Tournament(store, find_event(store, plan, "mine", has_seed=True))
        find_event(store, replace(plan, games=4), "mine", has_seed=True)
        assert len(list(running.play(Alone()))) == 2
        assert store.event("mine").status == "playing"
        more = find_event(store, replace(plan, games=4), "mine", has_seed=True)
        assert [game.number for game in Tournament(store, more).play(Alone())] == [3, 4]
        assert store.event("mine").status == "finished"


def test_an_event_that_another_process_has_just_begun_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, begin = Plan("match", ("random", "random"), 3, 3, 2), Store.begin

    def late(store: Store, kind: str, settings: Mapping[str, Any], name: str | None = None) -> Event:
        with Store(path) as other:
            begin(other, kind, {**settings, "seed": 5}, name)
        return begin(store, kind, settings, name)

    monkeypatch.setattr(Store, "begin", late)
    with Store(path, create=True) as store:
        assert find_event(store, plan, "mine", has_seed=False).settings["seed"] == 5
        assert len(store.events()) == 1


def test_events_of_kinds_that_are_no_more_do_not_stand_in_the_way(path: Path) -> None:
    plan = Plan("match", ("random", "random"), 3, 3, 2)
    with Store(path, create=True) as store:
        store.finish(store.begin("ladder", plan.settings()))
        store.begin("match", {**plan.settings(), "players": ["oracle", "random"]})
        store.begin("match", {})
        assert find_event(store, plan, None, has_seed=False).name == "match-4"


def test_an_event_that_nobody_can_play_is_forgotten(path: Path) -> None:
    plan = Plan("match", ("net:ezo-7", "random"), 3, 3, 2)
    with Store(path, create=True) as store:
        event = find_event(store, plan, "mine", has_seed=True)
        with pytest.raises(ValueError, match="ezo-7 plays on 7x7 only"):
            list(Tournament(store, event).play(Alone()))
        assert store.events() == []
        # One that has games stays.
        other = find_event(store, replace(plan, players=("random", "random")), "mine", has_seed=True)
        next(Tournament(store, other).play(Alone()))
        store.forget(other)
        assert [event.name for event in store.events()] == ["mine"]


def test_a_swiss_tournament_goes_on_in_the_middle_of_a_round(path: Path) -> None:
    players = (*(f"random:name={letter}" for letter in "abcdefg"), "shortest-path")
    plan = Plan("swiss", players, 3, 3, 2, rounds=3, seed=3)
    whole = {game.number: game for game in play(plan)}
    assert len(whole) == plan.total == 24
    with Store(path, create=True) as store:
        event = find_event(store, plan, "swiss", has_seed=True)
        for stop in (5, 6, 13):
            games = Tournament(store, event).play(Alone())
            for _ in range(stop - len(store.games())):
                next(games)
            games.close()
        list(Tournament(store, event).play(Alone()))
        assert {game.number: game.sgf for game in store.games()} == {n: game.sgf for n, game in whole.items()}
    wins = [sum(game.won_by == player for game in whole.values()) for player in players]
    assert max(wins) == wins[-1] == 6


def test_an_event_of_any_length_begins_at_once_and_goes_on(path: Path) -> None:
    """Its first games are those of a short one with the same seed."""
    plan = Plan("round-robin", ("random", "random:name=b", "random:name=c"), 3, 3, 10**12, seed=5)
    short = {game.number: game.sgf for game in play(replace(plan, games=4))}
    with Store(path, create=True) as store:
        event = find_event(store, plan, "long", has_seed=True)
        for _ in range(3):
            games = Tournament(store, event).play(Alone())
            for _ in range(4):
                next(games)
            games.close()
        assert {game.number: game.sgf for game in store.games()} == short
        assert Tournament(store, event).tally.games == 12


def test_games_that_a_kill_has_left_out_are_played_first(path: Path) -> None:
    plan = Plan("match", ("random", "random:name=b"), 3, 3, 9, seed=5)
    whole = {game.number: game for game in play(plan)}
    with Store(path, create=True) as store:
        event = find_event(store, plan, "mine", has_seed=True)
        for number in (1, 2, 5, 8):
            store.add(replace(whole[number], event="mine"))
        assert [game.number for game in Tournament(store, event).play(Alone())] == [3, 4, 6, 7, 9]
        assert {game.number: game.sgf for game in store.games()} == {n: game.sgf for n, game in whole.items()}


def test_a_sequential_test_ends_a_match(path: Path) -> None:
    plan = Plan("match", ("shortest-path", "random"), 5, 5, 1000, sprt=(0, 200), seed=1)
    with Store(path, create=True) as store:
        event = find_event(store, plan, None, has_seed=True)
        running = Tournament(store, event)
        games = list(running.play(Alone()))
        assert running.decided() == 200
        assert 6 <= len(games) <= 40
        assert store.event(event.name).status == "finished"
        # Asked again, it knows.
        assert list(Tournament(store, event).play(Alone())) == []


def test_openings_come_back_as_they_were() -> None:
    setup = formats.read("(;FF[4]GM[11]SZ[3]AB[b1]AW[a2]PL[W])")
    white, twice = (formats.position(text, (3, 3)) for text in ("W:a1", "B:a1 B:b2"))
    for opening in (Record(3, 3), Record.of(["a1", "b2"], 3), setup, Record.of(["a1"], 3, swap=True), white, twice):
        back = opening_of(start_text(opening), 3, 3)
        assert (back.moves, back.board(), back.swap) == (opening.moves, opening.board(), opening.swap)
    assert start_text(Record.of(["a1", "b2"], 3)) == "a1 b2"


@pytest.mark.parametrize(
    ("text", "stones", "turn"),
    [
        ("W:a1", [(WHITE, 0)], BLACK),
        ("(;FF[4]GM[11]SZ[3];W[a1])", [(WHITE, 0)], BLACK),
        ("B:a1 B:b2", [(BLACK, 0), (BLACK, 4)], WHITE),
    ],
)
def test_openings_out_of_turn_are_played_as_they_stand(
    tmp_path: Path, text: str, stones: list[tuple[Colour, int]], turn: Colour
) -> None:
    (tmp_path / "openings.txt").write_text(text)
    starts = tuple(map(start_text, openings(str(tmp_path / "openings.txt"), 3, 3)))
    for game in play(Plan("match", ("random", "random"), 3, 3, 2, starts)):
        assert game.record.moves[: len(stones)] == stones
        assert game.record.moves[len(stones)][0] is turn


def test_a_short_match_sees_the_whole_board() -> None:
    """In the order of the cells, the first ten openings of 'all' would all be in the top row."""
    first = [opening.moves[0][1] // 11 for opening in ordered(openings("all", 11, 11), "all")[:10]]
    assert len(set(first)) > 4
    given = [Record.of([cell], 3) for cell in (5, 3, 1)]
    assert ordered(given, "file.txt") == given


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kind": "league"}, "there is no tournament 'league': there are match, round-robin, gauntlet, swiss"),
        ({"kind": "match"}, "a match of 3 players is not possible: it has 2"),
        ({"games": 0}, "a match of 0 games is not possible: at least 1"),
        ({"games": 10**12 + 1}, "a match of 1000000000001 games is not possible: at least 1, at most 10"),
        ({"games": 10**400}, "a match of 10.400 games is not possible: at least 1, at most 10"),
        ({"players": ("random",)}, "a tournament of 1 players is not possible: at least 2"),
        ({"players": ("random", "solver", "random")}, "random stands twice among the players: name=... in a text"),
        ({"players": ("random", "nobody")}, "there is no player 'nobody'"),
        ({"kind": "gauntlet", "heads": 3}, "heads=3 is not possible: from 1 to 2"),
        ({"kind": "swiss", "rounds": 0}, "rounds=0 is not possible: from 1 to 2"),
        ({"kind": "swiss", "rounds": 3}, "rounds=3 is not possible: from 1 to 2"),
    ],
)
def test_plans_that_are_none(settings: dict[str, object], sentence: str) -> None:
    known: dict[str, object] = {"kind": "round-robin", "players": ("random", "solver", "shortest-path"), "games": 2}
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        Plan(**{"width": 3, "height": 3, **known, **settings})  # type: ignore[arg-type]


def test_colours_and_openings_of_a_match() -> None:
    games = list(play(Plan("match", ("random", "shortest-path"), 3, 3, 6, starts=("a1", "c3"))))
    assert [game.black for game in games] == ["random", "shortest-path"] * 3
    assert [game.opening for game in games] == ["a1", "a1", "c3", "c3", "a1", "a1"]
    assert [game.record.moves[0] for game in games] == [(BLACK, 0), (BLACK, 0), (BLACK, 8), (BLACK, 8)] + [
        (BLACK, 0)
    ] * 2
