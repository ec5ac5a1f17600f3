"""EZO-CNN: the loss worked by hand, perfect play on 3x3, what is logged, and a run that goes on."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from fingal.game import Board, Colour
from fingal.learn.ezo import PRESETS, Ezo, Trainer, losses, train
from fingal.learn.parts import lockstep
from fingal.learn.parts.minimax_games import opening_cells
from fingal.learn.parts.run import Run
from fingal.nets import planes
from fingal.nets.triangles import encode_boards

SMALL = Ezo(size=3, channels=12, dense=12, games=40, epochs=4, latest_turn=4, connections=False, keep_epochs=2)

Make = Callable[..., Trainer]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes trainers in folders of these names, and closes their runs."""
    runs = []

    def trainer(config: Ezo, name: str = "run") -> Trainer:
        runs.append(Run(tmp_path / name, asdict(config)))
        return Trainer(config, runs[-1], torch.device("cpu"))

    yield trainer
    for run in runs:
        run.close()


def canonical(board: Board) -> torch.Tensor:
    """The board as its side to move sees it, bool [1, 2, n, n]."""
    return torch.from_numpy(planes.stones(planes.positions_of([board])))


@pytest.mark.parametrize(("size", "count"), [(3, 9), (5, 24), (7, 40), (9, 56), (11, 72)])
def test_openings_are_the_cells_within_two_rows_of_a_side(size: int, count: int) -> None:
    assert len(opening_cells(size)) == count


def cost(value: float, following: float, over: bool = False, known: int = 0, target: str = "complement") -> float:
    logit = torch.tensor([value]).logit()
    return float(losses(logit, torch.tensor([following]), torch.tensor([over]), torch.tensor([known]), target))


def test_the_loss_worked_by_hand() -> None:
    # A value of 0.75 that should be 1 - 0.5 = 0.5, one of 0.5 that should be 0.75, and an end that is thought even.
    assert cost(0.75, 0.5) == pytest.approx(0.0625)
    assert cost(0.5, 0.25) == pytest.approx(0.0625)
    assert cost(0.5, 0.25, over=True) == pytest.approx(math.log(2))
    assert cost(0.9, 0.1) == pytest.approx(0, abs=1e-6)
    assert cost(0.9, 0.1, target="literal") == pytest.approx(0.64)
    # Where the result is known: -log 0.8 and -log 0.2.
    assert cost(0.8, 0.5, known=1) == pytest.approx(0.2231, abs=1e-4)
    assert cost(0.8, 0.5, known=-1) == pytest.approx(1.6094, abs=1e-4)


@pytest.mark.parametrize(
    ("over", "known", "target", "falls"),
    [
        (True, 0, "complement", True),  # the end is lost
        (False, 0, "complement", False),  # the next position is bad for the opponent
        (False, 0, "literal", True),
        (False, 1, "complement", False),
        (False, -1, "complement", True),
    ],
)
def test_which_way_a_value_is_moved(over: bool, known: int, target: str, falls: bool) -> None:
    logit = torch.zeros(1, requires_grad=True)
    lost = losses(logit, torch.tensor([0.1]), torch.tensor([over]), torch.tensor([known]), target)
    lost.sum().backward()  # type: ignore[no-untyped-call]
    assert logit.grad is not None
    assert (float(logit.grad) > 0) == falls


def test_a_copy_mirrored_with_colours_exchanged_is_the_same_input_and_a_turned_one_is_not(make: Make) -> None:
    board, mirrored = Board(4), Board(4)
    for row, column in ((0, 1), (2, 2), (3, 0)):
        mirrored.set_stone(4 * column + row, Colour(1 - int(board.turn)))
        board.push(4 * row + column)
    mirrored.turn = Colour(1 - int(board.turn))
    one, other = canonical(board), canonical(mirrored)
    assert torch.equal(one, other)
    turned = make(replace(SMALL, size=4))._copy(one)
    assert not torch.equal(encode_boards(turned[:, 0], turned[:, 1]), encode_boards(one[:, 0], one[:, 1]))
    # Turned by 180 degrees the same side joins the same sides: cell (r, c) is (3 - r, 3 - c).
    assert {tuple(at) for at in turned[0, 1].nonzero().tolist()} == {
        (3 - row, 3 - column) for row, column in one[0, 1].nonzero().tolist()
    }


