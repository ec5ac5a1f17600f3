"""What is known of small boards from elsewhere, and a solver so plain that it can be believed."""

import json
import random
from functools import cache
from pathlib import Path

from fingal.game import Board, Colour

OPENINGS: dict[str, list[str]] = json.loads(
    (Path(__file__).parent.parent / "data" / "solve" / "openings.json").read_text(encoding="utf-8")
)
"""By size, the first moves that win for Black; published, or solved exhaustively by other programs."""


@cache
def plain_winner(width: int, height: int, position: str, to_move: int) -> int:
    """Who wins a position, row by row as in 'B..W', by trying everything."""
    for colour in (0, 1):
        if joined(width, height, position, colour):
            return colour
    for cell, mark in enumerate(position):
        if mark == ".":
            after = position[:cell] + "BW"[to_move] + position[cell + 1 :]
            if plain_winner(width, height, after, 1 - to_move) == to_move:
                return to_move
    return 1 - to_move


def joined(width: int, height: int, position: str, colour: int) -> bool:
    own = {divmod(cell, width) for cell, mark in enumerate(position) if mark == "BW"[colour]}
    last = (height, width)[colour] - 1
    todo = [at for at in own if at[colour] == 0]
    seen = set(todo)
    while todo:
        row, column = todo.pop()
        if (row, column)[colour] == last:
            return True
        for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            next_to = (row + down, column + right)
            if next_to in own and next_to not in seen:
                seen.add(next_to)
                todo.append(next_to)
    return False


def text(board: Board) -> str:
    colours = (board.colour_at(cell) for cell in range(board.cells))
    return "".join("." if colour is None else "BW"[colour] for colour in colours)


def random_board(width: int, height: int, stones: int, rng: random.Random) -> Board:
    """Any mixture of colours, so that positions come up that no game leads to; nobody has won."""
    while True:
        board = Board(width, height)
        for cell in rng.sample(range(board.cells), stones):
            board.set_stone(cell, rng.choice(list(Colour)))
        if board.winner is None:
            board.turn = rng.choice(list(Colour))
            return board
