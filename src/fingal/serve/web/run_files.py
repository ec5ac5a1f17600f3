"""What is in the folder of runs, read without ever leaving it: figures from a byte onwards, games, reports.

A name from the page is a path below the folder, with slashes. Wherever a link may lead, what is read lies in the folder
itself: everything else is not there, as far as anybody can tell.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from fingal.game import Record, formats

METRICS, CONFIG, GAMES = "metrics.jsonl", "config.json", "games"

ITSELF = "~"
"""The name of a run that is the folder itself."""

CHUNK = 2 * 2**20
"""At most so many bytes of figures are read at a time: a tenth of a second's work."""

TAIL = 64 * 1024
"""The latest figures are looked for in so many bytes at the end."""

MOST_ROWS = 600
"""A chart has no room for more points: of a longer run so many rows are told, and of a part of it as much less."""

FEWEST_ROWS = 40
"""But of any part at least so many, so that its end is told as finely as a live chart needs."""

DEPTH = 6
"""Folders in folders: sweeps have their runs so deep."""

MOST_FOLDERS = 4000
"""So many folders are looked into."""

PASSED_BY = frozenset({"checkpoints", GAMES, "figures", "__pycache__"})
"""Folders that hold neither runs nor reports."""

MOST_GAMES = 12

BROKEN = (OSError, ValueError, RecursionError)
"""What a file raises that another program has broken: it costs its own row of a list, and no other."""

Row = dict[str, float]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of figures from some byte of a file on."""

    rows: list[Row]
    """Each with its ``step``, thinned out: of several rows the last value of each figure stays."""
    end: int
    """Where to go on."""
    more: bool
    """Whether there is more by now."""
    broken: int
    """Lines that were none."""
    anew: bool
    """Whether the file is another one than before, shorter than what was read of it: then this is its beginning."""


class Folder:
    """A folder of runs. It need not be there yet."""

    def __init__(self, root: Path) -> None:
        """Everything that is read lies below ``root``."""
        self.root = root

    def inside(self, name: str) -> Path | None:
        """What a name stands for, links followed; None where there is nothing of ours."""
        parts = name.split("/")
        if any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
            return None
        try:
            root = self.root.resolve(strict=True)
            path = root.joinpath(*parts).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        return path if path.is_relative_to(root) else None

    def runs(self) -> Iterator[tuple[str, Path]]:
        """The names of runs, and their files of figures."""
        for name, files in self._folders():
            if METRICS in files and (path := self.run(name or ITSELF)) is not None:
                yield name or ITSELF, path

    def reports(self) -> Iterator[tuple[str, Path]]:
        """The names of pages, and their files."""
        for name, files in self._folders():
            for file in files:
                if file.endswith(".html"):
                    full = f"{name}/{file}" if name else file
                    if (path := self.report(full)) is not None:
                        yield full, path

    def run(self, name: str) -> Path | None:
        """A run's file of figures."""
        return self._file(_at(name, METRICS))

    def report(self, name: str) -> Path | None:
        """A report's file: a page, whatever its name leads to."""
        path = self._file(name)
        return path if path is not None and path.suffix == ".html" else None

    def config(self, name: str) -> dict[str, Any]:
        """A run's settings; {} where they cannot be read."""
        path = self._file(_at(name, CONFIG))
        if path is None:
            return {}
        try:
            with path.open("rb") as file:
                said = json.loads(file.read(TAIL))
        except BROKEN:
            return {}
        if isinstance(said, dict) and isinstance(parts := said.get("parts"), list) and parts:
            # A run of several parts: the last one is the one that goes on.
            said = {"config": parts[-1]}
        config = said.get("config", said) if isinstance(said, dict) else {}
        return config if isinstance(config, dict) else {}

    def games(self, name: str) -> list[tuple[str, float, Record]]:
        """The latest games that a run has written down: their names, when, and what was played; the newest first."""
        files: list[tuple[float, str]] = []
        folder = self.inside(_at(name, GAMES))
        with suppress(OSError):
            for entry in os.scandir(folder) if folder is not None else ():
                if entry.name.endswith(".sgf") and entry.is_file():
                    files.append((entry.stat().st_mtime, entry.name))
        found: list[tuple[str, float, Record]] = []
        for changed, file in sorted(files, reverse=True):
            path = self.inside(_at(name, f"{GAMES}/{file}"))
            if path is None or len(found) == MOST_GAMES:
                continue
            with suppress(*BROKEN):
                if path.stat().st_size <= TAIL:
                    record = formats.read(path.read_bytes(), file)
                    record.board()  # raises when a move is illegal
                    found.append((file.removesuffix(".sgf"), changed, record))
        return found

    def _file(self, name: str) -> Path | None:
        """A file that can be read. A pipe or a device is none: whoever reads it might wait for ever."""
        path = self.inside(name)
        return path if path is not None and path.is_file() and os.access(path, os.R_OK) else None

    def _folders(self) -> Iterator[tuple[str, list[str]]]:
        """The folders below the root, '' for itself, with the names of the files in them; links are not followed."""
        for looked, (place, folders, files) in enumerate(os.walk(self.root)):
            name = "" if (below := os.path.relpath(place, self.root)) == "." else below.replace(os.sep, "/")
            deep = name.count("/") + 1 >= DEPTH if name else False
            folders[:] = [] if deep else sorted(f for f in folders if f not in PASSED_BY and not f.startswith("."))
            # A name that is no text cannot be told, nor asked for.
            folders[:] = filter(_is_text, folders)
            if looked == MOST_FOLDERS:
                return
            yield name, sorted(filter(_is_text, files))


