"""The HTP engine: transcripts, streams, clocks, interrupts and bad input."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fingal.game import BLACK, RESIGN, WHITE, Record
from fingal.players import spec
from fingal.players.adjusted import Adjusted
from fingal.players.htp import HtpPlayer
from fingal.players.player import NO_LIMIT, Limit, PlayerError
from fingal.players.searching import SearchPlayer
from fingal.search.tree import Settings
from fingal.serve.htp import COMMANDS, HtpEngine, serve
from fingal.serve.htp_analysis import Live
from fingal.testing import check_player
from tests.search.golden import central
from tests.serve.fuzzing import fuzz_htp
from tests.serve.scripted import Answers, First, Ponders

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.htp"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    """Lines after '> ' are commands; what follows is the answer, to the letter. The player is ``First``."""
    _, *exchanges = path.read_text(encoding="utf-8").split("\n> ")
    commands = [exchange.partition("\n")[0] for exchange in exchanges]
    output = io.BytesIO()
    assert serve(First(), io.BytesIO("\n".join(commands).encode()), output) == 0
    answers = output.getvalue().decode().split("\n\n")[:-1]
    assert len(commands) > 5
    assert [f"{c}\n{a}" for c, a in zip(commands, answers, strict=True)] == [e.rstrip("\n") for e in exchanges]


def test_every_command_is_in_a_transcript() -> None:
    used = {line.split()[1] for path in TRANSCRIPTS for line in path.read_text().splitlines() if line.startswith("> ")}
    assert set(COMMANDS) - used == {"loadsgf"}


def test_fuzz() -> None:
    fuzz_htp(seed=1, count=20_000)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"", b""),
        (b"\n\n  \n# comment\n\r\n", b""),
        (b"protocol_version", b"= 2\n\n"),
        (b"5 protocol_version\r\nquit\r\nname\n", b"=5 2\n\n= \n\n"),
        (b"proto\x00col_\x07version\n", b"= 2\n\n"),
        (b"\tprotocol_version\t# why\n", b"= 2\n\n"),
        (b"\xff\xfe\n", "? unknown command: \ufffd\ufffd\n\n".encode()),
        (b"x" * 1_000_000 + b"\nprotocol_version\n", b"? the line is too long: 65536 bytes at most\n\n= 2\n\n"),
        (b"7 " + b"x" * 1_000_000, b"?7 the line is too long: 65536 bytes at most\n\n"),
        (b"#" * 1_000_000 + b"\nprotocol_version\n", b"= 2\n\n"),
        (b"x" * 5000, b"? unknown command: " + b"x" * 37 + b"...\n\n"),
        (b"12345678901 name\n", b"? unknown command: 12345678901\n\n"),
        (b"# interrupt\nprotocol_version\n# interrupt\n", b"= 2\n\n"),
    ],
)
def test_bytes_in_bytes_out(sent: bytes, expected: bytes) -> None:
    output = io.BytesIO()
    assert serve(First(), io.BytesIO(sent), output) == 0
    assert output.getvalue() == expected


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (PlayerError("the engine has died"), "? the engine has died"),
        (ZeroDivisionError("by\nzero"), "? oracle failed: ZeroDivisionError: by zero"),
        (RuntimeError("x" * 10_000), "? oracle failed: RuntimeError: " + "x" * 268 + "..."),
        (1, "? oracle answered 1, which is not a legal move"),
        (-1, "? oracle answered -1, which is not a legal move"),
        (99, "? oracle answered 99, which is not a legal move"),
        ("a1", "? oracle failed: TypeError: 'str' object cannot be interpreted as an integer"),
        (None, "? oracle failed: TypeError: 'NoneType' object cannot be interpreted as an integer"),
    ],
)
def test_a_player_that_fails_changes_nothing(answer: object, sentence: str) -> None:
    engine = HtpEngine(Answers(answer))
    engine.answer("boardsize 3")
    engine.answer("play b b1")
    before = engine.answer("showboard")
    assert engine.answer("genmove b").rstrip("\n") == sentence
    assert engine.answer("showboard") == before
    assert engine.record.end.turn is None
    assert engine.answer("play w a1") == "= \n\n"


def test_resignation_is_no_move() -> None:
    engine = HtpEngine(Answers(RESIGN))
    engine.answer("play b b1")
    assert engine.answer("genmove w") == "= resign\n\n"
    assert engine.answer("final_score") == "= B+\n\n"
    assert engine.answer("genmove w") == "= resign\n\n"
    engine.answer("undo")
    assert engine.board.ply == 0
    assert engine.answer("final_score") == "= cannot score\n\n"


def test_the_player_sees_the_side_that_is_asked_for() -> None:
    turns = []

    class Watches(First):
        def choose(self, record: Record, limit: object = None) -> int:
            turns.append(record.board().turn)
            return super().choose(record)

    engine = HtpEngine(Watches())
    for line in ("genmove w", "genmove w", "reg_genmove b", "reg_genmove w", "genmove b"):
        assert engine.answer(line).startswith("= ")
    assert turns == [WHITE, WHITE, BLACK, WHITE, BLACK]
    assert engine.record.moves == [(WHITE, 0), (WHITE, 1), (BLACK, 2)]


def test_clock() -> None:
    """No limit until there is a clock; then the clock, and a share of the time left."""
    player = First()
    engine = HtpEngine(player)
    engine.answer("genmove b")
    assert player.limits == [NO_LIMIT]
    engine.answer("time_left w 60")
    engine.answer("genmove w")
    scarce = 0.3 * 60
    assert player.limits[-1].seconds == pytest.approx(scarce / (120 / 4) + (60 - 0.03 * 60 - scarce) / (120 / 12))
    assert player.limits[-1].clock == 60
    engine.answer("clear_board")
    engine.answer("genmove b")
    assert player.limits[-1] == NO_LIMIT
    engine.answer("param_game game_time 80")
    engine.answer("boardsize 3")
    engine.answer("genmove b")
    assert player.limits[-1].seconds == pytest.approx((80 - 0.03 * 5) / 6)
    engine.answer("time_left w 0")
    engine.answer("genmove w")
    assert 0 < (player.limits[-1].seconds or 0) < 0.001
    assert player.limits[-1].clock == 0


def test_time_for_a_number_of_moves() -> None:
    """Each move gets the same part of what is left, less what is kept back; then it is for the rest of the game."""
    player = First()
    engine = HtpEngine(player)
    engine.answer("time_left b 30 3")
    assert engine.answer("genmove b") == "= a1\n\n"
    assert (player.limits[-1].clock, player.limits[-1].moves) == (30, 3)
    assert player.limits[-1].seconds == pytest.approx((30 - 0.15) / 3 - 0.03)
    engine.answer("time_left b 28 2")
    engine.answer("genmove b")
    assert player.limits[-1].seconds == pytest.approx((28 - 0.15) / 2 - 0.03)
    engine.answer("genmove b")
    assert player.limits[-1].moves == 1
    assert 14 < (player.limits[-1].seconds or 0) < 28
    engine.answer("genmove b")
    assert player.limits[-1].moves is None
    engine.answer("time_left b 30 3")
    engine.answer("clear_board")
    engine.answer("genmove b")
    assert player.limits[-1] == NO_LIMIT
    engine.answer("param_game game_time 80")
    engine.answer("genmove b")
    assert player.limits[-1].moves is None
    assert engine.answer("time_left b 30 -1").startswith("? -1 is not a number of stones")
    assert engine.answer("time_left b 30 x").startswith("? x is not a whole number")


def test_a_players_own_limit_does_not_hide_how_many_moves_a_clock_is_for() -> None:
    inner = First()
    engine = HtpEngine(Adjusted(inner, limit=Limit(seconds=5.0)))
    engine.answer("time_left b 1 4")
    engine.answer("genmove b")
    (limit,) = inner.limits
    assert (limit.clock, limit.moves) == (1, 4)
    assert limit.seconds == pytest.approx((1 - 0.15) / 4 - 0.03)


def test_who_has_a_time_for_every_move_ponders() -> None:
    """What is left of it after a move says nothing of the next one's."""
    engine = HtpEngine(spec.make("puct:net=fingal-small,sims=8,ponder=yes"))
    for seconds, ponders in (("30", True), ("0.2", False)):
        engine.answer(f"time_left b {seconds} 1")
        engine.answer("genmove b")
        assert engine._is_hurried() is not ponders


