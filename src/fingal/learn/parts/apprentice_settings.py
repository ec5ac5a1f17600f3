"""The settings of ``fingal train apprentice`` and its presets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fingal.game.board import parse_size
from fingal.learn.parts.kinds import (
    MOST_GAMES,
    check_above_0,
    check_from_0,
    check_kinds,
    check_least,
    check_most,
    check_seed,
    check_shares,
    check_sizes,
)
from fingal.nets.residual import LARGE, SMALL, Config


@dataclass(frozen=True)
class Apprentice:
    """How to train."""

    teacher: str = "fingal-large"
    """The net that says what it would have done: a file, or a shipped net's name."""
    net: Config = SMALL
    """The shape of the net that learns."""
    sizes: tuple[int, ...] = (5, 7, 9, 11, 13)
    """Board sides."""
    shares: tuple[float, ...] = ()
    """How many of a step's positions each size has; all alike when empty."""
    batch: int = 4096
    """Positions in a step of learning: so many games are played at once, and a step is one move in each."""
    ahead: int = 3
    """The teacher looks ahead at so many moves of a position, its best and the apprentice's best; 0 for no look."""
    plies: int = 8
    """How far: the move itself, and then its own best moves for both sides."""
    looked: float = 1 / 3
    """The share of the positions that it looks ahead from: those with the least clear choice. With one in ``ahead``
    all batches are of the shapes that a GPU's judge is compiled for; for more than eight shapes it never is."""
    trust: float = 4.0
    """How much what the teacher sees there counts: a move's logit gains so much for a value of 1."""
    heat: float = 0.7
    """Moves are drawn from policies with temperatures from 0 to this: each side of a game has its own, a third 0."""
    teacher_share: float = 0.25
    """The share of sides whose moves are the teacher's."""
    stray: float = 0.05
    """The highest rate at which a side makes random moves instead: each has its own, half of them none."""
    opening_stones: int = 4
    """Games begin with 1 to so many random stones after which the teacher thinks the game is even."""
    opening_spread: float = 0.35
    """How even: the standard deviation of the kept values, roughly."""
    wild_share: float = 0.1
    """The share of games that begin with many more random stones."""
    records: tuple[str, ...] = ()
    """Games that others played, a file or folder for a size, as ``9x9=games.txt``: some games begin in the middle of
    them, where the teacher thinks them even."""
    recorded_share: float = 0.25
    """The share of games that begin so, on the sizes of the records."""
    sure: float = 0.97
    """Where the teacher's value is above this for one side, the game is given up: most choices do not matter there."""
    stubborn_share: float = 0.15
    """The share of games that are played to their ends all the same."""
    steps: int = 100_000
    """Steps of learning, at most."""
    minutes: float = 0.0
    """How long it learns at most; 0 for no limit."""
    checkpoint_minutes: float = 2.0
    """How often a checkpoint is written."""
    learning_rate: float = 1e-3
    """AdamW's, after warming up; it falls to a twentieth in the last part of the run."""
    decay_from: float = 0.3
    """The part of the run after which the learning rate falls."""
    warm_up: int = 200
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = 1e-4
    """AdamW's, on matrices and kernels."""
    averaging: float = 0.999
    """How much of the averaged weights stays at each step; they are kept."""
    row_steps: int = 200
    """A row of figures is kept after so many steps."""
    threads: int = 1
    """Torch's on a CPU."""
    seed: int = 1
    """With one thread on a CPU it decides everything, if no minutes are given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(self, 1, "batch", "plies", "opening_stones", "steps", "row_steps", "threads")
        check_sizes(self)
        check_most(self, MOST_GAMES, "batch")
        if min(self.counts()) < 1:
            raise ValueError(f"batch must have a position of every size, and {self.batch} are too few")
        if self.ahead < 0 or self.ahead == 1:
            raise ValueError(f"ahead must be 0 or at least 2, so that there is a choice, not {self.ahead}")
        check_from_0(self, "minutes", "trust", "heat", "warm_up", "weight_decay")
        check_above_0(self, "learning_rate", "opening_spread", "checkpoint_minutes")
        check_shares(self, "looked", "teacher_share", "stray", "wild_share", "recorded_share", "stubborn_share")
        check_shares(self, "sure", "decay_from", "averaging")
        if self.records and self.wild_share + self.recorded_share > 1:
            both = f"{self.wild_share} and {self.recorded_share}"
            raise ValueError(f"wild_share and recorded_share must be at most 1 together, not {both}")
        for size in self.record_files():
            if size not in self.sizes:
                raise ValueError(f"records must be of sizes that are played, and {size}x{size} is not")
        check_seed(self, 63)

    @property
    def unused(self) -> dict[str, str]:
        """Settings that have no effect beside the others, each with why, and what to do."""
        return {} if self.records else {"recorded_share": "without records: give records too"}

    def counts(self) -> list[int]:
        """How many games are played on each size."""
        shares = self.shares or (1.0,) * len(self.sizes)
        return [int(self.batch * share / sum(shares)) for share in shares]

    def record_files(self) -> dict[int, Path]:
        """Where each size's games on record are."""
        files = dict[int, Path]()
        for record in self.records:
            size, _, file = record.partition("=")
            width, height = parse_size(size)
            if width != height or not file or width in files:
                raise ValueError(f"records must be one file a square board, as 9x9=games.txt, not {record!r}")
            files[width] = Path(file)
        return files


PRESETS = {
    "gpu-small": Apprentice(
        sizes=(5, 7, 9, 11, 13, 15),
        shares=(0.1, 0.25, 1.35, 1.15, 1.0, 0.15),
        batch=16_384,
        learning_rate=1.5e-3,
        averaging=0.998,
        row_steps=50,
        minutes=25,
    ),
    # Its own apprentice: what it learns is what it would do if it looked ahead.
    "gpu-large": Apprentice(
        net=LARGE,
        sizes=(5, 7, 9, 11, 13, 15),
        shares=(0.1, 0.25, 1.0, 1.25, 1.25, 0.5),
        batch=8192,
        learning_rate=5e-4,
        averaging=0.998,
        row_steps=50,
        minutes=12,
    ),
}
"""Named settings for ``--preset``."""
