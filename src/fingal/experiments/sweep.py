"""A sweep: many runs of one learner, trained together and kept in a folder.

The folder has ``sweep.json``, what is asked for; ``state/``, where the learner keeps what it needs to go on after a
kill; and in the end ``outcomes.json`` and ``nets.safetensors``. Learners of one net keep both in ``runs/``. A sweep
whose outcomes are there is never run again, unless other runs are asked for.
"""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fingal.arena.json_files import is_finite, read_object
from fingal.experiments import single
from fingal.nets.card import write_atomically

Setting = dict[str, Any]
"""Some fields of a learner's config, by name; the others are as the config has them."""

OURS = ("pretrained", "device", "start")
"""The fields that no config has: whether the nets begin as pre-training leaves them, and, for learners that train one
net, where it is and which net it begins from: a file, by its path from the folder of all sweeps."""

Tell = Callable[[float], None]
"""Told the share of a sweep that is done."""


@dataclass(frozen=True)
class Sweep:
    """Runs of one learner."""

    name: str
    """The folder that keeps it: 'figure-05'."""
    learner: str
    """The learner's module and its config, 'fingal.learn.td:TD'.

    The module has a function ``train`` for all runs at once, or is one of those that ``single`` trains."""
    runs: tuple[Setting, ...]
    cost: float = 1.0
    """About how long a game of this learner takes, beside others'."""

    def __post_init__(self) -> None:
        """Refuse what has no folder or no learner."""
        if not self.name or not all(letter.isalnum() or letter in "-_" for letter in self.name):
            raise ValueError(f"name={self.name!r} is not possible: letters, digits, - and _ are")
        module, _, config = self.learner.partition(":")
        if not module or not config.isidentifier():
            raise ValueError(f"learner={self.learner!r} is not possible: a module and its config are, 'a.b:Config'")

    @property
    def work(self) -> float:
        """How much there is to do, in games that cost 1."""
        return self.cost * sum(float(run.get("games", 1)) for run in self.runs)


@dataclass(frozen=True)
class Outcome:
    """What came of one run."""

    asked: Setting
    """The setting, as the sweep has it."""
    rows: list[dict[str, float]]
    """A row of figures for every checkpoint."""
    diverged: str = ""
    """The sentence that says so, if it did."""
    updates: int = 0
    seconds: float = 0.0
    """Its share of the time."""


def prepare(sweep: Sweep, folder: Path) -> Path:
    """The sweep's own folder, with what is asked for in it; what was kept of other runs is thrown away.

    ValueError, and nothing is thrown away, where it cannot be read which runs these are.
    """
    place = folder / "sweeps" / sweep.name
    file = place / "sweep.json"
    asked = {"learner": sweep.learner, "runs": json.loads(json.dumps(sweep.runs))}
    kept = _read(file)
    if kept is None and place.exists() and any(entry.suffix != ".part" for entry in place.iterdir()):
        raise ValueError(f"{place} holds runs of a sweep that nobody knows, for {file} is missing: put it elsewhere")
    if kept is not None and not (isinstance(kept.get("learner"), str) and isinstance(kept.get("runs"), list)):
        raise ValueError(f"{file} is damaged: the runs of a sweep are expected")
    if kept != asked:
        place.mkdir(parents=True, exist_ok=True)
        for entry in place.iterdir():
            if entry != file:  # it goes last, so that a kill leaves no runs without it
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        _write(file, asked)
    return place


def outcomes(sweep: Sweep, folder: Path) -> list[Outcome] | None:
    """What came of a sweep; None when it is not finished, also where its file is half written.

    ValueError where the file holds something else than outcomes.
    """
    file = prepare(sweep, folder) / "outcomes.json"
    try:
        kept = _read(file)
    except ValueError:
        return None
    if kept is None:
        return None
    try:
        return [_outcome(asked, **rest) for asked, rest in zip(sweep.runs, kept["outcomes"], strict=True)]
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ValueError(f"{file} does not hold the outcomes of its sweep: put it elsewhere") from None


def _outcome(asked: Setting, rows: Any, diverged: Any, updates: Any, seconds: Any) -> Outcome:
    """An outcome from JSON; ValueError where it is none."""
    figures = [value for row in rows for value in row.values()]
    if not all(isinstance(value, float) or is_finite(value) for value in (*figures, updates, seconds)):
        raise ValueError("no numbers")
    if not isinstance(rows, list) or not isinstance(diverged, str):
        raise ValueError("no rows")
    return Outcome(asked, rows, diverged, int(updates), float(seconds))


def train(place: Path, tell: Tell) -> None:
    """Run the sweep of a prepared folder, or go on with it, and write what comes of it.

    ValueError when the learner refuses a setting.
    """
    asked = _read(place / "sweep.json")
    if asked is None:
        raise ValueError(f"{place} holds no sweep: there is no sweep.json")
    module_name, _, config = asked["learner"].partition(":")
    module = importlib.import_module(module_name)
    make = getattr(module, config)
    runs = asked["runs"]
    settings = [make(**{name: value for name, value in run.items() if name not in OURS}) for run in runs]
    if hasattr(module, "Trainer"):
        devices = [str(run.get("device", "cpu")) for run in runs]
        starts = [place.parent / run["start"] if run.get("start") else None for run in runs]
        _write(place / "outcomes.json", {"outcomes": single.train(module, settings, devices, starts, place, tell)})
        return
    start = _start(settings, [bool(run.get("pretrained")) for run in runs])
    trained = module.train(settings, place / "state", lambda share, histories: tell(share), start)
    from safetensors.torch import save_file

    save_file({"parameters": trained.parameters.contiguous()}, place / "nets.safetensors")
    kept = [
        {"rows": got.rows, "diverged": got.diverged, "updates": got.updates, "seconds": got.seconds}
        for got in trained.histories
    ]
    _write(place / "outcomes.json", {"outcomes": kept})
    shutil.rmtree(place / "state", ignore_errors=True)


def _start(settings: Sequence[Any], pretrained: Sequence[bool]) -> Any:
    """The nets that runs on one board begin with, [runs, parameters]; None when all begin as their learner has it."""
    if not any(pretrained):
        return None
    from fingal.learn.parts.pretraining import pretrain
    from fingal.nets.stacked import Stack

    net = settings[0].net
    stack = Stack(net)
    start = stack.narrow(stack.initial([one.seed for one in settings]))
    chosen = [at for at, taught in enumerate(pretrained) if taught]
    start[chosen] = pretrain(net, [settings[at].seed for at in chosen])[0]
    return start


def as_data(found: Sequence[Outcome]) -> list[dict[str, Any]]:
    """For JSON."""
    return [asdict(outcome) for outcome in found]


def _read(path: Path) -> dict[str, Any] | None:
    """The object that a JSON file holds; None when there is no file, ValueError when it holds something else."""
    return read_object(path, "a sweep's own file") if path.exists() else None


def _write(path: Path, value: object) -> None:
    """Write a file that is there whole or not at all."""
    write_atomically(path, json.dumps(value).encode())
