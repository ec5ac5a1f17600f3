"""What ``fingal train ALGORITHM`` does: settings from the command line, a run folder, a live table, a picture.

The learners here train one net on any device and are modules of one shape: a frozen class of settings, ``PRESETS``,
``Trainer``, ``train``, ``SHOWN`` and ``PANELS``. Those that train several small nets at once are in
``stacked_command``.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

import torch
import tyro
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fingal.learn import stacked_command
from fingal.learn.parts import curves
from fingal.learn.parts.kinds import check_numbers
from fingal.learn.parts.run import Opened, Run, rows_in
from fingal.nets.card import find

S = TypeVar("S")
P = TypeVar("P")


class Learner(NamedTuple):
    """Where an algorithm is."""

    config: str
    """The name of its settings in the file of ``fingal.learn`` that is called as the algorithm."""
    step: str
    """What its figures are counted by, in words."""


LEARNERS = {
    "alphazero": Learner("AlphaZero", "steps of learning"),
    "distil": Learner("Distil", "steps of learning"),
    "apprentice": Learner("Apprentice", "steps of learning"),
    "ezo": Learner("Ezo", "epochs"),
    "imitate": Learner("Imitate", "steps of learning"),
    "neurohex": Learner("NeuroHex", "updates"),
    "dqn": Learner("Dqn", "games"),
    "reinforce": Learner("Reinforce", "iterations"),
    "amcpg": Learner("Amcpg", "iterations"),
    "adversarial": Learner("Adversarial", "iterations"),
    "ppo": Learner("PPO", "iterations"),
    "sac": Learner("SAC", "rows"),
}
"""By the name that stands after ``fingal train``."""

ALGORITHMS = (*LEARNERS, *stacked_command.LEARNERS)

MOST_THREADS = 1024
"""With very many more torch does not fail, it crashes."""


@dataclass(frozen=True)
class Options(Generic[S]):
    """Where and how to train, beside the algorithm's own settings."""

    settings: tyro.conf.OmitArgPrefixes[S]
    """The algorithm's settings; a preset fills them in first."""
    run: Path
    """The run's folder. One that holds a run goes on with it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net is; auto takes a GPU when there is one."""
    start: Path | None = None
    """A net to begin from, a file or a shipped net's name: weights alone are enough."""
    preset: str | None = field(default=None)
    """Named settings; those beside it on the command line replace its own."""


@dataclass(frozen=True, kw_only=True)
class SpreadOptions(Options[S], Generic[S, P]):
    """The same for a learner that can use several machines: its module has a ``Spread``."""

    spread: tyro.conf.OmitArgPrefixes[P]
    """Where it plays and learns."""


