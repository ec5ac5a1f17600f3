"""Nets whose outputs are no evaluation: whoever plays or analyses with one says so, and names it."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper
from torch import nn

from fingal.arena.play import play_game
from fingal.game import Board, Record, Result
from fingal.nets import (
    checkpoint,
    convolutional,
    feedforward,
    hexagonal,
    narrowing,
    recurrent,
    residual,
    shortcut,
    transformer,
)
from fingal.nets.card import CheckpointError
from fingal.nets.inference import Batcher, Cached, open_evaluator
from fingal.nets.planes import positions_of
from fingal.players import spec
from fingal.players.random import RandomPlayer
from fingal.search.evaluator import EvaluationError
from fingal.serve.htp import HtpEngine
from tests.conftest import FINGAL, Run
from tests.nets import liars
from tests.nets.sample import TINY

KINDS = {
    "value": "gave nan as a value on 5x5: values are from -1 to 1",
    "policy": "gave nan as a logit on 5x5: logits are finite numbers",
    "both": "gave nan as a value on 5x5: values are from -1 to 1",
    "large": "gave 7 as a value on 5x5: values are from -1 to 1",
}
PLAYERS = (
    "net:{}",
    "net:{},average=true",
    "puct:net={},sims=20",
    "puct:net={},sims=60,threads=2",
    "gumbel:net={},sims=20",
    "minimax:net={},connections=false",
    "minimax:net={},connections=false,depth=2",
    "uct:prior={},sims=100",
)
MIDDLE = ("a1", "b4", "c3", "d5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nets that lie from the side to move's first stone on, by kind, and late.onnx, which does from the fourth on."""
    folder = tmp_path_factory.mktemp("liars")
    for kind in KINDS:
        liars.write(folder / f"{kind}.onnx", liars.liar(kind, 1))
    liars.write(folder / "late.onnx", liars.liar("both", 4))
    return folder


def board(*moves: str) -> Board:
    return Record.of(list(moves), 5).board()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("player", PLAYERS)
def test_every_player_names_the_net_that_lies(player: str, kind: str, folder: Path) -> None:
    playing = spec.make(player.format(folder / f"{kind}.onnx"))
    with pytest.raises(EvaluationError) as error:
        playing.choose(Record.of(list(MIDDLE), 5))
    assert str(error.value) == f"{kind} {KINDS[kind]}"
    playing.close()


@pytest.mark.parametrize("player", ["net:{}", "puct:net={},sims=20", "minimax:net={}"])
def test_a_first_move_that_may_be_swapped_is_not_chosen_by_what_is_no_number(player: str, tmp_path: Path) -> None:
    """This net gives NaN when the opponent alone has a stone, as after each first move."""
    nodes = [
        helper.make_node("Slice", ["planes", "one", "two", "cells"], ["theirs"]),
        helper.make_node("ReduceSum", ["theirs", "axes"], ["lead"], keepdims=0),
        helper.make_node("Sub", ["half", "lead"], ["left"]),
        helper.make_node("Sqrt", ["left"], ["wrong"]),
        helper.make_node("Mul", ["wrong", "zero"], ["error"]),
        helper.make_node("Add", ["mean", "error"], ["late"]),
    ]
    constants = {"one": np.array([1]), "two": np.array([2]), "half": np.float32(0.5), "zero": np.float32(0)}
    path = liars.write(tmp_path / "even.onnx", liars.model(nodes, constants, value="late"))
    assert spec.make(f"net:{path}").choose(Record(5, 5)) in range(25)
    playing = spec.make(player.format(path))
    with pytest.raises(EvaluationError, match="even gave nan as a value on 5x5"):
        playing.choose(Record(5, 5, swap=True))


def test_a_net_is_an_error_only_where_it_lies(folder: Path) -> None:
    player = spec.make(f"net:{folder / 'late.onnx'}")
    assert player.choose(Record.of(["a1", "b1", "a2", "b2", "a3", "b3"], 5)) in range(25)
    with pytest.raises(EvaluationError, match="late gave nan"):
        player.choose(Record.of(["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"], 5))
    # The error is of that move alone.
    assert player.choose(Record.of(["a1"], 5)) in range(1, 25)


def test_one_position_that_is_wrong_spoils_its_batch_and_no_other(folder: Path) -> None:
    late = open_evaluator(folder / "late.onnx")
    good, bad = board("a1"), board("a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4")
    for evaluator in (late, Cached(late), Batcher(late)):
        with pytest.raises(EvaluationError):
            evaluator(positions_of([good, bad, good]))
        assert np.isfinite(evaluator(positions_of([good, good])).value).all()


