"""Training that is killed at any moment, again and again, and goes on."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import safetensors.torch
import torch
from torch import Tensor

from fingal.nets.checkpoint import load
from tests.learn.untaught import made
from tests.slow.kills import PATIENCE, Server, server

KILLS = 27
"""So often every learner is killed at least, in as many folders as it takes: 380 kills in all."""

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


TIMES = ("time", "minutes", "seconds")
"""Figures that the clock decides; so it does those that end with ``_s`` or ``_per_s``."""

TOY = {
    "alphazero": (
        "--blocks 1 --channels 8 --pool-channels 4 --policy-channels 4 --value-channels 4 --value-hidden 8 --sizes 3 "
        "--games 8 --full-simulations 4 --cheap-simulations 2 --replay-start 20 --replay 500 --batch 16 --steps 12 "
        "--checkpoint-steps 3"
    ),
    "distil": (
        "--source {source} --blocks 1 --channels 8 --pool-channels 4 --policy-channels 4 --value-channels 4 "
        "--value-hidden 8 --batch 8 --steps 6 --row-steps 2 --held-out 0.2"
    ),
    "apprentice": (
        "--start {start} --teacher {start} --sizes 3 --batch 8 --steps 6 --row-steps 2 --checkpoint-minutes 1e-9 "
        "--blocks 2 --channels 8 --pool-every 2 --pool-channels 2 --policy-channels 4 --value-channels 4 "
        "--value-hidden 8"
    ),
    "ezo": "--size 3 --channels 4 --dense 4 --games 6 --epochs 5 --latest-turn 3 --keep-epochs 2 --exam-epochs 2",
    "imitate": (
        "--size 3 --player random --games 30 --layers 2 --channels 4 --batch 8 --steps 12 --row-steps 3 --keep-rows 2"
    ),
    "neurohex": (
        "--size 3 --layers 0 4 4 0 8 0 --mentoring 4 --mentor-positions 50 --own-games 8 --games 8 --capacity 200 "
        "--batch 16 --transitions 64 --row-transitions 16 --keep-rows 2"
    ),
    "dqn": "--size 3 --width 4 --generations 3 --episodes 16 --more-episodes 2 --games 4 --batch 8 --capacity 40 "
    "--row-episodes 6",
    "reinforce": "--variant a --size 3 --layers 2 --channels 4 --games 6 --iterations 5 --keep-iterations 2",
    "amcpg": "--variant b --k 2 --size 3 --layers 2 --channels 4 --games 6 --iterations 5 --keep-iterations 2",
    "adversarial": "--size 3 --layers 2 --channels 4 --games 6 --iterations 5 --keep-iterations 2",
    "ppo": "--size 3 --net convolutional --width 4 --games 8 --steps 4 --batch 16 --iterations 5 --keep-iterations 2",
    "sac": "--size 3 --net feed-forward --width 8 --games 8 --capacity 64 --warm-up 8 --batch 8 --moves 160 "
    "--row-moves 32 --keep-rows 2",
    "sarsa": "--size 2 --games 200 --rows 5",
    "batch": "--size 2 --games 200 --rows 5",
}
"""Runs of a second or two, with several checkpoints."""


class Left(NamedTuple):
    """What a run has left behind, the clock's figures left out."""

    rows: list[dict[str, float]]
    games: list[str]
    nets: dict[str, dict[str, Tensor]]


def left_by(folder: Path) -> Left:
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [{k: v for k, v in row.items() if k not in TIMES and not k.endswith("_s")} for row in rows]
    games = [file.read_text(encoding="utf-8") for file in sorted((folder / "games").iterdir())]
    nets = {
        file.name: safetensors.torch.load_file(file)
        for file in sorted((folder / "checkpoints").glob("*.safetensors"))
        if file.name != "state.safetensors"
    }
    return Left(rows, games, nets)


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(tmp_path_factory.mktemp("said")) as found:
        yield found


@pytest.fixture(scope="module")
def names(forked: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What stands in braces in the settings: a run to distil, and a net to begin from."""
    folder = tmp_path_factory.mktemp("source")
    ended = forked.run(["train", "alphazero", *TOY["alphazero"].split(), "--run", str(folder)], folder)
    assert ended.status == 0, ended.err
    start = made(folder / "start.safetensors", seed=6)
    return {"source": str(folder), "start": start}


@pytest.mark.parametrize("algorithm", TOY)
def test_kills_at_any_file_operation_lose_and_double_nothing(
    algorithm: str, forked: Server, names: dict[str, str], tmp_path: Path
) -> None:
    """The rows, the games and the nets of a run that is killed again and again are those of one that is not."""
    chooser = random.Random(algorithm)
    settings = [word.format(**names) for word in TOY[algorithm].split()]
    device = [] if algorithm in ("sarsa", "batch") else ["--device", "cpu"]

    def arguments(folder: Path) -> list[str]:
        return ["train", algorithm, *settings, *device, "--run", str(folder)]

    began = time.monotonic()
    whole = forked.run(arguments(tmp_path / "whole"), tmp_path / "whole")
    assert whole.status == 0, whole.err
    alone, expected = time.monotonic() - began, left_by(tmp_path / "whole")
    assert expected.rows
    assert expected.nets
    kills = number = 0
    while kills < KILLS:
        number += 1
        folder = tmp_path / str(number)
        for _ in range(9):
            touch, seconds = chooser.randint(1, max(2, whole.touches // 2)), PATIENCE
            if chooser.random() < 0.25:
                touch, seconds = 0, chooser.uniform(0, alone)
            ended = forked.run(arguments(folder), folder, touch=touch, seconds=seconds)
            assert ended.status in (0, -signal.SIGKILL), ended.err
            if ended.status == 0:
                break
            kills += 1
        ended = forked.run(arguments(folder), folder)
        assert ended.status == 0, ended.err
        found = left_by(folder)
        assert found.rows == expected.rows
        assert found.games == expected.games
        assert found.nets.keys() == expected.nets.keys()
        for name, net in found.nets.items():
            assert all(torch.equal(tensor, expected.nets[name][key]) for key, tensor in net.items()), name
        assert not list(folder.rglob("*.part"))
    print(f"{algorithm}: {kills} kills in {time.monotonic() - began:.0f} s")
