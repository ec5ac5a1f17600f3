"""How many simulations a second the search with playouts makes on one core: ``fingal bench uct``.

Every figure is a rate per CPU second of one thread, its knowledge of connections and inferior cells included, on 11x11
and 13x13 after a first stone on c2, the median of several searches of 2,000 simulations, each with an empty tree.

The environment variable ``FINGAL_MOHEX`` may hold a command that starts MoHex (``mohex --use-logfile=0``). It is then
asked for a move in the same position, and its own report of the search is read: games per second of its search alone,
what it does before not counted.
"""

from __future__ import annotations

import os
import re
import shlex
import statistics
import subprocess
import time
from typing import Any

from rich.table import Table

from fingal.game import Board
from fingal.search.uct import Search

SIZES = (11, 13)
OPENING = "c2"
SIMULATIONS = 2_000
MOHEX_GAMES = 10_000
VARIABLE = "FINGAL_MOHEX"


def measure(seconds: float = 2.0) -> dict[str, Any]:
    """Rates per CPU second; None for MoHex where there is no command or it fails."""
    if not seconds > 0:
        raise ValueError(f"seconds={seconds} is not possible: more than 0")
    results: dict[str, Any] = {f"uct_sims_per_s_{size}": own_rate(size, seconds) for size in SIZES}
    command = os.environ.get(VARIABLE, "")
    return results | {f"mohex_games_per_s_{size}": mohex_rate(command, size) if command else None for size in SIZES}


def table(results: dict[str, Any]) -> Table:
    """The results for a person."""
    out = Table(title="Simulations per CPU second, one thread", title_justify="left")
    for column in ("board", "uct", "MoHex"):
        out.add_column(column, justify="left" if column == "board" else "right")
    for size in SIZES:
        other = results[f"mohex_games_per_s_{size}"]
        shown = "not measured" if other is None else f"{other:,.0f}"
        out.add_row(f"{size}x{size}", f"{results[f'uct_sims_per_s_{size}']:,.0f}", shown)
    return out


def own_rate(size: int, seconds: float) -> float:
    """The median over searches that take about so many CPU seconds together, three at least."""
    board = Board(size)
    board.push(OPENING)
    rates: list[float] = []
    begun = time.process_time()
    while len(rates) < 3 or time.process_time() - begun < seconds:
        search = Search(seed=len(rates))
        search.set_position(board)
        before = time.process_time()
        made = search.finish(SIMULATIONS).visits - 1
        rates.append(made / (time.process_time() - before))
    return statistics.median(rates)


def mohex_rate(command: str, size: int) -> float | None:
    """Games per second of MoHex's search, as it reports them; None when it fails."""
    settings = (f"max_games {MOHEX_GAMES}", "max_time 10000", "num_threads 1")
    lines = [*(f"param_mohex {setting}" for setting in settings), f"boardsize {size} {size}", f"play b {OPENING}"]
    told = "\n".join([*lines, "genmove w", "quit", ""])
    try:
        done = subprocess.run(shlex.split(command), input=told, capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(r"^Games/s\s+([0-9.]+)", done.stderr + done.stdout, re.MULTILINE)
    return None if done.returncode != 0 or found is None else float(found[1])
