"""``fingal tournament``, ``fingal ratings`` and what is new in ``fingal match``, as a person uses them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fingal.arena.command import run_players
from fingal.arena.store import Store, StoredGame
from fingal.game import formats
from tests.conftest import FINGAL, Run

ENGINE = Path(__file__).parent.parent / "players" / "fake_engine.py"


def told(fingal: Run, *arguments: object) -> dict[str, Any]:
    ran = fingal(*arguments, "--json")
    assert ran.status == 0, ran.err
    result = json.loads(ran.out)
    assert isinstance(result, dict)
    return result


def test_a_tournament(fingal: Run, tmp_path: Path) -> None:
    players = ["random", "shortest-path", "resistance"]
    result = told(fingal, "tournament", *players, "--size", 5, "--games", 4, "--save", "sgf", "--anchor", "random")
    assert (result["event"], result["kind"], result["finished"]) == ("round-robin-1", "round-robin", True)
    assert (result["games"], result["distinct_games"], result["failures"]) == (12, 12, [])
    # The cross table once more, from the files alone.
    records = [formats.load(file) for file in sorted((tmp_path / "sgf").iterdir())]
    assert len(records) == 12
    for line in result["cross_table"]:
        both = [r for r in records if {line["player"], line["opponent"]} == set(r.players.values())]
        assert len(both) == line["games"] == 4
        assert sum(r.players[r.board().winner] == line["player"] for r in both) == line["wins"]
    assert len(result["cross_table"]) == 6
    elo = {rating["player"]: rating["elo"] for rating in result["ratings"]}
    assert elo["random"] == 0
    assert min(elo["shortest-path"], elo["resistance"]) > 100
    for rating in result["ratings"]:
        low, high = rating["interval"]
        assert low <= rating["elo"] <= high
    assert set(result["first_player_advantage"]) == {"elo", "interval"}


def test_a_tournament_as_a_table(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = fingal("tournament", "random:name=[/one]", "shortest-path", "--size", 4, "--games", 2)
    assert ran.status == 0
    assert "[/one]" in ran.out
    assert "2 of 2 games, 2 distinct" in ran.out
    assert "Elo with 95% intervals, the mean is 0; having Black: " in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_ratings_of_a_store(fingal: Run) -> None:
    for size in (3, 4):
        told(fingal, "match", "random", "shortest-path", "--size", size, "--games", 4, "--openings", "none")
    assert told(fingal, "ratings", "games.sqlite")["games"] == 8
    assert told(fingal, "ratings", "games.sqlite", "--size", 3)["games"] == 4
    one = told(fingal, "ratings", "games.sqlite", "--event", "match-2", "--anchor", "random")
    assert (one["games"], one["anchor"]) == (4, "random")
    assert one["ratings"] == told(fingal, "ratings", "games.sqlite", "--size", 4, "--anchor", "random")["ratings"]
    assert "shortest-path" in fingal("ratings", "games.sqlite").out


def test_a_sequential_test(fingal: Run) -> None:
    result = told(fingal, "match", "shortest-path", "random", "--size", 5, "--sprt", -100, 100)
    assert result["sprt"]["accepted"] == 100
    assert result["sprt"]["llr"] >= result["sprt"]["bounds"][1]
    assert sum(result["sprt"]["pairs"]) * 2 <= result["games"] < 1000
    ran = fingal("match", "random", "shortest-path", "--size", 5, "--sprt", 0, 100)
    assert "+0 Elo is accepted: random is +0 or +100 Elo better" in ran.out


def test_deterministic_players_repeat_themselves_and_that_is_said(fingal: Run) -> None:
    result = told(fingal, "match", "resistance", "resistance:name=b", "--size", 4, "--games", 6, "--openings", "none")
    assert (result["games"], result["distinct_games"]) == (6, 2)
    varied = told(fingal, "match", "resistance", "resistance:name=b", "--size", 4, "--openings", "all")
    # A game and its half turn are one.
    assert varied["games"] == 32
    assert 16 <= varied["distinct_games"] < 32


def test_proofs_shorten_games(fingal: Run) -> None:
    for name, more in (("whole", []), ("short", ["--adjudicate"])):
        told(fingal, "match", "uct:sims=9", "uct:sims=8", "--size", 6, "--games", 4, "--seed", 1, "--name", name, *more)
    with Store("games.sqlite") as store:
        whole, short = store.games("whole"), store.games("short")
    assert {game.how for game in short} == {"proof"}
    assert all(len(one.record.moves) < len(two.record.moves) for one, two in zip(short, whole, strict=True))
    # The same players: what was played before the proof is the same.
    for one, two in zip(short, whole, strict=True):
        assert two.record.moves[: len(one.record.moves)] == one.record.moves


def test_a_league_of_checkpoints(fingal: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoints"
    folder.mkdir(parents=True)
    for name in ("net-0000000", "net-0000020", "net-0000040", "net-0000060", "net-0001000", "latest", "state"):
        (folder / f"{name}.safetensors").touch()
    assert run_players(tmp_path / "run", 3, "puct:net={},sims=5") == [
        f'puct:name="step {step}",net={folder}/net-{step:07d}.safetensors,sims=5' for step in (0, 40, 1000)
    ]
    # What a net plays is tested elsewhere, and takes longer to load.
    arguments = ["--run", tmp_path / "run", "--checkpoints", 2, "--player", "random:seed=1,name={}"]
    result = told(fingal, "tournament", "shortest-path", *arguments, "--size", 3, "--games", 2, "--openings", "none")
    players = {"shortest-path", *run_players(tmp_path / "run", 2, "random:seed=1,name={}")}
    assert {rating["player"] for rating in result["ratings"]} == players
    assert result["games"] == 6
    assert str(folder / "net-0001000.safetensors") in fingal("ratings", "games.sqlite", "--json").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tournament"], "a tournament of 0 players is not possible: at least 2"),
        (["tournament", "random", "random"], "random stands twice among the players"),
        (["tournament", "random", "nobody"], "there is no player 'nobody'"),
        (["tournament", "random", "solver", "--rounds", 2], "rounds=2 is not possible: only a Swiss tournament"),
        (["tournament", "random", "solver", "--anchor", "uct"], "the anchor 'uct' is none of the players"),
        (["tournament", "random", "--run", "nowhere"], "nowhere has 0 checkpoints in checkpoints/: a league needs"),
        (["tournament", "random", "--run", ".", "--checkpoints", 1], "checkpoints=1 is not possible: at least 2"),
        (["match", "random", "solver", "--jobs", 0], "jobs=0 is not possible: at least 1"),
        (["match", "random", "solver", "--timeout", 0], "timeout=0 is not possible: it must be more than 0"),
        (["match", "random", "solver", "--sprt", 5, 1], "sprt 5 1 is not possible: two Elo differences, the smaller"),
        (["match", "random", "solver", "--sprt", 0, 20000], "sprt 0 20000 is not possible: Elo differences go from"),
        (["match", "random", "human", "--json"], "human is not possible with --json: a person needs boards and"),
        (["tournament", "random", "human:board=no", "--json"], "human is not possible with --json"),
        (
            ["match", "random", "solver", "--size", 1, "--openings", "fair:3"],
            "there are no fair openings on 1x1: every",
        ),
        (["match", "random", "solver", "--openings", "fair:1000"], "there are not 1000 fair openings on 11x11: from 1"),
        (["match", "random", "solver", "--name", "a/b"], "name='a/b' is not possible: 1 to 80 signs with no / are"),
        (["match", "random", "solver", "--store", "no/x"], "no/x cannot be written: there is no folder no"),
        (["match", "random", "solver", "--store", "text"], "text is not a store of games"),
        (["ratings", "missing"], "there is no store of games missing: 'fingal match' or 'fingal tournament' writes"),
        (["ratings", "text"], "text is not a store of games"),
    ],
    ids=lambda case: str(case)[:60],
)
def test_bad_input_is_answered_with_one_sentence(
    fingal: Run, tmp_path: Path, arguments: list[object], sentence: str
) -> None:
    (tmp_path / "text").write_text("a text\n")
    before = sorted(tmp_path.iterdir())
    ran = fingal(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("fingal: ")
    assert ran.err.count("\n") == 1
    assert sentence in ran.err
    assert sorted(tmp_path.iterdir()) == before


def test_engines_that_fail_from_the_start_do_not_stop_a_tournament(fingal: Run) -> None:
    """One never says anything, one dies at once, one answers every question with a cell that is not on the board."""
    hangs, dies = 'htp:"sleep 60",timeout=0.5,name=hangs', 'htp:"false",name=dies'
    cheats = """htp:"sh -c 'while read line; do echo = z99; echo; done'",name=cheats"""
    ran = fingal("tournament", "random", hangs, dies, cheats, "--size", 3, "--games", 2, "--openings", "none", "--json")
    assert ran.status == 1
    for name in ("hangs", "dies", "cheats"):
        assert f"{name} played no game to its end and forfeited, first in game " in ran.err
    assert "random played no game" not in ran.err
    assert "hangs forfeits unless it recovers: the engine sleep did not answer 'protocol_version'" in ran.err
    assert "dies forfeits unless it recovers: the engine false ended" in ran.err
    result = json.loads(ran.out)
    assert (result["games"], result["finished"]) == (12, True)
    assert len(result["failures"]) == 12
    wins = {rating["player"]: rating["wins"] for rating in result["ratings"]}
    assert wins["random"] == 6
    # Nobody left to play, or nobody there, is an error.
    assert fingal("tournament", hangs, dies, "--size", 3).status == 2
    assert "there is no such program" in fingal("tournament", "random", 'htp:"no-such-engine"', "--size", 3).err


def test_a_finished_event_is_shown_without_starting_anyone(fingal: Run, tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S {ENGINE} plays\n")
    program.chmod(0o755)
    arguments = ["match", f'htp:"{program}"', "random:seed=1", "--size", 3, "--games", 2, "--name", "mine"]
    played = told(fingal, *arguments)
    program.unlink()
    assert told(fingal, *arguments) == played
    assert "cannot start the engine" in fingal(*arguments, "--games", 4).err


def test_a_store_without_such_games(fingal: Run) -> None:
    told(fingal, "match", "random", "solver", "--size", 2, "--games", 1)
    assert "games.sqlite has no such games" in fingal("ratings", "games.sqlite", "--size", 9).err
    assert "has no event 'league'; it has match-1" in fingal("ratings", "games.sqlite", "--event", "league").err


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """The interrupt goes to the whole group, as from a terminal: it must not reach the workers."""
    first = interrupted(tmp_path, 5)
    assert first.err == "stopped: the same command goes on with match-1\n"
    second = interrupted(tmp_path, first.result["games"] + 5)
    assert second.err == f"match-1 goes on after {first.result['games']} games\n{first.err}"
    assert second.result["games"] > first.result["games"]
    assert [told["finished"] for told in (first.result, second.result)] == [False, False]
    with Store(tmp_path / "games.sqlite") as store:
        numbers = [game.number for game in store.games("match-1")]
    assert len(numbers) == len(set(numbers)) == second.result["games"]


def test_a_game_that_was_just_written_is_told_of(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Store.add

    def add_and_stop(store: Store, game: StoredGame) -> None:
        add(store, game)
        if len(store.games()) == 3:
            raise KeyboardInterrupt  # as Python does when Ctrl-C comes while SQLite writes

    monkeypatch.setattr(Store, "add", add_and_stop)
    assert told(fingal, "match", "random", "random", "--size", 2, "--games", 9)["games"] == 3


def test_stopped_before_the_anchor_has_played(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Store.add

    def add_and_stop(store: Store, game: StoredGame) -> None:
        add(store, game)
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "add", add_and_stop)
    arguments = ["random", "shortest-path", "resistance:name=last", "--kind", "gauntlet", "--size", 3, "--jobs", 1]
    result = told(fingal, "tournament", *arguments, "--anchor", "last")
    assert (result["games"], result["finished"], result["anchor"]) == (1, False, None)
    assert sum(rating["elo"] for rating in result["ratings"]) == pytest.approx(0)


def test_a_match_that_a_player_refuses_leaves_no_event(fingal: Run) -> None:
    ran = fingal("match", "net:ezo-7", "random", "--size", 3, "--games", 2)
    assert (ran.status, ran.err) == (2, "fingal: net:ezo-7 does not play here: ezo-7 plays on 7x7 only, not on 3x3\n")
    assert not Path("games.sqlite").exists()


def test_a_tournament_that_a_player_refuses_plays_nobody_else(fingal: Run) -> None:
    ran = fingal("tournament", "random", "shortest-path", "net:ezo-7,epsilon=0.1", "--size", 3, "--games", 2)
    assert ran.status == 2
    assert ran.err == "fingal: net:ezo-7,epsilon=0.1 does not play here: ezo-7 plays on 7x7 only, not on 3x3\n"
    assert not Path("games.sqlite").exists()


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("dies", "the engine fake_engine ended without answering 'genmove "),
        ("illegal", "which is not legal there"),
        ("hangs", "did not answer 'genmove "),
    ],
)
def test_a_forfeit_of_every_game_is_no_success(fingal: Run, tmp_path: Path, mode: str, reason: str) -> None:
    program = tmp_path / "fake_engine"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S {ENGINE} {mode}\n")
    program.chmod(0o755)
    broken = f'htp:"{program}",name=broken' + (",timeout=3" if mode == "hangs" else "")
    arguments = ["match", broken, "random", "--size", 3, "--games", 2, "--jobs", 2, "--name", "mine", "--json"]
    for _ in range(2):  # once played, and once shown
        ran = fingal(*arguments)
        assert ran.status == 1, ran.err
        last = ran.err.splitlines()[-1]
        assert last.startswith("broken played no game to its end and forfeited, first in game 1: ")
        assert reason in last
        result = json.loads(ran.out)
        assert (result["games"], result["finished"], result["sides"][1]["wins"]) == (2, True, 2)
    with Store("games.sqlite") as store:
        assert [(game.number, game.how) for game in store.games("mine")] == [(1, "forfeit"), (2, "forfeit")]


def test_saved_games_are_those_of_this_event(fingal: Run, tmp_path: Path) -> None:
    """Another store has an event of the same name, and the folder its files."""
    for seed in (1, 2):
        played = ["random", "random", "--size", 5, "--games", 2, "--seed", seed, "--store", f"{seed}.sqlite"]
        told(fingal, "match", *played, "--save", "sgf")
    with Store("1.sqlite") as first, Store("2.sqlite") as second:
        assert [game.sgf for game in first.games()] != [game.sgf for game in second.games()]
        assert [file.read_text() for file in sorted((tmp_path / "sgf").iterdir())] == [
            game.sgf for game in second.games()
        ]


class Interrupted(NamedTuple):
    result: dict[str, Any]
    err: str


def interrupted(folder: Path, games: int) -> Interrupted:
    """A match, too long to end by itself, that is interrupted after so many games."""
    arguments = ["match", "resistance", "shortest-path", "--size", "7", "--games", "9000", "--json"]
    with subprocess.Popen(
        [*FINGAL, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, programs are started with Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not (folder / "games.sqlite").exists() or len(Store(folder / "games.sqlite").games()) < games:
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    return Interrupted(json.loads(out), err)
