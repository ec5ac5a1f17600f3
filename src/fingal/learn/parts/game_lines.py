"""Games to learn from, out of files: one a line, or SGF.

A line is a game's cells, Black's first: ``a1 b2 c3``. It may begin with who won, ``B`` or ``W``, and how many of its
first stones were drawn at random: ``B 2 a1 b2 c3``. A file that begins with ``(`` is an SGF collection, and a folder
stands for all its ``.sgf`` files; of each game the main line counts.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fingal.game import BLACK, Board, Colour, Record, Special, formats

_HEAD = re.compile(r"[BW] ([0-9]+)(?: |$)")


class Game(NamedTuple):
    """One game on a square board, with no swap in it."""

    moves: tuple[int, ...]
    """Cells, Black's first; only the last may end the game."""
    given: int = 0
    """How many of the first moves are not a player's choice: drawn at random, or chosen to be fair."""


def read(path: Path, size: int) -> list[Game]:
    """The games of a file or a folder; ValueError, with the file and its line, for what is none on this board."""
    if path.is_dir():
        return [game for file in sorted(path.glob("*.sgf")) for game in _collection(file.read_bytes(), file, size)]
    try:
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
        if data.lstrip()[:1] == b"(":
            return _collection(data, path, size)
        lines = data.decode("utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} cannot be read: it is not text") from None
    games = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            head = _HEAD.match(line)
            words = line[head.end() :].split() if head else line.split()
            games.append(Game(_cells(words, size, f"{path}, line {number}"), int(head[1]) if head else 0))
    return games


def line(moves: Sequence[int], given: int, size: int, winner: Colour) -> str:
    """A game as a line."""
    board = Board(size)
    return " ".join((winner.letter, str(given), *(board.name(move) for move in moves)))


def _cells(words: Sequence[str], size: int, place: str) -> tuple[int, ...]:
    board = Board(size)
    for word in words:
        if board.is_over():
            raise ValueError(f"{place}: the game is over before its last move")
        found = re.fullmatch(r"([a-z])([1-9][0-9]?)", word)
        column, row = (ord(found[1]) - ord("a"), int(found[2]) - 1) if found else (size, size)
        if column >= size or row >= size or not board.is_legal(row * size + column):
            raise ValueError(f"{place}: {word[:20]!r} is no empty cell of {size}x{size}")
        board.push(row * size + column)
    return tuple(board.moves)


def _collection(data: bytes, path: Path, size: int) -> list[Game]:
    games = []
    for number, record in enumerate(formats.read_all(data, str(path)), 1):
        place = f"{path}, game {number}"
        if (record.width, record.height) != (size, size):
            raise ValueError(f"{place} is on {record.width}x{record.height}, not on {size}x{size}")
        games.append(of_record(record, place))
    return games


def of_record(record: Record, place: str = "the record") -> Game:
    """The main line of a record; ValueError, which begins with ``place``, where stones were set up or a side passed.

    After a swap of pieces the stone is White's, mirrored, with Black to move. Mirrored with the colours exchanged that
    is the stone as it was with White to move: so the swap is left out, and every later move is mirrored. A first move
    that may be swapped is not chosen to win, so it counts as given.
    """
    size, moves, swapped = record.width, list[int](), False
    for node in record.main_line:
        if node.setup:
            raise ValueError(f"{place} begins with stones that were set up: only games from the empty board are read")
        if node.move is None or node.move in (Special.RESIGN, Special.FORFEIT, Special.SWAP_SIDES):
            continue
        if node.move == Special.SWAP_PIECES:
            swapped = True
        elif node.move < 0:
            raise ValueError(f"{place} has a {Special(node.move).text}, which nothing can be learned from")
        elif (node.colour is BLACK) is not ((len(moves) % 2 == 0) is not swapped):
            raise ValueError(f"{place} has a move out of turn: Black begins, and sides must alternate")
        else:
            moves.append(node.move % size * size + node.move // size if swapped else node.move)
    board = Board(size)
    names = [board.name(move) for move in moves]
    sides = any(node.move == Special.SWAP_SIDES for node in record.main_line)
    return Game(_cells(names, size, place), int(swapped or sides or record.swap))
