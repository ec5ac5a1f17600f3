"""Small nets and random positions for the tests of nets."""

from dataclasses import replace

import numpy as np
import torch

from fingal.nets.residual import Config, Residual
from fingal.search.evaluator import Positions

TINY = Config(
    blocks=3, channels=12, pool_channels=4, hexagonal=True, policy_channels=6, value_channels=6, value_hidden=8
)
NESTED = replace(TINY, bottleneck=8)
SHAPES = {
    "tiny": TINY,
    "nested": NESTED,
    "attentive": replace(NESTED, attention=3),
    "without a ring": replace(TINY, ring=False),
    "attentive without a ring": replace(NESTED, attention=3, ring=False),
}
"""Nets with everything that a net can have, by name."""
SIZES = ((1, 1), (2, 2), (3, 5), (11, 11), (19, 19))


def random_positions(width: int, height: int, count: int, seed: int = 0) -> Positions:
    """Stones anywhere, either side to move: more than can occur in a game."""
    random = np.random.default_rng(seed)
    cells = width * height
    owner = random.choice(3, size=(count, cells), p=(0.3, 0.3, 0.4))
    stones = np.zeros((2, count, (cells + 63) // 64), np.uint64)
    for colour in range(2):
        for i, cell in zip(*np.nonzero(owner == colour), strict=True):
            stones[colour, i, cell // 64] |= np.uint64(1) << np.uint64(cell % 64)
    return Positions(width, height, stones, random.random(count) < 0.5, np.full(count, -1, np.int32))


def lively_net(config: Config = TINY, seed: int = 0) -> Residual:
    """An untrained net with opinions: every weight and statistic is far from its start."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = Residual(config)
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            noise = torch.randn(tensor.shape, generator=generator)
            if name.endswith("variance"):
                tensor.copy_(0.5 + noise.abs())
            elif tensor.ndim == 1:
                tensor.copy_(noise * 0.5)
            elif name.endswith("near"):
                tensor.add_(noise)
            elif not tensor.any():
                tensor.copy_(noise * 0.5)
        net.policy_head.out.weight.mul_(20)
        net.value_head.out.weight.mul_(10)
    return net.eval()
