"""Matches and tournaments: what is to be played, and playing what of it has not been played yet.

An event is a plan and its games in a store. A game's number in the plan says who plays, from which opening and with
which seeds; so an event that was stopped, or killed, goes on where it was, and every game is played once.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from fingal.arena.crew import Alone, Crew
from fingal.arena.match import Trial
from fingal.arena.number_set import NumberSet
from fingal.arena.results import Tally
from fingal.arena.schedule import KINDS, DoubleGames, Pairing, rounds
from fingal.arena.seats import Outcome, Task
from fingal.arena.sprt import Sprt
from fingal.arena.store import Event, GameResult, Store, StoredGame
from fingal.game import BLACK, Colour, Record, formats
from fingal.players import spec
from fingal.players.player import Limit
from fingal.ranges import shown

MOST_GAMES = 10**12
"""Of a pairing: their numbers go into 64 bits, whatever the number of players."""
MAX_SPRT_GAMES = 20_000
"""Where a sequential test gives up unless told otherwise."""


@dataclass(frozen=True)
class Plan:
    """All that decides which games are played."""

    kind: str
    """match, round-robin, gauntlet or swiss."""
    players: tuple[str, ...]
    """Their texts, in order."""
    width: int
    height: int
    games: int
    """For each pairing: in a match the games, in a Swiss tournament those of a pairing in one round."""
    starts: tuple[str, ...] = ("",)
    """The openings: moves in turn, Black's first, or SGF where there is more to say."""
    openings: str = "none"
    """Where the openings come from, for people."""
    heads: int = 1
    """In a gauntlet: how many of the players, the first ones, play all others."""
    rounds: int = 0
    """Of a Swiss tournament."""
    simulations: int | None = None
    seconds: float | None = None
    adjudicate: bool = False
    """Whether games end where connections prove a winner."""
    sprt: tuple[float, float] | None = None
    """The two hypotheses of a sequential test that ends a match."""
    seed: int = 0
    """Start of the random numbers of Fingal's own players, where their texts do not say it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        if self.kind not in KINDS:
            raise ValueError(f"there is no tournament {self.kind!r}: there are {', '.join(KINDS)}")
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(f"a match of {shown(self.games)} games is not possible: at least 1, at most 10^12")
        for text in self.players:
            spec.find(spec.parse(text).kind)
        if self.kind == "match":
            if len(self.players) != 2:
                raise ValueError(f"a match of {len(self.players)} players is not possible: it has 2")
            return
        if len(self.players) < 2:
            raise ValueError(f"a tournament of {len(self.players)} players is not possible: at least 2")
        for text in self.players:
            if self.players.count(text) > 1:
                raise ValueError(f"{text} stands twice among the players: name=... in a text tells two apart")
        if self.kind == "gauntlet" and not 1 <= self.heads < len(self.players):
            raise ValueError(f"heads={shown(self.heads)} is not possible: from 1 to {len(self.players) - 1}")
        if self.kind == "swiss" and not 1 <= self.rounds < len(self.players):
            raise ValueError(f"rounds={shown(self.rounds)} is not possible: from 1 to {len(self.players) - 1}")

    @classmethod
    def read(cls, settings: Mapping[str, Any], kind: str) -> Self:
        """The plan that ``settings`` wrote."""
        known = dict(settings)
        known["players"], known["starts"] = tuple(known["players"]), tuple(known["starts"])
        known["sprt"] = None if known["sprt"] is None else tuple(known["sprt"])
        whole = ("width", "height", "games", "heads", "rounds", "seed")
        if (
            not all(isinstance(text, str) for text in (known["openings"], *known["players"], *known["starts"]))
            or not all(type(known[name]) is int for name in whole)
            or type(known["adjudicate"]) is not bool
            or not known["starts"]
        ):
            raise TypeError("settings of another type")
        return cls(kind, **known)

    def settings(self) -> dict[str, Any]:
        """The plan as JSON knows it, without its kind."""
        told = asdict(self)
        del told["kind"]
        return {key: list(value) if isinstance(value, tuple) else value for key, value in told.items()}

    def rounds_of(self, won: Mapping[int, int]) -> Iterator[DoubleGames]:
        """The games a round at a time; ``won`` says which player has won which game."""
        yield from rounds(self.kind, len(self.players), self.games, won, heads=self.heads, swiss_rounds=self.rounds)

    @property
    def total(self) -> int:
        """How many games there are in all."""
        met = len(self.players) * (len(self.players) - 1) // 2
        if self.kind == "gauntlet":
            met = self.heads * (len(self.players) - self.heads)
        if self.kind == "swiss":
            met = self.rounds * (len(self.players) // 2)
        return met * self.games


def start_text(opening: Record) -> str:
    """An opening as a plan has it: moves in turn, Black's first, or SGF where there is more to say."""
    set_up = any(node.setup or node.turn is not None for node in opening.main_line)
    in_turn = all(colour is Colour(number % 2) for number, (colour, _) in enumerate(opening.moves))
    plain = in_turn and not set_up and not opening.swap
    return " ".join(opening.name(move) for _, move in opening.moves) if plain else formats.write(opening)


