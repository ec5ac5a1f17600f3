"""A game in the terminal, typed ahead."""

import io

import pytest
from rich.console import Console

from fingal.game import BLACK, RESIGN, WHITE, Colour, Record, Result
from fingal.players.human import Human
from fingal.players.player import Player, PlayerError
from fingal.serve import terminal
from tests.serve.scripted import Answers, First


@pytest.fixture
def type_ahead(monkeypatch: pytest.MonkeyPatch):
    """A game against an opponent with everything the person types given: the record and what was shown."""

    def run(typed: str, opponent: Player, record: Record, person: Colour = BLACK) -> tuple[list[str], str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        output = io.StringIO()
        returned = terminal.play(opponent, record, person, console=Console(file=output, width=80))
        assert returned is record
        return moves(record), output.getvalue()

    return run


def moves(record: Record) -> list[str]:
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def test_a_whole_game(type_ahead) -> None:
    record = Record(3, 3)
    played, shown = type_ahead("b2\nb1\nb3\n", First(), record)
    assert played == ["B b2", "W a1", "B b1", "W c1", "B b3"]
    assert record.result == Result(BLACK)
    assert shown.startswith("You are Black: join top and bottom.\n")
    assert "first plays a1." in shown
    assert shown.endswith("You have won.\n")


def test_the_opponent_wins_and_begins(type_ahead) -> None:
    record = Record(2, 2)
    played, shown = type_ahead("b1\n", First(), record, WHITE)
    assert played == ["B a1", "W b1", "B a2"]
    assert record.result == Result(BLACK)
    assert shown.startswith("You are White: join left and right.\n")
    assert shown.endswith("first has won.\n")


def test_what_is_illegal_is_asked_again(type_ahead, capsys: pytest.CaptureFixture[str]) -> None:
    played, _ = type_ahead("z9\nb2\na1\nquit\n", First(), Record(3, 3))
    assert played == ["B b2", "W a1"]
    said = capsys.readouterr().out
    assert "'z9' is off the board" in said
    assert "A1 is occupied." in said


@pytest.mark.parametrize("typed", ["b2\nquit\n", "b2\n", "b2\nc"])
def test_leaving_keeps_the_game(type_ahead, typed: str) -> None:
    record = Record(3, 3)
    played, _ = type_ahead(typed, First(), record)
    assert played == ["B b2", "W a1"]
    assert record.result is None


def test_undo_takes_back_the_answer_too(type_ahead) -> None:
    assert type_ahead("b2\nundo\nc1\nquit\n", First(), Record(3, 3))[0] == ["B c1", "W a1"]
    # As White, the opponent's first move stays.
    assert type_ahead("b2\nundo\nc3\nquit\n", First(), Record(3, 3), WHITE)[0] == ["B a1", "W c3", "B b1"]
    # Nothing to take back yet.
    assert type_ahead("undo\nb2\nquit\n", First(), Record(3, 3))[0] == ["B b2", "W a1"]
    # Between two people each takes back their own.
    assert type_ahead("a1\nb1\nc1\nundo\nb2\nquit\n", Human(undo=True), Record(3, 3))[0] == ["B a1", "W b2"]


def test_resigning(type_ahead) -> None:
    record = Record(3, 3)
    played, shown = type_ahead("b2\nresign\n", First(), record)
    assert played == ["B b2", "W a1", "B resign"]
    assert record.result == Result(WHITE, "resign")
    assert shown.endswith("You resign.\n")
    record = Record(3, 3)
    played, shown = type_ahead("b2\n", Answers(RESIGN), record)
    assert played == ["B b2", "W resign"]
    assert record.result == Result(BLACK, "resign")
    assert shown.endswith("oracle resigns.\n")


def test_swap(type_ahead) -> None:
    record = Record(3, 3, swap=True)
    played, shown = type_ahead("b1\nquit\n", First(), record)
    assert played == ["B b1", "W swap-pieces"]
    assert "first plays swap-pieces." in shown
    assert record.board().colour_at("a2") is WHITE
    assert type_ahead("swap\nquit\n", First(), Record(3, 3, swap=True), WHITE)[0] == [
        "B a1",
        "W swap-pieces",
        "B b1",
    ]


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (PlayerError("the engine died"), PlayerError, "^the engine died$"),
        (ValueError("11x11 only"), ValueError, "^oracle does not play here: 11x11 only$"),
        (0, PlayerError, "^oracle answered 0, which is not a legal move$"),
    ],
)
def test_an_opponent_that_fails_leaves_the_record_whole(type_ahead, answer, error, sentence) -> None:
    record = Record(3, 3)
    with pytest.raises(error, match=sentence):
        type_ahead("a1\n", Answers(answer), record)
    assert moves(record) == ["B a1"]


def test_going_on_from_a_record(type_ahead) -> None:
    record = Record.of(["b2", "a1", "b1", "c1"], 3)
    assert type_ahead("b3\n", First(), record)[1].endswith("You have won.\n")
    # It is over already: nothing is asked.
    assert type_ahead("", First(), record, WHITE)[1].endswith("first has won.\n")


def test_names_are_shown_as_they_are(type_ahead) -> None:
    opponent = First()
    opponent.name = "[/bold] :smile:"
    assert "[/bold] :smile: plays a1." in type_ahead("b2\nquit\n", opponent, Record(3, 3))[1]
