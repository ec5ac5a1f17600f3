"""Which nets are trained, and whom they play.

A net learns by imitation on one board; from there five learners go on by their own games. The paper's boards take a
GPU; the smaller scales keep its rules and shrink the board, the net and the number of games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingal.experiments.ablation import Plan
from fingal.experiments.matches import Meeting
from fingal.experiments.paper_002.tabular import Trial
from fingal.experiments.request import refuse_none
from fingal.experiments.sweep import Setting
from fingal.players import spec

IMITATE = "fingal.learn.imitate:Imitate"
REINFORCE = "fingal.learn.reinforce:Reinforce"
AMCPG = "fingal.learn.amcpg:Amcpg"
ADVERSARIAL = "fingal.learn.adversarial:Adversarial"

EXACT = ("schemes", "bias", "tabular")
"""What is worked out on tables, with no net."""

TRAINED = ("rates", "2", "beyond")
"""What needs the learners' runs."""

GAMES = ("table-1", "table-2", "table-3", "prior", "backup", "transfer")
"""What needs a net, or none, and games."""

PARTS = (*EXACT, *TRAINED, *GAMES)
"""What can be asked for."""

SAMPLED = "net:{},temperature=1"
"""How a net plays in figure 2: every move is drawn from its policy."""

GREEDY = "net:{}"
"""The policy's best move."""

TUNING = 100
"""The first seed of runs that choose a learning rate: no run that is then measured has it."""

START = "imitate-base-1/runs/00/checkpoints/latest.safetensors"
"""Where the supervised net of a board lies, from the folder of all sweeps, after the board's size."""


@dataclass(frozen=True, eq=False)
class Learner:
    """One of the paper's five, or one beyond them."""

    name: str
    """As the paper calls it."""
    key: str
    """What folders call it: 'amcpg-a'."""
    config: str
    """Its settings, as ``Sweep`` has them."""
    fields: Setting
    repeats: bool
    """Whether it plays k continuations of a move."""
    minimum: bool = False
    """Whether the worst of their results counts."""
    like: str = ""
    """The learner whose learning rate it has, by its key; '' where it has its own."""


LEARNERS = (
    Learner("REINFORCE-V", "reinforce-v", REINFORCE, {"variant": "v"}, repeats=False),
    Learner("REINFORCE-A", "reinforce-a", REINFORCE, {"variant": "a"}, repeats=False),
    Learner("REINFORCE-B", "reinforce-b", REINFORCE, {"variant": "b"}, repeats=True),
    Learner("AMCPG-A", "amcpg-a", AMCPG, {"variant": "a"}, repeats=True, minimum=True),
    Learner("AMCPG-B", "amcpg-b", AMCPG, {"variant": "b"}, repeats=True, minimum=True),
)
"""The paper's, in its order."""

MEAN = LEARNERS[2]
"""The one from which those with a minimum differ in nothing else."""

BEYOND = (
    Learner("AMCPG-B, soft minimum", "soft", AMCPG, {"variant": "b", "temperature": 1.0}, repeats=True, like="amcpg-b"),
    Learner("AMCPG-B, all replies", "all", AMCPG, {"variant": "b", "k": 1000}, repeats=True, like="amcpg-b"),
    Learner("AMCPG-B, least mean of 4", "least", AMCPG, {"variant": "b", "repeats": 4}, repeats=True, like="amcpg-b"),
    Learner(
        "AMCPG-A, less the mean", "less", AMCPG, {"variant": "a", "baseline": "mean"}, repeats=True, like="amcpg-a"
    ),
    Learner("actor and critic", "critic", ADVERSARIAL, {}, repeats=False),
)
"""What the paper does not have, or calls for: a minimum that is soft, over all replies, or of means; returns less the
mean of the others'; and an actor with a critic."""


