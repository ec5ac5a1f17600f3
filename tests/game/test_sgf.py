import re

import pytest
from hypothesis import given, settings

from fingal.game import BLACK, WHITE, Mark, Node, Record, Result, Special
from fingal.game.formats import FormatError, read, sgf, write
from tests.game.fuzzing import DATA, assert_same, records


def said(record):
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def stones(board, colour):
    return {board.name(cell) for cell in range(board.cells) if board.colour_at(cell) == colour}


def test_hexgui():
    record = read((DATA / "hexgui.sgf").read_bytes())
    assert said(record) == ["B c3", "W swap-pieces", "B d4", "W resign"]
    assert record.swap
    assert record.winner() == BLACK
    assert record.tags == {"application": "HexGui:0.10.GIT"}


def test_playhex():
    record = read((DATA / "playhex.sgf").read_bytes())
    board = record.board()
    assert stones(board, WHITE) == {"b1"}
    assert stones(board, BLACK) == {"k5"}
    assert board.turn == WHITE
    assert record.players == {BLACK: "Random bot", WHITE: "aaa"}
    assert record.result == Result(BLACK, "resign")
    assert [node.extra for node in record.main_line[1:]] == [{"BL": ["600"]}, {"WL": ["595"]}, {}]
    assert "RE[B+Resign]" in sgf.write(record)


def test_set_up():
    record = read((DATA / "hexgui-setup.sgf").read_bytes())
    board = record.board()
    assert (board.width, board.turn) == (9, BLACK)
    assert stones(board, BLACK) == {"g1", "f3", "e5", "d6", "d7"}
    assert stones(board, WHITE) == {"i1", "c2", "c7", "e7", "c9"}


def test_variations_marks_and_texts():
    record = read((DATA / "analysis.sgf").read_bytes())
    assert (record.width, record.height) == (7, 5)
    assert record.tags["name"] == "A small puzzle: who wins?"
    assert record.root.extra == {"KM": ["x:y"]}
    puzzle = record.root.children[0]
    assert puzzle.setup == {9: BLACK, 10: BLACK, 16: BLACK, 17: BLACK, 28: WHITE, 29: None}
    assert puzzle.turn == WHITE
    assert puzzle.comment == "Brackets [like these], a backslash \\ and a soft break."
    assert puzzle.marks == [Mark("triangle", 0), Mark("triangle", 1), Mark("label", 2, "1"), Mark("label", 3, "two")]
    assert said(record) == ["W e1", "B pass", "W resign"]
    assert [child.move for child in puzzle.children] == [4, 11, 34]
    assert puzzle.children[2].colour == BLACK
    other = puzzle.children[1]
    assert other.extra == {"N": ["other"]}
    # A node with a move of each side became two.
    split = other.children[0]
    assert (split.colour, split.move, split.children[0].colour, split.children[0].move) == (BLACK, 12, WHITE, 5)
    assert [node.move for node in split.children[0].children] == [6, 13]
    assert_same(sgf.read(sgf.write(record)), record)


