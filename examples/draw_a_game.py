"""Play a short game and draw it in every way: text, terminal, SVG and PNG.

Run it with a folder to write the pictures to: ``python examples/draw_a_game.py pictures``.
"""

import sys
from pathlib import Path

from rich.console import Console

from fingal.game import Board, Mark, draw

MOVES = "c3 c2 d2 d1 e1 c4 b4 b5 a5"


def main(folder: Path) -> None:
    """Draw the position after a few moves, then the end."""
    board = Board(5)
    for move in MOVES.split():
        board.push(move)
        if board.ply == 4:
            print(board)

    Console().print(draw.terminal(board))

    folder.mkdir(parents=True, exist_ok=True)
    picture = draw.picture(board, numbers=True, marks=[Mark("selected", board.cell("c3"))])
    (folder / "game.svg").write_text(draw.svg(picture), encoding="utf-8")
    try:
        (folder / "game.png").write_bytes(draw.png(picture, scale=3))
    except ImportError as error:
        print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "pictures"))
