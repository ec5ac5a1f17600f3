"""``fingal solve``: what it prints, what it keeps when it is stopped, and one sentence for bad input."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fingal.solve.check import check
from tests.conftest import FINGAL, Run


def test_solve(fingal: Run, tmp_path: Path) -> None:
    said = json.loads(fingal("solve", "4", "--find-all", "--json").out)
    assert said["winner"] == said["to_move"] == "black"
    assert said["winning_moves"] == ["d1", "c2", "b3", "a4"]
    assert len(said["losing_moves"]) == 12
    assert said["variation"][0] in said["winning_moves"]
    assert said["nodes"] > 0
    shown = fingal("solve", "4 a1")
    assert shown.status == 0
    assert "White wins (white to move)." in shown.out
    assert json.loads(fingal("solve", "3 a1 b1 a2 b2 a3", "--json").out)["winner"] == "black"
    assert "Black has won already." in fingal("solve", "3 a1 b1 a2 b2 a3").out


def test_solve_with_a_net(fingal: Run) -> None:
    assert json.loads(fingal("solve", "6 a6", "--net", "fingal-small", "--json").out)["winner"] == "black"
    assert "there is no net" in fingal("solve", "6 a6", "--net", "nothing").err


def test_ctrl_c_ends_solve_and_keeps_what_was_found(tmp_path: Path) -> None:
    table = tmp_path / "table"
    command = [*FINGAL, "solve", "10", "--time", "600", "--memory", "16", "--table", str(table), "--json"]
    for delay in (2, 4, 8, 16, 32):  # until it comes after the search has begun, however busy the machine is
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Where the tests run in the background, programs are started with Ctrl-C ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        if process.returncode == 0:
            break
    assert process.returncode == 0
    assert err.strip() == "stopped"
    said = json.loads(out)
    assert said["winner"] is None
    assert said["nodes"] > 0
    assert said["open_moves"]
    assert table.stat().st_size > 0


def test_solve_says_how_far_it_got_and_goes_on_from_there(fingal: Run, tmp_path: Path) -> None:
    ran = fingal("solve", "11", "--nodes", "2", "--table", "eleven")
    assert ran.status == 0
    assert "Not solved: 2 positions" in ran.out
    assert "best guess: " in ran.out
    assert json.loads(fingal("solve", "11", "--nodes", "1", "--table", "eleven", "--json").out)["winner"] is None
    assert (tmp_path / "eleven").stat().st_size > 0


def test_solve_writes_a_proof(fingal: Run, tmp_path: Path) -> None:
    assert fingal("solve", "4 a1", "--proof", "proof.json").status == 0
    proof = json.loads((tmp_path / "proof.json").read_text(encoding="utf-8"))
    assert check(proof) == ("B" + "." * 15, 1, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("3", "--memory", "0"), "memory must be from 1 to 100000000, not 0"),
        (("3", "--memory", "99999999"), "cannot be had on this machine"),
        (("3", "--time", "0"), "seconds=0.0 is not possible"),
        (("11", "--nodes", "1", "--proof", "x"), "there is no proof to write: Not solved: 1 positions"),
        (("3 a1 a1",), "a1"),
        (("3", "--nodes", "9" * 20), f"nodes must be from 1 to 1000000000000000000, not {'9' * 20}"),
        (("3", "--table", "nowhere/t"), "nowhere/t cannot be written: there is no folder nowhere"),
        (("3", "--proof", "nowhere/p"), "nowhere/p cannot be written: there is no folder nowhere"),
        (("3", "--proof", "."), ". cannot be written: it is a folder, and a file is expected"),
    ],
)
def test_solve_refuses_what_cannot_be(fingal: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = fingal("solve", *arguments)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