@pytest.mark.parametrize(
    ("moves", "application", "flavour"),
    [
        # The next mover tells, whatever the program called it.
        (";B[c3];W[swap-pieces];W[d4]", "HexGui:0.9.GIT", "swap-sides"),
        (";B[c3];W[swap-pieces];B[d4]", "HexGui:0.9.GIT", "swap-pieces"),
        (";B[c3];W[swap-pieces];C[hm];W[d4]", "", "swap-sides"),
        (";B[c3];W[swap];B[d4]", "", "swap-pieces"),
        (";B[c3];W[swap];W[d4]", "", "swap-sides"),
        # Where nobody moves next, the program does.
        (";B[c3];W[swap-pieces]", "HexGui:0.9.GIT", "swap-sides"),
        (";B[c3];W[swap-pieces]", "HexGui:0.9", "swap-sides"),
        (";B[c3];W[swap-pieces]", "HexGui:0.10.GIT", "swap-pieces"),
        (";B[c3];W[swap-pieces];B[resign]", "HexGui:0.8.1", "swap-sides"),
        (";B[c3];W[swap-pieces]", "", "swap-pieces"),
        (";B[c3];W[swap]", "HexGui:0.10.GIT", "swap-sides"),
        # What is plainly said is believed.
        (";B[c3];W[swap-sides];B[d4]", "HexGui:0.9", "swap-sides"),
        (";B[c3];W[swap-pieces];W[d4]", "Fingal", "swap-pieces"),
    ],
)
def test_which_swap(moves, application, flavour):
    record = sgf.read(f"(;GM[11]SZ[5]AP[{application}]{moves})")
    swap = record.moves[1]
    assert swap == (WHITE, Special.SWAP_PIECES if flavour == "swap-pieces" else Special.SWAP_SIDES)
    assert record.swap == (flavour == "swap-pieces")
    assert record.board(record.after(1).children[0]).colour_at("c3") == (WHITE if record.swap else BLACK)
    assert said(sgf.read(sgf.write(record))) == said(record)


def test_turns():
    def turn(moves):
        return sgf.read(f"(;SZ[5]{moves})").board().turn.letter

    assert turn("") == "B"
    assert turn(";B[a1]") == "W"
    assert turn(";B[a1];W[pass]") == "B"
    assert turn(";B[a1];W[]") == "B"
    assert turn(";B[a1];W[swap-pieces]") == "B"
    assert turn(";B[a1];W[swap-sides]") == "W"
    assert turn(";B[a1];W[resign]") == "W"
    assert turn(";B[a1]PL[B]") == "B"
    assert turn("PL[white]") == "W"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B+", Result(BLACK)),
        ("W", Result(WHITE)),
        ("B+R", Result(BLACK, "resign")),
        ("W+Resign", Result(WHITE, "resign")),
        ("b+t", Result(BLACK, "time")),
        ("W+Time", Result(WHITE, "time")),
        ("B+Forfeit", Result(BLACK, "forfeit")),
        ("W+F", Result(WHITE, "forfeit")),
        ("W+something", Result(WHITE)),
        ("Void", None),
        ("?", None),
        ("Draw", None),
        ("0", None),
        ("", None),
    ],
)
def test_results(text, expected):
    record = sgf.read(f"(;SZ[5]RE[{text}])")
    assert record.result == expected
    assert (f"RE[{text}]" in sgf.write(record)) == bool(text)
    record.result = Result(WHITE, "time")
    assert sgf.read(sgf.write(record)).result == record.result


def test_a_move_in_the_root_gets_its_own_node():
    record = sgf.read("(;GM[11]SZ[5]PB[x]C[hello]ZZ[1]B[a1];W[b2])")
    assert record.root.move is None
    assert record.root.extra == {"ZZ": ["1"]}
    assert said(record) == ["B a1", "W b2"]
    assert record.after(1).comment == "hello"


@pytest.mark.parametrize("lines", ["\n", "\r\n", "\r"])
def test_line_breaks(lines):
    text = "(;SZ[5]C[one\ntwo\\\nthree]\n;B[A1])\n".replace("\n", lines)
    record = read(b"\xef\xbb\xbf" + text.encode())
    assert record.root.comment == "one\ntwothree"
    assert said(record) == ["B a1"]


