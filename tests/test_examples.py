"""The examples run, each as a person would start it."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
SAYS = {"draw_a_game.py": "Black has won", "my_player.py": "my-player keeps the contract of a player."}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert SAYS.get(example.name, "") in ran.stdout
    for path in tmp_path.rglob("*.*"):
        beginning = {".svg": b"<svg", ".png": b"\x89PNG"}[path.suffix]
        assert path.read_bytes().startswith(beginning)
