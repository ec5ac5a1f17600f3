"""What only a GPU can show. Skipped where there is none."""

import copy

import numpy as np
import pytest
import torch

from fingal.nets import planes
from fingal.nets.convolutional import Config, Convolutional
from fingal.nets.plain_evaluator import OFTEN, PlainEvaluator
from fingal.nets.torch_evaluator import CpuEvaluator, CudaEvaluator
from fingal.testing.check_evaluator import check_evaluator
from tests.nets.sample import SHAPES, SIZES, lively_net, random_positions

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def test_conformance() -> None:
    check_evaluator(CudaEvaluator(lively_net(), batch_sizes=(1, 16)), SIZES, tolerance=0.2)
    check_evaluator(CudaEvaluator(lively_net(), batch_sizes=(1, 16), dtype=torch.float32), SIZES, tolerance=2e-2)


@pytest.mark.filterwarnings("ignore:TensorFloat32 tensor cores")  # the compiler's advice: float32 is wanted here
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("compiled", [False, True])
def test_it_agrees_with_the_cpu(compiled: bool, name: str) -> None:
    net = lively_net(SHAPES[name])
    there = CudaEvaluator(net, batch_sizes=(8, 32), dtype=torch.float32, compiled=compiled)
    here = CpuEvaluator(net)
    for size in ((5, 5), (3, 4)):
        positions = random_positions(*size, count=45)  # a full batch and one that is filled up
        a, b = here(positions), there(positions)
        assert np.abs(a.logits - b.logits).max() < 2e-2
        assert np.abs(a.value - b.value).max() < 2e-2


def test_lanes_and_new_weights() -> None:
    evaluator = CudaEvaluator(lively_net(seed=1), batch_sizes=(8,), dtype=torch.float32)
    one, two = random_positions(5, 5, 8, seed=1), random_positions(5, 5, 5, seed=2)
    first, second = evaluator.launch(one, lane=0), evaluator.launch(two, lane=1)
    with pytest.raises(RuntimeError, match="fetch its answer first"):
        evaluator.launch(one, lane=0)
    evaluator.update(lively_net(seed=2))
    old, new = CpuEvaluator(lively_net(seed=1)), CpuEvaluator(lively_net(seed=2))
    assert np.abs(second().logits - old(two).logits).max() < 2e-2
    assert np.abs(first().logits - old(one).logits).max() < 2e-2
    assert np.abs(evaluator(one).logits - new(one).logits).max() < 2e-2
    assert evaluator(planes.take(one, slice(0, 0))).logits.shape == (0, 25)


def test_what_comes_often_is_judged_as_on_the_cpu() -> None:
    torch.manual_seed(1)
    net = Convolutional(Config(layers=2, channels=8))
    there, here = PlainEvaluator(net, device="cuda"), PlainEvaluator(copy.deepcopy(net).cpu())
    for seed in range(OFTEN + 3):
        for size in ((5, 5), (3, 4)):
            positions = random_positions(*size, count=1 + seed % 2, seed=seed)
            assert np.abs(there(positions).logits - here(positions).logits).max() < 2e-2