def test_character_sets():
    def name(text, codec):
        return read(text.encode(codec)).players[BLACK]

    assert name("(;PB[Jörg ☃];B[a1])", "utf-8") == "Jörg ☃"
    assert name("(;CA[UTF-8]PB[Jörg ☃];B[a1])", "utf-8") == "Jörg ☃"
    assert name("(;CA[ISO-8859-1]PB[Jörg];B[a1])", "latin-1") == "Jörg"
    assert name("(;CA[windows-1252]PB[J€rg];B[a1])", "cp1252") == "J€rg"
    assert name("(;PB[Jörg];B[a1])", "latin-1") == "Jörg"
    assert name("(;CA[Shift_JIS]PB[ascii];B[a1])", "ascii") == "ascii"
    with pytest.raises(FormatError, match="byte 15 is not valid UTF-8"):
        name("(;CA[UTF-8]PB[ö];B[a1])", "latin-1")
    with pytest.raises(FormatError, match=r"the character set 'klingon' is not known: use CA\[UTF-8\]"):
        name("(;CA[klingon]PB[ö];B[a1])", "utf-8")
    with pytest.raises(FormatError, match="UTF-16"):
        name("(;PB[x];B[a1])", "utf-16")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(", "line 1, column 2: the text ends within a game: ')' is missing"),
        ("()", "line 1, column 2: this ')' closes nothing"),
        ("(;GM[1]SZ[19];B[aa])", "line 1, column 2: GM is '1', which is another game: Hex is GM[11]"),
        ("(;SZ[20])", "line 1, column 2: the size '20' is not possible: width and height run from 1 to 19"),
        ("(;SZ[5x6])", "the size '5x6' is not understood: write SZ[11] or, columns first, SZ[7:9]"),
        ("(;SZ[5][6])", "SZ has 2 values: it takes one"),
        ("(;SZ[5];B[f1])", "line 1, column 8: B: 'f1' is off the board: the cells of a 5x5 board run from a1 to e5"),
        ("(;SZ[5];B[hello])", "B: 'hello' is not a move"),
        ("(;SZ[5];B[a1][a2])", "B holds 2 moves: a node has one move of a side"),
        ("(;SZ[5];B[a1]\n;W[a1])", "move 2, W a1: cell a1 is occupied"),
        ("(;SZ[5];B[a1](;W[b1])(;W[a1]))", "move 2, W a1 (in a variation): cell a1 is occupied"),
        ("(;SZ[2];B[a1];W[b1];B[a2];W[b2])", "move 4, W b2: the game is over: Black has won"),
        ("(;SZ[5:6];B[a1];W[swap-pieces])", "swap-pieces needs a square board: this one is 5x6"),
        ("(;SZ[5];W[a1];B[swap-pieces];W[b2])", "move 2, B swap-pieces: swap-pieces is only possible as White's first"),
        ("(;SZ[5];AB[a1]AW[a1:b2])", "cell a1 is set up twice in one node"),
        ("(;SZ[5];AB[a1:z9])", "AB: 'a1:z9' is not a move"),
        ("(;SZ[5];PL[X])", "PL names no side: 'x' should be B or W"),
        ("(;SZ[5];C[open)", "line 1, column 9: a value of 'C' is not closed: ']' is missing"),
        ("(;SZ[5];C)", "line 1, column 9: 'C' has no value: '[' must follow"),
        ("(;SZ[5];[x])", "line 1, column 9: this value belongs to no property"),
        ("(;SZ[5];B[a1]\n  !)", "line 2, column 3: '!' is not expected"),
        ("(SZ[5])", "line 1, column 2: 'SZ' stands outside a node: ';' must come first"),
        ("(;SZ[5]((;B[a1])))", "a variation must begin with a node"),
        ("(;SZ[5];B[a1]", "the text ends within a game: ')' is missing"),
        (";SZ[5]", "a node stands outside a game: '(' must come first"),
        ("", "the text holds no game"),
        ("(;xyz[5])", "'xyz' is not an SGF property"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=re.escape(message)) as raised:
        sgf.read(text)
    assert "\n" not in str(raised.value)


def test_collections():
    text = "(;SZ[5];B[a1])\n(;SZ[7:6](;B[g6])(;B[a1]))"
    assert [(record.width, record.height) for record in sgf.read_all(text)] == [(5, 5), (7, 6)]
    assert sgf.read(text).width == 5
    assert sgf.read(text + "(;broken").width == 5
    with pytest.raises(FormatError, match="line 2"):
        sgf.read_all(text + "(;broken")


@given(records(rich=True))
@settings(max_examples=200)
def test_round_trip(record):
    text = write(record, "sgf")
    assert_same(read(text.encode()), record)
    assert write(read(text), "sgf") == text


def test_extra_values_are_written_as_they_were_or_made_safe():
    record = sgf.read("(;SZ[5]AR[a\\:b:c]CP[x\\]y];LN[a1:b2]N[z])")
    assert record.root.extra == {"AR": ["a\\:b:c"], "CP": ["x\\]y"]}
    assert_same(sgf.read(sgf.write(record)), record)
    record.root.extra = {"XX": ["a]b\\"], "C": ["not a comment"], "SZ": ["9"]}
    back = sgf.read(sgf.write(record))
    assert back.root.extra == {"XX": ["a\\]b\\\\"]}
    assert (back.width, back.root.comment) == (5, "")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda record: record.push(BLACK, 0), "move 2, B a1: cell a1 is occupied"),
        (lambda record: record.push(BLACK, 99), "move 2, B cell 99: cell 99 is off the board"),
        (lambda record: record.push(BLACK, -9), "move 2: the record does not say who moved, or it names no known move"),
        (lambda record: record.push(WHITE, Special.SWAP_PIECES), "move 2, W swap-pieces: swap-pieces is not possible"),
        (lambda record: record.root.setup.update({77: BLACK}), "set-up: cell 77 is off the board"),
        (lambda record: record.root.marks.append(Mark("star", 0)), "SGF has no mark 'star'"),
        (lambda record: record.root.marks.append(Mark("circle", 77)), "the record does not hold together: cell 77"),
        (lambda record: record.root.extra.update({"x y": ["1"]}), "'x y' is not an SGF property"),
        (lambda record: setattr(record.root, "comment", "\0"), "NUL or half of a surrogate pair"),
        (lambda record: setattr(record.root, "comment", "\udc80"), "NUL or half of a surrogate pair"),
    ],
)
def test_records_that_do_not_hold_together_are_not_written(spoil, message):
    record = Record.of(["a1"], 5)
    spoil(record)
    with pytest.raises(FormatError, match=message):
        write(record)


