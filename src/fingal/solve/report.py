"""What a solver found, for a person."""

from __future__ import annotations

from rich.console import Console

from fingal.game import Board, draw
from fingal.solve.dfpn import Progress, Solution

HOPELESS = 1 << 30


def line(progress: Progress) -> str:
    """How far a search has come, on one line."""
    ways = " / ".join("-" if ways >= HOPELESS else f"{ways:,}" for ways in (progress.to_win, progress.to_lose))
    return (
        f"{progress.nodes:,} positions, {progress.seconds:.1f} s, "
        f"to prove a win / a loss: {ways}, table {progress.table:.0%} full"
    )


def verdict(found: Solution, board: Board) -> str:
    """Who wins, in one sentence; when nothing is proved, how far the search came."""
    if board.winner is not None:
        return f"{str(board.winner).capitalize()} has won already."
    if found.winner is None:
        return f"Not solved: {line(found.progress)}."
    return f"{str(found.winner).capitalize()} wins ({found.to_move} to move)."


def show(found: Solution, board: Board, console: Console) -> None:
    """Print what was found."""

    def say(text: str) -> None:
        console.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)

    draw.show(board, console)
    say(verdict(found, board))
    if board.winner is not None:
        return
    for title, moves in (("winning moves", found.winning), ("variation", found.variation)):
        if moves:
            say(f"{title}: {' '.join(board.name(move) for move in moves)}")
    if found.winner is None and found.open:
        say(f"best guess: {board.name(found.open[0])}")
    if found.winner is not None:
        say(f"{found.progress.nodes:,} positions, {found.progress.seconds:.2f} s")
