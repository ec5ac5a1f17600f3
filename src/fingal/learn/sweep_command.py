"""What ``fingal sweep ALGORITHM`` does: settings from the command line, trials, a table, and what mattered."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

import optuna
import tyro
from optuna.trial import FrozenTrial, TrialState
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fingal.arena import charts
from fingal.arena.charts import Row
from fingal.game.picture import Picture, save
from fingal.learn import command, stacked_command
from fingal.learn.sweep import ENOUGH, Goal, Sweep, best, importance, ordered, parse, run

S = TypeVar("S")

SHOWN = 20
"""Rows of the table that is printed; ``trials.json`` has all."""

STATES = {TrialState.COMPLETE: "whole", TrialState.PRUNED: "ended early", TrialState.FAIL: "failed"}


@dataclass(frozen=True)
class Options(Generic[S]):
    """What to try, beside the algorithm's own settings."""

    settings: tyro.conf.OmitArgPrefixes[S]
    """The settings of all trials; a preset fills them in first."""
    vary: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A setting and what it may be: learning_rate=1e-4..1e-2:log, channels=16..64 or size=3,4. May be given again."""
    goal: str = "keeps_win:max"
    """A figure of metrics.jsonl, at a run's last row that has it, and whether it should be large or small."""
    trials: int = 20
    """How many, in all: asked for more later, a sweep goes on."""
    processes: int = 1
    """Trials at a time, each in a process of its own."""
    prune: bool = True
    """Whether trials below the median of the others at the same row are ended."""
    sampler_seed: int = 1
    """Start of the random numbers by which settings are chosen."""
    folder: Path = Path("runs/sweep")
    """Where everything goes; one that holds a sweep goes on with it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the nets are; auto takes a GPU when there is one."""
    preset: str | None = field(default=None)
    """Named settings; those beside it on the command line replace its own."""
    json: bool = False
    """Print one JSON object and nothing else."""


def main(arguments: list[str]) -> None:
    """Sweep as the arguments say; ValueError, one sentence, when they make no sense."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(f"usage: fingal sweep {{{','.join(command.ALGORITHMS)}}} [settings]; see 'fingal sweep alphazero --help'")
        return
    if not arguments or arguments[0] not in command.ALGORITHMS:
        said = f"{arguments[0]!r} is not an algorithm" if arguments else "an algorithm is missing"
        raise ValueError(f"{said}: one of {', '.join(command.ALGORITHMS)} is expected")
    algorithm, rest = arguments[0], arguments[1:]
    settings = start(algorithm, rest)
    kind = cast(Any, Options)[type(settings)]
    options = tyro.cli(
        kind,
        args=rest,
        default=kind(settings, folder=Path("runs") / f"sweep-{algorithm}"),
        prog=f"fingal sweep {algorithm}",
        description=f"Search for good settings of {algorithm}.",
    )
    notes = Console(stderr=True)
    asked = Sweep(
        algorithm,
        options.settings,
        tuple(parse(text, options.settings) for text in options.vary),
        Goal.parse(options.goal),
        options.folder,
        options.trials,
        options.processes,
        options.device,
        options.prune,
        options.sampler_seed,
    )
    command.device_of(options.device)
    show(asked, options.json, notes)


def start(algorithm: str, arguments: list[str]) -> Any:
    """The settings before the command line changes them."""
    if algorithm in stacked_command.LEARNERS:
        if any(word.partition("=")[0] == "--preset" for word in arguments):
            raise ValueError(f"preset is not possible: {algorithm} has none")
        learner = stacked_command.LEARNERS[algorithm]
        return getattr(importlib.import_module(f"fingal.learn.{learner.module}"), learner.config)(**learner.fixed)
    return command.preset(algorithm, importlib.import_module(f"fingal.learn.{algorithm}"), arguments)


def show(sweep: Sweep, as_json: bool, notes: Console) -> None:
    """Run it, with a line for each trial, and leave ``trials.json`` and ``importance.png`` beside the storage."""

    def tell(trial: FrozenTrial) -> None:
        notes.print(_line(trial, sweep.goal.figure), markup=False, highlight=False, soft_wrap=True)

    study = run(sweep, tell)
    found = summary(sweep, study)
    (sweep.folder / "trials.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    drawn = picture(importance(study))
    if drawn is not None:
        save(drawn, sweep.folder / "importance.png")
    if as_json:
        print(json.dumps(found, indent=1))
        return
    Console().print(table(sweep, study))
    if drawn is not None:
        print(sweep.folder / "importance.png")
    else:
        words = f"no importance is drawn: it takes {ENOUGH} trials that came to their end, with different figures"
        notes.print(words, highlight=False, soft_wrap=True)


def summary(sweep: Sweep, study: optuna.Study) -> dict[str, Any]:
    """For JSON: the best trial, what matters, and all trials, the best first."""
    top = best(study)
    return {
        "algorithm": sweep.algorithm,
        "goal": sweep.goal.figure,
        "best": None if top is None else _data(sweep, top),
        "importance": importance(study),
        "trials": [_data(sweep, trial) for trial in ordered(study)],
    }


def picture(shares: dict[str, float]) -> Picture | None:
    """A row for each setting: how much it matters; None where nothing is known."""
    if not shares:
        return None
    rows = [Row(name, share, share, share, charts.percent(round(share, 3))) for name, share in shares.items()]
    return charts.rows("how much each setting matters", rows, low=0.0, high=1.0, write=charts.percent)


def table(sweep: Sweep, study: optuna.Study) -> Table:
    """The best trials for people."""
    trials = ordered(study)
    shown = Table(title=f"{len(trials)} trials of {sweep.algorithm}", caption=_ended(trials))
    for name in ("trial", sweep.goal.figure, *(one.name for one in sweep.vary), "seconds", ""):
        shown.add_column(name, justify="right")
    for trial in trials[:SHOWN]:
        value = _value(trial)
        cells = [str(trial.number), "" if value is None else f"{value:.4g}"]
        cells += [_word(trial.params.get(one.name)) for one in sweep.vary]
        cells += [f"{trial.user_attrs.get('seconds', 0):.0f}", STATES.get(trial.state, "")]
        shown.add_row(*map(Text, cells))
    return shown


def _ended(trials: Sequence[FrozenTrial]) -> str:
    counts = {word: sum(trial.state == state for trial in trials) for state, word in STATES.items()}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _value(trial: FrozenTrial) -> float | None:
    """What a trial came to, or had come to when it was ended."""
    reported: dict[int, float] = trial.intermediate_values
    value: float | None = trial.value
    return reported[max(reported)] if trial.state == TrialState.PRUNED and reported else value


def _data(sweep: Sweep, trial: FrozenTrial) -> dict[str, Any]:
    place = trial.user_attrs.get("folder", trial.number)
    return {
        "trial": trial.number,
        "state": STATES.get(trial.state, str(trial.state)),
        "value": _value(trial),
        "settings": trial.params,
        "seconds": trial.user_attrs.get("seconds"),
        "run": str(sweep.folder / "trials" / f"{place:04d}"),
        "said": trial.user_attrs.get("said", ""),
    }


def _line(trial: FrozenTrial, figure: str) -> str:
    value = _value(trial)
    told = trial.user_attrs.get("said", "") or f"{figure} {value:.4g}"
    chosen = ", ".join(f"{name}={_word(value)}" for name, value in trial.params.items())
    return f"trial {trial.number}, {STATES.get(trial.state, '')}: {told} ({chosen})"


def _word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
