"""A search for good settings of a learner: many trials, each a run of ``fingal train`` in a folder of its own.

Optuna chooses the settings, keeps the trials in an SQLite file and says which of them are worth no more time: those
whose figure is below the median of the others at the same row. Processes train trials beside each other; this one
alone writes the file. Killed, a sweep goes on where it was, and so do the trials that were under way.
"""

from __future__ import annotations

import fcntl
import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from fingal.arena.json_files import read_object
from fingal.learn import stacked_command
from fingal.learn.sweep_worker import Crew, Ended, Row, Task
from fingal.nets.card import write_atomically

STORAGE = "sweep.sqlite"
"""The file in a sweep's folder that holds the trials; Optuna's own programs read it too."""

ASKED = "sweep.json"
"""What was asked for: a folder holds one sweep."""

AGAIN = "again"
"""Where the study keeps the numbers of trials that a kill has ended: others go on in their folders."""

STARTING = 5
"""Trials that end before any is ended early: before, a median says little."""

ENOUGH = 8
"""Whole trials before it is said what matters: of fewer the best quarter is a single one."""

Tell = Callable[[FrozenTrial], None]
"""Told of every trial that has ended."""


@dataclass(frozen=True)
class Range:
    """What one setting may be: from ``low`` to ``high``, or one of ``choices``."""

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    """Whether equal factors count alike, not equal steps."""
    choices: tuple[Any, ...] = ()
    whole: bool = False
    """Whether only whole numbers are possible."""

    def __post_init__(self) -> None:
        """Refuse what has no values."""
        if self.choices:
            return
        if not self.low < self.high:
            raise ValueError(f"vary={self.name} is not possible: {self.low:g} is not below {self.high:g}")
        if self.log and self.low <= 0:
            raise ValueError(f"vary={self.name} is not possible: :log needs numbers above 0, not {self.low:g}")

    @property
    def ends(self) -> tuple[Any, ...]:
        """The values that a learner has to take for the others to make sense."""
        return self.choices or tuple(int(end) if self.whole else end for end in (self.low, self.high))

    def distribution(self) -> BaseDistribution:
        """The same for Optuna."""
        if self.choices:
            return CategoricalDistribution(self.choices)
        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)


def parse(text: str, settings: Any) -> Range:
    """``learning_rate=1e-4..1e-2:log``, ``channels=16..64`` or ``net=residual,hexagonal`` for settings as they are now.

    ValueError, one sentence, for what is none of these or names no setting.
    """
    name, equals, told = text.partition("=")
    name = name.strip().replace("-", "_")
    known = [field.name for field in fields(settings)]
    if not equals or not told:
        raise ValueError(f"vary={text!r} is not possible: name=low..high, name=low..high:log or name=one,other is")
    if name not in known:
        raise ValueError(f"vary={text!r} is not possible: there is no setting {name!r}, but {', '.join(known)}")
    span, _, manner = told.partition(":")
    low, dots, high = span.partition("..")
    if not dots:
        # A list is told apart from a span by its commas; what stands there is read as the setting's own kind.
        return Range(name, choices=tuple(_read(word, settings, name) for word in told.split(",")))
    if bool in _kinds(type(settings), name):
        raise ValueError(f"vary={text!r} is not possible: {name}=true,false is")
    if manner not in ("", "log"):
        raise ValueError(f"vary={text!r} is not possible: after the colon 'log' is, not {manner!r}")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise ValueError(f"vary={text!r} is not possible: {span!r} is not two numbers with '..' between") from None
    whole = _is_whole(type(settings), name) and all(end.is_integer() for end in ends)
    return Range(name, *ends, manner == "log", whole=whole)


def _is_whole(settings: type, name: str) -> bool:
    """Whether a setting's numbers are whole ones, which its value does not say where it is None."""
    kinds = _kinds(settings, name)
    return int in kinds and float not in kinds


def _kinds(settings: type, name: str) -> tuple[Any, ...]:
    """Of which kinds a setting's values may be."""
    kind = get_type_hints(settings)[name]
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _read(word: str, settings: Any, name: str) -> Any:
    """A word as the kind of value that a setting has; a whole number where it has none so far."""
    word, like = word.strip(), getattr(settings, name)
    if isinstance(like, bool):
        if word.lower() not in ("true", "false"):
            raise ValueError(f"vary={word!r} is not possible: true or false is")
        return word.lower() == "true"
    if word.lower() == "none" and not isinstance(like, str):
        return None
    kinds: tuple[Callable[[str], Any], ...] = (float,) if isinstance(like, float) else (int, float)
    for kind in () if isinstance(like, str) else kinds:
        try:
            return kind(word)
        except ValueError:
            continue
    if set(_kinds(type(settings), name)) <= {int, float, NoneType}:
        raise ValueError(f"vary={name} is not possible: {word!r} is not a number")
    return word


