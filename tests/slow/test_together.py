"""A run whose learning is divided between two processes."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from fingal.learn.alphazero import Trainer, train
from fingal.learn.parts.run import Run
from fingal.learn.parts.spread import Spread
from tests.learn.test_alphazero import FAST


def test_a_run_with_two_learners_ends_with_a_net(tmp_path: Path) -> None:
    config = replace(FAST, steps=3)
    run = Run(tmp_path, asdict(config))
    trainer = Trainer(config, run, torch.device("cpu"), spread=Spread(learners=2))
    figures = list(train(trainer))
    run.close()
    assert trainer.progress.steps == 3
    assert np.isfinite(figures[-1]["policy"])
    assert (tmp_path / "checkpoints" / "net-0000003.safetensors").exists()
