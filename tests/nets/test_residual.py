import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from fingal.game import Board
from fingal.nets import planes, planes_torch
from fingal.nets.attention import Attention
from fingal.nets.blocks import OFF_BOARD, Convolution, Extent, Norm
from fingal.nets.folded import fold
from fingal.nets.residual import LARGE, SMALL, Config, Residual
from tests.nets.sample import SHAPES, SIZES, TINY, lively_net, random_positions


def mixed_batch(frame: tuple[int, int], count: int) -> tuple[torch.Tensor, torch.Tensor, planes_torch.Layout]:
    """Planes, mask and layout of boards of every size that fits into a square frame."""
    generator = torch.Generator().manual_seed(1)
    side = frame[0]
    width = torch.randint(1, side + 1, (count,), generator=generator)
    height = torch.randint(1, side + 1, (count,), generator=generator)
    width[0] = height[0] = side
    white = torch.rand(count, generator=generator) < 0.5
    words = (side * side + 63) // 64
    stones = torch.randint(-(2**63), 2**63 - 1, (2, count, words), generator=generator)
    stones[1] &= ~stones[0]
    where = planes_torch.layout(white, width, height, frame)
    return planes_torch.encode(stones, white, where, frame), planes_torch.mask(where, frame), where


@pytest.mark.parametrize("config", [SMALL, *SHAPES.values()], ids=["small", *SHAPES])
@torch.no_grad()
def test_a_position_alone_and_in_a_mixed_batch(config: Config) -> None:
    net = lively_net(config)
    frame = (19, 19)
    batch, mask, where = mixed_batch(frame, 12)
    together = net(batch, mask)
    assert (together.policy[~where.on_board] == OFF_BOARD).all()
    assert (together.owner[~where.on_board] == 0).all()
    for i in range(len(batch)):
        rows, columns = int(where.rows[i]), int(where.columns[i])
        alone = net(batch[i : i + 1, :, : rows + 2, : columns + 2])
        assert torch.allclose(alone.value_logit, together.value_logit[i], atol=1e-5, rtol=1e-5)
        for name in ("policy", "reply", "owner"):
            inside = getattr(together, name)[i].view(frame)[:rows, :columns].flatten()
            assert torch.allclose(getattr(alone, name)[0], inside, atol=1e-5, rtol=1e-5), name


@pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("size", SIZES)
@torch.no_grad()
def test_shapes_range_and_folding(size: tuple[int, int], config: Config) -> None:
    net = lively_net(config)
    for _, part in planes.split(random_positions(*size, count=6)):
        batch = torch.from_numpy(planes.encode(part))
        said = net(batch)
        count, cells = len(batch), size[0] * size[1]
        assert [tuple(x.shape) for x in said] == [(count, cells), (count,), (count, cells), (count, cells)]
        assert said.value.abs().max() <= 1
        folded = fold(net)(batch)
        assert torch.allclose(folded.policy, said.policy, atol=1e-4)
        assert torch.allclose(folded.value, said.value, atol=1e-5)


def test_the_value_of_a_logit_of_winning() -> None:
    """Value = P(win) - P(loss): a logit of ln 3 is 3/4 - 1/4."""
    said = Residual(TINY)(torch.zeros(1, 5, 5, 5))
    assert said._replace(value_logit=torch.tensor([math.log(3)])).value.item() == pytest.approx(0.5)


@pytest.mark.parametrize("config", [SMALL, LARGE, replace(LARGE, bottleneck=64, attention=4)])
@torch.no_grad()
def test_an_untrained_net_has_no_opinion(config: Config) -> None:
    torch.manual_seed(3)
    net = Residual(config).eval()
    said = net(torch.from_numpy(planes.encode(random_positions(11, 11, 8))))
    assert said.policy.std(1).max() < 0.2
    assert said.value.abs().max() < 0.2


def trunk_parameters(config: Config) -> int:
    """The parameters of all blocks: kernels, norms' shifts, weights from pooled channels to the others, attention."""
    inner, pooled = config.bottleneck or config.channels, config.pool_channels
    plain = 2 * 9 * inner**2 + 2 * inner
    pooling = 9 * inner**2 + 9 * (inner - pooled) * inner + 3 * pooled * (inner - pooled) + 2 * inner
    block, pooling_block = plain, pooling
    if config.bottleneck:
        around = 2 * config.channels * inner + config.channels + inner
        block, pooling_block = 2 * plain + around, plain + pooling + around
    pools = config.blocks // config.pool_every if config.pool_every else 0
    attention = 4 * config.channels**2 + config.channels + config.attention * 25 * 25 if config.attention else 0
    return (config.blocks - pools) * block + pools * pooling_block + attention


@pytest.mark.parametrize(
    "config", [SMALL, replace(LARGE, attention=8), replace(LARGE, bottleneck=64, pool_every=0), *SHAPES.values()]
)
def test_parameters_of_the_trunk(config: Config) -> None:
    net = Residual(config)
    assert sum(parameter.numel() for parameter in net.blocks.parameters()) == trunk_parameters(config)


