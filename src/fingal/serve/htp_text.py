"""The text of the Hex Text Protocol: lines in, answers out, the commands and their words."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar

from fingal.game import Colour
from fingal.ranges import MOST_SECONDS

MAX_LINE = 65_536
"""Bytes; a longer command line is refused."""
MAX_TEXT = 300
"""Characters of an error message."""

_COLOURS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160))) | {9: " "}
_LINE = re.compile(r"(?:(\d{1,10})(?!\S))?\s*(.*)", re.ASCII | re.DOTALL)
_WORDS = re.compile(r'"([^"]*)"|(\S+)')


Run = TypeVar("Run", bound=Callable[[Any, list[str]], str | Generator[str]])


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the protocol: how it is written, and what carries it out."""

    usage: str
    run: Callable[[Any, list[str]], str | Generator[str]]
    """Gives the answer, or its lines one after the other while the controller reads."""

    def check(self, count: int) -> None:
        """Refuse a wrong number of arguments."""
        name, *words = self.usage.split()
        if not sum(word[0] != "[" for word in words) <= count <= len(words):
            if not words:
                raise ValueError(f"{name} takes no argument")
            raise ValueError(f"{name} does not take {count} argument{'' if count == 1 else 's'}: write {self.usage}")


COMMANDS: dict[str, Command] = {}
"""The commands by name."""


def command(usage: str) -> Callable[[Run], Run]:
    """Enter a method among the commands; optional arguments stand in brackets."""

    def enter(run: Run) -> Run:
        COMMANDS[usage.split()[0]] = Command(usage, run)
        return run

    return enter


def taken_apart(line: str | bytes) -> tuple[str, list[str]]:
    """The number and the words of a line, both empty when it holds no command.

    Comments and control characters are dropped; a word with blanks stands in double quotes. ValueError when the line is
    too long.
    """
    if len(line) > MAX_LINE:
        if line.lstrip()[:1] in ("#", b"#"):
            return "", []
        raise ValueError(f"the line is too long: {MAX_LINE} bytes at most")
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    match = _LINE.fullmatch(text.partition("#")[0].translate(_CONTROLS).replace("\n", " ").strip())
    assert match is not None
    return match[1] or "", [quoted or plain for quoted, plain in _WORDS.findall(match[2])]


def read_lines(input: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream, the last one even if it does not end. Of a line that is too long, only its beginning."""
    # Not through the stream's buffer where there is a file: a thread that waits in it holds a lock that the
    # interpreter needs to end.
    try:
        number = input.fileno()
        read: Callable[[], bytes] = lambda: os.read(number, 65_536)  # noqa: E731
    except (AttributeError, io.UnsupportedOperation):
        read = lambda: input.read(65_536)  # noqa: E731
    rest = b""
    with contextlib.suppress(OSError):
        while chunk := read():
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole
            if len(rest) > 2 * MAX_LINE:
                rest = rest[: MAX_LINE + 1]
    if rest:
        yield rest


def framed(status: str, number: str, text: str) -> str:
    """An answer: an empty line ends it, so there must be none inside, and no control characters either."""
    lines = text.translate(_CONTROLS).split("\n")
    body = "\n".join(line or " " if index else line for index, line in enumerate(lines))
    return f"{status}{number} {body}\n\n"


def one_line(text: str) -> str:
    """A text as an error shows it: on one line, not too long."""
    line = " ".join(text[: 4 * MAX_TEXT].split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 3] + "..."


def short(word: str) -> str:
    """A word of the controller's as an error shows it: it may be very long."""
    return word if len(word) <= 40 else word[:37] + "..."


def to_colour(word: str) -> Colour:
    """The colour that 'b', 'black', 'w' or 'white' names, in either case."""
    try:
        return _COLOURS[word.lower()]
    except KeyError:
        raise ValueError(f"{short(word)} is not a colour: black or white is expected") from None


def to_int(word: str) -> int:
    """A whole number."""
    if not re.fullmatch(r"-?\d{1,9}", word, re.ASCII):
        raise ValueError(f"{short(word)} is not a whole number")
    return int(word)


def to_count(word: str) -> int:
    """A whole number from 1 on."""
    if (count := to_int(word)) < 1:
        raise ValueError(f"{short(word)} is not possible: at least 1 is expected")
    return count


def to_seconds(word: str) -> float:
    """A time."""
    try:
        seconds = float(word)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"{short(word)} is not a time: a number of seconds from 0 to 10^9 is expected")
    return seconds


def unit(word: str) -> float:
    """What the last digit of a time is worth: who writes 29 may mean almost 30."""
    whole, _, decimals = word.partition(".")
    return 10.0 ** -len(decimals) if whole.isdecimal() and (decimals + "0").isdecimal() else 0.0


def seconds_text(seconds: float) -> str:
    """1800 for 1800.0, 55.5 for 55.46."""
    return f"{seconds:.1f}".removesuffix(".0")


def to_bool(word: str) -> bool:
    """Yes or no."""
    if word.lower() not in ("0", "1", "false", "true"):
        raise ValueError(f"{short(word)} is not possible here: 0 or 1 is expected")
    return word.lower() in ("1", "true")
