"""The HTP client against a fake engine that is good, bad or dead."""

import random
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fingal.game import BLACK, RESIGN, SWAP, WHITE, Colour, Node, Record
from fingal.players import spec
from fingal.players.htp import HtpPlayer
from fingal.players.player import Limit, PlayerError
from fingal.testing import check_player

FAKE = Path(__file__).with_name("fake_engine.py")
Start = Callable[..., HtpPlayer]


def command(mode: str, log: Path | None = None) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(FAKE), mode, *([str(log)] if log else [])])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def start(log: Path) -> Iterator[Start]:
    players: list[HtpPlayer] = []

    def make(mode: str, timeout: float | None = 20.0, start: str = "") -> HtpPlayer:
        players.append(HtpPlayer(command(mode, log), timeout=timeout, start=start))
        return players[-1]

    yield make
    for player in players:
        player.close()


def commands(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if not line.startswith("pid")]


def is_gone(pid: int) -> bool:
    """Ended; a zombie that nobody has collected yet counts."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def assert_all_gone(log: Path) -> None:
    pids = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("pid")]
    assert pids
    deadline = time.monotonic() + 10
    while not all(map(is_gone, pids)):
        assert time.monotonic() < deadline, "a process is still there"
        time.sleep(0.01)


def engines_stones(log: Path) -> dict[str, str]:
    """What the engine has on its board, by its log."""
    stones: list[tuple[str, str]] = []
    asked = ""
    for line in commands(log):
        match line.split():
            case ["clear_board"] | ["boardsize", *_]:
                stones = []
            case ["play", colour, cell]:
                stones.append((cell, colour))
            case ["undo"]:
                stones.pop()
            case ["genmove", colour]:
                asked = colour
            case ["answer", cell] if cell[-1].isdigit():
                stones.append((cell, asked))
    assert len(dict(stones)) == len(stones)
    return dict(stones)


def board_stones(record: Record) -> dict[str, str]:
    board = record.board()
    return {
        board.name(cell): str(colour) for cell in range(board.cells) if (colour := board.colour_at(cell)) is not None
    }


def test_new_moves_only_are_sent(start: Start, log: Path) -> None:
    player, record = start("good"), Record(4, 3)
    assert player.name == "Fake"
    for expected, reply in (("a1", "c1"), ("b1", "d1"), ("a2", "d2")):
        move = player.choose(record)
        assert record.name(move) == expected
        record.push(BLACK, move)
        record.push(WHITE, record.board().cell(reply))
    assert commands(log) == [
        "protocol_version",
        "name",
        "known_command gogui-interrupt",
        "boardsize 4 3",
        "clear_board",
        "param_game allow_swap 0",
        "genmove black",
        "answer a1",
        "play white c1",
        "genmove black",
        "answer b1",
        "play white d1",
        "genmove black",
        "answer a2",
    ]


def test_a_move_not_adopted_is_taken_back(start: Start, log: Path) -> None:
    player, record = start("good"), Record.of(["a1", "b1", "c1"], 5)
    player.choose(record)
    record.push(WHITE, record.board().cell("e5"))
    player.choose(record)
    assert commands(log)[-5:] == ["answer d1", "undo", "play white e5", "genmove black", "answer d1"]


@pytest.mark.parametrize("mode", ["good", "no-undo", "no-numbers", "no-parameters", "crlf", "draws"])
def test_the_boards_agree_wherever_the_record_goes(start: Start, log: Path, mode: str) -> None:
    player, rng = start(mode), random.Random(5)
    for _ in range(30):
        record = Record(4, 4, swap=True)
        for _ in range(rng.randrange(8)):
            board = record.board()
            if board.is_over():
                break
            if rng.random() < 0.2:
                cell = rng.randrange(16)
                record.end.children.append(Node(parent=record.end, setup={cell: rng.choice([BLACK, WHITE, None])}))
            else:
                board.turn = rng.choice(list(Colour)) if rng.random() < 0.3 else board.turn
                record.push(board.turn, rng.choice(board.legal_moves))
        if record.board().is_over():
            continue
        move = player.choose(record)
        expected = board_stones(record)
        assert move == record.board().empty_cells[0]
        expected[record.name(move)] = str(record.board().turn)
        assert engines_stones(log) == expected


def test_swap_of_the_opponent_is_shown_as_a_white_stone(start: Start, log: Path) -> None:
    record = Record.of(["b1", "swap"], 4, swap=True)
    assert record.name(start("good").choose(record)) == "a1"
    sent = commands(log)
    assert sent[-4:] == ["play white a2", "param_game allow_swap 0", "genmove black", "answer a1"]


def test_engine_swaps_and_plays_on(start: Start, log: Path) -> None:
    player, record = start("swaps-once"), Record.of(["c1"], 4, swap=True)
    assert player.choose(record) == SWAP
    assert "param_game allow_swap 1" in commands(log)
    record.push(WHITE, SWAP)
    record.push(BLACK, record.board().cell("d4"))
    assert record.name(player.choose(record)) == "a1"
    assert engines_stones(log) == {"a3": "white", "d4": "black", "a1": "white"}


def test_swap_is_not_offered_where_there_is_none(start: Start) -> None:
    assert start("swaps-once").choose(Record.of(["c1"], 4)) == 0


def test_a_new_size_is_announced(start: Start, log: Path) -> None:
    player = start("good")
    player.choose(Record(3, 5))
    player.choose(Record(5, 3))
    assert [line for line in commands(log) if line.startswith("boardsize")] == ["boardsize 3 5", "boardsize 5 3"]


def test_start_lines(start: Start, log: Path) -> None:
    start("good", start="greet nicely; param_game allow_swap 0;")
    assert commands(log)[3:5] == ["greet nicely", "param_game allow_swap 0"]


def test_a_start_line_that_the_engine_refuses(start: Start, log: Path) -> None:
    with pytest.raises(PlayerError, match=r"Fake refused 'greet rudely': unknown command: greet rudely"):
        start("good", start="greet rudely")
    assert_all_gone(log)


def test_resignation(start: Start) -> None:
    assert start("resigns").choose(Record(3, 3)) == RESIGN


@pytest.mark.parametrize("mode", ["banner", "loud", "upper-case"])
def test_harmless_habits(start: Start, mode: str) -> None:
    assert start(mode).choose(Record(3, 3)) == 0


def test_an_engine_with_no_name_is_called_by_its_command(start: Start) -> None:
    assert start("nameless").name.startswith("python")


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        (
            "dies",
            r"ended without answering 'genmove white', with exit status 3, and its last words were 'out of ideas'",
        ),
        ("hangs", r"did not answer 'genmove white' within 4 seconds"),
        ("hangs-with-child", r"did not answer 'genmove white' within 4 seconds"),
        ("floods", r"wrote more than 1000000 bytes without finishing its answer to 'genmove white'"),
        ("nonsense", r"gave no answer to 'genmove white' but 'I think I will play somewhere nice'"),
        ("wrong-number", r"gave 7\d as the number of its answer to 'genmove white', not \d"),
    ],
)
def test_a_failed_engine_is_ended(start: Start, log: Path, mode: str, sentence: str) -> None:
    player = start(mode, timeout=4.0 if mode.startswith("hangs") else 20.0)
    with pytest.raises(PlayerError, match=sentence) as error:
        player.choose(Record.of(["b2"], 3))
    assert "\n" not in str(error.value)
    assert_all_gone(log)
    with pytest.raises(PlayerError, match=sentence):
        player.choose(Record.of(["b2"], 3))
    player.close()


def test_an_engine_that_speaks_without_being_asked_is_ended(log: Path) -> None:
    with pytest.raises(PlayerError, match=r"without being asked|no number"):
        HtpPlayer(command("chatty", log), timeout=20.0).choose(Record(3, 3))
    assert_all_gone(log)


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("illegal", r"^Fake \(white\) answered b2, which is not legal there$"),
        ("swaps", r"^Fake \(white\) answered swap-pieces, which is not legal there$"),
        ("no-move", r"^Fake answered 'somewhere nice \[31m!+\.\.\.', which is not a move$"),
        ("refuses", r"^Fake would not move for white: not in the mood$"),
    ],
)
def test_a_wrong_answer_is_an_error_but_not_the_end(start: Start, log: Path, mode: str, sentence: str) -> None:
    player = start(mode)
    for _ in range(2):
        with pytest.raises(PlayerError, match=sentence):
            player.choose(Record.of(["b2"], 3))
    assert commands(log).count("clear_board") == 2, "what the engine has on its board now is not certain"


def test_a_size_the_engine_refuses(start: Start) -> None:
    player = start("small")
    with pytest.raises(PlayerError, match="Fake refused 'boardsize 11 11': too big"):
        player.choose(Record(11, 11))
    assert player.choose(Record(5, 5)) == 0


def test_engines_that_do_not_start(log: Path) -> None:
    with pytest.raises(PlayerError, match="cannot start the engine 'no-such-engine': there is no such program"):
        spec.make("htp:no-such-engine")
    with pytest.raises(PlayerError, match="exit status 1, and its last words were 'no licence'"):
        HtpPlayer(command("stillborn", log), timeout=20.0)
    with pytest.raises(ValueError, match="cannot be split into words"):
        spec.make('htp:"mohex \'x"')
    with pytest.raises(ValueError, match="must not be empty"):
        spec.make('htp:""')
    assert_all_gone(log)


def test_close_ends_even_a_deaf_engine(start: Start, log: Path) -> None:
    player = start("deaf")
    player.close()
    player.close()
    assert_all_gone(log)
    with pytest.raises(PlayerError, match="has been closed"):
        player.choose(Record(3, 3))


def test_a_forgotten_engine_is_ended(log: Path) -> None:
    player = HtpPlayer(command("good", log), timeout=20.0)
    del player
    assert_all_gone(log)


def test_interrupt(start: Start, log: Path) -> None:
    player = start("ponders")

    def interrupt_the_search() -> None:
        while "pondering" not in log.read_text():
            time.sleep(0.01)
        player.interrupt()

    thread = threading.Thread(target=interrupt_the_search, daemon=True)
    thread.start()
    assert player.choose(Record(3, 3)) == 0
    thread.join()
    assert commands(log)[-2:] == ["pondering", "answer a1"]


def test_interrupts_are_not_sent_to_engines_that_do_not_know_them(start: Start, log: Path) -> None:
    player = start("no-numbers")
    player.interrupt()
    assert player.choose(Record(3, 3)) == 0
    assert "# interrupt" not in log.read_text()


def test_over(start: Start, log: Path) -> None:
    player = start("good")
    with pytest.raises(ValueError, match="the game is over: black has won"):
        player.choose(Record.of(["a1"], 1))
    assert "genmove black" not in commands(log)


def test_by_text_it_keeps_the_contract() -> None:
    quoted = command("swaps-once").replace("\\", "\\\\").replace('"', '\\"')
    check_player(f'htp:"{quoted}",timeout=20,name=Fakir', limit=Limit(seconds=1))
