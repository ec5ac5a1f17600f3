"""What NeuroHex reaches on 5x5 in a few minutes of one core, and what it does not with the wrong sign."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from fingal.arena.play import play_game
from fingal.game import Colour, Record
from fingal.learn.neurohex import PRESETS, NeuroHex, Trainer, train
from fingal.learn.parts.run import Run
from fingal.players.spec import make

FIVE = replace(PRESETS["cpu-5x5"], transitions=16_000)


def trained(config: NeuroHex, folder: Path, start: Path | None = None) -> tuple[Path, list[dict[str, float]]]:
    """The folder of a run's nets, and its rows."""
    torch.set_num_threads(1)
    run = Run(folder, asdict(config))
    trainer = Trainer(config, run, torch.device("cpu"), start)
    for _ in train(trainer):
        pass
    run.close()
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return run.checkpoints, rows


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    return trained(FIVE, tmp_path_factory.mktemp("neurohex") / "five")


def wins(net: Path, opponent: str, colour: Colour, games: int, opening: list[int | str] | None = None) -> float:
    """The share of games that a net wins with a colour."""
    won = 0
    for seed in range(games):
        players = [make(f"net:{net}"), make(opponent.format(seed=seed))]
        record, failed = play_game(players if colour == Colour.BLACK else players[::-1], Record.of(opening or [], 5))
        assert not failed
        assert record.result is not None
        won += record.result.winner == colour
        for player in players:
            player.close()
    return won / games


def test_it_agrees_with_its_mentor(five: tuple[Path, list[dict[str, float]]]) -> None:
    agreement = [row["agreement"] for row in five[1] if "agreement" in row][-1]
    print(f"agreement with the mentor {agreement:.3f}")
    assert agreement >= 0.6


def test_it_beats_random_and_shortest_path_and_wins_from_the_centre(five: tuple[Path, list[dict[str, float]]]) -> None:
    net = five[0] / "latest.safetensors"
    random = [wins(net, "random:seed={seed}", colour, 100) for colour in Colour]
    first = wins(net, "shortest-path:epsilon=0.05,seed={seed}", Colour.BLACK, 50)
    centre = wins(net, "solver", Colour.BLACK, 1, ["c3"])
    last = {name: five[1][-1][name] for name in ("keeps_win", "sign")}
    print(f"against random {random}, first against shortest-path {first}, from the centre against the solver {centre}")
    print(last)
    assert min(random) >= 0.99
    assert first >= 0.9
    assert centre == 1
    assert last["keeps_win"] > 0.8


def test_with_the_wrong_sign_it_forgets_what_the_mentor_taught(
    five: tuple[Path, list[dict[str, float]]], tmp_path: Path
) -> None:
    config = replace(FIVE, target="literal", mentoring=0, transitions=3_000)
    nets, rows = trained(config, tmp_path / "wrong", five[0] / "net-00000000.safetensors")
    first = wins(nets / "latest.safetensors", "shortest-path:epsilon=0.05,seed={seed}", Colour.BLACK, 50)
    print(f"|value| {rows[-1]['value']:.3f}, first against shortest-path {first}, keeps {rows[-1]['keeps_win']:.3f}")
    assert rows[-1]["value"] > 0.95
    assert first < 0.5
    assert rows[-1]["keeps_win"] < 0.6
