"""Nets of several architectures in files: cards, suspicion, and evaluators with one number a cell."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from fingal.game import Board, Record
from fingal.nets import checkpoint, heads, hexagonal, recurrent
from fingal.nets.card import KEY, Card, CheckpointError
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.inference import open_evaluator
from fingal.nets.plain_evaluator import GameEvaluator, PlainEvaluator
from fingal.nets.planes import positions_of, take
from fingal.nets.recurrent import Recurrent
from fingal.nets.residual import Residual
from fingal.nets.torch_evaluator import DeviceError
from fingal.players import spec
from fingal.search.evaluator import Remembering
from fingal.testing.check_evaluator import check_evaluator
from fingal.testing.player import check_player
from tests.nets.sample import lively_net, random_positions


def made(kind: str, size: int = 3, seed: int = 0, **settings: Any) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if kind == "hexagonal":
            return Hexagonal(hexagonal.Config(size=size, **settings)).eval()
        return Recurrent(recurrent.Config(size=size, **settings)).eval()


KINDS = ("hexagonal", "recurrent")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """hexagonal.safetensors and recurrent.safetensors on 3x3, policy.safetensors without a squash."""
    folder = tmp_path_factory.mktemp("nets")
    for kind in KINDS:
        checkpoint.save(made(kind), folder / f"{kind}.safetensors")
    checkpoint.save(made("hexagonal", squash="none"), folder / "policy.safetensors")
    return folder


def test_the_architectures_are_the_files_with_a_config() -> None:
    assert set(checkpoint.architectures()) >= {"residual", "hexagonal", "recurrent"}
    assert not {"card", "checkpoint", "folded", "judge"} & set(checkpoint.architectures())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("squash", "head"), [("sigmoid", "q"), ("none", "policy")])
def test_round_trip(kind: str, squash: str, head: str, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    net = made(kind, size=4, squash=squash, layers=((1, 2, 1), (0, 3, 0)))
    # The card that is given is wrong about the net, which knows better.
    written = checkpoint.save(net, path, Card("mine", {}, "residual", head="value", sizes=("4x4",)))
    again, card = checkpoint.load_any(path)
    assert card.sizes == written.sizes == ("4x4",)
    assert (card.name, card.architecture, card.encoder, card.head) == ("mine", kind, "walls-2", head)
    assert type(again) is type(net)
    assert again.config == net.config
    assert not again.training
    for name, tensor in net.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name


def test_a_kind_that_is_asked_for_is_given(folder: Path, tmp_path: Path) -> None:
    assert isinstance(checkpoint.load(folder / "hexagonal.safetensors", Hexagonal)[0], Hexagonal)
    with pytest.raises(CheckpointError, match="architecture 'hexagonal' where residual is expected"):
        checkpoint.load(folder / "hexagonal.safetensors")
    # A recurrent net is a hexagonal one with more to it, but not the other way round.
    with pytest.raises(CheckpointError, match="architecture 'recurrent' where hexagonal is expected"):
        checkpoint.load(folder / "recurrent.safetensors", Hexagonal)
    checkpoint.save(lively_net(), tmp_path / "tiny.safetensors")
    assert isinstance(checkpoint.load_any(tmp_path / "tiny.safetensors")[0], Residual)


def rebuilt(
    data: bytes, changed: dict[str, Any], change: Callable[[dict[str, torch.Tensor]], Any] | None = None
) -> bytes:
    length = struct.unpack("<Q", data[:8])[0]
    card = json.loads(json.loads(data[8 : 8 + length])["__metadata__"][KEY]) | changed
    tensors = safetensors.torch.load(data)
    if change is not None:
        change(tensors)
    return safetensors.torch.save(tensors, {KEY: json.dumps(card)})


DEEP: list[Any] = []
for _ in range(700):
    DEEP = [DEEP]
LAYERS = [[2, 3, 0], [3, 2, 0], [5, 0, 0]]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a module of ours": (
        {"architecture": "export"},
        "architecture 'export' where convolutional or feedforward or hexagonal or narrowing or recurrent or residual",
    ),
    "a module of Python's": ({"architecture": "os"}, "architecture 'os'"),
    "a path": ({"architecture": "../hexagonal"}, r"architecture '\.\./hexagonal'"),
    "a name with a dot": ({"architecture": "hexagonal.Config"}, r"architecture 'hexagonal\.Config'"),
    "capitals": ({"architecture": "HEXAGONAL"}, "architecture 'HEXAGONAL'"),
    "another architecture": ({"architecture": "residual"}, "settings are not those of a residual net"),
    "the ring": ({"encoder": "canonical-ring-1"}, "planes 'canonical-ring-1' where walls-2 is expected"),
    "other walls": ({"encoder": "walls-3"}, "planes 'walls-3' where walls-2 is expected"),
    "the head": ({"head": "policy_value"}, "head 'policy_value' where q is expected"),
    "a head that does not fit": ({"head": "policy"}, "head 'policy' where q is expected"),
    "the view": ({"view": "black"}, "view 'black'"),
    "no size": ({"config": {"size": 0}}, "size must be"),
    "true as size": ({"config": {"size": True}}, "size must be"),
    "a size of text": ({"config": {"size": "3"}}, "size must be"),
    "a huge size": ({"config": {"size": 10**9}}, "size must be"),
    "no layers": ({"config": {"layers": []}}, "layers must be"),
    "layers of text": ({"config": {"layers": "abc"}}, "layers must be"),
    "layers of objects": ({"config": {"layers": [{"a": 1}] * 3}}, "layers must be"),
    "short layers": ({"config": {"layers": [[2, 3]]}}, "layers must be"),
    "many layers": ({"config": {"layers": [[1, 0, 0]] * 1000}}, "layers must be"),
    "wide layers": ({"config": {"layers": [[10**9, 0, 0]]}}, "layers must have"),
    "a negative layer": ({"config": {"layers": [[3, -1, 0]]}}, "layers must have"),
    "half a filter": ({"config": {"layers": [[0.5, 1, 0]]}}, "layers must have"),
    "deep layers": ({"config": {"layers": DEEP}}, "settings are not those of|layers must"),
    "nested layers": ({"config": {"layers": [[[1], 0, 0]]}}, "layers must have"),
    "a wide net": ({"config": {"size": 19, "layers": [[0, 0, 1024]] * 64}}, "lacks layers|has shape"),
    "an activation": ({"config": {"activation": "exec"}}, "activation must be"),
    "an activation of lists": ({"config": {"activation": ["relu"]}}, "activation must be"),
    "a squash": ({"config": {"squash": None}}, "squash must be"),
    "padding": ({"config": {"padding": 50}}, "padding must be"),
    "an unknown setting": ({"config": {"side": 3}}, "settings are not those"),
    "another size": ({"config": {"size": 5, "layers": LAYERS}}, r"dense\.\w+ has shape"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str, kind: str, folder: Path, tmp_path: Path) -> None:
    changed, message = REFUSED[case]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(rebuilt((folder / f"{kind}.safetensors").read_bytes(), changed))
    with pytest.raises(CheckpointError, match=message) as refusal:
        checkpoint.load_any(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("depth", [0, True, 1e9, "ten", [10], 10**6])
def test_a_recurrent_net_of_no_depth(depth: object, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(rebuilt((folder / "recurrent.safetensors").read_bytes(), {"config": {"depth": depth}}))
    with pytest.raises(CheckpointError, match="depth must be"):
        checkpoint.load_any(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop("dense.bias"), r"lacks dense\.bias"),
        (lambda t: t.update(x=torch.ones(1)), "holds 'x'"),
        (lambda t: t["dense.bias"].fill_(float("nan")), "not finite"),
        (lambda t: t.update({"dense.bias": torch.ones(9, dtype=torch.int64)}), "does not know"),
    ],
)
def test_tensors_that_do_not_belong(
    change: Callable[[dict[str, torch.Tensor]], Any], message: str, kind: str, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(rebuilt((folder / f"{kind}.safetensors").read_bytes(), {}, change))
    with pytest.raises(CheckpointError, match=message):
        checkpoint.load_any(path)


def test_damaged_files_are_refused_or_read(folder: Path, tmp_path: Path) -> None:
    """Whatever bytes are changed: a net, or a CheckpointError, and nothing else."""
    random = np.random.default_rng(0)
    path, refused = tmp_path / "bad.safetensors", 0
    good = (folder / "recurrent.safetensors").read_bytes()
    length = struct.unpack("<Q", good[:8])[0]
    for _ in range(300):
        data = bytearray(good)
        for at in random.integers(8, 8 + length, random.integers(1, 4)):
            data[at] = random.integers(32, 127)
        path.write_bytes(data)
        try:
            checkpoint.load_any(path)
        except CheckpointError:
            refused += 1
    assert refused > 150


@pytest.mark.parametrize("kind", [*KINDS, "policy"])
def test_conformance(kind: str, folder: Path) -> None:
    check_evaluator(open_evaluator(folder / f"{kind}.safetensors", device="cpu"), ((3, 3),))


def test_the_value_is_that_of_the_best_empty_cell(folder: Path) -> None:
    evaluator = open_evaluator(folder / "hexagonal.safetensors", device="cpu")
    board = Board(3)
    for move in ("b2", "a1", "c1"):
        board.push(move)
    said = evaluator(positions_of([board]))
    by_hand = max(float(said.logits[0, cell]) for cell in board.empty_cells)
    assert said.value[0] == pytest.approx(by_hand)
    best = max(board.empty_cells, key=lambda cell: said.logits[0, cell])
    record = Record.of(["b2", "a1", "c1"], 3)
    player = spec.make(f"net:{folder / 'hexagonal.safetensors'},device=cpu")
    assert player.choose(record) == best


def test_occupied_cells_and_full_boards() -> None:
    """Black on a1, White on the rest of a 2x1 board's cells: numbers of occupied cells do not count."""
    board = Board(2)
    board.push("a1")
    positions = positions_of([board])
    said = np.array([[0.9, -0.5, 0.25, -0.75]], np.float32)
    assert heads.evaluation("q", said, positions).value[0] == np.float32(0.25)
    assert heads.evaluation("policy", said, positions).value[0] == 0
    full = positions._replace(stones=np.array([[[0b0011]], [[0b1100]]], np.uint64))
    assert heads.evaluation("q", said, full).value[0] == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(5, 5), (3, 4), (1, 1)])
