"""What needs no net: policy iteration on small games, and how far the gradients' estimators are from their aims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fingal.arena import charts
from fingal.arena.charts import Curve
from fingal.arena.report.markup import Section, chart, grid, table, text
from fingal.game.picture import Picture
from fingal.learn import alternating, gradient_bias
from fingal.learn.alternating import SCHEMES, Summary
from fingal.learn.gradient_bias import Bias
from fingal.learn.parts.markov_games import G1, G2, Game, Policy, hex_game

ITERATIONS = 12
"""Of policy iteration that are shown."""

STARTS = 20
"""Random policies that it begins from where there are too many to try all."""


@dataclass(frozen=True)
class Exact:
    """What was worked out."""

    schemes: Sequence[Summary] = ()
    bias: dict[int, list[Bias]] = field(default_factory=dict)
    """By the board's side."""


def work_out(parts: Sequence[str], boards: Sequence[int]) -> Exact:
    """The parts that are asked for; Hex on these boards, beside the two games that are made for it."""
    schemes: list[Summary] = []
    if "schemes" in parts:
        for game in (G1, G2):
            schemes += alternating.compare(game, alternating.every_policy(game), ITERATIONS)
        for size in boards:
            game = hex_game(size)
            schemes += alternating.compare(game, random_policies(game, STARTS), ITERATIONS)
    bias = {size: gradient_bias.table(size) for size in boards} if "bias" in parts else {}
    return Exact(schemes, bias)


def random_policies(game: Game, count: int) -> list[Policy]:
    """So many, every action as likely as any other."""
    rng = np.random.default_rng(1)
    return [game.random_policy(rng) for _ in range(count)]


def sections(found: Exact, pictures: dict[str, Picture]) -> list[Section]:
    """What there is something for."""
    made = []
    if found.schemes:
        made.append(scheme_section(found.schemes, pictures))
    if found.bias:
        made.append(bias_section(found.bias))
    return made


def scheme_section(found: Sequence[Summary], pictures: dict[str, Picture]) -> Section:
    """The four schemes: a panel for each game, and from how many starts each finds the optimum."""
    drawn = []
    for name in dict.fromkeys(summary.game for summary in found):
        curves = [
            Curve(f"Algo.{summary.scheme}", [(float(at), share) for at, share in enumerate(summary.wrong)], dots=True)
            for summary in found
            if summary.game == name
        ]
        picture = charts.plane(
            f"{name}: states not yet worth the optimum",
            curves,
            x_name="iteration",
            y_name="share of states, over all starts",
            x_range=(0.0, float(ITERATIONS)),
            y_range=(0.0, 1.0),
            write_y=charts.percent,
            width=420.0,
            height=300.0,
        )
        pictures[f"schemes-{name.lower().replace(' ', '-')}"] = picture
        drawn.append(chart(picture))
    rows = [
        [
            text(f"{summary.game}, Algo.{summary.scheme}: {SCHEMES[summary.scheme]}"),
            f"{summary.found} of {summary.starts}",
            text(", ".join(f"{count} of length {period}" for period, count in summary.periods.items() if period > 1))
            or "none",
            str(summary.longest),
        ]
        for summary in found
    ]
    words = (
        "<p><b>The paper:</b> of four ways to iterate policies in an alternating Markov game only Algo.3 and Algo.4 "
        "converge in general; no example is given. <b>Here</b> two small games in which Algo.1 or Algo.2 goes round in "
        "circles, and Hex, where the game cannot return to a position and all four must converge.</p>"
    )
    head = ["", "starts that end at the optimum", "starts that end in a circle", "iterations, at most"]
    return Section("schemes", "Policy iteration in four ways", words + grid(drawn) + table(head, rows), "Schemes")


def bias_section(found: dict[int, list[Bias]]) -> Section:
    """How biased is the minimum."""
    body = ""
    for size, rows in found.items():
        for policy in dict.fromkeys(row.policy for row in rows):
            cells = [
                [
                    text(row.estimator),
                    *(f"{value:.3f}" for value in (row.self_play, row.least_reply, row.best_responder)),
                    f"{row.length:.3f}",
                    f"{row.offset:+.2f}",
                    f"{row.noise:.1f}",
                    f"{row.moves:.1f}",
                ]
                for row in rows
                if row.policy == policy
            ]
            head = ["", "self-play", "least reply", "best responder", "length", "offset", "noise", "moves"]
            body += f"<h3>{size}x{size}, policy {text(policy)}</h3>" + table(head, cells)
    words = (
        "<p><b>The paper:</b> the least of several results stands for the least over replies of an expected result. "
        "<b>Here</b> by enumeration, with a table of logits as the policy: the cosine between an estimator's mean and "
        "the gradient of self-play, of the least reply (what the paper's objective asks for) and against a best "
        "responder; its length beside REINFORCE-V's; how much more than its worth a move is given; the noise of one "
        "game in lengths of the mean; and the moves that one game and its continuations take.</p>"
    )
    return Section("bias", "How biased the estimators are", words + body, "Bias")


def findings(found: Exact) -> dict[str, Any]:
    """For JSON."""
    told: dict[str, Any] = {}
    if found.schemes:
        told["schemes"] = {
            f"{summary.game}, Algo.{summary.scheme}": [summary.found, summary.starts] for summary in found.schemes
        }
    if found.bias:
        told["bias"] = {size: [asdict(row) for row in rows] for size, rows in found.bias.items()}
    return told
