"""Which nets are trained, and whom they play.

The paper trains one net for two weeks on 13x13. The smaller scales keep its rules and shrink the board, the net and the
number of moves. The paper tests none of its choices; each is an ablation here, and so is what it leaves to the future.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingal.experiments import single
from fingal.experiments.ablation import Ablation, Plan, Trained
from fingal.experiments.figure import Arm
from fingal.experiments.matches import Meeting
from fingal.experiments.request import refuse_none
from fingal.experiments.sweep import Setting
from fingal.learn.neurohex import SMALL_LAYERS
from fingal.players import spec

NEUROHEX = "fingal.learn.neurohex:NeuroHex"

COMMON: Setting = {
    "mentoring": 0,
    "database": True,
    "border": "zero",
    "target": "negamax",
    "target_updates": 0,
    "actor": False,
    "connections": False,
}
"""The base: what the ablations vary. The scale says how long the mentor teaches."""

LADDER = ("random", "shortest-path", "resistance")
"""Whom the trained nets also meet, over all openings; the last is the mentor's own score with bridges, as a player."""

ABLATIONS = ("mentoring", "database", "border", "target", "still", "actor", "planes")
PARTS = ("curves", "match", "ladder", *ABLATIONS, "search")
"""What can be asked for."""

SMOOTH = 200
"""Games that the curves are a running mean over, as the authors' program draws them."""

POLICY = "actor and critic: policy"
"""The arm whose net is the policy that is learned beside the values."""


@dataclass(frozen=True)
class Scale:
    """How much is done."""

    name: str
    board: Setting
    """The settings of all runs."""
    seeds: int
    """Of every arm but those of the future."""
    free: int
    """Games with the yardstick from the empty board, half with each colour."""
    noise: float
    """How often the net's move in these is random: on a small board, games would be few without."""
    opponent: str
    """The yardstick, where nobody names another."""
    sims: int
    """Simulations a move of the search with the net inside."""
    at_once: int | None = None
    """Runs at a time; as many as there are processes, if not given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        refuse_none(self)

    @property
    def size(self) -> int:
        """The board's side."""
        return int(self.board["size"])

    def plan(self) -> Plan:
        """The runs."""
        return Plan(NEUROHEX, {**COMMON, **self.board}, self.seeds, 1.0, {"actor": 2.0, "connections": 1.5})

    def ablations(self, parts: Sequence[str]) -> list[Ablation]:
        """Those that are asked for."""
        every = (
            Ablation(
                "mentoring",
                "Mentoring",
                "The net first learns the scores of a resistance heuristic. Whether it must is left to future work.",
                (Arm("mentored"), Arm("not mentored", {"mentoring": 0})),
            ),
            Ablation(
                "database",
                "Positions that games begin from",
                "Games begin from positions of a database. Whether they must is left to future work.",
                (Arm("from a database"), Arm("from the empty board", {"database": False})),
            ),
            Ablation(
                "border",
                "What layers say of the border",
                "'Zero padded': in the authors' program every layer's border is zero, so the sides are seen in the "
                "first layer alone.",
                (Arm("zero"), Arm("computed in every layer", {"border": "kept"})),
            ),
            Ablation(
                "target",
                "The sign of the target",
                "The opponent's best value counts negated. With the sign of the general formula it must fail.",
                (Arm("negated"), Arm("not negated", {"target": "literal"})),
            ),
            Ablation(
                "still",
                "A target net",
                "None is mentioned.",
                (Arm("the net as it is"), Arm("as it was at the last 500 updates", {"target_updates": 500})),
            ),
            Ablation(
                "actor",
                "Actor and critic",
                "Left to future work: a policy net beside the values.",
                (
                    Arm("values alone"),
                    Arm("actor and critic: values", {"actor": True}),
                    Arm(POLICY, {"actor": True}),
                ),
                1,
            ),
            Ablation(
                "planes",
                "Planes from connections",
                "Left to future work: two more planes, cells worth trying and a move that wins, found by virtual "
                "connections.",
                (Arm("six planes"), Arm("with two from connections", {"connections": True})),
                1,
            ),
        )
        return [ablation for ablation in every if ablation.name in parts]


SMOKE = Scale(
    "smoke",
    {
        "size": 3,
        "layers": ((0, 4, 4), (0, 8, 0)),
        "mentoring": 20,
        "mentor_positions": 64,
        "own_games": 8,
        "games": 8,
        "capacity": 500,
        "transitions": 160,
        "row_transitions": 32,
        "keep_rows": 2,
    },
    2,
    8,
    0.02,
    "uct:sims=20",
    10,
)
SMALL = Scale(
    "small",
    {
        "size": 5,
        "layers": SMALL_LAYERS,
        "mentoring": 1500,
        "mentor_positions": 20_000,
        "own_games": 2000,
        "games": 32,
        "capacity": 10_000,
        "transitions": 4000,
        "row_transitions": 500,
        "keep_rows": 4,
    },
    3,
    100,
    0.02,
    "uct:sims=200",
    100,
)
PAPER = Scale(
    "paper",
    {"size": 13, "mentoring": 20_000, "minutes": 60.0, "threads": 12, "device": "auto"},
    1,
    1000,
    0.0,
    "uct:sims=1000",
    800,
    at_once=1,
)
SCALES = {scale.name: scale for scale in (SMOKE, SMALL, PAPER)}


@dataclass(frozen=True)
class Way:
    """How a net plays."""

    name: str
    player: str
    """With {} for the net's file."""


NET = Way("the net alone", "net:{}")
"""As in the paper: no search at all."""


def searches(scale: Scale) -> tuple[Way, ...]:
    """The net inside a search, without connections: they alone decide nearly every game on a small board."""
    return (
        NET,
        Way("minimax, depth 2", "minimax:net={},depth=2,connections=false"),
        Way(f"tree search, {scale.sims} simulations", f"puct:net={{}},sims={scale.sims},connections=0"),
    )


def file_of(arm: Arm, run: Trained) -> Path:
    """The net that plays for an arm's run."""
    return single.latest(run.place, file="policy.safetensors") if arm.name == POLICY else run.net


def meeting(run: Trained, net: Path, opponent: str, size: int, way: Way = NET) -> Meeting:
    """A net's match over all openings, both colours."""
    return Meeting(f"{way.name}, seed {run.seed}", str(spec.filled(way.player, str(net))), opponent, size, "all")


def free(run: Trained, opponent: str, scale: Scale) -> Meeting:
    """Its match from the empty board, where it opens as it likes."""
    template = NET.player + (f",epsilon={scale.noise}" if scale.noise else "")
    player = str(spec.filled(template, str(run.net)))
    return Meeting(f"{NET.name}, seed {run.seed}", player, opponent, scale.size, "none", scale.free)


def begun(run: Trained, size: int) -> Meeting | None:
    """Its match with itself as the mentor left it; None when there is no such net."""
    nets = run.nets()
    if 0 not in nets:
        return None
    opponent = str(spec.filled(NET.player, str(nets[0])))
    player = str(spec.filled(NET.player, str(run.net)))
    return Meeting(f"{NET.name}, seed {run.seed}", player, opponent, size, "all", against="the same net as mentored")
