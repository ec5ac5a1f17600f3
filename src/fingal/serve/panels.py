"""An analysis for people: panels with a board each, in a terminal and as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console

from fingal.analysis.distance import Distance
from fingal.analysis.inferior import Inferior
from fingal.analysis.resistance import Resistance
from fingal.game import Board, Colour, draw
from fingal.game.draw import Link, Overlay, Picture
from fingal.serve.analyse import Analysis, Joined
from fingal.solve.dfpn import Solution
from fingal.solve.report import verdict

HEAT, GONE, WEAK, GOOD = "#d8432f", "#8a8a8a", "#6f86a8", "#3f9a4a"
"""The colours of energy, of cells that are filled in, of moves that need not be tried, and of moves that win."""
NEEDED = {Colour.BLACK: "#3b3b45", Colour.WHITE: "#ffffff"}
"""The colours of the cells that a connection needs."""

SIGNS = {"dead": "d", "captured": "c", "vulnerable": "v", "reversible": "r", "dominated": "m"}
"""Signs of the kinds of inferior cells; those that are filled in show their colour instead."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One board and what is said about it."""

    heading: str
    overlay: Overlay
    notes: tuple[str, ...]


def panels(analysis: Analysis) -> list[Panel]:
    """A panel for each thing that was found out."""
    board, found = analysis.board, []
    if analysis.resistance is not None:
        found.append(_resistance(board, analysis.resistance))
    if analysis.path is not None and analysis.two is not None:
        found.append(_distance(board, analysis.path, analysis.two))
    if analysis.connections is not None and analysis.must_play is not None:
        found.append(_connections(analysis, analysis.connections))
        found.append(_must_play(board, analysis.must_play))
    if analysis.inferior is not None:
        found.append(_inferior(board, analysis.inferior))
    if analysis.solution is not None:
        found.append(_solution(board, analysis.solution))
    return found


def show(analysis: Analysis, console: Console) -> None:
    """Draw the panels on a console, one below the other."""
    for panel in panels(analysis):
        console.print(panel.heading, style="bold", markup=False, highlight=False)
        draw.show(analysis.board, console, panel.overlay)
        for note in panel.notes:
            console.print(note, markup=False, emoji=False, highlight=False, soft_wrap=True)
        console.print()


def picture(analysis: Analysis, columns: int = 3) -> Picture:
    """The panels as one picture, ``columns`` side by side."""
    shown = panels(analysis)
    parts = [draw.picture(analysis.board, overlay=panel.overlay) for panel in shown]
    return draw.beside(parts, [panel.heading for panel in shown], columns, draw.THEMES["black-white"].ink)


def names(board: Board, cells: Iterable[int]) -> str:
    """'a1 b2', or 'none'."""
    return " ".join(board.name(cell) for cell in cells) or "none"


def _resistance(board: Board, found: Resistance) -> Panel:
    """Cells as hot as the energy that they take, of both colours together."""
    total = found.energy.sum(axis=0)
    most = float(total.max()) or 1.0
    tints = {cell: (HEAT, 0.85 * float(total[cell]) / most) for cell in found.order}
    signs = {cell: str(round(9 * total[cell] / most)) for cell in found.order}
    labels = {cell: f"{50 * total[cell]:.1f}" for cell in found.order}
    ohms = ", ".join(f"{colour} {_ohms(found.resistance(colour))}" for colour in Colour)
    value = f"value for {board.turn}: {found.value(board.turn):+.2f}"
    notes = [f"resistance: {ohms}; {value}"]
    if found.order:
        notes.append(f"most energy: {names(board, found.order[:5])}")
    return Panel("Resistance: each cell's share of the energy", Overlay(tints, signs, labels), tuple(notes))


