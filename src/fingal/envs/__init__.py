"""Hex as a learning environment: one side of a game, both sides, or thousands of games at once.

Importing this package registers two ids with Gymnasium:

- ``gymnasium.make("fingal/Hex-v0")``: one side against any player (``hex_gym``);
- ``gymnasium.make_vec("fingal/HexSelfPlay-v0", num_envs=1024)``: many games, every step one ply by the side to move
  (``vector``).

``gymnasium.make("fingal.envs:fingal/Hex-v0")`` imports it by itself. The PettingZoo form is ``fingal.envs.hex_zoo``.
All of them number actions alike: cells row by row from the top-left corner, then one more, ``width * height``, for
swap-pieces. All of them show the board as ``fingal.envs.observation`` says.
"""

import gymnasium

from fingal.envs.hex_gym import HexEnv
from fingal.envs.vector import HexVectorEnv

__all__ = ["HexEnv", "HexVectorEnv"]

gymnasium.register("fingal/Hex-v0", entry_point="fingal.envs.hex_gym:HexEnv")
gymnasium.register("fingal/HexSelfPlay-v0", vector_entry_point="fingal.envs.vector:HexVectorEnv")
