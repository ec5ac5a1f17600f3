"""SGF (FF[4], GM[11]), as HexGui and PlayHex write it: the one format that holds a whole record.

Points are ``a1`` in either case, and lists of points may hold rectangles ``a1:c3``. Black moves first and joins top and
bottom. Properties that a record has no place for are kept in ``node.extra`` and written back as they were; AP is
written anew, and so is CA: what is written is UTF-8. ``RU[swap-pieces]`` says that swap is allowed.

Two words need a second look. HexGui up to 0.9 wrote ``swap-pieces`` for swap-sides, and a bare ``swap`` means
swap-sides to HexGui and swap-pieces to others. The next mover tells: after swap-sides the same colour moves again,
after swap-pieces the other one. Where nobody moves next, an old HexGui and a bare ``swap`` mean swap-sides. Files of
our own are taken at their word.

A node that holds a move of each side becomes two, and a move in the root gets a node of its own. Dropped on writing:
the cursor, and tags that SGF has no property for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingal.game.board import SWAP
from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.formats import border
from fingal.game.formats.border import FormatError, place, quoted
from fingal.game.formats.sgf_syntax import Properties, escape, events, unescape, well_formed
from fingal.game.record import Mark, Node, Record, Result, Special

MAX_POINTS = 200_000
"""How many set-up stones and marks a text may hold, rectangles counted out."""

APPLICATION = "Fingal"
TAGS = {"EV": "event", "DT": "date", "PC": "place", "RO": "round", "GN": "name", "SO": "source", "AP": "application"}
MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross", "SL": "selected"}
_SETUP: dict[str, Colour | None] = {"AB": BLACK, "AW": WHITE, "AE": None}
_SPECIALS: dict[str, Special] = {special.text: special for special in Special} | {
    "swap": Special.SWAP_SIDES,
    "": Special.PASS,
}
_HEADER = {"FF", "GM", "CA", "SZ", "PB", "PW", "RE", "RU", *TAGS}
_PLAY = {"B", "W", "AB", "AW", "AE", "PL", "C", "LB", *MARKS}
_OLD_HEXGUI = re.compile(r"HexGui:0\.[0-9](?:\Z|[^0-9].*)", re.S)
_HOW = {"r": "resign", "resign": "resign", "t": "time", "time": "time", "f": "forfeit", "forfeit": "forfeit"}


def read(text: str) -> Record:
    """Read the first game of a text; what follows it is not looked at."""
    return next(_games(text))


def read_all(text: str) -> list[Record]:
    """Read every game of a collection."""
    return list(_games(text))


def _games(text: str) -> Iterator[Record]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    game: _Game | None = None
    node: Node | None = None
    branches: list[Node] = []
    opened = False  # a '(' still waits for its first node
    nodes = count = points = 0
    for at, event in events(text):
        if event == "(":
            if opened or (game is not None and node is None):
                raise FormatError(f"{place(text, at)}: a variation must begin with a node: ';' must follow '('")
            if node is not None:
                branches.append(node)
            opened = True
        elif event == ")":
            if opened or node is None:
                raise FormatError(f"{place(text, at)}: this ')' closes nothing: a variation holds at least one node")
            if branches:
                node = branches.pop()
            else:
                assert game is not None
                yield game.finish()
                points, count = game.points, count + 1
                game = node = None
        else:
            assert isinstance(event, dict)
            if node is None and not opened:
                raise FormatError(f"{place(text, at)}: a node stands outside a game: '(' must come first")
            nodes += 1
            if nodes > border.MAX_NODES:
                raise FormatError(f"{place(text, at)}: the text has more than {border.MAX_NODES} nodes")
            try:
                if game is None:
                    game = _Game(event, points)
                    node = game.root(event)
                else:
                    assert node is not None
                    node = game.add(node, event)
            except FormatError as error:
                raise FormatError(f"{place(text, at)}: {error}") from None
            opened = False
    if opened or node is not None:
        raise FormatError(f"{place(text, len(text))}: the text ends within a game: ')' is missing")
    if not count:
        raise FormatError("the text holds no game: an SGF game is written '(;GM[11]SZ[11];B[a1])'")


class _Game:
    """One game while it is read."""

    def __init__(self, header: Properties, points: int) -> None:
        if (game := _one(header, "GM", "11").strip()) != "11":
            raise FormatError(f"GM is {quoted(game)}, which is another game: Hex is GM[11]")
        said = _one(header, "SZ", "11").strip()
        sides = re.fullmatch(r"([0-9]+)(?:\s*:\s*([0-9]+))?", said)
        if sides is None:
            raise FormatError(f"the size {quoted(said)} is not understood: write SZ[11] or, columns first, SZ[7:9]")
        self.record = Record(*border.size(sides[1], sides[2], said))
        self.numbers = border.cell_numbers(self.record.width, self.record.height)
        self.swaps: list[tuple[Node, str]] = []
        self.points = points  # of the whole collection

    def root(self, header: Properties) -> Node:
        """Fill the root; the node that the game goes on from is this one, or a new one for a move in the root."""
        record, root = self.record, self.record.root
        for colour, name in ((BLACK, "PB"), (WHITE, "PW")):
            if name in header:
                record.players[colour] = unescape(_one(header, name))
        for name, tag in TAGS.items():
            if name in header:
                record.tags[tag] = unescape(_one(header, name))
        if "RE" in header:
            raw = _one(header, "RE")
            record.result = result(unescape(raw))
            if record.result is None or str(record.result) != raw:
                root.extra["RE"] = [raw]
        if "RU" in header:
            border.allow_swap(record, Special.SWAP_PIECES.text in header["RU"])
            if others := [rule for rule in header["RU"] if rule != Special.SWAP_PIECES.text]:
                root.extra["RU"] = others
        if "B" in header or "W" in header:
            root.extra |= {name: values for name, values in header.items() if name not in _HEADER | _PLAY}
            return self.add(root, {name: values for name, values in header.items() if name in _PLAY})
        self._fill(root, {name: values for name, values in header.items() if name not in _HEADER})
        return root

    def add(self, parent: Node, properties: Properties) -> Node:
        """Append a node, or two where it holds a move of each side, and return the last."""
        movers = [name for name in properties if name in ("B", "W")]
        if len(movers) == 2:
            first = {name: values for name, values in properties.items() if name in (movers[0], *_SETUP)}
            properties = {name: values for name, values in properties.items() if name not in first}
            parent = self.add(parent, first)
        node = Node(parent)
        self._fill(node, properties)
        parent.children.append(node)
        return node

    def _fill(self, node: Node, properties: Properties) -> None:
        for name, values in properties.items():
            if name in ("B", "W"):
                node.colour = BLACK if name == "B" else WHITE
                node.move = self._move(node, name, values)
            elif name == "C":
                node.comment = unescape(_one(properties, name))
            elif name in _SETUP:
                colour = _SETUP[name]
                for cell in self._cells(name, values):
                    if node.setup.setdefault(cell, colour) != colour:
                        raise FormatError(f"cell {self.record.name(cell)} is set up twice in one node")
            elif name == "PL":
                said = _one(properties, name).strip().lower()
                if said not in ("b", "w", "black", "white"):
                    raise FormatError(f"PL names no side: {quoted(said)} should be B or W")
                node.turn = BLACK if said[0] == "b" else WHITE
            elif name in MARKS:
                node.marks.extend(Mark(MARKS[name], cell) for cell in self._cells(name, values))
            elif name == "LB":
                for value in values:
                    point, _, label = value.partition(":")
                    node.marks.append(Mark("label", self._cells(name, [point])[0], unescape(label)))
            else:
                node.extra[name] = values

    def _move(self, node: Node, name: str, values: list[str]) -> int:
        if len(values) != 1:
            raise FormatError(f"{name} holds {len(values)} moves: a node has one move of a side")
        said = values[0].strip().lower()
        cell = self.numbers.get(said)
        if cell is not None:
            return cell
        if said in ("swap", "swap-pieces"):
            self.swaps.append((node, said))
        special = _SPECIALS.get(said)
        if special is None:
            raise FormatError(f"{name}: {border.bad_cell(values[0], self.record.width, self.record.height)}")
        return special

    def _cells(self, name: str, values: list[str]) -> list[int]:
        cells: list[int] = []
        width = self.record.width
        for value in values:
            corners = [self.numbers.get(point.strip().lower()) for point in value.split(":", 2)]
            if None in corners or len(corners) > 2:
                raise FormatError(f"{name}: {border.bad_cell(value, width, self.record.height)}")
            (top, left), (bottom, right) = (divmod(corner or 0, width) for corner in (corners[0], corners[-1]))
            rows, columns = range(min(top, bottom), max(top, bottom) + 1), range(min(left, right), max(left, right) + 1)
            self.points += len(rows) * len(columns)
            if self.points > MAX_POINTS:
                raise FormatError(f"the text has more than {MAX_POINTS} set-up stones and marks")
            cells.extend(row * width + column for row in rows for column in columns)
        return cells

    def finish(self) -> Record:
        """Settle which swap was meant, and check every move."""
        record = self.record
        application = record.tags.get("application", "")
        own = application.split(":")[0] == APPLICATION
        for node, said in self.swaps:
            after = _next_mover(node)
            if own:
                sides = said == "swap"
            elif after is not None:
                sides = after == node.colour
            else:
                sides = said == "swap" or _OLD_HEXGUI.fullmatch(application) is not None
            node.move = Special.SWAP_SIDES if sides else Special.SWAP_PIECES
        border.allow_swap(record, any(node.move == SWAP for node, _ in self.swaps))
        border.replay(record)
        return record


def _next_mover(node: Node) -> Colour | None:
    while node.children:
        node = node.children[0]
        if node.move is not None:
            # Either side may resign or forfeit at any time, so that these prove nothing.
            return None if node.move in (Special.RESIGN, Special.FORFEIT) else node.colour
    return None


def _one(properties: Properties, name: str, missing: str = "") -> str:
    values = properties.get(name, [missing])
    if len(values) != 1:
        raise FormatError(f"{name} has {len(values)} values: it takes one")
    return values[0]


def result(text: str) -> Result | None:
    """What RE says: 'B+', 'W+R', 'B+Time'; None for a draw, a void game or one that nobody knows the end of."""
    said = re.fullmatch(r"\s*([BbWw])(?:\+(.*?))?\s*", text, re.S)
    return said and Result(BLACK if said[1] in "Bb" else WHITE, _HOW.get((said[2] or "").lower(), ""))


def write(record: Record) -> str:
    """The whole record, as one game."""
    border.replay(record)
    pieces: list[str] = []
    line = 0
    # Texts wait among the nodes, because the brackets that close a variation come after all that is below it.
    waiting: list[Node | str] = [")", record.root, "("]
    while waiting:
        item = waiting.pop()
        piece = item if isinstance(item, str) else ";" + _properties(record, item)
        if not isinstance(item, str):
            children = item.children
            if len(children) == 1:
                waiting.append(children[0])
            else:
                for child in reversed(children):
                    waiting += (")", child, "(")
        if line > 80 and piece != ")":
            pieces.append("\n")
            line = 0
        pieces.append(piece)
        line += len(piece)
    return "".join(pieces) + "\n"


def _properties(record: Record, node: Node) -> str:
    found: Properties = {}
    if node is record.root:
        found |= _header(record)
    for name, colour in _SETUP.items():
        if cells := [cell for cell, stone in node.setup.items() if stone == colour]:
            found[name] = [record.name(cell) for cell in cells]
    if node.colour is not None and node.move is not None:
        found[node.colour.letter] = [record.name(node.move)]
    if node.turn is not None:
        found["PL"] = [node.turn.letter]
    if node.comment:
        found["C"] = [escape(node.comment)]
    for name, kind in (*MARKS.items(), ("LB", "label")):
        if marks := [mark for mark in node.marks if mark.kind == kind]:
            texts = [f":{escape(mark.text, colon=True)}" if name == "LB" else "" for mark in marks]
            found[name] = [record.name(mark.cell) + text for mark, text in zip(marks, texts, strict=True)]
    if unknown := [mark.kind for mark in node.marks if mark.kind not in (*MARKS.values(), "label")]:
        raise FormatError(f"SGF has no mark {quoted(unknown[0])}: its marks are {', '.join(MARKS.values())} and label")
    for name, values in node.extra.items():
        if not re.fullmatch(r"[A-Z][A-Z0-9]*", name):
            raise FormatError(f"{quoted(name)} is not an SGF property: identifiers are capital letters")
        if name in found or name in _PLAY or (node is record.root and name in _HEADER):
            continue
        found[name] = [raw if well_formed(raw) else escape(raw) for raw in values] or [""]
    return "".join(name + "".join(f"[{value}]" for value in values) for name, values in found.items())


def _header(record: Record) -> Properties:
    sides = f"{record.width}" if record.width == record.height else f"{record.width}:{record.height}"
    found: Properties = {"FF": ["4"], "GM": ["11"], "CA": ["UTF-8"], "AP": [APPLICATION], "SZ": [sides]}
    for colour, name in ((BLACK, "PB"), (WHITE, "PW")):
        if colour in record.players:
            found[name] = [escape(record.players[colour])]
    for name, tag in TAGS.items():
        if tag in record.tags and name != "AP":
            found[name] = [escape(record.tags[tag])]
    # The words of the file where they still hold: 'B+Resign' need not become 'B+R', and 'Void' is kept.
    raw = record.root.extra.get("RE", [""])[0]
    if raw and result(unescape(raw)) == record.result and well_formed(raw):
        found["RE"] = [raw]
    elif record.result is not None:
        found["RE"] = [str(record.result)]
    rules = [Special.SWAP_PIECES.text] if record.swap else []
    others = [raw if well_formed(raw) else escape(raw) for raw in record.root.extra.get("RU", [])]
    rules += [raw for raw in dict.fromkeys(others) if raw != Special.SWAP_PIECES.text]
    return found | ({"RU": rules} if rules else {})
