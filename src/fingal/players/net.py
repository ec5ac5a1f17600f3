"""The move that a net likes best, by its policy or by its values of the moves, with no search."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fingal.game import SWAP, Record
from fingal.players.player import NO_LIMIT, Limit, open_board
from fingal.ranges import MOST_THREADS, check_range
from fingal.search.evaluator import Evaluator, Remembering, check_size


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``net:``."""

    net: str
    """The net: a name that comes with Fingal, or a file (.onnx or .safetensors)."""
    temperature: float = 0.0
    """0 plays the best move; more draws from the policy, the flatter the higher."""
    average: bool = False
    """Whether the net is asked twice, the second time about the board turned by 180 degrees."""
    threads: int = 1
    """Threads of the CPU that share the net's work."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net runs; auto takes a GPU when there is one."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""

    def __post_init__(self) -> None:
        """Reject threads that no machine has."""
        check_range(self, 1, MOST_THREADS, "threads")


class NetPlayer:
    """Plays a policy. It swaps when the net's value is below even, and opens evenly where it may be swapped.

    A net that remembers is shown the record's boards one after the other.
    """

    def __init__(
        self, evaluator: Evaluator, temperature: float = 0.0, seed: int | None = None, name: str = "net"
    ) -> None:
        """Play what an evaluator says."""
        self.name = name
        self.value: float | None = None
        """What the net thought of the last position."""
        self._evaluator = evaluator
        self._temperature = temperature
        self._random = random.Random(seed)

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        """The policy's best legal move, or one drawn from it."""
        from fingal.nets.agreement import legal_logits
        from fingal.nets.planes import positions_of
        from fingal.players.searching import draw, even_opening, may_be_swapped, values_after

        board = open_board(record)
        self.value = None
        if may_be_swapped(board):
            return even_opening(values_after(self._evaluator, board), self._temperature, self._random)
        positions = positions_of([board])
        if isinstance(self._evaluator, Remembering):
            said = self._evaluator.along(positions_of([record.board(node) for node in record.main_line]))
        else:
            said = self._evaluator(positions)
        self.value = float(said.value[0])
        # Mirrored, the position is the opponent's: a swap makes of a value its negative.
        if board.can_swap and said.value[0] < 0:
            return SWAP
        logits = legal_logits(said, positions)[0].astype(np.float64)
        if self._temperature <= 0:
            return int(logits.argmax())
        return draw(logits, self._temperature, self._random)

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError for a board that the net does not evaluate."""
        check_size(self._evaluator, width, height)

    def close(self) -> None:
        """Nothing to let go of."""


def make(settings: Settings) -> NetPlayer:
    """A player as the settings say; ValueError, with one sentence, when there is no such net."""
    from fingal.nets.inference import open_evaluator

    evaluator = open_evaluator(settings.net, device=settings.device, threads=settings.threads, average=settings.average)
    return NetPlayer(evaluator, settings.temperature, settings.seed)
