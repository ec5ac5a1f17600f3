"""The adversarial actor-critic: its equations by hand, and a step against a plain loop."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from fingal.learn.adversarial import Adversarial, Trainer, average_value, critic_target
from fingal.learn.parts.run import Run
from fingal.nets.convolutional import Convolutional

VALUES = torch.tensor([[0.5, -0.25, 0.9]])
"""The opponent's, of its three cells; the last one is taken."""
LOG_POLICY = torch.tensor([[math.log(0.75), math.log(0.25), -math.inf]])


def test_the_aim_by_hand() -> None:
    # The opponent's best reply is worth 0.5 to it; on average its replies are worth 0.75 * 0.5 - 0.25 * 0.25 = 0.3125.
    assert critic_target(VALUES, LOG_POLICY, 0.0).tolist() == pytest.approx([-0.5])
    assert critic_target(VALUES, LOG_POLICY, math.inf).tolist() == pytest.approx([-0.3125])
    soft = -math.log(0.75 * math.exp(0.5) + 0.25 * math.exp(-0.25))
    assert critic_target(VALUES, LOG_POLICY, 1.0).tolist() == pytest.approx([soft])


def test_a_reply_that_the_policy_rules_out_is_one_all_the_same() -> None:
    never = torch.tensor([[0.0, -200.0, -math.inf]])
    assert critic_target(-VALUES, never, 0.0).tolist() == pytest.approx([-0.25])


def test_the_average_value_by_hand() -> None:
    assert average_value(VALUES, LOG_POLICY).tolist() == pytest.approx([0.3125])


@pytest.fixture
def trainer(tmp_path: Path) -> Iterator[Trainer]:
    settings = Adversarial(
        size=3, layers=2, channels=8, games=6, half=False, optimiser="sgd", learning_rate=0.5, outcome=0.25
    )
    run = Run(tmp_path, asdict(settings))
    yield Trainer(settings, run, torch.device("cpu"))
    run.close()


def test_a_step_is_that_of_a_plain_loop(trainer: Trainer) -> None:
    before = Convolutional(trainer.config.net)
    before.load_state_dict(trainer.net.state_dict())
    lessons = []
    lesson = trainer.lesson
    trainer.lesson = lambda rng: lessons.append(lesson(rng)) or lessons[0]  # type: ignore[func-returns-value,method-assign]
    figures = trainer.iteration()
    pairs, _, _, length = lessons[0]
    moves = {
        (int(game), int(ply)): number for number, (game, ply) in enumerate(zip(pairs.game, pairs.ply, strict=True))
    }

    def asked(number: int) -> tuple[list[int], torch.Tensor, torch.Tensor]:
        planes = pairs.planes[number]
        empty = [at for at in range(9) if planes[2, 1 + at // 3, 1 + at % 3]]
        logits, values = before.both(torch.from_numpy(planes).float()[None])
        return empty, logits[0, empty].log_softmax(0), values[0, empty]

    cost, missed = torch.zeros(()), 0.0
    for (game, ply), number in moves.items():
        empty, log_policy, values = asked(number)
        place = empty.index(pairs.cells[number])
        won = 1.0 if (length[game] - 1 - ply) % 2 == 0 else -1.0
        aim = 1.0
        if (game, ply + 1) in moves:
            aim = 0.25 * won - 0.75 * float(asked(moves[game, ply + 1])[2].detach().max())
        gain = aim - float((log_policy.exp() * values).sum().detach())
        cost = cost - gain * log_policy[place] + (values[place] - aim) ** 2
        cost = cost + 0.01 * (log_policy.exp() * log_policy).sum()
        missed += (float(values[place].detach()) - aim) ** 2
    slopes = torch.autograd.grad(cost / len(moves), list(before.parameters()))
    for old, new, slope in zip(before.parameters(), trainer.net.parameters(), slopes, strict=True):
        assert torch.allclose(new, old - 0.5 * slope, atol=1e-5)
    assert figures["value_loss"] == pytest.approx(missed / len(moves), rel=1e-4)
