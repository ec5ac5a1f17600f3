"""A game that plays itself: one SVG file that moves without a script, wherever pictures are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fingal.game import SWAP, Board, Colour, Record, draw
from fingal.game.board import mirror
from fingal.game.picture import Circle, Shape, element
from fingal.game.record import apply

STEP = 0.8
"""Seconds a move."""
PAUSE = 3.0
"""Seconds at the end, before it begins again."""


def svg(record: Record, theme: str = "black-white") -> str:
    """The moves of a record's main line, one after another, again and again."""
    boards = _boards(record)
    total = len(boards) * STEP + PAUSE
    ends = [STEP * (number + 1) for number in range(len(boards) - 1)] + [total]
    shows: list[tuple[Shape, float, float]] = []
    stones = {side: _stones(boards[0][0], side, theme) for side in Colour}
    standing: dict[int, tuple[Colour, float]] = {}
    for (board, last), begin, end in zip(boards, [0.0, *ends], ends, strict=False):
        for cell in range(board.cells):
            stone, was = board.colour_at(cell), standing.get(cell)
            if was is not None and was[0] is not stone:
                shows.append((stones[was[0]][cell], was[1], begin))
                del standing[cell]
            if stone is not None and cell not in standing:
                standing[cell] = stone, begin
        if last is not None:
            ring = replace(
                stones[Colour.BLACK][last], kind="last-move", fill="", stroke=draw.THEMES[theme].last, width=2.5
            )
            shows.append((ring, begin, end))
    shows[:0] = [(stones[side][cell], begin, total) for cell, (side, begin) in standing.items()]

    final = draw.picture(boards[-1][0], last_move=False, theme=theme)
    empty = draw.picture(Board(record.width, record.height), theme=theme, title=f"{final.title}, move by move")
    ground = draw.svg(empty).rstrip().removesuffix("</svg>").rstrip()
    chain = [shape for shape in final.shapes if shape.kind == "winning-chain"]
    under = [_shown(shape, ends[-2] if len(ends) > 1 else 0.0, total, total) for shape in chain]
    over = [_shown(shape, begin, end, total) for shape, begin, end in shows]
    return "\n".join([ground, *under, *over, "</svg>\n"])


def _boards(record: Record) -> list[tuple[Board, int | None]]:
    """The board after every node, and the cell of the move that was made there; at the beginning what was set up."""
    board = Board(record.width, record.height, swap=record.swap)
    found: list[tuple[Board, int | None]] = []
    first: int | None = None
    for node in record.main_line:
        apply(node, board)
        last = node.move if node.move is not None and node.move >= 0 else None
        if node.move == SWAP and first is not None:
            last = mirror(first, board.width)
        first = last if first is None else first
        found.append((board.copy(), last))
    return found


def _stones(board: Board, side: Colour, theme: str) -> list[Circle]:
    """A stone of a colour for each cell, in order."""
    full = Board(board.width, board.height)
    for cell in range(full.cells):
        full.set_stone(cell, side)
    picture = draw.picture(full, theme=theme, winning_chain=False, last_move=False)
    return [shape for shape in picture.shapes if isinstance(shape, Circle) and shape.kind == f"{side} stone"]


def _shown(shape: Shape, begin: float, end: float, total: float) -> str:
    """A shape that is seen from ``begin`` to ``end`` of every round."""
    drawn = element(shape)
    moments: Sequence[tuple[float, int]] = [(0.0, int(begin <= 0)), (begin / total, 1), (end / total, 0)]
    moments = [*moments[: 1 if begin <= 0 else 2], *(moments[2:] if end < total else ())]
    if len(moments) == 1:
        return drawn
    values = ";".join(str(seen) for _, seen in moments)
    times = ";".join(f"{at:.5f}".rstrip("0").rstrip(".") for at, _ in moments)
    animate = f'<animate attributeName="opacity" calcMode="discrete" values="{values}" keyTimes="{times}"'
    # Where nothing moves, as on paper, the end of the game is seen.
    opacity = "" if end >= total else ' opacity="0"'
    return f'<g{opacity}>{drawn}{animate} dur="{total:g}s" repeatCount="indefinite"/></g>'
