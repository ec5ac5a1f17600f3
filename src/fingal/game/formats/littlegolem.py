"""LittleGolem's game files (.hsgf), which look like SGF and are not.

::

    (;FF[4]EV[hex.ch.23.1.1]PB[Ann]PW[Bob]SZ[13]RE[W]GC[ game #1]SO[http://www.littlegolem.com];W[mf];B[swap];W[kj])

- Two letters name a cell, column then row: ``mf`` is m6.
- The labels of the moves are the wrong way round: ``W`` nodes are PB's, who moves first and joins top and bottom.
  PB is our Black, PW our White, and RE names one of them.
- ``swap`` is swap-pieces.
- Values are not escaped: ``PB[lazy\\player]PW[Bob;]]`` occurs. A ``]`` closes a value only where something that can
  follow one stands behind it.

A file has no comments, marks or variations: writing drops those. Passes, forfeits, swap-sides, set-up stones and boards
that are not square cannot be said, so that writing refuses them.
"""

from __future__ import annotations

import re
from itertools import islice

from fingal.game.colour import BLACK, WHITE
from fingal.game.formats import border
from fingal.game.formats.border import FormatError, Step, place, quoted
from fingal.game.formats.sgf import TAGS, result
from fingal.game.formats.sgf_syntax import Properties, escape, events, unescape
from fingal.game.record import Record, Result, Special

_CLOSE = r"\](?=\s*+(?:[\[;()]|[A-Z]{1,4}\[|\Z))"
_PROPERTY = re.compile(rf"\s*+([A-Z]{{1,4}})\s*+\[(.*?){_CLOSE}", re.S)
_MOVE = re.compile(r"\s*+;\s*+([BW])\s*+\[([^\]]*+)\]")
_SIGN = re.compile(r"\s*+(\(\s*+;|\)|\Z)?")
_FIRST_MOVE = re.compile(r";\s*+[BW]\s*+\[([A-Za-z0-9-]*+)\]")
_SPECIALS = {"swap": Special.SWAP_PIECES, "resign": Special.RESIGN}


def recognise(text: str, name: str = "") -> bool:
    """Whether a text that begins like SGF is LittleGolem's: by its names of cells, else by the file's name or SO."""
    try:
        game, source, move = _glance(text)
    except FormatError:
        # It breaks SGF's rules, as LittleGolem's files may: look for what would be said if it were one.
        found = _FIRST_MOVE.search(text)
        head = text[: min(found.start() if found else 4096, 4096)]
        game, move = re.search(r"\bGM\s*\[", head) is not None, found and found[1]
        source = head if re.search(r"\bSO\s*\[", head) else ""
    if move is not None and not re.fullmatch(r"[a-z]{2}|swap|resign", move):
        return False
    return "littlegolem" in source.lower() or name.lower().endswith(".hsgf") or (move is not None and not game)


def _glance(text: str) -> tuple[bool, str, str | None]:
    """Whether GM is there, what SO says, and the first move; FormatError when the text is not SGF up to that."""
    header: Properties = {}
    for _, event in islice(events(text), 1000):
        if isinstance(event, dict):
            header = header or event
            for name in ("B", "W"):
                if name in event:
                    return "GM" in header, header.get("SO", [""])[0], event[name][0].strip()
    return "GM" in header, header.get("SO", [""])[0], None


def read(text: str) -> Record:
    """Read one game."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = _SIGN.match(text)
    if start is None or not (start[1] or "").startswith("("):
        raise FormatError("a LittleGolem game begins with '(;'")
    at = start.end()
    header: dict[str, str] = {}
    while found := _PROPERTY.match(text, at):
        header[found[1]] = found[2]
        at = found.end()
    if "SZ" not in header:
        raise FormatError(f"{place(text, at)}: the size is missing: LittleGolem games say it, as in SZ[13]")
    if not re.fullmatch("[0-9]+", said := header["SZ"].strip()):
        raise FormatError(f"the size {quoted(said)} is not understood: LittleGolem boards are square, as in SZ[13]")
    side, _ = border.size(said, None, said)
    steps: list[Step] = []
    while found := _MOVE.match(text, at):
        label, word = found[1], found[2].strip()
        move: int | None = _SPECIALS.get(word)
        if move is None and len(word) == 2:
            column, row = (ord(letter) - ord("a") for letter in word)
            if 0 <= column < side and 0 <= row < side:
                move = row * side + column
        if move is None:
            raise FormatError(
                f"move {len(steps) + 1}: {quoted(word)} is not a move: the cells of a {side}x{side} board run from aa"
                f" to {chr(ord('a') + side - 1) * 2}"
            )
        steps.append((BLACK if label == "W" else WHITE, move))
        if len(steps) > border.MAX_NODES:
            raise FormatError(f"the game has more than {border.MAX_NODES} moves")
        at = found.end()
    end = _SIGN.match(text, at)
    if end is None or end[1] != ")":
        raise FormatError(f"{place(text, at)}: a move such as ';W[mf]' or the final ')' is expected")
    record = border.line_record(side, side, steps)
    _describe(record, header)
    return record


def _describe(record: Record, header: dict[str, str]) -> None:
    for name, value in header.items():
        if name in ("PB", "PW"):
            record.players[BLACK if name == "PB" else WHITE] = value
        elif name in TAGS:
            record.tags[TAGS[name]] = value
        elif name == "RE":
            record.result = result(value)
            end = record.end
            if record.result is None:
                record.root.extra["RE"] = [escape(value)]
            elif end.move == Special.RESIGN and end.colour == record.result.winner.other:
                record.result = Result(record.result.winner, "resign")
        elif name == "RU" and value == Special.SWAP_PIECES.text:
            border.allow_swap(record, True)
        elif name not in ("SZ", "FF", "GM", "CA"):
            record.root.extra[name] = [escape(value)]


def write(record: Record) -> str:
    """The main line on one line; see the module for what it drops and what it refuses."""
    if record.width != record.height:
        raise FormatError(f"LittleGolem has square boards only: this one is {record.width}x{record.height}")
    steps, _ = border.in_turn(record, setup=False)
    header = {"FF": "4"}
    if "event" in record.tags:
        header["EV"] = record.tags["event"]
    header |= {f"P{colour.letter}": name for colour, name in sorted(record.players.items())}
    header["SZ"] = str(record.width)
    winner = record.winner()
    if winner is not None:
        header["RE"] = winner.letter
    header |= {name: record.tags[tag] for name, tag in TAGS.items() if name not in ("AP", "EV") and tag in record.tags}
    if "GC" in record.root.extra:
        header["GC"] = unescape(record.root.extra["GC"][0])
    pieces = ["(;"]
    for name, value in header.items():
        found = _PROPERTY.match(f"{name}[{value}];")
        if found is None or found[2] != value:
            raise FormatError(f"LittleGolem has no escapes: {name} cannot be {quoted(value)}")
        pieces.append(f"{name}[{value}]")
    for number, (colour, move) in enumerate(steps, 1):
        if move == Special.PASS:
            raise FormatError(
                f"move {number}: a LittleGolem game cannot say that a side passes or moves twice in a row"
            )
        if move < 0 and move not in _SPECIALS.values():
            raise FormatError(f"move {number}: a LittleGolem game has no {Special(move).text}")
        pieces.append(f";{colour.other.letter}[{_word(record, move)}]")
    return "".join(pieces) + ")\n"


def _word(record: Record, move: int) -> str:
    if move == Special.SWAP_PIECES:
        return "swap"
    if move == Special.RESIGN:
        return "resign"
    row, column = divmod(move, record.width)
    return chr(ord("a") + column) + chr(ord("a") + row)
