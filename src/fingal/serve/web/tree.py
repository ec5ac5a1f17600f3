"""A game's record whose nodes have numbers that stay: what the page names them by, and what the store keeps.

The root is 0. A number is never given twice, so that a page which is late speaks of no other node than it means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from fingal.game import BLACK, WHITE, Board, Colour, Record, Special
from fingal.game.record import Mark, Node
from fingal.serve.web import messages
from fingal.serve.web.refusal import Refusal

MOST_NODES = 4000
"""In one game: what it costs to hold and to send one stays in proportion."""

MOST_WRITTEN = 1_000_000
"""Letters written beside the nodes of one game: a page is sent all of it at once."""
MARK, STONE = 50, 20
"""Letters that a mark and a set-up stone count as: about what telling of one takes."""

LONGEST_COMMENT = 4000
LONGEST_LABEL = 8

_EMPTY: tuple[object, ...] = (None, "", {}, [])
"""What a row need not say."""


@dataclass(frozen=True, slots=True)
class Row:
    """A node as the store keeps it."""

    id: int
    parent: int | None
    place: int
    """Among its siblings, the smallest first."""
    data: dict[str, Any]


@dataclass(slots=True)
class Facts:
    """What the server knows of a node besides the record."""

    place: int = 0
    seconds: float | None = None
    value: float | None = None


@dataclass(slots=True)
class Tree:
    """A record and the numbers of its nodes."""

    record: Record
    nodes: dict[int, Node] = field(default_factory=dict)
    ids: dict[Node, int] = field(default_factory=dict)
    facts: dict[int, Facts] = field(default_factory=dict)
    next: int = 0
    """The next number that is given."""

    @classmethod
    def of(cls, record: Record) -> Tree:
        """Number the nodes of a record; ``Refusal`` when there are too many."""
        tree = cls(record)
        for node in record.root.walk():
            if tree.next >= MOST_NODES:
                raise Refusal("too_long", f"the game has too many moves: {MOST_NODES} are read, variations included")
            node.comment = node.comment[:LONGEST_COMMENT]
            node.marks = [mark._replace(text=mark.text[:LONGEST_LABEL]) for mark in node.marks]
            tree._number(node, 0)
        for node in tree.ids:
            for place, child in enumerate(node.children):
                tree.facts[tree.ids[child]].place = place
        if sum(map(written, tree.ids)) > MOST_WRITTEN:
            raise Refusal("too_long", "the game has too many comments, marks and set-up stones")
        return tree

    @classmethod
    def restored(cls, record: Record, rows: list[Row], following: int) -> Tree:
        """What ``row`` has written, the rows in any order; the record gives size and rule."""
        tree = cls(record, next=following)
        below: dict[int | None, list[Row]] = {}
        for row in sorted(rows, key=lambda row: row.place):
            below.setdefault(row.parent, []).append(row)
        waiting = [(row, cast(Node | None, None)) for row in below.get(None, [])]
        while waiting:
            row, parent = waiting.pop()
            node = _node(row.data, record)
            node.parent = parent
            if parent is None:
                record.root = node
            tree.nodes[row.id], tree.ids[node] = node, row.id
            tree.facts[row.id] = Facts(row.place, row.data.get("seconds"), row.data.get("value"))
            for child in below.get(row.id, []):
                waiting.append((child, node))
        for number in tree.nodes:
            children = below.get(number, [])
            tree.nodes[number].children = [tree.nodes[child.id] for child in children]
        return tree

    def node(self, number: int) -> Node:
        """The node of a number; ``Refusal`` when there is none."""
        try:
            return self.nodes[number]
        except KeyError:
            raise Refusal("not_found", f"the game has no node {number}: it may have been removed") from None

    def parent(self, number: int) -> int | None:
        """The number of a node's parent; None at the root."""
        parent = self.nodes[number].parent
        return None if parent is None else self.ids[parent]

    def board(self, number: int) -> Board:
        """The board at a node."""
        return self.record.board(self.node(number))

    def until(self, number: int) -> Record:
        """A copy of the line that leads to a node: what a player is asked with."""
        return self.record.until(self.node(number))

    def child(self, number: int, colour: Colour, move: int) -> int | None:
        """The child of a node with that move of that side's, if there is one."""
        children = self.node(number).children
        return next((self.ids[child] for child in children if (child.colour, child.move) == (colour, move)), None)

    def add(self, parent: int, colour: Colour, move: int) -> int:
        """Append a move, the last among its siblings; not checked. Its number is returned."""
        if len(self.nodes) >= MOST_NODES:
            raise Refusal("too_many", f"the game has {MOST_NODES} moves with its variations: there is no room for more")
        if self.next > messages.LAST_NODE:
            raise Refusal("too_many", f"the game has had {messages.LAST_NODE} moves, removed ones included: begin anew")
        above = self.node(parent)
        place = max((self.facts[self.ids[child]].place for child in above.children), default=-1) + 1
        return self._number(above.add(colour, move), place)

    def remove(self, number: int) -> list[int]:
        """Remove a node and all below it; their numbers, the node's first."""
        node = self.node(number)
        if node.parent is None:
            raise Refusal("refused", "the start of a game cannot be removed")
        gone = [self.ids[below] for below in node.walk()]
        node.parent.children.remove(node)
        for each in gone:
            del self.ids[self.nodes.pop(each)], self.facts[each]
        return gone

    def annotate(self, number: int, comment: str, marks: list[Mark]) -> None:
        """Write beside a node, instead of what is there."""
        node = self.node(number)
        now = Node(setup=node.setup, comment=comment, marks=marks)
        if written(now) > written(node) and sum(map(written, self.ids)) - written(node) + written(now) > MOST_WRITTEN:
            raise Refusal("too_many", "there is too much written in this game: remove some comments or marks first")
        node.comment, node.marks = comment, marks

    def promote(self, number: int) -> None:
        """Make a node the first among its siblings."""
        node = self.node(number)
        if node.parent is not None:
            siblings = node.parent.children
            self.facts[number].place = min(self.facts[self.ids[each]].place for each in siblings) - 1
            siblings.remove(node)
            siblings.insert(0, node)

    def said(self, number: int) -> messages.Node:
        """A node as the page is told of it."""
        facts = self.facts[number]
        return messages.Node.model_validate(
            {"id": number, "parent": self.parent(number), **_data(self.nodes[number], self.record)}
            | {"seconds": facts.seconds, "value": facts.value}
        )

    def all(self) -> list[messages.Node]:
        """Every node, parents before children, first variations first."""
        return [self.said(self.ids[node]) for node in self.record.root.walk()]

    def row(self, number: int) -> Row:
        """A node as it is stored."""
        node, facts = self.nodes[number], self.facts[number]
        data = _data(node, self.record) | {"seconds": facts.seconds, "value": facts.value, "extra": node.extra}
        return Row(
            number, self.parent(number), facts.place, {key: value for key, value in data.items() if value not in _EMPTY}
        )

    def _number(self, node: Node, place: int) -> int:
        number, self.next = self.next, self.next + 1
        self.nodes[number], self.ids[node], self.facts[number] = node, number, Facts(place)
        return number