def test_another_board_is_refused(kind: str, size: tuple[int, int], folder: Path) -> None:
    evaluator = open_evaluator(folder / f"{kind}.safetensors", device="cpu")
    with pytest.raises(ValueError, match=rf"{kind} plays on 3x3 only, not on {size[0]}x{size[1]}"):
        evaluator(random_positions(*size, 2))
    player = spec.make(f"net:{folder / kind}.safetensors,device=cpu")
    with pytest.raises(ValueError, match="plays on 3x3 only"):
        player.choose(Record(*size))
    if size == (1, 1):
        return  # a search proves the win before it asks a net
    search = spec.make(f"puct:net={folder / kind}.safetensors,sims=4,device=cpu")
    with pytest.raises(ValueError, match="plays on 3x3 only"):
        search.choose(Record(*size))


@pytest.mark.parametrize("text", ["net:{}", "net:{},temperature=0.5,seed=1", "puct:net={},sims=16,seed=1"])
@pytest.mark.parametrize("kind", KINDS)
def test_players_conform(text: str, kind: str, folder: Path) -> None:
    check_player(lambda: spec.make(text.format(folder / f"{kind}.safetensors")), sizes=((3, 3),))


def test_a_device_that_is_not_there(folder: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(DeviceError, match="CUDA is not available"):
        open_evaluator(folder / "hexagonal.safetensors", device="cuda")


# The recurrent net.


def reference(net: Recurrent, boards: list[Board]) -> np.ndarray[Any, Any]:
    """The paper's equations with numpy, a board at a time: what the net says of the last board, as the side sees it."""
    weights = {name: tensor.detach().double().numpy() for name, tensor in net.recurrence.named_parameters()}

    def f(x: Any) -> Any:
        return 2 / (1 + np.exp(-x)) - 1

    hidden = np.zeros(net.config.cells)
    for board in boards:
        planes = torch.from_numpy(heads.encode(net.config, positions_of([board])))
        x = Hexagonal.forward(net, planes)[0].detach().double().numpy()
        hidden = f(weights["U"] @ x + weights["W"] @ hidden + weights["b"])
    return np.asarray(f(weights["V"] @ hidden + weights["c"]))


def boards_of(moves: list[str], size: int) -> list[Board]:
    boards = [Board(size)]
    for move in moves:
        boards.append(boards[-1].copy())
        boards[-1].push(move)
    return boards


def lively(net: Recurrent) -> Recurrent:
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for tensor in net.recurrence.parameters():
            tensor.copy_(torch.randn(tensor.shape, generator=generator))
    return net


def test_the_parameters_are_counted() -> None:
    net = Recurrent()
    assert sum(tensor.numel() for tensor in net.parameters()) == 2477 + 3 * 81 + 2 * 9 == 2738
    assert net.config.parameters == 2738
    assert {name: tuple(t.shape) for name, t in net.state_dict().items()} == net.config.shapes()


@pytest.mark.parametrize("moves", [[], ["b2"], ["a2", "b2", "c1", "a1"]])
def test_a_game_is_judged_by_the_equations(moves: list[str]) -> None:
    net = lively(made("recurrent"))
    boards = boards_of(moves, 3)
    said = GameEvaluator(net).along(positions_of(boards))
    expected = reference(net, boards).reshape(3, 3)
    if len(moves) % 2:  # White is to move, and the net sees the board transposed.
        expected = expected.T
    assert np.allclose(said.logits[0], expected.reshape(-1), atol=1e-5)
    assert said.value[0] == pytest.approx(max(said.logits[0, cell] for cell in boards[-1].empty_cells))


def test_a_long_game_is_judged_piece_by_piece() -> None:
    net = lively(made("recurrent", depth=3))
    moves = ["a2", "b2", "c1", "a1", "c3"]
    boards = boards_of(moves, 3)
    evaluator = GameEvaluator(net)
    for count, first in ((1, 0), (3, 0), (4, 3), (6, 3)):
        said = evaluator.along(positions_of(boards[:count]))
        expected = reference(net, boards[first:count]).reshape(3, 3)
        expected = expected if count % 2 else expected.T
        assert np.allclose(said.logits[0], expected.reshape(-1), atol=1e-5), count


def test_a_position_alone_is_the_first_of_its_piece() -> None:
    net = lively(made("recurrent"))
    evaluator = GameEvaluator(net)
    positions = positions_of(boards_of(["a2", "b2", "c1"], 3))
    alone = evaluator(positions)
    for i in range(4):
        one = evaluator.along(take(positions, slice(i, i + 1)))
        assert np.allclose(one.logits, alone.logits[i : i + 1], atol=1e-6)
    assert not np.allclose(evaluator.along(positions).logits[0], alone.logits[3], atol=1e-3)
    with pytest.raises(ValueError, match="at least one position"):
        evaluator.along(take(positions, slice(0, 0)))


def test_the_player_shows_its_net_the_game(tmp_path: Path) -> None:
    """Two orders of the same stones are two games, and the net may judge them differently."""
    path = tmp_path / "net.safetensors"
    net = lively(made("recurrent"))
    checkpoint.save(net, path)
    player = spec.make(f"net:{path},device=cpu")
    evaluator = open_evaluator(path, device="cpu")
    assert isinstance(evaluator, Remembering)
    values = []
    for moves in (["a2", "b2", "c1", "a1"], ["c1", "a1", "a2", "b2"]):
        said = evaluator.along(positions_of(boards_of(moves, 3)))
        empty = boards_of(moves, 3)[-1].empty_cells
        assert player.choose(Record.of(list(moves), 3)) == max(empty, key=lambda cell: said.logits[0, cell])
        values.append(float(said.value[0]))
    assert abs(values[0] - values[1]) > 1e-3
    with pytest.raises(ValueError, match="remembers the game"):
        open_evaluator(path, device="cpu", average=True)


def test_plain_nets_do_not_remember(folder: Path) -> None:
    evaluator = open_evaluator(folder / "hexagonal.safetensors", device="cpu")
    assert isinstance(evaluator, PlainEvaluator)
    assert not isinstance(evaluator, Remembering)
