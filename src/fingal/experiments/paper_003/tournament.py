"""Figures 6 and 7: agents of all generations against each other, and the best of them from every opening."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fingal.arena import charts, net_games
from fingal.arena.charts import Curve
from fingal.arena.net_games import Games
from fingal.arena.ratings import Ratings
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.arena.statistics import Rate
from fingal.experiments.intervals import student_mean
from fingal.experiments.matches import in_percent
from fingal.experiments.paper_003 import quoted
from fingal.experiments.paper_003.hall import Agent, Hall
from fingal.experiments.paper_003.lineages import Lineage, by_seed
from fingal.experiments.paper_003.protocol import AGENTS, TRANSFER
from fingal.game.picture import Picture
from fingal.nets.choice import PAPER_NAMES

FEW = 60
"""Up to so many agents intervals of Elo are made of 200 resamples; beyond, of 50, which take as long."""


@dataclass(frozen=True, eq=False)
class Tournament:
    """Agents that have met: every pair twice, each as first player once."""

    size: int
    seed: int
    agents: Sequence[Agent]
    games: Games

    def rate(self, number: int) -> Rate:
        """An agent's share of all its games."""
        return Rate(int(self.games.won(len(self.agents))[number].sum()), 2 * (len(self.agents) - 1))

    def wins(self) -> list[int]:
        """By agent."""
        found: list[int] = self.games.won(len(self.agents)).sum(1).tolist()
        return found

    def best(self, count: int = AGENTS) -> list[int]:
        """The agents with most wins, by number; the later generation of equals."""
        wins = self.wins()
        order = sorted(range(len(wins)), key=lambda one: (-wins[one], -self.agents[one].generation))
        return order[:count]

    def kinds(self) -> list[str]:
        """Whose agents they are, in order."""
        return list(dict.fromkeys(agent.kind for agent in self.agents))

    def of(self, kind: str) -> list[int]:
        """The agents of a kind, by number."""
        return [number for number, agent in enumerate(self.agents) if agent.kind == kind]

    def within(self, kind: str) -> Tournament:
        """The tournament of one kind's agents alone."""
        chosen = self.of(kind)
        there = np.full(len(self.agents), -1)
        there[chosen] = range(len(chosen))
        inside = self.games.where(np.asarray(np.isin(self.games.pairs, chosen).all(1)))
        games = Games(there[inside.pairs], inside.openings, inside.black_won, inside.moves)
        return Tournament(self.size, self.seed, [self.agents[number] for number in chosen], games)

    @functools.cached_property
    def ratings(self) -> Ratings:
        """Everyone's Elo; the mean is 0. Of hundreds of agents it takes half a minute."""
        names = [agent.name for agent in self.agents]
        return self.games.ratings(names, resamples=200 if len(names) <= FEW else 50)


def entered(runs: Sequence[Lineage], size: int) -> dict[int, list[Agent]]:
    """By seed: every generation but the first of the paper's nets with the paper's values, in the paper's order."""
    here = [run for run in runs if run.size == size and not run.variant and run.net in PAPER_NAMES and run.grown]
    here.sort(key=lambda run: PAPER_NAMES.index(run.net))
    return {
        seed: [Agent(name, number, net) for name, run in named for number, net in run.grown.items()]
        for seed, named in by_seed(here).items()
    }


def play(hall: Hall, runs: Sequence[Lineage], home: int, sizes: Sequence[int]) -> list[Tournament]:
    """Figure 6, for each seed: on ``home`` of all that has more than one agent, elsewhere of what has several nets.

    One net's agents on another board are figure 7's.
    """
    made = []
    for size in sorted(sizes, key=lambda size: (size != home, size)):
        for seed, agents in entered(runs, size).items():
            nets = {agent.kind.partition(",")[0] for agent in agents}
            if len(agents) > 1 and (size == home or len(nets) > 1):
                games = hall.round_robin(f"figure-6-{size}x{size}-{seed}", agents, size)
                made.append(Tournament(size, seed, agents, games))
    return made


