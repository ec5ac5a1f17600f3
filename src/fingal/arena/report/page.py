"""The page: its head, its sections, its foot, and everything that it needs inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from fingal.arena.report import exams, league, replays, swaps, training
from fingal.arena.report.markup import Section, text
from fingal.arena.report.sources import Trained
from fingal.arena.report.swaps import SwapMap
from fingal.arena.store import StoredGame


@dataclass(frozen=True, slots=True)
class Report:
    """What a page shows; what is not there has no section."""

    title: str = "Fingal: what was measured"
    games: Sequence[StoredGame] = ()
    exams: Sequence[dict[str, Any]] = ()
    runs: Sequence[Trained] = ()
    maps: Sequence[SwapMap] = ()
    facts: dict[str, str] = field(default_factory=dict)
    """Written at the foot of the page: the date, for example."""

    def sections(self) -> list[Section]:
        """The sections that there is something for."""
        found = []
        if self.games:
            found.append(league.section(self.games))
        if self.runs:
            found.append(training.section(self.runs))
        if self.exams:
            found.append(exams.section(self.exams))
        if self.maps:
            found.append(swaps.section(self.maps))
        if self.games:
            found.append(replays.section(self.games))
        return found


def page(report: Report) -> str:
    """The whole page, which needs no other file and no network."""
    script = f"<script>\n{_file('replay.js')}</script>" if report.games else ""
    return frame(report.title, _counts(report), report.sections(), report.facts, script)


def frame(title: str, top: str, sections: Sequence[Section], facts: dict[str, str], script: str = "") -> str:
    """A page of sections: ``top`` are list items for its head, ``facts`` stand at its foot."""
    links = "".join(f'<li><a href="#{part.name}">{text(part.short or part.title)}</a></li>' for part in sections)
    body = "".join(
        f'<section id="{part.name}" aria-labelledby="{part.name}-title">'
        f'<h2 id="{part.name}-title">{text(part.title)}</h2>{part.body}</section>'
        for part in sections
    )
    foot = " · ".join(f"{text(name)} {text(value)}" for name, value in facts.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title>\n<style>\n{_file('style.css')}</style></head><body>"
        f'<header><div><h1>{text(title)}</h1><ul class="facts">{top}</ul></div></header>'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav><main>{body}</main>'
        f"<footer><main>{foot}</main></footer>{script}</body></html>\n"
    )


def _counts(report: Report) -> str:
    players = {name for game in report.games for name in (game.black, game.white)}
    players |= {str(result["player"]) for result in report.exams} | {found.player for found in report.maps}
    counts = {
        "player": len(players),
        "game": len(report.games),
        "exam": len(report.exams),
        "training run": len(report.runs),
        "swap map": len(report.maps),
    }
    return "".join(
        f"<li><b>{count:,}</b>{name}{'' if count == 1 else 's'}</li>" for name, count in counts.items() if count
    )


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
