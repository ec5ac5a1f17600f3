import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from fingal.nets import checkpoint, planes
from fingal.nets.agreement import agreement, own_play
from fingal.nets.card import Card, CheckpointError
from fingal.nets.export import export
from fingal.nets.inference import Averaged, Batcher, Cached, open_evaluator
from fingal.nets.onnx_evaluator import OnnxEvaluator
from fingal.nets.quantise import export_int8, quantise
from fingal.nets.torch_evaluator import CpuEvaluator, CudaEvaluator, DeviceError
from fingal.search.evaluator import Evaluation, Positions
from fingal.testing.check_evaluator import check_evaluator
from tests.nets.sample import SHAPES, SIZES, lively_net, random_positions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tiny.safetensors, tiny.onnx and tiny.int8.onnx, and the same of the other shapes."""
    folder = tmp_path_factory.mktemp("nets")
    for name, config in SHAPES.items():
        checkpoint.save(lively_net(config), folder / f"{name}.safetensors", Card(name, {}, sizes=("5x5", "7x7")))
        export(folder / f"{name}.safetensors", folder / f"{name}.onnx")
        quantise(folder / f"{name}.onnx", folder / f"{name}.int8.onnx")
    return folder


class Counting:
    """A uniform evaluator that counts what it is asked, and may fail."""

    def __init__(self, delay: float = 0.0, fails: bool = False) -> None:
        self.batches: list[int] = []
        self.delay = delay
        self.fails = fails

    def __call__(self, positions: Positions) -> Evaluation:
        self.batches.append(len(positions.white_to_move))
        time.sleep(self.delay)
        if self.fails:
            raise RuntimeError("out of order")
        stones = planes.unpack(positions.stones, positions.width * positions.height)
        return Evaluation(stones[0].astype(np.float32), stones[1].mean(1, dtype=np.float32))


@pytest.mark.parametrize("name", [name + kind for name in SHAPES for kind in (".safetensors", ".onnx", ".int8.onnx")])
def test_conformance(name: str, folder: Path) -> None:
    check_evaluator(open_evaluator(folder / name, device="cpu"), (*SIZES, (3, 3), (5, 3)))


def test_wrappers_conform(folder: Path) -> None:
    inner = open_evaluator(folder / "tiny.onnx")
    check_evaluator(Averaged(inner))
    check_evaluator(Cached(inner))
    check_evaluator(Batcher(inner))
    check_evaluator(Cached(Batcher(Averaged(inner)), last=True))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("size", SIZES)
def test_onnx_runtime_agrees_with_torch(size: tuple[int, int], name: str, folder: Path) -> None:
    positions = random_positions(*size, count=70)
    torch_says = open_evaluator(folder / f"{name}.safetensors", device="cpu")(positions)
    onnx_says = open_evaluator(folder / f"{name}.onnx")(positions)
    assert np.allclose(torch_says.logits, onnx_says.logits, atol=1e-4)
    assert np.allclose(torch_says.value, onnx_says.value, atol=1e-4)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("size", [(5, 5), (11, 11), (3, 5)])
def test_int8_agrees_with_float32(size: tuple[int, int], name: str, folder: Path) -> None:
    """Loosely: this net is untrained, with opinions made of noise."""
    wide, narrow = open_evaluator(folder / f"{name}.onnx"), open_evaluator(folder / f"{name}.int8.onnx")
    positions = own_play(wide, *size, count=200, seed=3)
    a, b = wide(positions), narrow(positions)
    assert np.abs(a.logits - b.logits).mean() < 0.1 * a.logits.std()
    assert np.abs(a.value - b.value).mean() < 0.1
    assert agreement(wide, wide, positions) == 1
    assert agreement(wide, narrow, positions) > 0.8


def test_colour_symmetry_is_exact(folder: Path) -> None:
    for name in ("tiny.safetensors", "tiny.onnx"):
        evaluator = open_evaluator(folder / name, device="cpu")
        for width, height in ((4, 4), (3, 5)):
            # One side to move, so that both calls hand the very same planes to the net.
            positions = random_positions(width, height, 6)._replace(white_to_move=np.zeros(6, np.bool_))
            said, mirror = evaluator(positions), evaluator(planes.mirrored(positions))
            back = mirror.logits.reshape(6, width, height).transpose(0, 2, 1).reshape(6, -1)
            assert np.array_equal(said.logits, back)
            assert np.array_equal(said.value, mirror.value)


def test_the_average_is_that_of_the_two_views(folder: Path) -> None:
    positions = random_positions(5, 5, 4)
    plain, average = (open_evaluator(folder / "tiny.onnx", average=flag) for flag in (False, True))
    one, other, mean = plain(positions), plain(planes.rotated(positions)), average(positions)
    assert np.allclose(mean.logits, (one.logits + other.logits[:, ::-1]) / 2, atol=1e-5)
    assert np.allclose(mean.value, (one.value + other.value) / 2, atol=1e-5)
    turned = average(planes.rotated(positions))
    assert np.allclose(turned.logits[:, ::-1], mean.logits, atol=1e-5)


def test_the_cache_asks_once_and_forgets_the_oldest() -> None:
    inner = Counting()
    cached = Cached(inner, size=3)
    positions = random_positions(5, 5, 4)
    a, b, c, d = (planes.take(positions, slice(i, i + 1)) for i in range(4))
    twice = planes.joined([a, b, a])
    said = cached(twice)
    assert inner.batches == [2]
    assert np.array_equal(said.logits, Counting()(twice).logits)
    assert (cached.hits, cached.misses) == (1, 2)
    cached(c)
    cached(a)
    assert inner.batches == [2, 1]
    cached(d)  # b has not been asked for the longest time
    cached(a)
    cached(c)
    assert inner.batches == [2, 1, 1]
    cached(b)
    assert inner.batches == [2, 1, 1, 1]
    cached(b._replace(white_to_move=~b.white_to_move))
    assert inner.batches == [2, 1, 1, 1, 1]
    cached.clear()
    cached(b)
    assert len(inner.batches) == 6
    with pytest.raises(ValueError, match="at least one"):
        Cached(inner, size=0)


def test_the_cache_tells_sizes_and_last_moves_apart() -> None:
    inner = Counting()
    small, wide = random_positions(2, 4, 1), random_positions(4, 2, 1)
    wide = wide._replace(stones=small.stones, white_to_move=small.white_to_move)
    cached = Cached(inner)
    cached(small)
    cached(wide)
    assert inner.batches == [1, 1]
    moved = small._replace(last=np.array([3], np.int32))
    cached(moved)
    assert inner.batches == [1, 1]
    seeing = Cached(inner, last=True)
    seeing(small)
    seeing(moved)
    assert inner.batches == [1, 1, 1, 1]


def test_the_batcher_joins_threads() -> None:
    inner = Counting(delay=0.02)
    batcher = Batcher(inner)
    positions = {size: random_positions(size, size, 8) for size in (3, 5)}
    answers: dict[tuple[int, int, int], Evaluation] = {}

    def ask(size: int, i: int) -> None:
        for turn in range(4):
            answers[size, i, turn] = batcher(planes.take(positions[size], slice(i, i + 1)))

    threads = [threading.Thread(target=ask, args=(size, i)) for size in (3, 5) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(answers) == 64
    assert sum(inner.batches) == 64
    assert len(inner.batches) < 40
    for (size, i, _), said in answers.items():
        alone = Counting()(planes.take(positions[size], slice(i, i + 1)))
        assert np.array_equal(said.logits, alone.logits)
        assert np.array_equal(said.value, alone.value)


def test_the_batcher_passes_errors_on_and_goes_on() -> None:
    inner = Counting(delay=0.01, fails=True)
    batcher = Batcher(inner, max_batch=2)
    failures: list[str] = []

    def ask() -> None:
        try:
            batcher(random_positions(3, 3, 2))
        except RuntimeError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert failures == ["out of order"] * 5
    assert max(inner.batches) == 2
    inner.fails = False
    assert len(batcher(random_positions(3, 3, 7)).value) == 7


def test_new_weights_for_an_evaluator() -> None:
    evaluator = CpuEvaluator(lively_net(seed=1))
    positions = random_positions(5, 5, 3)
    before = evaluator(positions)
    evaluator.update(lively_net(seed=2))
    after = evaluator(positions)
    assert not np.allclose(before.logits, after.logits)
    assert np.array_equal(after.logits, CpuEvaluator(lively_net(seed=2))(positions).logits)


def test_the_right_file_is_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingal.nets.card.WEIGHTS", folder)
    chosen = open_evaluator("tiny", device="cpu")
    assert isinstance(chosen, OnnxEvaluator)
    assert chosen.card.precision == "int8"
    assert isinstance(open_evaluator("tiny", device="cpu", backend="torch"), CpuEvaluator)
    assert isinstance(open_evaluator(folder / "tiny.safetensors", device="cpu"), CpuEvaluator)
    with pytest.raises(CheckpointError, match="fingal export"):
        open_evaluator(folder / "tiny.safetensors", backend="onnx")
    with pytest.raises(CheckpointError, match=r"give the \.safetensors"):
        open_evaluator(folder / "tiny.onnx", backend="torch")
    with pytest.raises(ValueError, match="run on the CPU"):
        open_evaluator(folder / "tiny.onnx", device="cuda")
    for bad in ({"device": "tpu"}, {"backend": "jax"}, {"threads": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            open_evaluator("tiny", **bad)  # type: ignore[arg-type]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_that_is_missing(folder: Path) -> None:
    with pytest.raises(DeviceError, match="CUDA is not available"):
        CudaEvaluator(lively_net())
    with pytest.raises(DeviceError, match="CUDA is not available"):
        open_evaluator(folder / "tiny.safetensors", device="cuda")


def test_playing_through_onnx_runtime_loads_no_torch(folder: Path) -> None:
    program = (
        "import sys; from fingal.nets.inference import open_evaluator; from fingal.game import Board;"
        "from fingal.nets.planes import positions_of;"
        "print(open_evaluator(sys.argv[1])(positions_of([Board(5)])).value.shape, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(folder / "tiny.onnx")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["(1,)", "False"]


@pytest.mark.parametrize("name", SHAPES)
def test_the_exported_graph_is_clean(name: str, folder: Path) -> None:
    model = onnx.load(str(folder / f"{name}.onnx"))
    onnx.checker.check_model(model, full_check=True)
    assert [entry.name for entry in model.graph.input] == ["planes"]
    unwanted = {"BatchNormalization", "Constant"} | (set() if SHAPES[name].attention else {"Transpose"})
    assert not any(node.op_type in unwanted for node in model.graph.node)
    assert not any(len(tensor.external_data) for tensor in model.graph.initializer)
    card = Card.parse(next(entry.value for entry in model.metadata_props), "it")
    assert (card.name, card.precision, card.sizes) == (name, "float32", ("5x5", "7x7"))


def test_int8_in_one_step(folder: Path, tmp_path: Path) -> None:
    assert export_int8(folder / "tiny.safetensors", tmp_path / "x.int8.onnx").precision == "int8"
    narrow, wide = open_evaluator(tmp_path / "x.int8.onnx"), open_evaluator(folder / "tiny.onnx")
    positions = random_positions(5, 5, 8)
    difference = np.abs(narrow(positions).logits - wide(positions).logits)
    assert 0 < difference.max() < 0.1  # rounded, and not much beside how far they are apart
    assert wide(positions).logits.std() > 0.2


def test_damaged_onnx_files_are_refused(folder: Path, tmp_path: Path) -> None:
    good = (folder / "tiny.onnx").read_bytes()
    path = tmp_path / "bad.onnx"
    for data in (b"", b"once upon a time", good[: len(good) // 2], good[1000:], bytes(1000)):
        path.write_bytes(data)
        with pytest.raises(CheckpointError):
            OnnxEvaluator(path)
    model = onnx.load(str(folder / "tiny.onnx"))
    del model.metadata_props[:]
    path.write_bytes(model.SerializeToString())
    with pytest.raises(CheckpointError, match="no card"):
        OnnxEvaluator(path)
    model = onnx.load(str(folder / "tiny.onnx"))
    weight = next(tensor for tensor in model.graph.initializer if tensor.name == "value_out.weight")
    weight.CopyFrom(onnx.numpy_helper.from_array(np.full(list(weight.dims), np.nan, np.float32), weight.name))
    path.write_bytes(model.SerializeToString())
    with pytest.raises(CheckpointError, match="does not give"):
        OnnxEvaluator(path)
    model = onnx.load(str(folder / "tiny.onnx"))
    model.graph.output.pop()
    path.write_bytes(model.SerializeToString())
    with pytest.raises(CheckpointError, match="does not map"):
        OnnxEvaluator(path)


def test_positions_outside_the_contract(folder: Path) -> None:
    for name in ("tiny.safetensors", "tiny.onnx"):
        with pytest.raises(ValueError, match="outside 1x1"):
            open_evaluator(folder / name, device="cpu")(random_positions(3, 3, 1)._replace(width=0))
