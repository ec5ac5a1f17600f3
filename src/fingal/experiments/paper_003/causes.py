"""Why AlphaZero and the transformers disappointed the paper: short lessons with one cause each, on several seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from fingal.arena.json_files import is_finite, read_object
from fingal.arena.report.markup import Section, table, text, tinted
from fingal.experiments.intervals import Mean, student_mean
from fingal.experiments.paper_003 import quoted, small_alphazero, transformer_causes
from fingal.experiments.paper_003.learning import BASE_HEAD, base_row
from fingal.experiments.paper_003.lineages import Lineage
from fingal.experiments.paper_003.protocol import Scale
from fingal.experiments.paper_003.small_alphazero import Small
from fingal.experiments.paper_003.transformer_causes import Lesson
from fingal.experiments.tasks import results
from fingal.nets.card import write_atomically

T = TypeVar("T")

Marks = dict[str, dict[str, Mean]]
"""By the cause's name and the mark's: the mean over seeds."""


def small(config: Small) -> dict[str, float]:
    """The marks of an AlphaZero on 3x3."""
    return small_alphazero.measured(small_alphazero.learn(config), config)


def lesson(config: Lesson) -> dict[str, float]:
    """Those of a net that learns which moves win."""
    return transformer_causes.measured(config)


def alphazero(scale: Scale, folder: Path, processes: int, tell: Callable[[float], None]) -> Marks:
    """The paper's AlphaZero and each of its mistakes."""
    tasks = [
        (name, Small(**{**scale.alphazero, **fields, "seed": seed}))
        for name, fields in small_alphazero.CAUSES.items()
        for seed in range(1, scale.cause_seeds + 1)
    ]
    return _worked_out(folder / "alphazero.json", tasks, small, processes, tell)


def lessons(scale: Scale, folder: Path, processes: int, tell: Callable[[float], None]) -> Marks:
    """What keeps a transformer from learning which moves win."""
    tasks = transformer_causes.lessons(scale.lesson, scale.cause_seeds)
    return _worked_out(folder / "lessons.json", tasks, lesson, processes, tell)


def _worked_out(
    file: Path,
    tasks: Sequence[tuple[str, T]],
    one: Callable[[T], dict[str, float]],
    processes: int,
    tell: Callable[[float], None],
) -> Marks:
    """What comes of every task, in processes; what is in the file of the same tasks is read."""
    asked = [f"{name}: {config}" for name, config in tasks]
    kept = read_object(file, "a figure's own file") if file.exists() else {}
    rows: list[dict[str, float]] = kept.get("rows", []) if kept.get("asked") == asked else []
    if not (
        isinstance(rows, list)
        and len(rows) <= len(tasks)
        and all(isinstance(row, dict) and all(map(is_finite, row.values())) for row in rows)
        and len({frozenset(row) for row in rows}) <= 1
    ):
        raise ValueError(f"{file} does not hold the marks of its lessons: put it elsewhere")
    left = [config for _, config in tasks[len(rows) :]]
    for row in results(one, left, processes):
        rows.append(row)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps({"asked": asked, "rows": rows}).encode())
        tell(len(rows) / len(tasks))
    found: dict[str, dict[str, list[float]]] = {}
    for (name, _), marks in zip(tasks, rows, strict=True):
        for key, value in marks.items():
            found.setdefault(name, {}).setdefault(key, []).append(value)
    return {
        name: {key: student_mean(values, (0.0, 1.0)) for key, values in marks.items()} for name, marks in found.items()
    }


def _table(found: Mapping[str, Mapping[str, Mean]], titles: Mapping[str, str]) -> str:
    rows = []
    for name, marks in found.items():
        shown = [marks[key] for key in titles]
        rows.append([text(name), str(shown[0].size), *(tinted(mean.value, mean.as_percent()) for mean in shown)])
    return table(["", "seeds", *titles.values()], rows)


SMALL_MARKS = {
    "search_first_vs_random": "by search, as first against random",
    "search_second_vs_random": "as second",
    "net_first_vs_random": "the net alone, as first",
    "net_second_vs_random": "as second",
}
"""What is shown of AlphaZero."""

LESSON_MARKS = {"early": "won positions kept, a quarter of the way", "end": "at the end", "mean": "on the way"}
"""What is shown of a lesson."""


def alphazero_section(found: Marks) -> Section | None:
    """AlphaZero on 3x3 with each mistake of the public program."""
    if not found:
        return None
    words = (
        f"<p><b>The paper:</b> {100 * quoted.ALPHAZERO:.0f}% against the random player on 3x3 after 20 iterations of "
        "40 games with 20 simulations a move. <b>Here</b> the same budget, and each of two mistakes of the public "
        "program alone: the second player's board is not mirrored, or the first player is told that he always lost. "
        "The shares are exact; perfect play wins 100% as first and 81.9% as second, and who plays for the random "
        "player's mistakes 97.8% as second.</p>"
    )
    return Section("alphazero", "AlphaZero on 3x3", words + _table(found, SMALL_MARKS), "AlphaZero")


def transformer_section(found: Marks, runs: Mapping[str, Sequence[Lineage]]) -> Section | None:
    """The transformer with one cause after the other, by lessons and by deep Q-learning."""
    if not found:
        return None
    words = (
        "<p><b>The paper:</b> the transformers learn slower and end below the convolutional nets, the one with learned "
        "positions most of all. <b>Here</b> nets learn which moves win in hard positions of 4x4, where all is known: "
        "what differs is the net and how it learns, and not the games that it happens to play.</p>"
    )
    rows = [base_row(name, same) for name, same in runs.items() if same]
    more = "<h3>By deep Q-learning against the random player</h3>" + table(BASE_HEAD, rows) if rows else ""
    return Section("transformer", "The transformers", words + _table(found, LESSON_MARKS) + more, "Transformers")
