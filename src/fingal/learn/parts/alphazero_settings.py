"""How AlphaZero is trained: its settings, what they may be, and the presets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from fingal import _core
from fingal.nets import choice
from fingal.nets.residual import LARGE, SMALL, Config


@dataclass(frozen=True)
class AlphaZero:
    """How to train. Times are wall-clock minutes; a run that is resumed goes on with the minutes it has left."""

    net: Config = SMALL
    """The residual net's shape."""
    architecture: Literal["residual"] | choice.Name = "residual"
    """The net: the residual one, or one of paper 003's by its name, which learns one board size and no owners."""
    width: int = 32
    """The width of a net that is chosen by its name."""
    sizes: tuple[int, ...] = (7, 9, 11, 13)
    """Board sides; each has its own pools of games."""
    shares: tuple[float, ...] = ()
    """How much of the judging each size gets; all alike when empty."""
    games: int = 2048
    """Games at once in a pool. Every size has two pools."""
    threads: int = 1
    """Threads that play."""
    full_simulations: int = 32
    """Simulations for a move that becomes a policy target."""
    cheap_simulations: int = 8
    """Simulations for the other moves."""
    cheap_noise: float = 0.0
    """How much noise the cheap searches have: with 0 they play to win, with 1 they explore as the full ones do."""
    full_share: float = 0.5
    """The share of moves searched fully."""
    cheap_positions: bool = True
    """Whether positions that were searched cheaply are learned from too: they teach the value alone."""
    proven_positions: bool = False
    """Whether positions whose winner a search, even a cheap one, proved are learned from, with the moves that win."""
    considered: int = 16
    """Moves that the root of a full search considers; a cheap one a quarter of them."""
    c_scale: float = 0.4
    """Gumbel's weight of values against the policy."""
    resign_below: float = -0.95
    """A side whose value stays below this for three moves resigns, except in a tenth of the games."""
    opening_stones: int = 4
    """Games begin with 1 to this many random stones after which the net thinks the game is even."""
    opening_spread: float = 0.35
    """How even: the standard deviation of the kept values, roughly."""
    wild_share: float = 0.0
    """The share of games that begin with many more random stones: positions that play from the start never reaches."""
    drawn_share: float = 0.0
    """The share of games that begin in the middle of one whose moves were drawn from the policy, mistakes and all."""
    replay: int = 2_000_000
    """Positions to learn from at most; the oldest go first."""
    recent: float = 0.35
    """Learn from this share of all positions so far, the newest: what a weak net played is soon left behind."""
    replay_start: int = 20_000
    """Positions to gather before learning begins."""
    batch: int = 2048
    """Positions in a step of learning."""
    reuse: float = 3.0
    """How often a position is learned from, on average."""
    learning_rate: float = 2e-3
    """AdamW's, after warming up; it falls to a twentieth in the last part of the run."""
    decay_from: float = 0.5
    """The part of the run after which the learning rate falls."""
    warm_up: int = 200
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = 1e-4
    """AdamW's, on matrices and kernels."""
    averaging: float = 0.998
    """How much of the averaged weights stays at each step; they play and are kept."""
    search_share: float = 0.25
    """How much of the value target is the search's opinion; the rest is the game's result."""
    reply_weight: float = 0.15
    """The weight of the opponent's reply in the loss."""
    owner_weight: float = 0.15
    """The weight of the cells' owners in the loss."""
    stakes_weight: float = 0.0
    """How much more positions count for the policy where much is at stake: 1 + this times (best value - mean)."""
    minutes: float = 10.0
    """How long the run takes in all."""
    steps: int = 0
    """End after so many steps of learning instead, if not 0: then nothing depends on the clock."""
    checkpoint_minutes: float = 2.0
    """How often a checkpoint is written and openings are drawn anew."""
    checkpoint_steps: int = 0
    """Write one every so many steps instead, if not 0."""
    keep_state: bool = True
    """Whether a checkpoint has the replay, the optimiser and the games too, to go on exactly where it was."""
    teacher: str = ""
    """A net, a file or a shipped net's name, perhaps of another shape, whose games are learned from at first."""
    teacher_share: float = 0.25
    """The part of the run in which the teacher plays, if there is one."""
    seed: int = 1
    """With one thread on a CPU it decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("games", "threads", "full_simulations", "cheap_simulations", "considered", "replay", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.sizes or not all(2 <= size <= 19 for size in self.sizes) or len(set(self.sizes)) < len(self.sizes):
            raise ValueError(f"sizes must be different numbers from 2 to 19, not {self.sizes}")
        if self.shares and (len(self.shares) != len(self.sizes) or min(self.shares) <= 0):
            raise ValueError(f"shares must be {len(self.sizes)} numbers above 0, one a size, not {self.shares}")
        shares = ("full_share", "search_share", "teacher_share", "wild_share", "drawn_share")
        for name in (*shares, "recent", "averaging", "decay_from"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if self.wild_share + self.drawn_share > 1:
            raise ValueError(
                f"wild_share and drawn_share must be at most 1 together, not {self.wild_share + self.drawn_share}"
            )
        if not self.minutes > 0 and self.steps < 1:
            raise ValueError(f"minutes must be more than 0, not {self.minutes}")
        if self.architecture not in (named := ("residual", *choice.NAMES)):
            raise ValueError(f"architecture must be one of {', '.join(named)}, not {self.architecture!r:.40}")
        if self.architecture != "residual":
            choice.shape(self.architecture, self.sizes[0], self.width)
            if len(self.sizes) > 1:
                raise ValueError(f"sizes must be one size for a {self.architecture} net, not {self.sizes}")

    def selfplay(self) -> _core.SelfplaySettings:
        """The core's settings."""
        search = _core.SearchSettings()
        search.gumbel = True
        search.considered = self.considered
        search.c_scale = self.c_scale
        settings = _core.SelfplaySettings()
        settings.search = search
        settings.full_simulations = self.full_simulations
        settings.cheap_simulations = self.cheap_simulations
        settings.cheap_considered = max(1, self.considered // 4)
        settings.cheap_noise = self.cheap_noise
        settings.full_share = self.full_share
        settings.cheap_positions = self.cheap_positions
        settings.proven_positions = self.proven_positions
        settings.resign_below = self.resign_below
        return settings


PRESETS = {
    "cpu-5x5": AlphaZero(
        net=Config(blocks=3, channels=32, pool_channels=8, policy_channels=16, value_channels=16, value_hidden=32),
        sizes=(5,),
        games=64,
        full_simulations=24,
        cheap_simulations=6,
        opening_stones=3,
        replay=60_000,
        replay_start=2_000,
        batch=256,
        reuse=4,
        warm_up=50,
        averaging=0.99,
        minutes=8,
        checkpoint_minutes=1,
    ),
    "gpu-small": AlphaZero(
        sizes=(5, 7, 9, 11, 13),
        shares=(0.25, 0.5, 1.0, 1.25, 1.25),
        games=1024,
        threads=16,
        full_simulations=24,
        full_share=0.6,
        considered=12,
        replay=2_000_000,
        replay_start=150_000,
        batch=4096,
        reuse=2.5,
        averaging=0.9975,
        minutes=30,
        keep_state=False,
    ),
}
"""Named settings for ``--preset``."""
PRESETS["paper-3x3"] = replace(
    PRESETS["cpu-5x5"],
    architecture="convolutional",
    sizes=(3,),
    games=20,
    full_simulations=20,
    full_share=1.0,
    opening_stones=0,
    replay_start=100,
    batch=64,
    reuse=10,
    search_share=0.0,
    steps=250,
    checkpoint_steps=50,
)
PRESETS["gpu-large"] = replace(PRESETS["gpu-small"], net=LARGE)
