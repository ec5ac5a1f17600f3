"""Players that do as they are told."""

from collections.abc import Callable

from fingal import Record
from fingal.players.player import NO_LIMIT, Limit


class Scripted:
    """Plays the moves it was given, in every game from the start; keeps count of what it is asked."""

    def __init__(self, *moves: int) -> None:
        self.name = "scripted"
        self.moves = moves
        self.asked: list[Limit] = []
        self.seeds: list[int] = []
        self.closed = 0

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        self.asked.append(limit)
        colour = record.board().turn
        return self.moves[sum(mover is colour for mover, _ in record.moves)]

    def seed(self, seed: int) -> None:
        self.seeds.append(seed)

    def close(self) -> None:
        self.closed += 1


class Failing:
    """Does something else than to choose."""

    def __init__(self, act: Callable[[], int]) -> None:
        self.name = "failing"
        self.act = act

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        return self.act()

    def close(self) -> None:
        pass
