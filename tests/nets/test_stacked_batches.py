"""Batches of many nets at once, held against single nets and autograd."""

import pytest
import torch
from torch import Tensor

from fingal.nets import hexagonal, recurrent
from fingal.nets.hexagonal import Hexagonal, unflatten
from fingal.nets.recurrent import Recurrent
from fingal.nets.stacked import Stack
from fingal.nets.stacked_batches import Batches
from fingal.nets.stacked_recurrent import RecurrentStack

SHAPES = [
    hexagonal.Config(),
    hexagonal.Config(size=1, padding=1),
    hexagonal.Config(size=2, layers=((0, 2, 0), (0, 1, 2)), activation="softplus"),
    hexagonal.Config(size=4, layers=((1, 0, 1), (0, 3, 0), (1, 1, 1)), activation="tanh", border="zero"),
    hexagonal.Config(size=3, layers=((2, 0, 0),), squash="none", padding=1),
]


def random_planes(config: hexagonal.Config, runs: int, batch: int) -> Tensor:
    generator = torch.Generator().manual_seed(5)
    return torch.randn(runs, batch, 6, config.side, config.side, generator=generator)


def lively(stack: Stack, runs: int) -> Tensor:
    """Nets whose biases are not 0."""
    generator = torch.Generator().manual_seed(6)
    stacked = stack.narrow(stack.initial(list(range(runs))))
    return stack.wide(stacked + 0.1 * torch.randn(stacked.shape, generator=generator))


@pytest.mark.parametrize("config", SHAPES)
def test_passes_equal_single_nets_and_autograd(config: hexagonal.Config) -> None:
    runs, batch = 3, 4
    stack = Stack(config)
    batches = Batches(stack)
    stacked, planes = lively(stack, runs), random_planes(config, runs, batch)
    generator = torch.Generator().manual_seed(7)
    pull = torch.randn(runs, config.cells, batch, generator=generator)
    with torch.no_grad():
        done = batches.forward(stacked, batches.look(batches.innermost(planes)))
        gradient = batches.gradient(stacked, done, pull)
    for run in range(runs):
        net = hexagonal.from_vector(config, stack.narrow(stacked)[run])
        said = net(planes[run])
        outputs = hexagonal.squash(done.outputs[run].T, config.squash)
        assert torch.allclose(outputs, said, atol=1e-5)
        # The passes are without the squash, so the single net is asked for what stands before it.
        x = planes[run]
        for layer in net.layers:
            x = hexagonal.activate(layer(x), config.activation)
            x = x * hexagonal.inside(config) if config.border == "zero" else x
        (net.dense(x.flatten(1)) * pull[run].T).sum().backward()
        names = dict(net.named_parameters())
        expected = torch.cat([_grad(names[name]) for name in config.shapes()])
        assert torch.allclose(stack.narrow(gradient)[run], expected, atol=1e-4), run
    used = torch.zeros(stack.width)
    used[stack.free] = 1
    assert (gradient * (1 - used) == 0).all()


def _grad(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad.flatten()


def test_a_look_stays_until_the_next_of_its_name() -> None:
    stack = Stack(hexagonal.PAPER_000)
    batches = Batches(stack)
    planes = random_planes(stack.config, 2, 3)
    first = batches.look(batches.innermost(planes), "a")
    before = first.clone()
    other = batches.look(batches.innermost(planes + 1), "b")
    assert torch.equal(first, before)
    assert not torch.equal(other, before)


@pytest.mark.parametrize("depth", [10, 2])
@pytest.mark.parametrize("squash", ["sigmoid", "none"])
def test_recurrent_stacks_follow_games_as_single_nets_do(depth: int, squash: hexagonal.Squash) -> None:
    config = recurrent.Config(depth=depth, squash=squash)
    stack = RecurrentStack(config)
    runs, plies, games = 2, 5, 3
    stacked = lively(stack, runs)
    planes = random_planes(config, runs, plies * games)
    with torch.no_grad():
        x = Stack.values(stack, stacked, planes).view(runs, plies, games, -1)
        said = stack.follow(stack.recurrence(stacked), x)
        for run in range(runs):
            net = Recurrent(config)
            net.load_state_dict(unflatten(config, stack.narrow(stacked)[run]))
            boards = planes[run].view(plies, games, 6, config.side, config.side)
            hidden = None
            for ply in range(plies):
                expected, hidden = net.step(boards[ply], None if ply % depth == 0 else hidden)
                assert torch.allclose(said[run, ply], expected, atol=1e-5), (run, ply)


def test_recurrent_stacks_begin_as_single_nets_do() -> None:
    config = recurrent.Config()
    stack = RecurrentStack(config)
    torch.manual_seed(4)
    expected = Recurrent(config)
    assert torch.equal(stack.narrow(stack.initial([4]))[0], hexagonal.flatten(expected))
    planes = random_planes(config, 1, 6)
    assert torch.allclose(stack.values(stack.initial([4]), planes)[0], expected(planes[0]), atol=1e-6)
    assert torch.allclose(stack.same_values(stack.initial([4]), planes[0])[0], expected(planes[0]), atol=1e-6)


def test_a_hexagonal_net_is_a_net() -> None:
    assert isinstance(hexagonal.from_vector(hexagonal.PAPER_000, torch.zeros(2477)), Hexagonal)
