"""Settings that every tree search with a net has. Kept apart from the search, which takes longer to import."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fingal.ranges import MOST_BATCH, MOST_INT, MOST_THREADS, check_range

if TYPE_CHECKING:
    from fingal.players.player import Player
    from fingal.search import tree


@dataclass(frozen=True)
class NetSearchSettings:
    """What a text may say of a tree search with a net, whatever guides it."""

    net: str
    """The net: a name that comes with Fingal, or a file (.onnx or .safetensors)."""
    sims: int = 400
    """Simulations a move, on top of what is known from the moves before."""
    time: float | None = None
    """Seconds a move."""
    nodes: int | None = None
    """Positions a move that the tree grows by."""
    batch: int = 8
    """Positions that the net judges at once: 1 searches best, more are faster."""
    connections: int = 0
    """Visits after which a position is asked for its virtual connections: they prove it or rule moves out; 0: never."""
    temperature: float = 0.0
    """0 plays the best move; more draws by visits, the flatter the higher."""
    resign: float | None = None
    """Give up when the value, from -1 to 1, is below this; never, if not given."""
    average: bool = False
    """Whether the net is asked twice, the second time about the board turned by 180 degrees."""
    threads: int = 1
    """Threads of the CPU that search one tree together; with one, the same seed gives the same moves."""
    ponder: bool = False
    """Whether it goes on thinking, as an engine over HTP, while the opponent does."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net runs; auto takes a GPU when there is one."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""

    def __post_init__(self) -> None:
        """Reject numbers that the core does not hold."""
        check_range(self, 1, MOST_BATCH, "batch")
        check_range(self, 0, MOST_INT, "connections")
        check_range(self, 1, MOST_THREADS, "threads")

    def player(self, name: str, how: tree.Settings) -> Player:
        """A player that searches so; ValueError, with one sentence, when there is no such net."""
        from fingal.nets.inference import open_evaluator
        from fingal.players.searching import Manner, SearchPlayer, limit_of
        from fingal.search.evaluator import is_concurrent

        manner = Manner(self.temperature, self.resign, self.seed)
        limit = limit_of(self.sims, self.time, self.nodes)
        evaluator = open_evaluator(self.net, self.device, average=self.average)
        if self.threads > 1 and is_concurrent(evaluator):
            how = dataclasses.replace(how, threads=self.threads)
        elif self.threads != 1:  # one call at a time: the threads share the work of each
            evaluator = open_evaluator(self.net, self.device, threads=self.threads, average=self.average)
        return SearchPlayer.with_net(name, evaluator, how, limit, manner, self.ponder)
