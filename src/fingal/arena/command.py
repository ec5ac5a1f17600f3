"""What ``fingal match``, ``fingal tournament`` and ``fingal ratings`` do: options, live tables, results."""

from __future__ import annotations

import json as json_module
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fingal.arena import standings
from fingal.arena.crew import Alone, Crew, Workers
from fingal.arena.match import Match
from fingal.arena.openings import openings
from fingal.arena.options import EventOptions
from fingal.arena.results import Tally, games_of
from fingal.arena.sprt import Sprt
from fingal.arena.store import GameResult, Store, StoredGame
from fingal.arena.tournament import (
    MAX_SPRT_GAMES,
    Plan,
    Tournament,
    find_event,
    is_whole,
    known_event,
    ordered,
    start_text,
)
from fingal.game.board import parse_size
from fingal.players import spec
from fingal.players.player import Limit, MissingPlayer, PlayerError
from fingal.ranges import shown


class Ended(NamedTuple):
    """How an event ended."""

    finished: bool
    """Whether all games have been played."""
    forfeited: bool
    """Whether a player forfeited and all its games ended with a forfeit: its score says nothing of how it plays."""


def match(
    first: str,
    second: str,
    options: EventOptions,
    sprt: tuple[float, float] | None,
    json: bool,
    out: Console,
    notes: Console,
) -> Ended:
    """Play a match and print it."""
    test = None if sprt is None else Sprt(*sprt)
    default = None if test is None else MAX_SPRT_GAMES
    event = _Event(_plan("match", (first, second), options, default, sprt=sprt), options, notes)
    state = Match((first, second))

    def view(tally: Tally) -> RenderableType:
        state.tally = tally
        return state.table()

    finished = event.play(view)
    state = Match((first, second), event.results(), test)
    if json:
        print(json_module.dumps({**state.summary(), "event": event.name, "finished": finished}, indent=1))
    else:
        out.print(state.table())
        if state.trial is not None:
            line = state.trial.line(standings.labels((first, second))[first])
            out.print(line, markup=False, highlight=False, soft_wrap=True)
    return event.ended(finished, state.tally)


def tournament(
    players: tuple[str, ...],
    options: EventOptions,
    kind: str,
    heads: int,
    rounds: int | None,
    anchor: str | None,
    json: bool,
    out: Console,
    notes: Console,
) -> Ended:
    """Play a tournament and print it."""
    if kind == "swiss" and rounds is None:
        rounds = max(1, math.ceil(math.log2(max(2, len(players)))))
    if kind != "swiss" and rounds is not None:
        raise ValueError(f"rounds={shown(rounds)} is not possible: only a Swiss tournament has them")
    named = {label: text for text, label in standings.labels(players).items()}
    zero = None if anchor is None else named.get(anchor, anchor)
    if zero is not None and zero not in players:
        raise ValueError(f"the anchor {anchor!r} is none of the players")
    plan = _plan(kind, players, options, 2 if kind == "swiss" else 20, heads=heads, rounds=rounds or 0)
    event = _Event(plan, options, notes)
    finished = event.play(lambda tally: standings.table(tally, total=plan.total))
    tally = Tally(event.results())
    if zero not in tally.players:
        zero = None  # stopped before it has played: the mean is 0 then
    rated = standings.rated(games_of(tally.meetings()), zero) if tally.games else None
    if json:
        told = {} if rated is None else standings.summary(tally, rated)
        print(json_module.dumps({"event": event.name, "finished": finished, "kind": kind, **told}, indent=1))
    else:
        out.print(standings.table(tally, rated, plan.total))
    return event.ended(finished, tally)


def ratings(
    path: Path, size: tuple[int, int] | None, event: str | None, anchor: str | None, json: bool, out: Console
) -> None:
    """Print the ratings of the games in a store."""
    with Store(path) as store:
        if event is not None:
            store.event(event)
        tally = Tally(store.results(event, size))
    if not tally.games:
        raise ValueError(f"{path} has no such games")
    rated = standings.rated(games_of(tally.meetings()), anchor)
    if json:
        print(json_module.dumps(standings.summary(tally, rated), indent=1))
    else:
        out.print(standings.table(tally, rated))


def run_players(folder: Path, count: int, template: str) -> list[str]:
    """The texts of players for a training run's checkpoints: ``count`` of them, evenly spread, oldest first."""
    if count < 2:
        raise ValueError(f"checkpoints={shown(count)} is not possible: at least 2")
    files = sorted((folder / "checkpoints").glob("net-*.safetensors"))
    if len(files) < 2:
        raise ValueError(f"{folder} has {len(files)} checkpoints in checkpoints/: a league needs at least 2")
    many = min(count, len(files))
    chosen = [files[round(index * (len(files) - 1) / (many - 1))] for index in range(many)]
    return [_checkpoint_player(template, file) for file in chosen]


def _checkpoint_player(template: str, file: Path) -> str:
    told = spec.filled(template, str(file))
    step = file.stem.removeprefix("net-").lstrip("0") or "0"
    return str(replace(told, settings={"name": f"step {step}", **told.settings}))


