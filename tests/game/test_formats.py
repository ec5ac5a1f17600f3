import doctest
import os
import re

import pytest
from hypothesis import given, settings

from fingal.game import BLACK, WHITE, Record, Special, formats
from fingal.game.formats import FORMATS, FormatError, detect, find, load, moves, position, read, read_all, save, write
from tests.game.fuzzing import DATA, assert_same, fuzz_formats, records


def said(record):
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("https://hexworld.org/board/#11,a1b2", "hexworld", ["B a1", "W b2"]),
        (" #11,a1b2\n", "hexworld", ["B a1", "W b2"]),
        ("11r9c1,a1b2", "hexworld", ["B a1", "W b2"]),
        ("11,a1b2", "hexworld", ["B a1", "W b2"]),
        ("5,c2:se4", "hexworld", ["B c2", "W swap-pieces", "B e4"]),
        ("https://trmph.com/hex/board#11,d1d1e7", "trmph", ["B a4", "W swap-pieces", "B e7"]),
        ("(;SZ[11];B[a1];W[b2])", "sgf", ["B a1", "W b2"]),
        ("(;SZ[11];W[ab])", "littlegolem", ["B a2"]),
        ("11 a1 b2 swap-sides c3", "moves", ["B a1", "W b2", "B swap-sides", "B c3"]),
        ("11 a1 swap c3", "moves", ["B a1", "W swap-pieces", "B c3"]),
        ("7x9: a1 b2 c3 resign", "moves", ["B a1", "W b2", "B c3", "W resign"]),
        ("7X9:A1,b2,\n c3 W:forfeit", "moves", ["B a1", "W b2", "B c3", "W forfeit"]),
        ("11,a1,b2", "moves", ["B a1", "W b2"]),
        ("11 B:a1 B:a2 w:pass b2", "moves", ["B a1", "B a2", "W pass", "B b2"]),
        ("11", "moves", []),
        ("11:", "moves", []),
    ],
)
def test_the_text_shows_its_format(text, kind, expected):
    assert detect(text) == kind
    for given_text in (text, text.encode(), b"\xef\xbb\xbf" + text.encode(), "\ufeff" + text):
        assert said(read(given_text)) == expected
    assert said(position(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is nothing to read: give a HexWorld link"),
        (" \n", "there is nothing to read"),
        ("hello", "'hello' is not a game in a known format: give a HexWorld link"),
        ("a1 b2", "'a1 b2' is not a game in a known format"),
        ("11 a1 z9", "move 2: 'z9' is off the board: the cells of a 11x11 board run from a1 to k11"),
        ("11 a1 foo", "move 2: 'foo' is not a move"),
        ("11 a1 a1", "move 2, W a1: cell a1 is occupied"),
        ("20 a1", "the size '20' is not possible: width and height run from 1 to 19"),
        ("3x99: a1", "the size '3x99' is not possible"),
        ("3x5 a1 swap", "swap-pieces needs a square board: this one is 3x5"),
        ("11 a\0", "character 5 is NUL: this is not a text"),
        ("11 \udc80", "character 4 is half of a surrogate pair"),
        (b"11 \xff", "move 1: 'ÿ' is not a move"),
        (b"\xff\xfe1\x001\x00", "the text is in UTF-16: save it as UTF-8"),
        ("1" * (16 * 2**20 + 1), "the text is too large: it may have at most 16 MB"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        read(text)
    with pytest.raises(FormatError, match=re.escape(f"x.txt: {message}")):
        read(text, "x.txt")


def test_a_bare_list_takes_its_size_from_the_caller():
    assert said(moves.parse("a1, c4", 3, 4)) == ["B a1", "W c4"]
    assert moves.parse("", 7).height == 7
    with pytest.raises(FormatError, match="the size '20x20' is not possible"):
        moves.parse("a1", 20)

    assert said(position("a1 B:resign", (3, 4))) == ["B a1", "B resign"]
    assert position("swap-sides", (3, 4)).height == 4
    assert position("#5,a1", (3, 4)).width == 5
    with pytest.raises(FormatError, match="move 2: 'd1' is off the board"):
        position("a1 d1", (3, 4))
    with pytest.raises(FormatError, match="'a1 b1' is not a position, nor a file"):
        position("a1 b1")


@given(records(plain=True))
@settings(max_examples=100)
def test_lists_round_trip(record):
    back = moves.read(moves.write(record))
    assert back.moves == record.moves
    assert (back.width, back.height) == (record.width, record.height)


@given(records())
@settings(max_examples=150)
def test_lists_give_the_same_position(record):
    try:
        text = moves.write(record)
    except FormatError:
        assert any(node.setup for node in record.main_line)
        return
    back, board = moves.read(text).board(), record.board()
    assert [back.colour_at(cell) for cell in range(back.cells)] == [board.colour_at(cell) for cell in range(back.cells)]
    assert back.turn == board.turn


def test_lists_say_who_resigns_out_of_turn():
    record = Record.of(["a1"], 5)
    record.push(BLACK, Special.RESIGN)
    assert moves.write(record) == "5: a1 B:resign"
    assert said(moves.read("5: a1 B:resign")) == ["B a1", "B resign"]


@given(records(plain=True, square=True))
@settings(max_examples=60)
def test_one_game_in_every_format(record):
    games = {kind: read(write(record, kind), "game" + entry.suffix) for kind, entry in FORMATS.items()}
    without_resignation = [step for step in record.moves if step[1] != Special.RESIGN]
    for kind, game in games.items():
        assert game.moves == (without_resignation if kind == "trmph" else record.moves)


@pytest.mark.parametrize("kind", FORMATS)
def test_save_and_load(tmp_path, kind):
    record = read("#11,a4:se7b2")
    path = tmp_path / f"game{FORMATS[kind].suffix}"
    path.write_text("an older file")
    save(record, path)
    assert load(path).moves == record.moves
    assert load(str(path)).moves == record.moves
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert path.read_text().count("\n") == 1
    cut = load(f"{path}@3")
    assert cut.moves == record.moves[:3]


def test_saving_what_cannot_be_written_keeps_the_old_file(tmp_path):
    path = tmp_path / "game.trmph"
    path.write_text("an older file")
    with pytest.raises(FormatError, match=r"game\.trmph: move 2: a trmph link has no swap-sides"):
        save(read("#5,a1:Sb2"), path)
    assert path.read_text() == "an older file"
    with pytest.raises(
        FormatError, match=r"game\.png: no format has this suffix: use \.sgf, \.hsgf, \.hexworld, \.trmph"
    ):
        save(Record(), tmp_path / "game.png")
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        save(Record(), tmp_path / "nowhere" / "game.sgf")
    (tmp_path / "folder.sgf").mkdir()
    with pytest.raises(FormatError, match="cannot be written: Is a directory"):
        save(Record(), tmp_path / "folder.sgf")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder.sgf", "game.trmph"]
    with pytest.raises(FormatError, match="there is no format 'png': the formats are sgf, littlegolem"):
        write(Record(), "png")


def test_positions():
    assert said(position("#13,d10j9,d5")) == ["B d10", "W j9"]
    assert said(position("#13,,a1b2")) == []
    whole = find("#13,d10j9,d5")
    assert said(whole) == ["B d10", "W j9", "B d5"]
    assert whole.cursor is whole.after(2)
    path = DATA / "littlegolem.hsgf"
    assert said(position(f"{path}@2")) == ["B m6", "W swap-pieces"]
    assert said(position(f"{path}@0")) == []
    assert position(f"{path}@0").swap
    assert position(f"{path}@2").result is None
    assert len(position(f"{path}").moves) == 5
    assert len(find(f"{path}@2").moves) == 5
    assert position(f"{DATA / 'hexgui-setup.sgf'}@0").board().colour_at("g1") == BLACK
    assert position(f"{DATA / 'analysis.sgf'}@1").board().colour_at("e1") == WHITE
    assert said(position(f"{DATA / 'game.hexworld'}")) == ["B b3", "W swap-pieces", "B c6"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is nothing to read"),
        ("hello", "'hello' is not a position, nor a file: give a HexWorld link or fragment (#11,a1b2), an SGF file"),
        ("a1 b2", "'a1 b2' is not a position, nor a file"),
        ("missing.sgf", "missing.sgf cannot be read: No such file or directory"),
        ("missing.sgf@3", "missing.sgf cannot be read: No such file or directory"),
        ("nul\0.sgf", "cannot be read: embedded null byte"),
        ("x" * 5000 + ".sgf", "cannot be read: File name too long"),
        (f"{DATA}", "cannot be read: Is a directory"),
        (f"{DATA / 'hexgui.sgf'}@5", "hexgui.sgf: the main line has 4 moves: there is no move 5"),
        (f"{DATA / 'hexgui.sgf'}@", "is not a position, nor a file"),
        ("https://www.trmph.com/hex/game/lg-1139802", "a trmph game link holds no moves"),
    ],
)
def test_what_is_not_a_position(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        position(text)


def test_a_file_whose_name_looks_like_a_move_number(tmp_path):
    path = tmp_path / "match@12"
    path.write_text("#3,a1")
    assert said(load(path)) == ["B a1"]
    assert said(load(f"{path}@0")) == []
    (tmp_path / "(odd).sgf").write_text("(;SZ[3];B[a1];W[b1])")
    assert said(load(f"{tmp_path}/(odd).sgf@1")) == ["B a1"]


def test_large_files_are_refused_unread(tmp_path):
    path = tmp_path / "large.sgf"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 100 * 2**20)
    with pytest.raises(FormatError, match=r"large\.sgf is too large: a game file has at most 16 MB"):
        load(path)
    with pytest.raises(FormatError, match="/dev/zero is too large"):
        load("/dev/zero")


def test_files_are_named_in_errors(tmp_path):
    path = tmp_path / "bad.sgf"
    path.write_bytes(b"(;SZ[5];B[a1];W[a1])")
    with pytest.raises(FormatError, match=r"bad\.sgf: move 2, W a1: cell a1 is occupied"):
        load(path)


def test_read_all():
    assert [record.width for record in read_all("(;SZ[5])(;SZ[6])")] == [5, 6]
    assert [record.width for record in read_all("#7,a1")] == [7]
    with pytest.raises(FormatError, match=r"x\.sgf: line 1, column 10"):
        read_all("(;SZ[5])(;SZ[0])", "x.sgf")


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_samples_survive_as_sgf(path):
    record = load(path)
    record.tags.pop("hexworld", None)
    assert_same(read(write(record)), record)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_texts(seed):
    fuzz_formats(seed, 2000)


def test_examples_in_the_documentation():
    assert doctest.testmod(formats).failed == 0
