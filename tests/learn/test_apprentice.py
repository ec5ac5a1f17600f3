"""An apprentice: what it learns, runs that go on after a kill, figures by hand."""

import json
import math
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from fingal import cli
from fingal.learn import command
from fingal.learn.apprentice import PRESETS, Apprentice, Trainer, losses, train
from fingal.learn.parts.run import Run, rows_in
from fingal.learn.parts.taught_games import Lesson
from fingal.learn.parts.truth import Truth
from fingal.nets import checkpoint
from tests.learn.untaught import CPU, TINY, judge

SHAPE = (
    "--blocks 2 --channels 8 --pool-every 2 --pool-channels 2 --policy-channels 4 --value-channels 4 --value-hidden 8"
)
"""The same for the command line."""


@pytest.fixture(scope="module")
def short(teacher: str) -> Apprentice:
    return Apprentice(teacher=teacher, net=TINY, sizes=(3, 4), batch=32, steps=12, row_steps=4, warm_up=2)


def run(config: Apprentice, folder: Path, start: Path | None, rows: int = 1000) -> list[dict[str, float]]:
    """Train for so many rows at most, with everything saved after every row but the last."""
    kept, given = Run(folder, asdict(config)), []
    try:
        for figures in train(Trainer(config, kept, CPU, start)):
            given.append(figures)
            if len(given) == rows:
                break
    finally:
        kept.close()
    return given


def test_losses_worked_by_hand() -> None:
    # 3 to 1 with a stone on the third cell, and 9 to 1 to 1.
    taught = torch.tensor([[math.log(3.0), 0.0, 60.0], [math.log(9.0), 0.0, 0.0]])
    taken = torch.tensor([[False, False, True], [False, False, False]])
    # Even, whatever the stone's cell says, and the same as the teacher.
    said = torch.tensor([[0.0, 0.0, 50.0], [math.log(9.0), 0.0, 0.0]])
    nothing = torch.zeros(2, 3, dtype=torch.int64)
    lesson = Lesson(nothing, nothing, taken, taught, torch.tensor([0.5, 0.5]))
    given = losses(said, torch.tensor([0.0, math.log(3.0)]), lesson)
    away = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    assert float(given["policy"]) == pytest.approx(away, abs=1e-5)
    # A value of 0.5 is a chance of 3 in 4, which a logit of ln 3 says.
    assert float(given["value"]) == pytest.approx(away, abs=1e-5)
    assert int(given["top_1"]) == 2


@pytest.mark.parametrize("sure", [1.0, 0.0])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    sure: float, short: Apprentice, start: Path, tmp_path: Path
) -> None:
    """Also one whose games are given up at once, so that openings are drawn anew before and after the stop."""
    config = replace(short, checkpoint_minutes=1e-9, sure=sure, stubborn_share=0.0)
    run(config, tmp_path / "whole", start)
    run(config, tmp_path / "parts", start, rows=2)
    run(config, tmp_path / "parts", None)
    whole, parts = (checkpoint.load(tmp_path / name / "checkpoints/latest.safetensors") for name in ("whole", "parts"))
    other = parts[0].state_dict()
    assert all(torch.equal(tensor, other[name]) for name, tensor in whole[0].state_dict().items())
    assert {**whole[1].cost, "minutes": 0} == {**parts[1].cost, "minutes": 0}
    assert [row["step"] for row in rows_in(tmp_path / "parts")] == [4, 8, 12]


def test_the_seed_decides_how_a_net_grows(short: Apprentice, start: Path, tmp_path: Path) -> None:
    config, made = replace(short, net=replace(TINY, blocks=3), steps=2), []
    for name in ("one", "other"):
        run(config, tmp_path / name, start)
        made.append(checkpoint.load(tmp_path / name / "checkpoints/latest.safetensors")[0].state_dict())
    assert all(torch.equal(tensor, made[1][name]) for name, tensor in made[0].items())


def test_norms_keep_their_statistics(short: Apprentice, start: Path, tmp_path: Path) -> None:
    run(short, tmp_path / "run", start)
    before, after = (checkpoint.load(file)[0] for file in (start, tmp_path / "run/checkpoints/latest.safetensors"))
    assert torch.equal(before.norm.variance, after.norm.variance)
    assert not torch.equal(before.stem.weight, after.stem.weight)


def keeps_win(net: str | Path, size: int) -> float:
    """In what share of won positions a net's best move still wins, by the exam's positions."""
    truth = Truth(size)
    stones, white = truth.positions.stones.view(np.int64), truth.positions.white_to_move
    logits = judge(net)(torch.from_numpy(stones), torch.from_numpy(white), size, size)[0]
    return float(truth.measure(logits.double().numpy()[None])["keeps_win"][0])