def test_logits_of_occupied_cells_may_be_anything(tmp_path: Path) -> None:
    """A net that masks what is not legal, with minus infinity or otherwise, is as good as one that does not."""
    for mask in (-np.inf, np.inf, np.nan):
        nodes = [
            helper.make_node("Slice", ["planes", "start", "last2", "axes"], ["theirs"]),
            helper.make_node("Flatten", ["theirs"], ["flat"]),
            helper.make_node("Max", ["plain", "flat"], ["taken"]),
            helper.make_node("Cast", ["taken"], ["is_taken"], to=onnx.TensorProto.BOOL),
            helper.make_node("Where", ["is_taken", "mask", "plain"], ["masked"]),
        ]
        constants: dict[str, Any] = {
            "start": np.array([1, 1, 1]),
            "last2": np.array([2, -1, -1]),
            "mask": np.float32(mask),
        }
        path = liars.write(tmp_path / f"mask{mask}.onnx", liars.model(nodes, constants, policy="masked"))
        for player in PLAYERS:
            record = Record.of(list(MIDDLE), 5)
            assert record.board().is_legal(spec.make(player.format(path)).choose(record))


def test_values_a_rounding_beyond_1_count_as_1(tmp_path: Path) -> None:
    for number, expected in ((1.005, 1), (-1.005, -1), (0.5, 0.5)):
        nodes = [
            helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
            helper.make_node("Add", ["nothing", "number"], ["fixed"]),
        ]
        model = liars.model(nodes, {"zero": np.float32(0), "number": np.float32(number)}, value="fixed")
        evaluator = open_evaluator(liars.write(tmp_path / f"{number}.onnx", model))
        assert evaluator(positions_of([board("a1")])).value.tolist() == [np.float32(expected)]


def test_other_shapes_on_another_board_are_an_error_there(tmp_path: Path) -> None:
    """Twelve logits are right for the board of 12 cells that a net is opened with, and for no other."""
    nodes = [helper.make_node("Slice", ["plain", "none", "twelve", "cells"], ["some"])]
    model = liars.model(nodes, {"none": np.array([0]), "twelve": np.array([12])}, policy="some")
    evaluator = open_evaluator(liars.write(tmp_path / "twelve.onnx", model))
    assert evaluator(positions_of([Board(4, 3)])).logits.shape == (1, 12)
    with pytest.raises(EvaluationError, match="twelve does not give a policy and a value for every board size"):
        evaluator(positions_of([Board(5)]))


def test_a_net_that_does_not_run_on_another_board_is_an_error_there(tmp_path: Path) -> None:
    """On 7 rows of 5 cells this one adds tensors that do not fit; every square board is tried when a net is opened."""
    nodes = [
        helper.make_node("Shape", ["stones"], ["sides"], start=2),
        helper.make_node("Equal", ["sides", "bad"], ["are_bad"]),
        helper.make_node("Cast", ["are_bad"], ["ones"], to=onnx.TensorProto.INT64),
        helper.make_node("ReduceProd", ["ones"], ["one_or_none"]),
        helper.make_node("Add", ["one_or_none", "two"], ["length"]),
        helper.make_node("ConstantOfShape", ["length"], ["zeros"]),
        helper.make_node("Add", ["zeros", "pair"], ["sum"]),
        helper.make_node("ReduceSum", ["sum"], ["nothing"], keepdims=0),
        helper.make_node("Add", ["mean", "nothing"], ["late"]),
    ]
    constants = {"bad": np.array([7, 5]), "two": np.array([2]), "pair": np.zeros(2, np.float32)}
    evaluator = open_evaluator(liars.write(tmp_path / "seven.onnx", liars.model(nodes, constants, value="late")))
    assert np.isfinite(evaluator(positions_of([Board(7)])).value).all()
    with pytest.raises(EvaluationError, match="seven does not run on this board: "):
        evaluator(positions_of([Board(5, 7)]))


def test_a_net_that_always_lies_is_not_opened(tmp_path: Path) -> None:
    liars.write(tmp_path / "always.onnx", liars.liar("both", 0))
    with pytest.raises(CheckpointError, match=r"^always\.onnx does not give a finite policy and value"):
        open_evaluator(tmp_path / "always.onnx")


