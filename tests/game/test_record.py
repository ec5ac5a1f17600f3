import pytest
from hypothesis import given, settings

from fingal.game import BLACK, SWAP, WHITE, Node, Record, Result, Special
from tests.game.fuzzing import assert_same, records


def test_of_alternates_and_names_moves():
    record = Record.of(["a2", "swap", "c3"], 3, swap=True)
    assert record.moves == [(BLACK, 3), (WHITE, SWAP), (BLACK, 8)]
    assert [record.name(move) for _, move in record.moves] == ["a2", "swap-pieces", "c3"]
    assert record.board().colour_at("b1") == WHITE
    with pytest.raises(ValueError, match="cell a1 is occupied"):
        Record.of(["a1", "a1"], 3)


def test_pop_and_push():
    record = Record.of(["a1", "b1"], 3)
    assert record.pop().move == 1
    assert record.pop().move == 0
    with pytest.raises(IndexError, match="no move to take back"):
        record.pop()


def test_after_counts_moves_and_takes_set_up_along():
    record = Record(3, 3)
    puzzle = Node(record.root, setup={0: BLACK}, turn=WHITE)
    record.root.children.append(puzzle)
    first = puzzle.add(WHITE, 4)
    note = Node(first, comment="a pause")
    first.children.append(note)
    last = note.add(BLACK, 8)
    assert record.after(0) is puzzle
    assert record.after(1) is note
    assert record.after(2) is last
    for count in (-1, 3):
        with pytest.raises(IndexError, match=f"the main line has 2 moves: there is no move {count}"):
            record.after(count)


def test_current_is_the_cursor_or_the_end():
    record = Record.of(["a1", "b1"], 3)
    assert record.current is record.end
    record.cursor = record.root
    assert record.current is record.root


def test_until_is_one_line_and_shares_nothing():
    record = Record.of(["a1", "b1", "c1"], 3)
    record.result = Result(BLACK, "time")
    second = record.after(2)
    second.add(BLACK, 8)
    cut = record.until(second)
    assert cut.moves == [(BLACK, 0), (WHITE, 1)]
    assert cut.end.children == []
    assert cut.result is None
    cut.end.setup[5] = BLACK
    cut.push(BLACK, 7)
    assert second.setup == {}
    assert [child.move for child in second.children] == [2, 8]
    assert record.until(record.end).result == Result(BLACK, "time")


@given(records(plain=True))
@settings(max_examples=50)
def test_until_the_end_of_a_line_is_the_record(record):
    assert_same(record.until(record.end), record)


def test_winner_by_result_by_resignation_and_on_the_board():
    record = Record.of(["a1"], 2)
    assert record.winner() is None
    record.push(WHITE, Special.RESIGN)
    assert record.winner() == BLACK
    record.result = Result(WHITE)
    assert record.winner() == WHITE
    assert Record.of(["a1", "b1", "a2"], 2).winner() == BLACK
    assert [str(Result(WHITE, how)) for how in ("", "resign", "time", "forfeit")] == ["W+", "W+R", "W+T", "W+F"]


def test_a_repr_is_short_however_long_the_game():
    record = Record(19, 19)
    node = record.root
    for _ in range(5000):
        node = node.add(BLACK, Special.PASS)
    assert len(repr(record)) < 300
    assert len(repr(node)) < 300
    assert len(record.moves) == 5000
