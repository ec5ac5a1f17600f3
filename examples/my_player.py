"""Plays near the last stone, and near the centre at the start.

A player of one's own in one file: save it as ``src/fingal/players/my_player.py`` and ``my-player:reach=2`` names it
everywhere, from ``fingal match`` to HexGui. It also runs from here: ``python examples/my_player.py``.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

from fingal.game import Board, Record
from fingal.players.player import NO_LIMIT, Limit, open_board


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``my-player:``."""

    reach: int = 1
    """How many steps from the last stone it looks for a cell."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""

    def __post_init__(self) -> None:
        """Refuse a reach that leads nowhere."""
        if self.reach < 1:
            raise ValueError(f"reach={self.reach} is not possible: it must be 1 or more")


class MyPlayer:
    """Stays close to the last stone."""

    def __init__(self, settings: Settings) -> None:
        """Play as the settings say."""
        self.name = "my-player"
        self._settings = settings
        self._random = random.Random(settings.seed)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """An empty cell near the last stone, if there is one."""
        board = open_board(record)
        near = [cell for cell in self._around(board) if board.is_legal(cell)]
        return self._random.choice(near or board.legal_moves)

    def close(self) -> None:
        """Nothing to let go of."""

    def _around(self, board: Board) -> list[int]:
        """The cells within reach of the last stone, or of the centre when there is none."""
        cells = [move for move in board.moves if move >= 0]
        found = {cells[-1] if cells else board.cells // 2}
        for _ in range(self._settings.reach):
            found |= {neighbour for cell in found for neighbour in board.neighbours(cell)}
        return sorted(found)


def make(settings: Settings) -> MyPlayer:
    """A player as the settings say."""
    return MyPlayer(settings)


def main() -> None:
    """Check the player, then let it play a game."""
    from fingal.arena.play import play_game
    from fingal.players import spec
    from fingal.testing import check_player

    check_player(MyPlayer(Settings(reach=2)))
    print("my-player keeps the contract of a player.")

    # What spec.make("my-player:reach=2") does once the file is in its place.
    player = spec.build(spec.parse("my-player:reach=2,seed=1"), spec.kind_of(sys.modules[__name__]))
    record, _ = play_game([player, spec.make("random:seed=1")], Record(7, 7))
    print(record.board())
    print(f"{record.players[record.board().turn.other]} made the last move: {record.result}")


if __name__ == "__main__":
    main()
