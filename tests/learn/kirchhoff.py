"""The mentor's circuit one node at a time, by Kirchhoff's law: the oracle of ``mentor``."""

import numpy as np

from fingal.game import Board, Colour


def edges_touched(board: Board, colour: Colour, cells: set[int]) -> set[int]:
    """The colour's edges, 0 (top or left) and 1 (bottom or right), that some cells lie on."""
    at = [divmod(cell, board.width)[colour] for cell in cells]
    return {edge for edge, place in ((0, 0), (1, board.width - 1)) if place in at}


def group(board: Board, colour: Colour, cell: int) -> set[int]:
    """The stones that are joined to one."""
    found, todo = {cell}, [cell]
    while todo:
        for near in board.neighbours(todo.pop()):
            if near not in found and board.colour_at(near) is colour:
                found.add(near)
                todo.append(near)
    return found


def wires(board: Board, colour: Colour) -> dict[int, set[int]]:
    """What each empty cell is joined to: cells, and -1 for the source and -2 for the ground."""
    empty = set(board.empty_cells)
    found = {cell: {near for near in board.neighbours(cell) if near in empty} for cell in empty}
    for cell in empty:
        found[cell] |= {-1 - edge for edge in edges_touched(board, colour, {cell})}
    for stone in range(board.cells):
        if board.colour_at(stone) is colour:
            stones = group(board, colour, stone)
            around = {near for one in stones for near in board.neighbours(one) if near in empty}
            edges = edges_touched(board, colour, stones)
            for cell in around:
                found[cell] |= {-1 - edge for edge in edges} or around - {cell}
    return found


def circuit(board: Board, colour: Colour) -> tuple[dict[int, float], float]:
    """Half of all that flows in the wires of each empty cell, and what leaves the source."""
    joined = wires(board, colour)
    cells = sorted(joined)
    place = {cell: number for number, cell in enumerate(cells)}
    matrix, current = np.zeros((len(cells), len(cells))), np.zeros(len(cells))
    for cell, ends in joined.items():
        for end in ends:
            matrix[place[cell], place[cell]] += 1
            if end == -1:
                current[place[cell]] += 1
            elif end >= 0:
                matrix[place[cell], place[end]] -= 1
    solved = np.linalg.lstsq(matrix, current, rcond=None)[0]
    volt = {cell: float(solved[place[cell]]) for cell in cells} | {-1: 1.0, -2: 0.0}
    through = {cell: sum(abs(volt[cell] - volt[end]) for end in ends) / 2 for cell, ends in joined.items()}
    return through, sum(1 - volt[cell] for cell in cells if -1 in joined[cell])
