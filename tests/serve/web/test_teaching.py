"""The teacher on positions that can be read by hand."""

import pytest

from fingal.game import Record
from fingal.serve.web.messages import Advice, Warned
from fingal.serve.web.teaching import Teacher

BRIDGE = ["a4", "a2", "b4", "b2", "d4", "d2"]
"""On 4x4: White needs c2 alone; Black, to move, wins there and nowhere else."""


def test_a_lost_win_is_pointed_out_with_the_opponents_connection() -> None:
    record = Record.of([*BRIDGE, "a1"], 4)
    lesson = Teacher().mistake(record)
    assert lesson is not None
    said = lesson.message(record, "a-game-id", 12)
    assert isinstance(said, Warned)
    assert (said.node, said.loss, said.better, said.carrier) == (12, 2.0, "c2", ["c2"])
    assert said.reason == (
        "a1 loses a won position: White can now join left and right through the marked cells. "
        "That is proved, and so is that c2 would have won."
    )


@pytest.mark.parametrize(
    "moves",
    [
        [*BRIDGE, "c2"],  # the only winning move
        [*BRIDGE, "c2", "b3"],  # White has lost already, whatever it plays
        ["b1", "a2", "b2", "a3", "b3"],  # the game is over
        [],
    ],
)
def test_no_mistake_no_word(moves: list[int | str]) -> None:
    size = 4 if moves[:1] == ["a4"] else 3
    assert Teacher().mistake(Record.of(moves, size)) is None


def test_a_blunder_on_a_large_board() -> None:
    # White needs f2 and nothing else. There Black has two ways to the top and two to its row, but it plays elsewhere.
    white = [f"{letter}2" for letter in "abcdeghijk"]
    black = [f"{letter}4" for letter in "abcdefghij"]
    moves = [move for pair in zip(black, white, strict=True) for move in pair]
    record = Record.of([*moves, "a11"], 11)
    lesson = Teacher().mistake(record)
    assert lesson is not None
    assert record.name(lesson.better) == "f2"
    assert [record.name(cell) for cell in lesson.carrier] == ["f2"]
    assert "White" in lesson.reason
    tip = Teacher().hint(Record.of(moves, 11))
    assert record.name(tip.move) == "f2"


def test_a_wrong_swap_and_a_missing_one() -> None:
    swapped = Teacher().mistake(Record.of(["a1", "swap-pieces"], 5, swap=True))
    assert swapped is not None
    assert "the swap loses a won position" in swapped.reason
    missed = Teacher().mistake(Record.of(["c3", "a1"], 5, swap=True))
    assert missed is not None
    assert Record(5, 5, True).name(missed.better) == "swap-pieces"
    assert "to swap would have won" in missed.reason


def test_an_opening_that_will_be_swapped() -> None:
    lesson = Teacher().mistake(Record.of(["f6"], 11, swap=True))
    assert lesson is not None
    assert "f6 is too one-sided where White may swap" in lesson.reason


def test_a_hint_that_wins_says_how() -> None:
    record = Record.of(BRIDGE, 4)
    tip = Teacher().hint(record)
    said = tip.message(record, 5, 6)
    assert isinstance(said, Advice)
    assert (said.request, said.node, said.move, said.value) == (5, 6, "c2", 1.0)
    assert said.reason == "c2 wins: top and bottom are then connected, whatever White plays."
    last = Teacher().hint(Record.of(["b1", "a2", "b2", "a3"], 3))
    assert last.reason == "b3 joins top and bottom."


def test_a_hint_where_all_is_lost() -> None:
    tip = Teacher().hint(Record.of([*BRIDGE, "c2"], 4))
    assert tip.value == 1.0  # Black's, and White is to move
    assert "Black wins against any move: that is proved." in tip.reason


def test_a_hint_to_swap_and_a_fair_opening() -> None:
    record = Record.of(["c3"], 5, swap=True)
    tip = Teacher().hint(record)
    assert record.name(tip.move) == "swap-pieces"
    assert "Swap: Black's stone wins." in tip.reason
    opening = Teacher().hint(Record(11, 11, swap=True))
    assert "about even" in opening.reason
    assert -0.3 < opening.value <= 0


def test_a_hint_by_search() -> None:
    tip = Teacher().hint(Record.of(["c2", "f6"], 11))
    assert "by a search of" in tip.reason
    assert -1 < tip.value < 1


def test_no_hint_after_the_end() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        Teacher().hint(Record.of(["b1", "a2", "b2", "a3", "b3"], 3))
