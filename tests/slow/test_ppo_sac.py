"""What PPO, Stable-Baselines3's and SAC reach on 5x5 in minutes of one core, and SAC with its mistakes does not."""

from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from fingal.arena.play import play_game
from fingal.experiments.paper_003.soft_mistakes import MISTAKES, RIGHT, plan
from fingal.game import Colour, Record
from fingal.learn import ppo, sac, sb3_ppo
from fingal.learn.parts.run import Run
from fingal.nets import checkpoint
from fingal.players.spec import make

GAMES = 200
"""Against random moves, with each colour."""


def trained(module: ModuleType, config: Any, folder: Path) -> tuple[Path, dict[str, float]]:
    """The net of a run, and its last row."""
    torch.set_num_threads(1)
    run = Run(folder, asdict(config))
    *_, last = module.train(module.Trainer(config, run, torch.device("cpu")))
    run.close()
    return run.checkpoints / "latest.safetensors", last


def shares(net: Path) -> dict[str, float]:
    """The shares of games that a net's player wins against random moves."""
    won = dict.fromkeys(Colour, 0)
    player = make(f"net:{net}")
    for seed in range(GAMES):
        other = make(f"random:seed={seed}")
        for colour in Colour:
            players = [player, other] if colour == Colour.BLACK else [other, player]
            record, failed = play_game(players, Record(5, 5))
            assert not failed
            assert record.result is not None
            won[colour] += record.result.winner == colour
    player.close()
    return {"first": won[Colour.BLACK] / GAMES, "second": won[Colour.WHITE] / GAMES}


@pytest.mark.parametrize("module", [ppo, sac], ids=["ppo", "sac"])
def test_it_wins_nineteen_of_twenty_games_against_random_moves(module: ModuleType, tmp_path: Path) -> None:
    net, last = trained(module, module.PRESETS["cpu-5x5"], tmp_path)
    found = shares(net)
    print(found, last)
    assert min(found.values()) >= 0.95
    assert last["keeps_win"] > 0.5


def test_so_does_the_baseline(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    torch.set_num_threads(1)
    config = ppo.PRESETS["baseline-5x5"]
    net = tmp_path / "sb3.safetensors"
    checkpoint.save(sb3_ppo.learn(sb3_ppo.model(config), config), net)
    found = shares(net)
    print(found)
    assert min(found.values()) >= 0.95


def test_each_mistake_alone_keeps_sac_from_it(tmp_path: Path) -> None:
    """Nobody who makes one wins more than 70% of the games that he learns from, as the paper reports it."""
    runs = plan(seeds=1)
    won, marks = {}, {}
    for number, arm in enumerate(MISTAKES.arms):
        config = sac.SAC(**{**runs.common, **arm.fields, "seed": 1})
        _, last = trained(sac, config, tmp_path / str(number))
        won[arm.name], marks[arm.name] = last["won"], (last["first_vs_random"] + last["second_vs_random"]) / 2
        print(arm.name, {name: round(last[name], 3) for name in ("won", "first_vs_random", "second_vs_random")})
    assert won.pop(RIGHT.name) >= 0.8
    assert marks.pop(RIGHT.name) >= 0.97
    assert max(won.values()) < 0.7
    assert max(marks.values()) < 0.95
