"""What the settings that every kind takes do to a player: random moves mixed in, a limit of its own, no trust."""

from __future__ import annotations

import random

from fingal.game import Record
from fingal.players.player import (
    NO_LIMIT,
    Interruptible,
    Judging,
    Limit,
    Player,
    Remarking,
    check_size,
    is_careless,
    judgement,
    open_board,
)


class Adjusted:
    """A player that makes a random move now and then, or has a limit of its own, which only a clock makes shorter."""

    def __init__(
        self,
        player: Player,
        *,
        limit: Limit | None = None,
        epsilon: float = 0.0,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> None:
        """Wrap a player; ``epsilon`` is the probability of a uniformly random legal move instead of its own.

        With ``temperature`` the player itself draws its moves.
        """
        self.name = player.name
        self.player = player
        self.limit = limit
        self.epsilon = epsilon
        self.careless = epsilon > 0 or temperature > 0 or is_careless(player)
        self.value: float | None = None
        """What the player thought of the last position; None where the move was a random one."""
        # The kind may draw from the same seed: a text in it keeps the two streams apart.
        self._random = random.Random(None if seed is None else f"epsilon {seed}")

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """A random move with probability epsilon, else the player's."""
        self.value = None
        if self.epsilon > 0:
            board = open_board(record)
            if self._random.random() < self.epsilon:
                return self._random.choice(board.legal_moves)
        move = self.player.choose(record, self._within(limit))
        self.value = judgement(self.player)
        return move

    def _within(self, limit: Limit) -> Limit:
        """The player's own limit, and under a clock no more than that allows."""
        own = self.limit
        if own is None or limit.clock is None:
            return limit if own is None else own
        seconds = [each for each in (own.seconds, limit.seconds) if each is not None]
        return Limit(own.simulations, min(seconds, default=None), own.nodes, limit.clock, limit.moves)

    @property
    def remark(self) -> str:
        """What the player says of its last move."""
        return self.player.remark if isinstance(self.player, Remarking) else ""

    def interrupt(self) -> None:
        """Pass the interrupt on, if the player knows what to do with it."""
        if isinstance(self.player, Interruptible):
            self.player.interrupt()

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError for a board that the player does not play on."""
        check_size(self.player, width, height)

    def close(self) -> None:
        """Close the player."""
        self.player.close()


def has_values(player: Player) -> bool:
    """Whether a player can say what it thinks of a position, whatever stands around it."""
    while isinstance(player, Adjusted):
        player = player.player
    return isinstance(player, Judging)
