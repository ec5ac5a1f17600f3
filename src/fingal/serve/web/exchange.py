"""Games from texts, and texts, pictures and replays of games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, ParamSpec, TypeVar

from fingal.game import Record, draw, formats
from fingal.game.record import Node
from fingal.serve.web import messages, replay
from fingal.serve.web.game import LiveGame
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.tree import MOST_NODES

MOST_GAMES = 20
"""Of one text."""
MOST_WAITING = 8
"""So many texts may wait to be read, and so many pictures to be drawn; one at a time is."""

UNKNOWN = (
    "that is not a game in a known format: give an SGF, a game of LittleGolem, a link of HexWorld or trmph, "
    "or a size and moves, such as 11 a1 b2"
)
"""Said of any other text; a page has no files that a text could name."""

P = ParamSpec("P")
T = TypeVar("T")

Format = Literal["sgf", "littlegolem", "hexworld", "trmph", "moves", "svg", "png", "replay"]
Theme = Literal["black-white", "red-blue"]

_TYPES: dict[Format, tuple[str, str]] = {
    "sgf": ("application/x-go-sgf", "sgf"),
    "littlegolem": ("application/x-go-sgf", "hsgf"),
    "hexworld": ("text/plain", "hexworld.txt"),
    "trmph": ("text/plain", "trmph.txt"),
    "moves": ("text/plain", "txt"),
    "svg": ("image/svg+xml", "svg"),
    "png": ("image/png", "png"),
    "replay": ("image/svg+xml", "replay.svg"),
}


@dataclass(frozen=True, slots=True)
class File:
    """A game as a file."""

    content: bytes
    type: str
    name: str


class OneByOne:
    """Has work done in a thread, one piece at a time, so that the server's own thread answers everyone meanwhile."""

    def __init__(self, what: str) -> None:
        """``what`` is done here, as a sentence says it: 'pictures are being drawn'."""
        self._what = what
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work returns; ``Refusal`` when too much is waiting."""
        if self._waiting >= MOST_WAITING:
            raise Refusal("busy", f"too many {self._what}: try again in a while")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(work, *args, **kwargs)
        finally:
            self._waiting -= 1


class Reader:
    """Reads games."""

    def __init__(self) -> None:
        """Nothing waits yet."""
        self._desk = OneByOne("texts are being read")

    async def read(self, text: str, most: int) -> list[Record]:
        """The games of a text, at most so many; ``Refusal`` when there is none or one cannot be read."""
        return await self._desk.do(_read, text, most)


def _read(text: str, most: int) -> list[Record]:
    if len(text.encode(errors="replace")) > messages.MOST_BYTES:
        raise Refusal("too_long", f"a text has at most {messages.MOST_BYTES} bytes")
    try:
        formats.detect(text.removeprefix("\ufeff"))
    except formats.FormatError:
        raise Refusal("illegal", UNKNOWN) from None
    try:
        found = formats.read_all(text)[:most]
        for record in found:
            formats.write(record)  # every move of every variation is checked
            settings(record)
            if sum(1 for _ in record.root.walk()) > MOST_NODES:
                raise Refusal("too_long", f"a game has too many moves: {MOST_NODES} are read, variations included")
    except formats.FormatError as error:
        raise Refusal("illegal", str(error)) from None
    return found


def settings(record: Record) -> messages.Settings:
    """Those of a game that comes from a text: two people at a board."""
    if not (3 <= record.width <= 19 and 3 <= record.height <= 19):
        raise Refusal("illegal", f"the board is {record.width}x{record.height}: games here are on 3x3 to 19x19")
    return messages.Settings(width=record.width, height=record.height, swap=record.swap)


class Writer:
    """Writes games."""

    def __init__(self) -> None:
        """Nothing waits yet."""
        self._desk = OneByOne("pictures are being drawn")

    async def write(
        self, game: LiveGame, format: Format, node: int | None, numbers: bool = False, theme: Theme = "black-white"
    ) -> File:
        """A game in a format. A picture shows a node, the current one if none is given; texts point there.

        SGF holds the whole tree, the other texts the line through the node, a replay the line up to it.
        """
        kind, ending = _TYPES[format]
        name = f"fingal-{game.id}.{ending}"
        try:
            if format in ("svg", "png", "replay"):
                content = await self._draw(game, format, game.current if node is None else node, numbers, theme)
            else:
                record = _tree(game) if format == "sgf" else _line(game, node)
                content = formats.write(record, format).encode()
        except formats.FormatError as error:
            raise Refusal("illegal", str(error)) from None
        return File(content, kind, name)

    async def _draw(self, game: LiveGame, format: Format, node: int, numbers: bool, theme: Theme) -> bytes:
        # Copied here, where nobody changes the game meanwhile.
        return await self._desk.do(_drawn, game.tree.until(node), format, numbers, theme)


def _drawn(record: Record, format: Format, numbers: bool, theme: Theme) -> bytes:
    if format == "replay":
        return replay.svg(record, theme).encode()
    picture = draw.picture(record.board(), marks=record.end.marks, numbers=numbers, theme=theme)
    return draw.png(picture) if format == "png" else draw.svg(picture).encode()


def _tree(game: LiveGame) -> Record:
    """The whole tree, as a record whose main line ends where the game did.

    What was taken back there or tried later stays as variations, beside an empty node: a file knows no other way to
    say that its main line goes no further.
    """
    record, end = game.exported(), game.end
    if not end.children:
        return record
    last: Node | None = None
    for step in end.line():
        made = replace(step, parent=last, children=list(step.children))
        if last is None:
            record.root = made
        else:
            last.children[0] = made
        last = made
    made.children.insert(0, Node(parent=made))
    return record


def _line(game: LiveGame, node: int | None) -> Record:
    """The line through a node, to its end or the game's, as a record of its own whose cursor is at the node."""
    record, over = game.exported(), game.end
    shown = over if node is None else game.tree.node(node)
    end = shown
    while end.children and end is not over:
        end = end.children[0]
    line = record.until(end)
    line.result = record.result if end is over else None
    line.cursor = None if shown is end else line.main_line[len(shown.line()) - 1]
    return line
