"""The formulas of deep Q-learning by hand, its ring against games that were written down, and the pool's draws."""

import math

import pytest
import torch
from torch import Tensor

from fingal.learn.parts.flat_net import FlatNet
from fingal.learn.parts.opponent_pool import Pool, chances
from fingal.learn.parts.soft_q import AmsGrad, SoftQ, costs, exploration, published_rate, target
from fingal.learn.parts.time_ring import TimeRing, importance, urgency
from fingal.nets.choice import build
from fingal.nets.signed_net import Signed

CPU = torch.device("cpu")


def net(seed: int = 1, size: int = 3) -> Signed:
    torch.manual_seed(seed)
    return build("convolutional", size, width=4, head="q", squash="sigmoid")


def test_how_often_moves_are_random() -> None:
    found = exploration(torch.tensor([0.0, 1000.0, 2000.0, 3000.0]), 0.9, 0.05, 1000.0)
    assert found.tolist() == pytest.approx([0.9, 0.3627, 0.16503, 0.09232], abs=1e-5)


def test_the_published_rate_rises_and_falls() -> None:
    rates = [published_rate(1e-3, episode) for episode in (0, 4, 9, 10, 11, 12, 1000)]
    assert rates == pytest.approx([1e-4, 5e-4, 1e-3, 1e-3, 9.95e-4, 9.90025e-4, 6.995e-6], rel=1e-3)


def test_the_newest_member_of_the_pool_is_the_likeliest() -> None:
    assert chances(1, 0.9) == [1.0]
    total = 1 + 0.9 + 0.81
    assert chances(3, 0.9) == pytest.approx([0.81 / total, 0.9 / total, 1 / total])
    assert chances(4, 1.0) == pytest.approx([0.25] * 4)
    # The public program's mistake: the oldest has 1, the newest 0.9, and so on down.
    assert chances(3, 0.9, "oldest") == pytest.approx([1 / total, 0.81 / total, 0.9 / total])


def test_targets_by_hand() -> None:
    # A won game, a lost one, and one that goes on with a best value of 0.5 after the reply, gamma 0.9.
    found = target(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 0.9]), torch.tensor([0.7, 0.7, 0.5]))
    assert found.tolist() == pytest.approx([1.0, 0.0, 0.45])


def test_costs_by_hand() -> None:
    said, aim = torch.tensor([0.0, math.log(3.0)]), torch.tensor([1.0, 0.0])
    assert costs(said, aim, "sigmoid").tolist() == pytest.approx([math.log(2), math.log(4)])
    said = torch.tensor([math.atanh(0.5), 0.0])
    assert costs(said, torch.tensor([-1.0, 0.5]), "tanh").tolist() == pytest.approx([2.25, 0.25])


def test_a_step_is_what_torch_makes_of_it() -> None:
    generator = torch.Generator().manual_seed(1)
    numbers = torch.randn(50, generator=generator)
    other = numbers.clone().requires_grad_()
    mine = AmsGrad(numbers, 1e-2)
    theirs = torch.optim.AdamW([other], lr=1e-2, amsgrad=True)
    for number in range(20):
        # Large gradients first, so that the largest mean square is not the last one.
        gradient = torch.randn(50, generator=generator) * (10 if number < 3 else 0.1)
        mine.step(gradient)
        other.grad = gradient
        theirs.step()
    assert torch.allclose(numbers, other.detach(), atol=1e-6)


def boards_of(numbers: list[list[int]]) -> Tensor:
    """One board for each game and step, all of whose cells hold its number: [steps, games, 2, 2]."""
    return torch.tensor(numbers, dtype=torch.int8).view(len(numbers), -1, 1, 1).expand(-1, -1, 2, 2).contiguous()


def filled(steps: int, discount: float, *, prioritised: bool = False, capacity: int = 100) -> TimeRing:
    """A ring of two games. The first goes on for all six steps; the second is won by step 2 and lost by step 5."""
    ring = TimeRing(capacity, 2, 2, CPU, discount=discount, steps=steps, prioritised=prioritised)
    boards = boards_of([[10 + step, 20 + step] for step in range(7)])
    ring.begin(boards[0])
    for step in range(6):
        reward = torch.tensor([0.0, {2: 1.0, 5: -1.0}.get(step, 0.0)])
        ring.add(torch.tensor([step % 4, 3 - step % 4]), reward, reward != 0, boards[step + 1])
    return ring


