"""How AlphaZero is trained: its settings, what they may be, and the presets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from fingal import _core
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
from fingal.nets import choice
from fingal.nets.residual import LARGE, SMALL, Config
from fingal.ranges import MOST_INT, MOST_WEIGHT

MOST_SIMULATIONS = 1 << 24
MOST_POSITIONS = 1 << 28
"""More to learn from would need more memory than there is: so many are 119 GB on 13x13."""


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
    """A side whose value stays below this for three moves resigns, except in a tenth of the games; at -1 none does."""
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
    """How often a checkpoint is written and openings are drawn anew, in a run of minutes."""
    checkpoint_steps: int = 0
    """Write one every so many steps instead, if not 0; a run of steps writes one every tenth of them by itself."""
    keep_state: bool = True
    """Whether a checkpoint has the replay, the optimiser and the games too, to go on exactly where it was."""
    teacher: str = ""
    """A net, a file or a shipped net's name, perhaps of another shape, whose games are learned from at first."""
    teacher_share: float = 0.25
    """The part of the run in which the teacher plays, if there is one."""
    seed: int = 1
    """With one thread on a CPU it decides everything, if steps are given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_kinds(self)
        check_least(self, 1, "games", "threads", "full_simulations", "cheap_simulations", "considered")
        check_least(self, 1, "replay", "batch")
        check_least(self, 0, "steps", "checkpoint_steps", "replay_start", "opening_stones", "warm_up")
        check_most(self, MOST_GAMES, "games")
        check_most(self, MOST_INT, "considered")
        check_most(self, MOST_SIMULATIONS, "full_simulations", "cheap_simulations")
        check_most(self, MOST_POSITIONS, "replay")
        check_sizes(self)
        check_from_0(self, "reuse", "reply_weight", "owner_weight", "stakes_weight", "weight_decay")
        check_from_0(self, "cheap_noise", "c_scale")
        check_most(self, MOST_WEIGHT, "cheap_noise", "c_scale")
        check_above_0(self, "learning_rate", "opening_spread", "checkpoint_minutes")
        if not self.steps:
            check_above_0(self, "minutes")
        check_shares(self, "full_share", "search_share", "teacher_share", "wild_share", "drawn_share")
        check_shares(self, "recent", "averaging", "decay_from")
        check_seed(self, 53)  # pools have seeds a thousand times as large, of 64 bits
        if not -2 <= self.resign_below <= 0:
            raise ValueError(f"resign_below must be from -2 to 0, not {self.resign_below}: at -1 no side resigns")
        if self.wild_share + self.drawn_share > 1:
            raise ValueError(
                f"wild_share and drawn_share must be at most 1 together, not {self.wild_share + self.drawn_share}"
            )
        if self.steps and not self.reuse:
            raise ValueError("reuse must be above 0 where steps are given: without learning they never end")
        if not (self.full_share or self.cheap_positions or self.proven_positions):
            raise ValueError("full_share must be above 0 where neither cheap_positions nor proven_positions are kept")
        if self.architecture not in (named := ("residual", *choice.NAMES)):
            raise ValueError(f"architecture must be one of {', '.join(named)}, not {self.architecture!r:.40}")
        if self.architecture != "residual":
            choice.shape(self.architecture, self.sizes[0], self.width)
            if len(self.sizes) > 1:
                raise ValueError(f"sizes must be one size for a {self.architecture} net, not {self.sizes}")

    @property
    def unused(self) -> dict[str, str]:
        """Settings that have no effect beside the others, each with why, and what to do."""
        found = {} if self.teacher else {"teacher_share": "without a teacher: give teacher too"}
        if self.architecture == "residual":
            found["width"] = "beside the residual net: give channels instead, or architecture too"
        return found

    @property
    def checkpoint_every(self) -> int:
        """Steps from one checkpoint to the next; 0 in a run where the clock says when."""
        return self.checkpoint_steps or math.ceil(self.steps / 10)

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
