"""Table II: agents on boards that they were not trained on, against the random player and against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fingal.arena import net_games
from fingal.arena.report.markup import Section, table, text, tinted
from fingal.arena.statistics import Rate
from fingal.experiments.matches import in_percent
from fingal.experiments.paper_003 import quoted
from fingal.experiments.paper_003.hall import RANDOM, Agent, Hall
from fingal.experiments.paper_003.protocol import AGENTS, MATCHES
from fingal.experiments.paper_003.tournament import Tournament


@dataclass(frozen=True)
class Row:
    """The games of one group on one board."""

    trained: int
    played: int
    opponent: str
    """random, or others: the group of the other board."""
    seed: int
    agents: int
    won: Rate
    first: Rate
    second: Rate
    note: str = ""


def play(hall: Hall, held: Sequence[Tournament], boards: Sequence[int]) -> list[Row]:
    """Phases two and three for the two groups of each seed, on all boards; the paper's rows come first."""
    rows = []
    for seed in sorted({one.seed for one in held}):
        both = sorted((one for one in held if one.seed == seed), key=lambda one: one.size)
        chosen = {one.size: [one.agents[number] for number in one.best()] for one in both}
        for played in boards:
            rows += [
                _row(hall, trained, played, "random", seed, agents, [RANDOM]) for trained, agents in chosen.items()
            ]
        if len(chosen) == 2:
            small, large = chosen
            for played in boards:
                # Of a group that is at home and its guests the guests are counted; elsewhere the small board's group.
                trained, other = (large, small) if played == small else (small, large)
                rows.append(_row(hall, trained, played, "others", seed, chosen[trained], chosen[other]))
            rows.append(_mistaken(hall, small, large, seed, chosen[small][-1]))
    return rows


def _row(
    hall: Hall, trained: int, played: int, opponent: str, seed: int, agents: Sequence[Agent], others: Sequence[Agent]
) -> Row:
    """Every agent and every opponent, two games a match; with the random player several matches."""
    everyone = [*agents, *others]
    mine = range(len(agents))
    rounds = MATCHES if opponent == "random" else 1
    pairs = net_games.between(mine, range(len(agents), len(everyone)), rounds)
    name = f"table-2-{trained}-on-{played}-{opponent}-{seed}"
    games = hall.play(name, everyone, pairs, played)
    return Row(trained, played, opponent, seed, len(agents), *games.rates(mine))


def _mistaken(hall: Hall, small: int, large: int, seed: int, last: Agent) -> Row:
    """What the public program would have written down for the large board's agents: the last of the small board's."""
    pairs = net_games.between([0], [1], AGENTS * MATCHES)
    games = hall.play(f"table-2-mistaken-{seed}", [last, RANDOM], pairs, large)
    note = f"the last {small}x{small} agent in their place"
    return Row(large, large, "random", seed, 1, *games.rates([0]), note)


def section(rows: Sequence[Row], boards: tuple[int, int]) -> Section | None:
    """The paper's rows beside ours, then the boards that it has not."""
    if not rows:
        return None
    words = (
        f"<p>The {AGENTS} best of each group meet the random player in {MATCHES} matches of two games, and every agent "
        "of the other group in one match. <b>The paper:</b> both groups beat the random player, and agents of a large "
        "board transfer better to a small one than the other way round, by 12.0% (in its words 23%) to 2.5%. If "
        "training on another board cost nothing, a group would win half of its games with the other. In the public "
        "program the agents of the large board never met the random player: the last agent of the small board did, in "
        "their place. A row says what that gives.</p>"
    )
    paper = {(row.trained, row.played, row.opponent): row.percent for row in quoted.TABLE_2}
    seeds = len({row.seed for row in rows}) > 1
    cells = []
    for row in sorted(rows, key=lambda row: (row.played not in boards, bool(row.note), row.opponent != "random")):
        opponent = "random" if row.opponent == "random" else "the other group"
        said = paper.get((row.trained, row.played, row.opponent))
        cells.append(
            [
                text(f"{row.trained}x{row.trained}" + (f", seed {row.seed}" if seeds else "")),
                f"{row.played}x{row.played}",
                text(f"{opponent}; {row.note}" if row.note else opponent),
                *(tinted(rate.value, in_percent(rate)) for rate in (row.won, row.first, row.second)),
                "·" if said is None or row.note else f"{said:.1f}%",
            ]
        )
    head = ["trained on", "played on", "opponent", "won", "as first", "as second", "the paper"]
    return Section("table-2", "Table II: other boards", words + table(head, cells), "Table II")


def findings(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For JSON."""
    return [
        {"trained": row.trained, "played": row.played, "opponent": row.opponent, "seed": row.seed, "note": row.note}
        | {"won": row.won, "first": row.first, "second": row.second}
        for row in rows
    ]
