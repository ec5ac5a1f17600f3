"""The hexagonal net: what its filters see, how many numbers it has, and the stack against autograd."""

import json
from dataclasses import asdict

import pytest
import torch

from fingal.nets.hexagonal import PAPER_000, Config, Hexagonal, flatten, from_vector, taps
from fingal.nets.stacked import Stack

MIXED = Config(size=4, layers=((1, 2, 2), (2, 0, 1), (0, 3, 0)), activation="tanh")
CONFIGS = [
    PAPER_000,
    MIXED,
    Config(layers=((2, 3, 0), (3, 2, 0)), activation="softplus"),
    Config(size=2, layers=((0, 2, 1), (3, 0, 0)), border="zero", activation="softplus", squash="none"),
    Config(size=3, layers=((4, 0, 0), (0, 0, 2), (1, 2, 0)), border="zero", padding=1),
]


def net_of(config: Config, seed: int) -> Hexagonal:
    """A net with random biases too: ReLUs stand on no kink then."""
    torch.manual_seed(seed)
    net = Hexagonal(config).double()
    for name, parameter in net.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.uniform_(parameter, -0.5, 0.5)
    return net


def random_planes(config: Config, *shape: int) -> torch.Tensor:
    return torch.randint(0, 2, (*shape, 6, config.side, config.side)).double()


def test_taps_are_a_cell_and_what_is_within_so_many_steps() -> None:
    assert taps(1) == ((0, 0),)
    assert taps(3) == ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))
    near = set(taps(3))
    assert set(taps(5)) == {(a + c, b + d) for a, b in near for c, d in near}


def test_paper_000_has_2477_parameters() -> None:
    # 2*6 + 3*42 + 5,  3*5 + 2*35 + 5,  25 + 5,  245*9 + 9
    assert PAPER_000.parameters == 143 + 90 + 30 + 2214 == 2477
    assert sum(p.numel() for p in Hexagonal(PAPER_000).parameters()) == 2477


def test_neurohex_has_as_many_parameters_as_published() -> None:
    layers = tuple((0, 128 - d5, d5) for d5 in (80, 64, 48, 32, 16, 0, 0, 0, 0, 0))
    assert Config(size=13, layers=layers, border="zero").parameters == 7_542_185


