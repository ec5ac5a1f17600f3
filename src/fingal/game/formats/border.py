"""What every format checks at its border: errors, sizes, cells, legality, and whose turn it is."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from fingal.game.board import MAX_SIDE, SWAP, Board
from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.record import Node, Record, Special, apply

MAX_BYTES = 16 * 2**20
"""Longer files and texts are refused before they are read."""

MAX_NODES = 500_000
"""A text with more nodes is refused, so that what it costs to hold one stays in proportion."""

_SPECIALS = frozenset(int(special) for special in Special)

Step = tuple[Colour, int]
"""Who moved, and a cell or a ``Special``."""


class FormatError(ValueError):
    """A text that cannot be read, or a record that a format cannot express: one sentence says what and where."""


def quoted(text: str) -> str:
    """A piece of the input for an error message: on one line, and short whatever was given."""
    return repr(text if len(text) <= 24 else text[:23] + "…")


def place(text: str, offset: int) -> str:
    """'line 3, column 5' of an offset, counted from 1."""
    line_start = text.rfind("\n", 0, offset) + 1
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - line_start + 1}"


def size(width: str, height: str | None, said: str) -> tuple[int, int]:
    """Check a board's size given in digits; ``said`` is how the text put it."""
    sides = [int(side) if len(side) <= 4 else MAX_SIDE + 1 for side in (width, height or width)]
    if not all(1 <= side <= MAX_SIDE for side in sides):
        raise FormatError(f"the size {quoted(said)} is not possible: width and height run from 1 to {MAX_SIDE}")
    return sides[0], sides[1]


@lru_cache(maxsize=MAX_SIDE * MAX_SIDE)
def cell_numbers(width: int, height: int) -> MappingProxyType[str, int]:
    """The cells of a board by name: a table, because reading a game is mostly looking up cells."""
    names = {f"{chr(ord('a') + i % width)}{i // width + 1}": i for i in range(width * height)}
    return MappingProxyType(names)


def bad_cell(text: str, width: int, height: int) -> str:
    """Why a text is not a cell."""
    last = f"{chr(ord('a') + width - 1)}{height}"
    if re.fullmatch(r"[a-z]+[0-9]+", text.strip().lower()):
        return f"{quoted(text)} is off the board: the cells of a {width}x{height} board run from a1 to {last}"
    return f"{quoted(text)} is not a move: the cells of a {width}x{height} board run from a1 to {last}"


def next_turn(turn: Colour, colour: Colour, move: int) -> Colour:
    """Who moves after ``colour`` made a move, when it was ``turn`` before."""
    if move in (Special.RESIGN, Special.FORFEIT):
        return turn
    return colour if move == Special.SWAP_SIDES else colour.other


def line_record(width: int, height: int, steps: list[Step], cursor: int | None = None) -> Record:
    """A checked record of one line; the cursor is a number of steps."""
    record = Record(width, height)
    node = record.root
    if cursor == 0 and steps:
        record.cursor = node
    for number, (colour, move) in enumerate(steps, 1):
        node = node.add(colour, move)
        if number == cursor and number < len(steps):
            record.cursor = node
    allow_swap(record, any(move == SWAP for _, move in steps))
    replay(record)
    return record


def allow_swap(record: Record, swap: bool) -> None:
    """Give a record the rule that it needs; on a board that is not square there is no swap-pieces."""
    if swap and record.width != record.height:
        raise FormatError(f"swap-pieces needs a square board: this one is {record.width}x{record.height}")
    record.swap = record.swap or swap


def replay(record: Record) -> None:
    """Check every move of a record, variations included, in time linear in its nodes; FormatError names the move."""
    if record.swap and record.width != record.height:
        raise FormatError(f"swap-pieces needs a square board: this one is {record.width}x{record.height}")
    board = Board(record.width, record.height, swap=record.swap)
    # A node waits with the board of its parent: which object, how many moves deep, and whose turn.
    waiting: list[tuple[Node, int, Board, int, Colour]] = [(record.root, 0, board, 0, BLACK)]
    while waiting:
        node, number, board, ply, turn = waiting.pop()
        while board.ply > ply:
            board.pop()
        board.turn = turn
        if node.setup:
            # Set-up cannot be taken back, and a sibling may still need the board as it was.
            board = board.copy()
        if node.move is not None:
            number += 1
            if node.colour is None or (node.move < 0 and node.move not in _SPECIALS):
                raise FormatError(f"move {number}: the record does not say who moved, or it names no known move")
        try:
            apply(node, board)
        except ValueError as error:
            where = "set-up" if node.move is None or node.colour is None else _said(record, number, node)
            raise FormatError(f"{where}: {error}") from None
        if node.children:
            ply, turn = board.ply, board.turn
            waiting.extend((child, number, board, ply, turn) for child in reversed(node.children))


def _said(record: Record, number: int, node: Node) -> str:
    assert node.colour is not None
    assert node.move is not None
    name = record.name(node.move) if node.move < record.width * record.height else f"cell {node.move}"
    variation = any(step.parent is not None and step is not step.parent.children[0] for step in node.line())
    return f"move {number}, {node.colour.letter} {name}{' (in a variation)' if variation else ''}"


def in_turn(record: Record, *, setup: bool) -> tuple[list[Step], int]:
    """The main line as moves that alternate, for formats that do not say who moved, and where its cursor stands.

    A pass is put in wherever the record has the same side move again. With ``setup``, stones that are set up become
    moves of their colour; without, they are refused. The cursor is a number of steps.
    """
    main_line = record.main_line
    replay(record)
    board = Board(record.width, record.height, swap=record.swap)
    steps: list[Step] = []
    turn, cursor, played_setup = BLACK, None, False

    def step(colour: Colour, move: int) -> None:
        nonlocal turn
        if move not in (Special.RESIGN, Special.FORFEIT):
            if colour != turn:
                steps.append((turn, Special.PASS))
            turn = colour
        steps.append((colour, move))
        turn = next_turn(turn, colour, move)

    for node in main_line:
        if node.setup:
            if not setup:
                raise FormatError("this format has no set-up stones: the position must be reached by moves")
            played_setup = True
            for colour, cell in _setup_moves(record, node, board, turn):
                step(colour, cell)
        apply(node, board)
        if node.colour is not None and node.move is not None:
            step(node.colour, node.move)
        if board.turn != turn:
            step(turn, Special.PASS)
        if node is record.cursor:
            cursor = len(steps)
    if played_setup:
        try:
            line_record(record.width, record.height, steps)
        except FormatError as error:
            raise FormatError(f"the set-up stones cannot be written as moves: {error}") from None
    return steps, len(steps) if cursor is None else cursor


def _setup_moves(record: Record, node: Node, board: Board, turn: Colour) -> list[Step]:
    stones: dict[Colour, list[Step]] = {BLACK: [], WHITE: []}
    for cell, colour in node.setup.items():
        now = board.colour_at(cell)
        if now is not None and now != colour:
            raise FormatError(f"set-up that takes away the stone on {record.name(cell)} cannot be written as moves")
        if colour is not None and now is None:
            stones[colour].append((colour, cell))
    # Alternating as long as both colours last, so that few passes are needed.
    first, second = stones[turn], stones[turn.other]
    both = min(len(first), len(second))
    pairs = [move for pair in zip(first, second, strict=False) for move in pair]
    return [*pairs, *first[both:], *second[both:]]