def opening_of(text: str, width: int, height: int) -> Record:
    """The opening that a plan's text stands for."""
    return formats.read(text) if text.startswith("(") else Record.of(list(text.split()), width, height)


def find_event(store: Store, plan: Plan, name: str | None, *, has_seed: bool) -> Event:
    """The event to go on with, or a new one.

    With a name it is the event of that name; ValueError when that one is another plan's, though more games, or more
    rounds, may be asked for. Without a name it is the last unfinished event of the same plan. Where the plan has no
    seed of its own, that of the event counts.
    """
    event = known_event(store, plan, name, has_seed=has_seed)
    if event is None:
        drawn = plan if has_seed else replace(plan, seed=random.getrandbits(31))
        try:
            return store.begin(plan.kind, drawn.settings(), name)
        except ValueError:
            # Another process may have begun it just now.
            event = None if name is None else known_event(store, plan, name, has_seed=has_seed)
            if event is None:
                raise
    if is_whole(event, plan):
        return event
    # Whoever plays it now would otherwise call it finished without the games that were asked for here.
    with store.playing(event):
        return store.extend(event, _wanted(plan, event, has_seed=has_seed))


def known_event(store: Store, plan: Plan, name: str | None, *, has_seed: bool) -> Event | None:
    """The event to go on with, as it is kept, perhaps with fewer games or rounds; None when it has to begin."""
    for event in reversed(store.events()):
        if name not in (None, event.name) or (name is None and event.status == "finished"):
            continue
        # Told apart by what is written there: an older event may name what is no more.
        kept = {"kind": event.kind, **event.settings}
        wanted = {"kind": plan.kind, **_wanted(plan, event, has_seed=has_seed)}
        differing = [key for key in wanted if key not in kept or kept[key] != wanted[key]]
        if not differing:
            return event
        if name is None:
            continue
        if differing in (["games"], ["rounds"]) and not is_whole(event, plan):
            if plan.kind == "swiss" and differing == ["games"]:
                raise ValueError(f"{name} in {store.path} has {kept['games']} games a pairing, and must keep to that")
            return event
        raise ValueError(f"{name} in {store.path} is an event with another {differing[0]}: choose another name")
    return None


def is_whole(event: Event, plan: Plan) -> bool:
    """Whether an event has no fewer games and rounds than a plan asks for."""
    games, rounds = event.settings.get("games"), event.settings.get("rounds")
    return type(games) is int and type(rounds) is int and games >= plan.games and rounds >= plan.rounds


def _wanted(plan: Plan, event: Event, *, has_seed: bool) -> dict[str, Any]:
    """A plan's settings; where it has no seed of its own, with the event's."""
    return plan.settings() if has_seed else {**plan.settings(), "seed": event.settings.get("seed")}