def test_the_least_value_of_all_moves(make: Make) -> None:
    trainer = make(SMALL)
    boards = torch.zeros(2, 2, 3, 3, dtype=torch.bool)
    boards[0, 0, 1, 2] = boards[0, 1, 2, 0] = True
    boards[1] = torch.tensor([[[1, 1, 1], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 1, 0], [1, 1, 1]]], dtype=torch.bool)
    with torch.no_grad():
        found = trainer._least(boards)
        judge = trainer.chance(trainer.net)
        wanted = []
        for row in range(3):
            for column in range(3):
                if not boards[0, :, row, column].any():
                    after = boards[:1].clone()
                    after[0, 0, row, column] = True
                    wanted.append(float(judge(after.flip(1).transpose(2, 3))))
    assert float(found[0]) == pytest.approx(min(wanted))
    assert float(found[1]) == 1.0  # there is no move


@pytest.mark.parametrize("change", [{"target": "best"}, {"residual": True}, {"labels": True}, {"copies": "none"}])
def test_every_reading_learns_something_else(change: dict[str, object], make: Make) -> None:
    config = replace(SMALL, connections=True, exam_epochs=0)
    nets = []
    for name, settings in (("plain", config), ("changed", replace(config, **change))):  # type: ignore[arg-type]
        trainer = make(settings, name)
        played = trainer.play()
        before = [parameter.clone() for parameter in trainer.net.parameters()]
        assert math.isfinite(trainer.learn(played))
        nets.append(list(trainer.net.parameters()))
        assert not any(torch.equal(a, b) for a, b in zip(before, nets[-1], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(*nets, strict=True))


def test_steps_cover_every_position_once(make: Make) -> None:
    trainer = make(replace(SMALL, games=60))
    played = trainer.play()
    picked: list[int] = []
    update = trainer._update

    def noted(pick: torch.Tensor) -> None:
        picked.extend(pick.tolist())
        update(pick)

    trainer._update = noted  # type: ignore[method-assign]
    trainer.learn(played)
    assert sorted(picked) == list(range(len(played.over)))
    assert trainer.progress.steps == math.ceil(len(picked) / 32)


def first_wins(trainer: Trainer) -> bool:
    """Whether its best move of every position that Black can lead to, moving first, keeps the win."""
    judge, size = trainer.chance(trainer.net), trainer.config.size

    def wins(board: Board) -> bool:
        """Black to move and to win against every defence."""
        with torch.no_grad():
            worth = lockstep.worth(canonical(board), lockstep.empty_cells(canonical(board)), judge)
        after = board.copy()
        after.push(int(worth.argmin()))
        if after.is_over():
            return True
        for reply in after.empty_cells:
            answered = after.copy()
            answered.push(reply)
            if answered.is_over() or not wins(answered):
                return False
        return True

    return wins(Board(size))


def test_it_learns_to_play_3x3_perfectly_and_not_from_the_printed_target(make: Make) -> None:
    config = replace(SMALL, channels=32, dense=32, games=100, epochs=30)
    for target in ("complement", "literal"):
        trainer = make(replace(config, target=target), target)
        rows = list(train(trainer))
        last = [row for row in rows if "first_vs_best" in row][-1]
        assert first_wins(trainer) == (target == "complement")
        # The figures say the same.
        assert last["first_vs_best"] == (1.0 if target == "complement" else 0.0)
        assert (last["sign"] > 0.8) == (target == "complement")


def test_figures_say_who_played_and_how_it_stands(make: Make) -> None:
    rows = list(train(make(replace(SMALL, epochs=6, exam_epochs=3))))
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[0]["against_present"] == 40
    assert "against_last" not in rows[1]
    assert rows[2]["against_last"] > 0  # kept after the second
    assert rows[2]["last_epoch"] == 2
    assert (rows[5]["last_epoch"], rows[5]["earlier_epoch"]) == (4, 2)
    assert sum(rows[5][f"against_{name}"] for name in ("present", "last", "earlier")) == 40
    assert ["sign" in row for row in rows] == [False, False, True, False, False, True]
    assert all(0 <= rows[5][name] <= 1 for name in ("sign", "keeps_win", "against_older"))
    alone = list(train(make(replace(SMALL, past=False), "alone")))
    assert all("against_last" not in row for row in alone)


def test_a_run_goes_on_as_if_it_had_not_stopped(make: Make, tmp_path: Path) -> None:
    config = replace(SMALL, connections=True, decay_from=0.5)
    whole = make(config, "whole")
    for _ in train(whole):
        pass
    part = make(config, "part")
    steps = train(part, save_seconds=0)
    for _ in range(3):
        next(steps)
    again = make(config, "part")
    assert again.progress.epochs == 2
    for _ in train(again):
        pass
    for one, other in zip(whole.net.parameters(), again.net.parameters(), strict=True):
        assert torch.equal(one, other)
    lines = (tmp_path / "part" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["epoch"] == 4
    assert {file.name for file in (tmp_path / "part" / "checkpoints").iterdir()} == {
        "latest.safetensors",
        "net-00002.safetensors",
        "net-00004.safetensors",
        "state.safetensors",
    }


def test_time_ends_a_run_too(make: Make) -> None:
    trainer = make(replace(SMALL, minutes=1e-6))
    assert len(list(train(trainer))) == 1
    assert trainer.done_share() == 1


def test_the_learning_rate_falls_in_the_last_part(make: Make) -> None:
    trainer = make(replace(SMALL, epochs=100, decay_from=0.6))
    rates = []
    for epochs in (0, 60, 80, 100):
        trainer.progress.epochs = epochs
        rates.append(trainer.learning_rate())
    assert rates == pytest.approx([1e-3, 1e-3, 0.525e-3, 0.05e-3])
    assert np.isclose(replace(SMALL).decay_from, 1.0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_a_graph_of_steps_learns_what_single_steps_do(tmp_path: Path) -> None:
    config = replace(SMALL, connections=True, channels=32, games=100, exam_epochs=0, decay_from=0.0)
    nets, runs = [], []
    for graph in (True, False):
        runs.append(Run(tmp_path / str(graph), asdict(replace(config, graph=graph))))
        trainer = Trainer(replace(config, graph=graph), runs[-1], torch.device("cuda"))
        if graph:
            played = trainer.play()
            assert played.games == int(played.over.sum()) > 50
        before = torch.cat([parameter.detach().flatten().clone() for parameter in trainer.net.parameters()])
        for _ in range(2):
            trainer.generator.manual_seed(5)  # the same order
            trainer.learn(played)
        nets.append(torch.cat([parameter.detach().flatten() for parameter in trainer.net.parameters()]))
        assert float((nets[-1] - before).abs().max()) > 1e-3
    for run in runs:
        run.close()
    # The sums are the same up to rounding, which Adam makes larger.
    assert float((nets[0] - nets[1]).norm() / nets[1].norm()) < 0.02


def test_presets_are_the_papers() -> None:
    found = {name: (one.size, one.games, one.latest_turn) for name, one in PRESETS.items() if name.startswith("paper")}
    assert found == {"paper-7x7": (7, 500, 20), "paper-9x9": (9, 750, 40), "paper-11x11": (11, 750, 60)}
    assert all(one.noise == 0.05 and one.batch == 32 and one.channels == 128 for one in map(PRESETS.get, found) if one)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"depth": 3}, "depth must be 1 or 2"),
        ({"noise": -1.0}, "noise must be a number from 0 on"),
        ({"decay_from": 1.5}, "decay_from must be from 0 to 1"),
        ({"target": "other"}, "target must be one of complement, literal, best"),
        ({"copies": "other"}, "copies must be one of rotated, mirrored, none"),
        ({"size": 1}, "size must be a whole number from 2"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **wrong)  # type: ignore[arg-type]