def read_part(path: Path, after: int) -> Part:
    """Rows from a byte of a file on; a line that is still being written is left for later."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        anew = after > size
        begin = 0 if anew else after
        file.seek(begin)
        data = file.read(CHUNK)
    whole = data[: data.rfind(b"\n") + 1]
    if not whole and len(data) == CHUNK:
        # A line that fills a whole chunk is none of ours.
        whole = data
    rows, broken = [], 0
    for line in whole.splitlines():
        row = read_row(line)
        if row is not None:
            rows.append(row)
        elif line.strip():
            broken += 1
    end = begin + len(whole)
    most = max(FEWEST_ROWS, math.ceil(MOST_ROWS * len(whole) / max(1, size)))
    return Part(thinned(rows, most), end, end < size and bool(whole), broken, anew)


def read_row(line: bytes) -> Row | None:
    """The numbers of a line; None when it is no line of figures."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not is_number(said.get("step")):
        return None
    # A run that diverged has no numbers to draw.
    return {name: float(value) for name, value in said.items() if is_number(value) and _is_text(name)}


def thinned(rows: list[Row], most: int) -> list[Row]:
    """Rows side by side made one, so that so many stay: each figure has the last value that it had there.

    Figures that come up seldom are not lost. Where a run begins to count anew no rows are made one.

    >>> thinned([{"step": 1, "a": 1}, {"step": 2, "b": 5}, {"step": 3, "a": 2}], 1)
    [{'step': 3, 'a': 2, 'b': 5}]
    """
    together = -(-len(rows) // most) if most else 1
    kept: list[Row] = []
    held = 0
    for row in rows:
        if kept and 0 < held < together and row["step"] >= kept[-1]["step"]:
            kept[-1] |= row
            held += 1
        else:
            kept.append(dict(row))
            held = 1
    return kept


def latest(path: Path) -> Row:
    """The latest value of each figure, as far as the end of a file tells."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - TAIL))
        lines = file.read(TAIL).split(b"\n")
    found: Row = {}
    # What stands before the first line's end may be half a line, and what stands after the last one is.
    for line in lines[1 if size > TAIL else 0 : -1]:
        found |= read_row(line) or {}
    return found


def title_of(path: Path) -> str:
    """What a page calls itself; '' where it does not say."""
    with path.open("rb") as file:
        head = file.read(4096).decode("utf-8", "replace")
    match = re.search(r"<title>([^<]{1,300})", head)
    return html.unescape(" ".join(match[1].split())) if match else ""


def _at(run: str, file: str) -> str:
    return file if run == ITSELF else f"{run}/{file}"


def _is_text(name: str) -> bool:
    """Whether a name can be sent: JSON and file systems know halves of characters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number that can be drawn."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