def _ohms(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "infinite"


def _distance(board: Board, path: Distance, two: Distance) -> Panel:
    """The two-distance of the side to move through each cell."""
    own = two.through[board.turn]
    ways = {cell: int(own[cell]) for cell in range(board.cells) if own[cell] >= 0}
    near = two.least[board.turn]
    tints = {cell: (HEAT, 0.7 / (1 + way - near)) for cell, way in ways.items() if near > 0}
    signs = {cell: str(way) if way < 10 else "+" for cell, way in ways.items()}
    labels = {cell: str(way) for cell, way in ways.items()}
    notes = tuple(
        f"{name}: " + ", ".join(f"{colour} {_steps(found.least[colour])}" for colour in Colour)
        for name, found in (("shortest path", path), ("two-distance", two))
    )
    return Panel(f"Two-distance for {board.turn}", Overlay(tints, signs, labels), notes)


def _steps(least: int) -> str:
    return "none" if least < 0 else "joined" if least == 0 else str(least)


def _connections(analysis: Analysis, found: tuple[Joined, Joined]) -> Panel:
    """Lines between stones and edges that cannot be kept apart, and the cells that they need."""
    board = analysis.board
    tints, signs = {}, {}
    links, notes = [], []
    for colour in Colour:
        joined = found[colour]
        for link in joined.links:
            links.append(Link(link.a, link.b, colour))
            for cell in link.carrier:
                tints[cell] = (NEEDED[colour], 0.45)
                signs[cell] = colour.letter.lower()
        if joined.won is not None:
            for cell in joined.won:
                tints[cell] = (GOOD, 0.6)
                signs[cell] = "*"
            notes.append(f"{str(colour).capitalize()} has won by connection: it needs {names(board, joined.won)}")
        said = [f"{analysis.end_name(colour, link.a)}-{analysis.end_name(colour, link.b)}" for link in joined.links]
        ends = f": {', '.join(said)}" if said else ""
        notes.append(f"{colour}: {joined.fulls} full, {joined.semis} semi connections{ends}")
    return Panel("Connections of stones and edges", Overlay(tints, signs, links=tuple(links)), tuple(notes))


def _must_play(board: Board, must: tuple[int, ...]) -> Panel:
    """Cells outside the must-play region are crossed out."""
    outside = [cell for cell in board.empty_cells if cell not in must]
    if board.is_over():
        note = "nothing: the game is over"
    elif not must:
        note = f"nothing helps: {board.turn.other} has won by connection"
    else:
        note = names(board, must) if outside else "anywhere: nothing is forced"
    tints = dict.fromkeys(outside, (GONE, 0.6))
    overlay = Overlay(tints, dict.fromkeys(outside, "x"), dict.fromkeys(outside, "x"))
    return Panel(f"Must-play region of {board.turn}", overlay, (note,))


def _solution(board: Board, found: Solution) -> Panel:
    """Moves that win and lose, and the moves expected."""
    tints = dict.fromkeys(found.winning, (GOOD, 0.75)) | dict.fromkeys(found.losing, (GONE, 0.6))
    signs = dict.fromkeys(found.losing, "-") | dict.fromkeys(found.winning, "+")
    labels = dict.fromkeys(found.losing, "-") | dict.fromkeys(found.winning, "+")
    labels |= {cell: str(number) for number, cell in enumerate(found.variation, 1)}
    notes = [verdict(found, board)]
    if found.winning:
        notes.append(f"winning: {names(board, found.winning)}")
    if found.variation:
        notes.append(f"variation: {names(board, found.variation)}")
    return Panel("The solver's verdict", Overlay(tints, signs, labels), tuple(notes))


def _inferior(board: Board, found: Inferior) -> Panel:
    """Filled-in cells in their colour, and moves that need not be tried by their kind."""
    tints, signs, labels = {}, {}, {}
    for colour in Colour:
        for cell in found.fill[colour]:
            tints[cell] = (GONE, 0.6)
            signs[cell] = labels[cell] = colour.letter.lower()
    notes = []
    for colour in Colour:
        if found.fill[colour]:
            notes.append(f"filled in for {colour}: {names(board, found.fill[colour])}")
    for claim in found.claims:
        if claim.cell is None or claim.by is None or claim.cell in signs:
            continue
        tints[claim.cell] = (WEAK, 0.6)
        signs[claim.cell] = SIGNS[claim.kind]
        labels[claim.cell] = f"{SIGNS[claim.kind]} {board.name(claim.by)}"
    for kind in ("vulnerable", "reversible", "dominated"):
        if cells := found.cells(kind):
            notes.append(f"{kind} ({SIGNS[kind]}): {names(board, cells)}")
    heading = f"Inferior cells for {found.to_move}"
    return Panel(heading, Overlay(tints, signs, labels), tuple(notes or ["none"]))
