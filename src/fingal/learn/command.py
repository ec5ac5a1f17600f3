"""What ``fingal train ALGORITHM`` does: settings from the command line, a run folder, a live table, a picture."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import torch
import tyro
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fingal.learn import alphazero, stacked_command
from fingal.learn.parts.run import Run

ALGORITHMS = ("alphazero", *stacked_command.LEARNERS)


@dataclass(frozen=True)
class Options:
    """Where and how to train, beside the algorithm's own settings."""

    settings: tyro.conf.OmitArgPrefixes[alphazero.AlphaZero]
    """The algorithm's settings; a preset fills them in first."""
    run: Path = Path("runs/alphazero")
    """The run's folder. One that holds a run goes on with it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net is; auto takes a GPU when there is one."""
    start: Path | None = None
    """A net to begin from: weights alone are enough."""
    preset: Annotated[str | None, tyro.conf.arg(help=f"Named settings: {', '.join(alphazero.PRESETS)}.")] = field(
        default=None
    )


def main(arguments: list[str]) -> None:
    """Train as the arguments say; ValueError, one sentence, when they make no sense."""
    if not arguments or arguments[0] not in (*ALGORITHMS, "-h", "--help"):
        said = f"{arguments[0]!r} is not an algorithm" if arguments else "an algorithm is missing"
        raise ValueError(f"{said}: one of {', '.join(ALGORITHMS)} is expected")
    if arguments[0] in ("-h", "--help"):
        print(f"usage: fingal train {{{','.join(ALGORITHMS)}}} [settings]; see 'fingal train alphazero --help'")
        return
    if arguments[0] in stacked_command.LEARNERS:
        stacked_command.main(arguments[0], arguments[1:])
        return
    options = tyro.cli(
        Options,
        args=arguments[1:],
        default=Options(_preset(arguments[1:])),
        prog=f"fingal train {arguments[0]}",
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    train(options, Console(stderr=True))


def _preset(arguments: list[str]) -> alphazero.AlphaZero:
    """The settings that ``--preset`` names, before the command line changes them."""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name = following if word == "--preset" else word.removeprefix("--preset=")
        if word.startswith("--preset"):
            if name not in alphazero.PRESETS:
                raise ValueError(f"{name!r} is not a preset: one of {', '.join(alphazero.PRESETS)} is expected")
            return alphazero.PRESETS[name]
    return alphazero.AlphaZero()


def train(options: Options, console: Console) -> None:
    """Run to the end, showing how it goes."""
    config = options.settings
    if options.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not there: torch sees no GPU; use --device cpu")
    cuda = options.device == "cuda" or (options.device == "auto" and torch.cuda.is_available())
    if not cuda:
        torch.set_num_threads(config.threads)
    run = Run(options.run, asdict(config))
    trainer = alphazero.Trainer(config, run, torch.device("cuda" if cuda else "cpu"), options.start)
    figures: dict[str, float] = {}
    percentage = TextColumn("{task.percentage:3.0f}%")
    bar = Progress(TextColumn("{task.description}"), BarColumn(), percentage, TimeRemainingColumn())
    task = bar.add_task(f"{options.run}", total=1.0)
    with Live(bar, console=console, refresh_per_second=2) as live:
        for news in alphazero.train(trainer):
            figures |= news
            bar.update(task, completed=trainer.done_share())
            if console.is_terminal:
                live.update(Group(table(figures), bar))
            else:
                console.print(_line(figures), soft_wrap=True)
    run.close()
    picture = draw_curve(options.run)
    print(f"{run.checkpoints / 'latest.safetensors'}")
    if picture is not None:
        print(picture, file=sys.stderr)


SHOWN = {
    "minutes": "minutes",
    "games": "games",
    "positions": "positions",
    "judgements_per_s": "judgements/s",
    "policy": "policy loss",
    "value": "value loss",
    "owner": "owner loss",
    "learning_rate": "learning rate",
    "against_older": "won against older self",
    "wrong_resignations": "wrong resignations",
}


def table(figures: dict[str, float]) -> Table:
    """The latest figures for people."""
    shown = Table(show_header=False, box=None)
    for name, title in SHOWN.items():
        if name in figures:
            shown.add_row(title, f"{figures[name]:,.4g}")
    return shown


def _line(figures: dict[str, float]) -> str:
    return "  ".join(f"{title} {figures[name]:,.4g}" for name, title in SHOWN.items() if name in figures)


def draw_curve(folder: Path) -> Path | None:
    """A picture of the run's losses and matches, ``curve.png``; None where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    panels = (("policy", "value", "owner"), ("judgements_per_s",), ("against_older",))
    figure, axes = pyplot.subplots(1, len(panels), figsize=(13, 4), layout="constrained")
    for axis, names in zip(axes, panels, strict=True):
        for name in names:
            points = [(row["step"], row[name]) for row in rows if name in row]
            if points:
                axis.plot(*zip(*points, strict=True), marker="." if len(points) < 40 else "", label=SHOWN[name])
        axis.set_xlabel("steps of learning")
        if axis.lines:
            axis.legend()
    path = folder / "curve.png"
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
    return path
