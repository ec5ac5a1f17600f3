"""Two processes that learn together take the steps that one takes with the whole batch."""

import copy
import multiprocessing
import subprocess
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.learn.alphazero import Trainer
from fingal.learn.parts.replay import Replay
from fingal.learn.parts.search_descent import Descent, Settings
from fingal.learn.parts.spread import Spread
from fingal.learn.parts.together import Together
from fingal.nets.residual import Residual
from tests.learn.test_alphazero import FAST, TINY, samples_of

CPU = torch.device("cpu")
SETTINGS = Settings(4, 1e-2, 0.15, 0.15)


def positions() -> Replay:
    """Of two sizes, with targets in some places only: the two halves of a batch have nothing in equal number."""
    random = np.random.default_rng(0)
    replay = Replay(200, 4, CPU)
    for number in range(60):
        size = 3 if number % 3 else 4
        board = Board(size)
        for move in random.permutation(size * size)[: number % 5]:
            board.push(int(move))
        rows = samples_of([board])
        rows["value"][:] = random.uniform(-1, 1)
        rows["policy"][:] = random.dirichlet(np.ones(size * size)) if number % 4 else 0
        rows["reply"][:] = random.integers(-1, size * size)
        replay.add(rows, size, search_share=0.0)
    return replay


def test_two_processes_take_the_step_of_one_with_the_whole_batch() -> None:
    torch.manual_seed(0)
    net = Residual(TINY).train().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    one = Descent(net, CPU, SETTINGS)
    two = Descent(copy.deepcopy(one.net), CPU, SETTINGS)
    replay, generator = positions(), torch.Generator().manual_seed(1)
    batches = [replay.draw(32, generator) for _ in range(4)]
    for descent in (one, two):  # so that the other process has to be told of an optimiser that remembers
        descent.step(*copy.deepcopy(batches[0]), 1e-2)
    together = Together(two, 2)
    try:
        for rows, rotated in batches[1:]:
            alone, shared = one.step(rows, rotated, 1e-2), together.step(rows, rotated, 1e-2)
            for name, value in alone.items():
                assert shared[name].item() == pytest.approx(value.item(), rel=1e-4), name
            for (name, mine), theirs in zip(one.net.named_parameters(), two.net.parameters(), strict=True):
                assert mine.grad is not None
                assert theirs.grad is not None
                assert torch.allclose(mine.grad, theirs.grad, rtol=1e-3, atol=1e-5), name
            for name, tensor in one.net.state_dict().items():
                assert torch.allclose(tensor, two.net.state_dict()[name], rtol=1e-3, atol=1e-4), name
    finally:
        together.close()


def _learn_until_killed(told: Connection) -> None:
    net = Residual(TINY).train().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    together = Together(Descent(net, CPU, SETTINGS), 2)
    told.send([other.pid for other in multiprocessing.active_children()])
    time.sleep(600)
    together.close()


def test_nobody_stays_when_the_first_is_killed() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    first = context.Process(target=_learn_until_killed, args=(there,))
    first.start()
    try:
        assert here.poll(900)
        (other,) = here.recv()
    finally:
        first.kill()
        first.join()
    deadline = time.monotonic() + 60
    # Who has ended is no longer listed, or as a zombie until somebody asks.
    while subprocess.run(["ps", "-o", "stat=", "-p", str(other)], capture_output=True, text=True).stdout.strip(
        "Z+ls\n "
    ):
        assert time.monotonic() < deadline, "it waits for orders that nobody gives"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("config", "learners", "message"),
    [
        (replace(FAST, batch=17), 2, "batch must be a multiple of the 2 learners, not 17"),
        (
            replace(FAST, sizes=(3,), architecture="convolutional"),
            2,
            "learners must be 1 for a convolutional net, not 2",
        ),
    ],
)
def test_a_division_that_cannot_be_is_refused(tmp_path: Path, config: object, learners: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Trainer(config, None, CPU, spread=Spread(learners=learners))  # type: ignore[arg-type]
