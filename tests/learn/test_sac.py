"""Discrete SAC: its equations by hand, one update against a plain one, what the three mistakes do, runs that go on."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from fingal.learn import sac
from fingal.learn.parts.run import Run
from fingal.learn.sac import SAC, Trainer, train
from fingal.nets import checkpoint

TINY = SAC(
    size=3,
    net="feed-forward",
    width=16,
    games=8,
    moves=256,
    capacity=128,
    warm_up=32,
    updates=2,
    batch=16,
    row_moves=64,
    keep_rows=2,
)

Make = Callable[..., Trainer]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes trainers in folders of these names, and closes their runs."""
    runs = []

    def trainer(config: SAC, name: str = "run", start: Path | None = None) -> Trainer:
        runs.append(Run(tmp_path / name, asdict(config)))
        return Trainer(config, runs[-1], torch.device("cpu"), start)

    yield trainer
    for run in runs:
        run.close()


LEGAL = torch.tensor([[True, True, False], [False, True, False]])
LOGITS = torch.tensor([[math.log(3.0), 0.0, 5.0], [-7.0, 2.0, 9.0]])


def test_chances_add_up_to_1_in_every_position() -> None:
    chances, log = sac.chances_by_row(LOGITS, LEGAL)
    assert chances.flatten().tolist() == pytest.approx([0.75, 0.25, 0, 0, 1, 0])
    assert log.flatten().tolist() == pytest.approx([math.log(0.75), math.log(0.25), 0, 0, 0, 0])


def test_by_mistake_they_add_up_to_1_in_a_batch() -> None:
    chances, log = sac.chances_by_batch(LOGITS, LEGAL)
    assert chances.sum().item() == pytest.approx(1)
    assert chances[~LEGAL].tolist() == [0, 0, 0]
    # Sixty-four positions alike: the chances of each are a sixty-fourth of what they should be.
    many, _ = sac.chances_by_batch(LOGITS[:1].expand(64, -1), LEGAL[:1].expand(64, -1))
    assert many[5].tolist() == pytest.approx([0.75 / 64, 0.25 / 64, 0])
    assert torch.isfinite(log).all()


def test_the_soft_value_by_hand() -> None:
    chances, log = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[-math.log(2), -math.log(2), 0.0]])
    values, heat = torch.tensor([[1.0, 0.0, 77.0]]), torch.tensor(0.1)
    # A half of 1, and a tenth of log 2 for being undecided between two; what the stone says does not count.
    assert sac.soft_value(chances, log, values, heat).item() == pytest.approx(0.5 + 0.1 * math.log(2))
    assert sac.policy_loss(chances, log, values, heat).item() == pytest.approx(-0.5 - 0.1 * math.log(2))


def test_the_temperature_falls_while_the_policy_is_less_decided_than_it_should_be() -> None:
    heat = torch.tensor(0.5, requires_grad=True)
    loss = sac.temperature_loss(torch.tensor([2.0, 1.0]), torch.tensor([1.0, 1.0]), heat)
    assert loss.item() == pytest.approx(0.25)
    assert torch.autograd.grad(loss, heat)[0].item() == pytest.approx(0.5)  # downhill is down


def test_the_entropy_aimed_at_is_a_share_of_what_is_possible() -> None:
    assert sac.entropy_aim(LEGAL, 0.5, "legal").tolist() == pytest.approx([0.5 * math.log(2), 0.0])
    assert sac.entropy_aim(LEGAL, 0.5, "board").tolist() == pytest.approx([0.5 * math.log(3)] * 2)
    # The paper's 0.98 log 49 is more than there is as soon as four stones are on 7x7, and less with three.
    for stones, possible in ((3, True), (4, False)):
        legal = torch.arange(49).unsqueeze(0) >= stones
        assert (sac.entropy_aim(legal, 0.98, "board").item() < math.log(49 - stones)) is possible