@dataclass(frozen=True)
class Searches:
    """Tree searches that meet at equal cost."""

    sizes: tuple[int, ...]
    """The boards: the net was trained on one of them, or on none."""
    sims: int
    """Simulations a move."""
    seconds: float
    """Seconds a move, where time is equal."""
    games: int | None = None
    """Of a match at equal simulations; every opening once with each colour, if not given."""
    timed_games: int | None = None
    """Of a match at equal time."""
    manner: str = ""
    """What all searches have: ',knowledge=0' leaves out connections, which decide nearly all on a small board."""

    def plain(self, more: str = "") -> str:
        """A search as it is, with so many simulations a move."""
        return f"uct:sims={self.sims}{self.manner}{more}"

    def timed(self, more: str = "") -> str:
        """With so much time."""
        return f"uct:time={self.seconds}{self.manner}{more}"


@dataclass(frozen=True)
class Scale:
    """How much is done."""

    name: str
    start: Setting
    """The settings of the supervised net, its board's ``size`` among them."""
    run: Setting
    """Those of all learners."""
    boards: Mapping[int, tuple[int, ...]]
    """By the side of a board: the k that learners have there. The first is the supervised net's own."""
    seeds: Mapping[int, int]
    """How many runs of every learner, by k; those without continuations have as many as the least k."""
    beyond_seeds: int
    """How many of each of those beyond the paper."""
    points: int
    """Nets of each run that meet the yardstick, evenly spread, the start among them."""
    rounds: int
    """How often the start, which all runs share, and nets that choose a rate play every opening with each colour."""
    opponent: str
    """The yardstick of figure 2, where nobody names another."""
    rates: Mapping[str, tuple[float, ...]]
    """By the learner's key: learning rates to choose from. Those beyond the paper's five have one."""
    rate_seeds: int
    """Runs for each of them."""
    searches: Searches
    """The matches between tree searches."""
    sizes: tuple[int, ...]
    """Boards on which the net meets a random player, with the one that it was trained on."""
    exact: tuple[int, ...]
    """Boards on which policies and gradients are worked out exactly: 2x2 and 3x3 are possible."""
    table: Trial
    """The learners with a table."""
    at_once: int | None = None
    """Runs at a time; as many as there are processes, if not given."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        refuse_none(self)
        if self.size not in self.boards:
            raise ValueError(f"boards={dict(self.boards)} is not possible: {self.size}, where it starts, is missing")
        for learner in (*LEARNERS, *BEYOND):
            if not self.rates.get(learner.like or learner.key):
                raise ValueError(f"rates={dict(self.rates)} is not possible: {learner.key} has none")

    @property
    def size(self) -> int:
        """The side of the board that the supervised net is trained on."""
        return int(self.start["size"])

    def supervised(self) -> Plan:
        """The run of the supervised net."""
        return Plan(IMITATE, self.start, 1, 1.0, name="imitate")

    def plan(self, learner: Learner, rate: float, k: int, size: int) -> Plan:
        """The runs of a learner on a board from the supervised net; those without continuations have no k."""
        fields = {**self.run, "size": size, "learning_rate": rate, "start": f"{self.size}x{self.size}-{START}"}
        name = learner.key
        if learner.repeats:
            fields["k"] = k
            name += f"-k{k}"
        fields |= learner.fields
        cost = (1 + k / 2 if learner.repeats else 1.0) * size**4
        words = f"{rate:g}".replace(".", "_").replace("-", "m")
        return Plan(learner.config, fields, self.seeds[k], cost, name=f"{name}-r{words}")

    def plans(self, learner: Learner, rate: float) -> Iterator[Plan]:
        """The runs of one of the paper's learners on all boards."""
        for size, ks in self.boards.items():
            for k in ks if learner.repeats else (min(ks),):
                yield self.plan(learner, rate, k, size)

    def tuning(self, learner: Learner) -> dict[float, Plan]:
        """The runs that choose a learner's rate, all with the least k; none where there is but one rate."""
        rates = self.rates[learner.key]
        k = min(self.boards[self.size])
        return {rate: self.plan(learner, rate, k, self.size) for rate in rates} if len(rates) > 1 else {}


def point(name: str, net: Path, opponent: str, size: int, rounds: int = 1) -> Meeting:
    """A net of figure 2: every opening so often with each colour, every move drawn from its policy."""
    return Meeting(name, str(spec.filled(SAMPLED, str(net))), opponent, size, "all", 2 * rounds * size**2)


