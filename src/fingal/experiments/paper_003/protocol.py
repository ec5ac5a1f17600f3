"""Which nets are trained, how far, and what is asked of them.

The paper's boards take a GPU; the smaller scales keep its rules and shrink boards, nets and the number of games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fingal.experiments.ablation import Plan
from fingal.experiments.figure import Arm
from fingal.experiments.paper_003 import soft_mistakes
from fingal.experiments.request import refuse_none
from fingal.experiments.sweep import Setting
from fingal.learn.dqn import CORRECTED
from fingal.nets.choice import PAPER_NAMES

DQN = "fingal.learn.dqn:Dqn"
PPO = "fingal.learn.ppo:PPO"

PARTS = ("4", "5", "6", "7", "table-2", "corrected", "transformer", "ppo", "sac", "alphazero")
"""What can be asked for. '6' is the tournament, its Elo and its ten best from every opening; 'corrected' are the
settings of the paper against those under which a value is what a game is worth."""

GENERATIONS = {"5", "6", "7", "table-2", "corrected"}
"""Those that need generations."""

OURS = "transformer-relative"
"""The net that is trained beside the paper's five until it beats the random player."""

TRANSFER = "convolutional"
"""The net whose agents play on boards that they were not trained on."""

BINNED = "convolutional-cube"
"""The net of figure 5."""

VALUES: Setting = {name: value for name, value in CORRECTED.items() if name != "opponent"}
"""Settings under which a value is what a game is worth: from -1 to 1, no discount."""

VARIANTS: dict[str, Setting] = {"corrected": CORRECTED, "corrected values": VALUES}
"""The paper's settings corrected: the values, and self-play instead of the pool; or the values alone."""

AGENTS = 10
"""How many of each group go on to table II, and how many meet from every opening."""

MATCHES = 20
"""Matches of two games that each of them plays with the random player."""

BEATEN = {"first_vs_random": "as first against random", "second_vs_random": "as second", "keeps_win": "wins kept"}
"""What runs are compared by: figures of their last rows."""


@dataclass(frozen=True)
class Scale:
    """How much is done."""

    name: str
    size: int
    """The side of the board of figures 4 to 6."""
    sizes: tuple[int, int]
    """Those of figure 7 and table II, the smaller first; ``size`` is one of them."""
    beyond: tuple[int, ...]
    """Other boards on which the two groups play."""
    generations: Setting
    """The settings of DQN with generations, but for board, net and seed."""
    seeds: int
    """Runs of each net with generations."""
    rivals: int
    """Runs of each side, where the paper's settings meet the corrected ones."""
    base: Setting
    """The settings of figure 4, where a net meets the random player alone."""
    base_seeds: int
    ppo: Setting
    """The settings of PPO, but for its seed."""
    sac: Setting
    """What differs from the settings that ``soft_mistakes.plan`` has: size, moves, width, warm_up."""
    policy_seeds: int
    """Runs of PPO, and of SAC with each mistake."""
    alphazero: Setting = field(default_factory=dict)
    """What differs from the paper's settings."""
    lesson: Setting = field(default_factory=dict)
    """What all lessons of ``transformer_causes`` have instead of their own settings."""
    cause_seeds: int = 3
    """Seeds of each cause of AlphaZero's and the transformers' troubles."""
    bin: int = 10
    """Generations that figure 5 puts together."""
    at_once: int | None = None
    """Runs at a time; as many as there are processes, if not given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        refuse_none(self)
        if self.size not in self.sizes or self.sizes[0] >= self.sizes[1]:
            raise ValueError(f"sizes={self.sizes} is not possible: two, the smaller first, {self.size} among them")

    def lineage(self, size: int, seeds: int | None = None) -> Plan:
        """Runs with generations on a board."""
        return Plan(DQN, {**self.generations, "size": size}, seeds or self.seeds, size**4, name="dqn")

    def bases(self) -> Plan:
        """Runs against the random player alone."""
        return Plan(DQN, {**self.base, "size": self.size, "generations": 0}, self.base_seeds, 100.0, name="base")

    def policies(self) -> Plan:
        """The runs of PPO."""
        return Plan(PPO, self.ppo, self.policy_seeds, 200.0, name="ppo")

    def soft(self) -> Plan:
        """Those of SAC."""
        return replace(soft_mistakes.plan(**self.sac, seeds=self.policy_seeds), cost=50.0)


def nets(names: Sequence[str] = PAPER_NAMES) -> Iterator[Arm]:
    """An arm for each net."""
    for name in names:
        yield Arm(name, {"net": name})


def corrected(name: str, moves: int) -> Arm:
    """A run with a variant's settings, of so many moves at the most."""
    return Arm(name, {"net": TRANSFER, **VARIANTS[name], "moves": moves})


SMOKE = Scale(
    name="smoke",
    size=3,
    sizes=(2, 3),
    beyond=(4,),
    generations={
        "width": 16,
        "generations": 2,
        "episodes": 12,
        "more_episodes": 2,
        "games": 4,
        "groups": 2,
        "batch": 16,
        "updates_per_move": 0.25,
    },
    seeds=1,
    rivals=1,
    base={"width": 16, "episodes": 24, "games": 4, "groups": 2, "batch": 16, "updates_per_move": 0.25},
    base_seeds=1,
    ppo={"size": 3, "width": 16, "opponent": "random", "games": 8, "steps": 8, "batch": 32, "iterations": 2},
    sac={"size": 3, "width": 8, "moves": 64, "warm_up": 32},
    policy_seeds=1,
    alphazero={"iterations": 1, "games": 4, "simulations": 4, "epochs": 1},
    lesson={"steps": 8, "width": 16},
    cause_seeds=1,
    bin=1,
)
SMALL = Scale(
    name="small",
    size=5,
    sizes=(5, 6),
    beyond=(4, 7, 9),
    generations={
        "width": 32,
        "generations": 10,
        "episodes": 400,
        "more_episodes": 40,
        "games": 16,
        "groups": 4,
        "updates_per_move": 0.5,
        "device": "auto",
    },
    seeds=1,
    rivals=3,
    base={"width": 32, "games": 1, "groups": 1, "episodes": 800, "device": "auto"},
    base_seeds=5,
    ppo={
        "size": 5,
        "net": "feed-forward",
        "opponent": "random",
        "games": 64,
        "steps": 32,
        "batch": 512,
        "iterations": 150,
    },
    sac={"size": 5},
    policy_seeds=3,
    bin=3,
)
PAPER = Scale(
    name="paper",
    size=7,
    sizes=(5, 7),
    beyond=(6, 9, 11),
    generations={
        "games": 256,
        "batch": 256,
        "updates_per_move": 0.125,
        "row_episodes": 200,
        "compiled": True,
        "device": "auto",
    },
    seeds=2,
    rivals=2,
    base={"games": 1, "groups": 1, "device": "auto"},
    base_seeds=5,
    ppo={"size": 7, "device": "auto"},
    sac={"size": 7, "moves": 200_000},
    policy_seeds=3,
    at_once=4,
)
LARGE = replace(
    PAPER,
    name="large",
    size=9,
    sizes=(9, 11),
    beyond=(7, 13),
    generations={**PAPER.generations, "generations": 10},
    seeds=1,
    rivals=1,
    base_seeds=3,
    ppo={**PAPER.ppo, "size": 9},
    sac={**PAPER.sac, "size": 9},
)
"""Boards that the paper has not, with its nets and a fifth of its generations."""
SCALES = {scale.name: scale for scale in (SMOKE, SMALL, PAPER, LARGE)}
