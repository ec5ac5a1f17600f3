"""Random records, and damaged texts, for the tests of the formats."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import strategies as st

from fingal.game import BLACK, SWAP, WHITE, Mark, Node, Record, Result, Special, formats
from fingal.game.formats import FormatError
from fingal.game.formats.sgf_syntax import escape

DATA = Path(__file__).parent.parent / "data" / "formats"
SAMPLES = [path.read_bytes() for path in sorted(DATA.iterdir())] + [
    b"#13,d10j9,d5",
    b"#5x6r3nc1,a1",
    b"#11r9c1,b3c11:fb",
    b"hexworld.org/board/#5c1,c2:Sd3:pe5",
    b"11 a1 b2 swap-sides c3",
    b"5 a2 swap c3 W:d4 b:resign",
    b"(;PB[lazy\\player]PW[Shumacher;]]SZ[11]RE[B]SO[littlegolem];W[ad];B[swap];W[eg];B[resign])",
    b"(;GM[11]SZ[3]CA[ISO-8859-1]PB[J\xf6rg];B[b2];W[swap];W[a1])(;GM[11];B[a1])",
]
_PIECES = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b":",
    b",",
    b"#",
    b"\r\n",
    b" ",
]
_PIECES += [b"B[a1]", b"W[swap-pieces]", b"AB[a1:c3]", b"SZ[19]", b"SZ[20]", b"GM[1]", b"CA[x]", b"PL[W]", b"(;B[b2])"]
_PIECES += [b"a1", b":s", b":S", b":p", b":rw", b"swap", b"99999999", b"-1", b"x", b"\xe2\x80\xa8", b"%", b"LB[a1]"]


def mutate(rng: random.Random, data: bytes) -> bytes:
    """Damage a text in one to four places."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + rng.randrange(1, 12))
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + rng.choice(_PIECES) + data[at:]
        elif kind == 2:
            data = data[:at]
        elif kind == 3:
            data = data[:to] + data[at:]
        elif kind == 4:
            data = data[:at] + data[to:]
        else:
            data = data[:at] + rng.randbytes(rng.randrange(1, 4)) + data[at:]
    return data


def fuzz_formats(seed: int, count: int) -> None:
    """Read damaged texts: each gives a record that can be written and read again, or a FormatError of one line."""
    rng = random.Random(seed)
    for number in range(count):
        data = mutate(rng, rng.choice(SAMPLES))
        try:
            record = formats.read(data)
        except FormatError as error:
            message = str(error)
            assert message, data
            assert message.isprintable(), data
            continue
        if number % 8 == 0:
            assert formats.read(formats.write(record)).moves == record.moves, data
            kind = rng.choice(list(formats.FORMATS))
            try:
                text = formats.write(record, kind)
            except FormatError:
                continue
            assert formats.read(text, "x" + formats.FORMATS[kind].suffix).width == record.width, data


TEXTS = st.text(
    st.one_of(st.sampled_from("]\\[;():\n \t"), st.characters(codec="utf-8", exclude_characters="\0\r")), max_size=12
)
"""Texts that are awkward for SGF."""

KINDS = ["triangle", "square", "circle", "cross", "selected", "label"]


@st.composite
def records(draw: st.DrawFn, *, plain: bool = False, rich: bool = False, square: bool = False) -> Record:
    """Legal records: ``plain`` ones are one line of alternating moves, ``rich`` ones have everything SGF can say."""
    width = draw(st.integers(1, 6) | st.just(19))
    height = width if square else draw(st.just(width) | st.integers(1, 6))
    record = Record(width, height, swap=width == height and draw(st.booleans()))
    nodes = [record.root]
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 12))):
        node = nodes[-1] if plain or rng.random() < 0.7 else rng.choice(nodes)
        nodes.append(_grow(record, node, rng, plain))
    if rich:
        _decorate(draw, record, rng)
    if draw(st.booleans()):
        record.cursor = rng.choice(record.main_line[:-1] or [None])
    return record


def _grow(record: Record, parent: Node, rng: random.Random, plain: bool) -> Node:
    board = record.board(parent)
    if parent.move in (Special.RESIGN, Special.FORFEIT) and plain:
        return parent
    node = Node(parent)
    if not plain and rng.random() < 0.2:
        cells = rng.sample(range(board.cells), min(board.cells, rng.randrange(1, 4)))
        node.setup = {cell: rng.choice([BLACK, WHITE, None]) for cell in cells}
        for cell, stone in node.setup.items():
            board.set_stone(cell, stone)
    if plain or rng.random() < 0.9:
        node.colour = board.turn if plain or rng.random() < 0.8 else rng.choice([BLACK, WHITE])
        board.turn = node.colour
        if board.legal_moves and rng.random() < 0.8:
            node.move = SWAP if board.can_swap and rng.random() < 0.7 else rng.choice(board.empty_cells)
        elif plain:
            node.move = Special.RESIGN
        else:
            node.move = rng.choice([Special.PASS, Special.RESIGN, Special.FORFEIT, Special.SWAP_SIDES])
    if not plain and rng.random() < 0.2:
        node.turn = rng.choice([BLACK, WHITE])
    parent.children.append(node)
    return node


def _decorate(draw: st.DrawFn, record: Record, rng: random.Random) -> None:
    record.players = draw(st.dictionaries(st.sampled_from([BLACK, WHITE]), TEXTS))
    record.tags = draw(st.dictionaries(st.sampled_from(["event", "date", "place", "round", "name", "source"]), TEXTS))
    hows = st.sampled_from(["", "resign", "time", "forfeit"])
    record.result = draw(st.none() | st.builds(Result, st.sampled_from([BLACK, WHITE]), hows))
    for node in record.root.walk():
        if rng.random() < 0.3:
            node.comment = draw(TEXTS)
            kinds = sorted(draw(st.lists(st.sampled_from(KINDS), max_size=3)), key=KINDS.index)
            cells = [rng.randrange(record.width * record.height) for _ in kinds]
            node.marks = [
                Mark(kind, cell, draw(TEXTS) if kind == "label" else "")
                for kind, cell in zip(kinds, cells, strict=True)
            ]
            if texts := draw(st.lists(TEXTS, max_size=2)):
                node.extra["XY"] = [escape(text) for text in texts]


def assert_same(one: Record, two: Record) -> None:
    """Two records say the same, whatever program wrote them."""
    assert (one.width, one.height, one.swap) == (two.width, two.height, two.swap)
    assert (one.players, one.result) == (two.players, two.result)
    assert one.tags | {"application": ""} == two.tags | {"application": ""}
    for a, b in zip(one.root.walk(), two.root.walk(), strict=True):
        assert (a.colour, a.move, a.setup, a.turn) == (b.colour, b.move, b.setup, b.turn)
        assert (a.comment, a.marks, a.extra, len(a.children)) == (b.comment, b.marks, b.extra, len(b.children))