def sharpened(start: Meeting) -> Meeting:
    """The same net's best moves: what a sharper policy alone would be worth."""
    player = start.player.removesuffix(",temperature=1")
    return Meeting(f"{start.name}, best moves", player, start.opponent, start.size, "all")


def against_random(net: Path, size: int) -> Meeting:
    """A net's best moves against a random player."""
    return Meeting(f"{size}x{size}", str(spec.filled(GREEDY, str(net))), "random", size, "all")


def prior(template: str, net: Path) -> str:
    """A search that asks a net for its priors, as a player's text."""
    return str(spec.filled(f"{template},prior={{}}", str(net)))


def chosen(scores: Mapping[float, Sequence[float]]) -> float:
    """The learning rate with the highest mean share of games won; the first of equals."""
    return max(scores, key=lambda rate: sum(scores[rate]) / max(1, len(scores[rate])))


def _rates(summed: tuple[float, ...], single: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    """The rates of learners that sum over a game's moves and of those that take one; the critic's steps are Adam's."""
    return {**{learner.key: single if learner.repeats else summed for learner in LEARNERS}, "critic": (0.001,)}


SMOKE = Scale(
    name="smoke",
    start={"size": 3, "player": "uct:sims=10", "games": 12, "layers": 2, "channels": 4, "steps": 8, "row_steps": 8},
    run={"layers": 2, "channels": 4, "games": 8, "iterations": 2, "keep_iterations": 1},
    boards={3: (1,)},
    seeds={1: 1},
    beyond_seeds=1,
    points=2,
    rounds=1,
    opponent="resistance:depth=1",
    rates={**_rates((0.01,), (0.01,)), "reinforce-v": (0.01, 0.02)},
    rate_seeds=1,
    searches=Searches((3,), sims=10, seconds=0.01, games=2, timed_games=2),
    sizes=(3, 4),
    exact=(2,),
    table=Trial(iterations=2, taught_iterations=2, runs=2, rates=(0.5,), size=2),
)
SMALL = Scale(
    name="small",
    start={
        "size": 6,
        "player": "uct:sims=100,knowledge=0",
        "games": 3000,
        "jobs": 2,
        "layers": 4,
        "channels": 32,
        "steps": 4000,
        "row_steps": 500,
        "decay_from": 0.5,
    },
    run={"layers": 4, "channels": 32, "iterations": 100, "keep_iterations": 25, "exam_iterations": 50},
    boards={6: (1, 3)},
    seeds={1: 5, 3: 5},
    beyond_seeds=3,
    points=3,
    rounds=3,
    opponent="resistance:depth=1",
    rates=_rates(summed=(0.001, 0.003, 0.01), single=(0.005, 0.015, 0.05)),
    rate_seeds=1,
    searches=Searches((7, 6), sims=100, seconds=0.05, games=200, timed_games=100, manner=",knowledge=0"),
    sizes=(5, 6, 7, 8),
    exact=(2, 3),
    table=Trial(iterations=600, taught_iterations=200, runs=5, rates=(0.25, 0.5, 1.0)),
)
PAPER = Scale(
    name="paper",
    start={"size": 9, "player": "uct:sims=1000", "games": 25_000, "jobs": 12, "device": "auto"},
    run={"iterations": 400, "device": "auto"},
    boards={9: (1, 3), 11: (1, 3, 6, 9)},
    seeds={1: 3, 3: 3, 6: 1, 9: 1},
    beyond_seeds=1,
    points=5,
    rounds=1,
    opponent="resistance:depth=1",
    rates=_rates(summed=(0.0003, 0.001, 0.003), single=(0.001, 0.003, 0.01)),
    rate_seeds=1,
    searches=Searches((9, 10, 11, 12, 13), sims=1000, seconds=1.0, timed_games=100),
    sizes=(8, 9, 11, 13, 15),
    exact=(2, 3),
    table=Trial(iterations=1500, taught_iterations=300, runs=10, rates=(0.125, 0.25, 0.5, 1.0)),
    at_once=1,
)
SCALES = {scale.name: scale for scale in (SMOKE, SMALL, PAPER)}
