"""The net laid out for learning says, and learns, what the plain one does."""

import pytest
import torch

from fingal.nets import walls_torch
from fingal.nets.hexagonal import Border, Config, Hexagonal
from fingal.nets.squared import Squared

CPU = torch.device("cpu")
LAYERS = ((1, 2, 3), (0, 3, 2), (0, 4, 0))


def boards(size: int, count: int) -> torch.Tensor:
    lots = torch.rand((count, size, size), generator=torch.Generator().manual_seed(1))
    return torch.stack((lots < 0.25, lots > 0.75), 1)


def inner(stones: torch.Tensor) -> torch.Tensor:
    return torch.cat((stones, walls_torch.chained(stones)), 1)


@pytest.mark.parametrize("border", ["zero", "kept"])
@pytest.mark.parametrize(("size", "padding"), [(1, 2), (2, 1), (3, 2), (5, 3), (11, 2), (19, 2)])
def test_it_says_what_the_plain_net_says(size: int, padding: int, border: Border) -> None:
    torch.manual_seed(3)
    net = Hexagonal(Config(size, LAYERS, padding=padding, border=border))
    squared = Squared(net, CPU)
    stones = boards(size, 9)
    vector = squared.vector(net)
    with torch.no_grad():
        expected = net(walls_torch.from_stones(stones, padding))
        assert torch.allclose(squared.outputs(squared.weights(vector), inner(stones)), expected, atol=1e-6)
        assert expected.std() > 1e-3


@pytest.mark.parametrize("border", ["zero", "kept"])
def test_the_numbers_go_there_and_back(border: Border) -> None:
    net, other = (Hexagonal(Config(4, LAYERS, border=border)) for _ in range(2))
    squared = Squared(net, CPU)
    back = squared.net(squared.vector(net))
    assert all(torch.equal(a, b) for a, b in zip(back.parameters(), net.parameters(), strict=True))
    # Whatever was learned, what only meets a border of zeros stays as it was.
    moved = squared.net(squared.vector(other))
    differ = (moved.dense.weight != other.dense.weight).view(16, 4, 8, 8)
    assert not differ[:, :, 2:-2, 2:-2].any()
    assert bool(differ.any()) == (border == "zero")


@pytest.mark.parametrize("border", ["zero", "kept"])
def test_its_gradient_is_that_of_the_plain_net(border: Border) -> None:
    torch.manual_seed(4)
    net = Hexagonal(Config(4, LAYERS, border=border))
    squared, stones = Squared(net, CPU), boards(4, 6)
    net(walls_torch.from_stones(stones)).square().sum().backward()
    weights = squared.weights(squared.vector(net))
    # More positions may be seen than count.
    said, seen = squared.trace(weights, inner(torch.cat((stones, boards(4, 3)))))
    flat = squared.gradient(weights, seen, said[:6], 2 * said[:6])
    as_net = squared.net(flat)
    for index, (mine, plain) in enumerate(zip(as_net.layers, net.layers, strict=True)):
        for (name, found), (_, expected) in zip(mine.named_parameters(), plain.named_parameters(), strict=True):
            assert expected.grad is not None
            assert torch.allclose(found, expected.grad, atol=1e-5), (index, name)
    assert net.dense.bias.grad is not None
    assert torch.allclose(as_net.dense.bias, net.dense.bias.grad, atol=1e-5)
    assert net.dense.weight.grad is not None
    live = (slice(None), slice(None), slice(2, -2), slice(2, -2))
    found, expected = (weight.view(16, 4, 8, 8)[live] for weight in (as_net.dense.weight, net.dense.weight.grad))
    assert torch.allclose(found, expected, atol=1e-5)
    assert not flat[squared.mask == 0].any()


def test_the_corners_are_no_parameters() -> None:
    config = Config(4, LAYERS, border="kept")
    squared = Squared(Hexagonal(config), CPU)
    assert int(squared.mask.sum()) == config.parameters < squared.width


def test_planes_of_connections() -> None:
    config = Config(3, LAYERS, connections=True)
    net = Hexagonal(config)
    squared, stones = Squared(net, CPU), boards(3, 5)
    more = torch.rand((5, 2, 3, 3)) < 0.5
    seen = torch.nn.functional.pad(more.float(), (2, 2, 2, 2))
    with torch.no_grad():
        expected = net(torch.cat((walls_torch.from_stones(stones), seen), 1))
        said = squared.outputs(squared.weights(squared.vector(net)), torch.cat((inner(stones), more), 1))
    assert torch.allclose(said, expected, atol=1e-6)
