"""Meetings with a yardstick: counted by hand, kept, gone on with, and played anew with other nets."""

import json
import re
from pathlib import Path

import pytest
import torch

from fingal.arena.store import StoredGame
from fingal.cli import app
from fingal.experiments import full_size, matches
from fingal.experiments.full_size import Protocol
from fingal.experiments.matches import Meeting, Score, in_percent
from fingal.experiments.paper_001 import trials as trials_001
from fingal.experiments.paper_004 import trials as trials_004
from fingal.game import BLACK, WHITE, Colour
from fingal.game.picture import Label
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.narrowing import Config, Narrowing


def game(number: int, winner: Colour, moves: int, seconds: tuple[float, float], failure: str = "") -> StoredGame:
    names = ("one", "two") if number % 2 else ("two", "one")
    return StoredGame("e", number, *names, 5, 5, "a1", winner, "", failure, moves, seconds, "", str(number))


@pytest.fixture
def net(tmp_path: Path) -> Path:
    file = tmp_path / "first" / "checkpoints" / "net-00010.safetensors"
    file.parent.mkdir(parents=True)
    save(file, 1)
    return file


def save(file: Path, seed: int) -> None:
    torch.manual_seed(seed)
    checkpoint.save(Narrowing(Config(3, 4, 8)), file, Card("ezo", {}, sizes=("3x3",)))


def test_a_score_counted_by_hand() -> None:
    """Our player is Black in games 1 and 3, White in 2 and 4; after a1, White makes the first of the moves."""
    games = [
        game(1, BLACK, 4, (2.0, 7.0)),  # won as first; two moves of each
        game(2, BLACK, 5, (8.0, 3.0)),  # lost as second; ours are three of the five
        game(3, WHITE, 3, (1.0, 9.0)),  # lost as first; ours is one of the three
        game(4, WHITE, 9, (99.0, 99.0), "hung"),  # won as second, but the times are not known
    ]
    score = Score(Meeting("us", "one", "two", 5), games)
    assert (score.rate, score.first, score.second) == ((2, 4), (1, 2), (1, 2))
    assert score.seconds(0) == pytest.approx((6 / 3, 6 / 6))
    assert score.seconds(1) == pytest.approx((24 / 3, 24 / 6))
    assert score.as_dict()["failures"] == 1
    assert in_percent(score.rate) == "50.0% [15.0, 85.0] 2/4"


def test_the_papers_numbers_of_games() -> None:
    """Every opening within two rows of a side with each colour: 80, 112 and 144 games; 1,000 games of NeuroHex."""
    for size, games in ((7, 80), (9, 112), (11, 144)):
        assert Meeting("x", "random", "random", size, trials_004.PROTOCOLS[1].openings).plan().total == games
    free, every = trials_001.PROTOCOLS[:2]
    assert Meeting("x", "random", "random", 13, free.openings, free.games).plan().total == 1000
    assert Meeting("x", "random", "random", 13, every.openings, every.games).plan().total == 2 * 169


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    meetings = [
        Meeting("path", "shortest-path", "random", 3, "all"),
        Meeting("noise", "random", "random", 3, "none", games=4),
    ]

    class Stopped(Exception):
        pass

    def stop(played: int, of: int) -> None:
        assert of == 22
        if played == 7:
            raise Stopped

    with pytest.raises(Stopped):
        matches.play(meetings, tmp_path, 1, stop)
    told: list[int] = []
    scores = matches.play(meetings, tmp_path, 1, lambda played, of: told.append(played))
    assert told[0] == 8
    assert [len(score.games) for score in scores] == [18, 4]
    assert scores[0].rate.wins > scores[0].rate.games / 2
    again = matches.play(meetings, tmp_path, 1)
    assert [[one.sgf for one in score.games] for score in again] == [[one.sgf for one in s.games] for s in scores]


@pytest.mark.usefixtures("alone")
def test_other_weights_in_the_same_file_play_anew(tmp_path: Path, net: Path) -> None:
    meeting = Meeting("net", f"minimax:net={net},connections=false", "random:seed=1", 3, "none", games=2)
    first = matches.play([meeting], tmp_path, 1)
    save(net, 2)
    told: list[int] = []
    second = matches.play([meeting], tmp_path, 1, lambda played, of: told.append(played))
    assert told == [1, 2, 2]
    assert first[0].games[0].event != second[0].games[0].event