def main(arguments: list[str]) -> None:
    """Train as the arguments say; ValueError, one sentence, when they make no sense."""
    if not arguments or arguments[0] not in (*ALGORITHMS, "-h", "--help"):
        said = f"{arguments[0]!r} is not an algorithm" if arguments else "an algorithm is missing"
        raise ValueError(f"{said}: one of {', '.join(ALGORITHMS)} is expected")
    if arguments[0] in ("-h", "--help"):
        print(f"usage: fingal train {{{','.join(ALGORITHMS)}}} [settings]; see 'fingal train alphazero --help'")
        return
    algorithm, settings = arguments[0], arguments[1:]
    if algorithm in stacked_command.LEARNERS:
        stacked_command.main(algorithm, settings)
        return
    module = importlib.import_module(f"fingal.learn.{algorithm}")
    kind, places = cast(Any, Options)[getattr(module, LEARNERS[algorithm].config)], {}
    if spread := getattr(module, "Spread", None):
        kind = cast(Any, SpreadOptions)[getattr(module, LEARNERS[algorithm].config), spread]
        places = {"spread": spread()}
    options = tyro.cli(
        kind,
        args=settings,
        default=kind(preset(algorithm, module, settings), Path("runs") / algorithm, **places),
        prog=f"fingal train {algorithm}",
        description=f"{(module.__doc__ or '').splitlines()[0]}\n\nPresets: {', '.join(module.PRESETS)}.",
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    if not (options.run / "config.json").exists():  # a run that was begun so goes on
        check_effects(options.settings)
    train(algorithm, module, options, Console(stderr=True))


def check_effects(settings: Any) -> None:
    """Refuse a setting that somebody changed though it has no effect, where the settings have an ``unused``.

    A sweep may well vary such settings, so they do not refuse it themselves.
    """
    for name, why in getattr(settings, "unused", {}).items():
        value = getattr(settings, name)
        if value != getattr(type(settings), name):
            raise ValueError(f"{name}={value} has no effect {why}")


def preset(algorithm: str, module: ModuleType, arguments: list[str]) -> Any:
    """The settings that the last ``--preset`` names, before the command line changes them."""
    found = None
    for place, word in enumerate(arguments):
        if word != "--preset" and not word.startswith("--preset="):
            continue
        name = word.removeprefix("--preset=") if word != "--preset" else "".join(arguments[place + 1 : place + 2])
        if name not in module.PRESETS:
            raise ValueError(f"{name!r} is not a preset: one of {', '.join(module.PRESETS)} is expected")
        found = module.PRESETS[name]
    return getattr(module, LEARNERS[algorithm].config)() if found is None else found


def device_of(name: str) -> torch.device:
    """The device that ``auto``, ``cpu`` or ``cuda`` names; ValueError where it is not there."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not there: torch sees no GPU; use --device cpu")
    return torch.device("cuda" if name == "cuda" or (name == "auto" and torch.cuda.is_available()) else "cpu")


def train(algorithm: str, module: ModuleType, options: Options[Any], console: Console, opened: Opened = Run) -> None:
    """Run to the end, showing how it goes. The last line on stdout is the net's file."""
    config, device = options.settings, device_of(options.device)
    check_numbers(config)
    threads = getattr(config, "threads", 1)
    if threads > MOST_THREADS:
        raise ValueError(f"threads must be at most {MOST_THREADS}, not {threads}")
    if device.type == "cpu":
        torch.set_num_threads(threads)
    start = None if options.start is None else find(options.start, (".safetensors",))
    run = opened(options.run, asdict(config))
    places = (options.spread,) if isinstance(options, SpreadOptions) else ()
    try:
        trainer = module.Trainer(config, run, device, start, *places)
        _watch(module, trainer, str(options.run), console)
    finally:
        run.close()
    picture = draw_curve(options.run, module, LEARNERS[algorithm].step)
    print(run.checkpoints / "latest.safetensors")
    if picture is not None:
        print(picture, file=sys.stderr)


def _watch(module: ModuleType, trainer: Any, name: str, console: Console) -> None:
    """Train, with a table and a bar on a terminal and a line for each row of figures elsewhere."""
    figures: dict[str, float] = {}
    percentage = TextColumn("{task.percentage:3.0f}%")
    bar = Progress(TextColumn("{task.description}"), BarColumn(), percentage, TimeRemainingColumn())
    task = bar.add_task(name, total=1.0)
    with Live(bar, console=console, refresh_per_second=2) as live:
        for news in module.train(trainer):
            figures |= news
            bar.update(task, completed=trainer.done_share())
            if console.is_terminal:
                live.update(Group(table(figures, module.SHOWN), bar))
            else:
                console.print(_line(figures, module.SHOWN), soft_wrap=True, highlight=False)


def table(figures: dict[str, float], titles: dict[str, str]) -> Table:
    """The latest figures for people."""
    shown = Table(show_header=False, box=None)
    for name, title in titles.items():
        if name in figures:
            shown.add_row(title, f"{figures[name]:,.4g}")
    return shown


def _line(figures: dict[str, float], titles: dict[str, str]) -> str:
    return "  ".join(f"{title} {figures[name]:,.4g}" for name, title in titles.items() if name in figures)


def draw_curve(folder: Path, module: ModuleType, step: str) -> Path | None:
    """A picture of the run's figures, ``curve.png``; None where matplotlib or figures are missing."""
    return curves.draw(folder / "curve.png", [rows_in(folder)], module.PANELS, "step", step, module.SHOWN)
