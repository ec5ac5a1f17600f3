"""The page's sections: each figure beside what the paper says of it, the table, and what the paper lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fingal.arena import charts
from fingal.arena.charts import Row
from fingal.arena.report.markup import Section, chart, grid, table, text, tinted
from fingal.experiments.figure import PERCENT, YNAMES, Figure, draw, ends, panels
from fingal.experiments.intervals import Mean, last, select, student_mean
from fingal.experiments.paper_000.figures import LEARNERS, NETS, OBJECTIVES, READINGS
from fingal.experiments.paper_000.tournament import (
    CONTRASTS,
    ENTERED,
    KINDS,
    Contrast,
    Game,
    Kind,
    difference,
    direct,
    standings,
)
from fingal.experiments.sweep import Outcome
from fingal.game.picture import Picture, beside

Found = Mapping[str, Sequence[Outcome]]
"""What came of the sweeps, by name."""

WORDS = {
    "literal": "The paper's target, R + v(s')",
    "negamax": "The opponent's value negated, R - v(s')",
}

COLUMNS = 3
"""Panels beside each other on a sheet, so that it can be read in a column of text."""

PAPER_WINS = {"cnn-mse": ((20, 7), (23, 8)), "cnn-pbe": ((24, 14), (23, 12))}
"""Table I: games won as first and second, season by season. The columns of the RNN are lost; its two kinds won 109."""


def outcomes_of(figure: Figure, found: Found) -> list[Outcome]:
    """The runs that a figure shows: all those of its sweeps."""
    return [outcome for name, runs in found.items() if name.startswith(figure.sweep) for outcome in runs]


def figure_section(figure: Figure, found: Found, pictures: dict[str, Picture]) -> Section | None:
    """A figure; None when none of its runs is there. It is put into ``pictures`` on one sheet, too."""
    runs = outcomes_of(figure, found)
    if not runs:
        return None
    whole = sheet(figure, found)
    if whole is not None:
        pictures[f"figure-{figure.number:02d}"] = whole
    parts = [f"<p><b>The paper:</b> {text(figure.claim)}</p>", f"<p><b>Here:</b> {text(_summary(figure, runs))}</p>"]
    names = [figure.shown, *(name for name in ("keeps_win",) if name != figure.shown)]
    for reading in READINGS:
        parts.append(f"<h3>{text(WORDS[reading])}</h3>")
        for name in names:
            drawn = panels(runs, figure, name, {"target": reading})
            if drawn:
                parts.append(f"<p>{text(YNAMES.get(name, name).capitalize())}.</p>{grid(map(chart, drawn), 'smalls')}")
        saturated = panels(runs, figure, "saturation", {"target": reading})
        parts.append(
            f"<details><summary>Saturation, and how it ended</summary>{grid(map(chart, saturated), 'smalls')}"
            f"{_ends_table(figure, runs, reading)}</details>"
        )
    title = f"Figure {figure.number}: {figure.title}"
    return Section(f"figure-{figure.number}", title, "".join(parts), str(figure.number))


def sheet(figure: Figure, found: Found) -> Picture | None:
    """A figure on one sheet: what the paper draws, with its own target; below it how well the right target plays."""
    runs = outcomes_of(figure, found)
    rows = [("literal", figure.shown)]
    rows += [("negamax", "keeps_win")] if figure.shown == "value" else [("negamax", figure.shown)]
    pictures: list[Picture] = []
    headings: list[str] = []
    columns = min(len(figure.panels), COLUMNS)
    for reading, name in rows:
        drawn = panels(runs, figure, name, {"target": reading})
        # Each reading begins a line of its own.
        empty = [Picture(1.0, 1.0, ())] * (-len(drawn) % columns)
        pictures += [*drawn, *empty]
        headings += [f"{reading}: {YNAMES[name]}"] * len(drawn) + [""] * len(empty)
    return beside(pictures, headings, columns, charts.INK) if pictures else None


def reading_section(found: Found, pictures: dict[str, Picture]) -> Section | None:
    """Both readings in one figure: SARSA and Q-learning at the best step sizes of each."""
    runs = [run for run in found.get("figure-20", ()) if run.asked["rule"] in ("sarsa", "q")]
    if not runs:
        return None
    arms = [
        (f"{name}, {reading}", {"rule": rule, "target": reading})
        for reading in READINGS
        for rule, name in (("sarsa", "SARSA"), ("q", "Q-learning"))
    ]
    names = ("value", "first_vs_best", "keeps_win", "sign")
    drawn = {name: draw(runs, arms, name, YNAMES[name].capitalize()) for name in names}
    pictures |= {f"readings-{name}": picture for name, picture in drawn.items() if picture is not None}
    words = (
        "<p>With the paper's target every finished game pays the value 1 to both players, whoever won: a net that says "
        "1 everywhere has no error left, and a mean value near 1 says nothing about play. With the opponent's value "
        "negated, right values alternate in sign along a game and their mean is far from 1.</p>"
    )
    return Section(
        "readings",
        "Two readings of the target",
        words + grid(chart(one) for one in drawn.values() if one is not None),
        "Two readings",
    )


def table_section(games: Mapping[str, Sequence[Game]], found: Found, pictures: dict[str, Picture]) -> Section | None:
    """Table I with both readings, and which of objective, target and net makes a difference."""
    parts = []
    for reading, played in games.items():
        if not played:
            continue
        parts.append(f"<h3>{text(WORDS[reading])}</h3>{_standings_table(played)}")
        rows = [
            Row(stand.kind.name, stand.share.value, stand.share.low, stand.share.high, f"{stand.wins} of {stand.games}")
            for stand in standings(played, KINDS)
        ]
        picture = charts.rows(f"Games won, all eight kinds ({reading})", rows, low=0, high=1, write=charts.percent)
        effects = effect_rows(played, found, reading)
        second = charts.rows(
            f"Differences in games won and won positions kept ({reading})",
            effects,
            low=-0.6,
            high=0.6,
            write=lambda value: f"{100 * value:+.0f}%",
        )
        pictures |= {f"table-{reading}": picture, f"effects-{reading}": second}
        parts.append(grid([chart(picture), chart(second)]))
        parts.append(
            "<p>Against its twin: the share of games won against the kind that differs in this alone, less 50%.</p>"
        )
    if not parts:
        return None
    claim = (
        "<p><b>The paper:</b> over two seasons of ten tournaments CNN-PBE won 73 and CNN-MSE 58 of their 120 games; "
        "the numbers of the RNN are lost, but both together won the other 109. PBE is said to be better than MSE in "
        "both nets, and the CNN better than the RNN.</p>"
    )
    return Section("table", "Table I: tournaments", claim + "".join(parts), "Table I")


def effect_rows(games: Sequence[Game], found: Found, reading: str) -> list[Row]:
    """The differences that the paper speaks of, each with its interval.

    Of all games won, of games won against twins (less a half), and of won positions kept.
    """
    rows = []
    for contrast in CONTRASTS:
        rows.append(_row(f"{contrast.name}: games won", difference(games, contrast)))
        against = direct(games, contrast)
        rows.append(_row(f"{contrast.name}: against its twin", _shifted(against, -0.5)))
        kept = exam_difference(found, reading, contrast)
        if kept is not None:
            rows.append(_row(f"{contrast.name}: won positions kept", kept))
    return rows


def exam_difference(found: Found, reading: str, contrast: Contrast) -> Mean | None:
    """By how much the one side of a contrast keeps more won positions than the other: the mean over seeds."""
    runs = found.get(f"table-1-{reading}", ())
    by_seed: dict[int, float] = {}
    for seed in sorted({run.asked["seed"] for run in runs}):
        means = []
        for value in (contrast.high, contrast.low):
            kinds = contrast.kinds(value)
            kept = [
                last(run, "keeps_win")
                for run in select(runs, {"seed": seed})
                if not run.diverged and Kind(run.asked["net"], run.asked["objective"], run.asked["targets"]) in kinds
            ]
            numbers = [number for number in kept if number is not None]
            if numbers:
                means.append(sum(numbers) / len(numbers))
        if len(means) == 2:
            by_seed[seed] = means[0] - means[1]
    return student_mean(list(by_seed.values()), (-1.0, 1.0)) if by_seed else None


def exam_section(found: Found, pictures: dict[str, Picture]) -> Section | None:
    """What the paper lacks: how well the learners play, over training games, on 3x3 and on larger boards."""
    parts = []
    arms = [(learner.name, {**learner.fields, "target": "negamax"}) for learner in LEARNERS]
    for name in ("keeps_win", "first_vs_best", "sign"):
        picture = draw(found.get("figure-20", ()), arms, name, f"3x3: {YNAMES[name]}")
        if picture is not None:
            pictures[f"exam-online-{name}"] = picture
            parts.append(chart(picture))
    batch = [
        (f"{net.name} {kind.name}", {**net.fields, **kind.fields, "target": "negamax"})
        for net in NETS
        for kind in OBJECTIVES
    ]
    for net, chosen in (("CNN", batch[:4]), ("RNN", batch[4:])):
        picture = draw(
            found.get("table-1-negamax", ()), chosen, "keeps_win", f"Batches, {net}, 3x3: won positions kept"
        )
        if picture is not None:
            pictures[f"exam-batch-{net.lower()}"] = picture
            parts.append(chart(picture))
    for name, runs in found.items():
        if name.startswith("board-"):
            size = name.removeprefix("board-")
            for measure in ("keeps_win", "sign"):
                picture = draw(runs, arms, measure, f"{size}x{size}: {YNAMES[measure]}")
                if picture is not None:
                    pictures[f"exam-{size}x{size}-{measure}"] = picture
                    parts.append(chart(picture))
    if not parts:
        return None
    words = "<p>The right target, and for the online learners the best settings of figures 5 to 8 and 11.</p>"
    return Section("exam", "Beyond the paper: play", words + grid(parts), "Play")


def time_section(found: Found) -> Section:
    """Runs, updates, time and speed, sweep by sweep."""
    rows = []
    for name, runs in sorted(found.items()):
        updates, seconds = sum(run.updates for run in runs), sum(run.seconds for run in runs)
        speed = f"{updates / seconds:,.0f}" if seconds else "·"
        diverged = sum(bool(run.diverged) for run in runs)
        rows.append([text(name), f"{len(runs):,}", f"{updates:,}", f"{seconds:,.0f}", speed, str(diverged or "")])
    said = sorted({run.diverged for runs in found.values() for run in runs if run.diverged})
    listed = "".join(f"<li>{text(sentence)}</li>" for sentence in said)
    folded = f"<details><summary>Runs that diverged</summary><ul>{listed}</ul></details>" if said else ""
    head = ["sweep", "runs", "updates", "seconds of a process", "updates/s", "diverged"]
    return Section("time", "Time", table(head, rows) + folded)


def _summary(figure: Figure, runs: Sequence[Outcome]) -> str:
    """What the runs came to, in a sentence for each reading."""
    sentences = []
    for reading in READINGS:
        rows = ends(runs, figure, (figure.shown, "keeps_win"), {"target": reading})
        shown = [row[figure.shown] for row in rows if row[figure.shown] is not None]
        kept = [row for row in rows if row["keeps_win"] is not None]
        if not shown or not kept:
            continue
        best = max(kept, key=lambda row: float(row["keeps_win"].value))
        made = select(runs, {**figure.fixed, "target": reading})
        perfect = sum(not run.diverged and bool(run.rows) and run.rows[-1].get("first_vs_best") == 1 for run in made)
        where = " with ".join(filter(None, (best["panel"], best["curve"])))
        sentences.append(
            f"{reading}: {YNAMES.get(figure.shown, figure.shown)} at the end from "
            f"{min(mean.value for mean in shown):.3f} to {max(mean.value for mean in shown):.3f}; at the end "
            f"{perfect} of {len(made)} runs beat the best responder as first; most won positions are kept by {where}, "
            f"{best['keeps_win'].as_percent()}."
        )
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _ends_table(figure: Figure, runs: Sequence[Outcome], reading: str) -> str:
    names = [figure.shown, *(name for name in ("keeps_win", "first_vs_best", "saturation") if name != figure.shown)]
    rows = []
    for row in ends(runs, figure, names, {"target": reading}):
        cells = [text(f"{row['panel']}, {row['curve']}")]
        for name in names:
            mean: Mean | None = row[name]
            if mean is None:
                cells.append('<td class="none">·</td>')
            elif name in ("keeps_win", "first_vs_best"):
                cells.append(tinted(mean.value, f"{100 * mean.value:.1f}%", mean.as_percent()))
            else:
                words = mean.as_percent() if name in PERCENT else str(mean)
                cells.append(text(words))
        cells.append(f"{row['diverged']} of {row['runs']}" if row["diverged"] else "")
        rows.append(cells)
    return table(["", *(YNAMES.get(name, name) for name in names), "diverged"], rows)


def _standings_table(games: Sequence[Game]) -> str:
    rows = []
    for stand in standings(games, ENTERED):
        key = f"{stand.kind.net}-{stand.kind.objective}"
        paper = PAPER_WINS.get(key)
        cells = [text(f"{stand.kind.net.upper()}-{stand.kind.objective.upper()}")]
        cells += [f"{first} / {second}" for first, second in stand.seasons]
        cells += [f"{stand.wins} of {stand.games}", text(stand.share.as_percent())]
        cells += [f"{first} / {second}" for first, second in paper] if paper else ["lost", "lost"]
        cells.append(str(sum(first + second for first, second in paper)) if paper else "109 for both")
        rows.append(cells)
    head = [
        "",
        "season 1: first / second",
        "season 2",
        "won",
        "share, 95%",
        "paper: season 1",
        "season 2",
        "won of 120",
    ]
    return table(head, rows)


def _row(name: str, mean: Mean) -> Row:
    return Row(
        name,
        mean.value,
        mean.low,
        mean.high,
        f"{100 * mean.value:+.1f} [{100 * mean.low:+.1f}, {100 * mean.high:+.1f}]",
    )


def _shifted(mean: Mean, by: float) -> Mean:
    return Mean(mean.value + by, mean.low + by, mean.high + by, mean.size)
