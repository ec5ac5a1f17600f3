"""The command line: what each command prints, and one sentence, status 2 and nothing else for bad input."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fingal.game import BLACK, WHITE, formats
from fingal.players import spec
from tests.conftest import FINGAL, Ran, Run

ENGINE = Path(__file__).parent / "players" / "fake_engine.py"
DATA = Path(__file__).parent / "data" / "formats"


def engine(mode: str) -> str:
    """The text of a player that is the engine of the tests in some mode."""
    return 'htp:"' + shlex.join([sys.executable, str(ENGINE), mode]).replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---------------------------------------------------------------------------------------------------------- bad input

BAD = {
    "show": [
        (["show", "hello"], "'hello' is not a position, nor a file: give a HexWorld link"),
        (["show", ""], "there is nothing to read"),
        (["show", "#20,a1"], "the size '20' is not possible: width and height run from 1 to 19"),
        (["show", "#0,a1"], "the size '0' is not possible"),
        (["show", "#5,z9"], "off the board"),
        (["show", "#5,a1a1"], "cell a1 is occupied"),
        (["show", "https://hexworld.org/board/"], "the link has no position"),
        (["show", "https://trmph.com/hex/board#11,a"], "'a' is not a move"),
        (["show", "missing.sgf"], "missing.sgf cannot be read: No such file or directory"),
        (["show", "."], "cannot be read: Is a directory"),
        (["show", "broken.sgf"], "broken.sgf: line 1, column "),
        (["show", "bytes.sgf"], "bytes.sgf: "),
        (["show", "huge.sgf"], "huge.sgf is too large: a game file has at most 16 MB"),
        (["show", "/dev/zero"], "/dev/zero is too large"),
        (["show", f"{DATA}/hexgui.sgf@99"], "there is no move 99"),
        (["show", "#5,a1", "--output", "x.gif"], "cannot draw to x.gif: a name that ends in .svg or .png is expected"),
        (["show", "#5,a1", "--output", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
        (["show", "#5,a1", "--output", "nowhere/x.png"], "nowhere/x.png: No such file or directory"),
    ],
    "analyse": [
        (["analyse", "hello"], "'hello' is not a position, nor a file"),
        (["analyse", "#5,a1a1"], "cell a1 is occupied"),
        (["analyse", "(;SZ[3]AB[a1]AW[a1])"], "cell a1 is set up twice in one node"),
        (["analyse", "#20,a1"], "the size '20' is not possible"),
        (["analyse", "#5,a1", "--output", "x.gif"], "cannot draw to x.gif: a name that ends in .svg or .png"),
        (["analyse", "#5,a1", "--output", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
        (["analyse", "missing.txt", "--jsonl"], "missing.txt cannot be read: No such file or directory"),
        (["analyse", "broken.sgf", "--jsonl"], "broken.sgf, line 1: "),
        (["analyse", "huge.sgf", "--jsonl"], "huge.sgf is too large"),
    ],
    "convert": [
        (["convert", "hello"], "'hello' is not a position, nor a file"),
        (["convert", "broken.sgf", "x.hexworld"], "broken.sgf: line 1, column "),
        (["convert", "huge.sgf", "x.sgf"], "huge.sgf is too large"),
        (["convert", "#5,a1", "--to", "pgn"], "there is no format 'pgn': the formats are sgf, littlegolem, hexworld"),
        (["convert", "#5,a1", "x.pgn"], "x.pgn: no format has this suffix: use .sgf"),
        (["convert", "#5,a1", "x.sgf", "--to", "pgn"], "there is no format 'pgn'"),
        (["convert", "#5,a1", "nowhere/x.sgf"], "nowhere/x.sgf cannot be written: No such file or directory"),
        (["convert", "#5,a1:Sb2", "x.trmph"], "a trmph link has no swap-sides"),
    ],
    "play": [
        (["play", "nobody"], "there is no player 'nobody'; there are "),
        (["play", "random:epsilon=2"], "epsilon=2 is not possible: it is a probability, from 0 to 1"),
        (["play", "random:speed=3"], "random has no setting 'speed'"),
        (["play", 'random:name="x'], "a double quote in"),
        (["play", 'htp:"no-such-engine-[/b]"'], "cannot start the engine 'no-such-engine-[/b]'"),
        (["play", engine("stillborn")], "no licence"),
        (["play", "--size", "0"], "a board of 0x0 is not possible: width and height run from 1 to 19"),
        (["play", "--size", "20"], "a board of 20x20 is not possible"),
        (["play", "--size", "5x"], "'5x' is not a board size: 11, or 7x9 for 7 wide and 9 high, is expected"),
        (["play", "--size", "9" * 40], "is not a board size"),
        (["play", "--size", "1_1"], "'1_1' is not a board size"),
        (["play", "--size", "7x9", "--swap"], "swap"),
        (["play", "--sims", "0"], "a limit of 0 simulations is not possible"),
        (["play", "--time", "nan"], "a limit of nan seconds is not possible"),
        (["play", "--save", "x.gif"], "x.gif: no format has this suffix"),
        (["play", "--save", "nowhere/x.sgf"], "nowhere/x.sgf cannot be written: there is no folder nowhere"),
        (["play", "--size", "7x9", "--save", "x.trmph"], "trmph has square boards only"),
    ],
    "match": [
        (["match", "random", "nobody"], "there is no player 'nobody'"),
        (["match", "", "random"], "'' names no player"),
        (["match", "random", "random", "--games", "0"], "a match of 0 games is not possible: at least 1"),
        (["match", "random", "random", "--games", "-3"], "a match of -3 games is not possible"),
        (["match", "random", "random", "--size", "0"], "a board of 0x0 is not possible"),
        (["match", "random", "random", "--size", "20"], "a board of 20x20 is not possible"),
        (
            ["match", "random", "random", "--openings", "missing.txt"],
            "cannot read openings: none, all, edge, fair or",
        ),
        (["match", "random", "random", "--openings", "huge.sgf"], "huge.sgf is too large"),
        (["match", "random", "random", "--openings", "broken.sgf"], "broken.sgf, line 1: "),
        (["match", "random", "random", "--time", "-1"], "a limit of -1.0 seconds is not possible"),
        (["match", "random", engine("stillborn")], "no licence"),
        (["match", "uct", "random", "--sims", "9" * 20], f"a limit of {'9' * 20} simulations is not possible: it must"),
        (["match", "uct:nodes=9223372036854775808", "random"], "a limit of 9223372036854775808 nodes is not possible"),
    ],
    "exam": [
        (["exam", "random", "--size", "8"], "there is no exam on 8x8: the answers are known for 3x3, 4x4, 5x5, 6x6"),
        (["exam", "random", "--size", "2"], "there is no exam on 2x2"),
        (["exam", "random", "--size", "5x4"], "there is no exam on 5x4: the board is 3x3, 4x4, 5x5, 6x6 or 7x7"),
        (["exam", "random", "--size", "x"], "'x' is not a board size"),
        (["exam", "nobody"], "there is no player 'nobody'"),
        (["exam", "random", "--positions", "0"], "an exam with 0 positions is not possible: at least 1"),
        (["exam", "random", "--every"], "5x5 has too many positions to ask about each: that is possible on 3x3"),
        (["exam", "random", "--output", "x.gif"], "cannot draw to x.gif: a name that ends in .svg or .png"),
        (["exam", "random", "--output", "nowhere/x.svg"], "nowhere/x.svg cannot be written: there is no folder"),
        (["exam", engine("small"), "--size", "6"], "too big"),
        (["exam", f"uct:sims={'9' * 20}", "--size", "3"], f"a limit of {'9' * 20} simulations is not possible"),
        (["exam", "random", "--size", "3", "--positions", "5", "--every"], "positions=5 is not possible with every"),
        (["exam", "random", "--size", "3", "--seed", "-1"], "seed=-1 is not possible: it is 0 or more"),
        (["exam", "human", "--size", "3", "--json"], "human is not possible with --json"),
    ],
    "report": [
        (["report"], "a report of nothing is not possible: give a store of games, --exam, --run or --swaps"),
        (["report", "missing.db"], "there is no store of games missing.db"),
        (["report", "huge.sgf"], "huge.sgf is not a store of games"),
        (["report", "--exam", "missing.json"], "missing.json: No such file or directory"),
        (["report", "--exam", "broken.sgf"], "broken.sgf is no result of an exam: what 'fingal exam PLAYER --json'"),
        (["report", "--exam", "bytes.sgf"], "bytes.sgf is no result of an exam"),
        (["report", "--run", "."], ". is no run: there is no metrics.jsonl"),
        (["report", "--swaps", "nobody"], "there is no player 'nobody'"),
        (["report", "--swaps", "random", "--swap-sizes", "20"], "a board of 20x20 is not possible"),
        (["report", "--swaps", "random", "-o", "."], ". cannot be written: it is a folder, and a file is expected"),
        (["report", "--swaps", "random", "-o", "nowhere/x.html"], "nowhere/x.html cannot be written: there is no"),
    ],
    "htp": [
        (["htp", "nobody"], "there is no player 'nobody'"),
        (["htp", 'htp:"no-such-engine"'], "cannot start the engine 'no-such-engine': there is no such program"),
    ],
    "bench": [(["bench", "core", "--seconds", "0"], "seconds=0.0 in rounds=5 is not possible")],
}


@pytest.mark.parametrize(
    ("arguments", "sentence"), [case for cases in BAD.values() for case in cases], ids=lambda case: str(case)[:60]
)
def test_bad_input_is_answered_with_one_sentence(
    fingal: Run, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "broken.sgf").write_text("(;FF[4]GM[11]SZ[5];B[a1")
    (tmp_path / "bytes.sgf").write_bytes(b"(;FF[4]GM[11]SZ[5];B[\xff\x00])")
    with (tmp_path / "huge.sgf").open("wb") as file:
        os.truncate(file.fileno(), 100 * 2**20)
    before = sorted(tmp_path.iterdir())

    ran = fingal(*arguments)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("fingal: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    assert sentence in ran.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["shwo", "#5,a1"],
        ["show"],
        ["show", "#5,a1", "--colour", "red"],
        ["play", "--colour", "red"],
        ["analyse"],
        ["analyse", "#5,a1", "--topics", "weather"],
        ["match", "random"],
        ["match", "random", "random", "--games", "many"],
        ["players", "--jsn"],
        ["bench", "everything"],
        ["htp"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_refused(fingal: Run, arguments: list[str]) -> None:
    ran = fingal(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert "--help" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "command", ["play", "show", "analyse", "convert", "htp", "players", "match", "exam", "report", "bench"]
)
def test_help(fingal: Run, command: str) -> None:
    ran = fingal(command, "--help")
    assert ran.status == 0
    assert f"fingal {command}" in ran.out


def test_as_a_program() -> None:
    """The same through a process: no traceback, and a reader that leaves early is no error."""
    ran = subprocess.run([*FINGAL, "show", "#5,a9"], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("fingal: ")
    assert ran.stderr.count("\n") == 1
    with subprocess.Popen(
        [*FINGAL, "convert", "#19,a1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) in (0, 1)


# ---------------------------------------------------------------------------------------------------- show and convert


def test_show_draws_the_position_on_view(fingal: Run) -> None:
    shown = fingal("show", "#3,b2a1,c3").out.splitlines()
    assert [line.split() for line in shown[:5]] == [
        ["a", "b", "c"],
        ["1(W).", ".", "1"],
        ["2", ".", "B", ".", "2"],
        ["3", ".", ".", ".", "3"],
        ["a", "b", "c"],
    ]
    assert shown[5] == "Black to move"


def test_show_writes_pictures(fingal: Run, tmp_path: Path) -> None:
    assert fingal("show", "#5,c3c2", "--output", "x.svg", "--numbers") == (0, "", "")
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    assert fingal("show", "#5,c3c2", "--output", "x.png") == (0, "", "")
    assert fingal("show", "#5,c3c2", "--output", "y.PNG") == (0, "", "")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_analyse(fingal: Run, tmp_path: Path) -> None:
    ran = fingal("analyse", "2 a1", "--topics", "resistance", "distance")
    assert ran.status == 0
    assert "resistance: black 0.625, white 1.250; value for white: -0.33" in ran.out
    assert "shortest path: black 1, white 2" in ran.out
    said = json.loads(fingal("analyse", "2 a1", "--json").out)
    assert said["distance"]["shortest_path"] == {"black": 1, "white": 2}
    for name in ("a.svg", "a.png"):
        assert fingal("analyse", "2 a1", "--output", name) == Ran(0, "", "")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_analyse_a_file(fingal: Run, tmp_path: Path) -> None:
    (tmp_path / "positions.txt").write_text("3 a1 b1 a2 b2 a3\n5 c3\n", encoding="utf-8")
    for ran in (
        fingal("analyse", "positions.txt", "--jsonl"),
        fingal("analyse", "-", "--jsonl", typed="3 a1 b1 a2 b2 a3\n5 c3\n"),
    ):
        assert [json.loads(line)["winner"] for line in ran.out.splitlines()] == ["black", None]


def test_exam(fingal: Run, tmp_path: Path) -> None:
    said = json.loads(fingal("exam", "solver", "--size", "3", "--json").out)
    assert said["keeps_win"] == said["converts"] == 1
    assert said["brier"] == 0
    shown = fingal("exam", "random", "--size", "3", "--output", "x.svg")
    assert "55.0% [55.0, 55.0]  of 3,401" in shown.out
    assert "none: this player has no values" in shown.out
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")
    assert fingal("exam", "solver", "--size", "3", "--output", "x.png").status == 0
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_convert(fingal: Run, tmp_path: Path) -> None:
    link = "https://hexworld.org/board/#11,a4:se7:rw"
    assert fingal("convert", link, "x.sgf") == (0, "", "")
    assert fingal("convert", "x.sgf", "--to", "hexworld") == (0, link + "\n", "")
    assert fingal("convert", "x.sgf", "--to", "trmph").out == "https://trmph.com/hex/board#11,d1d1e7\n"
    assert fingal("convert", "x.sgf@2", "y", "--to", "moves") == (0, "", "")
    assert (tmp_path / "y").read_text() == "11: a4 swap-pieces\n"
    assert fingal("convert", "#5,a1,b2", "--to", "moves").out == "5: a1 b2\n"
    assert fingal("convert", link).out.endswith(";W[resign])\n")
    assert fingal("convert", link, "z", "--to", "sgf") == (0, "", "")
    assert (tmp_path / "z").read_bytes() == (tmp_path / "x.sgf").read_bytes()


# ------------------------------------------------------------------------------------------------------------- players


def test_players_lists_every_kind(fingal: Run) -> None:
    shown = fingal("players").out
    listed = json.loads(fingal("players", "--json").out)
    assert [kind["name"] for kind in listed["kinds"]] == [kind.name for kind in spec.kinds()]
    for kind in listed["kinds"]:
        assert kind["usage"] in shown
        assert {"epsilon", "seed", "name"} <= (names := {setting["name"] for setting in kind["settings"]})
        # Listed where it is taken.
        text = kind["usage"].replace("NET", "fingal-small").replace("COMMAND", "cat") + ":temperature=1"
        text = text if kind["argument"] is None else text.replace(":temperature", ",temperature")
        refused = "no scores to draw from"
        assert ("temperature" not in names) == (refused in fingal("play", text, typed="quit\n").err), kind["name"]


# --------------------------------------------------------------------------------------------------------------- match


def match(fingal: Run, *arguments: object, status: int = 0) -> tuple[dict, str]:
    """A match with ``--json``: the one object that it prints, and what it says besides."""
    ran = fingal("match", *arguments, "--json")
    assert ran.status == status, ran.err
    result = json.loads(ran.out)
    assert isinstance(result, dict)
    return result, ran.err


def test_match(fingal: Run, tmp_path: Path) -> None:
    result, _ = match(fingal, "random:seed=1", "random:seed=2", "--size", "3x5", "--games", 5, "--save", "a/b")
    assert result["games"] == 5
    records = [formats.load(path) for path in sorted((tmp_path / "a" / "b").iterdir())]
    assert [path.name for path in sorted((tmp_path / "a" / "b").iterdir())] == [
        f"match-1-0000{n}.sgf" for n in range(1, 6)
    ]
    assert [record.players[BLACK] for record in records] == ["random:seed=1", "random:seed=2"] * 2 + ["random:seed=1"]
    # The score once more, from the files alone.
    won = [record.players[record.board().winner] == "random:seed=1" for record in records]
    assert result["win_rate"] == pytest.approx(sum(won) / 5)
    assert [record.result.winner for record in records] == [record.board().winner for record in records]
    one, two = result["sides"]
    assert (one["black"]["wins"], one["black"]["games"]) == (sum(won[::2]), 3)
    assert (one["white"]["wins"], one["white"]["games"]) == (sum(won[1::2]), 2)
    assert (two["black"]["wins"], two["black"]["games"]) == (2 - sum(won[1::2]), 2)
    for side in (one, two):
        for colour in ("black", "white"):
            low, high = side[colour]["interval"]
            assert 0 <= low <= side[colour]["wins"] / side[colour]["games"] <= high <= 1
    assert result["failures"] == []


def test_match_as_a_table(fingal: Run) -> None:
    ran = fingal("match", "random", "random:seed=1", "--size", 3, "--games", 2)
    assert ran.status == 0
    assert "random:seed=1" in ran.out
    assert "as Black" in ran.out
    assert "95% intervals" in ran.out


def test_match_with_every_opening(fingal: Run, tmp_path: Path) -> None:
    result, _ = match(fingal, "random", "random", "--size", "2x3", "--openings", "all", "--save", "games")
    assert result["games"] == 12
    first = [formats.load(path).moves[0] for path in sorted((tmp_path / "games").iterdir())]
    assert sorted(first) == [(BLACK, cell) for cell in range(6) for _ in range(2)]
    # The two games from an opening follow each other.
    assert first[::2] == first[1::2]


def test_match_with_a_file_of_openings(fingal: Run, tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("a1 b2\n#3,c3\n")
    arguments = ["random", "random", "--size", 3, "--openings", "openings.txt", "--save", "games"]
    assert match(fingal, *arguments)[0]["games"] == 4
    begins = [formats.load(path).moves for path in sorted((tmp_path / "games").iterdir())]
    assert [moves[:2] for moves in begins[:2]] == [[(BLACK, 0), (WHITE, 4)]] * 2
    assert [moves[0] for moves in begins[2:]] == [(BLACK, 8)] * 2


def test_an_engine_that_crashes_loses_its_games_and_the_match_goes_on(fingal: Run, tmp_path: Path) -> None:
    arguments = ["--size", 3, "--games", 4, "--openings", "none", "--save", "games"]
    result, said = match(fingal, engine("dies"), "random", *arguments, status=1)
    assert result["win_rate"] == 0
    assert [failure["game"] for failure in result["failures"]] == [1, 2, 3, 4]
    assert all("ended without answering" in failure["reason"] for failure in result["failures"])
    assert result["sides"][1]["white"] == {"wins": 2, "games": 2, "interval": pytest.approx([0.3424, 1.0], abs=5e-5)}
    for number in range(1, 5):
        assert f"game {number}: " in said
        assert formats.load(tmp_path / "games" / f"match-1-{number:05d}.sgf").result.how == "forfeit"


def test_an_engine_that_plays(fingal: Run, tmp_path: Path) -> None:
    arguments = ["--size", 3, "--games", 2, "--openings", "none", "--save", "games"]
    result, _ = match(fingal, engine("plays"), engine("plays") + ",name=[/b]", *arguments)
    # Both play the first empty cell: on 3x3, Black wins.
    assert result["win_rate"] == 0.5
    assert result["failures"] == []
    assert formats.load(tmp_path / "games" / "match-1-00001.sgf").players == {BLACK: "Fake", WHITE: "[/b]"}


def test_a_player_that_does_not_play_this_size(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise ValueError("this net knows 11x11 only")

    monkeypatch.setattr("fingal.players.random.RandomPlayer.choose", refuse)
    ran = fingal("play", "random", "--colour", "white", "--size", 5)
    assert ran.status == 2
    assert ran.err == "fingal: random does not play here: this net knows 11x11 only\n"


def test_a_person_who_leaves_a_match_forfeits(fingal: Run) -> None:
    ran = fingal("match", "human:board=no", "random", "--size", 3, "--games", 2, typed="undo\nquit\n")
    assert ran.status == 1
    assert "game 1: the person has left the game" in ran.err
    assert "No move can be taken back here." in ran.out


# ------------------------------------------------------------------------------------------------------- play and htp


def test_play_answers_a_move(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*FINGAL, "play", "random:seed=1", "--size", "5", "--save", str(tmp_path / "game.sgf")],
        input="c3\nz9\nquit\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("You are Black: join top and bottom.\n")
    assert "'z9' is off the board" in ran.stdout
    (black, move), (white, answer) = formats.load(tmp_path / "game.sgf").moves
    assert (black, move, white) == (BLACK, 12, WHITE)
    assert f"random:seed=1 plays {'abcde'[answer % 5]}{answer // 5 + 1}." in ran.stdout


def test_play_saves_the_game_when_the_opponent_fails(fingal: Run, tmp_path: Path) -> None:
    ran = fingal("play", engine("dies"), "--size", 3, "--save", "game.txt", typed="b2\n")
    assert ran.status == 2
    assert ran.err.startswith("fingal: ")
    assert ran.err.count("\n") == 1
    assert (tmp_path / "game.txt").read_text() == "3: b2\n"


def test_play_saves_nothing_when_nothing_was_played(fingal: Run, tmp_path: Path) -> None:
    assert fingal("play", "--size", 3, "--save", "game.sgf", typed="quit\n").status == 0
    assert not (tmp_path / "game.sgf").exists()


def test_a_whole_htp_session_through_a_pipe() -> None:
    session = "1 boardsize 2\nplay black a1\nplay white b1\n2 genmove b\nfinal_score\nplay w z9\n3 quit\nname\n"
    ran = subprocess.run(
        [*FINGAL, "htp", "random"], input=session, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    *answers, rest = ran.stdout.split("\n\n")
    assert rest == ""
    assert answers[:3] == ["=1 ", "= ", "= "]
    # a2 joins a1 to the bottom; b2 does not.
    assert answers[3] in ("=2 a2", "=2 b2")
    assert answers[4] == ("= B+" if answers[3] == "=2 a2" else "= cannot score")
    assert answers[5].startswith("? ")
    assert answers[6:] == ["=3 "]


# --------------------------------------------------------------------------------------------------------------- bench


def test_bench_prints_one_object(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    results = {"core_games_per_s": 1.0}
    monkeypatch.setattr("fingal.bench.core.measure", lambda seconds: results | {"seconds": seconds})
    assert json.loads(fingal("bench", "core", "--json", "--seconds", 0.5).out) == results | {"seconds": 0.5}


def test_a_second_match_keeps_the_games_of_the_first(fingal: Run, tmp_path: Path) -> None:
    games = tmp_path / "games"
    arguments = ["match", "random:seed=1", "random:seed=2", "--size", "3", "--games", "2", "--save", games]
    assert fingal(*arguments).status == 0
    first = {file.name: file.read_text() for file in games.iterdir()}
    assert fingal(*arguments).status == 0
    assert sorted(file.name for file in games.iterdir()) == [f"match-{m}-0000{g}.sgf" for m in (1, 2) for g in (1, 2)]
    assert all((games / name).read_text() == text for name, text in first.items())
