"""A person at a terminal: what is typed, and what is said to it."""

import io

import pytest

from fingal.game import RESIGN, SWAP, Record
from fingal.players import spec
from fingal.players.human import Human, Quit, TakeBack


def ask(typed: str, record: Record, *, board: bool = False) -> tuple[int, str]:
    output = io.StringIO()
    return Human(board=board, undo=True, input=io.StringIO(typed), output=output).choose(record), output.getvalue()


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("c2\n", 5),
        (" C2 \n", 5),
        ("c2", 5),
        ("\n\nb1\n", 1),
        ("swap\n", SWAP),
        ("Swap-Pieces\n", SWAP),
        ("resign\n", RESIGN),
    ],
)
def test_moves(typed: str, move: int) -> None:
    assert ask(typed, Record.of(["a1"], 3, swap=True))[0] == move


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("a1", "A1 is occupied."),
        ("\udcff", "'?' is not a cell: cells of a 3x3 board run from a1 to c3."),
        ("d1", "'d1' is off the board: cells of a 3x3 board run from a1 to c3."),
        ("what?", "'what?' is not a cell: cells of a 3x3 board run from a1 to c3."),
        ("swap", "Swap is not possible here: it is only White's first move in a game with the swap rule."),
        ("x" * 10_000, "That is not a cell."),
        ("undo", "There is no move of yours to take back."),
        ("help", "a cell      play there"),
    ],
)
def test_anything_else_is_answered_and_asked_again(typed: str, sentence: str) -> None:
    move, said = ask(f"{typed}\nb2\n", Record.of(["a1"], 3))
    assert move == 4
    assert sentence in said
    assert said.count("White to move: ") == 2
    assert len(said) < 700


def test_board_is_drawn_when_asked_for() -> None:
    record = Record.of(["a1"], 3)
    assert str(record.board()) in ask("b2\n", record, board=True)[1]
    assert str(record.board()) not in ask("b2\n", record)[1]


def test_quit_undo_and_the_end_of_the_input() -> None:
    for typed in ("quit\n", "", "a1\n"):
        with pytest.raises(Quit):
            ask(typed, Record.of(["a1"], 3))
    with pytest.raises(TakeBack):
        ask("undo\n", Record.of(["a1", "b2"], 3))


def test_no_undo_where_the_game_does_not_allow_it() -> None:
    output = io.StringIO()
    human = Human(input=io.StringIO("undo\nc1\n"), output=output)
    assert human.choose(Record.of(["a1", "b2"], 3)) == 2
    assert "No move can be taken back here." in output.getvalue()


def test_standard_streams(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    player = spec.make("human:board=no,name=Ann")
    monkeypatch.setattr("sys.stdin", io.StringIO("a2\n"))
    assert player.choose(Record(3, 3)) == 3
    assert capsys.readouterr().out == "Black to move: "
    assert player.name == "Ann"


def test_over() -> None:
    with pytest.raises(ValueError, match="over"):
        ask("a1\n", Record.of(["a1"], 1))


def test_bad_utf8_is_asked_about_again() -> None:
    output = io.StringIO()
    # A chunk of one byte is what a terminal gives: what follows the bad line is not lost with it.
    typed = io.TextIOWrapper(io.BytesIO(b"\xff\nb1\n"), encoding="utf-8")
    typed._CHUNK_SIZE = 1  # type: ignore[attr-defined]
    assert Human(input=typed, output=output).choose(Record(3, 3)) == 1
    assert "That is not text." in output.getvalue()
