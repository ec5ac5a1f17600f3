"""The learner of the recipe keeps the contract that the recipe states."""

import importlib.util
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import pytest
import torch

from fingal.learn import command
from fingal.learn.parts.run import Run
from fingal.players import spec

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "my_learner.py"


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as if it had been copied into ``fingal.learn``, with its line in the table of learners."""
    found = importlib.util.spec_from_file_location("fingal.learn.my_learner", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "fingal.learn.my_learner", module)
    found.loader.exec_module(module)
    monkeypatch.setitem(command.LEARNERS, "my_learner", command.Learner("MyLearner", "rounds"))
    monkeypatch.setattr(command, "ALGORITHMS", (*command.ALGORITHMS, "my_learner"))
    return module


def test_it_is_trained_by_the_command_and_its_net_plays(
    learner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(["my_learner", "--preset", "quick", "--games", "16", "--run", str(tmp_path / "run")])
    net = capsys.readouterr().out.strip()
    assert Path(net) == tmp_path / "run" / "checkpoints" / "latest.safetensors"
    spec.make(f"net:{net}").close()


def test_a_run_goes_on_as_if_it_had_not_stopped(learner: ModuleType, tmp_path: Path) -> None:
    config = replace(learner.PRESETS["quick"], games=16)

    def trained(folder: Path, stops: bool) -> torch.nn.Module:
        run = Run(folder, asdict(config))
        rows = learner.train(trainer := learner.Trainer(config, run, torch.device("cpu")))
        next(rows)
        if stops:
            run.close()
            run = Run(folder, asdict(config))
            rows = learner.train(trainer := learner.Trainer(config, run, torch.device("cpu")))
        list(rows)
        run.close()
        net: torch.nn.Module = trainer.net
        return net

    whole, stopped = trained(tmp_path / "whole", False), trained(tmp_path / "stopped", True)
    for one, other in zip(whole.parameters(), stopped.parameters(), strict=True):
        assert torch.equal(one, other)
