"""Imitation end to end on small boards: games and runs that go on after a kill, what is learned, bad settings."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from fingal.game import Board, Record
from fingal.learn import command
from fingal.learn.imitate import PRESETS, Imitate, Trainer, rank, train
from fingal.learn.parts import game_lines, teacher_games
from fingal.learn.parts.policy import log_chances
from fingal.learn.parts.run import Run, rows_in
from fingal.nets import checkpoint
from fingal.nets.convolutional import Convolutional
from fingal.players.spec import make

CPU = torch.device("cpu")
SMALL = Imitate(
    size=4,
    player="shortest-path:epsilon=0.1",
    games=30,
    layers=2,
    channels=8,
    steps=60,
    batch=32,
    row_steps=20,
    keep_rows=2,
)


def run(config: Imitate, folder: Path, rows: int = 1000, start: Path | None = None) -> list[dict[str, float]]:
    """Train for so many rows at most, with everything saved after every row but the last."""
    kept, given = Run(folder, asdict(config)), []
    try:
        for figures in train(Trainer(config, kept, CPU, start), save_seconds=0):
            given.append(figures)
            if len(given) == rows:
                break
    finally:
        kept.close()
    return given


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return checkpoint.load(folder / "checkpoints" / "latest.safetensors", Convolutional)[0].state_dict()


def test_chances_are_over_the_legal_cells_alone() -> None:
    logits = torch.tensor([[0.0, math.log(3), 50.0]])
    said = log_chances(logits, torch.tensor([[True, True, False]]))
    assert said.exp().tolist()[0] == pytest.approx([0.25, 0.75, 0.0])


def test_rank_counts_the_legal_moves_that_are_liked_better() -> None:
    logits = torch.tensor([[3.0, 2.0, 1.0, 9.0], [1.0, 1.0, 2.0, 0.0]])
    legal = torch.tensor([[True, True, True, False], [True, True, True, True]])
    assert rank(logits, legal, torch.tensor([2, 0])).tolist() == [2, 1]


def test_a_players_games_are_the_same_after_a_kill(tmp_path: Path) -> None:
    how: dict[str, Any] = {"most_random": 3, "seed": 4}
    whole, cut = tmp_path / "whole.txt", tmp_path / "cut.txt"
    assert list(teacher_games.play(whole, "random", 4, 6, **how)) == [1, 2, 3, 4, 5, 6]
    for done in teacher_games.play(cut, "random", 4, 6, **how):
        if done == 3:
            break
    with cut.open("a") as out:
        out.write("B 1 a1 b")  # a line that a kill cut short
    assert list(teacher_games.play(cut, "random", 4, 6, **how)) == [4, 5, 6]
    assert cut.read_text() == whole.read_text()
    assert list(teacher_games.play(cut, "random", 4, 6, **how)) == []
    games = game_lines.read(whole, 4)
    assert {game.given for game in games} <= {1, 2, 3}
    for game, line in zip(games, whole.read_text().splitlines(), strict=True):
        board = Record.of(list(game.moves), 4).board()
        assert board.winner is not None
        assert board.winner.letter == line[0]


def test_games_of_two_processes_are_those_of_one(tmp_path: Path) -> None:
    for jobs in (1, 2):
        list(teacher_games.play(tmp_path / f"{jobs}.txt", "random", 3, 6, most_random=2, seed=1, jobs=jobs))
    assert (tmp_path / "1.txt").read_text() == (tmp_path / "2.txt").read_text()


def test_random_stones_never_end_a_game() -> None:
    for size in (2, 3, 4):
        for number in range(50):
            board = Board(size)
            for cell in teacher_games.opening(number, size, 9, seed=1):
                board.push(cell)
            assert not board.is_over()


def test_a_run_goes_on_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    straight = run(SMALL, tmp_path / "straight")
    first = run(SMALL, tmp_path / "stopped", rows=2)
    rest = run(SMALL, tmp_path / "stopped")
    # The last row before the stop was not saved, so it comes again.
    assert [row["steps"] for row in first + rest] == [20, 40, 40, 60]
    assert [row["loss"] for row in straight] == [row["loss"] for row in first[:1] + rest]
    assert straight[-1]["top_1"] == rest[-1]["top_1"]
    assert [row["step"] for row in rows_in(tmp_path / "stopped")] == [20, 40, 60]
    for name, tensor in weights(tmp_path / "straight").items():
        assert torch.equal(tensor, weights(tmp_path / "stopped")[name]), name
    least = tmp_path / "straight" / "checkpoints" / "best.safetensors"
    assert (
        checkpoint.load(least, Convolutional)[1].cost["steps"]
        == min(straight, key=lambda row: row["held_out_loss"])["steps"]
    )
    kept = sorted(path.name for path in (tmp_path / "straight" / "checkpoints").glob("net-*"))
    assert kept == ["net-000040.safetensors", "net-000060.safetensors"]


def test_it_learns_a_players_moves_and_its_net_plays(tmp_path: Path) -> None:
    config = replace(SMALL, games=150, layers=3, channels=16, steps=500, row_steps=100, learning_rate=5e-3)
    rows = run(config, tmp_path)
    # A guess among the empty cells of 4x4 is right in one of ten; moves that are random cannot be foretold.
    assert rows[-1]["top_1"] > 0.6
    assert rows[-1]["top_5"] > 0.85
    assert rows[-1]["loss"] < rows[0]["loss"] < math.log(16)
    assert rows[-1]["keeps_win"] > 0.6
    assert rows[-1]["pairs"] < sum(
        len(game.moves) - game.given for game in game_lines.read(tmp_path / "games" / "played.txt", 4)
    )
    player = make(f"net:{tmp_path / 'checkpoints' / 'latest.safetensors'}")
    for size in (4, 7):
        assert 0 <= player.choose(Record.of(["a1"], size)) < size * size
    player.close()


def test_games_from_a_file_and_a_net_to_begin_from(tmp_path: Path) -> None:
    run(SMALL, tmp_path / "first")
    config = replace(SMALL, file=str(tmp_path / "first" / "games" / "played.txt"), mirror=False, turn=False, steps=20)
    start = tmp_path / "first" / "checkpoints" / "latest.safetensors"
    began, anew = run(config, tmp_path / "second", start=start), run(config, tmp_path / "third")
    assert began[-1]["games"] == 30
    assert began[-1]["loss"] < anew[-1]["loss"]


def test_games_that_have_changed_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    list(teacher_games.play(file, "random", 4, 10, most_random=1, seed=1))
    config = replace(SMALL, file=str(file))
    run(config, tmp_path / "run", rows=2)
    file.write_text(file.read_text() + "B 1 a1 b2\n")
    with pytest.raises(ValueError, match=r"games\.txt holds other games than when the run began"):
        run(config, tmp_path / "run")


@pytest.mark.parametrize("text", ["", "B 3 a1 b1 c1\n", "a1 b2\n"])
def test_too_few_games(text: str, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match="too few games"):
        run(replace(SMALL, file=str(file)), tmp_path / "run")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"steps": 0}, "steps must be at least 1"),
        ({"most_random": 0}, "most_random must be at least 1"),
        ({"size": 1}, "size must be from 2 to 19"),
        ({"held_out": 0.0}, "held_out must be between 0 and 1"),
        ({"learning_rate": -1.0}, "learning_rate must be a number above 0"),
        ({"decay_from": 2.0}, "decay_from must be from 0 to 1"),
        ({"layers": 0}, "layers must be a whole number from 1"),
        ({"seed": -1}, "seed must be from 0"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Imitate(**setting)


def test_a_player_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        run(replace(SMALL, player="nobody"), tmp_path)


def test_the_papers_net_and_steps() -> None:
    paper = PRESETS["paper-9x9"]
    assert (paper.size, paper.steps, paper.batch, paper.learning_rate) == (9, 100_000, 64, 1e-3)
    assert sum(tensor.numel() for tensor in Convolutional(paper.net).parameters()) == 752_000
    assert sum(tensor.numel() for tensor in Convolutional(PRESETS["cpu-7x7"].net).parameters()) == 31_264


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    asked = "--size 3 --player random --games 12 --layers 1 --channels 4 --steps 4 --row-steps 2 --run"
    command.main(["imitate", *asked.split(), str(folder)])
    assert capsys.readouterr().out.strip().endswith("latest.safetensors")
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 4]
    assert (folder / "curve.png").exists()
