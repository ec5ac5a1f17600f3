"""How many simulations a second the search with playouts makes on one core: ``fingal bench uct``.

Every figure is a rate per CPU second of one thread, its knowledge of connections and inferior cells included, on 11x11
and 13x13 after a first stone on c2, the median of several searches of 2,000 simulations, each with an empty tree. With
a prior, 400 simulations are made with a net of paper 002's shape, 6 x 128, whose numbers are random: what it costs does
not depend on them. The net is asked about every position that gets its moves.

The environment variable ``FINGAL_MOHEX`` may hold a command that starts MoHex (``mohex --use-logfile=0``). It is then
asked for a move in the same position twice, with few and with many games at most. How many it played it reports itself;
what the others cost more gives its rate, so that its start and what it does before its search are not counted.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.table import Table

from fingal.game import Board
from fingal.search.evaluator import Evaluator
from fingal.search.uct import Search

SIZES = (11, 13)
OPENING = "c2"
SIMULATIONS = 2_000
PRIOR_SIMULATIONS = 400
MOHEX_GAMES = (500, 10_000)
VARIABLE = "FINGAL_MOHEX"


def measure(seconds: float = 2.0) -> dict[str, Any]:
    """Rates per CPU second; None for MoHex where there is no command or it fails, and for a net without torch."""
    if not seconds > 0:
        raise ValueError(f"seconds={seconds} is not possible: more than 0")
    results: dict[str, Any] = {f"uct_sims_per_s_{size}": own_rate(size, seconds, SIMULATIONS) for size in SIZES}
    net = paper_net()
    for size in SIZES:
        rate = None if net is None else own_rate(size, seconds, PRIOR_SIMULATIONS, net)
        results[f"uct_prior_sims_per_s_{size}"] = rate
    command = os.environ.get(VARIABLE, "")
    return results | {f"mohex_games_per_s_{size}": mohex_rate(command, size) if command else None for size in SIZES}


def table(results: dict[str, Any]) -> Table:
    """The results for a person."""
    out = Table(title="Simulations per CPU second, one thread", title_justify="left")
    for column in ("board", "uct", "uct:prior", "MoHex"):
        out.add_column(column, justify="left" if column == "board" else "right")
    for size in SIZES:
        rates = (results[f"{name}_per_s_{size}"] for name in ("uct_sims", "uct_prior_sims", "mohex_games"))
        out.add_row(f"{size}x{size}", *("not measured" if rate is None else f"{rate:,.0f}" for rate in rates))
    return out


def paper_net() -> Evaluator | None:
    """A net of paper 002's shape on one thread of the CPU, by ONNX Runtime where it is there; None without torch."""
    try:
        from fingal.nets import checkpoint
        from fingal.nets.convolutional import Convolutional
        from fingal.nets.inference import open_evaluator

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "random.safetensors"
            checkpoint.save(Convolutional(), path)
            return open_evaluator(path, "cpu")
    except ModuleNotFoundError:
        return None


def own_rate(size: int, seconds: float, simulations: int, net: Evaluator | None = None) -> float:
    """The median over searches that take about so many CPU seconds together, three at least."""
    board = Board(size)
    board.push(OPENING)
    rates: list[float] = []
    begun = time.process_time()
    while len(rates) < 3 or time.process_time() - begun < seconds:
        search = Search(seed=len(rates), net=net)
        search.set_position(board)
        before = time.process_time()
        made = search.finish(simulations).visits - 1
        rates.append(made / (time.process_time() - before))
    return statistics.median(rates)


def mohex_rate(command: str, size: int) -> float | None:
    """Games per CPU second of MoHex; None when it fails."""
    few, many = (mohex_games(command, size, games) for games in MOHEX_GAMES)
    if few is None or many is None:
        return None
    return (many[0] - few[0]) / max(many[1] - few[1], 1e-9)


def mohex_games(command: str, size: int, most: int) -> tuple[int, float] | None:
    """How many games MoHex plays for a move, and its CPU seconds from its start to the move; None when it fails."""
    settings = (f"max_games {most}", "max_time 10000", "num_threads 1")
    lines = [*(f"param_mohex {setting}" for setting in settings), f"boardsize {size} {size}", f"play b {OPENING}"]
    told = "\n".join([*lines, "genmove w", "quit", ""])
    before = _children()
    try:
        done = subprocess.run(shlex.split(command), input=told, capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(r"^GamesPlayed\s+([0-9]+)", done.stderr + done.stdout, re.MULTILINE)
    return None if done.returncode != 0 or found is None else (int(found[1]), _children() - before)


def _children() -> float:
    """CPU seconds of the processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