@dataclass(frozen=True)
class Goal:
    """What is made large or small: a figure of ``metrics.jsonl``, at a run's last row that has it."""

    figure: str
    largest: bool = True

    @classmethod
    def parse(cls, text: str) -> Goal:
        """``keeps_win``, ``keeps_win:max`` or ``loss:min``; ValueError for another."""
        figure, colon, way = text.partition(":")
        if not figure or (colon and way not in ("max", "min")):
            raise ValueError(f"goal={text!r} is not possible: a figure is, with :max or :min after it")
        return cls(figure, way != "min")


@dataclass(frozen=True)
class Sweep:
    """What is asked for."""

    algorithm: str
    """As ``fingal train`` calls it."""
    settings: Any
    """Those of all trials, but for what varies."""
    vary: tuple[Range, ...]
    goal: Goal
    folder: Path
    trials: int = 20
    processes: int = 1
    device: str = "auto"
    prune: bool = True
    seed: int = 1
    """Start of the random numbers by which settings are chosen; the runs' own are in the settings."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run; settings that the learner refuses among them."""
        for name in ("trials", "processes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} is not possible: at least 1")
        if not self.vary:
            raise ValueError("vary is missing: name a setting, for example --vary learning_rate=1e-4..1e-2:log")
        names = [one.name for one in self.vary]
        if len(set(names)) < len(names):
            raise ValueError(f"vary={', '.join(names)} is not possible: a setting varies once")
        for one in self.vary:
            for value in one.ends:
                tried = replace(self.settings, **{one.name: value})
                if self.algorithm in stacked_command.LEARNERS:
                    stacked_command.check_fixed(self.algorithm, tried)

    def asked(self) -> dict[str, Any]:
        """What makes it this sweep and no other, for JSON."""
        told = {
            "algorithm": self.algorithm,
            "settings": asdict(self.settings),
            "vary": [asdict(one) for one in self.vary],
            "goal": asdict(self.goal),
        }
        return dict(json.loads(json.dumps(told, default=str)))


def run(sweep: Sweep, tell: Tell = lambda trial: None) -> optuna.Study:
    """Train what is left of a sweep's trials; gives all of them.

    ValueError when the folder holds another sweep, when another process is at it, or when no run has the goal's figure.
    """
    sweep.folder.mkdir(parents=True, exist_ok=True)
    with _alone(sweep.folder):
        _keep(sweep)
        study = opened(sweep)
        for trial in study.get_trials(states=(TrialState.RUNNING,)):
            _again(study, trial)
        crew = Crew(min(sweep.processes, max(1, sweep.trials - _begun(study))))
        try:
            _search(sweep, study, crew, tell)
        finally:
            crew.close()
    return study


def _again(study: optuna.Study, trial: FrozenTrial) -> None:
    """Let another trial go on where one was: whoever trained it is dead, for nobody else has the folder.

    Killed between any two of these steps, it is done once more, and what it has done already does not count twice.
    """
    place = trial.user_attrs.get("folder", trial.number)
    study.set_user_attr(AGAIN, sorted({*_ended_by_a_kill(study), trial.number}))
    waiting = study.get_trials(deepcopy=False, states=(TrialState.WAITING,))
    if place not in [other.user_attrs.get("folder") for other in waiting]:
        study.enqueue_trial(trial.params, user_attrs={"folder": place})
    study.tell(trial.number, state=TrialState.FAIL)


def opened(sweep: Sweep) -> optuna.Study:
    """The trials of a sweep so far; ValueError, in one sentence, where their file is damaged or another program's."""
    file = sweep.folder / STORAGE
    _check_storage(file)
    try:
        study = _study(sweep)
        for trial in study.get_trials(deepcopy=False):
            if not isinstance(trial.user_attrs.get("folder", 0), int):
                raise ValueError("no folder")
        if not all(isinstance(number, int) for number in _ended_by_a_kill(study)):
            raise ValueError("no trials")
    except (
        SQLAlchemyError,
        optuna.exceptions.OptunaError,
        LookupError,
        TypeError,
        ValueError,
        RuntimeError,
        AttributeError,
        ArithmeticError,
        AssertionError,
    ) as error:
        why = str(error).partition("\n")[0]
        raise ValueError(f"{file} cannot be read, it is damaged or another Optuna's: {why:.200}") from None
    return study


def _check_storage(file: Path) -> None:
    """ValueError unless a file, if there is one, is a whole SQLite database that Optuna made; nothing is changed."""
    if not file.exists():
        return
    try:
        with closing(sqlite3.connect(file)) as base:
            (sound,) = base.execute("PRAGMA quick_check(1)").fetchone()
            tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error as error:
        raise ValueError(f"{file} cannot be read: {error}") from None
    if sound != "ok":
        raise ValueError(f"{file} is damaged: {' '.join(str(sound).split()):.200}")
    if tables and "studies" not in tables:
        raise ValueError(f"{file} is another program's SQLite file")


def _study(sweep: Sweep) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=STARTING) if sweep.prune else optuna.pruners.NopPruner()
    study = optuna.create_study(
        study_name=sweep.algorithm,
        storage=f"sqlite:///{sweep.folder / STORAGE}",
        direction="maximize" if sweep.goal.largest else "minimize",
        load_if_exists=True,
        pruner=pruner,
    )
    # A sampler that began with the same random numbers again would choose the same settings again.
    seed = sweep.seed + 1000 * len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=sweep.processes > 1)
    return study


