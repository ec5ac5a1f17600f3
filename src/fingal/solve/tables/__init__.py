"""Solved openings of small boards: which first moves win for Black when there is no swap.

``openings.json`` has a picture of each board, row by row: ``W`` wins, ``.`` loses, ``?`` is not known.
"""

from __future__ import annotations

import functools
import json
from importlib import resources


@functools.cache
def _pictures() -> dict[str, list[str]]:
    text = resources.files(__name__).joinpath("openings.json").read_text(encoding="utf-8")
    pictures: dict[str, list[str]] = json.loads(text)
    return pictures


def sizes() -> list[tuple[int, int]]:
    """The boards in the tables, as (width, height)."""
    return [(int(width), int(height)) for width, height in (name.split("x") for name in _pictures())]


def picture(width: int, height: int) -> list[str]:
    """The board row by row; all ``?`` without a table."""
    return _pictures().get(f"{width}x{height}", ["?" * width] * height)


def openings(width: int, height: int) -> dict[int, bool]:
    """By first move, whether it wins for Black; moves that are not solved are left out.

    >>> openings(2, 2)
    {0: False, 1: True, 2: True, 3: False}
    """
    return {cell: mark == "W" for cell, mark in enumerate("".join(picture(width, height))) if mark != "?"}
