"""Plain lists of moves, as people type them: ``11 a1 b2 swap c3``, ``7x9: a1 b2 c3 resign``.

::

    list  = size [":"] moves
    size  = 11 | 7x9                columns x rows
    moves = move, separated by blanks, commas or both
    move  = [("B" | "W") ":"] word  the colour is needed only where a side moves out of turn
    word  = a1 | swap | swap-pieces | swap-sides | pass | resign | forfeit

Black moves first; ``swap`` is swap-pieces; whoever is to move resigns. Upper and lower case are the same. A list has no
names, result, comments, marks or variations: writing drops those, and writes set-up stones as moves, with a pass where
a side moves twice in a row.
"""

from __future__ import annotations

import re

from fingal.game.colour import BLACK, WHITE
from fingal.game.formats import border
from fingal.game.formats.border import FormatError, Step
from fingal.game.record import Record, Special

WORDS: dict[str, Special] = {special.text: special for special in Special} | {"swap": Special.SWAP_PIECES}
"""The moves that are not cells, by name."""

HEAD = re.compile(r"\s*+([0-9]++)(?:[xX]([0-9]++))?(?:\s*+:|(?=[\s,])|\Z)")
"""A size at the start of a text."""

BARE = re.compile(r"[\s,]*+(?:[bw]:)?(?:[a-z][0-9]++|swap(?:-pieces|-sides)?|pass|resign|forfeit)(?=[\s,]|\Z)", re.I)
"""A move at the start of a text: a list without its size."""

SHAPE = re.compile(
    r"\s*+[0-9]++(?:[xX][0-9]++)?(?:\s*+:)?"
    r"(?:[\s,]*+(?:[BbWw]:)?(?:[A-Za-z][0-9]++|[A-Za-z][A-Za-z-]++)(?=[\s,]|\Z))*+[\s,]*+"
)
"""A whole text that has the form of a list, whether or not its moves exist."""

_WORD = re.compile(r"[\s,]*+([^\s,]++)")


def read(text: str) -> Record:
    """Read a list that begins with the size."""
    head = HEAD.match(text)
    if head is None:
        raise FormatError(f"a list of moves begins with the size, as in '11 a1 b2', not {border.quoted(text[:12])}")
    width, height = border.size(head[1], head[2], head[0].strip().rstrip(" :"))
    return parse(text[head.end() :], width, height)


def parse(text: str, width: int, height: int | None = None) -> Record:
    """Read a bare list of moves on a board of the given size."""
    height = width if height is None else height
    border.size(str(width), str(height), f"{width}x{height}")
    numbers = border.cell_numbers(width, height)
    steps: list[Step] = []
    turn = BLACK
    for found in _WORD.finditer(text):
        said = found[1]
        colour, word = turn, said.lower()
        if word[1:2] == ":" and word[0] in "bw":
            colour, word = (BLACK if word[0] == "b" else WHITE), word[2:]
        move = numbers.get(word)
        if move is None:
            move = WORDS.get(word)
        if move is None:
            raise FormatError(f"move {len(steps) + 1}: {border.bad_cell(said, width, height)}")
        steps.append((colour, move))
        if len(steps) > border.MAX_NODES:
            raise FormatError(f"the list has more than {border.MAX_NODES} moves")
        turn = border.next_turn(turn, colour, move)
    return border.line_record(width, height, steps)


def write(record: Record) -> str:
    """The main line as a list with its size; see the module for what it cannot hold."""
    steps, _ = border.in_turn(record, setup=True)
    sides = f"{record.width}" if record.width == record.height else f"{record.width}x{record.height}"
    words = [f"{sides}:"]
    turn = BLACK
    for colour, move in steps:
        words.append((f"{colour.letter}:" if colour != turn else "") + record.name(move))
        turn = border.next_turn(turn, colour, move)
    return " ".join(words)
