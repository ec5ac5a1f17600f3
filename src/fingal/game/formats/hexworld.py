"""HexWorld links: ``https://hexworld.org/board/#11,a1b2``.

The part after ``#`` is the size, how the board is shown, the moves up to the one on view, and the moves after it::

    11r9c1,a1b2:sc3,d4e5     size [settings] "," moves ["," moves]
    7x9                      7 columns, 9 rows
    r9  n  c1  m             rotation 1 to 12, move numbers, colours, mirror
    a1                       a cell; moves run together, and black moves first
    :s :S :p                 swap-pieces, swap-sides, pass
    :rb :rw :fb :fw          Black or White resigns, forfeits

Settings are kept in ``tags["hexworld"]``, the move on view in ``record.cursor``. A link has no names, result, comments,
marks or variations: writing drops those. It does not say who moves, either: a side that moves twice in a row is written
with a pass of the other between, and set-up stones as such moves.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from fingal.game.colour import BLACK, WHITE, Colour
from fingal.game.formats import border
from fingal.game.formats.border import FormatError, Step
from fingal.game.record import Record, Special

LINK = re.compile(r"(?:https?://)?(?:www\.)?hexworld\.org/(?P<rest>.*)", re.I | re.S)
"""A link as a whole text."""

_SETTINGS = r"(?:r[0-9]+|n|c[0-9]|m)*+"
_HEAD = re.compile(rf"([0-9]++)(?:x([0-9]++))?({_SETTINGS})(?=,|$)")
_MOVE = re.compile(r"([a-z]++[1-9][0-9]*+)|:([sSp]|[rf][bw])")
FRAGMENT = re.compile(rf"[0-9]++(?:x[0-9]++)?{_SETTINGS},(?:[a-z]++[1-9][0-9]*+|:[sSp]|:[rf][bw])*+(?:,.*)?")
"""What a fragment looks like where the ``#`` was left out."""

_SPECIALS: dict[str, Special] = {
    "s": Special.SWAP_PIECES,
    "S": Special.SWAP_SIDES,
    "p": Special.PASS,
    "r": Special.RESIGN,
    "f": Special.FORFEIT,
}
_LETTERS = {special: letter for letter, special in _SPECIALS.items()}


def read(text: str) -> Record:
    """Read a link or its fragment, with or without the ``#``."""
    text = text.strip()
    if link := LINK.fullmatch(text):
        _, mark, text = link["rest"].partition("#")
        if not mark:
            raise FormatError("the link has no position: a HexWorld link has the size and the moves after '#'")
    text = text.removeprefix("#")
    if "%" in text:
        text = unquote(text)
    head = _HEAD.match(text)
    if head is None:
        raise FormatError(
            f"a HexWorld position begins with a size and its settings, as in '#11r9c1,a1b2', not {quoted_start(text)}"
        )
    width, height = border.size(head[1], head[2], head[0].removesuffix(head[3]))
    if any(not 1 <= int(turn[:4]) <= 12 for turn in re.findall(r"r([0-9]+)", head[3])):
        raise FormatError(f"the rotation in {border.quoted(head[3])} is not possible: it runs from r1 to r12")
    steps: list[Step] = []
    cursor: int | None = None
    turn, at, commas = BLACK, head.end(), 0
    numbers = border.cell_numbers(width, height)
    while at < len(text):
        if text[at] == "," and commas < 2:
            commas += 1
            if commas == 2:
                cursor = len(steps)
            at += 1
            continue
        found = _MOVE.match(text, at)
        if found is None:
            raise FormatError(
                f"move {len(steps) + 1}, at character {at + 1}: {quoted_start(text[at:])} is not a move:"
                " moves are cells such as a1, or :s, :S, :p, :rb, :rw, :fb, :fw"
            )
        colour, move = turn, numbers.get(found[1]) if found[1] else _SPECIALS[found[2][0]]
        if move is None:
            raise FormatError(f"move {len(steps) + 1}: {border.bad_cell(found[1], width, height)}")
        if found[2] and len(found[2]) == 2:
            colour = BLACK if found[2][1] == "b" else WHITE
        steps.append((colour, move))
        if len(steps) > border.MAX_NODES:
            raise FormatError(f"the link has more than {border.MAX_NODES} moves")
        turn = border.next_turn(turn, colour, move)
        at = found.end()
    record = border.line_record(width, height, steps, cursor)
    if head[3]:
        record.tags["hexworld"] = head[3]
    return record


def quoted_start(text: str) -> str:
    """The first few characters of what was found instead, or 'nothing'."""
    return border.quoted(text[:12]) if text else "nothing"


def write(record: Record) -> str:
    """The link to the main line; see the module for what it cannot hold."""
    return "https://hexworld.org/board/" + fragment(record)


def fragment(record: Record) -> str:
    """The part of the link from ``#`` on."""
    settings = record.tags.get("hexworld", "")
    if not re.fullmatch(_SETTINGS, settings):
        raise FormatError(f"the tag 'hexworld' is {border.quoted(settings)}: it must be settings such as 'r9c1'")
    steps, cursor = border.in_turn(record, setup=True)
    texts = [_text(record, colour, move) for colour, move in steps]
    sides = f"{record.width}" if record.width == record.height else f"{record.width}x{record.height}"
    before, after = "".join(texts[:cursor]), "".join(texts[cursor:])
    return f"#{sides}{settings},{before}" + (f",{after}" if after else "")


def _text(record: Record, colour: Colour, move: int) -> str:
    if move >= 0:
        return record.name(move)
    loser = colour.letter.lower() if move in (Special.RESIGN, Special.FORFEIT) else ""
    return f":{_LETTERS[Special(move)]}{loser}"
