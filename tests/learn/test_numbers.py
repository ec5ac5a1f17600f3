"""Whole numbers beyond 64 bits, or beyond the core's 32, in the settings of every learner: one sentence by name."""

import dataclasses
import importlib
from pathlib import Path

import pytest

from fingal.learn import command, stacked_command
from tests.conftest import Run

CONFIGS = {name: (name, learner.config) for name, learner in command.LEARNERS.items()}
CONFIGS |= {name: (learner.module, learner.config) for name, learner in stacked_command.LEARNERS.items()}


def whole_numbers(name: str) -> list[str]:
    module, config = CONFIGS[name]
    known = dataclasses.fields(getattr(importlib.import_module(f"fingal.learn.{module}"), config))
    return [field.name for field in known if type(field.default) is int]


@pytest.mark.parametrize("name", ["alphazero", "dqn", "ppo", "sac", "neurohex", "reinforce", "sarsa", "actor-critic"])
@pytest.mark.parametrize("number", [2**64, -(2**64), 10**400], ids=["2^64", "-2^64", "10^400"])
def test_whole_numbers_beyond_64_bits_are_rejected_by_name(fingal: Run, name: str, number: int) -> None:
    for setting in whole_numbers(name):
        ran = fingal("train", name, "--run", "run", f"--{setting.replace('_', '-')}", number)
        about = f"{name} {setting}: {ran.err[-300:]}"
        assert ran.status == 2, about
        if "For full helptext" not in ran.err:
            assert ran.err.count("\n") == 1, about
            assert setting in ran.err or "has no effect" in ran.err, about
    assert not Path("run").exists(), "nothing is begun"


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        *(("alphazero", setting) for setting in ("full_simulations", "cheap_simulations", "considered")),
        *((name, "games") for name in ("alphazero", "ppo", "sac")),
    ],
)
def test_numbers_beyond_what_the_core_holds_are_rejected_by_name(fingal: Run, name: str, setting: str) -> None:
    ran = fingal("train", name, "--run", "run", f"--{setting.replace('_', '-')}", 2**31)
    assert ran.status == 2
    assert f"{setting} must be at most " in ran.err
    assert not Path("run").exists()


def test_too_little_memory_is_said_in_one_sentence(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: list[str]) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 19791209299968 bytes")

    monkeypatch.setattr(command, "main", full)
    ran = fingal("train", "dqn")
    assert ran.status == 2
    assert ran.err.startswith("fingal: there is not enough memory: smaller numbers ")
    assert ran.err.count("\n") == 1