def test_presets() -> None:
    assert (SMALL.blocks, SMALL.channels, SMALL.ring) == (10, 64, False)
    assert (LARGE.blocks, LARGE.channels) == (10, 128)
    assert [SMALL.pooled(block) for block in range(10)] == [0, 0, 16, 0, 0, 16, 0, 0, 16, 0]
    assert not any(Config(pool_every=0).pooled(block) for block in range(6))


def test_hexagonal_kernels_see_the_neighbours_alone() -> None:
    board = Board(5, 5)
    torch.manual_seed(0)
    for hexagonal in (True, False):
        layer = Convolution(3, 4, hexagonal)
        if hexagonal:
            with torch.no_grad():
                layer.weight.add_(1)  # even when the corners of the stored kernel are not 0
        for cell in range(25):
            x = torch.ones(1, 3, 5, 5, requires_grad=True)
            layer(x)[0, :, cell // 5, cell % 5].sum().backward()
            assert x.grad is not None
            seen = set(x.grad[0].abs().sum(0).flatten().nonzero().flatten().tolist())
            if hexagonal:
                assert seen == {cell, *board.neighbours(cell)}
            else:
                assert seen >= {cell, *board.neighbours(cell)}
                assert 0 in layer_corner(seen, cell)


def layer_corner(seen: set[int], cell: int) -> set[int]:
    """0 when a square kernel sees the upper left corner, or there is none."""
    row, column = divmod(cell, 5)
    return {0} if row == 0 or column == 0 or cell - 6 in seen else set()


def test_a_hexagonal_trunk_sees_as_far_as_its_kernels_reach() -> None:
    """The first layer and one block are three convolutions, so three steps of the board's own neighbourhood."""
    board = Board(13, 13)
    net = lively_net(Config(blocks=1, channels=8, pool_every=0, pool_channels=1, hexagonal=True))
    for cell in (84, 0, 12, 100):
        x = torch.randn(1, 5, 13, 13, requires_grad=True)
        trunk = net.blocks[0](net.stem(x), Extent.of(x, None))
        trunk[0, :, cell // 13, cell % 13].square().sum().backward()
        assert x.grad is not None
        reach = {cell}
        for _ in range(3):
            reach |= {near for at in reach for near in board.neighbours(at)}
        seen = set(x.grad[0].abs().sum(0).flatten().nonzero().flatten().tolist())
        assert seen == reach


def test_masked_norm_takes_its_statistics_from_the_mask() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3, 6, 7) * 2 + 1
    padded = torch.full((4, 3, 9, 9), 100.0)
    padded[:, :, :6, :7] = x
    mask = torch.zeros(4, 1, 9, 9)
    mask[:, :, :6, :7] = 1
    plain, masked = Norm(3), Norm(3)
    expected = plain(x, None)
    got = masked(padded, mask)[:, :, :6, :7]
    assert torch.allclose(got, expected, atol=1e-5)
    assert torch.allclose(expected.mean((0, 2, 3)), torch.zeros(3), atol=1e-5)
    assert torch.allclose(masked.mean, plain.mean, atol=1e-6)
    assert torch.allclose(masked.variance, plain.variance, atol=1e-5)
    scale, offset = plain.factors()
    again = plain.eval()(x, None).relu()
    assert torch.allclose(again, scale.view(1, 3, 1, 1) * (x + offset.view(1, 3, 1, 1)).relu(), atol=1e-5)


def lively_attention(channels: int, heads: int) -> Attention:
    """One with opinions: what it adds is not 0, and no two offsets are alike."""
    torch.manual_seed(0)
    block = Attention(channels, heads).eval()
    with torch.no_grad():
        for tensor in block.parameters():
            tensor.copy_(torch.randn_like(tensor) / (tensor.shape[0] ** 0.5 if tensor.ndim > 2 else 1))
        block.norm1.mean.normal_()
        block.norm1.variance.uniform_(0.5, 2)
    return block


@torch.no_grad()
def test_attention_by_hand() -> None:
    """On 2x16, so that offsets beyond 12 columns count as 12: each head's sum over all cells, written out."""
    rows, columns, channels, heads = 2, 16, 6, 2
    block = lively_attention(channels, heads)
    x = torch.randn(1, channels, rows, columns)
    said = block(x, Extent.of(x, None))[0].flatten(1)
    mean, variance, shift = block.norm1.mean, block.norm1.variance, block.norm1.shift
    cells = ((x[0].flatten(1).T - mean) / (variance + 1e-4).sqrt() + shift).double()
    query, key, value = (cells @ part.double().T for part in block.parts.weight[:, :, 0, 0].split(channels))
    near, width = block.near.view(heads, 25, 25).double(), channels // heads
    for cell in range(rows * columns):
        found = []
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            logits = []
            for other in range(rows * columns):
                down = other // columns - cell // columns
                right = min(12, max(-12, other % columns - cell % columns))
                product = query[cell, part] @ key[other, part] / math.sqrt(width)
                logits.append(product + near[head, 12 + down, 12 + right])
            found.append(torch.stack(logits).softmax(0) @ value[:, part])
        expected = x[0].flatten(1)[:, cell] + block.mixed.weight[:, :, 0, 0] @ torch.cat(found).float()
        assert torch.allclose(said[:, cell], expected, atol=1e-4), cell


@torch.no_grad()
def test_attention_looks_at_nothing_off_the_board() -> None:
    block = lively_attention(8, 4)
    x = torch.randn(2, 8, 6, 7)
    mask = torch.zeros(2, 1, 6, 7)
    mask[0, :, :3, :5] = mask[1, :, :6, :2] = 1
    said = block(x, Extent.of(x, mask))
    other = block(torch.where(mask > 0, x, 50 * torch.randn_like(x)), Extent.of(x, mask))
    inside = mask.expand_as(x) > 0
    assert torch.equal(said[inside], other[inside])
    assert not torch.allclose(block(x, Extent.of(x, None))[inside], said[inside], atol=0.1)


def test_attention_begins_by_adding_nothing() -> None:
    x = torch.randn(2, 8, 5, 5)
    assert torch.equal(Attention(8, 2)(x, Extent.of(x, None)), x)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
def test_gradients_in_16_bits_are_nearly_those_in_32(config: Config, masked: bool) -> None:
    batch, mask, where = mixed_batch((5, 5), 16)
    gradients = []
    for rounds in (False, True):
        net = lively_net(config).train()
        with torch.autocast("cpu", torch.bfloat16, enabled=rounds):
            said = net(batch, mask if masked else None)
        loss = F.cross_entropy(said.policy.float(), where.on_board.float().argmax(1)) + said.value_logit.float().sum()
        loss.backward()
        gradients.append([parameter.grad for parameter in net.parameters() if parameter.grad is not None])
    wide, narrow = (torch.cat([gradient.flatten() for gradient in found]) for found in gradients)
    assert F.cosine_similarity(wide, narrow, dim=0) > 0.9


@pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
def test_it_learns(config: Config) -> None:
    """Sixteen positions by heart, in a batch of two sizes."""
    torch.manual_seed(0)
    batch, mask, where = mixed_batch((5, 5), 16)
    wanted = where.on_board.float().argmax(1)
    wins = (torch.arange(16) % 2).float()
    net = Residual(config)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(60):
        said = net(batch, mask)
        loss = F.cross_entropy(said.policy, wanted) + F.binary_cross_entropy_with_logits(said.value_logit, wins)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.3


@pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
def test_the_whole_way_compiles_without_a_break(config: Config) -> None:
    from fingal.nets.judge import Judge
    from fingal.nets.torch_evaluator import CpuEvaluator

    torch.compiler.reset()  # so many shapes are compiled in one process at most
    net = lively_net(config)
    judge = Judge(net.config, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(net)
    compiled = torch.compile(judge._judge, backend="eager", fullgraph=True, dynamic=False)
    for size, frame in (((5, 5), (5, 5)), ((3, 4), (3, 4))):
        positions = random_positions(*size, count=4)
        if size == (3, 4):
            positions = positions._replace(white_to_move=np.ones(4, np.bool_))
        stones = torch.from_numpy(positions.stones.view(np.int64))
        white = torch.from_numpy(positions.white_to_move)
        with torch.no_grad():
            logits, value = compiled(stones, white, *size, frame)
        said = CpuEvaluator(net)(positions)
        assert np.allclose(logits.numpy(), said.logits, atol=1e-5)
        assert np.allclose(value.numpy(), said.value, atol=1e-5)


@pytest.mark.parametrize(
    ("field", "value", "known"),
    [
        ("blocks", 0, "a whole number from 1 to 64"),
        ("channels", 2.0, "a whole number from 4 to 1024"),
        ("pool_channels", 64, "a whole number from 1 to 63"),
        ("hexagonal", 1, "true or false"),
        ("ring", 0, "true or false"),
        ("pool_every", -1, "a whole number from 0 to 64"),
        ("bottleneck", 3, "0 or a whole number from 4 to 64"),
        ("bottleneck", 65, "0 or a whole number from 4 to 64"),
        ("bottleneck", True, "0 or a whole number from 4 to 64"),
        ("attention", -1, "a whole number from 0 to 64"),
        ("attention", 5, "0 or a divisor of channels, 64"),
    ],
)
def test_configs_that_cannot_be_built(field: str, value: object, known: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} must be {known}, not {value}$"):
        Config(**{field: value})  # type: ignore[arg-type]


def test_a_bottleneck_has_to_hold_the_pooled_channels() -> None:
    with pytest.raises(ValueError, match=r"^pool_channels must be a whole number from 1 to 15, not 16$"):
        Config(bottleneck=16)
