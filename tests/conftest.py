"""For all tests: nothing is judged by the clock, which measures the machine's other work too; and the command line."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

from fingal import cli

hypothesis.settings.register_profile("fingal", deadline=None)
hypothesis.settings.load_profile("fingal")


FINGAL = [sys.executable, "-c", "from fingal.cli import main; main()"]
"""The command line of ``fingal`` as a program of its own."""


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def fingal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs ``fingal`` in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: object, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["fingal", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        return Ran(status, *capsys.readouterr())

    return run