def groups(hall: Hall, runs: Sequence[Lineage], sizes: Sequence[int]) -> list[Tournament]:
    """Figure 7, the first phase of table II: the agents of one net, by board and seed, among themselves."""
    made = []
    for size in sizes:
        for seed, agents in entered([run for run in runs if run.net == TRANSFER], size).items():
            if len(agents) > 1:
                games = hall.round_robin(f"figure-7-{size}x{size}-{seed}", agents, size)
                made.append(Tournament(size, seed, agents, games))
    return made


def forced(hall: Hall, held: Tournament) -> Tournament:
    """The best agents from every first stone, each pair with both colours."""
    agents = [held.agents[number] for number in held.best()]
    pairs = net_games.round_robin(len(agents))
    name = f"openings-{held.size}x{held.size}-{held.seed}"
    return Tournament(held.size, held.seed, agents, hall.from_every_opening(name, agents, pairs, held.size))


def section(held: Tournament, again: Tournament, home: int, pictures: dict[str, Picture]) -> Section:
    """Figure 6 of one board and seed: within a net, among all, Elo, and the best from every opening."""
    ratings = held.ratings
    name = f"figure-6-{held.size}x{held.size}-{held.seed}"
    drawn = {
        "within": [_curve(kind, held.within(kind)) for kind in held.kinds()],
        "all": [_curve(kind, held, kind) for kind in held.kinds()],
        "elo": [_elo_curve(kind, held, ratings) for kind in held.kinds()],
    }
    titles = {"within": "won within the same net", "all": "won among all", "elo": "Elo, the mean is 0"}
    for key, curves in drawn.items():
        share = key != "elo"
        pictures[f"{name}-{key}"] = charts.plane(
            f"{held.size}x{held.size}: {titles[key]}",
            curves,
            x_name="generation",
            y_name=titles[key],
            y_range=(0.0, 1.0) if share else None,
            write_y=charts.percent if share else charts.plain,
            width=520.0,
            height=360.0,
        )
    count, best = len(held.agents), held.best(1)[0]
    likely = ", ".join(map(str, quoted.agents_of(quoted.BEST_WINS, quoted.BEST_SHARE)))
    words = (
        f"<p><b>The paper:</b> {quoted.BEST_WINS} wins, {quoted.BEST_SHARE}%, for the 40th generation of "
        f"Convolutional+. 250 agents play 498 games each, of which {quoted.BEST_WINS} would be 95.4%; that percentage "
        f"fits {likely} agents. <b>Here</b> {count} agents, {len(held.games):,} games, each pair twice from the empty "
        f"board, best moves only; {held.games.distinct:,} games differ. The best is {text(held.agents[best].name)}: "
        f"{in_percent(held.rate(best))}.</p>"
    )
    body = (
        words + grid(chart(pictures[f"{name}-{key}"]) for key in drawn) + _kinds(held) + _ladder(held, again, ratings)
    )
    title = f"Figure 6: the tournament on {held.size}x{held.size}, seed {held.seed}"
    board = "" if held.size == home else f" on {held.size}x{held.size}"
    return Section(name, title, body, f"Figure 6{board}, seed {held.seed}")


def _kinds(held: Tournament) -> str:
    """A table: how each net's agents did against the others'."""
    rows = []
    for kind in held.kinds():
        numbers = held.of(kind)
        total, first, second = held.games.rates(numbers)
        best = max(numbers, key=lambda one: held.rate(one).value)
        shares = (tinted(rate.value, in_percent(rate)) for rate in (total, first, second))
        top = f"{held.agents[best].generation}: {in_percent(held.rate(best))}"
        rows.append([text(_title(kind)), str(len(numbers)), *shares, top])
    return table(["", "agents", "won against other nets", "as first", "as second", "best generation, all games"], rows)


