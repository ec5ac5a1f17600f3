"""What passes between who plays and who learns: games one way, weights the other. Plain arrays, no tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from fingal.learn.parts.selfplay import Game
from fingal.nets import choice
from fingal.nets.residual import Config, Residual
from fingal.nets.ringed import Ringed


class Tally(NamedTuple):
    """What an actor has done since it began: a later one takes an earlier one's place."""

    judgements: int = 0
    resignations: int = 0
    """Games in which somebody would have resigned, had it not been forbidden there."""
    wrong: int = 0
    """Those of them that he won."""


@dataclass(frozen=True)
class Delivery:
    """Finished games of one pool, with the positions to learn from. ``actor``, ``pool`` and a game's id name it."""

    actor: str
    """Who played: no other has this name, not even one that is started in its place."""
    pool: int
    """Which of the actor's pools."""
    slots: int
    """How many games the pool plays at once."""
    size: int
    """The board's side."""
    games: list[Game]
    began: NDArray[np.int64]
    """[games]: the version of the weights that a game began with."""
    samples: dict[str, NDArray[Any]]
    """What the pool's ``drain`` gave, policies as float16; ``game`` says whose a position is."""
    tally: Tally

    def only(self, new: NDArray[np.bool_]) -> Delivery:
        """Those of the games, with their positions. The arrays are copies."""
        games = [game for game, wanted in zip(self.games, new, strict=True) if wanted]
        rows = np.isin(self.samples["game"], [game[0] for game in games])
        samples = {name: array[rows] for name, array in self.samples.items()}
        return replace(self, games=games, began=self.began[new], samples=samples)


Net = Residual | Ringed

Newest = Callable[[], tuple[int, Net]]
"""Gives the net that should play now and its version: how many steps of learning made it."""


class Weights(NamedTuple):
    """A net on its way to somebody who plays."""

    version: int
    config: Config | choice.Config
    arrays: dict[str, NDArray[Any]]


def packed(version: int, net: Net) -> Weights:
    """A net, to be sent."""
    return Weights(version, net.config, {name: tensor.cpu().numpy() for name, tensor in net.state_dict().items()})


def unpacked(weights: Weights, device: torch.device) -> Net:
    """The net that was sent, to play."""
    with torch.random.fork_rng(devices=[]):
        config = weights.config
        net = Residual(config) if isinstance(config, Config) else Ringed(choice.of(config))
    net.load_state_dict({name: torch.tensor(array) for name, array in weights.arrays.items()})
    return net.eval().requires_grad_(False).to(device)
