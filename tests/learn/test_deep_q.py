"""Updates of deep Q-learning: the target by hand, an update beside autograd and torch's arithmetic, the ring."""

import pytest
import torch

from fingal.learn.parts.deep_q import Descent, QLearning, best_reply, clipped, policy_pull, target
from fingal.learn.parts.repeated import Repeated
from fingal.learn.parts.transitions import Moves, Transitions
from fingal.nets import walls_torch
from fingal.nets.hexagonal import Config, Hexagonal

CPU = torch.device("cpu")
CONFIG = Config(3, ((0, 3, 2), (0, 4, 0)), border="zero")


def seen(stones: torch.Tensor) -> torch.Tensor:
    return torch.cat((stones, walls_torch.chained(stones)), 1)


def some_moves(count: int, size: int = 3, seed: int = 1) -> Moves:
    generator = torch.Generator().manual_seed(seed)
    lots = torch.rand((2, count, size, size), generator=generator)
    boards = torch.stack((lots < 0.2, lots > 0.7), 2)
    cell = (lots[0].flatten(1) - boards[0].any(1).flatten(1).float()).argmax(1)
    return Moves(seen(boards[0]), cell, torch.rand(count, generator=generator) < 0.3, seen(boards[1]))


def test_the_target_worked_by_hand() -> None:
    # The opponent's best empty cell is worth 0.25 to it, so a move that has not won is worth -0.25; what an occupied
    # cell is said to be worth does not matter, nor what is said of a board that is won.
    values = torch.tensor([[0.9, 0.25, -0.5, 0.0], [0.9, 0.25, -0.5, 0.0], [-0.9, -0.25, -0.5, -0.7]])
    stones = torch.zeros(3, 2, 2, 2, dtype=torch.bool)
    stones[:2, 1, 0, 0] = True
    reply = best_reply(values, stones)
    assert reply.tolist() == [0.25, 0.25, -0.25]
    won = torch.tensor([False, True, False])
    assert target(won, reply, -1.0).tolist() == [-0.25, 1.0, 0.25]
    assert target(won, reply, 1.0).tolist() == [0.25, 1.0, -0.25]


@pytest.mark.parametrize("still", [False, True])
def test_an_update_is_one_step_of_rmsprop_on_the_mean_square(still: bool) -> None:
    torch.manual_seed(2)
    net, other = Hexagonal(CONFIG), Hexagonal(CONFIG)
    moves = some_moves(12)
    ring = Transitions(20, 6, 3, CPU)
    ring.add(moves)
    learner = QLearning(Descent(net, CPU, rate=0.01), ring, held_still=still)
    if still:
        assert learner.still is not None
        learner.still.copy_(learner.critic.squared.vector(other))
    pick = torch.tensor([0, 3, 3, 7, 11])
    learner.update(pick)

    def say(module: Hexagonal, planes: torch.Tensor) -> torch.Tensor:
        said: torch.Tensor = module(walls_torch.from_stones(planes[:, :2]))
        return said

    total = torch.zeros(())
    for number in pick.tolist():
        with torch.no_grad():
            replies = say(other if still else net, moves.following[number : number + 1])[0]
        empty = ~moves.following[number, :2].any(0).flatten()
        aim = 1.0 if moves.won[number] else -float(replies[empty].max())
        total = total + (say(net, moves.planes[number : number + 1])[0, moves.cell[number]] - aim) ** 2
    loss = total / len(pick)
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(learner.cost) == pytest.approx(loss.item(), rel=1e-5)
    learned = learner.critic.net()
    for found, plain in zip(learned.parameters(), net.parameters(), strict=True):
        assert plain.grad is not None
        # The first step: the mean square is a tenth of the gradient's, and the floor stands inside the root.
        expected = plain - 0.01 * plain.grad / (0.1 * plain.grad.square() + 1e-6).sqrt()
        assert torch.allclose(found, expected, atol=2e-5)


def test_a_clipped_gradient() -> None:
    assert clipped(torch.tensor([3.0, 4.0]), 1.0).tolist() == pytest.approx([0.6, 0.8])
    assert clipped(torch.tensor([0.3, 0.4]), 1.0).tolist() == pytest.approx([0.3, 0.4])


def test_updates_learn_which_moves_have_won() -> None:
    # One board of 3x3, all of whose nine first moves are said to win but the last, after which the opponent does.
    torch.manual_seed(5)
    ring = Transitions(10, 6, 3, CPU)
    board = seen(torch.zeros(9, 2, 3, 3, dtype=torch.bool))
    taken = torch.ones(9, 2, 3, 3, dtype=torch.bool)
    taken[:, :, 0, 0] = False
    won = torch.arange(9) < 8
    ring.add(Moves(board, torch.arange(9), won, seen(taken)))
    ring.add(Moves(seen(taken)[:1], torch.tensor([0]), torch.tensor([True]), board[:1]))
    learner = QLearning(Descent(Hexagonal(CONFIG), CPU, rate=0.01), ring)
    for _ in range(150):
        learner.update(torch.arange(10))
    values = learner.critic.values(board[:1])[0]
    assert (values[:8] > 0.7).all()
    assert values[8] < -0.7


