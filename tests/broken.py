"""Files that are broken in every way there is: bytes that changed, JSON of another make, rows of other types."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ODD = [None, True, -1, 0, 2**31, 2**63, 10**400, 1.5, "", "x", "\0", "é" * 50, [], {}, [[]], [None], {"x": []}]
"""What may stand where something else is expected, beside numbers that are not finite and nests."""


def deep(brackets: str = "[]", depth: int = 100_000) -> bytes:
    """JSON that is nested deeper than anybody reads."""
    opening, closing = brackets[0], brackets[1]
    middle = b'{"x":' if opening == "{" else opening.encode()
    return middle * depth + (b"1" if opening == "{" else b"") + closing.encode() * depth


WHOLE = [b"", b"{}", b"[]", b"null", b"1", b'"x"', b"{", b"\xff\xfe", b"\0" * 64, b"NaN", deep(), deep("{}"), b"[1" * 9]
"""Contents that are no object of ours, or an empty one."""


def changed_bytes(data: bytes, chooser: random.Random) -> bytes:
    """A file with some bytes changed, cut out, doubled, or its end lost."""
    found = bytearray(data)
    for _ in range(chooser.choice((1, 1, 1, 2, 5, 20))):
        at = chooser.randrange(len(found) + 1)
        match chooser.randrange(6):
            case 0 if at < len(found):
                found[at] ^= 1 << chooser.randrange(8)
            case 1:
                del found[at:]
            case 2:
                del found[at : at + chooser.choice((1, 4, 100))]
            case 3:
                found[at:at] = found[max(0, at - chooser.choice((1, 8, 200))) : at]
            case 4:
                found[at : at + 4] = chooser.choice((b"\0" * 4, b"\xff" * 4, b"nan,", b"1e99", b'""""'))
            case _:
                found[at:at] = bytes(chooser.randrange(256) for _ in range(chooser.choice((1, 8))))
    return bytes(found)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values within a value from JSON, itself not among them."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield (*here, key)
        yield from places(entry, (*here, key))


def changed_json(value: Any, chooser: random.Random) -> bytes:
    """JSON with one value missing, another, of another type or twice there."""
    found = copy.deepcopy(value)
    way = chooser.choice(list(places(found)))
    place = found
    for key in way[:-1]:
        place = place[key]
    match chooser.randrange(5):
        case 0:
            del place[way[-1]]
        case 1 if isinstance(place, dict):
            place[chooser.choice(("unknown", "", "__class__"))] = place[way[-1]]
        case 2 if isinstance(place, list):
            place.insert(way[-1], place[way[-1]])
        case _:
            place[way[-1]] = chooser.choice([*ODD, float("nan"), float("inf"), -float("inf")])
    return json.dumps(found).encode()


def refused(read: Callable[[], Any], file: Path) -> bool:
    """Whether a file is refused; AssertionError unless that is done in one sentence with its name."""
    said = _error_of(read)
    if said is None:
        return False
    assert str(file) in said, f"no name of the file in: {said}"
    assert len(said.strip().splitlines()) == 1, said
    assert len(said) < 700, said
    return True


def _error_of(read: Callable[[], Any]) -> str | None:
    try:
        read()
    except ValueError as error:
        return str(error)
    return None


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
