"""The nets of paper 003 by name: their shapes, what they say, and where they play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fingal.game import Board, Record
from fingal.nets import checkpoint, feedforward, shortcut, transformer
from fingal.nets.attention import nearness, offsets
from fingal.nets.choice import NAMES, PAPER_NAMES, build
from fingal.nets.inference import open_evaluator
from fingal.nets.plain_evaluator import PlainEvaluator
from fingal.nets.planes import positions_of
from fingal.nets.signed import encode
from fingal.nets.signed_net import Kind, Signed, cube, duel
from fingal.players import spec
from fingal.testing.check_evaluator import check_evaluator
from fingal.testing.player import check_player

ANY_BOARD = ("convolutional", "convolutional-cube", "convolutional-edges", "transformer-cube", "transformer-relative")


def made(name: str, size: int = 3, **settings: Any) -> Signed:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return build(name, size, **{"width": 16} | settings).eval()


def parameters(net: nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())


def test_parameters_as_the_paper_has_them() -> None:
    """On 7x7, counted by hand: weights and biases layer by layer."""
    layer = 4 * (128 * 128 + 128) + (128 * 512 + 512) + (512 * 128 + 128) + 4 * 128
    expected = {
        "feed-forward": (49 * 128 + 128) + 2 * (128 * 128 + 128) + (128 * 49 + 49),
        "convolutional": (9 * 128 + 128) + 3 * (25 * 128 * 128 + 128) + (9 * 128 + 1),
        "convolutional-cube": (9 * 4 * 128 + 128) + 3 * (25 * 128 * 128 + 128) + (9 * 128 + 1),
        "transformer-cube": (4 * 128 + 128) + 2 * 128 + 4 * layer + (128 + 1),
        "transformer-learned": 3 * 128 + 49 * 128 + 4 * layer + (128 + 1),
    }
    assert tuple(expected) == PAPER_NAMES
    assert tuple(expected.values()) == (45_745, 1_231_617, 1_235_073, 794_113, 799_873)
    assert {name: parameters(build(name, 7)) for name in PAPER_NAMES} == expected
    assert parameters(feedforward.Feedforward(feedforward.WIDE)) == 91_185
    assert parameters(feedforward.Feedforward(feedforward.NARROW)) == 29_233
    assert [build(name, 7).config for name in ("feed-forward", "convolutional", "convolutional-cube")] == [
        feedforward.PAPER,
        shortcut.PAPER,
        shortcut.CUBE,
    ]
    assert [build(f"transformer-{how}", 7).config for how in ("cube", "learned", "relative")] == [
        transformer.PAPER,
        transformer.LEARNED,
        transformer.RELATIVE,
    ]


def test_a_board_is_signed_for_the_side_to_move() -> None:
    board = Board(3)
    board.push("b1")
    after = board.copy()
    after.push("a3")
    seen = encode(positions_of([after]))
    assert seen.tolist() == [[[0, 1, 0], [0, 0, 0], [-1, 0, 0]]]
    # White sees b1, which is now the opponent's, transposed: in the first column and the second row.
    assert encode(positions_of([board])).tolist() == [[[0, 0, 0], [-1, 0, 0], [0, 0, 0]]]


def test_cube_coordinates() -> None:
    x, y, z = cube(3, 5, torch.zeros(1)).tolist()
    assert x == [[-1.0] * 5, [0.0] * 5, [1.0] * 5]
    assert y == [[-1.0, -0.5, 0.0, 0.5, 1.0]] * 3
    assert z[0] == [2.0, 1.5, 1.0, 0.5, 0.0]
    assert z[2][4] == -2.0
    assert cube(1, 1, torch.zeros(1)).flatten().tolist() == [0.0, 0.0, 0.0]


def test_the_shortcut_is_the_first_sum_each_time() -> None:
    """Kernels that only look at their own cell: stem 2b - 1, layers x / 2 + 1, last 10x."""
    net = shortcut.Shortcut(shortcut.Config(channels=1, blocks=2))
    with torch.no_grad():
        for layer, weight, bias in (
            (net.stem, 2, -1),
            (net.layers[0], 0.5, 1),
            (net.layers[1], 0.5, 1),
            (net.out, 10, 0),
        ):
            layer.weight.zero_()
            middle = layer.weight.shape[-1] // 2
            layer.weight[0, 0, middle, middle] = weight
            layer.bias.fill_(bias)
    # A stone: x0 = 1, x1 = 1.5 + 1, x2 = 2.25 + 1. An empty cell: x0 = -1, x1 = 0.5 - 1, x2 = 0.75 - 1.
    # The opponent's stone: x0 = -3, x1 = relu(-0.5) - 3, x2 = relu(-0.5) - 3.
    said = net(torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]]))
    assert said.tolist() == [[32.5, -2.5, -30.0, -2.5]]


def test_a_ring_of_stones() -> None:
    assert shortcut.ring(2, 3, torch.zeros(1)).tolist() == [
        [0, 1, 1, 1, 0],
        [-1, 0, 0, 0, -1],
        [-1, 0, 0, 0, -1],
        [0, 1, 1, 1, 0],
    ]


def encoder(net: transformer.Transformer) -> nn.TransformerEncoder:
    """Torch's own encoder with a net's weights."""
    config = net.config
    like = {"dropout": 0.0, "batch_first": True, "norm_first": config.norm == "pre"}
    layer = nn.TransformerEncoderLayer(config.width, config.heads, config.dense, **like)
    stack = nn.TransformerEncoder(layer, config.layers, enable_nested_tensor=False)
    for mine, theirs in zip(net.layers, stack.layers, strict=True):
        pairs = {
            "self_attn.in_proj_": mine.attention,
            "self_attn.out_proj.": mine.mixed,
            "linear1.": mine.dense1,
            "linear2.": mine.dense2,
            "norm1.": mine.norm1,
            "norm2.": mine.norm2,
        }
        theirs.load_state_dict({f"{p}{n}": t for p, m in pairs.items() for n, t in m.state_dict().items()})
    return stack.train()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_layers_are_those_of_torch(norm: Any) -> None:
    torch.manual_seed(1)
    config = transformer.Config(positions="learned", size=3, width=32, heads=4, dense=48, layers=2, norm=norm)
    net = transformer.Transformer(config)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    boards = torch.randint(-1, 2, (5, 3, 3)).float()
    tokens = net.stones((boards.flatten(1) + 1).long()) + net.places(torch.arange(9))
    told = encoder(net)(tokens)
    if net.norm is not None:
        told = net.norm(told)
    assert torch.allclose(net(boards), net.out(torch.relu(told)).squeeze(2), atol=1e-5)


def test_layers_begin_as_those_of_torch_do() -> None:
    torch.manual_seed(2)
    net = transformer.Transformer(transformer.PAPER)
    torch.manual_seed(3)
    theirs = nn.TransformerEncoderLayer(128, 8, 512, batch_first=True)
    for mine, name in (("attention", "self_attn.in_proj_"), ("mixed", "self_attn.out_proj."), ("dense1", "linear1.")):
        for kind in ("weight", "bias"):
            ours = net.layers[0].get_parameter(f"{mine}.{kind}")
            assert ours.std().item() == pytest.approx(theirs.get_parameter(f"{name}{kind}").std().item(), rel=0.15), (
                name
            )


def test_offsets_are_the_same_wherever_the_cells_are() -> None:
    """On 3x4 with a reach of 2: one column to the right is one number, and three columns count as two."""
    number = offsets(3, 4, 2, torch.zeros(1))
    assert number.shape == (12, 12)
    assert number[0, 1] == number[5, 6] == number[10, 11]
    assert number[0, 3] == number[0, 2] != number[0, 1]
    assert number[0, 0] == number[11, 11] == 12
    assert len(number.unique()) == 25


def test_a_head_looks_near_at_first_and_where_it_is_told_later() -> None:
    """On a board of distances by hand: (1, -1) is a neighbour, (1, 1) is two steps away."""
    near = nearness(2, 2).view(2, 5, 5)
    assert near[0].int().tolist() == [
        [-4, -3, -2, -2, -2],
        [-3, -2, -1, -1, -2],
        [-2, -1, 0, -1, -2],
        [-2, -1, -1, -2, -3],
        [-2, -2, -2, -3, -4],
    ]
    assert torch.equal(near[1], near[0] / 8)
    config = transformer.Config(positions="relative", width=4, heads=1, layers=1, dense=4, reach=2, norm="pre")
    net = transformer.Transformer(config)
    with torch.no_grad():
        net.layers[0].offsets.fill_(0.0)
        net.layers[0].offsets[0, (1 + 2) * 5 + 2] = 50.0
    quiet = torch.zeros(1, 4, 4)
    stone = quiet.clone()
    stone[0, 2, 1] = 1.0
    changed = (net(stone) - net(quiet)).abs().view(4, 4) > 1e-6
    # The stone's own cell, the cell above it, and those of the last row, which have no cell below and see all.
    assert changed.int().tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1]]


def test_dueling_by_hand() -> None:
    boards = torch.tensor([[[1.0, 0.0], [0.0, -1.0]]])
    gains, value = torch.tensor([[9.0, 2.0, 4.0, 9.0]]), torch.tensor([0.5])
    assert duel(gains, value, boards).tolist() == [[6.5, -0.5, 1.5, 6.5]]
    assert duel(gains, value, torch.ones(1, 2, 2)).tolist() == [[9.5, 2.5, 4.5, 9.5]]
    net = made("convolutional", dueling=True)
    numbers, position = net.say(torch.zeros(1, 3, 3))
    assert position is not None
    assert net(torch.zeros(1, 3, 3)).mean().item() == pytest.approx(position.item(), abs=1e-6)
    assert not torch.equal(net(torch.zeros(1, 3, 3)), numbers)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("head", ["q", "policy", "policy_value"])
def test_files_and_players(name: str, head: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    net = made(name, head=head)
    card = checkpoint.save(net, path)
    assert (card.encoder, card.head, card.view) == ("signed-1", head, "canonical")
    again, _ = checkpoint.load_any(path)
    boards = torch.tensor([[[0.0, 1.0, -1.0], [0.0, 0.0, 0.0], [1.0, -1.0, 0.0]]])
    assert torch.equal(again(boards), net(boards))
    sizes = ((1, 1), (2, 2), (3, 5), (11, 11)) if name in ANY_BOARD else ((3, 3),)
    check_evaluator(open_evaluator(path, device="cpu"), sizes)
    record = Record.of(["b2", "a1"], 3)
    assert spec.make(f"net:{path}").choose(record) in record.board().empty_cells
    if name in ("feed-forward", "transformer-learned"):
        with pytest.raises(ValueError, match="net plays on 3x3 only, not on 5x5"):
            spec.make(f"net:{path}").choose(Record(5, 5))
    else:
        assert spec.make(f"net:{path}").choose(Record(19, 19)) in range(361)


def test_a_search_with_a_policy_and_a_value(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    checkpoint.save(made("convolutional-cube", head="policy_value"), path)
    for text in ("net:{}", "puct:net={},sims=8,seed=1"):
        check_player(lambda text=text: spec.make(text.format(path)), sizes=((3, 3),))


@pytest.mark.parametrize(("squash", "expected"), [("none", 1.0), ("sigmoid", 0.635149), ("tanh", 0.905148)])
def test_the_value_of_a_position_is_in_range(squash: Any, expected: float) -> None:
    """All cells say 1.5, so the best one does: 2 sigmoid(1.5) - 1, tanh(1.5), and no more than 1."""
    net = made("feed-forward", squash=squash)
    with torch.no_grad():
        net.get_parameter("out.weight").zero_()
        net.get_parameter("out.bias").fill_(1.5)
    said = PlainEvaluator(net)(positions_of([Board(3)]))
    assert said.value[0] == pytest.approx(expected, abs=1e-5)
    assert np.allclose(said.logits, 1.5)


def test_both_only_where_there_are_both() -> None:
    boards = torch.zeros(4, 3, 3)
    logits, value = made("transformer-cube", head="policy_value").both(boards)
    assert logits.shape == (4, 9)
    assert value.shape == (4,)
    assert bool((value.abs() < 1).all())
    with pytest.raises(ValueError, match="head must be policy_value for a net that is asked for both, not q"):
        made("transformer-cube").both(boards)


@pytest.mark.parametrize("name", NAMES)
def test_every_number_learns(name: str) -> None:
    """No weight is left out of what a net says of a board with stones on it."""
    net = made(name, size=4, head="policy_value")
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    boards = torch.tensor(np.random.default_rng(0).integers(-1, 2, (64, 4, 4)), dtype=torch.float32)
    logits, value = net.both(boards)
    (logits.square().sum() + value.sum()).backward()
    for where, parameter in net.named_parameters():
        assert parameter.grad is not None, where
        assert parameter.grad.abs().max() > 0, where


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "residual"}, "net must be one of feed-forward"),
        ({"size": 0}, "size must be from 1 to 19, not 0"),
        ({"width": 0}, "width must be from 1 to 1024, not 0"),
        ({"width": 2000}, "width must be from 1 to 1024, not 2000"),
        ({"name": "feed-forward", "width": 2000}, "width must be from 1 to 1024, not 2000"),
        ({"width": 20}, "width must be a multiple of 16"),
        ({"head": "value"}, "head must be one of q, policy, policy_value, not 'value'"),
        ({"squash": "relu"}, "squash must be one of none, sigmoid, tanh, not 'relu'"),
        ({"head": "policy", "squash": "tanh"}, "squash must be none for a net with head policy"),
        ({"head": "policy", "dueling": True}, "dueling must be False for a net with head policy"),
        ({"dueling": 1}, "dueling must be true or false, not 1"),
    ],
)
def test_nonsense_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(**{"name": "transformer-cube", "size": 3} | settings)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (feedforward.Config, {"hidden": ()}, "hidden must be 1 to 16 widths"),
        (feedforward.Config, {"hidden": (0,)}, "hidden must be whole numbers from 1 to 8192"),
        (feedforward.Config, {"size": 20}, "size must be a whole number from 1 to 19"),
        (shortcut.Config, {"channels": 0}, "channels must be a whole number from 1 to 1024"),
        (shortcut.Config, {"blocks": 0.5}, "blocks must be a whole number"),
        (shortcut.Config, {"cube": 1}, "cube must be true or false"),
        (shortcut.Config, {"edges": "yes"}, "edges must be true or false"),
        (transformer.Config, {"positions": "none"}, "positions must be one of cube, learned, relative"),
        (transformer.Config, {"positions": "learned"}, "size must be a whole number from 1 to 19, not None"),
        (transformer.Config, {"size": 3}, "size must be left out where positions are cube"),
        (transformer.Config, {"width": 20}, "width must be a multiple of heads, 8, not 20"),
        (transformer.Config, {"norm": "both"}, "norm must be one of post, pre"),
        (transformer.Config, {"reach": 0}, "reach must be a whole number from 1 to 18"),
    ],
)
def test_shapes_that_cannot_be(kind: type[Kind], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**settings)
