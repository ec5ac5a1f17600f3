"""Tasks in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from fingal.experiments.tasks import results

SCRIPT = """
import sys
from fingal.experiments.tasks import results
from tests.experiments.test_tasks import held

if __name__ == "__main__":
    list(results(held, [(sys.argv[1], 0), (sys.argv[1], 1)], 2))
"""


def told(number: int) -> tuple[int, int, int]:
    """A number, who was asked, and with how many threads."""
    return number, os.getpid(), torch.get_num_threads()


def held(task: tuple[str, int]) -> None:
    """Say who is at work, and never end."""
    folder, number = task
    (Path(folder) / f"{number}.part").write_text(str(os.getpid()))
    (Path(folder) / f"{number}.part").rename(Path(folder) / f"{number}.pid")
    time.sleep(600)


def test_results_come_in_order_from_processes_with_one_thread() -> None:
    found = list(results(told, range(5), 2))
    assert [number for number, _, _ in found] == list(range(5))
    assert os.getpid() not in {process for _, process, _ in found}
    assert {threads for _, _, threads in found} == {1}


@pytest.mark.parametrize(("tasks", "processes"), [(range(3), 1), (range(1), 2), (range(0), 2)])
def test_what_needs_no_processes_has_none(tasks: range, processes: int) -> None:
    assert [(number, process) for number, process, _ in results(told, tasks, processes)] == [
        (number, os.getpid()) for number in tasks
    ]


def test_nobody_works_for_a_process_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, script, tmp_path], env={**os.environ, "PYTHONPATH": root})
    with process:
        while len(pids := list(tmp_path.glob("*.pid"))) < 2 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    workers = [int(path.read_text()) for path in pids]
    assert len(workers) == 2
    deadline = time.monotonic() + 60
    while (left := [worker for worker in workers if alive(worker)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def alive(process: int) -> bool:
    """Whether a process still works: one that has ended may wait for its parent to notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
