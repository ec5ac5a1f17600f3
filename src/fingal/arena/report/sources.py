"""What a report is made from: stores of games, results of exams, folders of training runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fingal.arena.json_files import is_finite, read_json, read_rows
from fingal.arena.store import Store, StoredGame
from fingal.game import MAX_SIDE


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run has written about itself."""

    name: str
    curves: dict[str, list[tuple[float, float]]]
    """By the name of a figure: (step, value)."""


def read_games(paths: Sequence[Path]) -> list[StoredGame]:
    """The games of some stores, store by store, each once; ValueError, in one sentence, when a file is none."""
    games: list[StoredGame] = []
    for path in {path.resolve(): path for path in paths}.values():
        with Store(path) as store:
            games += store.games()
    return games


def read_exam(path: Path) -> dict[str, Any]:
    """What ``fingal exam --json`` has printed to a file; ValueError when it is something else."""
    wrong = f"{path} is no result of an exam: what 'fingal exam PLAYER --json' prints is expected"
    try:
        result = read_json(path, "an object")
    except ValueError:
        raise ValueError(wrong) from None
    if not _is_result(result):
        raise ValueError(wrong)
    checked: dict[str, Any] = result
    return checked


def _is_result(result: Any) -> bool:
    """Whether something read from JSON has the parts of an exam's result that the page draws."""

    def is_number(value: Any) -> bool:
        return is_finite(value) and -1e-6 <= value <= 1 + 1e-6

    def is_interval(value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))

    def is_share(value: Any) -> bool:
        good = isinstance(value, dict) and is_number(value.get("share")) and is_interval(value.get("interval"))
        return good and type(value.get("count")) is int and 0 <= value["count"] < 2**63

    try:
        return (
            isinstance(result["player"], str)
            and type(result["size"]) is int
            and 1 <= result["size"] <= MAX_SIDE
            and all(
                result[key] is None or (is_number(result[key]) and is_interval(result["intervals"][key]))
                for key in ("keeps_win", "converts", "brier")
            )
            and all(is_share(share) for part in ("by_source", "by_winning_moves") for share in result[part].values())
            and (result["calibration"] is None or isinstance(result["calibration"], list))
            and all(is_share(part) and is_number(part["expected"]) for part in result["calibration"] or ())
        )
    except (KeyError, TypeError, AttributeError):
        return False


def read_run(folder: Path) -> Trained:
    """A run's figures; ValueError, in one sentence, when the folder holds none or a line is broken."""
    file = folder / "metrics.jsonl"
    if not file.is_file():
        raise ValueError(f"{folder} is no run: there is no {file}")
    curves: dict[str, list[tuple[float, float]]] = {}
    before, last = 0.0, 0.0
    for figures in read_rows(file):
        step = float(figures.pop("step"))
        if step < last:
            # A run of several parts begins to count anew with each.
            before += last
        last = step
        for name, value in figures.items():
            # A run that diverged has no numbers to draw.
            if is_finite(value):
                curves.setdefault(name, []).append((before + step, float(value)))
    return Trained(folder.name or folder.resolve().name, curves)