def test_interrupt_ends_the_search_under_way() -> None:
    player = Ponders()
    to_engine, from_us = os.pipe()
    from_engine, to_us = os.pipe()
    with os.fdopen(to_engine, "rb") as input, os.fdopen(to_us, "wb") as output, os.fdopen(from_engine, "rb") as answers:
        thread = threading.Thread(target=serve, args=(player, input, output))
        thread.start()
        os.write(from_us, b"boardsize 3\ngenmove b\n")
        assert player.thinking.wait(20)
        os.write(from_us, b"# interrupt\n")
        # Sent in one go, the interrupt comes before the search begins, and still counts.
        os.write(from_us, b"genmove w\n# interrupt\nquit\n")
        thread.join(20)
        assert not thread.is_alive()
        output.close()
        assert answers.read() == b"= \n\n= a1\n\n= b1\n\n= \n\n"
        os.close(from_us)


def test_an_interrupt_that_comes_too_late_ends_no_other_search(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(HtpEngine):
        """One whose every answer is followed by an interrupt, before it has been sent."""

        def answer(self, line: str | bytes, *, interrupted: bool = False, live: Live | None = None) -> str:
            answer = super().answer(line, interrupted=interrupted, live=live)
            self.interrupt()
            return answer

    monkeypatch.setattr("fingal.serve.htp.HtpEngine", Late)
    player = SearchPlayer.with_net("thinker", central, Settings(), Limit(simulations=20))
    assert serve(player, io.BytesIO(b"boardsize 5\nreg_genmove b\nreg_genmove b\n"), io.BytesIO()) == 0
    assert player.search.visits >= 40


def test_swap_stays_as_the_controller_has_set_it(tmp_path: Path) -> None:
    """Whatever files say: a game that is read may have a swap or none, and the next one is played as before."""
    (tmp_path / "without.sgf").write_text("(;FF[4]GM[11]SZ[5];B[c3])")
    (tmp_path / "with.sgf").write_text("(;FF[4]GM[11]SZ[5];B[c3];W[swap-pieces])")
    for allowed, answer in (("1", "= "), ("0", "? ill")):
        engine = HtpEngine(First())
        engine.answer(f"param_game allow_swap {allowed}")
        for name in ("without.sgf", "with.sgf"):
            assert engine.answer(f"loadsgf {tmp_path / name}") == "= \n\n"
            if name == "without.sgf":
                assert engine.answer("play w swap-pieces").startswith(answer)
            assert f"allow_swap {allowed}" in engine.answer("param_game")
            for line in ("clear_board", "boardsize 5"):
                engine.answer(line)
                engine.answer("play b c3")
                assert engine.answer("play w swap-pieces").startswith(answer)


def test_loadsgf(tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    path.write_text("(;FF[4]GM[11]SZ[3]AB[a1](;W[b2];B[c3];W[resign])(;W[c1]))")
    engine = HtpEngine(First())
    assert engine.answer(f'loadsgf "{path}"') == "= \n\n"
    assert engine.answer("all_legal_moves") == "= b1 c1 a2 c2 a3 b3 resign\n\n"
    assert engine.answer("final_score") == "= B+\n\n"
    assert engine.answer(f'loadsgf "{path}" 1') == "= \n\n"
    assert engine.answer("all_legal_moves") == "= b1 c1 a2 c2 a3 b3 c3 resign\n\n"
    assert engine.answer("final_score") == "= cannot score\n\n"
    assert engine.answer(f'loadsgf "{path}" 0') == "= \n\n"
    assert engine.answer("undo") == "? there is no move to take back\n\n"
    assert engine.answer(f'loadsgf "{path}" 99') == "= \n\n"
    before = engine.answer("showboard")
    (tmp_path / "bad.sgf").write_text("(;FF[4")
    for wrong in (str(tmp_path), f"{tmp_path}/none.sgf", f"{tmp_path}/bad.sgf", "/dev/zero", f'"{path}" x'):
        answer = engine.answer(f"loadsgf {wrong}")
        assert answer.startswith("? ")
        assert answer.count("\n") == 2
    assert engine.answer("showboard") == before


ENGINE = f"{sys.executable} -c 'from fingal.serve.htp import serve; raise SystemExit(serve(\"random:seed=1\"))'"


def test_the_client_and_the_engine_understand_each_other() -> None:
    """Our engine as an external one, through every position of the conformance suite."""
    check_player(HtpPlayer(ENGINE, timeout=30.0), sizes=((1, 1), (2, 2), (3, 5), (11, 11)), games=1)


def test_as_a_process() -> None:
    code = (
        "import sys; from fingal.serve.htp import serve; print('to stderr', file=sys.stderr); sys.exit(serve('random'))"
    )
    sent = b"boardsize 1\ngenmove b\nfinal_score"
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, timeout=60, check=True)
    assert done.stdout == b"= \n\n= a1\n\n= B+\n\n"
    # The reader leaves before the engine has written all: it ends, and says nothing about it.
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b"showboard\n" * 100)
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == b"to stderr\n"
    # It ends on quit while the input stays open.
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"play b a1\nquit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.communicate() == (b"= \n\n= \n\n", b"to stderr\n")
    # And says nothing when it has been interrupted before.
    code = "from fingal.serve.htp import serve; serve('uct:time=60')"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"boardsize 9\n1 kata-analyze\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"= \n"
        while not process.stdout.readline().startswith(b"info"):
            pass
        process.stdin.write(b"# interrupt\nquit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.communicate()[1] == b""
    with pytest.raises(ValueError, match="there is no player"):
        serve("nobody", io.BytesIO(), io.BytesIO())


def test_what_a_player_prints_does_not_reach_the_controller() -> None:
    code = """if True:
        from fingal.serve.htp import serve
        from tests.serve.scripted import First
        class Loud(First):
            def choose(self, *arguments):
                print("thinking...")
                return super().choose(*arguments)
        serve(Loud())
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b"genmove b\n",
        capture_output=True,
        timeout=60,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == b"= a1\n\n"
    assert done.stderr == b"thinking...\n"


def test_a_net_of_one_size_says_so_when_the_board_is_set() -> None:
    for text in ("net:ezo-7", "minimax:ezo-7", "minimax:ezo-7,epsilon=0.5"):
        engine = HtpEngine(spec.make(text))
        assert engine.answer("7 boardsize 7") == "=7 \n\n"
        engine.answer("play b c3")
        for size, shown in (("3", "3x3"), ("7 9", "7x9"), ("11 11", "11x11")):
            assert engine.answer(f"boardsize {size}") == f"? ezo-7 plays on 7x7 only, not on {shown}\n\n"
        # The game on the board stays.
        assert (engine.board.width, engine.board.height, len(engine.record.moves)) == (7, 7, 1)
    anywhere = HtpEngine(spec.make("puct:fingal-small"))
    assert anywhere.answer("boardsize 3 9") == "= \n\n"
