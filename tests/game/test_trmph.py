import re

import pytest
from hypothesis import given, settings

from fingal.game import BLACK, WHITE, Record, Special
from fingal.game.formats import FormatError, hexworld, trmph
from tests.game.fuzzing import records


def said(record):
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


@pytest.mark.parametrize(
    "prefix", ["", "http://www.trmph.com/hex/board", "https://trmph.com/hex/board", "trmph.com/hex/board"]
)
def test_examples(prefix):
    record = trmph.read(prefix + "#13,d1d1k10")
    assert said(record) == ["B a4", "W swap-pieces", "B k10"]
    assert record.board().colour_at("d1") == WHITE
    assert record.swap
    record = trmph.read(prefix + "#11,a1b10c3")
    assert said(record) == ["B a1", "W b10", "B c3"]
    assert not record.swap
    assert said(trmph.read(prefix + "#11,")) == []


def test_a_swap_on_the_diagonal():
    record = trmph.read("#11,f6f6a1")
    assert said(record) == ["B f6", "W swap-pieces", "B a1"]
    assert trmph.write(record) == "https://trmph.com/hex/board#11,f6f6a1"


def test_the_same_game_as_hexworld_says():
    assert trmph.write(hexworld.read("#11,a4:se7:rw")) == "https://trmph.com/hex/board#11,d1d1e7"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://www.trmph.com/hex/game/lg-1139802", "a trmph game link holds no moves: open it and paste the board"),
        ("https://trmph.com/hex/board", "the link has no position"),
        ("#", "begins with a size"),
        ("#7x9,a1", "begins with a size"),
        ("#26,a1", "the size '26' is not possible"),
        ("#3,a1d4", "move 2: 'd4' is off the board"),
        ("#3,a1:s", "move 2, at character 5: ':s' is not a move"),
        ("#3,a1b2a1", "move 3, B a1: cell a1 is occupied"),
        ("#1,a1a1", "move 2, W swap-pieces: the game is over: Black has won"),
        ("#1,a1a1a1", "the link has more than 2 moves"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        trmph.read(text)


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("#5,a1:Sb2", "move 2: a trmph link has no swap-sides"),
        ("#5,a1:pb2", "move 2: a trmph link cannot say that a side passes or moves twice in a row"),
        ("#5,a1:rwb2", "move 2: a trmph link has no resign"),
        ("#5x6,a1", "trmph has square boards only: this one is 5x6"),
    ],
)
def test_what_cannot_be_written(fragment, message):
    with pytest.raises(FormatError, match=message):
        trmph.write(hexworld.read(fragment))


def test_set_up_cannot_be_written():
    record = Record(5, 5)
    record.root.setup = {0: BLACK}
    with pytest.raises(FormatError, match="this format has no set-up stones"):
        trmph.write(record)
    white_first = Record(5, 5)
    white_first.push(WHITE, 0)
    with pytest.raises(FormatError, match="moves twice in a row"):
        trmph.write(white_first)


@given(records(plain=True, square=True))
@settings(max_examples=100)
def test_round_trip_loses_the_resignation_only(record):
    text = trmph.write(record)
    assert trmph.read(text).moves == [step for step in record.moves if step[1] != Special.RESIGN]
    assert trmph.write(trmph.read(text)) == text
