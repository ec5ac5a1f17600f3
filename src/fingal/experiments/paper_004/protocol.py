"""Which nets are trained, and whom they play.

The paper's board sizes take days; the smaller scales keep its rules and shrink the board, the net and the number of
games. Where it can be read in two ways, the way that can work is the base and the other one an arm of an ablation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fingal.experiments import single
from fingal.experiments.ablation import Ablation, Plan, Trained
from fingal.experiments.figure import Arm
from fingal.experiments.matches import Meeting
from fingal.experiments.request import refuse_none
from fingal.experiments.sweep import Setting
from fingal.players import spec

EZO = "fingal.learn.ezo:Ezo"

COMMON: Setting = {"target": "complement", "copies": "rotated", "connections": True, "past": True, "depth": 1}
"""The base: what the ablations vary."""

RATE: Setting = {"decay_from": 0.6}
"""What all runs have beside: the learning rate falls over the last part of a run."""

LADDER = ("random", "shortest-path", "resistance")
"""Whom the trained nets also meet, over all openings."""

PARTS = ("curve", "time", "best", "ladder", "target", "copies", "connections", "past", "depth")
"""What can be asked for."""

FRESH = 1000
"""The seed of the games that test a chosen checkpoint again."""

FRESH_ROUNDS = 4
"""How often each of its openings is then played with each colour."""


@dataclass(frozen=True)
class Scale:
    """How much is done."""

    name: str
    boards: tuple[Setting, ...]
    """The settings of the runs on each board. The ablations are made on the first."""
    seeds: int
    """Of every arm on the first board."""
    other_seeds: int
    """Of the base on the others."""
    deep_epochs: int
    """Of the runs that compare self-play two moves deep with one: it takes long."""
    points: int
    """Checkpoints that meet the yardstick, evenly spread over a run."""
    other_points: int
    """The same on the other boards."""
    opponent: str
    """The yardstick, where nobody names another."""
    at_once: int | None = None
    """Runs at a time; as many as there are processes, if not given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        refuse_none(self)

    def plans(self) -> list[Plan]:
        """Of every board."""
        made = []
        for number, board in enumerate(self.boards):
            seeds = self.other_seeds if number else self.seeds
            epochs = float(board.get("epochs", 1))
            costs = {"depth": 7.0, "target": 1.6, "connections": 1.8, "epochs": self.deep_epochs / epochs}
            made.append(Plan(EZO, {**COMMON, **RATE, **board}, seeds, epochs * float(board["size"]) ** 2, costs))
        return made

    def ablations(self, parts: Sequence[str]) -> list[Ablation]:
        """Those that are asked for."""
        short = {"epochs": self.deep_epochs}
        every = (
            Ablation(
                "target",
                "The target of a value",
                "Prints (v(s) - v(s'))², where v is always the chance of the side to move. A net that says 0 "
                "everywhere has no error then.",
                (
                    Arm("one minus the next value"),
                    Arm("the next value, as printed", {"target": "literal"}),
                    Arm("one minus the least", {"target": "best"}),
                ),
            ),
            Ablation(
                "copies",
                "Symmetric copies",
                "Learns from every position and from a rotated copy, made as White's view is made of Black's: to the "
                "net both look the same. Turned by 180 degrees a position looks different.",
                (
                    Arm("turned by 180 degrees"),
                    Arm("mirrored, as printed", {"copies": "mirrored"}),
                    Arm("none", {"copies": "none"}),
                ),
            ),
            Ablation(
                "connections",
                "Connections in self-play",
                "Plays positions that virtual connections decide by proof. It calls this learning by self-play alone.",
                (Arm("by proof"), Arm("never", {"connections": False})),
            ),
            Ablation(
                "past",
                "Past selves as opponents",
                "One side plays with the present net, the other with it or one of the last two that were kept.",
                (Arm("past selves too"), Arm("the present net alone", {"past": False})),
            ),
            Ablation(
                "depth",
                "Self-play two moves deep",
                "Self-play looks one move ahead; two are left to future work.",
                (Arm("one move", short), Arm("two moves", {**short, "depth": 2})),
            ),
        )
        return [ablation for ablation in every if ablation.name in parts]


