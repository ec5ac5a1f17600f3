"""A paper's experiments in a process of their own that is killed on the way."""

import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import FINGAL


def killed_after_a_sweep(arguments: Sequence[str], folder: Path) -> dict[Path, int]:
    """What the first sweep to end has left in the folder, with the time at which each file was written."""
    with subprocess.Popen([*FINGAL, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (kept := list(folder.glob("sweeps/*/outcomes.json"))) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert kept
    assert not (folder / "page.html").exists()
    return {path: path.stat().st_mtime_ns for path in kept}
