"""Thousands of records through every format and back."""

from hypothesis import given, settings

from fingal.game import Special
from fingal.game.formats import FORMATS, read, write
from tests.game.fuzzing import assert_same, records

many = settings(max_examples=5_000)


@many
@given(records(rich=True))
def test_sgf_keeps_everything(record) -> None:
    text = write(record, "sgf")
    assert_same(read(text.encode()), record)
    assert write(read(text), "sgf") == text


@many
@given(records(plain=True, square=True))
def test_every_format_keeps_the_moves(record) -> None:
    for kind, entry in FORMATS.items():
        expected = [step for step in record.moves if kind != "trmph" or step[1] != Special.RESIGN]
        assert read(write(record, kind), "game" + entry.suffix).moves == expected
