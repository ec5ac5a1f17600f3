"""What imitation of Fingal's own tree search reaches on 7x7: games, learning and matches in about ten core minutes."""

from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from fingal.arena.play import play_game
from fingal.game import Colour, Record
from fingal.learn.imitate import PRESETS, Trainer, train
from fingal.learn.parts.run import Run
from fingal.players.spec import make


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    torch.set_num_threads(1)
    config = PRESETS["cpu-7x7"]
    run = Run(tmp_path_factory.mktemp("imitate") / "seven", asdict(config))
    rows = [row for row in train(Trainer(config, run, torch.device("cpu"))) if "top_1" in row]
    run.close()
    return run.checkpoints / "latest.safetensors", rows


def wins(net: Path, size: int, colour: Colour, games: int) -> float:
    """The share of games that a net's best moves win against random ones."""
    won = 0
    for seed in range(games):
        players = [make(f"net:{net}"), make(f"random:seed={seed}")]
        record, failed = play_game(players if colour == Colour.BLACK else players[::-1], Record(size, size))
        assert not failed
        assert record.result is not None
        won += record.result.winner == colour
        for player in players:
            player.close()
    return won / games


def test_it_foretells_a_third_of_the_moves_of_other_games(seven: tuple[Path, list[dict[str, float]]]) -> None:
    last = seven[1][-1]
    print({name: last[name] for name in ("pairs", "top_1", "top_5", "held_out_loss", "keeps_win")})
    assert last["pairs"] > 90_000
    assert last["top_1"] >= 0.35


@pytest.mark.parametrize("size", [6, 7, 8])
def test_it_beats_random_on_its_board_and_its_neighbours(seven: tuple[Path, list[dict[str, float]]], size: int) -> None:
    shares = [wins(seven[0], size, colour, 100) for colour in Colour]
    print(f"{size}x{size}: against random {shares}")
    assert min(shares) >= 0.95
