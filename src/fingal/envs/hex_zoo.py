"""Both sides of a game as a PettingZoo environment: agents "black" and "white" in turn.

>>> from fingal.envs import hex_zoo
>>> env = hex_zoo.env(size=5)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

from fingal.envs.observation import Size, action_mask, move_of, plane_space, planes, sides
from fingal.envs.render import MODES, check_mode, render
from fingal.game import Board, Colour

Observation: TypeAlias = dict[str, NDArray[Any]]
Env: TypeAlias = "AECEnv[str, Observation, int | None]"


def env(size: Size = 11, swap: bool = False, render_mode: str | None = None) -> Env:
    """The environment with PettingZoo's usual guards: misuse is explained, and an illegal action ends the game.

    The agent that played it gets -1, the other 0.
    """
    guarded: Env = raw_env(size, swap, render_mode)
    guarded = wrappers.TerminateIllegalWrapper(guarded, illegal_reward=-1)
    guarded = wrappers.AssertOutOfBoundsWrapper(guarded)
    return wrappers.OrderEnforcingWrapper(guarded)


class raw_env(AECEnv[str, Observation, int | None], EzPickle):  # type: ignore[misc]  # PettingZoo has no types
    """Hex without guards: an illegal action is a ValueError, and nothing is changed.

    Observation, in the agent's own view: {"observation": bool [height, width, 4]: its own stones, the other side's,
    whether the agent is White, whether swapping is possible now; "action_mask": int8 [cells + 1], all 0 for the agent
    that is not to move}.

    Action: a cell, row by row from the top-left corner, or ``width * height`` for swap-pieces.

    Rewards: 1 for the winner and -1 for the loser at the end, otherwise 0. There is no truncation.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as PettingZoo declares it)
        "name": "hex_v0",
        "render_modes": list(MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, size: Size = 11, swap: bool = False, render_mode: str | None = None) -> None:
        """Set up games of one size: a side's length, or (width, height); ``swap`` allows swap-pieces."""
        EzPickle.__init__(self, size, swap, render_mode)
        super().__init__()
        check_mode(render_mode)
        width, height = sides(size)
        self._start = Board(width, height, swap=swap)
        self.board = self._start.copy()
        self.render_mode = render_mode
        self.possible_agents = [str(colour) for colour in Colour]
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": plane_space(size), "action_mask": spaces.Box(0, 1, (self.board.cells + 1,), np.int8)}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.board.cells + 1) for agent in self.possible_agents}
        self.reset()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for both agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. Nothing in it is random: the seed changes nothing, and there are no options."""
        self.board = self._start.copy()
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Observation:
        """What an agent sees, whether it is to move or not."""
        to_move = agent == self.agent_selection and not self.board.is_over()
        mask = action_mask(self.board) if to_move else np.zeros(self.board.cells + 1, np.int8)
        return {"observation": planes(self.board, Colour[agent.upper()]), "action_mask": mask}

    def state(self) -> NDArray[np.bool_]:
        """The whole board in the view of the side to move, bool [height, width, 4]."""
        return planes(self.board, self.board.turn)

    def step(self, action: int | None) -> None:
        """Play a move for ``agent_selection``, or, after the end, take the agent off with None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to move: None is only possible after the end of the game")
        self.board.push(move_of(int(action), self.board.cells))
        self._cumulative_rewards[agent] = 0.0
        winner = self.board.winner
        if winner is not None:
            self.rewards = {str(winner): 1.0, str(winner.other): -1.0}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = str(self.board.turn)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text ("ansi"; "human" prints it), or as RGB, uint8 [rows, columns, 3] ("rgb_array")."""
        return render(self.board, self.render_mode)

    def close(self) -> None:
        """Nothing to let go of."""