def importance(study: optuna.Study) -> dict[str, float]:
    """How much each setting matters for being among the best, the most important first; shares of 1.

    PED-ANOVA (Watanabe, Bansal and Hutter 2023), which needs no model of the figure. Nothing where fewer than
    ``ENOUGH`` trials have come to their end, or all to the same figure.
    """
    values = [trial.value for trial in study.get_trials(states=(TrialState.COMPLETE,))]
    if len(values) < ENOUGH or len(set(values)) < 2:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=0.25)
    found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {name: share for name, share in found.items() if math.isfinite(share)}


def _search(sweep: Sweep, study: optuna.Study, crew: Crew, tell: Tell) -> None:
    """Keep everyone busy until all trials have ended."""
    space = {one.name: one.distribution() for one in sweep.vary}
    under_way: dict[int, optuna.Trial] = {}
    rows: dict[int, list[int]] = {}
    """By trial: the steps of the rows that have been told, for their numbers."""
    while True:
        while len(under_way) < crew.size and _begun(study) < sweep.trials:
            trial = study.ask(space)
            place = trial.user_attrs.get("folder", trial.number)
            trial.set_user_attr("folder", place)
            under_way[trial.number], rows[trial.number] = trial, []
            folder = sweep.folder / "trials" / f"{place:04d}"
            about = sweep.algorithm, sweep.settings, trial.params
            crew.begin(Task(trial.number, *about, folder, sweep.device, sweep.goal.figure))
        if not under_way:
            return
        for number, news in crew.news():
            trial = under_way[number]
            if isinstance(news, Row):
                if news.step not in rows[number] and math.isfinite(news.value):
                    rows[number].append(news.step)
                    trial.report(news.value, len(rows[number]))
                crew.answer(number, go_on=not (sweep.prune and trial.should_prune()))
                continue
            del under_way[number]
            _end(study, trial, news)
            if news.figures:
                if not any(trial.intermediate_values for trial in study.trials):
                    # No run has told the figure, so nothing hangs on it: the folder is free for the right one.
                    for name in (STORAGE, ASKED):
                        (sweep.folder / name).unlink()
                raise ValueError(f"goal={sweep.goal.figure} is not possible: a run's figures are {news.figures}")
            tell(study.trials[number])


def _end(study: optuna.Study, trial: optuna.Trial, news: Ended) -> None:
    """Write down how a trial has ended."""
    trial.set_user_attr("seconds", round(news.seconds, 1))
    if news.said or news.value is None or not math.isfinite(news.value):
        trial.set_user_attr("said", news.said or f"ended with {news.value}")
        study.tell(trial, state=TrialState.FAIL)
    elif news.stopped:
        study.tell(trial, state=TrialState.PRUNED)
    else:
        study.tell(trial, news.value)


def _begun(study: optuna.Study) -> int:
    """How many trials count: not those that a kill has ended, nor those that are to go on."""
    trials = study.get_trials(deepcopy=False)
    return sum(bool(trial.state != TrialState.WAITING) for trial in trials) - len(_ended_by_a_kill(study))


def _ended_by_a_kill(study: optuna.Study) -> list[int]:
    found: list[int] = study.user_attrs.get(AGAIN, [])
    return found


def _keep(sweep: Sweep) -> None:
    """Write down what is asked for; ValueError when the folder holds something else."""
    file, asked = sweep.folder / ASKED, sweep.asked()
    if not file.exists():
        write_atomically(file, (json.dumps(asked, indent=1) + "\n").encode())
        return
    kept = read_object(file, "a sweep's request")
    differing = [name for name in asked if kept.get(name) != asked[name]]
    if differing:
        raise ValueError(f"{sweep.folder} holds a sweep with other {differing[0]}: choose another folder")
    if not (sweep.folder / STORAGE).exists() and any(sweep.folder.glob("trials/*")):
        raise ValueError(f"{sweep.folder} has trials, but not their results, {STORAGE}: choose another folder")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes out; the lock is the system's and goes with the process, however that ends."""
    with (folder / f"{STORAGE}.lock").open("ab") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{folder} is being swept by another process") from None
        yield


def best(study: optuna.Study) -> FrozenTrial | None:
    """The best trial that came to its end; None where none has."""
    return study.best_trial if study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)) else None


def ordered(study: optuna.Study) -> Sequence[FrozenTrial]:
    """The trials that count: the best first, then those that were ended early, then those that failed."""
    sign = -1 if study.direction == optuna.study.StudyDirection.MAXIMIZE else 1
    place = {TrialState.COMPLETE: 0, TrialState.PRUNED: 1}
    dead = _ended_by_a_kill(study)
    counted = [trial for trial in study.trials if trial.number not in dead and trial.state.is_finished()]
    return sorted(
        counted, key=lambda trial: (place.get(trial.state, 2), 0.0 if trial.value is None else sign * trial.value)
    )