def drawn(ring: TimeRing) -> dict[int, tuple[int, float, float, int]]:
    """What can be drawn, by the number on the board: cell, gained, carried, the number that follows."""
    lots = (torch.arange(2000, dtype=torch.float64) + 0.5) / 2000
    lesson = ring.draw(lots)
    columns = (lesson.boards[:, 0, 0], lesson.cell, lesson.gained, lesson.carried, lesson.following[:, 0, 0])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {board: (cell, round(gained, 6), round(carried, 6), after) for board, cell, gained, carried, after in rows}


@pytest.mark.parametrize("prioritised", [False, True])
def test_the_ring_gives_what_followed(prioritised: bool) -> None:
    found = drawn(filled(1, 0.9, prioritised=prioritised))
    assert sorted(found) == [*range(10, 16), *range(20, 26)]
    assert found[10] == (0, 0.0, 0.9, 11)
    assert found[15] == (1, 0.0, 0.9, 16)
    assert found[21] == (2, 0.0, 0.9, 22)
    assert found[22][:3] == (1, 1.0, 0.0)
    assert found[25][:3] == (2, -1.0, 0.0)


@pytest.mark.parametrize("prioritised", [False, True])
def test_returns_of_three_steps_by_hand(prioritised: bool) -> None:
    found = drawn(filled(3, 0.9, prioritised=prioritised))
    assert sorted(found) == [*range(10, 14), *range(20, 24)]  # the last two still wait
    assert found[10] == (0, 0.0, 0.729, 13)
    assert found[20][1:3] == (0.81, 0.0)
    assert found[21][1:3] == (0.9, 0.0)
    assert found[22][1:3] == (1.0, 0.0)
    assert found[23][1:3] == (-0.81, 0.0)


def test_where_sides_take_turns_each_step_changes_the_sign() -> None:
    found = drawn(filled(3, -1.0))
    assert found[10] == (0, 0.0, -1.0, 13)
    assert found[20][1:3] == (1.0, 0.0)  # the own win, two steps later
    assert found[21][1:3] == (-1.0, 0.0)  # the opponent's, one step later


@pytest.mark.parametrize("prioritised", [False, True])
@pytest.mark.parametrize("steps", [1, 2])
def test_a_full_ring_forgets_the_oldest(steps: int, prioritised: bool) -> None:
    found = drawn(filled(steps, 0.9, prioritised=prioritised, capacity=6))
    newest = 6 - steps
    assert sorted(found) == [first + step for first in (10, 20) for step in range(newest - 2, newest + 1)]


def test_wrong_values_are_drawn_more_often_and_count_less() -> None:
    ring = filled(1, 0.9, prioritised=True)
    lots = (torch.arange(1200, dtype=torch.float64) + 0.5) / 1200
    lesson = ring.draw(lots)
    assert torch.allclose(lesson.weight, torch.ones(1200))
    # All errors are 0 but that of board 12, which is 1; the others keep next to nothing.
    at = {int(board): int(place) for board, place in zip(lesson.boards[:, 0, 0], lesson.at, strict=True)}
    places = torch.tensor(list(at.values()))
    ring.judge(places, (places == at[12]).float())
    again = ring.draw(lots)
    assert int((again.boards[:, 0, 0] == 12).sum()) > 1180
    # Errors of 1 and 0.1 on two boards: drawn 1 to 0.1^0.6, and each counts by its chance to the power of -0.4.
    ring.judge(torch.tensor([at[13]]), torch.tensor([0.1]))
    two = ring.draw(lots)
    one, other = (two.boards[:, 0, 0] == board for board in (12, 13))
    assert int(other.sum()) / int(one.sum()) == pytest.approx(0.1**0.6, abs=0.01)
    assert float(two.weight[one][0] / two.weight[other][0]) == pytest.approx(0.1**0.24, rel=1e-4)
    assert float(two.weight.max()) == 1
    ring.judge(torch.tensor([at[13]]), torch.tensor([-1.0]))
    both = ring.draw(lots).boards[:, 0, 0]
    assert int((both == 12).sum()) == pytest.approx(600, abs=10)
    assert int((both == 13).sum()) == pytest.approx(600, abs=10)