class Tournament:
    """An event, its games so far, and a way to play the rest."""

    def __init__(self, store: Store, event: Event) -> None:
        """Go on with an event of a store."""
        self.store = store
        self.event = event
        try:
            self.plan = plan = Plan.read(event.settings, event.kind)
            self._starts = [formats.write(opening_of(text, plan.width, plan.height)) for text in plan.starts]
            self._limit = Limit(plan.simulations, plan.seconds)
            self._trial = None if plan.sprt is None else Trial(Sprt(*plan.sprt))
        except ValueError as error:
            raise ValueError(f"{event.name} in {store.path} cannot be played: {error}") from None
        except (LookupError, TypeError, AttributeError, ArithmeticError):
            raise ValueError(f"{store.path} is damaged: its event {event.name!r:.60} has no plan") from None
        self.tally = Tally()
        """What the games so far come to."""
        self._played = NumberSet()
        self._due = DoubleGames((), 0)
        self._won: dict[int, int] = {}
        """In a Swiss tournament, which player has won which game."""
        self._tested: dict[int, StoredGame | GameResult] = {}
        """The games that a sequential test looks at, by number."""
        for result in store.results(event.name):
            if not {result.black, result.white} <= set(plan.players):
                game = f"game {result.number} of {event.name!r:.60}"
                raise ValueError(f"{store.path} is damaged: {game} has players who are not in the event")
            self._note(result)

    def play(self, crew: Crew) -> Iterator[StoredGame]:
        """Play what has not been played; every game is in the store before it is given out.

        ``ValueError`` when a player does not play there at all; an event with no games is then forgotten. The event is
        finished when this ends by itself.
        """
        try:
            yield from self._play(crew)
        except ValueError:
            if not self.tally.games:
                self.store.forget(self.event)
            raise
        self.store.finish(self.event)

    def _play(self, crew: Crew) -> Iterator[StoredGame]:
        for due in self.plan.rounds_of(self._won):
            self._due = due
            if self.decided() is not None:
                break
            with contextlib.closing(crew.play(map(self._task, due.without(self._played)))) as played:
                for outcome in played:
                    game = self._stored(outcome)
                    self.store.add(game)
                    self._note(game)
                    yield game
                    if self.decided() is not None:
                        break

    def decided(self) -> float | None:
        """The Elo that a sequential test has accepted; None without one, or while it has not."""
        if self._trial is None:
            return None
        self._trial.update(self._tested)
        return self._trial.verdict

    def _note(self, game: StoredGame | GameResult) -> None:
        self.tally.add(game)
        self._played.add(game.number)
        if self.plan.kind == "swiss":
            self._won[game.number] = self.plan.players.index(game.black if game.winner is BLACK else game.white)
        if self._trial is not None:
            self._tested[game.number] = game

    def _task(self, pairing: Pairing) -> Task:
        plan = self.plan
        return Task(
            pairing.number,
            plan.players[pairing.black],
            plan.players[pairing.white],
            self._starts[pairing.opening % len(plan.starts)],
            plan.seed,
            self._limit,
            plan.adjudicate,
        )

    def _stored(self, outcome: Outcome) -> StoredGame:
        plan, pairing = self.plan, self._due[outcome.number]
        return StoredGame(
            self.event.name,
            outcome.number,
            plan.players[pairing.black],
            plan.players[pairing.white],
            plan.width,
            plan.height,
            plan.starts[pairing.opening % len(plan.starts)],
            outcome.winner,
            outcome.how,
            outcome.failure,
            outcome.moves,
            outcome.seconds,
            outcome.sgf,
            outcome.key,
        )


def play(plan: Plan, crew: Crew | None = None) -> Iterator[StoredGame]:
    """Play a plan without keeping it: in this process, one game after the other, unless there is a crew.

    >>> games = list(play(Plan("match", ("shortest-path", "random"), 5, 5, games=4, starts=("a1", "c3"))))
    >>> [(game.black, game.opening) for game in games]
    [('shortest-path', 'a1'), ('random', 'a1'), ('shortest-path', 'c3'), ('random', 'c3')]
    """
    mine = crew or Alone()
    try:
        mine.check(dict.fromkeys(plan.players), (plan.width, plan.height))
        with Store(":memory:", create=True) as store:
            yield from Tournament(store, store.begin(plan.kind, plan.settings())).play(mine)
    finally:
        if crew is None:
            mine.close()


def ordered(starts: Sequence[Record], source: str) -> list[Record]:
    """Openings in the order in which they are played.

    'all' and 'edge' are shuffled, always in the same way: a match too short for all of them sees the whole board.
    """
    shuffled = list(starts)
    if source in ("all", "edge"):
        random.Random(0).shuffle(shuffled)
    return shuffled
