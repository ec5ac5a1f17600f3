import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingal.game import BLACK, WHITE, Record, Result
from fingal.game.formats import FormatError, detect, hexworld, littlegolem, read, sgf, trmph
from tests.game.fuzzing import DATA, records


def said(record):
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def test_a_real_game():
    record = read((DATA / "littlegolem.hsgf").read_bytes())
    assert (record.width, record.height, record.swap) == (13, 13, True)
    assert record.players == {BLACK: "Daniel Sepczuk", WHITE: "Maciej Celuch"}
    assert said(record) == ["B m6", "W swap-pieces", "B k10", "W f11", "B resign"]
    assert record.result == Result(WHITE, "resign")
    assert record.board().colour_at("f13") == WHITE
    assert record.tags == {"event": "hex.ch.23.1.1", "source": "http://www.littlegolem.com"}
    assert record.root.extra == {"GC": [" game #1139802"]}


def test_the_same_game_in_three_formats():
    record = read("(;PB[a]PW[b]SZ[11]RE[B];W[ad];B[swap];W[eg];B[resign])")
    assert said(record) == ["B a4", "W swap-pieces", "B e7", "W resign"]
    assert record.result == Result(BLACK, "resign")
    assert record.board().colour_at("d1") == WHITE
    assert hexworld.fragment(record) == "#11,a4:se7:rw"
    assert trmph.write(record).endswith("#11,d1d1e7")
    assert said(sgf.read(sgf.write(record))) == said(record)


def test_values_are_not_escaped():
    record = read("(;FF[4]PB[lazy\\player]PW[Shumacher;]]SZ[13]SO[http://www.littlegolem.com];W[aa])")
    assert record.players == {BLACK: "lazy\\player", WHITE: "Shumacher;]"}
    assert littlegolem.read(littlegolem.write(record)).players == record.players
    # In SGF, which has escapes, the same names survive too.
    assert sgf.read(sgf.write(record)).players == record.players


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(;SZ[13];W[mf];B[swap])", "littlegolem"),
        ("(;SZ[13];W[mf])", "littlegolem"),
        ("(;SZ[13]SO[http://www.littlegolem.com])", "littlegolem"),
        ("(;GM[11]SZ[13]SO[LittleGolem];W[mf])", "littlegolem"),
        ("(;GM[11]SZ[13]SO[www.littlegolem.net];B[m6])", "sgf"),
        ("(;SZ[13];B[m6];W[swap])", "sgf"),
        ("(;GM[11]SZ[13];B[mf])", "sgf"),
        ("(;SZ[13])", "sgf"),
    ],
)
def test_telling_it_from_sgf(text, kind):
    assert detect(text) == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;PB[x];W[mf])", "line 1, column 8: the size is missing"),
        ("(;SZ[7:9];W[mf])", "the size '7:9' is not understood: LittleGolem boards are square"),
        ("(;SZ[26];W[mf])", "the size '26' is not possible"),
        ("(;SZ[11];W[mf])", "move 1: 'mf' is not a move: the cells of a 11x11 board run from aa to kk"),
        ("(;SZ[11];W[aa];B[aa])", "move 2, W a1: cell a1 is occupied"),
        ("(;SZ[11];W[aa]", "line 1, column 15: a move such as ';W[mf]' or the final ')' is expected"),
        ("(;SZ[11];W[aa](;B[bb]))", "line 1, column 15: a move such as ';W[mf]' or the final ')' is expected"),
        ("(;SZ[11];W[aa];B[pass])", "move 2: 'pass' is not a move"),
        ("(;SZ[11];W[aa];B[bb];W[swap])", "move 3, B swap-pieces: swap-pieces is only possible as White's first move"),
        ("(;SZ[11]PB[x;W[aa)", "line 1, column 9: a move such as ';W[mf]' or the final ')' is expected"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        littlegolem.read(text)


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("#5,a1:Sb2", "move 2: a LittleGolem game has no swap-sides"),
        ("#5,a1:pb2", "move 2: a LittleGolem game cannot say that a side passes or moves twice in a row"),
        ("#5,a1:fw", "move 2: a LittleGolem game has no forfeit"),
        ("#5x6,a1", "LittleGolem has square boards only: this one is 5x6"),
    ],
)
def test_what_cannot_be_written(fragment, message):
    with pytest.raises(FormatError, match=message):
        littlegolem.write(hexworld.read(fragment))


def test_names_that_would_be_read_otherwise_are_refused():
    record = Record(5, 5, players={BLACK: "x];W[aa"})
    with pytest.raises(FormatError, match="LittleGolem has no escapes: PB cannot be"):
        littlegolem.write(record)


@given(records(plain=True, square=True), st.text("ab]\\;[ (\n", max_size=8))
@settings(max_examples=150)
def test_round_trip(record, name):
    record.players = {WHITE: name}
    try:
        text = littlegolem.write(record)
    except FormatError:
        assert "]" in name  # nothing else can be misread
        return
    back = littlegolem.read(text)
    assert back.moves == record.moves
    assert back.players == record.players
    assert back.winner() == record.winner()
    assert read(text, "x.hsgf").moves == record.moves


def nodes_of(text):
    """The properties of an SGF text's nodes, as (name, values) in their order: a reader of its own, for one game."""
    found, at = [], 0
    while at < len(text):
        if text[at] == ";":
            found.append([])
        elif name := re.compile(r"[A-Z]+").match(text, at):
            values = []
            at = name.end()
            while value := re.compile(r"\s*\[((?:[^\]\\]|\\.)*)\]", re.S).match(text, at):
                values.append(value[1])
                at = value.end()
            found[-1].append((name[0], values))
            continue
        at += 1
    return found


@pytest.mark.parametrize("moves", [";W[aa];B[swap];W[bb]", ";W[aa];B[bb]", ""])
@pytest.mark.parametrize("rules", ["RU[swap-pieces]", "RU[swap-pieces]RU[swap-pieces]", "RU[other]", ""])
def test_rules_are_written_once(moves, rules):
    record = read(f"(;FF[4]EV[e]PB[a]PW[b]SZ[3]{rules}SO[http://www.littlegolem.com]{moves})")
    assert record.swap == ("swap-pieces" in rules or "swap" in moves)
    text = sgf.write(record)
    header = dict(nodes_of(text)[0])
    assert header.get("RU", []) == ["swap-pieces"] * record.swap + ["other"] * ("other" in rules)
    assert sgf.write(sgf.read(text)) == text


@given(
    st.lists(st.sampled_from(["RU[swap-pieces]", "RU[x]", "RE[B]", "EV[e]", "DT[d]", "GC[g]", "B[]", "AB[aa]", "C[c]"]))
)
def test_a_property_stands_once_in_a_node_of_sgf(header):
    """SGF FF[4]: "Only one of each property is allowed per node"."""
    text = sgf.write(littlegolem.read(f"(;SZ[3]{''.join(header)}SO[http://www.littlegolem.com];W[aa];B[swap])"))
    for node in nodes_of(text):
        names = [name for name, _ in node]
        assert len(names) == len(set(names)), text
        for name, values in node:
            assert len(values) == len(set(values)), (name, text)


def test_a_rule_that_a_program_gave_twice_is_written_once():
    record = Record.of(["a1"], 3, swap=True)
    record.root.extra["RU"] = ["swap-pieces", "x", "x"]
    assert dict(nodes_of(sgf.write(record))[0])["RU"] == ["swap-pieces", "x"]
    record.swap = False
    assert dict(nodes_of(sgf.write(record))[0])["RU"] == ["x"]
