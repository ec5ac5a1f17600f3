"""Figures 4 and 5, the corrected settings, PPO, and SAC with its mistakes."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from fingal.arena import charts, net_games
from fingal.arena.charts import Curve
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.arena.statistics import Rate
from fingal.experiments import ablation
from fingal.experiments.ablation import Measure, Trained
from fingal.experiments.intervals import mean_of
from fingal.experiments.matches import in_percent
from fingal.experiments.paper_003 import lineages, quoted, soft_mistakes
from fingal.experiments.paper_003.hall import Agent, Hall
from fingal.experiments.paper_003.lineages import Lineage
from fingal.experiments.paper_003.protocol import BEATEN, BINNED, TRANSFER, Scale
from fingal.game.picture import Picture

BASE_HEAD = ["", "the paper", "seeds that won 50 in a row", "episodes of each", "median", "as first", "as second"]
"""What stands over ``base_row``."""


def base_sections(runs: Sequence[Lineage], home: int, pictures: dict[str, Picture]) -> list[Section]:
    """Figure 4, once for each board: that of ``home`` first, the others with their boards in their names."""
    return [
        base_section(same, pictures, "" if size == home else f"{size}x{size}")
        for size, same in lineages.by_size(runs, home).items()
    ]


def base_section(runs: Sequence[Lineage], pictures: dict[str, Picture], board: str = "") -> Section:
    """Figure 4: episodes until 50 games in a row are won against the random player; ``board`` is said in names."""
    named: dict[str, list[Lineage]] = {}
    for name, run in zip(lineages.labels(runs), runs, strict=True):
        named.setdefault(name, []).append(run)
    curves, rows = [], []
    for name, same in named.items():
        points = lineages.mean_curve([run.of(0) for run in same], "win_rate", 60)
        ends = [(mean.low, mean.high) for _, mean in points] if len(same) > 1 else ()
        curves.append(Curve(name, [(at, mean.value) for at, mean in points], ends))
        rows.append(base_row(name, same))
    size, key = runs[0].size, f"figure-4-{board}" if board else "figure-4"
    pictures[key] = charts.plane(
        f"{size}x{size}: won of the last 50 against the random player",
        curves,
        x_name="episode",
        y_range=(0.0, 1.0),
        write_y=charts.percent,
        width=640.0,
        height=420.0,
    )
    words = (
        "<p><b>The paper</b>, on 7x7: Convolutional is the fastest with 146 episodes, Transformer2 the slowest with "
        "1356; it says nothing of other seeds. In its program Transformer2 had a tenth of the others' learning rate. "
        "<b>Here</b> all have the same settings; games are those of training, random moves included.</p>"
    )
    body = words + chart(pictures[key]) + table(BASE_HEAD, rows)
    told = f" on {board}" if board else ""
    return Section(key, f"Figure 4: until 50 games in a row are won{told}", body, f"Figure 4{told}")


def base_row(name: str, same: Sequence[Lineage]) -> list[str]:
    """How long runs of one kind took to beat the random player."""
    reached = [run.streak() for run in same]
    said = quoted.EPISODES.get(name)
    marks = [[value for run in same if (value := run.last(figure)) is not None] for figure in BEATEN]
    shares = [
        "·" if not values else mean_of(key, values).as_percent() for key, values in zip(BEATEN, marks, strict=True)
    ]
    return [
        text(name),
        "·" if said is None else str(said),
        in_percent(Rate(sum(number is not None for number in reached), len(reached))),
        ", ".join("never" if number is None else str(number) for number in reached),
        median(reached),
        *shares[:2],
    ]


def median(reached: Sequence[int | None]) -> str:
    """The middle of the episodes, where those that never won are the longest."""
    middle = statistics.median([float("inf") if number is None else float(number) for number in reached])
    return "never" if middle == float("inf") else f"{middle:g}"


def bin_section(runs: Sequence[Lineage], scale: Scale, pictures: dict[str, Picture]) -> Section | None:
    """Figure 5: how fast the generations learn, some at a time."""
    shown = [run for run in runs if run.net == BINNED and run.size == scale.size and run.grown and not run.variant]
    if not shown:
        return None
    longest = max(shown, key=lambda run: max(run.generations))
    drawn = []
    for figure, title in (("win_rate", "won of the last 50"), ("length", "own moves a game")):
        curves = []
        for name, numbers in lineages.bins(longest, scale.bin):
            points = lineages.mean_curve([run.of(one) for run in shown for one in numbers], figure)
            curves.append(Curve(name, [(at, mean.value) for at, mean in points]))
        pictures[f"figure-5-{figure}"] = charts.plane(
            f"{BINNED} on {scale.size}x{scale.size}: {title}",
            [curve for curve in curves if curve.points],
            x_name="episode of the generation",
            y_range=(0.0, 1.0) if figure == "win_rate" else None,
            write_y=charts.percent if figure == "win_rate" else charts.plain,
            width=520.0,
            height=360.0,
        )
        drawn.append(chart(pictures[f"figure-5-{figure}"]))
    ends = [(run.streak(number), number) for run in shown for number in run.grown]
    words = (
        "<p><b>The paper:</b> early generations win sooner, and their games are longer. <b>Here</b> the mean over the "
        f"generations of a bin{' and seeds' if len(shown) > 1 else ''}; one that has ended keeps its last figure. "
        f"{sum(episodes is not None for episodes, _ in ends)} of {len(ends)} generations ended by 50 wins in a row.</p>"
    )
    return Section("figure-5", "Figure 5: generations", words + grid(drawn), "Figure 5")


Rivals = dict[tuple[str, int], tuple[Lineage, Lineage, net_games.Games]]
"""By variant and seed: the run with the paper's settings, the corrected one, and their games."""


