"""What a beginner would write about connections: who touches whom, search of a carrier, and the rules one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from fingal.analysis.connections import Connections, Step
from fingal.game import Board, Colour


def neighbours(cell: int, width: int, height: int) -> list[int]:
    row, column = divmod(cell, width)
    steps = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
    around = [(row + down, column + right) for down, right in steps]
    return [r * width + c if 0 <= r < height and 0 <= c < width else -1 for r, c in around]


def edge_cells(board: Board, colour: Colour, side: int) -> set[int]:
    line = 0 if side == 0 else (board.height if colour is Colour.BLACK else board.width) - 1
    return {cell for cell in range(board.cells) if divmod(cell, board.width)[int(colour)] == line}


def joined(board: Board, colour: Colour, owned: Collection[int], a: int, b: int) -> bool:
    """Whether a chain of owned cells and edges leads from one end to the other."""
    edges = [edge_cells(board, colour, side) for side in (0, 1)]
    seen, todo = {a}, [a]
    while todo:
        end = todo.pop()
        if end == b:
            return True
        if end >= board.cells:
            near = edges[end - board.cells] & set(owned)
        else:
            near = {cell for cell in neighbours(end, board.width, board.height) if cell in owned or cell == b >= 0}
            near |= {board.cells + side for side in (0, 1) if end in edges[side]}
        fresh = near - seen
        seen |= fresh
        todo += fresh
    return False


def holds(board: Board, colour: Colour, a: int, b: int, carrier: frozenset[int], *, owner_first: bool) -> bool:
    """Whether the ends are joined when both sides play in the carrier alone: every line of play, to its end."""
    stones = {cell for cell in range(board.cells) if board.colour_at(cell) is colour} | {a, b}

    @cache
    def wins(owned: frozenset[int], left: frozenset[int], owner_moves: bool) -> bool:
        if joined(board, colour, stones | owned, a, b):
            return True
        if not joined(board, colour, stones | owned | left, a, b):
            return False
        results = (wins(owned | {cell} if owner_moves else owned, left - {cell}, not owner_moves) for cell in left)
        return any(results) if owner_moves else all(results)

    return wins(frozenset(), carrier, owner_first)


def is_sound(view: Connections, board: Board, steps: list[Step], template_holds: Callable[[Step], bool]) -> bool:
    """Whether every step of a derivation follows from those before it; ``template_holds`` judges templates."""
    colour = view.colour
    stones = {cell for cell in range(board.cells) if board.colour_at(cell) is colour}
    full: list[bool] = []

    def dead(cell: int, owned: set[int]) -> bool:
        row, column = divmod(cell, board.width)
        owned_around = []
        for (down, right), near in zip(
            ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)),
            neighbours(cell, board.width, board.height),
            strict=True,
        ):
            over_row = not 0 <= row + down < board.height
            over_column = not 0 <= column + right < board.width
            if over_row or over_column:
                owned_around.append(over_row != over_column and over_row is (colour is Colour.BLACK))
            else:
                owned_around.append(near in owned)
        others = [i for i in range(6) if not owned_around[i]]
        return len(others) <= 1 or (len(others) == 2 and (others[1] - others[0]) % 6 in (1, 5))

    def captured(step: Step) -> set[int]:
        cells: set[int] = set()
        for by, pair in step.captured:
            if not (pair - stones <= step.carrier and by not in pair):
                return set()
            if not (by in stones or by in (step.a, step.b) or (step.rule == "and" and by == step.middle)):
                return set()
            if not all(dead(cell, stones | {by} | (pair - {cell})) for cell in pair - stones):
                return set()
            cells |= pair
        return cells

    for number, step in enumerate(steps):
        ends = {step.a, step.b}
        parents = [steps[i] for i in step.parents]
        if any(i >= number for i in step.parents) or step.carrier & (stones | ends):
            return False
        if not all(parent.carrier <= step.carrier | {step.middle} for parent in parents):
            return False
        if step.rule == "touch":
            good = joined(board, colour, stones, step.a, step.b)
            full.append(True)
        elif step.rule == "template":
            good = template_holds(step)
            full.append(True)
        elif step.rule == "and":
            first, second = parents
            open_middle = step.middle < board.cells and step.middle not in stones
            good = (
                full[step.parents[0]]
                and full[step.parents[1]]
                and {first.a, first.b} ^ {second.a, second.b} == ends
                and step.middle in {first.a, first.b} & {second.a, second.b}
                and first.carrier & second.carrier <= captured(step)
                and not ends & (first.carrier | second.carrier)
                and (not open_middle or step.middle in step.carrier)
            )
            full.append(not open_middle)
        else:
            good = all({parent.a, parent.b} == ends for parent in parents)
            good = good and frozenset.intersection(*(parent.carrier for parent in parents)) <= captured(step)
            full.append(True)
        if not good:
            return False
    return True
