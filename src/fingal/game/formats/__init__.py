"""Reading and writing games: SGF, LittleGolem, HexWorld and trmph links, plain lists of moves.

``read`` takes any text, ``load`` a file, ``position`` whatever a person types for a position; ``write`` and ``save`` go
the other way. Each format's colours, first mover and kind of swap are converted at its border, so that a record always
says the same. Whatever is wrong with a text or a file is a ``FormatError`` with one sentence.

>>> record = read("https://hexworld.org/board/#11,a4:se7:rw")
>>> [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]
['B a4', 'W swap-pieces', 'B e7', 'W resign']
>>> write(record, "trmph")
'https://trmph.com/hex/board#11,d1d1e7'
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from fingal.game.formats import hexworld, littlegolem, moves, sgf, sgf_syntax, trmph
from fingal.game.formats.border import MAX_BYTES, FormatError, quoted
from fingal.game.record import Record

__all__ = ["FORMATS", "MAX_BYTES", "Format", "FormatError", "contents", "detect", "find", "game", "kind_of", "load"]
__all__ += ["position", "read", "read_all", "save", "write"]


class Format(NamedTuple):
    """How one format is read and written, and what its files are called."""

    suffix: str
    read: Callable[[str], Record]
    write: Callable[[Record], str]


FORMATS: dict[str, Format] = {
    "sgf": Format(".sgf", sgf.read, sgf.write),
    "littlegolem": Format(".hsgf", littlegolem.read, littlegolem.write),
    "hexworld": Format(".hexworld", hexworld.read, hexworld.write),
    "trmph": Format(".trmph", trmph.read, trmph.write),
    "moves": Format(".txt", moves.read, moves.write),
}
"""The formats by name."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_EXAMPLES = "a HexWorld link or fragment (#11,a1b2), an SGF file (game.sgf@12) or a size and moves (11 a1 b2)"


def read(text: str | bytes, name: str = "") -> Record:
    """Read one game in any format, which the text itself shows; of an SGF collection, the first.

    ``name`` is the file's: errors begin with it, and its suffix decides where the text leaves room.
    """
    try:
        decoded = _decode(text)
        return FORMATS[detect(decoded, name)].read(decoded)
    except FormatError as error:
        raise _named(error, name) from None


def read_all(text: str | bytes, name: str = "") -> list[Record]:
    """Read every game of an SGF collection; other formats hold one."""
    try:
        decoded = _decode(text)
        kind = detect(decoded, name)
        return sgf.read_all(decoded) if kind == "sgf" else [FORMATS[kind].read(decoded)]
    except FormatError as error:
        raise _named(error, name) from None


def detect(text: str, name: str = "") -> str:
    """The format of a text, a key of ``FORMATS``; FormatError when it looks like none of them.

    A bare fragment ``#11,a1b2`` is HexWorld's, unless the file's name ends in ``.trmph``; a game without moves is SGF,
    unless it ends in ``.hsgf`` or LittleGolem is the source.
    """
    text = text.strip()
    if text.startswith("("):
        return "littlegolem" if littlegolem.recognise(text, name) else "sgf"
    if hexworld.LINK.match(text):
        return "hexworld"
    if trmph.LINK.match(text):
        return "trmph"
    if text.startswith("#") or (hexworld.FRAGMENT.fullmatch(text) and not moves.SHAPE.fullmatch(text)):
        return "trmph" if name.lower().endswith(".trmph") else "hexworld"
    if moves.HEAD.match(text):
        return "moves"
    if not text:
        raise FormatError(f"there is nothing to read: give {_EXAMPLES}")
    raise FormatError(f"{quoted(text)} is not a game in a known format: give {_EXAMPLES}")


def find(text: str, size: tuple[int, int] | None = None) -> Record:
    """The whole record that a position text names, with ``cursor`` where the text points to; see ``position``."""
    said = text.strip()
    if size is not None and moves.BARE.match(said):
        return moves.parse(_decode(said), *size)
    if _is_text(said):
        return read(said)
    path, _ = _split(said)
    if not os.path.lexists(path) and Path(path).suffix.lower() not in {entry.suffix for entry in FORMATS.values()}:
        raise FormatError(f"{quoted(said)} is not a position, nor a file: give {_EXAMPLES}")
    return _load(said)


def position(text: str, size: tuple[int, int] | None = None) -> Record:
    """The record whose end is the position that a text names.

    A text is a link or its fragment (the position on view), a list of moves with a size, SGF itself, or a file, with
    ``@12`` for the position after move 12 of its main line. With a ``size`` (width, height) it may be moves only. Where
    the text points into a game, the line up to there is returned, without what follows and without variations;
    ``find`` keeps those.
    """
    return _cut(find(text, size))


def game(text: str) -> Record:
    """The game that a position text names: ``game.sgf@12`` ends at move 12, a link keeps what follows its move."""
    said = text.strip()
    record = find(said)
    return record if _is_text(said) or _split(said)[1] is None else _cut(record)


def load(path: str | os.PathLike[str]) -> Record:
    """Read a file; ``game.sgf@12`` is the game up to move 12. Files over ``MAX_BYTES`` are refused unread."""
    name = os.fspath(path)
    record = _load(name)
    return record if _split(name)[1] is None else _cut(record)


def contents(path: str | os.PathLike[str]) -> bytes:
    """What a file holds; FormatError when it cannot be read. Files over ``MAX_BYTES`` are refused unread."""
    name = _path(path)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # Pipes and devices have no size, so that reading stops at the limit all the same.
            data = file.read(MAX_BYTES + 1) if size <= MAX_BYTES else b""
    except (OSError, ValueError) as error:
        raise FormatError(f"{name} cannot be read: {_reason(error)}") from None
    if max(size, len(data)) > MAX_BYTES:
        raise FormatError(f"{name} is too large: a game file has at most {MAX_BYTES // 2**20} MB")
    return data


def kind_of(path: str | os.PathLike[str]) -> str:
    """The format that a file's suffix names, a key of ``FORMATS``; FormatError when it names none."""
    kinds = {entry.suffix: kind for kind, entry in FORMATS.items()}
    kind = kinds.get(Path(path).suffix.lower())
    if kind is None:
        raise FormatError(f"{Path(path).name}: no format has this suffix: use {', '.join(kinds)}")
    return kind


def write(record: Record, format: str = "sgf") -> str:
    """A record in a format, a key of ``FORMATS``.

    FormatError when the format cannot express the game. Decoration that it has no place for (names, comments, marks,
    variations) is left out; each format's module says what.
    """
    if format not in FORMATS:
        raise FormatError(f"there is no format {quoted(format)}: the formats are {', '.join(FORMATS)}")
    try:
        text = FORMATS[format].write(record)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"the record does not hold together: {error}") from None
    if "\0" in text or _SURROGATE.search(text):
        raise FormatError("the record holds a character that no text can: NUL or half of a surrogate pair")
    return text


