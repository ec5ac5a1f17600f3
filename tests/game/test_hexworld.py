import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingal.game import BLACK, WHITE, Node, Record, Special
from fingal.game.formats import FormatError, hexworld
from tests.game.fuzzing import records


def said(record):
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def stones(board):
    found = {BLACK: [], WHITE: []}
    for cell in range(board.cells):
        if (colour := board.colour_at(cell)) is not None:
            found[colour].append(board.name(cell))
    return found[BLACK], found[WHITE]


# Decoded by hand: text, size, moves, stones of Black and White at the end, who is to move.
EXAMPLES = [
    ("#9r9c1,b3:sc6:rw", (9, 9), ["B b3", "W swap-pieces", "B c6", "W resign"], (["c6"], ["c2"]), WHITE),
    ("#5c1,c2:se4", (5, 5), ["B c2", "W swap-pieces", "B e4"], (["e4"], ["b3"]), WHITE),
    ("#11r9c1,b3c11:fb", (11, 11), ["B b3", "W c11", "B forfeit"], (["b3"], ["c11"]), BLACK),
    ("#13,d10j9,d5", (13, 13), ["B d10", "W j9", "B d5"], (["d5", "d10"], ["j9"]), WHITE),
    ("#5x6r3nc1,a1", (5, 6), ["B a1"], (["a1"], []), WHITE),
    ("#5x6,e6", (5, 6), ["B e6"], (["e6"], []), WHITE),
    ("#5c1,c2:Sd3", (5, 5), ["B c2", "W swap-sides", "W d3"], (["c2"], ["d3"]), BLACK),
    ("#13,,a1b2", (13, 13), ["B a1", "W b2"], (["a1"], ["b2"]), BLACK),
    ("#11,a10b2", (11, 11), ["B a10", "W b2"], (["a10"], ["b2"]), BLACK),
    ("#11,a1:pb1", (11, 11), ["B a1", "W pass", "B b1"], (["a1", "b1"], []), WHITE),
    ("#1,a1", (1, 1), ["B a1"], (["a1"], []), WHITE),
    ("11", (11, 11), [], ([], []), BLACK),
    ("19x1,:p", (19, 1), ["B pass"], ([], []), WHITE),
]


@pytest.mark.parametrize(("text", "size", "moves", "on_board", "turn"), EXAMPLES)
@pytest.mark.parametrize("prefix", ["", "https://hexworld.org/board/", "http://www.HexWorld.org/board"])
def test_examples(prefix, text, size, moves, on_board, turn):
    record = hexworld.read(prefix + ("#" + text.removeprefix("#") if prefix else text))
    assert (record.width, record.height) == size
    assert said(record) == moves
    board = record.board()
    assert stones(board) == on_board
    assert board.turn == turn
    assert record.swap == ("W swap-pieces" in moves)