def test_the_pull_on_a_policy_is_the_derivative_of_its_gain() -> None:
    torch.manual_seed(7)
    logits, values = torch.randn(5, 9, dtype=torch.float64, requires_grad=True), torch.randn(5, 9, dtype=torch.float64)
    stones = torch.rand(5, 9) < 0.3
    gain = torch.zeros(())
    for position in range(5):
        chance = logits[position, ~stones[position]].softmax(0)
        gain = gain + (chance * (values[position, ~stones[position]] - 0.3 * chance.log())).sum()
    (-gain / 5).backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert torch.allclose(policy_pull(logits.detach(), values, stones, 0.3), logits.grad)


def test_a_policy_learns_the_move_with_the_highest_value() -> None:
    torch.manual_seed(6)
    ring = Transitions(9, 6, 3, CPU)
    board = seen(torch.zeros(9, 2, 3, 3, dtype=torch.bool))
    full = seen(torch.zeros(9, 2, 3, 3, dtype=torch.bool))
    ring.add(Moves(board, torch.arange(9), torch.arange(9) == 4, full))
    critic = Descent(Hexagonal(CONFIG), CPU, rate=0.0)
    with torch.no_grad():
        values = critic.values(board[:1])[0]
    logits = Hexagonal(Config(3, CONFIG.layers, border="zero", squash="none"))
    actor = Descent(logits, CPU, rate=0.003)
    learner = QLearning(critic, ring, actor=actor)
    for _ in range(200):
        learner.update(torch.arange(9))
    assert int(actor.values(board[:1])[0].argmax()) == int(values.argmax())
    assert float(actor.values(board[:1])[0].softmax(0).max()) > 0.5
    # More entropy keeps it undecided.
    undecided = Descent(logits, CPU, rate=0.003)
    learner = QLearning(critic, ring, actor=undecided, entropy=5.0)
    for _ in range(200):
        learner.update(torch.arange(9))
    assert float(undecided.values(board[:1])[0].softmax(0).max()) < 0.2


def test_the_ring_keeps_the_newest_moves_and_comes_back_from_its_state() -> None:
    moves = some_moves(7)
    ring = Transitions(5, 6, 3, CPU)
    ring.add(Moves(*(part[:4] for part in moves)))
    assert len(ring) == 4
    ring.add(Moves(*(part[4:] for part in moves)))
    assert (len(ring), ring.seen) == (5, 7)
    kept = ring.at(torch.tensor([4, 0, 1, 2, 3]))
    order = torch.tensor([4, 5, 6, 2, 3])
    assert all(torch.equal(mine, part[order]) for mine, part in zip(kept, moves, strict=True))
    back = Transitions(5, 6, 3, CPU)
    back.restore(ring.state(), ring.seen)
    assert all(torch.equal(mine, part) for mine, part in zip(back.moves, ring.moves, strict=True))
    half = Transitions(5, 6, 3, CPU)
    half.add(Moves(*(part[:2] for part in moves)))
    back = Transitions(5, 6, 3, CPU)
    back.restore(half.state(), half.seen)
    assert len(back) == 2
    assert torch.equal(back.at(torch.tensor([0, 1])).planes, moves.planes[:2])


def test_moves_are_drawn_alike_from_those_that_are_there() -> None:
    ring = Transitions(50, 6, 3, CPU)
    ring.add(some_moves(4))
    picks = ring.draw(1000, 10, generator=torch.Generator().manual_seed(1))
    shares = torch.bincount(picks.flatten(), minlength=50) / picks.numel()
    assert shares[:4].tolist() == pytest.approx([0.25] * 4, abs=0.02)
    assert not shares[4:].any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_graph_of_updates_does_what_single_ones_do() -> None:
    cuda = torch.device("cuda")
    moves = Moves(*(part.to(cuda) for part in some_moves(64, 5)))
    found = []
    for graph in (False, True):
        torch.manual_seed(2)
        ring = Transitions(64, 6, 5, cuda)
        ring.add(moves)
        net = Hexagonal(Config(5, ((0, 8, 8), (0, 16, 0)), border="zero"))
        learner = QLearning(Descent(net, cuda, rate=0.001), ring)
        before = learner.critic.numbers.clone()
        repeated = Repeated(learner.update, 4, 32, learner.state(), graph)
        assert torch.equal(learner.critic.numbers, before)
        picks = torch.randint(64, (4, 32), generator=torch.Generator().manual_seed(3)).to(cuda)
        for _ in range(5):
            repeated(picks)
        found.append((learner.critic.numbers - before).cpu())
    assert found[0].abs().max() > 0.005
    assert (found[0] - found[1]).abs().mean() < 0.1 * found[0].abs().mean()
