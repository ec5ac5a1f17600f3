"""Tree search with playouts by patterns, all moves as first and connections, as MoHex 2.0; a net may give priors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fingal.ranges import MOST_MEMORY, check_range

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from fingal.game import Board
    from fingal.nets.card import Card
    from fingal.nets.inference import Device
    from fingal.players.player import Player
    from fingal.search.evaluator import Evaluator

OPENING_PLAYOUTS = (10, 100)
"""Playouts after each first move where White may swap: a quick look, and if there is time enough to tell which is
nearest to even."""


NET_BIAS = 2.0
"""How much a net's priors count where nothing is said: they are sharper than the patterns'."""


@dataclass(frozen=True)
class Settings:
    """What a text may say after ``uct:``."""

    sims: int = 10_000
    """Simulations a move, on top of what is known from the moves before."""
    time: float | None = None
    """Seconds a move."""
    nodes: int | None = None
    """Positions a move that the tree grows by."""
    prior: str | None = None
    """The net whose policy gives the priors: a shipped name, a file, or uniform; if not given, patterns give them."""
    ask: int = 1
    """The net is asked for the priors of positions with more visits than this; until then they have the patterns'."""
    flat: float = 1.0
    """What the net's logits are divided by: above 1 its priors are flatter, for boards that it was not trained on."""
    batch: int = 1
    """Positions that the net judges at once: 1 searches best, more are faster on a GPU."""
    bias: float | None = None
    """How much priors count; 5 for the patterns' and 2 for a net's, if not given."""
    backup: Literal["mean", "min"] = "mean"
    """What a move is worth: the mean of the games after it, or what the opponent's best reply leaves (the minimum)."""
    least_reply: int = 8
    """With the minimum: so many visits a reply needs to count; a move with no such reply has its mean."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the net runs; auto takes a GPU when there is one."""
    threads: int = 1
    """How many threads share the tree; with one, the same seed gives the same moves."""
    knowledge: int = 20
    """A position with so many visits is asked for its connections and inferior cells; 0: none is."""
    solver: bool = False
    """Whether df-pn tries to prove the position beside the search, in a thread of its own."""
    memory: int = 64
    """Megabytes for the solver's table."""
    ponder: bool = False
    """Whether it goes on thinking, as an engine over HTP, while the opponent does."""
    temperature: float = 0.0
    """0 plays the best move; more draws by visits, the flatter the higher."""
    resign: float | None = None
    """Give up when the value, from -1 to 1, is below this; never, if not given."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""

    def __post_init__(self) -> None:
        """Reject a table that the solver cannot have; ``fingal.search.uct`` checks the other numbers."""
        check_range(self, 1, MOST_MEMORY, "memory")


def make(settings: Settings) -> Player:
    """A player as the settings say."""
    from fingal.players.searching import Manner, SearchPlayer, limit_of
    from fingal.search import uct

    memory = settings.memory if settings.solver else 0
    bias = settings.bias
    if bias is None:
        bias = uct.Settings.bias if settings.prior is None else NET_BIAS
    how = uct.Settings(
        bias=bias,
        ask=settings.ask,
        flat=settings.flat,
        batch=settings.batch,
        backup=settings.backup,
        least_reply=settings.least_reply,
        knowledge=settings.knowledge,
        threads=settings.threads,
        solver=memory,
    )
    manner = Manner(settings.temperature, settings.resign, settings.seed)
    limit = limit_of(settings.sims, settings.time, settings.nodes)
    net = None if settings.prior is None else open_prior(settings.prior, settings.device)
    return SearchPlayer(
        "uct", lambda seed: uct.Search(how, seed, net), opening_values, limit, manner, settings.ponder, net
    )


def open_prior(name: str, device: Device = "auto") -> Evaluator:
    """The net that gives priors, or ``uniform``; ValueError, in one sentence, where there is none, or no policy."""
    from fingal.nets import bridges
    from fingal.nets.inference import Cached, open_evaluator
    from fingal.search.policy import uniform

    if name == "uniform":
        return uniform
    evaluator = open_evaluator(name, device)
    card: Card = evaluator.card  # type: ignore[attr-defined]
    if card.head == "value":
        raise ValueError(f"prior={name} is not possible: {card.name} judges positions alone, and priors are of moves")
    # The root is asked for again at every move, and some positions are reached by several orders of moves.
    return Cached(evaluator, last=card.encoder == bridges.ENCODER)


def opening_values(board: Board, is_over: Callable[[], bool]) -> NDArray[np.float32] | None:
    """What a few playouts say of each first move, [cells], in the view of the side that then moves.

    Fewer when the time ``is_over``; None when not all moves have had some by then.
    """
    import numpy as np

    from fingal.search import uct

    values: NDArray[np.float32] | None = None
    for playouts in OPENING_PLAYOUTS:
        search = uct.Search(uct.Settings(knowledge=0, expand=playouts))
        found = np.zeros(board.cells, np.float32)
        for cell in range((board.cells + 1) // 2):
            if is_over():
                return values
            after = board.copy()
            after.push(cell)
            if after.is_over():
                return np.full(board.cells, -1, np.float32)
            search.set_position(after)
            # Turned by 180 degrees, a position is worth the same.
            found[cell] = found[board.cells - 1 - cell] = search.finish(playouts).value
        values = found
    return values
