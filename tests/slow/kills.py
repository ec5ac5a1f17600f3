"""Commands that are killed with SIGKILL at any instant: hundreds in minutes, for Fingal is imported once.

A server process imports everything and forks a child for each command. The child kills itself before its n-th touch of
a file of its run (an audit event of Python's, or a statement to SQLite), or the server kills it after some time.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TOUCHES = ("open", "os.rename", "os.truncate", "os.remove", "os.mkdir", "shutil.rmtree")
"""The audit events that count where they are of a file of the run; SQLite's statements count too."""

PATIENCE = 300.0


class Ended(NamedTuple):
    """How a command has ended."""

    status: int
    """As subprocess has it: -9 for killed."""
    touches: int
    """How often it touched its files; only where it was not killed."""
    out: str
    err: str


class Server:
    """A process that forks commands."""

    def __init__(self, place: Path) -> None:
        """Start it; what commands say goes to files in ``place``."""
        self._place = place
        command = [sys.executable, "-m", "tests.slow.kills"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(
        self, arguments: list[str], files: Path, *, touch: int = 0, seconds: float = PATIENCE, alone: bool = False
    ) -> Ended:
        """Run ``fingal`` with arguments; killed before touch number ``touch`` of ``files``, or after some seconds.

        With ``alone`` games of a match are played in the process itself, which takes milliseconds to start.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        said = self._place / "said"
        job = {"arguments": arguments, "files": str(files), "touch": touch, "seconds": seconds, "said": str(said)}
        job["alone"] = alone
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the server has died"
        out, err = (Path(f"{said}.{name}").read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
        return Ended(*json.loads(answer), out, err)

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=30)


@contextlib.contextmanager
def server(place: Path) -> Iterator[Server]:
    """A server for as long as it is needed."""
    found = Server(place)
    try:
        yield found
    finally:
        found.close()


def main() -> None:
    """Fork a child for every line of stdin."""
    import matplotlib.pyplot
    import torch
    import torch.utils.tensorboard

    import fingal.arena.command
    import fingal.arena.exam.command
    import fingal.learn.command
    from fingal import cli
    from fingal.arena.crew import Alone

    for name in (*fingal.learn.command.LEARNERS, "td", "batch", "actor_critic"):
        __import__(f"fingal.learn.{name}")
    torch.set_num_threads(1)
    assert matplotlib.pyplot is not None
    for line in sys.stdin:
        job = json.loads(line)
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(told)
            status = 1
            try:
                for number, name in ((1, "out"), (2, "err")):
                    os.dup2(os.open(f"{job['said']}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
                touches = watched(job["files"], job["touch"])
                if job["alone"]:
                    fingal.arena.command.Workers = lambda *_: Alone()  # type: ignore[assignment,misc]
                sys.argv = ["fingal", *job["arguments"]]
                status = 0
                try:
                    cli.main()
                except SystemExit as error:
                    status = error.code if isinstance(error.code, int) else int(error.code is not None)
                sys.stdout.flush()
                sys.stderr.flush()
                os.write(tell, str(touches[0]).encode())
            except BaseException:
                import traceback

                traceback.print_exc()
                sys.stderr.flush()
                status = 70
            finally:
                os._exit(status)
        os.close(tell)
        end = time.monotonic() + job["seconds"]
        while (found := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() >= end:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                found = os.waitpid(child, 0)
                break
            time.sleep(0.001)
        with os.fdopen(told, "rb") as pipe:
            touches = int(pipe.read() or b"0")
        print(json.dumps([os.waitstatus_to_exitcode(found[1]), touches]), flush=True)


def watched(files: str, last: int) -> list[int]:
    """Count touches of files whose path begins so; before number ``last`` the process is killed."""
    count = [0]

    def touched() -> None:
        count[0] += 1
        if count[0] == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in TOUCHES and arguments and str(arguments[0]).startswith(files):
            touched()

    class Watched(sqlite3.Connection):
        """A connection whose statements count."""

        def execute(self, *arguments: Any) -> sqlite3.Cursor:  # type: ignore[override]
            touched()
            found = super().execute(*arguments)
            touched()
            return found

    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **more: connect(*args, factory=Watched, **more)  # type: ignore[assignment,misc]
    sys.addaudithook(hook)
    return count


if __name__ == "__main__":
    main()
