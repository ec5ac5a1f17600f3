"""Stable-Baselines3's MaskablePPO with the settings of ``fingal.learn.ppo``: an independent baseline.

It plays through the Gymnasium environment, one game after the other, against random moves. It sees the boards that our
nets see and learns a feed-forward net of the same shape, which it gives back as one of ours. It needs an extra:
``pip install "fingal[sb3]"``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import nn

from fingal.envs import HexEnv
from fingal.game import WHITE
from fingal.learn.ppo import PPO
from fingal.nets import choice
from fingal.nets.signed_net import Signed

Board = NDArray[np.float32]


class CanonicalHex(gymnasium.Env[Board, np.int64]):
    """One side of a game of Hex, drawn for every game, as our nets see it: the learner joins top and bottom.

    Observation: float32 [n, n], 1 for the learner's stones and -1 for the opponent's. Action: a cell in the same view.
    Reward: 1 for the step that wins, -1 for the one that loses.
    """

    def __init__(self, size: int, opponent: str = "random") -> None:
        """Games of one size against a player, by its text."""
        self._inner = HexEnv(size, opponent, "random")
        self._turned = np.arange(size * size).reshape(size, size).T.ravel()
        self.observation_space = spaces.Box(-1, 1, (size, size), np.float32)
        self.action_space = spaces.Discrete(size * size)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Board, dict[str, Any]]:
        """Start a new game, up to the learner's first move."""
        super().reset(seed=seed)
        seen, _ = self._inner.reset(seed=seed, options=options)
        return self._view(seen), {}

    def step(self, action: np.int64) -> tuple[Board, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play the learner's move and the opponent's answer."""
        cell = int(self._turned[action]) if self._inner.colour is WHITE else int(action)
        seen, reward, over, cut, _ = self._inner.step(cell)
        return self._view(seen), reward, over, cut, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """The empty cells, bool [cells], as MaskablePPO asks for them."""
        legal = self._inner.action_masks()[:-1]
        return legal[self._turned] if self._inner.colour is WHITE else legal

    def close(self) -> None:
        """Close the opponent."""
        self._inner.close()

    def _view(self, seen: NDArray[np.bool_]) -> Board:
        board = seen[..., 0].astype(np.float32) - seen[..., 1]
        return board.T.copy() if self._inner.colour is WHITE else board


def model(config: PPO) -> Any:
    """A MaskablePPO that has learned nothing yet.

    ImportError where Stable-Baselines3 is not installed, ValueError for settings that it has not.
    """
    try:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
    except ImportError:
        raise ImportError("Stable-Baselines3 is missing: pip install 'fingal[sb3]'") from None
    if config.net != "feed-forward":
        raise ValueError(f"net must be feed-forward for Stable-Baselines3, not {config.net}")
    if config.opponent != "random":
        raise ValueError(f"opponent must be random for Stable-Baselines3, not {config.opponent}")
    if not config.longest:
        raise ValueError("longest must be above 0 for Stable-Baselines3")
    made: list[Callable[[], CanonicalHex]] = [lambda: CanonicalHex(config.size)] * config.games
    return MaskablePPO(
        "MlpPolicy",
        DummyVecEnv(made),
        learning_rate=config.learning_rate,
        n_steps=config.steps,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.discount,
        gae_lambda=config.trace,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        max_grad_norm=config.longest,
        policy_kwargs={
            # One trunk for the policy and the value, as ours has it.
            "features_extractor_class": _trunk(),
            "features_extractor_kwargs": {"width": config.width},
            "net_arch": [],
            "ortho_init": False,
            "optimizer_kwargs": {"eps": 1e-8},
        },
        seed=config.seed,
        device="cpu",
    )


def learn(found: Any, config: PPO) -> Signed:
    """Train a ``model`` for as many moves as its settings say, and give its net as one of ours.

    The net's value is not squashed in training and is, by ``tanh``, in ours: its order of positions is the same.
    """
    with warnings.catch_warnings():
        # What other libraries deprecate is not for our users to read.
        warnings.simplefilter("ignore")
        found.learn(config.iterations * config.steps * config.games)
    return net_of(found, config)


def net_of(found: Any, config: PPO) -> Signed:
    """The net that a ``model`` has learned, with head ``policy_value``."""
    net = choice.build("feed-forward", config.size, width=config.width, head="policy_value")
    policy = found.policy
    trunk = {f"layers.{name}": tensor for name, tensor in policy.features_extractor.layers.state_dict().items()}
    ends = {"out": policy.action_net, "value": policy.value_net}
    heads = {f"{end}.{name}": tensor for end, layer in ends.items() for name, tensor in layer.state_dict().items()}
    net.load_state_dict(trunk | heads)
    return net


def _trunk() -> type[Any]:
    """The layers of ``feedforward`` before its ends, as a class that Stable-Baselines3 takes."""
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Trunk(BaseFeaturesExtractor):  # type: ignore[misc]
        """Boards [B, n, n] to features [B, width]."""

        def __init__(self, space: spaces.Box, width: int | None) -> None:
            """Torch's own initial weights."""
            net: Any = choice.build("feed-forward", space.shape[0], width=width)
            super().__init__(space, net.config.hidden[-1])
            self.layers: nn.ModuleList = net.layers

        def forward(self, boards: torch.Tensor) -> torch.Tensor:
            """Through the layers."""
            x = boards.flatten(1)
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x

    return Trunk
