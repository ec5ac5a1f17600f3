"""The grammar of SGF (FF[4]) without its meaning: brackets, properties, escapes, character sets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingal.game.formats.border import FormatError, place, quoted

Properties = dict[str, list[str]]
"""Identifier -> values as they stand in the text, escapes included."""

_TEXT = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z][A-Za-z0-9]*+)\s*+((?:\[{_TEXT}\]\s*+)++))", re.S)
_VALUE = re.compile(rf"\[({_TEXT})\]", re.S)
_WELL_FORMED = re.compile(_TEXT, re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_CHARSET = re.compile(rb"[;\]\s]CA\s*\[([^\]\\]{0,64})\]")
_CHARSETS = {
    "utf8": "utf-8",
    "ascii": "ascii",
    "usascii": "ascii",
    "latin1": "latin-1",
    "iso88591": "latin-1",
    "iso885915": "iso-8859-15",
    "windows1252": "cp1252",
    "cp1252": "cp1252",
}


def events(text: str) -> Iterator[tuple[int, str | Properties]]:
    """Walk a text: '(' , ')' and the properties of each node in turn, with their offsets.

    Line breaks must be ``\\n``. It checks brackets within a node only: the caller keeps the tree.
    """
    at = 0
    end = len(text.rstrip())
    node: Properties | None = None
    node_at = 0
    match = _TOKEN.match
    while at < end:
        token = match(text, at)
        if token is None:
            raise _unexpected(text, at)
        sign, name, values = token.groups()
        if sign is None:
            if node is None:
                start = token.start(2)
                raise FormatError(f"{place(text, start)}: {quoted(name)} stands outside a node: ';' must come first")
            identifier = name if name.isupper() else "".join(letter for letter in name if not letter.islower())
            if not identifier[:1].isalpha():
                raise FormatError(f"{place(text, token.start(2))}: {quoted(name)} is not an SGF property")
            if values.find("[", 1) < 0 and values[-1] == "]":
                node.setdefault(identifier, []).append(values[1:-1])
            else:
                node.setdefault(identifier, []).extend(_VALUE.findall(values))
        else:
            if node is not None:
                yield node_at, node
                node = None
            if sign == ";":
                node, node_at = {}, token.end() - 1
            else:
                yield token.end() - 1, sign
        at = token.end()
    if node is not None:
        yield node_at, node


def _unexpected(text: str, at: int) -> FormatError:
    """Say why no token begins at an offset."""
    start = at + len(text[at:]) - len(text[at:].lstrip())
    where = place(text, start)
    name = re.compile(r"[A-Za-z][A-Za-z0-9]*+").match(text, start)
    if name is not None:
        rest = text[name.end() :].lstrip()[:1]
        if rest == "[":
            return FormatError(f"{where}: a value of {quoted(name[0])} is not closed: ']' is missing")
        return FormatError(f"{where}: {quoted(name[0])} has no value: '[' must follow")
    if text[start] == "[":
        return FormatError(f"{where}: this value belongs to no property")
    return FormatError(f"{where}: {quoted(text[start])} is not expected: nodes begin with ';', variations with '('")


def unescape(raw: str) -> str:
    """The text that a value stands for: escapes resolved, soft line breaks removed."""
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], raw) if "\\" in raw else raw


def escape(text: str, *, colon: bool = False) -> str:
    """A text as a value; ``colon`` where the value is one half of a pair."""
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if colon else text


def well_formed(raw: str) -> bool:
    """Whether a value can stand between brackets as it is."""
    return _WELL_FORMED.fullmatch(raw) is not None


def decode(data: bytes) -> str:
    """The text of a file: by its byte-order mark or CA, else UTF-8, else Latin-1, which is SGF's own default."""
    if data.startswith(b"\xef\xbb\xbf"):
        return _decode(data[3:], "utf-8")
    said = _CHARSET.search(data, 0, 4096)
    if said is None:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1")
    if data.isascii():
        return data.decode("ascii")
    name = said[1].decode("latin-1")
    codec = _CHARSETS.get(re.sub(r"[-_ ]", "", name).lower())
    if codec is None:
        raise FormatError(f"the character set {quoted(name.strip())} is not known: use CA[UTF-8] or CA[ISO-8859-1]")
    return _decode(data, codec)


def _decode(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start + 1} is not valid {codec.upper()}: say the character set in CA") from None
