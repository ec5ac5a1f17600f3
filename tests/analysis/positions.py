"""Random positions for tests of what can be said of them."""

import random
from collections.abc import Iterator

from fingal.game import Board

SIZES = [(1, 1), (2, 2), (3, 5), (5, 3), (1, 4), (11, 11), (19, 19)]


def random_positions(width: int, height: int, count: int, seed: int) -> Iterator[Board]:
    """Boards with any number of random moves on them, some of them to the end of the game."""
    rng = random.Random(f"{width}x{height}: {seed}")
    for _ in range(count):
        board = Board(width, height)
        for _ in range(rng.randrange(board.cells + 1)):
            if board.is_over():
                break
            board.push(rng.choice(board.empty_cells))
        yield board
