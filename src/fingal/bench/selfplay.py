"""``fingal bench selfplay``: how much of a net's bare speed self-play gets."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from rich.table import Table


def measure(
    seconds: float = 10.0,
    *,
    size: int = 11,
    games: int = 4096,
    threads: int = 1,
    net: str = "large",
    simulations: int = 32,
) -> dict[str, Any]:
    """Judgements a second in self-play and bare, on the GPU when there is one.

    Both use the same compiled net and batch; ``gpu_idle_share`` is the part of self-play's time in which the device
    had nothing to judge.
    """
    import torch

    from fingal.learn.alphazero import AlphaZero
    from fingal.learn.parts.selfplay import DevicePool
    from fingal.nets.judge import Judge
    from fingal.nets.residual import LARGE, SMALL, Residual

    cuda = torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")
    shape = {"small": SMALL, "large": LARGE}[net]
    config = replace(AlphaZero(), full_simulations=simulations, full_share=1.0)
    torch.manual_seed(1)
    weights = Residual(shape).eval().to(device)
    judge = Judge(shape, device, compiled=cuda, dtype=torch.bfloat16 if cuda else torch.float32)
    judge.refresh(weights)
    pools = [DevicePool(size, games, config.selfplay(), twin, threads, judge) for twin in (1, 2)]
    bare = [pools[0].bare_rate(seconds / 4)]
    for pool in pools:
        pool.launch()
    for warm_up in (True, False):
        for pool in pools:
            pool.lane.busy_ms = pool.waited_s = 0.0
        begin, rounds = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < seconds * (0.2 if warm_up else 1.0):
            for pool in pools:
                pool.collect()
                pool.launch()
                rounds += 1
    for pool in pools:
        pool.drop()
    bare.append(pools[0].bare_rate(seconds / 4))
    rate, best = rounds * games / spent, sum(bare) / len(bare)
    return {
        "net": f"{shape.blocks}x{shape.channels}",
        "size": size,
        "games": games,
        "threads": threads,
        "simulations": simulations,
        "device": torch.cuda.get_device_name() if cuda else "CPU",
        "selfplay_evals_per_s": rate,
        "bare_evals_per_s": best,
        "ratio": rate / best,
        "gpu_idle_share": 1 - sum(p.lane.busy_ms for p in pools) / 1000 / spent if cuda else None,
        "cpu_wait_share": sum(p.waited_s for p in pools) / spent,
    }


def table(results: dict[str, Any]) -> Table:
    """The results for people."""
    title = f"self-play, {results['net']} on {results['size']}x{results['size']}, {results['device']}"
    shown = Table("figure", "value", title=title)
    for name in ("selfplay_evals_per_s", "bare_evals_per_s", "ratio", "gpu_idle_share", "cpu_wait_share"):
        value = results[name]
        shown.add_row(name, "-" if value is None else f"{value:,.0f}" if value > 10 else f"{value:.3f}")
    return shown