def test_priorities_by_hand() -> None:
    assert urgency(torch.tensor([0.0, -1.0, 0.5])).tolist() == pytest.approx([1e-6**0.6, 1.0, 0.5**0.6], rel=1e-4)
    # Of four moves with chances 1/2 and 1/8: (4/2)^-0.4 and (4/8)^-0.4, divided by the larger.
    weight = importance(torch.tensor([0.5, 0.125]))
    assert weight.tolist() == pytest.approx([2**-0.4 / 2**0.4, 1.0])


def test_a_vector_says_what_its_net_says() -> None:
    made = net()
    flat = FlatNet(made, CPU)
    numbers = flat.vector(made)
    boards = torch.randint(-1, 2, (5, 3, 3), dtype=torch.int8)
    assert torch.equal(flat.say(flat.views(numbers), boards), made(boards.float()))
    other = flat.vector(net(2))
    assert torch.equal(flat.net(other)(boards.float()), net(2)(boards.float()))


def test_the_pool_answers_as_its_members_would_as_often_as_it_should() -> None:
    nets = [net(seed) for seed in (1, 2)]
    flat = FlatNet(nets[0], CPU)
    pool = Pool(flat, 2, 6, groups=3)
    boards, legal = torch.zeros((6, 3, 3), dtype=torch.int8), torch.ones((6, 9), dtype=torch.bool)
    favourite = [int(made(boards.float())[0].argmax()) for made in nets]
    assert favourite[0] != favourite[1]
    generator = torch.Generator().manual_seed(1)
    alone = torch.cat([pool.reply(boards, legal, torch.rand((2, 6), generator=generator)) for _ in range(200)])
    assert torch.bincount(alone, minlength=9).min() > 90  # of 133
    for made in nets:
        pool.add(flat.vector(made))
    count, games = torch.zeros(9), torch.zeros(3)
    for _ in range(400):
        found = pool.reply(boards, legal, torch.rand((2, 6), generator=generator))
        count += torch.bincount(found, minlength=9)
        games += torch.tensor([found[0] == cell for cell in favourite] + [found[0] != found[2]]).float()
    share = [weight / (1 + 0.9 + 0.81) for weight in (0.81, 0.9, 1.0)]
    expected = [share[0] / 9 + part for part in share[1:]]
    assert [float(count[cell]) / 2400 for cell in favourite] == pytest.approx(expected, abs=0.05)
    assert [float(part) / 400 for part in games[:2]] == pytest.approx(expected, abs=0.09)
    assert float(games[2]) > 200  # groups draw for themselves


@pytest.mark.parametrize("double", [False, True])
def test_an_update_by_hand(double: bool) -> None:
    made, still = net(1, 2), net(2, 2)
    flat = FlatNet(made, CPU)
    ring = TimeRing(10, 1, 2, CPU, discount=0.9)
    before = torch.tensor([[[0, 0], [0, 0]]], dtype=torch.int8)
    after = torch.tensor([[[1, 0], [-1, 0]]], dtype=torch.int8)
    ring.begin(before)
    ring.add(torch.tensor([0]), torch.tensor([0.0]), torch.tensor([False]), after)
    q = SoftQ(flat, flat.vector(made), ring, rate=1e-2, softness=0.25, squash="sigmoid", double=double)
    q.still.copy_(flat.vector(still))
    q.update(torch.tensor([0.3], dtype=torch.float64))
    # The same with torch's own net and optimiser; cells 1 and 3 are empty.
    later = still(after.float())[0, [1, 3]].sigmoid()
    chooser = made(after.float())[0, [1, 3]] if double else later
    aim = 0.9 * later[int(chooser.argmax())].detach()
    optimiser = torch.optim.AdamW(made.parameters(), lr=1e-2, amsgrad=True)
    value = made(before.float())[0, 0].sigmoid()
    loss = -(aim * value.log() + (1 - aim) * (1 - value).log())
    loss.backward()
    optimiser.step()
    assert float(q.cost) == pytest.approx(float(loss.detach()), rel=1e-5)
    assert torch.allclose(q.numbers, flat.vector(made), atol=1e-6)
    assert torch.allclose(q.still, 0.25 * flat.vector(made) + 0.75 * flat.vector(still), atol=1e-6)