def rivals(hall: Hall, runs: Sequence[Lineage], size: int) -> Rivals:
    """The last nets of runs with equal seeds, every opening with each colour."""
    here = [run for run in runs if run.net == TRANSFER and run.size == size]
    literal = {run.seed: run for run in here if not run.variant and run.grown}
    made: Rivals = {}
    for other in (run for run in here if run.variant and run.seed in literal):
        one = literal[other.seed]
        agents = [Agent("paper", 0, one.latest), Agent("corrected", 0, other.latest)]
        pairs = net_games.between([0], [1])
        name = f"{other.variant.replace(' ', '-')}-{size}x{size}-{other.seed}"
        made[other.variant, other.seed] = one, other, hall.from_every_opening(name, agents, pairs, size)
    return made


def rival_section(met: Rivals) -> Section | None:
    """The paper's settings against the corrected ones."""
    if not met:
        return None
    rows = []
    for (name, seed), (one, other, games) in met.items():
        shares = (tinted(rate.value, in_percent(rate)) for rate in games.rates([1]))
        rows.append([text(f"{name}, seed {seed}"), *shares, _marks(one), _marks(other)])
    size = next(iter(met.values()))[0].size
    words = (
        "<p>In the paper a value is a chance from 0 to 1, 0.9 as much with every move, learned against past selves; a "
        "loss and a long game are worth the same. Corrected, it is what the game is worth, from -1 to 1, without a "
        "discount, negated for the other side, learned by self-play; or the values alone are corrected. All have "
        "made as many moves and updates, where their generations were enough for it. The last nets meet those of the "
        f"paper's settings on {size}x{size} from every first stone with both colours: {_together(met)}.</p>"
    )
    head = ["", "wins", "as first", "as second", "marks of the paper's", "its own marks"]
    return Section("corrected", "The paper's settings against the corrected", words + table(head, rows), "Corrected")


def _together(met: Rivals) -> str:
    """What each variant wins, all seeds together."""
    told = []
    for name in dict.fromkeys(variant for variant, _ in met):
        rates = [games.rates([1])[0] for (variant, _), (*_, games) in met.items() if variant == name]
        total = Rate(sum(rate.wins for rate in rates), sum(rate.games for rate in rates))
        told.append(f"{text(name)} wins {in_percent(total)}")
    return ", ".join(told)


def _marks(run: Lineage) -> str:
    """The marks of the net that plays: those of the last row, not of a generation that ended before it."""
    end = run.rows[-1] if run.rows else {}
    told = [f"{title} {100 * end[key]:.1f}%" for key, title in BEATEN.items() if key in end]
    return text("; ".join([*told, f"{run.last('moves') or 0:,.0f} moves"]))


def measures(runs: Mapping[str, Sequence[Trained]], size: int) -> dict[str, Measure]:
    """What arms are compared by: the marks in the last row of their runs."""
    return {
        key: Measure(f"{size}x{size}: {title}", {name: ablation.end(made, key) for name, made in runs.items()})
        for key, title in BEATEN.items()
    }


def policy_section(runs: Sequence[Trained], scale: Scale) -> Section | None:
    """PPO, which the paper gave up."""
    ends = {key: ablation.end(runs, key) for key in BEATEN}
    if not any(ends.values()):
        return None
    words = (
        "<p><b>The paper:</b> PPO was tried with a library and given up; no numbers. <b>Here</b> against the random "
        "player, 256 games with either side, best moves; means over seeds with Student's intervals.</p>"
    )
    cells = ["·" if mean is None else tinted(mean.value, mean.as_percent()) for mean in ends.values()]
    body = words + table(["", "seeds", *BEATEN.values()], [["PPO", str(len(runs)), *cells]])
    return Section("ppo", f"PPO on {scale.ppo['size']}x{scale.ppo['size']}", body, "PPO")


def mistake_sections(
    runs: Mapping[str, Sequence[Trained]], size: int, pictures: dict[str, Picture]
) -> list[Section | None]:
    """SAC with each mistake of the public program, and with what the paper did not try."""
    both = (soft_mistakes.MISTAKES, soft_mistakes.BEYOND)
    return [ablation.section(choice, measures(runs, size), pictures) for choice in both]


def findings(bases: Sequence[Lineage], home: int, met: Rivals) -> dict[str, Any]:
    """Figure 4's episodes, on ``home`` and elsewhere, and the corrected settings' games, for JSON."""
    reached = {size: _streaks(same) for size, same in lineages.by_size(bases, home).items()}
    return {
        "episodes_to_50_wins": reached.pop(home, {}),
        "episodes_to_50_wins_elsewhere": {f"{size}x{size}": told for size, told in reached.items()},
        "corrected_wins": {f"{name}, seed {seed}": games.rates([1]) for (name, seed), (*_, games) in met.items()},
    }


def _streaks(runs: Sequence[Lineage]) -> dict[str, list[int | None]]:
    """By name: the episodes of each run."""
    reached: dict[str, list[int | None]] = {}
    for name, run in zip(lineages.labels(runs), runs, strict=True):
        reached.setdefault(name, []).append(run.streak())
    return reached
