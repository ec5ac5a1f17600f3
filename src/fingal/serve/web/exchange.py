"""Games from texts, and texts, pictures and replays of games."""

from __future__ import annotations

import asyncio

from fingal.game import Record, formats
from fingal.serve.web import messages
from fingal.serve.web.refusal import Refusal

MOST_GAMES = 20
"""Of one text."""


async def read(text: str, most: int) -> list[Record]:
    """The games of a text, at most so many; ``Refusal`` when there is none or one cannot be read."""
    return await asyncio.to_thread(_read, text, most)


def _read(text: str, most: int) -> list[Record]:
    if len(text.encode(errors="replace")) > messages.MOST_BYTES:
        raise Refusal("too_long", f"a text has at most {messages.MOST_BYTES} bytes")
    try:
        found = formats.read_all(text)[:most]
        for record in found:
            formats.write(record)  # every move of every variation is checked
    except formats.FormatError as error:
        raise Refusal("illegal", str(error)) from None
    return found


def settings(record: Record) -> messages.Settings:
    """Those of a game that comes from a text: two people at a board."""
    if not (3 <= record.width <= 19 and 3 <= record.height <= 19):
        raise Refusal("illegal", f"the board is {record.width}x{record.height}: games here are on 3x3 to 19x19")
    return messages.Settings(width=record.width, height=record.height, swap=record.swap)
