"""Whole matches under a clock, against an engine in a process of its own: nobody loses on time.

The referee is this side of the pipe: what counts is the wall clock from the question to the answer. More games:
``python -m tests.slow.test_clock GAMES SECONDS SIZE [PLAYER]``.
"""

import random
import sys
import time

import pytest

from fingal.game import Board
from fingal.players.engine import Engine

PLAYER = "gumbel:net=fingal-small,time=1,device=cpu"
START = 120.0
"""Seconds that the engine may take to start, and to answer what has no clock."""


def least_left(engine: Engine, size: int, seconds: float, seed: int, period: int = 0) -> float:
    """One game against random moves, or against itself: the fewest seconds that a clock of the engine showed.

    If ``period`` is not 0, the seconds are for so many moves, and after these there are as many again.
    """
    rng, board, left, made = random.Random(seed), Board(size, swap=True), [seconds, seconds], [0, 0]
    for line in (f"boardsize {size}", f"param_game game_time {seconds}", "param_game allow_swap 1"):
        engine.ask(line, START)
    plays = ({0}, {1}, {0, 1})[seed % 3]  # colours
    least = seconds
    while not board.is_over():
        side = int(board.turn)
        if side in plays:
            engine.ask(f"time_left {board.turn} {max(left[side], 0):.3f} {period - made[side]}", START)
            asked = time.monotonic()
            answer = engine.ask(f"genmove {board.turn}", START)
            left[side] -= time.monotonic() - asked
            board.push("swap" if answer == "swap-pieces" else answer)
            least = min(least, left[side])
            if period:
                made[side] = (made[side] + 1) % period
                left[side] = left[side] if made[side] else seconds
        else:
            move = rng.choice(board.legal_moves)
            engine.ask(f"play {board.turn} {board.name(move)}", START)
            board.push(move)
    return least


def match(games: int, seconds: float, size: int, player: str = PLAYER, period: int = 0) -> list[float]:
    """The fewest seconds left in each game."""
    code = "from fingal.cli import main; main()"
    engine = Engine(f"{sys.executable} -c '{code}' htp {player}", START)
    try:
        return [least_left(engine, size, seconds, seed, period) for seed in range(games)]
    finally:
        engine.close()


@pytest.mark.parametrize(("games", "seconds", "size"), [(4, 20, 9), (12, 2, 9), (3, 4, 13), (24, 0.7, 5)])
def test_nobody_loses_on_time(games: int, seconds: float, size: int) -> None:
    left = match(games, seconds, size)
    print(f"{games} games on {size}x{size}, {seconds} s a side: {min(left):.2f} s left in the closest")
    assert min(left) > 0


@pytest.mark.parametrize(("games", "seconds", "size", "period"), [(6, 1, 9, 4), (4, 0.5, 11, 1), (4, 1.5, 13, 10)])
def test_nobody_overruns_a_period(games: int, seconds: float, size: int, period: int) -> None:
    left = match(games, seconds, size, period=period)
    print(f"{games} games on {size}x{size}, {seconds} s for {period} moves: {min(left):.2f} s left in the closest")
    assert min(left) > 0


def test_threads_and_pondering_lose_no_time() -> None:
    assert min(match(6, 3, 9, f"{PLAYER},threads=2,ponder=yes")) > 0


if __name__ == "__main__":
    games, seconds, size = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    found = match(games, seconds, size, *sys.argv[4:5])
    lost = sum(left < 0 for left in found)
    print(f"{games} games on {size}x{size}, {seconds} s a side: {lost} lost on time, {min(found):.3f} s in the closest")
