"""A colour's circuit as an explicit graph, solved by numpy: the oracle of the resistances."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from fingal.game import Board, Colour

Link = tuple[Hashable, Hashable, float]


def edges_of(board: Board, colour: Colour, cell: int) -> list[str]:
    """The colour's edges that a cell lies on."""
    row, column = divmod(cell, board.width)
    at, end = (row, board.height - 1) if colour is Colour.BLACK else (column, board.width - 1)
    return [name for name, place in (("first", 0), ("second", end)) if at == place]


def names(board: Board, colour: Colour) -> dict[Hashable, Hashable]:
    """What each of a colour's cells and edges belongs to: itself, or one name for all that stones join."""
    group: dict[Hashable, Hashable] = {end: end for end in ("first", "second", *range(board.cells))}
    before = None
    while before != group:  # Names spread until they have been everywhere.
        before = dict(group)
        for cell in range(board.cells):
            if board.colour_at(cell) is not colour:
                continue
            near = [next for next in board.neighbours(cell) if board.colour_at(next) is colour]
            joined = [cell, *near, *edges_of(board, colour, cell)]
            least = min((group[end] for end in joined), key=lambda name: (isinstance(name, int), str(name)))
            for end in joined:
                group[end] = least
    return group


def links(board: Board, colour: Colour) -> list[Link]:
    """Every link of a colour's circuit once, with its conductance."""
    group = names(board, colour)
    found = {}
    for cell in board.empty_cells:
        for next in board.neighbours(cell):
            if board.colour_at(next) is None:
                found[frozenset((cell, next))] = 1.0
            elif board.colour_at(next) is colour:
                found[frozenset((cell, group[next]))] = 2.0
        for edge in edges_of(board, colour, cell):
            found[frozenset((cell, group[edge]))] = 2.0
    return [(*sorted(ends, key=str), conductance) for ends, conductance in found.items()]  # type: ignore[misc]


def conductance(board: Board, colour: Colour, wires: Sequence[Link] = ()) -> float:
    """Between a colour's edges, by the pseudo-inverse of the whole graph's Laplacian."""
    group = names(board, colour)
    source, sink = group["first"], group["second"]
    if source == sink:
        return math.inf
    all_links = [*links(board, colour), *((group[a], group[b], c) for a, b, c in wires)]
    nodes = sorted({source, sink, *(end for a, b, _ in all_links for end in (a, b))}, key=str)
    index = {node: number for number, node in enumerate(nodes)}
    laplacian = np.zeros((len(nodes), len(nodes)))
    for a, b, strength in all_links:
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            laplacian[index[i], index[j]] += sign * strength
    current = np.zeros(len(nodes))
    current[index[source]], current[index[sink]] = 1, -1
    voltage = np.linalg.pinv(laplacian, hermitian=True) @ current
    is_possible = np.allclose(laplacian @ voltage, current, atol=1e-6)
    return 1 / float(current @ voltage) if is_possible else 0.0
