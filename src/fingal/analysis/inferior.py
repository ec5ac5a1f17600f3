"""Inferior cells: cells that can be filled in without changing the winner, and moves that need not be tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fingal import _core
from fingal.game import Board, Colour

KINDS = ("dead", "captured", "vulnerable", "reversible", "dominated")
"""The kinds of claims; the first two fill cells in, the others prune moves."""


@dataclass(frozen=True)
class Claim:
    """One step of the reasoning; ``fingal.solve.inferior_check`` says exactly what each kind means."""

    kind: str
    """One of ``KINDS``."""
    cell: int | None
    """The move that is pruned; None for fill-ins."""
    by: int | None
    """The answer that makes the move worthless, or the move that is at least as good; None for fill-ins."""
    region: tuple[int, ...]
    """Empty cells. The reason lies in them and in what touches them."""
    black: tuple[int, ...]
    """Of a fill-in's region, the cells that become Black's."""
    white: tuple[int, ...]
    """And those that become White's."""

    def as_dict(self) -> dict[str, Any]:
        """The claim as a proof tree carries it, and the checker reads it."""
        if self.cell is None:
            return {
                "kind": self.kind,
                "region": list(self.region),
                "black": list(self.black),
                "white": list(self.white),
            }
        return {"kind": self.kind, "cell": self.cell, "by": self.by, "region": list(self.region)}


@dataclass(frozen=True)
class Inferior:
    """What is inferior in a position, and why."""

    to_move: Colour
    fill: dict[Colour, list[int]]
    """Cells that may be given to a colour: the winner stays the same, whoever is to move."""
    pruned: list[int]
    """Cells that the side to move need not try once the fill-in is made."""
    claims: list[Claim]
    """Fill-ins in the order in which they are made, then pruned moves."""

    def cells(self, kind: str) -> list[int]:
        """The cells of one kind: filled in as dead or captured, or pruned."""
        chosen = (claim for claim in self.claims if claim.kind == kind)
        return sorted(
            at for claim in chosen for at in (claim.black + claim.white if claim.cell is None else (claim.cell,))
        )


def find_inferior(board: Board, to_move: Colour | None = None, *, prune: bool = True) -> Inferior:
    """The inferior cells of a position, in the view of ``to_move`` (the side to move when it is None).

    If that side wins, one of the cells that are neither filled in nor pruned wins. A finished game has none.

    >>> board = Board(9)
    >>> board.push("e2")
    >>> [board.name(cell) for cell in find_inferior(board).fill[Colour.BLACK]]
    ['d1', 'e1', 'f1', 'g1']
    """
    colour = board.turn if to_move is None else Colour(to_move)
    if board.is_over():
        return Inferior(colour, {Colour.BLACK: [], Colour.WHITE: []}, [], [])
    black, white, pruned, claims = _core.inferior(board, colour, prune)
    reasons = [
        Claim(KINDS[kind], None if cell < 0 else cell, None if by < 0 else by, *map(tuple, sets))
        for kind, cell, by, *sets in claims
    ]
    return Inferior(colour, {Colour.BLACK: black, Colour.WHITE: white}, pruned, reasons)