def save(record: Record, path: str | os.PathLike[str]) -> None:
    """Write a record to a file, in the format of its suffix; an older file stays whole until the new one is."""
    target = Path(path)
    kind = kind_of(target)
    part = target.with_name(target.name + ".part")
    try:
        part.write_bytes(write(record, kind).rstrip("\n").encode() + b"\n")
        os.replace(part, target)
    except FormatError as error:
        raise _named(error, target.name) from None
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            part.unlink(missing_ok=True)
        raise FormatError(f"{_path(target)} cannot be written: {_reason(error)}") from None


def _load(text: str) -> Record:
    """The whole record of 'game.sgf' or 'game.sgf@12', with the cursor there."""
    path, number = _split(text)
    name = _path(path)
    record = read(contents(path), name)
    if number is not None:
        try:
            record.cursor = record.after(number)
        except IndexError as error:
            raise FormatError(f"{name}: {error}") from None
    return record


def _cut(record: Record) -> Record:
    return record if record.cursor is None else record.until(record.cursor)


def _decode(text: str | bytes) -> str:
    if len(text) > MAX_BYTES:
        raise FormatError(f"the text is too large: it may have at most {MAX_BYTES // 2**20} MB")
    if isinstance(text, bytes):
        if text.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FormatError("the text is in UTF-16: save it as UTF-8")
        text = sgf_syntax.decode(text)
    text = text.removeprefix("\ufeff")
    if (at := text.find("\0")) >= 0:
        raise FormatError(f"character {at + 1} is NUL: this is not a text")
    if surrogate := _SURROGATE.search(text):
        raise FormatError(f"character {surrogate.start() + 1} is half of a surrogate pair: this is not valid text")
    return text


def _is_text(text: str) -> bool:
    """Whether a position text is the position itself, not the name of a file."""
    if text.startswith(("(", "#")) or hexworld.LINK.match(text) or trmph.LINK.match(text):
        return True
    return not text or moves.HEAD.match(text) is not None or hexworld.FRAGMENT.fullmatch(text) is not None


def _split(path: str) -> tuple[str, int | None]:
    """'game.sgf@12' -> 'game.sgf', 12; a file that is really called so comes first."""
    numbered = re.fullmatch(r"(.+)@([0-9]{1,9})", path, re.S)
    if numbered is None or os.path.lexists(path):
        return path, None
    return numbered[1], int(numbered[2])


def _path(path: str | os.PathLike[str]) -> str:
    """A path for an error message; unlike other input it is kept whole, unless it cannot be one."""
    text = os.fspath(path)
    return text if text.isprintable() and len(text) < 256 else quoted(text)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _named(error: FormatError, name: str) -> FormatError:
    return FormatError(f"{name}: {error}") if name else error
