"""Watch: the runs as they are learning, the league, and the reports.

Figures are read from a byte onwards and thinned out to what a chart can show, so that neither a long run nor many
people who look at it keep the server busy. Reports are pages that others may have written: they are served in a
sandbox, without a way to our own pages and their interface.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, Response

from fingal.arena.levels import read_league
from fingal.game import Record
from fingal.serve.web.messages import ColourName, Said, colour_name
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.run_files import BROKEN, Folder, Row, is_number, latest, read_part, title_of

POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A report may show itself and replay its games. It has an origin of its own and can load and ask for nothing."""

MOST_LISTED = 400

SIGNS = {
    "alphazero": {"full_simulations"},
    "distil": {"source", "held_out"},
    "apprentice": {"stray", "heat"},
    "ezo": {"latest_turn"},
    "imitate": {"most_random"},
    "neurohex": {"mentoring"},
    "dqn": {"generations", "more_episodes"},
    "ppo": {"trace", "clip"},
    "sac": {"entropy_target"},
    "adversarial": {"outcome", "iterations"},
    "amcpg": {"repeats", "variant"},
    "reinforce": {"normalise", "variant"},
}
"""A run does not write down its algorithm: what settings only that one has."""

COUNTED = {
    "alphazero": ("step", "steps"),
    "distil": ("step", "steps"),
    "apprentice": ("step", "steps"),
    "ezo": ("step", "epochs"),
    "imitate": ("step", "steps"),
    "neurohex": ("transitions", "transitions"),
    "dqn": ("moves", "moves"),
    "ppo": ("step", "iterations"),
    "sac": ("moves", "moves"),
    "adversarial": ("step", "iterations"),
    "amcpg": ("step", "iterations"),
    "reinforce": ("step", "iterations"),
}
"""Which figure says how far a run has come, and which setting how far it is to come."""


class Seen(Said):
    """A run in the list."""

    name: str
    algorithm: str
    """'' where it cannot be told."""
    changed: float
    """When it last wrote figures, in seconds since 1970."""
    share: float | None
    """How much of it is done, from 0 to 1; None where it cannot be told."""
    figures: dict[str, float]
    """The latest of each."""


class Runs(Said):
    """The runs, those that wrote last first."""

    runs: list[Seen]
    now: float
    """The server's clock, for what is said in minutes ago."""


class Rows(Said):
    """Some rows of a run's figures."""

    rows: list[dict[str, float]]
    end: int
    """The byte to ask for next."""
    more: bool
    """Whether there is more already."""
    broken: int
    """Lines that could not be read."""
    anew: bool
    """Whether these are the first rows of another file than before."""


class Ply(Said):
    """One move."""

    colour: ColourName
    move: str


class Sample(Said):
    """A game of a run."""

    name: str
    changed: float
    width: int
    height: int
    moves: list[Ply]
    winner: ColourName | None


class Samples(Said):
    """The latest games, the newest first."""

    games: list[Sample]


class Report(Said):
    """A page in the list."""

    name: str
    title: str
    changed: float
    bytes: int


class Reports(Said):
    """The pages below the folder of runs, the newest first."""

    reports: list[Report]


def router(folder: Path, league: Path | None = None) -> APIRouter:
    """The part of the API about a folder of runs, which need not be there yet; ``league``: another file than ours."""
    routes = APIRouter(tags=["watch"])
    place = Folder(folder)

    @functools.lru_cache(2 * MOST_LISTED)
    def look(name: str, path: Path, changed: float, size: int) -> Seen:
        """A run as it was at that time: most runs have long ended, and need not be read again and again."""
        config, figures = place.config(name), latest(path)
        algorithm = algorithm_of(name, config)
        share = share_of(algorithm, config, figures)
        return Seen(name=name, algorithm=algorithm, changed=changed, share=share, figures=figures)

    @routes.get("/api/runs")
    def runs() -> Runs:
        """Which runs there are."""
        files = []
        for name, path in place.runs():
            with suppress(OSError):
                files.append((path.stat(), name, path))
        files.sort(key=lambda each: -each[0].st_mtime)
        found = []
        for about, name, path in files[:MOST_LISTED]:
            with suppress(*BROKEN):
                found.append(look(name, path, about.st_mtime, about.st_size))
        return Runs(runs=found, now=time.time())

    @routes.get("/api/runs/{name:path}/rows")
    def rows(name: str, after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Rows:
        """A run's figures from a byte of its file on."""
        path = place.run(name)
        if path is None:
            raise Refusal("not_found", "there is no such run")
        try:
            part = read_part(path, after)
        except OSError as error:
            raise Refusal("not_found", f"the run's figures cannot be read: {error.strerror}") from None
        return Rows(rows=part.rows, end=part.end, more=part.more, broken=part.broken, anew=part.anew)

    @routes.get("/api/runs/{name:path}/games")
    def games(name: str) -> Samples:
        """The latest games that a run has written down."""
        if place.run(name) is None:
            raise Refusal("not_found", "there is no such run")
        return Samples(games=[_sample(*each) for each in place.games(name)])

    @routes.get("/api/league")
    def ladder() -> dict[str, Any]:
        """The league of the players that come with Fingal."""
        return read_league(league)

    @routes.get("/api/reports")
    def reports() -> Reports:
        """The pages below the folder of runs."""
        found = []
        for name, path in place.reports():
            try:
                about = path.stat()
                title = title_of(path) or name
            except OSError:
                continue
            found.append(Report(name=name, title=title, changed=about.st_mtime, bytes=about.st_size))
        return Reports(reports=sorted(found, key=lambda report: -report.changed)[:MOST_LISTED])

    @routes.get("/reports/{name:path}", response_class=Response)
    def report(name: str) -> Response:
        """A page, in a sandbox."""
        path = place.report(name)
        if path is None:
            raise Refusal("not_found", "there is no such report")
        headers = {"content-security-policy": POLICY, "x-content-type-options": "nosniff"}
        return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)

    return routes


def algorithm_of(name: str, config: Mapping[str, Any]) -> str:
    """What a run learns by, from its settings or else its name; '' where neither tells.

    >>> algorithm_of("first-try", {"latest_turn": 3, "size": 7})
    'ezo'
    """
    for algorithm, signs in SIGNS.items():
        if signs <= config.keys():
            return algorithm
    if isinstance(rule := config.get("rule"), str):
        return rule[:20].encode(errors="replace").decode()
    words = re.split(r"[^a-z0-9]+", name.lower())
    return next((algorithm for algorithm in SIGNS if algorithm in words), "")


def share_of(algorithm: str, config: Mapping[str, Any], figures: Row) -> float | None:
    """How much of a run is done, by what it counts or by its minutes, whichever is further; None if neither tells."""
    shares = []
    for figure, setting in (COUNTED.get(algorithm, ("", "")), ("minutes", "minutes")):
        planned = config.get(setting)
        if is_number(planned) and planned > 0 and figure in figures:
            shares.append(min(1.0, max(0.0, figures[figure] / planned)))
    return max(shares, default=None)


def _sample(name: str, changed: float, record: Record) -> Sample:
    winner = record.winner()
    return Sample(
        name=name,
        changed=changed,
        width=record.width,
        height=record.height,
        moves=[Ply(colour=colour_name(colour), move=record.name(move)) for colour, move in record.moves],
        winner=None if winner is None else colour_name(winner),
    )