def test_a_net_that_knows_nothing_learns_3x3_from_fingal_small(tmp_path: Path, start: Path) -> None:
    config = Apprentice(
        teacher="fingal-small",
        net=TINY,
        sizes=(3,),
        batch=128,
        steps=300,
        row_steps=50,
        warm_up=20,
        learning_rate=0.01,
        averaging=0.98,
        stray=0.5,
        ahead=0,
    )
    rows = run(config, tmp_path / "run", start)
    assert rows[-1]["policy"] < 0.3 * rows[0]["policy"]
    assert rows[-1]["top_1"] > rows[0]["top_1"] + 0.1
    assert keeps_win(start, 3) < 0.8
    assert keeps_win("fingal-small", 3) > 0.95
    assert keeps_win(tmp_path / "run/checkpoints/latest.safetensors", 3) > 0.93


def test_an_apprentice_can_surpass_its_teacher(tmp_path: Path, start: Path) -> None:
    """One that has no idea of moves but foresees results teaches good moves by looking ahead."""
    net, _ = checkpoint.load(checkpoint.find("fingal-small"))
    with torch.no_grad():
        net.policy_head.out.weight.zero_()
    checkpoint.save(net, tmp_path / "teacher.safetensors")
    config = Apprentice(
        teacher=str(tmp_path / "teacher.safetensors"),
        net=TINY,
        sizes=(3,),
        batch=32,
        steps=120,
        row_steps=40,
        warm_up=20,
        learning_rate=0.01,
        averaging=0.98,
        stray=0.5,
        ahead=9,
        plies=1,
        looked=1.0,
    )
    run(config, tmp_path / "run", start)
    assert keeps_win(config.teacher, 3) < 0.8
    assert keeps_win(tmp_path / "run/checkpoints/latest.safetensors", 3) > 0.9


def test_command(
    teacher: str, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"fingal train apprentice --teacher {teacher} --start {start} {SHAPE} --sizes 3 4 --shares 1 3"
    words += " --batch 40 --steps 6 --row-steps 3"
    monkeypatch.setattr(sys, "argv", [*words.split(), "--run", str(tmp_path / "run")])
    cli.main()
    assert capsys.readouterr().out.strip() == str(tmp_path / "run/checkpoints/latest.safetensors")
    rows = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert [row["positions"] for row in rows] == [120, 240]
    assert {"policy_3", "policy_4", "value", "top_1"} <= set(rows[0])
    card = checkpoint.card_of(tmp_path / "run/checkpoints/latest.safetensors")
    assert (card.name, card.sizes, card.cost["positions"]) == ("apprentice", ("3x3", "4x4"), 240)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"sizes": (3, 3)}, "sizes must be different numbers from 2 to 19, not (3, 3)"),
        ({"sizes": (5, 7), "shares": (1.0,)}, "shares must be 2 numbers above 0, one a size, not (1.0,)"),
        (
            {"sizes": (5, 7), "shares": (1.0, 100.0), "batch": 50},
            "batch must have a position of every size, and 50 are too few",
        ),
        ({"sizes": (5, 7), "shares": (math.nan, 1.0)}, "shares must be 2 numbers above 0, one a size, not (nan, 1.0)"),
        ({"sizes": (5, 7), "shares": (1.0, math.inf)}, "shares must be 2 numbers above 0, one a size, not (1.0, inf)"),
        ({"sizes": (5.5,)}, "sizes must be different numbers from 2 to 19, not (5.5,)"),
        ({"batch": 2.5}, "batch must be a whole number, not 2.5"),
        ({"batch": 2_000_000}, "batch must be at most 1048576, not 2000000"),
        ({"heat": -1.0}, "heat must be a number from 0, not -1.0"),
        ({"ahead": 1}, "ahead must be 0 or at least 2, so that there is a choice, not 1"),
        ({"plies": 0}, "plies must be at least 1, not 0"),
        ({"looked": 1.5}, "looked must be from 0 to 1, not 1.5"),
        ({"sure": 1.5}, "sure must be from 0 to 1, not 1.5"),
        ({"opening_stones": 0}, "opening_stones must be at least 1, not 0"),
        ({"opening_spread": 0.0}, "opening_spread must be a number above 0, not 0.0"),
        ({"trust": math.inf}, "trust must be a number from 0, not inf"),
        ({"minutes": math.nan}, "minutes must be a number from 0, not nan"),
        ({"stray": 1.5}, "stray must be from 0 to 1, not 1.5"),
        (
            {"records": ("games.txt",)},
            "'games.txt' is not a board size: 11, or 7x9 for 7 wide and 9 high, is expected",
        ),
        ({"records": ("9x9",)}, "records must be one file a square board, as 9x9=games.txt, not '9x9'"),
        ({"records": ("6x6=a",)}, "records must be of sizes that are played, and 6x6 is not"),
        (
            {"records": ("5x5=a",), "wild_share": 0.9},
            "wild_share and recorded_share must be at most 1 together, not 0.9 and 0.25",
        ),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0, not 0.0"),
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"seed": -1}, "seed must be from 0 to 2**63 - 1, not -1"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        Apprentice(**setting)


def test_a_net_to_begin_from_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="start must name a net"):
        command.main(["apprentice", "--run", str(tmp_path / "run")])


def test_preset_is_whole() -> None:
    for config in PRESETS.values():
        assert sum(config.counts()) <= config.batch < sum(config.counts()) + len(config.sizes)
