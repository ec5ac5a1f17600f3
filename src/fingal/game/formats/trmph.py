"""trmph links: ``https://trmph.com/hex/board#13,d1d1k10``.

A link holds a square size and cells run together, the first player's (top to bottom: Black's) first. A swap is told by
the first cell standing there twice, and the cell is where the stone lies after the swap: ``#13,d1d1k10`` is a4, swap
(White's stone is on d1), k10.

There are no names, results, comments, marks or variations, and no resignation: writing drops those. Passes, swap-sides
and set-up stones would change the position, so that writing refuses them.
"""

from __future__ import annotations

import re

from fingal.game.board import mirror
from fingal.game.colour import BLACK
from fingal.game.formats import border
from fingal.game.formats.border import FormatError, Step
from fingal.game.record import Record, Special

LINK = re.compile(r"(?:https?://)?(?:www\.)?trmph\.com/(?P<rest>.*)", re.I | re.S)
"""A link as a whole text."""

_HEAD = re.compile(r"([0-9]++)(?:,|$)")
_MOVE = re.compile(r"[a-z]++[1-9][0-9]*+")


def read(text: str) -> Record:
    """Read a board link, or its fragment with or without the ``#``."""
    text = text.strip()
    if link := LINK.fullmatch(text):
        page, mark, text = link["rest"].partition("#")
        if "game/" in page.lower():
            raise FormatError(
                "a trmph game link holds no moves: open it and paste the board link, as in"
                " https://trmph.com/hex/board#11,a1b2"
            )
        if not mark:
            raise FormatError("the link has no position: a trmph link has the size and the moves after '#'")
    text = text.removeprefix("#")
    head = _HEAD.match(text)
    if head is None:
        raise FormatError(f"a trmph position begins with a size, as in '#11,a1b2', not {border.quoted(text[:12])}")
    side, _ = border.size(head[1], None, head[1])
    numbers = border.cell_numbers(side, side)
    cells: list[int] = []
    at = head.end()
    while at < len(text):
        found = _MOVE.match(text, at)
        if found is None:
            raise FormatError(
                f"move {len(cells) + 1}, at character {at + 1}: {border.quoted(text[at : at + 12])} is not a move:"
                " moves are cells such as a1"
            )
        cell = numbers.get(found[0])
        if cell is None:
            raise FormatError(f"move {len(cells) + 1}: {border.bad_cell(found[0], side, side)}")
        cells.append(cell)
        if len(cells) > side * side + 1:
            raise FormatError(f"the link has more than {side * side + 1} moves: the board is full before that")
        at = found.end()
    moves: list[int] = list(cells)
    if len(cells) >= 2 and cells[0] == cells[1]:
        moves[:2] = mirror(cells[0], side), Special.SWAP_PIECES
    steps: list[Step] = []
    turn = BLACK
    for move in moves:
        steps.append((turn, move))
        turn = turn.other
    return border.line_record(side, side, steps)


def write(record: Record) -> str:
    """The link to the main line; see the module for what it drops and what it refuses."""
    if record.width != record.height:
        raise FormatError(f"trmph has square boards only: this one is {record.width}x{record.height}")
    steps, _ = border.in_turn(record, setup=False)
    while steps and steps[-1][1] in (Special.RESIGN, Special.FORFEIT):
        steps.pop()
    moves = [move for _, move in steps]
    for number, move in enumerate(moves, 1):
        if move == Special.PASS:
            raise FormatError(f"move {number}: a trmph link cannot say that a side passes or moves twice in a row")
        if move < 0 and (move != Special.SWAP_PIECES or number != 2):
            raise FormatError(f"move {number}: a trmph link has no {Special(move).text}")
    if len(moves) >= 2 and moves[1] == Special.SWAP_PIECES:
        moves[0] = moves[1] = mirror(moves[0], record.width)
    return f"https://trmph.com/hex/board#{record.width}," + "".join(map(record.name, moves))
