"""What ``fingal train sarsa|q|gtd2|tdc|gq|actor-critic|batch`` does: several seeds at once, a run folder, a picture."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import torch
import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch import nn

from fingal.learn.parts import curves
from fingal.learn.parts.history import History
from fingal.learn.parts.kinds import MOST_GAMES, check_numbers
from fingal.learn.parts.pretraining import pretrain
from fingal.learn.parts.run import Opened, Run, rows_in
from fingal.nets import checkpoint, hexagonal
from fingal.nets.card import Card, write_atomically
from fingal.ranges import MOST_THREADS, check_number

S = TypeVar("S")


class Learner(NamedTuple):
    """Where an algorithm is."""

    module: str
    """The file of ``fingal.learn``; it has ``train``."""
    config: str
    """The name of its settings there."""
    fixed: dict[str, str]
    """The settings that the algorithm's name decides."""


LEARNERS = {
    **{rule: Learner("td", "TD", {"rule": rule}) for rule in ("sarsa", "q", "gtd2", "tdc", "gq")},
    "actor-critic": Learner("actor_critic", "ActorCritic", {}),
    "batch": Learner("batch", "Batch", {}),
}
"""By the name that stands after ``fingal train``."""


@dataclass(frozen=True)
class Options(Generic[S]):
    """Where and how to train, beside the algorithm's own settings."""

    settings: tyro.conf.OmitArgPrefixes[S]
    """The algorithm's settings."""
    run: Path
    """The run's folder. One that holds a run goes on with it."""
    seeds: int = 1
    """How many nets to train at once, with this many seeds from --seed on."""
    pretrained: bool = False
    """Whether the nets learn from positions that virtual connections have scored, before their first game."""
    threads: int = 1
    """Threads of the CPU that share the work."""


def main(algorithm: str, arguments: list[str]) -> None:
    """Train as the arguments say; ValueError, one sentence, when they make no sense."""
    learner = LEARNERS[algorithm]
    module = importlib.import_module(f"fingal.learn.{learner.module}")
    config = getattr(module, learner.config)
    kind = cast(Any, Options)[config]
    options = tyro.cli(
        kind,
        args=arguments,
        default=kind(config(**learner.fixed), Path("runs") / algorithm),
        prog=f"fingal train {algorithm}",
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    check_fixed(algorithm, options.settings)
    for name in ("seeds", "threads"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name} must be at least 1, not {getattr(options, name)}")
    train(algorithm, module, options, Console(stderr=True))


def check_fixed(algorithm: str, settings: Any) -> None:
    """ValueError for settings that are another algorithm's."""
    for name, value in LEARNERS[algorithm].fixed.items():
        given = getattr(settings, name)
        if given != value:
            raise ValueError(
                f"{name} is {value} in 'fingal train {algorithm}', not {given}: train that algorithm instead"
            )


def train(algorithm: str, module: ModuleType, options: Options[Any], console: Console, opened: Opened = Run) -> None:
    """Run to the end, showing how it goes, and leave nets that ``net:FILE`` plays.

    The last line on stdout is the net of the best seed. SystemExit with status 1 when every run has diverged.
    """
    check_numbers(options.settings)
    check_number("seeds", options.seeds, 1, MOST_GAMES)
    check_number("threads", options.threads, 1, MOST_THREADS)
    torch.set_num_threads(options.threads)
    one = options.settings
    settings = [replace(one, seed=one.seed + number) for number in range(options.seeds)]
    about = {"algorithm": algorithm, **asdict(one), "seeds": options.seeds, "pretrained": options.pretrained}
    run = opened(options.run, about)
    try:
        # Rows come again as they are, and those that are written are passed over: none has to go.
        run.begin()
        start = None
        if options.pretrained:
            start = pretrain(one.net if algorithm != "batch" else one.shape, [each.seed for each in settings])[0]
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f}%"))
        bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console)
        task = bar.add_task(str(options.run), total=1.0)

        def told(share: float, histories: Sequence[History]) -> None:
            bar.update(task, completed=share, description=_line(histories) or str(options.run))
            _log(run, histories, len(settings))
            if not console.is_terminal:
                console.print(f"{share:.0%}  {_line(histories)}", soft_wrap=True, highlight=False)

        with bar:
            done = module.train(settings, run.folder / "state", told, start)
        _log(run, done.histories, len(settings))
        write_atomically(run.folder / "histories.json", _as_json(done.histories))
        nets = [_net(module, each, done.parameters[index]) for index, each in enumerate(settings)]
        for each, history, net in zip(settings, done.histories, nets, strict=True):
            name = f"{algorithm}-{one.size}-{each.seed}"
            card = Card(name, {}, sizes=(f"{one.size}x{one.size}",), cost=_cost(history), notes=history.diverged)
            checkpoint.save(net, run.checkpoints / f"seed-{each.seed:04d}.safetensors", card)
        best = best_of(done.histories)
        latest = run.checkpoints / "latest.safetensors"
        write_atomically(latest, (run.checkpoints / f"seed-{settings[best].seed:04d}.safetensors").read_bytes())
    finally:
        run.close()
    for history in done.histories:
        if history.diverged:
            console.print(f"seed {history.settings['seed']} {history.diverged}", soft_wrap=True, highlight=False)
    rows = [history.rows for history in done.histories]
    picture = curves.draw(options.run / "curve.png", rows, PANELS, "games", "games")
    print(latest)
    if picture is not None:
        print(picture, file=sys.stderr)
    if all(history.diverged for history in done.histories):
        raise SystemExit(1)


