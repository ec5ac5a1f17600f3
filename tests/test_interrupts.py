"""Ctrl-C at random instants leaves no search at work, no broken player and no crash. Few here, many in tests/slow."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fingal.players import spec
from tests.interrupting import COMMANDS, PLAYERS


def interrupt(name: str, count: int, seed: int = 1) -> list[str]:
    """The faults that so many interrupts of a player or a command show, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.interrupting", name, str(count), str(seed)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        timeout=60 + 4 * count,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    print(json.dumps(result))
    faults: list[str] = result["faults"]
    return faults


def test_every_kind_of_player_is_interrupted() -> None:
    assert {spec.parse(text).kind for text in PLAYERS.values()} == {kind.name for kind in spec.kinds()} - {"human"}


@pytest.mark.parametrize("name", PLAYERS)
def test_an_interrupted_player_has_nothing_at_work_and_plays_on(name: str) -> None:
    assert interrupt(name, 4 if name == "htp" else 12) == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("match", "train", "htp puct")])
def test_an_interrupted_command_ends_in_order(name: str) -> None:
    assert interrupt(name, 4) == []