def _ladder(held: Tournament, again: Tournament, ratings: Ratings) -> str:
    """A table: the best agents, their Elo, and what is left of it from every opening."""
    rows = []
    repeated = again.ratings
    for number, agent in enumerate(again.agents):
        rating, other = ratings.of(agent.name), repeated.of(agent.name)
        total = Rate(int(again.games.won(len(again.agents))[number].sum()), other.games)
        rows.append(
            [
                text(agent.name),
                in_percent(Rate(rating.wins, rating.games)),
                f"{rating.elo:+.0f} [{rating.interval[0]:+.0f}, {rating.interval[1]:+.0f}]",
                tinted(total.value, in_percent(total)),
                f"{other.elo:+.0f} [{other.interval[0]:+.0f}, {other.interval[1]:+.0f}]",
            ]
        )
    words = (
        f"<h3>The {len(again.agents)} best, and again from every first stone</h3><p>Two games of a pair from the empty "
        "board say little, and many games are near copies. So the best meet once more from every first stone, each "
        f"pair with both colours: {len(again.games):,} games, {again.games.distinct:,} of them different. Elo there is "
        "among these alone.</p>"
    )
    return words + table(["", "all games", "Elo", "won from every opening", "Elo there"], rows)


def group_section(held: Sequence[Tournament], pictures: dict[str, Picture]) -> Section | None:
    """Figure 7: games won over generations inside each group."""
    if not held:
        return None
    curves = []
    for size in sorted({one.size for one in held}):
        same = [one for one in held if one.size == size]
        points: dict[int, list[float]] = {}
        for one in same:
            for number, agent in enumerate(one.agents):
                points.setdefault(agent.generation, []).append(one.rate(number).value)
        means = [(float(at), student_mean(values, (0.0, 1.0))) for at, values in sorted(points.items())]
        ends = [(mean.low, mean.high) for _, mean in means] if len(same) > 1 else ()
        curves.append(Curve(f"{size}x{size}", [(at, mean.value) for at, mean in means], ends, dots=True))
    pictures["figure-7"] = charts.plane(
        f"{TRANSFER}: won within the group",
        curves,
        x_name="generation",
        y_range=(0.0, 1.0),
        write_y=charts.percent,
        width=560.0,
        height=380.0,
    )
    words = (
        "<p><b>The paper:</b> on 5x5 the scores no longer rise after about 20 generations, on 7x7 they do to the end. "
        "<b>Here</b> every agent of a group meets every other twice from the empty board"
        f"{'; means over seeds' if len(held) > len(curves) else ''}.</p>"
    )
    return Section("figure-7", "Figure 7: generations of two boards", words + chart(pictures["figure-7"]), "Figure 7")


def findings(held: Sequence[tuple[Tournament, Tournament]]) -> list[dict[str, Any]]:
    """Of each tournament: who won how often, for JSON; all agents, the best first."""
    told = []
    for one, again in held:
        ratings = one.ratings
        order = one.best(len(one.agents))
        told.append(
            {
                "size": one.size,
                "seed": one.seed,
                "agents": len(one.agents),
                "games": len(one.games),
                "distinct": one.games.distinct,
                "nets": {kind: one.games.rates(one.of(kind)) for kind in one.kinds()},
                "first_player_advantage_elo": [ratings.advantage, *ratings.advantage_interval],
                "ladder": [
                    {"agent": one.agents[number].name, "wins": one.rate(number).wins, "games": one.rate(number).games}
                    | {"elo": ratings.of(one.agents[number].name).elo}
                    | {"interval": ratings.of(one.agents[number].name).interval}
                    for number in order
                ],
                "openings": {
                    agent.name: Rate(int(again.games.won(len(again.agents))[number].sum()), _each(again))
                    for number, agent in enumerate(again.agents)
                },
            }
        )
    return told


def _each(held: Tournament) -> int:
    """Games of one agent."""
    return 2 * len(held.games) // len(held.agents)


def _title(kind: str) -> str:
    """Our name with the paper's."""
    net = kind.partition(",")[0]
    return f"{kind} ({quoted.TITLES[net]})" if net in quoted.TITLES else kind


def _curve(name: str, held: Tournament, kind: str | None = None) -> Curve:
    chosen = range(len(held.agents)) if kind is None else held.of(kind)
    return Curve(name, [(float(held.agents[one].generation), held.rate(one).value) for one in chosen])


def _elo_curve(kind: str, held: Tournament, ratings: Ratings) -> Curve:
    agents = [held.agents[number] for number in held.of(kind)]
    return Curve(kind, [(float(agent.generation), ratings.of(agent.name).elo) for agent in agents])
