"""Which runs are made, at which scale, with which seeds.

Every run is made with both readings of the target: ``literal``, as the paper prints it, and ``negamax``, which gives
the opponent's value the opposite sign. Where the paper leaves something open and a sweep does not vary it: epsilon 0.1,
alpha 0.01, beta/alpha 1, lambda 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fingal.experiments.figure import Arm, Figure
from fingal.experiments.intervals import best_of, select
from fingal.experiments.paper_000.figures import FIGURES, LEARNERS, READINGS
from fingal.experiments.request import refuse_none
from fingal.experiments.sweep import Outcome, Setting, Sweep

TD = "fingal.learn.td:TD"
ACTOR_CRITIC = "fingal.learn.actor_critic:ActorCritic"
BATCH = "fingal.learn.batch:Batch"

COST = {TD: 1.0, ACTOR_CRITIC: 2.0, BATCH: 0.5}
"""About how long a game takes with each learner, beside SARSA's."""

SEASONS = 2
"""Of the table's tournaments."""

FRESH = 1000
"""Where the seeds of figure 20 begin: its settings were chosen with others."""

FIRST = ("5", "6", "7", "8", "11")
"""The figures whose outcomes say what the best settings are."""

PARTS = (*(str(figure.number) for figure in FIGURES), "table", "boards")
"""What can be asked for: a figure's number, the table, and larger boards."""

TABLE = "table-1"
"""The sweep of figures 17 to 19 and of the table."""


@dataclass(frozen=True)
class Scale:
    """How much is done."""

    name: str
    seeds: int
    """Of every setting in figures 5 to 16."""
    games: int
    """Of every run in figures 5 to 11 and 14."""
    actor_games: int
    """Of every run with an actor: figures 12, 13 and a panel of 14."""
    rate_games: int
    """Of every run in figures 15 and 16."""
    batch_games: int
    """Of every run in figures 17 to 19 and the table."""
    best_seeds: int
    """Of every learner at its best setting: figure 20."""
    best_games: int
    """Of every run in figure 20."""
    tournaments: int
    """In each of two seasons. Every tournament has nets of its own."""
    larger: tuple[tuple[int, int], ...]
    """Larger boards: size and games."""
    checkpoints: int
    """Rows in every history."""
    thin: bool = False
    """Whether only the first and the last value of every sweep are tried."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        refuse_none(self)

    def figures(self) -> tuple[Figure, ...]:
        """The paper's figures, as they are shown at this scale."""
        if not self.thin:
            return FIGURES
        return tuple(
            replace(figure, panels=_ends(figure.panels), curves=_ends(figure.curves))
            if figure.number not in (17, 18, 19, 20)
            else figure
            for figure in FIGURES
        )


SMOKE = Scale("smoke", 2, 20, 20, 40, 40, 2, 20, 1, ((4, 10), (5, 10)), 2, thin=True)
SMALL = Scale("small", 3, 1500, 1000, 4000, 10_000, 5, 8000, 10, ((4, 3000), (5, 1500)), 10)
PAPER = Scale("paper", 5, 20_000, 20_000, 20_000, 20_000, 10, 20_000, 10, ((4, 50_000), (5, 100_000)), 20)
SCALES = {scale.name: scale for scale in (SMOKE, SMALL, PAPER)}


def sweeps(scale: Scale, parts: Sequence[str]) -> list[Sweep]:
    """The runs that some parts need, but for those at best settings, which are not known yet."""
    wanted = set(parts) | (set(FIRST) if {"20", "boards"} & set(parts) else set())
    names = {figure.sweep for figure in FIGURES if str(figure.number) in wanted}
    names |= {TABLE} if "table" in wanted else set()
    runs: dict[tuple[str, str], list[Setting]] = {}
    for figure in scale.figures():
        if figure.sweep in names and figure.sweep != "figure-20":
            for reading, (_, _, setting) in product(READINGS, figure.arms()):
                learner = learner_of(setting)
                # The table's runs are the longest: one sweep for each reading, so that two processes share them.
                name = f"{figure.sweep}-{reading}" if figure.sweep == TABLE else figure.sweep
                listed = runs.setdefault((name, learner), [])
                listed += [run for run in _seeded(scale, figure, setting, reading) if run not in listed]
    return [
        Sweep(name if learner != ACTOR_CRITIC else f"{name}-actor", learner, tuple(listed), COST[learner])
        for (name, learner), listed in runs.items()
    ]


def best_sweeps(scale: Scale, parts: Sequence[str], found: Mapping[str, Sequence[Outcome]]) -> list[Sweep]:
    """The runs at the best settings that the first figures have found, with fresh seeds."""
    made = []
    if "20" in parts:
        runs = [
            {
                **best_setting(found, learner, reading),
                "target": reading,
                **_length(scale.best_games, scale),
                "seed": FRESH + seed,
            }
            for reading, learner, seed in product(READINGS, LEARNERS, range(scale.best_seeds))
        ]
        made.append(Sweep("figure-20", TD, tuple(runs), COST[TD]))
    if "boards" in parts:
        for size, games in scale.larger:
            runs = [
                {
                    **best_setting(found, learner, "negamax"),
                    "target": "negamax",
                    "size": size,
                    **_length(games, scale),
                    "seed": FRESH + seed,
                }
                for learner, seed in product(LEARNERS, range(scale.seeds))
            ]
            made.append(Sweep(f"board-{size}", TD, tuple(runs), COST[TD] * size**2 / 4))
    return made


def best_setting(found: Mapping[str, Sequence[Outcome]], learner: Arm, reading: str) -> Setting:
    """The step sizes of a learner that did best in figures 5 to 8 and 11.

    By what the reading aims at: with the literal one the mean value, as in the paper; with the right one the share of
    won positions that are kept.
    """
    names = [figure.sweep for figure in FIGURES if str(figure.number) in FIRST]
    tried = [
        outcome for name in names for outcome in select(found.get(name, ()), {**learner.fields, "target": reading})
    ]
    if not tried:
        raise ValueError(f"there is no best setting of {learner.name}: its sweep came to nothing")
    keys = [key for key in ("alpha", "beta_ratio") if key in tried[0].asked]
    measure = "value" if reading == "literal" else "keeps_win"
    best = best_of(tried, lambda outcome: tuple(outcome.asked[key] for key in keys), measure, rows=2)
    return {**learner.fields, **dict(zip(keys, best, strict=True))}


def learner_of(setting: Setting) -> str:
    """Which learner has such a setting."""
    return ACTOR_CRITIC if "policy_natural" in setting else BATCH if "net" in setting else TD


def _seeded(scale: Scale, figure: Figure, setting: Setting, reading: str) -> Iterator[Setting]:
    batch_games = scale.batch_games if figure.sweep == TABLE else scale.rate_games
    games = {BATCH: batch_games, ACTOR_CRITIC: scale.actor_games, TD: scale.games}
    length = _length(games[learner_of(setting)], scale)
    for seed in range(SEASONS * scale.tournaments if figure.sweep == TABLE else scale.seeds):
        yield {**setting, "target": reading, **length, "seed": seed}


def _length(games: int, scale: Scale) -> Setting:
    return {"games": games, "rows": scale.checkpoints}


def _ends(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return arms if len(arms) <= 2 else (arms[0], arms[-1])