@pytest.mark.parametrize("config", CONFIGS)
def test_a_layer_is_a_masked_convolution(config: Config) -> None:
    net = net_of(config, 1)
    planes = random_planes(config, 3)
    layer, x = net.layers[0], net.layers[0](planes)
    side, filters = config.side, config.layers[0]
    for index in range(sum(filters)):
        diameter = 1 if index < filters[0] else 3 if index < filters[0] + filters[1] else 5
        own = index - (0 if diameter == 1 else filters[0] if diameter == 3 else filters[0] + filters[1])
        for row, column in ((0, 0), (1, side - 1), (side // 2, side // 2)):
            expected = layer.bias[index].clone().expand(3)
            for tap, (down, right) in enumerate(taps(diameter)):
                r, c = row + down, column + right
                if 0 <= r < side and 0 <= c < side:
                    kernel = getattr(layer, f"kernel{diameter}")
                    expected = expected + planes[:, :, r, c] @ kernel[own, :, tap]
            torch.testing.assert_close(x[:, index, row, column], expected)


def test_values_are_squashed_into_the_open_interval() -> None:
    net = net_of(PAPER_000, 2)
    raw = Hexagonal(Config(squash="none")).double()
    raw.load_state_dict(net.state_dict())
    planes = random_planes(PAPER_000, 4)
    torch.testing.assert_close(net(planes), 2 * torch.sigmoid(raw(planes)) - 1)


def test_a_zero_border_tells_the_dense_layer_nothing_of_the_walls() -> None:
    config = Config(size=3, border="zero")
    net = net_of(config, 3)
    planes = random_planes(config, 1)
    planes.requires_grad_()
    net(planes).sum().backward()
    weight = net.dense.weight.detach().view(9, 5, 7, 7).clone()
    weight[:, :, 2:5, 2:5] = 0
    other = from_vector(config, flatten(net)).double()
    with torch.no_grad():
        other.dense.weight.copy_(net.dense.weight - weight.view(9, -1))
    torch.testing.assert_close(other(planes), net(planes))


@pytest.mark.parametrize("config", CONFIGS)
def test_a_stack_says_what_its_nets_say(config: Config) -> None:
    nets = [net_of(config, seed) for seed in (1, 2, 3)]
    stack = Stack(config)
    stacked = stack.wide(torch.stack([flatten(net) for net in nets]))
    planes = random_planes(config, 3, 4)
    expected = torch.stack([net(part) for net, part in zip(nets, planes, strict=True)])
    torch.testing.assert_close(stack.values(stacked, planes), expected)
    torch.testing.assert_close(stack.values(stacked, planes[:, :1]), expected[:, :1])
    torch.testing.assert_close(
        stack.same_values(stacked, planes[0], runs=2, positions=3), torch.stack([net(planes[0]) for net in nets])
    )
    assert torch.equal(flatten(from_vector(config, stack.narrow(stacked)[1].float())), flatten(nets[1].float()))


def of_autograd(
    net: Hexagonal, planes: torch.Tensor, weights: torch.Tensor, way: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradient of sum(weights * tanh(outputs)) and its Hessian times a direction, in the order of ``shapes``."""
    raw = Hexagonal(Config(**{**asdict(net.config), "squash": "none"})).double()
    raw.load_state_dict(net.state_dict())
    names = dict(raw.named_parameters())
    ordered = [names[name] for name in net.config.shapes()]
    said = (weights * torch.tanh(raw(planes)[0])).sum()
    first = torch.cat([g.reshape(-1) for g in torch.autograd.grad(said, ordered, create_graph=True)])
    second = torch.autograd.grad((first * way).sum(), ordered, allow_unused=True, materialize_grads=True)
    return first.detach(), torch.cat([g.reshape(-1) for g in second])


@pytest.mark.parametrize("config", CONFIGS)
def test_gradients_and_curvature_are_those_of_autograd(config: Config) -> None:
    """A function of the outputs with a gradient and a Hessian of its own: sum(c * tanh(outputs))."""
    nets = [net_of(config, seed) for seed in (1, 2, 3)]
    stack = Stack(config)
    vectors = torch.stack([flatten(net) for net in nets])
    planes = random_planes(config, 3, 1)
    weights, ways = torch.randn(3, config.cells).double(), torch.randn_like(vectors)
    stacked, direction = stack.wide(vectors), stack.wide(ways)
    done, outputs = stack.forward(stacked, stack.columns(planes))
    bent = torch.tanh(outputs[:, 0])
    gradient = stack.gradient(stacked, done, weights * (1 - bent**2))
    runs, cell = torch.arange(3), torch.tensor([0, config.cells - 1, config.cells // 2])
    one = torch.tanh(stack.output(stacked, done, cell))
    torch.testing.assert_close(one, bent[runs, cell])
    alone, slope, product = stack.curvature_at(stacked, done, cell, 1 - one**2, -2 * one * (1 - one**2), direction)
    torch.testing.assert_close(stack.gradient_at(stacked, done, cell, 1 - one**2), alone)
    for index, net in enumerate(nets):
        first, _ = of_autograd(net, planes[index], weights[index], ways[index])
        torch.testing.assert_close(stack.narrow(gradient)[index], first)
        chosen = torch.nn.functional.one_hot(cell[index], config.cells).double()
        first, second = of_autograd(net, planes[index], chosen, ways[index])
        torch.testing.assert_close(stack.narrow(alone)[index], first)
        torch.testing.assert_close(slope[index], (first * ways[index]).sum())
        torch.testing.assert_close(stack.narrow(product)[index], second)


def test_nothing_reaches_the_corners_that_a_filter_has_not() -> None:
    stack = Stack(PAPER_000)
    stacked = stack.initial([1, 2])
    done = stack.trunk(stacked, stack.columns(random_planes(PAPER_000, 2, 1).float()))
    gradient = stack.gradient(stacked, done, torch.ones(2, 9))
    unused = torch.ones(stack.width, dtype=torch.bool)
    unused[stack.free] = False
    assert unused.sum() == 2 * 36 + 3 * 30  # filters of diameter 1 in layers of diameter 3
    assert not gradient[:, unused].any()
    assert gradient[:, stack.free].any()


def test_nets_of_a_stack_are_those_of_their_seeds() -> None:
    torch.manual_seed(7)
    alone = flatten(Hexagonal(PAPER_000))
    stack = Stack(PAPER_000)
    assert torch.equal(stack.narrow(stack.initial([5, 7]))[1], alone)


def test_a_config_goes_through_json() -> None:
    assert Config(**json.loads(json.dumps(asdict(MIXED)))) == MIXED


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"size": 0}, "size must be"),
        ({"size": True}, "size must be"),
        ({"padding": 9}, "padding must be"),
        ({"layers": ()}, "layers must be 1 to 64"),
        ({"layers": ((1, 2),)}, "layers must be 1 to 64"),
        ({"layers": ((0, 0, 0),)}, "layers must have 1 to 1024"),
        ({"layers": ((1, -1, 5),)}, "layers must have 1 to 1024"),
        ({"layers": "deep"}, "layers must be"),
        ({"activation": "step"}, "activation must be one of"),
        ({"squash": []}, "squash must be one of"),
        ({"border": "thick"}, "border must be one of"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Config(**setting)  # type: ignore[arg-type]
