"""What ten generations of deep Q-learning come to on 5x5 in a few minutes of one core."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from fingal.arena.play import play_game
from fingal.game import Colour, Record
from fingal.learn.dqn import PRESETS, Trainer, train
from fingal.learn.parts.run import Run
from fingal.players.spec import make

FIVE = replace(PRESETS["cpu-5x5"], episodes=600, more_episodes=60)


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    """The folder of the generations, and the row that ends each of them."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("dqn") / "five"
    run = Run(folder, asdict(FIVE))
    for _ in train(Trainer(FIVE, run, torch.device("cpu"))):
        pass
    run.close()
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return run.checkpoints, [row for row in rows if "generation_episodes" in row]


def won(net: Path, opponent: Path) -> int:
    """How many of 50 games a net wins: every first stone, with each colour."""
    count = 0
    players = [make(f"net:{file}") for file in (net, opponent)]
    for opening in range(25):
        for order in (players, players[::-1]):
            record, failed = play_game(order, Record.of([opening], 5))
            assert not failed
            assert record.result is not None
            count += order[record.result.winner == Colour.WHITE] is players[0]
    for player in players:
        player.close()
    return count


def test_the_first_generation_soon_wins_fifty_games_in_a_row(five: tuple[Path, list[dict[str, float]]]) -> None:
    base = five[1][0]
    print(f"fifty wins in a row after {base['generation_episodes']:.0f} games")
    assert base["streak"] == 1
    assert base["generation_episodes"] <= 500


def test_the_tenth_generation_beats_the_first(five: tuple[Path, list[dict[str, float]]]) -> None:
    folder, rows = five
    assert [row["generation"] for row in rows] == list(range(11))
    found = [
        won(folder / f"generation-{number:02d}.safetensors", folder / "generation-01.safetensors") for number in (5, 10)
    ]
    print(f"of 50 games against generation 1: generation 5 wins {found[0]}, generation 10 {found[1]}")
    print({name: rows[-1][name] for name in ("minutes", "keeps_win", "first_vs_random", "second_vs_random")})
    assert found[1] >= 0.65 * 50
    assert min(rows[-1]["first_vs_random"], rows[-1]["second_vs_random"]) >= 0.98
