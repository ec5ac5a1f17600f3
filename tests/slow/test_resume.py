"""Training that is killed at any moment, again and again, and goes on."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from fingal.nets.checkpoint import load

SETTINGS = [
    "--sizes",
    "3",
    "4",
    "--games",
    "8",
    "--full-simulations",
    "4",
    "--cheap-simulations",
    "2",
    "--replay",
    "2000",
]
SETTINGS += ["--replay-start", "60", "--batch", "16", "--steps", "100000", "--checkpoint-steps", "5"]
SETTINGS += ["--blocks", "2", "--channels", "8", "--pool-channels", "2"]


def steps_in(folder: Path) -> int:
    """How far the last checkpoint is."""
    return int(load(folder / "checkpoints" / "latest.safetensors")[1].cost["steps"])


def test_twenty_kills_lose_no_checkpoint(tmp_path: Path) -> None:
    chooser = random.Random(1)
    command = [
        str(Path(sys.executable).with_name("fingal")),
        "train",
        "alphazero",
        "--device",
        "cpu",
        "--run",
        str(tmp_path),
    ]
    before = 0
    for kill in range(20):
        process = subprocess.Popen([*command, *SETTINGS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # Until it has gone past the checkpoint it began from, then a random moment more: often mid-write.
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if (tmp_path / "checkpoints" / "latest.safetensors").exists() and steps_in(tmp_path) > before:
                break
            time.sleep(0.05)
        time.sleep(chooser.random())
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
        assert process.returncode == -signal.SIGKILL, errors.decode()
        after = steps_in(tmp_path)
        assert after > before, f"kill {kill + 1}: went from step {before} to {after}"
        before = after
