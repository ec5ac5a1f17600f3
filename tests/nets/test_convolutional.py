"""The convolutional net: its size, one set of weights on many boards, its file, its players."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from fingal.arena.exam.questions import shipped
from fingal.arena.play import play_game
from fingal.game import BLACK, Board, Record
from fingal.nets import bridges, checkpoint
from fingal.nets.agreement import agreement, own_play
from fingal.nets.card import CheckpointError
from fingal.nets.convolutional import PAPER, SMALL, Config, Convolutional
from fingal.nets.export import export
from fingal.nets.hexagonal import Config as HexagonalConfig
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.inference import open_evaluator
from fingal.nets.onnx_evaluator import OnnxEvaluator
from fingal.nets.quantise import quantise
from fingal.players import spec
from fingal.testing.check_evaluator import check_evaluator
from fingal.testing.player import check_player
from tests.nets.sample import random_positions

SIZES = ((1, 1), (5, 5), (8, 8), (9, 12), (11, 11), (13, 13), (15, 15))


def lively(config: Config = SMALL, seed: int = 0) -> Convolutional:
    """An untrained net whose biases, too, are far from their start."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = Convolutional(config)
        for name, parameter in net.named_parameters():
            if name.endswith("bias"):
                torch.nn.init.normal_(parameter, std=0.5)
        torch.nn.init.normal_(net.policy.weight)
    return net.eval()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "small.safetensors"
    checkpoint.save(lively(), path)
    return path


@pytest.mark.parametrize(
    ("config", "parameters"),
    # 12 * 9 * 128 + 128 = 13,952; 128 * 9 * 128 + 128 = 147,584 for each further layer; 128.
    [(PAPER, 752_000), (Config(8), 1_047_168), (Config(12), 1_637_504), (SMALL, 31_264)],
)
def test_parameters_worked_by_hand(config: Config, parameters: int) -> None:
    assert sum(parameter.numel() for parameter in Convolutional(config).parameters()) == parameters


def test_a_net_of_one_layer_worked_by_hand() -> None:
    # One filter that sees the cell itself in plane 2 (empty) and the cell above it in plane 0 (Black's stones).
    net = Convolutional(Config(layers=1, channels=1))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
        kernel = net.layers[0].get_parameter("weight")
        kernel[0, 2, 1, 1], kernel[0, 0, 0, 1] = 1, 2
        net.policy.weight.fill_(0.5)
    empty = bridges.encode(random_positions(3, 2, 1)._replace(stones=np.zeros((2, 1, 1), np.uint64)))
    said = net(torch.from_numpy(empty).float())
    # The top row has Black's edge above it: (1 + 2) / 2; the row below (1 + 0) / 2.
    assert said.tolist() == [[1.5, 1.5, 1.5, 0.5, 0.5, 0.5]]


def test_one_set_of_weights_plays_every_size(path: Path) -> None:
    evaluator = open_evaluator(path, device="cpu")
    net, card = checkpoint.load(path, Convolutional)
    assert (card.architecture, card.encoder, card.view, card.head) == (
        "convolutional",
        "bridges-1",
        "absolute",
        "policy",
    )
    weights = [(layer.get_parameter("weight"), layer.get_parameter("bias")) for layer in net.layers]
    for width, height in SIZES:
        positions = random_positions(width, height, 3)
        x = torch.from_numpy(bridges.encode(positions)).float()
        for index, (weight, bias) in enumerate(weights):
            x = F.conv2d(x, weight, bias, padding=0 if index == 0 else 1).clamp(min=0)
        logits = torch.einsum("bchw,c->bhw", x, net.policy.weight.view(-1)).flatten(1)
        said = evaluator(positions)
        assert np.allclose(said.logits, logits.detach().numpy(), atol=1e-4)
        assert not said.value.any()


def test_conformance_on_the_board_as_it_is(path: Path) -> None:
    check_evaluator(open_evaluator(path, device="cpu"), symmetric=False)


@pytest.mark.parametrize("values", [False, True])
def test_onnx_runtime_agrees_with_torch_on_every_size(values: bool, tmp_path: Path) -> None:
    source, target = tmp_path / "net.safetensors", tmp_path / "net.onnx"
    checkpoint.save(lively(Config(layers=3, channels=16, values=values)), source)
    card = export(source, target)
    assert (card.head, card.view) == ("policy", "absolute")
    check_evaluator(open_evaluator(target), symmetric=False)
    for size in SIZES:
        positions = random_positions(*size, count=70)
        one = open_evaluator(source, device="cpu", backend="torch")(positions)
        other = open_evaluator(target)(positions)
        assert np.allclose(one.logits, other.logits, atol=1e-4)
        assert np.array_equal(one.value, other.value)


