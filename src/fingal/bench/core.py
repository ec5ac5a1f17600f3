"""How fast the core is, beside OpenSpiel and pgx: ``fingal bench core``.

Every figure is a rate per CPU second of one thread on 11x11. Figures are taken in several short rounds, all of them in
each round, and the median is reported: what disturbs the machine for a while disturbs all of them alike.

The peers are driven in the way that suits them best:

- OpenSpiel (``pyspiel``) plays random games from Python, move by move; its games have no swap.
- pgx's "hex" (with swap, as ``env_steps_per_s`` has it) runs in a process of its own, on one core, with its own
  auto-reset, as one compiled loop with no Python in it (``fingal.bench.pgx_peer``).
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fingal import _core
from fingal.bench.pgx_peer import PgxPeer
from fingal.game import Board

SIZE = 11
BATCHES = (64, 256, 1024, 4096)
"""How many games ``HexVectorEnv`` and pgx step together: each is measured with the number that is best for it."""

Meter = Callable[[float], float]
"""Works for about so many CPU seconds and returns the rate."""

RATIOS = {
    "games_vs_openspiel": ("core_games_per_s", "openspiel_games_per_s"),
    "playouts_vs_openspiel": ("core_playouts_per_s", "openspiel_games_per_s"),
    "env_vs_pgx": ("env_steps_per_s", "pgx_steps_per_s"),
}

LABELS = {
    "core_games_per_s": "random games, core",
    "core_playouts_per_s": "random fillings of the board, core",
    "openspiel_games_per_s": "random games, OpenSpiel",
    "env_steps_per_s": "environment steps, HexVectorEnv",
    "pgx_steps_per_s": "environment steps, pgx",
    "push_pop_per_s": "push and pop of a move, Board",
}


def measure(seconds: float = 2.0, rounds: int = 5) -> dict[str, float | None]:
    """Rates per CPU second and their ratios; None for what is not installed or fails.

    ``seconds``: CPU seconds for each figure, all rounds together.
    """
    if not seconds > 0 or rounds < 1:
        raise ValueError(f"seconds={seconds} in rounds={rounds} is not possible: both must be more than 0")
    with ExitStack() as stack:
        meters: dict[str, Meter | None] = {
            "core_games_per_s": _counted(_core.random_games, 1000),
            "core_playouts_per_s": _counted(_core.random_fills, 4000),
            "openspiel_games_per_s": _openspiel() if _installed("pyspiel") else None,
            "env_steps_per_s": _vector_env(seconds / rounds) if _installed("gymnasium") else None,
            "pgx_steps_per_s": None,
            "push_pop_per_s": _push_pop(),
        }
        if _installed("pgx"):
            try:
                meters["pgx_steps_per_s"] = stack.enter_context(PgxPeer(SIZE, BATCHES, seconds / rounds)).measure
            except RuntimeError as error:
                # A release of jax may be too new for pgx; the other figures do not depend on it.
                Console(stderr=True).print(f"{error}; its figure is left out")
        taken: dict[str, list[float]] = {name: [] for name in meters}
        for _ in range(rounds):
            for name, meter in meters.items():
                if meter is not None:
                    taken[name].append(meter(seconds / rounds))
    results = {name: statistics.median(rates) if rates else None for name, rates in taken.items()}
    for name, (ours, peers) in RATIOS.items():
        ours_rate, peers_rate = results[ours], results[peers]
        results[name] = None if ours_rate is None or peers_rate is None else ours_rate / peers_rate
    return results


def table(results: dict[str, float | None]) -> Table:
    """The results for a person."""
    out = Table(title=f"{SIZE}x{SIZE}, one thread", title_justify="left")
    out.add_column("what")
    out.add_column("per CPU second", justify="right")
    out.add_column("times the peer's", justify="right")
    beside = {ours: name for name, (ours, _) in RATIOS.items()}
    for name, label in LABELS.items():
        found, ratio = results[name], results.get(beside.get(name, ""))
        times = "" if ratio is None else f"{ratio:,.1f}"
        out.add_row(label, "not measured" if found is None else f"{found:,.0f}", times)
    if None in results.values():
        out.caption = escape("what is not measured needs: pip install 'fingal[bench]'")
    return out


def rate(work: Callable[[], int], seconds: float) -> float:
    """How many things ``work`` does in a CPU second, called again and again for about so many of them."""
    start, done = time.process_time(), 0
    while True:
        done += work()
        spent = time.process_time() - start
        if spent >= seconds and spent > 0:
            return done / spent


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _counted(play: Callable[[int, int, int, int], object], count: int) -> Meter:
    seeds = itertools.count(1)

    def work() -> int:
        play(SIZE, SIZE, count, next(seeds))
        return count

    return lambda seconds: rate(work, seconds)


def _openspiel() -> Meter:
    import pyspiel

    game = pyspiel.load_game(f"hex(board_size={SIZE})")
    choose = random.Random(1).choice

    def work() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choose(state.legal_actions()))
        return 1

    return lambda seconds: rate(work, seconds)


def _vector_env(trial_seconds: float) -> Meter:
    from fingal.envs import HexVectorEnv

    def stepping(count: int) -> Meter:
        env = HexVectorEnv(count, SIZE, swap=True)
        env.reset(seed=1)

        def work() -> int:
            env.step(env.sample())
            return count

        return lambda seconds: rate(work, seconds)

    return max((stepping(count) for count in BATCHES), key=lambda meter: meter(trial_seconds))


def _push_pop() -> Meter:
    board = Board(SIZE)
    cells = random.Random(1).sample(range(board.cells), board.cells)

    def work() -> int:
        for cell in cells:
            board.push(cell)
            if board.is_over():
                break
        moves = board.ply
        for _ in range(moves):
            board.pop()
        return moves

    return lambda seconds: rate(work, seconds)
