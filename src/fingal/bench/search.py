"""How fast a search is on one core: ``fingal bench search``.

Every figure is a rate per CPU second of one thread on 11x11, the median of several short rounds.

- The tree alone: PUCT with an evaluator in the core that says the same of every position. Searches of 10,000
  simulations, one after the other in the same tree, which uses its memory again as in a game.
- The net alone: ONNX Runtime in float32 and int8 on batches of 8 positions, and how often the two have the same best
  move, on positions of the float32 net's own play.

- Two threads: how many positions a search judges in a second of the wall clock, with one thread and with two, in turn.
  The best of the rounds counts, since others may use the machine: two threads need two idle cores.

The net is the small one that comes with Fingal. Where there is none, an untrained one of the same shape takes its
place: as fast, but the agreement of a net that knows nothing says little. Threads are measured with nets that ship.
"""

from __future__ import annotations

import importlib.util
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.table import Table

from fingal import _core
from fingal.bench.core import Meter, rate
from fingal.game import Board, Colour
from fingal.search.evaluator import Evaluator, Positions
from fingal.search.tree import Search, Settings

SIZE = 11
SIMULATIONS = 10_000
BATCH = 8
NET = "fingal-small"

LABELS = {
    "sims_per_s_constant": "simulations, the tree alone",
    "ort_fp32_per_s": "positions, ONNX Runtime float32",
    "ort_int8_per_s": "positions, ONNX Runtime int8",
    "int8_top1_agreement": "int8 and float32 have the same best move",
}

THREADS = (("fingal-small", 11), ("fingal-small", 13), ("fingal-large", 11))
"""Nets and sizes that searches with one and with two threads are measured on."""


def measure(seconds: float = 2.0, rounds: int = 5, positions: int = 1000) -> dict[str, Any]:
    """Rates per CPU second, the agreement as a share, and the net's name; None for what cannot be measured.

    ``seconds``: CPU seconds for each rate, all rounds together. ``positions``: how many the agreement is taken on.
    """
    if not seconds > 0 or rounds < 1 or positions < BATCH:
        raise ValueError(
            f"seconds={seconds} in rounds={rounds} on positions={positions} is not possible: "
            f"more than 0, at least 1 and at least {BATCH}"
        )
    results: dict[str, Any] = dict.fromkeys(LABELS)
    meters: dict[str, Meter] = {"sims_per_s_constant": tree_meter()}
    with tempfile.TemporaryDirectory() as folder:
        name, files = net_files(Path(folder))
        results["net"] = name
        if files is not None:
            from fingal.nets.agreement import agreement, own_play
            from fingal.nets.onnx_evaluator import OnnxEvaluator
            from fingal.nets.planes import take

            wide, narrow = (OnnxEvaluator(path) for path in files)
            # ``quantise`` uses small seeds: neither its ranges nor its choice of a draft has seen these positions.
            sample = own_play(wide, SIZE, SIZE, positions, seed=1000)
            results["int8_top1_agreement"] = agreement(wide, narrow, sample)
            batches = [take(sample, slice(i, i + BATCH)) for i in range(0, positions - BATCH + 1, BATCH)]
            meters["ort_fp32_per_s"] = net_meter(wide, batches)
            meters["ort_int8_per_s"] = net_meter(narrow, batches)
        taken: dict[str, list[float]] = {key: [] for key in meters}
        for _ in range(rounds):
            for key, meter in meters.items():
                taken[key].append(meter(seconds / rounds))
    results |= {key: statistics.median(rates) for key, rates in taken.items()}
    return results | {"threads": [scaling(net, size, seconds, rounds) for net, size in THREADS if _ships(net)]}