def _plan(kind: str, players: tuple[str, ...], options: EventOptions, games: int | None, **more: Any) -> Plan:
    """The plan that the command line describes; ``games`` is how many each two play where it does not say."""
    width, height = parse_size(options.size)
    limit = Limit(options.sims, options.time)
    starts = ordered(openings(options.openings, width, height), options.openings)
    if options.games is not None:
        games = options.games
    elif games is None:
        games = 100 if options.openings in ("none", "fair") else 2 * len(starts)
    return Plan(
        kind,
        players,
        width,
        height,
        games,
        tuple(map(start_text, starts)),
        openings=options.openings,
        simulations=limit.simulations,
        seconds=limit.seconds,
        adjudicate=options.adjudicate,
        seed=options.seed or 0,
        **more,
    )


class _Event:
    """A plan on its way: the crew that plays it, the store that keeps it, the screen that shows it."""

    def __init__(self, plan: Plan, options: EventOptions, notes: Console) -> None:
        if options.name is not None and not re.fullmatch(r"[^/\s]([^/\n]{0,78}[^/\s])?", options.name):
            raise ValueError(f"name={options.name[:80]!r} is not possible: 1 to 80 signs with no / are expected")
        self._plan, self._options, self._notes = plan, options, notes
        self.name = ""

    def play(self, view: Callable[[Tally], RenderableType]) -> bool:
        """Play what is left, with ``view`` on a terminal; whether that was all. Ctrl-C stops it."""
        if self._is_finished():
            return True
        crew = self._crew()
        try:
            self._check(crew)
            with Store(self._options.store, create=True) as store:
                event = find_event(store, self._plan, self._options.name, has_seed=self._options.seed is not None)
                self.name = event.name
                with store.playing(event):
                    return self._play(Tournament(store, event), crew, view)
        finally:
            crew.close()

    def results(self) -> Iterator[GameResult]:
        """The results so far, in the order of their numbers."""
        with Store(self._options.store) as store:
            yield from store.results(self.name)

    def ended(self, finished: bool, tally: Tally) -> Ended:
        """How the event ended; tells people which players of a finished one have not played a game to its end."""
        forfeiters = tally.forfeiters() if finished else []
        for first in forfeiters:
            name = standings.labels(self._plan.players)[first.player]
            self._say(f"{name} played no game to its end and forfeited, first in game {first.number}: {first.reason}")
        return Ended(finished, bool(forfeiters))

    def _check(self, crew: Crew) -> None:
        """Before anything is written: who is not there is an error, not a lost game.

        In a tournament, which has others, whoever is there but fails already now may take part, and forfeits.
        """
        failed = 0
        for text in dict.fromkeys(self._plan.players):
            try:
                crew.check([text], (self._plan.width, self._plan.height))
            except MissingPlayer:
                raise
            except PlayerError as error:
                failed += 1
                if self._plan.kind == "match" or failed == len(self._plan.players):
                    raise
                self._say(f"{standings.labels([text])[text]} forfeits unless it recovers: {error}")

    def _is_finished(self) -> bool:
        """Whether the event is there with all its games: then nobody needs to be started."""
        name = self._options.name
        if name is None or not self._options.store.is_file():
            return False
        with Store(self._options.store) as store:
            event = known_event(store, self._plan, name, has_seed=self._options.seed is not None)
            if event is None or event.status != "finished" or not is_whole(event, self._plan):
                return False
            self.name = name
            self._save_all(store)
        return True

    def _crew(self) -> Crew:
        if any(spec.parse(text).kind == "human" for text in self._plan.players):
            return Alone()
        return Workers(self._options.processes, self._options.timeout)

    def _play(self, running: Tournament, crew: Crew, view: Callable[[Tally], RenderableType]) -> bool:
        self._save_all(running.store)
        if running.tally.games:
            self._say(f"{running.event.name} goes on after {running.tally.games} games")
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        bar = Progress(*columns, console=self._notes)
        task = bar.add_task(running.event.name, total=running.plan.total, completed=running.tally.games)

        def shown() -> RenderableType:
            return Group(view(running.tally), bar)

        live = Live(get_renderable=shown, console=self._notes, transient=True, refresh_per_second=2)
        try:
            # A person at the keyboard needs the screen.
            if self._notes.is_terminal and not isinstance(crew, Alone):
                live.start()
            for game in running.play(crew):
                self._save(game)
                if game.failure:
                    self._say(f"game {game.number}: {game.failure}")
                bar.advance(task)
        except KeyboardInterrupt:
            self._say(f"stopped: the same command goes on with {running.event.name}")
            return False
        finally:
            live.stop()
        return True

    def _save_all(self, store: Store) -> None:
        if self._options.save is not None:
            for game in store.games(self.name):
                self._save(game)

    def _save(self, game: StoredGame) -> None:
        if self._options.save is not None:
            file, told = self._options.save / f"{game.event}-{game.number:05d}.sgf", game.sgf.encode()
            # An event of another store may have had the same name.
            if not file.is_file() or file.read_bytes() != told:
                self._options.save.mkdir(parents=True, exist_ok=True)
                file.write_bytes(told)

    def _say(self, text: str) -> None:
        self._notes.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)
