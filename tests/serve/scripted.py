"""Players that do as a test tells them."""

import threading

from fingal.game import SWAP, Record
from fingal.players.player import NO_LIMIT, Limit, PlayerError, open_board


class First:
    """Swaps if it can, else plays the first empty cell; remembers the limits it was given."""

    def __init__(self) -> None:
        self.name = "first"
        self.limits: list[Limit] = []

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        self.limits.append(limit)
        board = open_board(record)
        return SWAP if board.can_swap else board.empty_cells[0]

    def close(self) -> None:
        pass


class Answers(First):
    """Gives one answer, whatever it is, or raises it."""

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.name = "oracle"
        self.answer = answer

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        if isinstance(self.answer, Exception):
            # A new one: an exception keeps the frames it has passed through, and with them this board, for ever.
            raise type(self.answer)(*self.answer.args)
        return self.answer  # type: ignore[return-value]


class Ponders(First):
    """Thinks until it is interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.thinking = threading.Event()
        self._stop = threading.Event()

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        self.thinking.set()
        if not self._stop.wait(30):
            raise PlayerError("nobody has interrupted the search")
        self._stop.clear()
        self.thinking.clear()
        return super().choose(record, limit)

    def interrupt(self) -> None:
        self._stop.set()