def test_the_swap_rule_is_kept_where_nobody_swapped():
    record = Record.of(["a1", "b1"], 5, swap=True)
    assert sgf.read(sgf.write(record)).swap
    record.swap = False
    assert not sgf.read(sgf.write(record)).swap
    both = sgf.read("(;SZ[5]RU[swap-pieces][blitz])")
    assert both.swap
    assert both.root.extra == {"RU": ["blitz"]}
    assert_same(sgf.read(sgf.write(both)), both)


def test_deep_and_wide_trees():
    deep = sgf.read("(;SZ[5];B[a1]" + "(;C[x]" * 100_000 + ")" * 100_001)
    assert len(deep.main_line) == 100_002
    assert len(sgf.read(sgf.write(deep)).main_line) == 100_002
    wide = sgf.read("(;SZ[5];B[a1]" + "(;W[b2];B[c3])" * 20_000 + ")")
    assert len(wide.after(1).children) == 20_000
    assert sgf.write(wide).count("(") == 20_001


def test_set_up_in_variations_leaves_the_siblings_alone():
    record = sgf.read("(;SZ[3];B[a1];W[b1](;AE[a1];B[a1])(;B[c1](;AW[a2:c3])(;W[a2]))(;B[c3];W[c1]))")
    second = record.after(1).children[0]
    last = second.children[2].children[0]
    assert stones(record.board(last), BLACK) == {"a1", "c3"}
    assert stones(record.board(last), WHITE) == {"b1", "c1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[5]" + ";" * 500_000 + ")", "the text has more than 500000 nodes"),
        ("(;SZ[19]" + ";AB[a1:s19]" * 600 + ")", "the text has more than 200000 set-up stones and marks"),
    ],
)
def test_limits(text, message):
    with pytest.raises(FormatError, match=message):
        sgf.read(text)


def test_nodes_without_moves_are_kept():
    record = Record(3, 3)
    record.root.children.append(Node(record.root, comment="only words"))
    assert sgf.read(sgf.write(record)).end.comment == "only words"
