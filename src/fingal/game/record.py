"""Game records: a tree of moves with comments, set-up stones and marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import NamedTuple

from fingal import _core
from fingal.game.board import SWAP, Board
from fingal.game.colour import BLACK, Colour


class Special(IntEnum):
    """Moves that are not cells."""

    SWAP_PIECES = SWAP
    """The first stone is mirrored in the long diagonal and becomes White's; Black moves next."""
    SWAP_SIDES = -2
    """The players exchange colours; the board stays, and the same colour moves next."""
    PASS = -3
    RESIGN = -4
    FORFEIT = -5

    @property
    def text(self) -> str:
        """'swap-pieces', 'resign' and so on."""
        return self.name.lower().replace("_", "-")


RESIGN: int = Special.RESIGN


class Result(NamedTuple):
    """Who won, and how: '' (joined its sides, or not said), 'resign', 'time' or 'forfeit'."""

    winner: Colour
    how: str = ""

    def __str__(self) -> str:
        """'B+', 'W+R', 'B+T', 'W+F': as SGF writes it."""
        return f"{self.winner.letter}+{self.how[:1].upper()}"


class Mark(NamedTuple):
    """A mark on a cell: 'triangle', 'square', 'circle', 'cross', 'selected' or 'label' with a text."""

    kind: str
    cell: int
    text: str = ""


@dataclass(slots=True, eq=False)
class Node:
    """One point of a record: at most one move, and what was written beside it."""

    parent: Node | None = field(default=None, repr=False)  # a repr of the whole tree would recurse
    colour: Colour | None = None
    """Who moved; None when this node holds no move."""
    move: int | None = None
    """A cell or a ``Special``."""
    setup: dict[int, Colour | None] = field(default_factory=dict)
    """Stones put down or (None) taken away before the move."""
    turn: Colour | None = None
    """Who moves next, where the record says so."""
    comment: str = ""
    marks: list[Mark] = field(default_factory=list)
    extra: dict[str, list[str]] = field(default_factory=dict)
    """What a file said that a record has no place for, kept as it was: SGF identifier -> values."""
    children: list[Node] = field(default_factory=list, repr=False)

    def add(self, colour: Colour, move: int) -> Node:
        """Append a move as a new variation; the first one added is the main line."""
        child = Node(parent=self, colour=colour, move=move)
        self.children.append(child)
        return child

    def line(self) -> list[Node]:
        """The nodes from the root to this one, both included."""
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        return nodes[::-1]

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents before children, first variations first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass(slots=True, eq=False)
class Record:
    """A game: the board's size and rule, who played, who won, and the tree of moves."""

    width: int = 11
    height: int = 11
    swap: bool = False
    """Whether swap-pieces is allowed."""
    players: dict[Colour, str] = field(default_factory=dict)
    """Names, by the colour a player started with."""
    result: Result | None = None
    tags: dict[str, str] = field(default_factory=dict)
    """Where, when and so on: 'event', 'date', 'place', 'round', 'name', 'source', 'application'."""
    root: Node = field(default_factory=Node, repr=False)
    cursor: Node | None = field(default=None, repr=False)
    """Where a reader was left, when a link or a text said so; None is the end of the main line."""

    def __post_init__(self) -> None:
        """Refuse sizes that no board has."""
        Board(self.width, self.height, swap=self.swap)

    @classmethod
    def of(cls, moves: list[int | str], width: int = 11, height: int | None = None, *, swap: bool = False) -> Record:
        """A record of alternating moves, Black's first, given by number or name; ValueError when one is illegal."""
        board = Board(width, height, swap=swap)
        record = cls(board.width, board.height, swap)
        for move in moves:
            mover = board.turn
            board.push(move)
            record.push(mover, board.moves[-1])
        return record

    @property
    def end(self) -> Node:
        """The last node of the main line."""
        node = self.root
        while node.children:
            node = node.children[0]
        return node

    @property
    def main_line(self) -> list[Node]:
        """The nodes of the main line, the root first."""
        return self.end.line()

    @property
    def current(self) -> Node:
        """The node on view: the cursor, or the end of the main line."""
        return self.cursor or self.end

    @property
    def moves(self) -> list[tuple[Colour, int]]:
        """Who moved where on the main line."""
        return [
            (node.colour, node.move) for node in self.main_line if node.colour is not None and node.move is not None
        ]

    def after(self, count: int) -> Node:
        """The node of the main line where ``count`` moves have been made and the next one follows.

        Set-up that stands between two moves belongs to the earlier one. IndexError when there are fewer moves.
        """
        found, made = None, 0
        for node in self.main_line:
            made += node.move is not None
            if made == count:
                found = node
        if found is None:
            raise IndexError(f"the main line has {made} move{'' if made == 1 else 's'}: there is no move {count}")
        return found

    def until(self, node: Node) -> Record:
        """A copy that ends at a node: the line that leads there, without variations.

        The result is kept only where the node is the end of the main line: an earlier position has none yet.
        """
        result = self.result if node is self.end else None
        copy = Record(self.width, self.height, self.swap, dict(self.players), result, dict(self.tags))
        last: Node | None = None
        for step in node.line():
            kept = replace(
                step, parent=last, setup=dict(step.setup), marks=list(step.marks), extra=dict(step.extra), children=[]
            )
            if last is None:
                copy.root = kept
            else:
                last.children.append(kept)
            last = kept
        return copy

    def push(self, colour: Colour, move: int) -> Node:
        """Append a move to the main line. Not checked; ``board()`` does."""
        return self.end.add(colour, move)

    def pop(self) -> Node:
        """Remove the last node of the main line and return it; IndexError at the root."""
        node = self.end
        if node.parent is None:
            raise IndexError("there is no move to take back")
        node.parent.children.remove(node)
        return node

    def board(self, node: Node | None = None) -> Board:
        """The board at a node (the end of the main line when none is given); ValueError when a move is illegal.

        Its ``turn`` is who moves next. Moves of either colour may follow each other, as a record says.
        """
        board = Board(self.width, self.height, swap=self.swap)
        for step in (node or self.end).line():
            apply(step, board)
        return board

    def winner(self) -> Colour | None:
        """Who won: as the result says, or by a resignation or a joined board at the end of the main line."""
        if self.result is not None:
            return self.result.winner
        end = self.end
        if end.move in (Special.RESIGN, Special.FORFEIT) and end.colour is not None:
            return end.colour.other
        return self.board().winner

    def name(self, move: int) -> str:
        """'a1', 'swap-pieces', 'resign'."""
        return Special(move).text if move < 0 else _core.cell_name(move, self.width, self.height)


def apply(node: Node, board: Board) -> None:
    """Bring a board from a node's parent to the node; ValueError, naming the move, when it is illegal."""
    for cell, stone in node.setup.items():
        board.set_stone(cell, stone)
    if node.move is not None and node.colour is not None:
        if node.move >= 0 or node.move == SWAP:
            # What players do at every move of a game, for all moves before it: worth to leave the property out.
            board._set_turn(node.colour)
            board.push(node.move)
        elif node.move == Special.PASS:
            board.turn = node.colour.other
        elif node.move == Special.SWAP_SIDES:
            board.turn = node.colour
    if node.turn is not None:
        board.turn = node.turn
    elif node.move is None and node.setup and node.parent is not None:
        board.turn = BLACK