def table(results: dict[str, Any]) -> Table:
    """The results for a person."""
    out = Table(title=f"{SIZE}x{SIZE}, one thread, net: {results['net']}", title_justify="left")
    out.add_column("what")
    out.add_column("per CPU second", justify="right")
    for key, label in LABELS.items():
        found = results[key]
        shown = "not measured" if found is None else f"{found:.1%}" if found <= 1 else f"{found:,.0f}"
        out.add_row(label, shown)
    for row in results["threads"]:
        label = f"{row['net']} on {row['size']}x{row['size']}, positions a second: one thread, two, ratio"
        out.add_row(label, f"{row['one']:,.0f}, {row['two']:,.0f}, {row['ratio']:.2f}")
    return out


def scaling(net: str, size: int, seconds: float = 2.0, rounds: int = 5) -> dict[str, Any]:
    """Positions a second of the wall clock that a search adds to its tree, with one thread and with two."""
    from fingal.nets.inference import open_evaluator

    evaluator = open_evaluator(net, "cpu", backend="onnx")
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for threads, taken in rates.items():
            search = Search(evaluator, Settings(threads=threads))
            search.set_position(Board(size))
            search.finish(BATCH)
            begun, before = time.perf_counter(), search.visits
            visits = search.finish(seconds=seconds / rounds).visits
            taken.append((visits - before) / (time.perf_counter() - begun))
    one, two = max(rates[1]), max(rates[2])
    return {"net": net, "size": size, "one": one, "two": two, "ratio": two / one}


def _ships(net: str) -> bool:
    """Whether a net's file for ONNX Runtime is there, and the runtime."""
    from fingal.nets.card import WEIGHTS

    return (WEIGHTS / f"{net}.int8.onnx").is_file() and importlib.util.find_spec("onnxruntime") is not None


def tree_meter(gumbel: bool = False) -> Meter:
    """Simulations with a constant evaluator, after one search that brings the tree its memory."""
    settings = _core.SearchSettings()
    settings.gumbel = gumbel
    # Neither follows from the other, so that every search begins with an empty tree.
    boards = [Board(SIZE), Board(SIZE)]
    boards[1].turn = Colour.WHITE
    turns = itertools.cycle(boards)
    tree = _core.TreeSearch(boards[1], settings, 0)

    def work() -> int:
        tree.set_position(next(turns))
        tree.prepare(SIMULATIONS, settings)
        tree.run_constant(SIMULATIONS)
        return SIMULATIONS

    work()
    return lambda seconds: rate(work, seconds)


def net_meter(evaluator: Evaluator, batches: list[Positions]) -> Meter:
    """Positions that an evaluator judges, in these batches."""
    turns = itertools.cycle(batches)

    def work() -> int:
        batch = next(turns)
        evaluator(batch)
        return len(batch.white_to_move)

    work()
    return lambda seconds: rate(work, seconds)


def net_files(folder: Path) -> tuple[str | None, tuple[Path, Path] | None]:
    """The net's name, and its files for ONNX Runtime in float32 and int8; those that do not exist are put in a folder.

    (None, None) where there is neither a net nor torch to make one.
    """
    from fingal.nets.card import WEIGHTS, shipped

    wide, narrow = WEIGHTS / f"{NET}.onnx", WEIGHTS / f"{NET}.int8.onnx"
    has_torch = all(importlib.util.find_spec(module) is not None for module in ("torch", "onnx", "safetensors"))
    if NET in shipped() and wide.is_file() and narrow.is_file():
        return NET, (wide, narrow)
    if not has_torch:
        return None, None
    from fingal.nets.export import export
    from fingal.nets.quantise import quantise

    source, name = WEIGHTS / f"{NET}.safetensors", NET
    if not source.is_file():
        source, name = folder / "untrained.safetensors", "untrained, 10 x 64"
        _save_untrained(source)
    wide, narrow = folder / "float32.onnx", folder / "int8.onnx"
    export(source, wide)
    quantise(wide, narrow)
    return name, (wide, narrow)


def _save_untrained(path: Path) -> None:
    import torch

    from fingal.nets import checkpoint
    from fingal.nets.residual import SMALL, Residual

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        checkpoint.save(Residual(SMALL), path)
