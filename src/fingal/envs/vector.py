"""Many games at once, stepped by the core: the form for self-play learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from fingal import _core
from fingal.envs.observation import PLANES, Size, plane_space, sides
from fingal.search.evaluator import Positions


class HexVectorEnv(VectorEnv[NDArray[np.bool_], NDArray[np.int32], NDArray[Any]]):
    """n games of Hex in which every step is one ply, by the side to move of each game.

    Observation: bool [n, height, width, 4] in the view of the side to move: its own stones, the other side's, whether
    White is to move, whether swapping is possible. ``info["action_mask"]``: bool [n, cells + 1].

    Action: int [n]: a cell, row by row from the top-left corner, or ``width * height`` for swap-pieces. When one is
    illegal, ValueError says which, and no game is stepped.

    Reward: float32 [n] in the view of the side that has just played: 1 when its move won, otherwise 0 (nobody loses by
    moving). Termination: bool [n]. There is no truncation.

    A game that ends starts again in the same step (``AutoresetMode.SAME_STEP``): the observation returned with its
    termination is the new game's. Final positions are not kept: their value is known, nothing is left to bootstrap.

    Arrays are new with every call; with ``copy=False`` they are the same ones, overwritten by the next call.
    With the same seed and actions everything is the same, whatever the number of threads.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as Gymnasium declares it)
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(
        self, num_envs: int = 1024, size: Size = 11, *, swap: bool = False, threads: int = 1, copy: bool = True
    ) -> None:
        """Start ``num_envs`` games of one size: a side's length, or (width, height); ``swap`` allows swap-pieces."""
        width, height = sides(size)
        self._batch = _core.Batch(width, height, num_envs, swap, threads)
        self._copy = copy
        self.num_envs = num_envs
        self.width, self.height, self.cells = width, height, width * height
        self.single_observation_space = plane_space(size)
        self.single_action_space = spaces.Discrete(self.cells + 1)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._make_arrays()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        """Start every game anew; the seed is for ``sample``."""
        if options and "reset_mask" in options:
            raise ValueError("reset_mask is not possible: games start again by themselves when they end")
        super().reset(seed=seed)
        self._batch.reset()
        return self._observe()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play actions [n], one in each game: observations, rewards, terminations, truncations (all False), info."""
        chosen = self._actions(actions)
        if self._copy:
            self._make_arrays()
        self._batch.step(chosen, self._reward, self._over)
        observation, info = self._observe(renew=False)
        return observation, self._reward, self._over, self._never, info

    def sample(self) -> NDArray[np.int32]:
        """A uniformly random legal action for every game, int32 [n]; swap-pieces counts as one action."""
        action = np.empty(self.num_envs, np.int32)
        self._batch.random_actions(int(self.np_random.integers(2**64, dtype=np.uint64)), action)
        return action

    def positions(self) -> Positions:
        """Every game's position, packed as the core's evaluators take them."""
        found = Positions(
            self.width,
            self.height,
            np.empty((2, self.num_envs, self._batch.words), np.uint64),
            np.empty(self.num_envs, np.bool_),
            np.empty(self.num_envs, np.int32),
        )
        self._batch.pack(found.stones, found.white_to_move, found.last)
        return found

    def load(self, positions: Positions) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        """Go on from other positions, one for each game: their observations and info, as from ``reset``.

        Stones and side to move are taken over. A loaded position has no last action, and no swap follows it; the games
        that come after it are ordinary ones. ValueError, and nothing changed, when one is not a game in progress.
        """
        if (positions.width, positions.height) != (self.width, self.height):
            given, own = f"{positions.width}x{positions.height}", f"{self.width}x{self.height}"
            raise ValueError(f"the positions are of {given}, these games are of {own}")
        stones = np.ascontiguousarray(positions.stones)
        white_to_move = np.ascontiguousarray(positions.white_to_move)
        expected = (2, self.num_envs, self._batch.words)
        if stones.dtype != np.uint64 or stones.shape != expected:
            raise ValueError(f"stones are {stones.dtype} {list(stones.shape)}, expected uint64 {list(expected)}")
        if white_to_move.dtype != np.bool_ or white_to_move.shape != (self.num_envs,):
            raise ValueError(
                f"white_to_move is {white_to_move.dtype} {list(white_to_move.shape)}, expected bool [{self.num_envs}]"
            )
        self._batch.unpack(stones, white_to_move)
        return self._observe()

    def _observe(self, renew: bool = True) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        if renew and self._copy:
            self._make_arrays()
        self._batch.observe(self._planes, self._legal)
        return self._planes, {"action_mask": self._legal}

    def _make_arrays(self) -> None:
        self._planes = np.empty((self.num_envs, self.height, self.width, PLANES), np.bool_)
        self._legal = np.empty((self.num_envs, self.cells + 1), np.bool_)
        self._reward = np.empty(self.num_envs, np.float32)
        self._over = np.empty(self.num_envs, np.bool_)
        self._never = np.zeros(self.num_envs, np.bool_)

    def _actions(self, actions: ArrayLike) -> NDArray[np.int32]:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions are {given.dtype} {list(given.shape)}, expected integers [{self.num_envs}]")
        chosen = np.ascontiguousarray(given, np.int32)
        # A wider integer may wrap around into a legal action.
        if chosen.dtype != given.dtype and not np.array_equal(chosen, given):
            raise ValueError(f"actions run from 0 to {self.cells}: some of these are far out of range")
        return chosen
