"""PPO: its equations by hand, one update against a plain step, perfect play on 3x3, runs that go on."""

import copy
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from fingal.learn.parts.run import Run
from fingal.learn.ppo import PPO, Trainer, advantages, clipped_gain, train
from fingal.nets import checkpoint

TINY = PPO(size=3, net="feed-forward", width=16, games=8, steps=4, batch=16, iterations=4, keep_iterations=2)

Make = Callable[..., Trainer]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes trainers in folders of these names, and closes their runs."""
    runs = []

    def trainer(config: PPO, name: str = "run", start: Path | None = None) -> Trainer:
        runs.append(Run(tmp_path / name, asdict(config)))
        return Trainer(config, runs[-1], torch.device("cpu"), start)

    yield trainer
    for run in runs:
        run.close()


def test_advantages_by_hand() -> None:
    reward, done = torch.tensor([[0.0], [0.0], [1.0]]), torch.tensor([[False], [False], [True]])
    value = torch.tensor([[0.5], [0.4], [0.2], [9.0]])
    # Errors: 0.5 * 0.4 - 0.5 = -0.3, 0.5 * 0.2 - 0.4 = -0.3, 1 - 0.2 = 0.8; a quarter of each is handed back.
    assert advantages(reward, value, done, 0.5, 0.5).flatten().tolist() == pytest.approx([-0.325, -0.1, 0.8])
    # The same where the game has ended one move earlier: the last move belongs to the next game.
    done = torch.tensor([[False], [True], [False]])
    reward = torch.tensor([[0.0], [-1.0], [0.0]])
    # 0.5 * 9 - 0.2 = 4.3 for the new game, whose end is not here; -1 - 0.4 = -1.4; -0.3 - 0.25 * 1.4 = -0.65.
    assert advantages(reward, value, done, 0.5, 0.5).flatten().tolist() == pytest.approx([-0.65, -1.4, 4.3])


def test_a_long_trace_gives_what_came_of_a_move_less_what_was_expected() -> None:
    generator = torch.Generator().manual_seed(3)
    reward, value = torch.randn((6, 5), generator=generator), torch.randn((7, 5), generator=generator)
    done = torch.rand((6, 5), generator=generator) < 0.3
    found = advantages(reward, value, done, 0.9, 1.0)
    for game in range(5):
        came = float(value[6, game])
        for t in range(5, -1, -1):
            came = float(reward[t, game]) + (0.0 if done[t, game] else 0.9 * came)
            assert float(found[t, game]) == pytest.approx(came - float(value[t, game]), abs=1e-5)


@pytest.mark.parametrize(
    ("ratio", "advantage", "gain", "slope"),
    [
        (1.5, 2.0, 2.4, 0.0),  # likelier by more than the clip allows: nothing more to gain
        (1.5, -2.0, -3.0, -2.0),  # likelier, and bad: all of it counts
        (0.5, 2.0, 1.0, 2.0),
        (0.5, -2.0, -1.6, 0.0),
        (1.1, 2.0, 2.2, 2.0),
    ],
)
def test_the_clipped_gain_by_hand(ratio: float, advantage: float, gain: float, slope: float) -> None:
    given = torch.tensor([ratio], requires_grad=True)
    found = clipped_gain(given, torch.tensor([advantage]), 0.2)
    assert found.item() == pytest.approx(gain)
    assert torch.autograd.grad(found.sum(), given)[0].item() == pytest.approx(slope)


def test_a_rollout_is_what_was_played(make: Make) -> None:
    trainer = make(replace(TINY, opponent="past"))
    trainer.play()
    boards, cells, log_chance, value, reward, done = trainer.rollout
    assert boards.flatten(2).gather(2, cells.unsqueeze(2)).eq(0).all()
    with torch.no_grad():
        logits, said = trainer.net.both(boards.flatten(0, 1))
        chance = logits.masked_fill(boards.flatten(0, 1).flatten(1) != 0, -1e9).softmax(1)
    assert torch.allclose(chance.gather(1, cells.view(-1, 1)).log().view(4, 8), log_chance, atol=1e-5)
    assert torch.allclose(said.view(4, 8), value, atol=1e-5)
    assert (reward.abs() == done).all()
    # Where the game went on, one stone of each side has come to the board, and the learner's is where it was played.
    for t, game in (~done[:3]).nonzero().tolist():
        change = boards[t + 1, game] - boards[t, game]
        assert sorted(change[change != 0].tolist()) == [-1, 1]
        assert change.flatten()[cells[t, game]] == 1
    # A new game has at most the opponent's first stone.
    for t, game in done[:3].nonzero().tolist():
        assert boards[t + 1, game].abs().sum() <= 1


def test_the_first_update_is_a_plain_step_of_an_actor_and_a_critic(make: Make) -> None:
    """With all moves in one batch no ratio differs from 1, and the clip does nothing."""
    config = replace(TINY, batch=32, epochs=1, longest=0.0)
    trainer = make(config)
    net = copy.deepcopy(trainer.net)
    trainer.play()
    boards, cells, _, before, reward, done = (part.clone() for part in trainer.rollout)
    with torch.no_grad():
        _, after = net.both(trainer.games.boards.float())
    trainer.learn()
    advantage = advantages(reward, torch.cat((before, after.unsqueeze(0))), done, config.discount, config.trace)
    aim = (advantage + before).flatten()
    weight = (advantage - advantage.mean()) / advantage.std(correction=0)
    boards = boards.flatten(0, 1)
    loss: Any = torch.zeros(())
    for number in range(32):
        logits, value = net.both(boards[number : number + 1])
        legal = boards[number].flatten() == 0
        policy = torch.distributions.Categorical(logits=logits[0][legal])
        move = int(legal[: cells.flatten()[number]].sum())
        loss = loss - weight.flatten()[number] * policy.log_prob(torch.tensor(move))
        loss = loss + config.value_weight * (value[0] - aim[number]) ** 2 - config.entropy * policy.entropy()
    optimiser = torch.optim.Adam(net.parameters(), lr=config.learning_rate)
    (loss / 32).backward()
    optimiser.step()
    for mine, plain in zip(trainer.net.parameters(), net.parameters(), strict=True):
        assert torch.allclose(mine, plain, atol=2e-5)


def test_a_gradient_is_no_longer_than_it_may_be(make: Make) -> None:
    trainer = make(replace(TINY, longest=1e-3))
    trainer.play()
    trainer.learn()
    length = torch.stack([part.grad.norm() for part in trainer.net.parameters() if part.grad is not None]).norm()
    assert length.item() == pytest.approx(1e-3, rel=1e-3)


def test_it_wins_3x3_against_the_best_replies(make: Make) -> None:
    """In two seconds of one core; as the second player against random moves perfect play has 81.9%."""
    config = replace(TINY, opponent="self", width=64, games=64, steps=8, batch=256, iterations=60)
    *_, last = train(make(replace(config, exam_iterations=60)))
    assert last["first_vs_best"] == last["first_vs_random"] == 1
    assert last["second_vs_random"] > 0.85
    assert last["keeps_win"] > 0.75


@pytest.mark.parametrize("opponent", ["self", "past"])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(opponent: Any, make: Make, tmp_path: Path) -> None:
    config = replace(TINY, opponent=opponent, exam_iterations=0)
    assert [row["iteration"] for row in train(make(config, "whole"))] == [1, 2, 3, 4]
    stopped = train(make(config, "parts"))
    for _ in range(3):
        next(stopped)
    # It was saved after 2 iterations; the third is lost, and made again.
    assert [row["iteration"] for row in train(make(config, "parts"))] == [3, 4]
    states: list[dict[str, Tensor]] = []
    for run in ("whole", "parts"):
        net, card = checkpoint.load_any(tmp_path / run / "checkpoints" / "latest.safetensors")
        states.append(net.state_dict())
        assert (card.name, card.head, card.sizes, card.cost["moves"]) == ("ppo", "policy_value", ("3x3",), 128)
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    files = sorted(file.name for file in (tmp_path / "whole" / "checkpoints").iterdir())
    assert files == ["latest.safetensors", *(f"net-{at:05d}.safetensors" for at in (0, 2, 4)), "state.safetensors"]
    logged = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    assert all({"entropy", "divergence", "clipped", "value_loss", "explained"} <= set(row) for row in logged)


@pytest.mark.parametrize("size", [2, 11, 19])
def test_every_size_from_2_on_can_be_learned(size: int, make: Make) -> None:
    config = replace(TINY, size=size, net="convolutional", width=2, iterations=1, exam_iterations=0)
    *_, last = train(make(config))
    assert last["moves"] == 32
    assert 0 < last["entropy"] <= math.log(size * size)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_graphs_do_what_single_calls_do(tmp_path: Path) -> None:
    nets = []
    for graph in (True, False):
        config = replace(TINY, opponent="past", graph=graph)
        run = Run(tmp_path / str(graph), asdict(config))
        for _ in train(Trainer(config, run, torch.device("cuda"))):
            pass
        run.close()
        nets.append(checkpoint.load_any(run.checkpoints / "latest.safetensors")[0].state_dict())
    assert all(torch.allclose(nets[0][key], nets[1][key], atol=1e-4) for key in nets[0])


def test_a_run_that_its_minutes_end_is_measured_at_its_end(make: Make) -> None:
    (row,) = train(make(replace(TINY, minutes=1e-9)))
    assert row["iteration"] == 1
    assert 0 <= row["first_vs_random"] <= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"size": 1}, "size must be at least 2, not 1"),
        ({"batch": 24}, "batch must divide games \\* steps = 32, and 24 does not"),
        ({"clip": 1.0}, "clip must be above 0 and below 1, not 1.0"),
        ({"trace": 1.5}, "trace must be from 0 to 1, not 1.5"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number from 0 on, not nan"),
        ({"opponent": "me"}, "opponent must be one of random, self, past, not 'me'"),
        ({"net": "recurrent"}, "net must be one of feed-forward, .*, not 'recurrent'"),
        ({"width": 0}, "width must be from 1 to 1024, not 0"),
        ({"size": 20}, "size must be from 1 to 19, not 20"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"width": 8.0}, "width must be a whole number, not 8.0"),
        ({"graph": 1}, "graph must be true or false, not 1"),
        ({"batch": 1}, "batch must be at least 2, not 1: of one move the advantage is always 0"),
    ],
)
def test_nonsense_is_refused_by_name(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TINY, **wrong)
