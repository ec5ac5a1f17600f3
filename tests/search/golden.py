"""Golden search trees: what they are searches of, and their text; ``python -m tests.search.golden`` writes them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from fingal.game import Board
from fingal.search import growing, uct
from fingal.search.evaluator import Evaluation, Evaluator, Positions
from fingal.search.rollout import RolloutEvaluator
from fingal.search.tree import Search, Settings

FOLDER = Path(__file__).parent.parent / "data" / "search"


def central(positions: Positions) -> Evaluation:
    """Likes cells near the centre, and judges by 16 random fillings: numbers that are the same on every machine."""
    said = RolloutEvaluator(fills=16, seed=1)(positions)
    row, column = np.divmod(np.arange(positions.width * positions.height), positions.width)
    away = np.abs(row - (positions.height - 1) / 2) + np.abs(column - (positions.width - 1) / 2)
    return Evaluation(np.tile(-0.5 * away, (len(said.value), 1)).astype(np.float32), said.value)


def text(search: growing.Search, board: Board, least: int = 1, line: tuple[int, ...] = ()) -> str:
    """The tree, a line for each move with so many visits, those after it indented."""
    out = ""
    for found in search.candidates(line):
        if found.visits >= least:
            numbers = f"visits {found.visits} value {found.value:.3f} prior {found.prior:.3f} proof {found.proof}"
            out += f"{'  ' * len(line)}{board.name(found.move)} {numbers}\n"
            out += text(search, board, least, (*line, found.move))
    return out


def searched(
    board: Board, settings: Settings, simulations: int, evaluator: Evaluator = central, seed: int = 1
) -> Search:
    search = Search(evaluator, settings, seed)
    search.set_position(board)
    search.finish(simulations)
    return search


def board_of(*moves: str, width: int, height: int | None = None) -> Board:
    board = Board(width, height)
    for move in moves:
        board.push(move)
    return board


def _alone(settings: Settings, *moves: str, width: int, height: int | None = None) -> str:
    board = board_of(*moves, width=width, height=height)
    return text(searched(board, settings, 200), board, least=3)


def _uct(settings: uct.Settings, *moves: str, width: int, height: int | None = None) -> str:
    """What was learned of patterns counts, too: the tree is another when other scores are shipped."""
    board = board_of(*moves, width=width, height=height)
    search = uct.Search(settings, seed=1)
    search.set_position(board)
    search.finish(200)
    return text(search, board, least=3)


def _next_move() -> str:
    """The tree is kept when a move is played, and searched on."""
    board = Board(5)
    search = searched(board, Settings(batch=1), 200)
    board.push(search.best_move())
    search.set_position(board)
    kept = text(search, board, least=3)
    search.finish(100)
    return f"kept:\n{kept}searched on:\n{text(search, board, least=3)}"


CASES: dict[str, Callable[[], str]] = {
    "puct-5x5": lambda: _alone(Settings(batch=1), width=5),
    "puct-batch-4x6": lambda: _alone(Settings(batch=8), "b3", "c4", width=4, height=6),
    "puct-noise-4x4": lambda: _alone(Settings(batch=4, noise=0.25), width=4),
    "gumbel-5x5": lambda: _alone(Settings(gumbel=True, batch=1), width=5),
    "gumbel-noise-4x5": lambda: _alone(Settings(gumbel=True, noise=1.0, batch=4), "b3", width=4, height=5),
    "solved-3x3": lambda: _alone(Settings(batch=1), "a1", width=3),
    "next-move-5x5": _next_move,
    "uct-6x6": lambda: _uct(uct.Settings(), width=6),
    "uct-plain-4x6": lambda: _uct(uct.Settings(knowledge=0, expand=3), "b3", "c4", width=4, height=6),
}


if __name__ == "__main__":
    for name, case in CASES.items():
        (FOLDER / f"{name}.txt").write_text(case(), encoding="utf-8")