def filled(make: Make, config: SAC) -> Trainer:
    """A trainer whose ring is full of moves and that has learned nothing yet."""
    trainer = make(replace(config, moves=10**6, warm_up=10**6))
    for _ in range(trainer.ring.rows + 3):
        trainer.play()
    return trainer


EVERY = (torch.arange(128, dtype=torch.float64) + 0.5) / 128
"""What draws every move of the ring once."""


def test_losses_are_worth_what_the_settings_say(make: Make) -> None:
    for worth in (-1.0, 0.0, -0.25):
        trainer = filled(lambda config, worth=worth: make(config, f"{worth}"), replace(TINY, loss_reward=worth))
        moves = trainer.ring.draw(EVERY)
        assert set(moves.gained.tolist()) == {0.0, 1.0, worth}
        assert (moves.carried == 0).sum() >= (moves.gained != 0).sum() > 0


def test_an_update_is_that_of_the_equations(make: Make) -> None:
    """One position after the other, over its legal cells only, with torch's own optimiser."""
    trainer = filled(make, TINY)
    config, pick = trainer.config, EVERY[[3, 17, 40, 41, 99, 120, 7, 64]]
    actor, critics = copy.deepcopy(trainer.actor), copy.deepcopy(trainer.critics)
    targets, heat = copy.deepcopy(critics), torch.tensor(math.log(config.temperature), requires_grad=True)
    moves = trainer.ring.draw(pick)
    trainer._update(pick)

    def policy(board: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Legal cells, chances and their logarithms."""
        legal = (board.flatten() == 0).nonzero().flatten()
        log = actor(board.float().unsqueeze(0))[0][legal].log_softmax(0)
        return legal, log.exp(), log

    optimisers = [torch.optim.Adam(part, lr=config.learning_rate) for part in (critics.parameters(), [heat])]
    loss: Any = torch.zeros(())
    for board, cell, aim, carried, following, *_ in zip(*moves, strict=True):
        if carried:
            with torch.no_grad():
                legal, chances, log = policy(following)
                low = torch.minimum(*(net(following.float().unsqueeze(0))[0][legal] for net in targets))
                aim = aim + config.discount * (chances * (low - config.temperature * log)).sum()
        for net in critics:
            loss = loss + (net(board.float().unsqueeze(0))[0][cell] - aim) ** 2 / len(pick)
    loss.backward()
    optimisers[0].step()
    gain: Any = torch.zeros(())
    spread: Any = torch.zeros(())
    for board in moves.boards:
        legal, chances, log = policy(board)
        with torch.no_grad():
            low = torch.minimum(*(net(board.float().unsqueeze(0))[0][legal] for net in critics))
        gain = gain + (chances * (config.temperature * log - low)).sum() / len(pick)
        entropy = -(chances * log).sum().detach()
        spread = spread + heat.exp() * (entropy - config.entropy_share * math.log(len(legal))) / len(pick)
    third = torch.optim.Adam(actor.parameters(), lr=config.learning_rate)
    gain.backward()
    spread.backward()
    third.step()
    optimisers[1].step()
    for mine, plain in ((trainer.critics, critics), (trainer.actor, actor)):
        for ours, theirs in zip(mine.parameters(), plain.parameters(), strict=True):
            assert torch.allclose(ours, theirs, atol=2e-5)
    assert trainer.log_temperature[0].item() == pytest.approx(heat.item(), abs=1e-6)
    for followed, before, now in zip(
        trainer.targets.parameters(), targets.parameters(), critics.parameters(), strict=True
    ):
        assert torch.allclose(followed, before + config.target_rate * (now - before), atol=2e-5)


def test_an_entropy_that_cannot_be_reached_heats_without_end(make: Make) -> None:
    heats = {}
    for kind in ("legal", "board"):
        config = replace(TINY, learning_rate=1e-2, entropy_share=0.98, entropy_target=kind, opponent="random")  # type: ignore[arg-type]
        *_, last = train(make(replace(config, moves=512, exam_rows=0), kind))
        heats[kind] = last["temperature"]
    assert heats["board"] > 2 * heats["legal"]
    assert heats["board"] > 3 * TINY.temperature


def test_critics_from_0_to_1_cannot_say_what_a_soft_value_is(make: Make) -> None:
    trainer = filled(make, replace(TINY, critics="sigmoid", temperature=1.0))
    boards = trainer.ring.draw(EVERY).boards.float()
    assert 0 < trainer._values(trainer.critics, boards).min() < trainer._values(trainer.critics, boards).max() < 1
    # With a temperature of 1 an undecided policy on an empty board is worth more than log 9 > 1.
    chances, log = sac.chances_by_row(torch.zeros(1, 9), torch.ones(1, 9, dtype=torch.bool))
    assert sac.soft_value(chances, log, torch.zeros(1, 9), torch.tensor(1.0)).item() == pytest.approx(math.log(9))


def test_it_wins_3x3_against_the_best_replies(make: Make) -> None:
    """In two seconds of one core."""
    config = replace(TINY, opponent="self", width=64, games=32, capacity=6400, moves=8192, warm_up=512, batch=64)
    *_, last = train(make(replace(config, row_moves=2048, keep_rows=1, exam_rows=4)))
    assert last["first_vs_best"] == last["first_vs_random"] == 1
    assert last["second_vs_random"] > 0.85
    assert last["keeps_win"] > 0.85


@pytest.mark.parametrize("opponent", ["self", "past"])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(opponent: Any, make: Make, tmp_path: Path) -> None:
    config = replace(TINY, opponent=opponent, exam_rows=0)
    assert [row["row"] for row in train(make(config, "whole"))] == [1, 2, 3, 4]
    stopped = train(make(config, "parts"))
    for _ in range(3):
        next(stopped)
    # It was saved after 2 rows; the third is lost, and made again.
    assert [row["row"] for row in train(make(config, "parts"))] == [3, 4]
    states: list[dict[str, Tensor]] = []
    for run in ("whole", "parts"):
        net, card = checkpoint.load_any(tmp_path / run / "checkpoints" / "latest.safetensors")
        states.append(net.state_dict())
        assert (card.name, card.head, card.sizes, card.cost["moves"]) == ("sac", "policy", ("3x3",), 256)
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


@pytest.mark.parametrize("size", [2, 11, 19])
def test_every_size_from_2_on_can_be_learned(size: int, make: Make) -> None:
    config = replace(TINY, size=size, net="convolutional", width=2, moves=32, warm_up=16, exam_rows=0)
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
    """Nor does it go on to the end of a row."""
    (row,) = train(make(replace(TINY, moves=10**6, row_moves=10**6, minutes=0.002)))
    assert row["moves"] < 10**5
    assert 0 <= row["first_vs_random"] <= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"size": 1}, "size must be at least 2, not 1"),
        ({"capacity": 0}, "capacity must be at least 1, not 0"),
        ({"warm_up": 257}, "warm_up must be at most moves = 256, not 257: nothing would be learned"),
        ({"temperature": 0.0}, "temperature must be above 0, not 0.0"),
        ({"loss_reward": 1.0}, "loss_reward must be from -1 to 0, not 1.0"),
        ({"entropy_share": 1.5}, "entropy_share must be from 0 to 1, not 1.5"),
        ({"normalise": "rows"}, "normalise must be one of row, batch, not 'rows'"),
        ({"entropy_target": "all"}, "entropy_target must be one of legal, board, not 'all'"),
        ({"critics": "tanh"}, "critics must be one of linear, sigmoid, not 'tanh'"),
        ({"opponent": "me"}, "opponent must be one of random, self, past, not 'me'"),
        ({"updates": 1.5}, "updates must be a whole number, not 1.5"),
        ({"net": "recurrent"}, "net must be one of feed-forward, .*, not 'recurrent'"),
    ],
)
def test_nonsense_is_refused_by_name(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TINY, **wrong)
