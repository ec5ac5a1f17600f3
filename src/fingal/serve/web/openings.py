"""Which first moves are to be swapped: truth from the solver's tables on small boards, a net's estimate on others."""

from __future__ import annotations

import functools
import threading
from typing import Annotated

from fastapi import APIRouter, Path

from fingal.game import Board
from fingal.nets.inference import open_evaluator
from fingal.players.searching import values_after
from fingal.search.evaluator import Evaluator
from fingal.serve.web.messages import Cell, Said
from fingal.solve import tables

NET = "fingal-small"

SMALLEST, LARGEST = 3, 13
"""On larger boards than those that it has learned on the net's values say nothing."""


class Opening(Said):
    """One first move, of Black's."""

    wins: bool
    """Whether Black wins with it when there is no swap: then White swaps."""
    value: float
    """Black's, from -1 to 1: one of these where it is proven."""
    proven: bool


class Map(Said):
    """All first moves of a board."""

    size: int
    cells: dict[Cell, Opening]
    proven: bool
    """Whether every one of them is."""
    text: str
    """Where it comes from, in a sentence or two."""


_one_at_a_time = threading.Lock()
"""A map of a large board takes the net a second: however many ask, it is made once."""


def openings(size: int) -> Map:
    """The map of a square board; made once and then remembered."""
    with _one_at_a_time:
        return _openings(size)


@functools.cache
def _openings(size: int) -> Map:
    board, known = Board(size), tables.openings(size, size)
    guessed = [] if len(known) == board.cells else _estimates(size)
    cells = {
        board.name(cell): Opening(wins=known[cell], value=1.0 if known[cell] else -1.0, proven=True)
        if cell in known
        else Opening(wins=guessed[cell] > 0, value=guessed[cell], proven=False)
        for cell in range(board.cells)
    }
    return Map(size=size, cells=cells, proven=not guessed, text=_text(size, len(known), board.cells))


def _text(size: int, known: int, cells: int) -> str:
    """What a map rests on."""
    if known == cells:
        return f"Every first move on {size}x{size} has been solved: this is the truth."
    said = f"the net {NET} has judged them, and it can be wrong"
    if known:
        return f"{known} of {cells} first moves on {size}x{size} have been solved; the others are an estimate: {said}."
    return f"Nobody has solved {size}x{size} here: this is an estimate, {said}."


def _estimates(size: int) -> list[float]:
    """What the net thinks of the board after each first move, Black's view, [cells].

    Turned by 180 degrees a first move is the same, so that the mean of both is taken.
    """
    values = -values_after(_net(), Board(size)).astype(float)
    means = (values + values[::-1]) / 2
    return [round(float(value), 4) for value in means]


@functools.cache
def _net() -> Evaluator:
    return open_evaluator(NET, "cpu")


def router() -> APIRouter:
    """The part of the API that tells which first moves win."""
    routes = APIRouter(tags=["learn"])

    @routes.get("/api/openings/{size}")
    def of_size(size: Annotated[int, Path(ge=SMALLEST, le=LARGEST)]) -> Map:
        """Which first moves win on a square board, proven or estimated."""
        return openings(size)

    return routes
