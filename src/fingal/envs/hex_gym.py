"""One side of a game as a Gymnasium environment: the opponent is any player and answers inside ``step``."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from fingal.envs.observation import Size, action_mask, move_of, plane_space, planes, sides
from fingal.envs.render import MODES, check_mode, render
from fingal.game import BLACK, RESIGN, SWAP, WHITE, Board, Colour, Record, Special
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError

Side = Literal["black", "white", "random"]
Illegal = Literal["lose", "raise"]


@runtime_checkable
class Seedable(Protocol):
    """A player handed in whose random numbers can be started again."""

    def seed(self, seed: int) -> None:
        """From here on, play as a new player with this seed would."""
        ...


class HexEnv(gymnasium.Env[NDArray[np.bool_], np.int64]):
    """Hex against a player; ``gymnasium.make("fingal/Hex-v0", size=11, opponent="random")``.

    Observation: bool [height, width, 4] in the learner's view: its own stones, the opponent's, whether the learner is
    White, whether swapping is possible now. Every observation but the last of a game is one where the learner moves.

    Action: a cell, row by row from the top-left corner, or ``width * height`` for swap-pieces.
    ``info["action_mask"]`` (int8 [cells + 1]) and ``action_masks()`` say which are legal.

    Reward, in the learner's view: 1 for the step that wins the game, -1 for the one that loses it, otherwise 0. A game
    always ends with a winner: ``terminated`` is how, ``truncated`` never happens.

    An illegal action loses the game: reward -1, ``terminated``, ``info["illegal"]`` is True, the board stays. (Learners
    that sample without the mask get an answer they can learn from; Gymnasium's own checker samples so.) With
    ``illegal="raise"`` it is a ValueError, and nothing is changed. An action outside the action space is always one.

    A game that is over before the learner's first move (the opponent wins 1x1, or resigns at once) has no legal action:
    the first step, whatever its action, gives the reward and the end.

    ``reset(seed=...)`` makes everything that follows reproducible: the side drawn, and the opponent. One named by a
    text is made anew, with the text's own ``seed=`` or one that follows from the reset's; one that is handed in is told
    by its ``seed`` method, if it has any.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        size: Size = 11,
        opponent: str | Player = "random",
        colour: Side = "black",
        swap: bool = False,
        illegal: Illegal = "lose",
        limit: Limit = NO_LIMIT,
        render_mode: str | None = None,
    ) -> None:
        """Set up games of one size.

        ``size``: a side's length, or (width, height).
        ``opponent``: a player's text ("uct:sims=100"), or a player; one that is handed in is not closed by ``close``.
        ``colour``: the learner's; "random" draws it anew for every game.
        ``swap``: whether White may answer the first move with swap-pieces (square boards only).
        ``limit``: what one of the opponent's moves may cost.
        """
        for name, value, known in (
            ("colour", colour, get_args(Side)),
            ("illegal", illegal, get_args(Illegal)),
        ):
            if value not in known:
                raise ValueError(f"{name}={value!r} is not possible: it is one of {', '.join(map(repr, known))}")
        check_mode(render_mode)
        width, height = sides(size)
        self._start = Board(width, height, swap=swap)
        self._board = self._start.copy()
        self._record = Record(width, height, swap)
        self._learner = WHITE if colour == "white" else BLACK
        self._playing = self._in_game = self._closed = False
        self._colour, self._illegal, self._limit = colour, illegal, limit
        self._text = opponent if isinstance(opponent, str) else None
        self._opponent = _named(opponent) if isinstance(opponent, str) else opponent
        self.render_mode = render_mode
        self.observation_space = plane_space(size)
        self.action_space = spaces.Discrete(self._start.cells + 1)

    @property
    def board(self) -> Board:
        """A copy of the board."""
        return self._board.copy()

    @property
    def record(self) -> Record:
        """The game so far; to be read only."""
        return self._record

    @property
    def colour(self) -> Colour:
        """The learner's side in this game."""
        return self._learner

    @property
    def opponent(self) -> Player:
        """Who answers."""
        return self._opponent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        """Start a new game, up to the learner's first move. There are no options."""
        super().reset(seed=seed)
        if self._colour == "random":
            self._learner = Colour(int(self.np_random.integers(2)))
        if seed is not None:
            self._seed_opponent(int(self.np_random.integers(2**31)))
        self._board = self._start.copy()
        self._record = Record(self._board.width, self._board.height, self._board.swap)
        self._record.players = {self._learner: "learner", self._learner.other: self._opponent.name}
        self._playing = True
        self._in_game = False  # until the opponent has answered: when it fails, only a reset helps
        if self._board.turn is not self._learner:
            self._answer()
        self._in_game = True
        self._show()
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.bool_], float, bool, bool, dict[str, Any]]:
        """Play the learner's move and the opponent's answer."""
        if not self._in_game:
            raise ValueError("no game is in progress: call reset first")
        move = move_of(int(action), self._board.cells)
        legal = self._board.is_legal(move)
        if self._playing and not legal and self._illegal == "raise":
            raise ValueError(f"action {action} is illegal: {self._why_not(move)}")
        info: dict[str, Any] = {}
        self._in_game = False
        if self._playing and legal:
            self._play(move)
            if self._playing:
                self._answer()
        elif self._playing:
            self._record.push(self._learner, Special.FORFEIT)
            self._playing = False
            info["illegal"] = True
        self._in_game = self._playing
        self._show()
        winner = None if self._playing else self._record.winner()
        reward = 0.0 if winner is None else 1.0 if winner is self._learner else -1.0
        return self._observation(), reward, not self._playing, False, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, bool [cells + 1]: the name and form that sb3-contrib's MaskablePPO asks for."""
        return self._mask().astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text ("ansi"; "human" prints it) or as RGB, uint8 [rows, columns, 3] ("rgb_array")."""
        return render(self._board, self.render_mode)

    def close(self) -> None:
        """Close the opponent, where this environment made it; a second call does nothing."""
        if self._text is not None and not self._closed:
            self._opponent.close()
        self._closed = True
        self._playing = self._in_game = False

    def _seed_opponent(self, seed: int) -> None:
        if self._text is not None:
            anew = _named(self._text, seed)
            anew.name = self._opponent.name
            self._opponent.close()
            self._opponent = anew
        elif isinstance(self._opponent, Seedable):
            self._opponent.seed(seed)

    def _answer(self) -> None:
        mover = self._board.turn
        move = self._opponent.choose(self._record, self._limit)
        if move == RESIGN:
            self._record.push(mover, RESIGN)
            self._playing = False
        elif self._board.is_legal(move):
            self._play(move)
        else:
            raise PlayerError(f"{self._opponent.name} answered with {move}, which is no legal move")

    def _play(self, move: int) -> None:
        self._record.push(self._board.turn, move)
        self._board.push(move)
        self._playing = not self._board.is_over()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _observation(self) -> NDArray[np.bool_]:
        return planes(self._board, self._learner)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def _mask(self) -> NDArray[np.int8]:
        return action_mask(self._board) if self._playing else np.zeros(self._board.cells + 1, np.int8)

    def _why_not(self, move: int) -> str:
        if move == SWAP:
            return "swap-pieces is only possible as White's first move, where the rule is on"
        return f"cell {self._board.name(move)} is occupied"


def _named(text: str, seed: int | None = None) -> Player:
    """The player that a text names, with a seed unless the text has its own."""
    # Late, so that an environment whose opponent is handed in loads no kinds of player.
    from fingal.players import spec

    parsed = spec.parse(text)
    if seed is not None:
        parsed = dataclasses.replace(parsed, settings={"seed": str(seed), **parsed.settings})
    return spec.make(str(parsed))