def test_settings_and_cursor_survive():
    for text in ("#13r9c1,d10j9,d5", "#13,,a1b2", "#5x6r3nc1,a1", "#11m,", "#9r9c1,b3:sc6:rw", "#5c1,c2:Sd3"):
        assert hexworld.fragment(hexworld.read(text)) == text
    record = hexworld.read("#13,d10j9,d5")
    assert record.cursor is record.after(2)
    assert hexworld.read("#13,,a1").cursor is not None
    assert hexworld.read("#13,a1,").cursor is None
    assert hexworld.read("#13r12,a1").tags == {"hexworld": "r12"}
    assert hexworld.write(hexworld.read("#3,a1")) == "https://hexworld.org/board/#3,a1"
    assert hexworld.read("https://hexworld.org/board/#11%2Ca4%3Asb2").moves == hexworld.read("#11,a4:sb2").moves


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with a size"),
        ("#", "begins with a size"),
        ("https://hexworld.org/board/", "the link has no position"),
        ("#20,a1", "the size '20' is not possible: width and height run from 1 to 19"),
        ("#0,a1", "the size '0' is not possible"),
        ("#11x99999999999,a1", "the size '11x99999999999' is not possible"),
        ("#11r13,a1", "the rotation in 'r13' is not possible: it runs from r1 to r12"),
        ("#11q,a1", "begins with a size and its settings"),
        ("#3,a1b2d1", "move 3: 'd1' is off the board: the cells of a 3x3 board run from a1 to c3"),
        ("#3,a1b2a1", "move 3, B a1: cell a1 is occupied"),
        ("#3,a1A2", "move 2, at character 5: 'A2' is not a move"),
        ("#3,a1,b2,c3", "move 3, at character 8: ',c3' is not a move"),
        ("#3,a1:r", "move 2, at character 5: ':r' is not a move"),
        ("#3,a0", "move 1, at character 3: 'a0' is not a move"),
        ("#3x4,a1:s", "swap-pieces needs a square board: this one is 3x4"),
        ("#3,a1b2:s", "move 3, B swap-pieces: swap-pieces is only possible as White's first move"),
        ("#2,a1b1a2b2", "move 4, W b2: the game is over: Black has won"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        hexworld.read(text)


def test_set_up_and_turns_are_written_as_moves_and_passes():
    record = Record(5, 5)
    record.root.setup = {0: BLACK, 1: BLACK, 2: WHITE}
    record.root.turn = WHITE
    assert hexworld.fragment(record) == "#5,a1c1b1"
    record.root.turn = BLACK
    assert hexworld.fragment(record) == "#5,a1c1b1:p"
    record.push(WHITE, 24)
    assert hexworld.fragment(record) == "#5,a1c1b1:p:pe5"
    record.root.children.append(Node(record.root, setup={0: None}))
    record.root.children.reverse()
    with pytest.raises(FormatError, match="takes away the stone on a1 cannot be written as moves"):
        hexworld.fragment(record)


def test_set_up_that_ends_the_game_early_is_refused():
    record = Record(2, 2)
    record.root.setup = {0: BLACK, 2: BLACK, 1: WHITE, 3: BLACK}
    with pytest.raises(
        FormatError, match="the set-up stones cannot be written as moves: move 5, B b2: the game is over"
    ):
        hexworld.fragment(record)


def test_nonsense_settings_are_refused():
    record = Record(5, 5, tags={"hexworld": "r9,a1"})
    with pytest.raises(FormatError, match="it must be settings such as 'r9c1'"):
        hexworld.write(record)


@given(st.lists(st.sampled_from(["cell", "cell", ":p", ":S", ":rb", ":fw"]), max_size=30), st.randoms())
@settings(max_examples=100)
def test_movers_against_a_plain_account(kinds, rng):
    free = [f"{column}{row}" for column in "abcdefghijklmnopqrs" for row in range(1, 20)]
    rng.shuffle(free)
    tokens, expected, turn = [], [], "B"
    for kind in kinds:
        token = free.pop() if kind == "cell" else kind
        mover = {":rb": "B", ":fw": "W"}.get(token, turn)
        names = {":p": "pass", ":S": "swap-sides", ":rb": "resign", ":fw": "forfeit"}
        tokens.append(token)
        expected.append(f"{mover} {names.get(token, token)}")
        if kind in ("cell", ":p"):
            turn = "W" if turn == "B" else "B"
    text = "#19," + "".join(tokens)
    record = hexworld.read(text)
    assert said(record) == expected
    assert hexworld.fragment(record) == text
    assert record.board().turn.letter == turn


@given(records(plain=True))
@settings(max_examples=100)
def test_plain_games_survive(record):
    back = hexworld.read(hexworld.write(record))
    assert back.moves == record.moves
    assert (back.width, back.height) == (record.width, record.height)
    made = len([node for node in (record.cursor or record.end).line() if node.move is not None])
    assert len((back.cursor or back.end).line()) - 1 == made


@given(records())
@settings(max_examples=200)
def test_what_is_written_is_the_same_position(record):
    try:
        text = hexworld.write(record)
    except FormatError:
        assert any(node.setup for node in record.main_line)  # nothing else is beyond a link
        return
    back = hexworld.read(text).board()
    assert stones(back) == stones(record.board())
    assert back.turn == record.board().turn
    assert hexworld.write(hexworld.read(text)) == text


def test_resignations_name_the_loser():
    record = Record.of(["a1"], 5)
    record.push(BLACK, Special.RESIGN)
    assert hexworld.fragment(record) == "#5,a1:rb"
    assert said(hexworld.read("#5,a1:rb")) == ["B a1", "B resign"]