def written(node: Node) -> int:
    """How much is written beside a node, in letters."""
    return len(node.comment) + MARK * len(node.marks) + STONE * len(node.setup)


def winner_by_move(node: Node) -> Colour | None:
    """Who has won because the other has given up at a node."""
    gives_up = node.move in (Special.RESIGN, Special.FORFEIT) and node.colour is not None
    return cast(Colour, node.colour).other if gives_up else None


def _data(node: Node, record: Record) -> dict[str, Any]:
    """What is told and stored of a node, with names for cells and colours."""
    return {
        "colour": None if node.colour is None else str(node.colour),
        "move": None if node.move is None else record.name(node.move),
        "setup": {record.name(cell): None if stone is None else str(stone) for cell, stone in node.setup.items()},
        "turn": None if node.turn is None else str(node.turn),
        "comment": node.comment,
        "marks": [{"kind": mark.kind, "cell": record.name(mark.cell), "text": mark.text} for mark in node.marks],
    }


def _node(data: dict[str, Any], record: Record) -> Node:
    board = Board(record.width, record.height)
    special = {each.text: int(each) for each in Special}

    def move(text: str) -> int:
        return special[text] if text in special else board.cell(text)

    def side(text: str | None) -> Colour | None:
        return None if text is None else colour(text)

    return Node(
        colour=side(data.get("colour")),
        move=None if data.get("move") is None else move(data["move"]),
        setup={board.cell(cell): side(stone) for cell, stone in data.get("setup", {}).items()},
        turn=side(data.get("turn")),
        comment=data.get("comment", ""),
        marks=[Mark(mark["kind"], board.cell(mark["cell"]), mark["text"]) for mark in data.get("marks", [])],
        extra=data.get("extra", {}),
    )


def colour(name: str) -> Colour:
    """The colour of a name."""
    return BLACK if name == "black" else WHITE
