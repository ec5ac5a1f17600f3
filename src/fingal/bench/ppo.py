"""Own moves a second of PPO beside Stable-Baselines3's, at equal settings on the CPU: 5x5, against random moves.

Both have the same number of games and moves, the same net, batches and epochs, and the threads that torch is set to.
Rollouts play only; training plays and learns.
"""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import torch

from fingal.bench.neurohex import rate
from fingal.learn.parts.run import Run
from fingal.learn.ppo import PPO, Trainer

CONFIG = PPO(size=5, net="feed-forward", opponent="random", exam_iterations=0)
"""The default settings, with the net and the opponent that Stable-Baselines3 can have too."""


def measure(seconds: float = 2.0, config: PPO = CONFIG) -> dict[str, float | str | None]:
    """Moves a second of both; None for Stable-Baselines3 where it is not installed."""
    playing, learning = _ours(seconds, config)
    their_playing: float | None = None
    their_learning: float | None = None
    with contextlib.suppress(ImportError):
        their_playing, their_learning = _theirs(seconds, config)
    return {
        "ppo_env_steps_per_s": playing,
        "sb3_ppo_env_steps_per_s": their_playing,
        "ppo_ratio": playing / their_playing if their_playing else None,
        "ppo_train_steps_per_s": learning,
        "sb3_ppo_train_steps_per_s": their_learning,
        "ppo_train_ratio": learning / their_learning if their_learning else None,
        "ppo_games": config.games,
        "ppo_board": f"{config.size}x{config.size}",
    }


def _ours(seconds: float, config: PPO) -> tuple[float, float]:
    moves = config.games * config.steps
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", asdict(config))
        trainer = Trainer(replace(config, exam_iterations=0), run, torch.device("cpu"))

        def play() -> int:
            trainer.play()
            return moves

        def both() -> int:
            trainer.iteration()
            return moves

        found = rate(play, seconds, warm_up=2), rate(both, seconds, warm_up=1)
        run.close()
    return found


def _theirs(seconds: float, config: PPO) -> tuple[float, float]:
    # It needs Gymnasium, which not everyone has who learns.
    from fingal.learn import sb3_ppo

    moves, model = config.games * config.steps, sb3_ppo.model(config)
    _, callback = model._setup_learn(1)

    def play() -> int:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, config.steps, use_masking=True)
        return moves

    def both() -> int:
        play()
        model.train()
        return moves

    return rate(play, seconds, warm_up=1), rate(both, seconds, warm_up=1)
