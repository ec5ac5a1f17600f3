"""Thousands of broken files: the attacks of the quick tests, without end."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingal.arena import results
from fingal.arena.exam.sitting import Sitting
from fingal.arena.report.exams import section
from fingal.arena.report.sources import read_exam, read_run
from fingal.learn.parts import game_lines
from tests.arena.test_broken_stores import ladders, played, spoiled_json, spoiled_stores
from tests.broken import changed_bytes, refused
from tests.learn.test_broken_runs import check_states, runs
from tests.learn.test_command import SHORT
from tests.learn.test_sweep import alone, spoiled_sweeps

__all__ = ["alone", "runs"]


def test_stores_with_other_bytes(tmp_path: Path) -> None:
    played(whole := tmp_path / "games.sqlite")
    assert spoiled_stores(whole, tmp_path, range(1000, 4000)) > 1000


def test_exams_and_ladders(tmp_path: Path) -> None:
    marks: dict[str, Any] = json.loads(json.dumps(Sitting("solver", 3, positions=20).sit().as_dict()))
    spoiled_json(marks, tmp_path / "exam.json", lambda file: section([read_exam(file)]), range(4000))
    spoiled_json(ladders(), tmp_path / "league.json", results.read_ladders, range(4000))


def test_rows(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    rows = "".join(json.dumps({"step": step, "time": 1.5, "loss": 1 / (step + 1)}) + "\n" for step in range(6))
    for seed in range(4000):
        file.write_bytes(changed_bytes(rows.encode(), random.Random(seed)))
        refused(lambda: read_run(tmp_path), file)


def test_game_lines(tmp_path: Path) -> None:
    file = tmp_path / "played.txt"
    lines = "B 2 a1 b2 c3 a2 b1\nW 1 a1 b1 a2 b2 a3 b3\nb2 a1 c1\n"
    for seed in range(4000):
        file.write_bytes(changed_bytes(lines.encode(), random.Random(seed)))
        refused(lambda: game_lines.read(file, 3), file)


@pytest.mark.parametrize("algorithm", SHORT)
def test_states(algorithm: str, runs: Callable[[str], Path], tmp_path: Path) -> None:
    tried, count = check_states(algorithm, runs(algorithm), tmp_path / "run", random.Random(2), 400)
    print(f"{algorithm}: {tried} broken states, {count} refused")
    assert count > 0.6 * tried


@pytest.mark.usefixtures("alone")
def test_sweeps(tmp_path: Path) -> None:
    """The database of a sweep with other bytes: read, or refused in one sentence with its name."""
    assert spoiled_sweeps(tmp_path, range(100, 500)) > 50