def best_of(histories: Sequence[History]) -> int:
    """The run to keep as the latest: the one that keeps most won positions at its last row, the first among equals.

    One that has diverged comes after all that have not.
    """
    worth = [
        (not history.diverged, history.rows[-1].get("keeps_win", 0.0) if history.rows else -1.0)
        for history in histories
    ]
    return worth.index(max(worth))


def _net(module: ModuleType, one: Any, parameters: torch.Tensor) -> nn.Module:
    """The net that plays: a policy of logits where there is an actor."""
    if hasattr(module, "net_of"):
        found: nn.Module = module.net_of(one, parameters)
        return found
    shape = replace(one.net, squash="none") if hasattr(one, "policy_alpha") else one.net
    return hexagonal.from_vector(shape, parameters[: shape.parameters])


def _cost(history: History) -> dict[str, float | str]:
    games = history.rows[-1]["games"] if history.rows else 0.0
    return {"minutes": round(history.seconds / 60, 3), "games": float(games), "updates": float(history.updates)}


def _as_json(histories: Sequence[History]) -> bytes:
    return json.dumps([asdict(history) for history in histories], default=float).encode()


def _log(run: Run, histories: Sequence[History], expected: int) -> None:
    """Write the rows that all runs have and that are not yet written: their means over the seeds, and the games."""
    if len(histories) < expected:
        return
    going = [history for history in histories if not history.diverged] or list(histories)
    for number in range(len(rows_in(run.folder)), min(len(history.rows) for history in going)):
        rows = [history.rows[number] for history in going]
        names = [name for name in rows[0] if all(name in row for row in rows)]
        means = {name: float(np.mean([row[name] for row in rows])) for name in names}
        run.log(round(means["games"]), means)


SHOWN = {
    "games": "games",
    "value": "value",
    "loss": "loss",
    "projection_loss": "projection",
    "keeps_win": "wins kept",
    "first_vs_best": "first against the best",
}


def _line(histories: Sequence[History]) -> str:
    """The latest figures, as means over the seeds."""
    last = [history.rows[-1] for history in histories if history.rows]
    found = {
        title: float(np.mean([row[name] for row in last if name in row]))
        for name, title in SHOWN.items()
        if any(name in row for row in last)
    }
    return "  ".join(f"{title} {number:,.4g}" for title, number in found.items())


PANELS = (
    ("values", ("value", "first_value", "second_value", "absolute_value", "saturation")),
    ("against the truth", ("keeps_win", "sign", "first_vs_best", "first_vs_random", "second_vs_random")),
    ("errors", ("loss", "projection_loss", "entropy")),
)
"""The picture's panels: titles and figures."""