def _board(size: int, games: int, epochs: int, turn: int, **more: object) -> Setting:
    return {"size": size, "games": games, "epochs": epochs, "latest_turn": turn, **more}


SMOKE = Scale(
    "smoke",
    (_board(3, 10, 4, 4, channels=4, dense=8, keep_epochs=2, exam_epochs=2),),
    2,
    1,
    2,
    2,
    2,
    "uct:sims=20",
)
SMALL = Scale(
    "small",
    (
        _board(5, 100, 150, 10, channels=32),
        _board(7, 80, 80, 20, channels=32),
    ),
    3,
    1,
    40,
    5,
    3,
    "uct:sims=200",
)
PAPER = Scale(
    "paper",
    tuple(
        _board(size, games, 100_000, turn, minutes=minutes, threads=12, device="auto")
        for size, games, turn, minutes in ((7, 500, 20, 15.0), (9, 750, 40, 30.0), (11, 750, 60, 60.0))
    ),
    3,
    1,
    100,
    10,
    10,
    "uct:sims=1000",
    at_once=1,
)
SCALES = {scale.name: scale for scale in (SMOKE, SMALL, PAPER)}


@dataclass(frozen=True)
class Way:
    """How a net plays."""

    name: str
    player: str
    """With {} for the net's file."""
    bare: bool = False
    """Whether the net is alone, without connections."""
    chooses: bool = False
    """Whether the best checkpoint is chosen by it."""


WAYS = (
    Way("depth 1", "minimax:net={},depth=1"),
    Way("depth 2", "minimax:net={},depth=2"),
    Way("depth 1, no connections", "minimax:net={},depth=1,connections=false", bare=True),
    Way("depth 2, no connections", "minimax:net={},depth=2,connections=false", bare=True, chooses=True),
)
"""The first two as in the paper. On small boards connections alone decide nearly every game: the others show what the
net has learned."""

ALONE = WAYS[2]
"""The way in which arms of ablations are compared."""


def meeting(name: str, way: Way, net: Path, opponent: str, size: int) -> Meeting:
    """A net's match over the openings near the sides."""
    return Meeting(name, str(spec.filled(way.player, str(net))), opponent, size, "edge")


def curve_meetings(run: Trained, plan: Plan, opponent: str, scale: Scale) -> Iterator[tuple[Way, int, Meeting]]:
    """The matches of a run's checkpoints: (way, epoch, meeting)."""
    size = plan.common["size"]
    points = scale.points if size == scale.boards[0]["size"] else scale.other_points
    for epoch, net in single.spread(run.nets(), points).items():
        for way in WAYS:
            name = f"{way.name}, epoch {epoch}, seed {run.seed}"
            yield way, epoch, meeting(name, way, net, opponent, size)


def end_meeting(run: Trained, size: int, opponent: str, way: Way = ALONE) -> Meeting:
    """The match of a run's last net."""
    return meeting(f"{way.name}, at the end, seed {run.seed}", way, run.net, opponent, size)


def deeper(run: Trained, size: int) -> Meeting:
    """The net two moves deep against itself one move deep, both alone."""
    opponent = str(spec.filled(ALONE.player, str(run.net)))
    return replace(end_meeting(run, size, opponent, WAYS[3]), against="the same net, depth 1, no connections")


def rung(run: Trained, size: int, opponent: str) -> Meeting:
    """The net, alone and one move deep, against a player of the ladder, over all openings."""
    return replace(end_meeting(run, size, opponent), openings="all")


def line(player: str, size: int, opponent: str) -> Meeting:
    """A player beside the nets, by the same games."""
    return Meeting(player.replace(":depth=", ", depth "), player, opponent, size, "edge")