def test_an_odd_number_of_games_is_refused() -> None:
    with pytest.raises(ValueError, match="games=5 is not possible"):
        Meeting("x", "random", "random", 3, "none", games=5)


def test_every_net_plays_every_protocol_that_is_asked_for(net: Path) -> None:
    protocols = (
        Protocol("one", "edge", None, "minimax:net={}"),
        Protocol("two", "none", 10, "net:{}", asked=False),
        Protocol("lines", "edge"),
    )
    nets = [net, net]
    met = list(full_size.meetings(protocols, nets, "random", beside=("resistance",)))
    assert [(meeting.name, meeting.openings) for meeting in met] == [
        ("minimax:net=first/net-00010", "edge"),
        ("minimax:net=first/net-00010", "edge"),
        ("resistance", "edge"),
    ]
    assert met[0].player == f"minimax:net={net}"
    (other,) = full_size.meetings(protocols, [net], "random", ["two"], ["net:{},epsilon=0.1"])
    assert (other.player, other.games, other.size) == (f"net:{net},epsilon=0.1", 10, 3)


@pytest.mark.usefixtures("alone")
def test_the_table_of_nets_from_the_command_line(tmp_path: Path, net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--nets", str(net), "--opponent", "random:seed=1", "--jobs", "1", "--folder", str(tmp_path / "out")]
    app.cli(args=["reproduce", "004", *arguments, "--figure", "depth-1", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    # On 3x3 all nine cells are near a side.
    assert (row["played"], row["first"]["games"], row["openings"]) == (18, 9, "edge")
    assert row["all"]["wins"] == row["first"]["wins"] + row["second"]["wins"]
    assert row["seconds_a_game"] > row["seconds_a_move"] > 0
    table = (tmp_path / "out" / "scores.md").read_text()
    assert table.count("\n") == 3
    assert "`random:seed=1`" in table
    assert "18 (" in table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["004", "--nets", "nowhere.safetensors"], "nowhere.safetensors"),
        (
            ["004", "--nets", "{net}", "--figure", "depth-3"],
            "there is no protocol 'depth-3' for nets: depth-1, depth-2",
        ),
        (["004", "--nets", "{net}", "--player", "random"], "it needs {} where the net's file goes"),
        (["000", "--nets", "{net}"], "paper 000 has no protocol for nets: 001, 002, 004 have"),
        (["004", "--player", "net:{}"], "player='net:{}' is not possible without nets"),
        (["002", "--nets", "x", "--runs", "y"], "runs='y' is not possible with nets"),
        (["004", "--nets", "{net}", "--opponent", "nobody"], "there is no player 'nobody'"),
        (["007"], "there is no paper '007' to reproduce: 000, 001, 002, 003, 004 are"),
        (["000", "--opponent", "random"], "paper 000 has no opponent"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, net: Path, arguments: list[str], words: str) -> None:
    given = [word.replace("{net}", str(net)) for word in arguments]
    with pytest.raises(ValueError, match=re.escape(words)):
        app.cli(args=["reproduce", *given, "--folder", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_checkpoints_are_drawn_over_their_numbers() -> None:
    def score(name: str, *wins: bool) -> Score:
        games = [
            game(number, BLACK if won == (number % 2 == 1) else WHITE, 4, (1.0, 1.0))
            for number, won in enumerate(wins, 1)
        ]
        return Score(Meeting(name, "one", "two", 5, "edge"), games)

    scores = [
        score("minimax:net=run/net-00010,depth=2", True, False),
        score("minimax:net=run/net-00200,depth=2", True, True),
        score("resistance", False, False),
    ]
    pictures = full_size.over_training(scores)
    (picture,) = pictures.values()
    said = [shape.text for shape in picture.shapes if isinstance(shape, Label)]
    assert "minimax:net=…,depth=2, edge" in said
    assert "resistance" in said
    assert "200" in said
    assert full_size.over_training(scores[1:]) == {}