OVERFLOWING: dict[str, Callable[[], nn.Module]] = {
    "residual": lambda: residual.Residual(TINY),
    "hexagonal": lambda: hexagonal.Hexagonal(hexagonal.Config(size=5)),
    "hexagonal policy": lambda: hexagonal.Hexagonal(hexagonal.Config(size=5, squash="none")),
    "narrowing": lambda: narrowing.Narrowing(narrowing.Config(size=5, channels=4, dense=4)),
    "recurrent": lambda: recurrent.Recurrent(recurrent.Config(size=5)),
    "shortcut": lambda: shortcut.Shortcut(shortcut.Config(channels=4, squash="tanh")),
    "shortcut, both heads": lambda: shortcut.Shortcut(shortcut.Config(channels=4, head="policy_value")),
    "feedforward": lambda: feedforward.Feedforward(feedforward.Config(size=5)),
    "transformer": lambda: transformer.Transformer(transformer.Config(width=16, heads=1, layers=1, dense=4)),
}


def overflowing(make: Callable[[], nn.Module], path: Path) -> Path:
    """A net of finite weights whose sums are not finite."""
    generator = torch.Generator().manual_seed(0)
    net = make()
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            if not name.endswith("variance"):
                tensor.copy_(3e38 * torch.randn(tensor.shape, generator=generator).sign())
    checkpoint.save(net, path)
    return path


@pytest.mark.parametrize("kind", OVERFLOWING)
def test_weights_that_overflow_are_an_error_at_the_move(kind: str, tmp_path: Path) -> None:
    path = overflowing(OVERFLOWING[kind], tmp_path / "overflowing.safetensors")
    with pytest.raises(EvaluationError, match=r"^overflowing gave (nan|-?inf) as a (value|logit) on 5x5: "):
        spec.make(f"net:{path},device=cpu").choose(Record.of(["a1", "b2"], 5))


def test_an_overflowing_net_that_is_run_as_onnx_is_not_opened(tmp_path: Path) -> None:
    small = convolutional.Config(layers=2, channels=4)
    path = overflowing(lambda: convolutional.Convolutional(small), tmp_path / "overflowing.safetensors")
    with pytest.raises(CheckpointError, match=r"^overflowing\.safetensors does not give a finite"):
        open_evaluator(path, "cpu")


# -------------------------------------------------------------------------------- how the error travels


@pytest.mark.parametrize("player", PLAYERS)
def test_an_engine_answers_with_the_error_and_changes_nothing(player: str, folder: Path) -> None:
    engine = HtpEngine(spec.make(player.format(folder / "value.onnx")))
    for line in ("boardsize 5", *(f"play {colour} {cell}" for colour, cell in zip("bwbw", MIDDLE, strict=True))):
        assert engine.answer(line) == "= \n\n"
    before = engine.answer("showboard")
    asked = ["genmove b", "reg_genmove b"]
    if "net={}" in player and not player.startswith("minimax"):
        asked += ["lz-analyze b 10", "kata-analyze b 10"]
    for line in asked:
        assert engine.answer(line) == f"? value {KINDS['value']}\n\n"
    assert engine.answer("showboard") == before


def test_a_game_is_lost_by_forfeit_with_the_reason(folder: Path) -> None:
    liar = spec.make(f"net:{folder / 'late.onnx'}")
    record, failure = play_game([liar, RandomPlayer(2)], Record.of(["a1", "e5", "a3", "e3", "c1", "c5"], 5))
    assert failure == "late gave nan as a value on 5x5: values are from -1 to 1"
    assert record.result == Result(record.end.colour.other, "forfeit")


def test_commands_end_with_the_error(fingal: Run, folder: Path) -> None:
    sentence = f"value {KINDS['value']}"
    path = folder / "value.onnx"
    played = fingal("play", f"net:{path}", "--size", "5", typed="a1\nb2\nc3\n")
    assert (played.status, played.err.strip()) == (2, f"fingal: {sentence}")
    sat = fingal("exam", f"net:{path}", "--size", "3", "--positions", "20")
    assert (sat.status, sat.err.strip()) == (2, f"fingal: {sentence.replace('5x5', '3x3')}")
    solved = fingal("solve", "7", "--net", path)
    assert (solved.status, solved.err.strip()) == (2, f"fingal: {sentence.replace('5x5', '7x7')}")
    matched = fingal("match", f"net:{path}", "random", "--games", "2", "--size", "5", "--jobs", "1")
    assert f"game 1: {sentence}" in matched.err + matched.out
    assert "Traceback" not in matched.err + matched.out


def test_a_solver_whose_policy_has_failed_is_freed(folder: Path) -> None:
    """Nothing is printed but the error: no list of what Python could not free at the end."""
    command = [*FINGAL, "solve", "5", "--net", str(folder / "value.onnx")]
    done = subprocess.run(command, capture_output=True, text=True)
    sentence = f"fingal: value {KINDS['value']}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