def test_int8_agrees_with_float32(tmp_path: Path) -> None:
    """Loosely: this net is untrained, with opinions made of noise."""
    checkpoint.save(lively(Config(layers=4, channels=16)), tmp_path / "net.safetensors")
    export(tmp_path / "net.safetensors", tmp_path / "net.onnx")
    wide = OnnxEvaluator(tmp_path / "net.onnx")
    shown = [own_play(wide, width, height, count=100) for width, height in ((5, 5), (7, 6))]
    assert quantise(tmp_path / "net.onnx", tmp_path / "net.int8.onnx", shown).precision == "int8"
    narrow = OnnxEvaluator(tmp_path / "net.int8.onnx")
    positions = own_play(wide, 6, 6, count=200, seed=3)
    one, other = wide(positions), narrow(positions)
    assert not np.array_equal(one.logits, other.logits)
    assert np.abs(one.logits - other.logits).mean() < 0.1 * one.logits.std()
    assert agreement(wide, narrow, positions) > 0.8


def test_other_nets_are_not_exported(tmp_path: Path) -> None:
    checkpoint.save(Hexagonal(HexagonalConfig(size=3)), tmp_path / "three.safetensors")
    with pytest.raises(CheckpointError, match="three is a hexagonal net: only residual and convolutional are exported"):
        export(tmp_path / "three.safetensors", tmp_path / "three.onnx")


def test_moves_values_are_bounded_and_asked_for(tmp_path: Path) -> None:
    net = lively(Config(layers=2, channels=8, values=True))
    planes = torch.from_numpy(bridges.encode(random_positions(5, 4, 6))).float()
    logits, values = net.both(planes)
    assert torch.equal(logits, net(planes))
    assert values.shape == (6, 20)
    assert values.abs().max() < 1
    assert values.std() > 0
    checkpoint.save(net, tmp_path / "critic.safetensors")
    filled = Convolutional(net.config)
    checkpoint.fill(filled, tmp_path / "critic.safetensors")
    assert torch.equal(filled.both(planes)[1], values)
    with pytest.raises(ValueError, match="values must be true"):
        lively().both(planes)
    with pytest.raises(ValueError, match="another shape"):
        checkpoint.fill(Convolutional(Config(layers=2, channels=8)), tmp_path / "critic.safetensors")


def test_a_net_in_16_bits_with_a_head_in_32() -> None:
    net = lively()
    planes = torch.from_numpy(bridges.encode(random_positions(6, 6, 4))).float()
    exact = net(planes)
    net.to(torch.bfloat16).policy.float()
    said = net(planes.bfloat16())
    assert said.dtype == torch.float32
    assert (said - exact).abs().max() < 0.1 * exact.std()


def test_a_file_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    positions = random_positions(5, 5, 3)
    said = []
    for seed in (1, 2):
        checkpoint.save(lively(seed=seed), tmp_path / "net.safetensors")
        said.append(open_evaluator(tmp_path / "net.safetensors", device="cpu")(positions).logits)
    again = open_evaluator(tmp_path / "net.safetensors", device="cpu")(positions).logits
    assert not np.allclose(said[0], said[1])
    assert np.array_equal(said[1], again)


def test_the_net_is_a_player(path: Path) -> None:
    check_player(lambda: spec.make(f"net:{path}"), sizes=((1, 1), (2, 2), (3, 5), (9, 9)))
    assert spec.make(f"net:{path},temperature=1,seed=1").choose(Record(9, 12)) in range(108)


def test_the_net_that_ships_learned_on_9x9_and_plays_other_boards() -> None:
    # Of the won positions of 6x6 and 7x7, by the solver, a random move keeps about half.
    player = spec.make("net:policy-9")
    for size in (6, 7):
        asked = [question for question in shipped(size) if question.winning][::8]
        moves = [player.choose(Record.of([Board(size).name(move) for move in one.moves], size)) for one in asked]
        assert sum(move in one.winning for move, one in zip(moves, asked, strict=True)) >= 0.85 * len(asked)
    for size in (8, 11, 15):
        record, failure = play_game((player, spec.make("random:seed=1")), Record(size, size))
        assert record.board().winner is BLACK, failure


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": 0}, "layers must be a whole number from 1 to 64, not 0"),
        ({"channels": 2000}, "channels must be"),
        ({"layers": 2.0}, "layers must be"),
        ({"values": 1}, "values must be true or false, not 1"),
    ],
)
def test_what_cannot_be_built(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**settings)  # type: ignore[arg-type]


def test_a_card_with_another_view_is_refused(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(data.replace(b'\\"view\\": \\"absolute\\"', b'\\"view\\": \\"somebody\\"'))
    assert bad.read_bytes() != data
    with pytest.raises(CheckpointError, match="view 'somebody' where absolute is expected"):
        checkpoint.load_any(bad)
