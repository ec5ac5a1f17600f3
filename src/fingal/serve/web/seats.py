"""Who may sit at a board: the text of a seat, as a page gives it, becomes that of a player that is safe to open.

A page may name every kind of player, but nets by their shipped names only, engines of one's own (``htp:``) only those
that were named on the command line, and nothing that would take the machine.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fingal.arena import levels
from fingal.nets.card import WEIGHTS
from fingal.players import spec
from fingal.serve.web import messages
from fingal.serve.web.messages import ColourName
from fingal.serve.web.refusal import Refusal

PERSON = "person"
LEVEL = "level:"
ANALYST = "puct:net=fingal-large,connections=20"
"""Who analyses where nobody else is named: the strongest, and it proves what connections prove."""

MOST: dict[str, float] = {
    "sims": 200_000,
    "time": 60,
    "nodes": 2_000_000,
    "batch": 64,
    "memory": 256,
    "threads": 1,
    "depth": 2,
    "width": 20,
}
"""The most that a setting of a player may be; what is not here is harmless or refused below.

Some players that look moves ahead cannot be interrupted, and hold their thread until they have moved.
"""

LARGEST = 1e9
"""What any other number may be: the core counts in 32 bits."""

NETS = ("net", "prior")
"""The settings that name a net."""

HARMLESS = frozenset(
    (
        "epsilon",
        "temperature",
        "seed",
        "connections",
        "resign",
        "average",
        "c",
        "fpu",
        "noise",
        "considered",
        "scale",
        "device",
    )
)
"""The settings that are passed on as they are, once their type is right."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A player that may be opened."""

    text: str
    """As ``fingal.players.spec`` reads it."""
    name: str
    """For people."""


@functools.cache
def nets() -> tuple[str, ...]:
    """The names of the shipped nets."""
    return tuple(sorted({path.name.split(".")[0] for path in WEIGHTS.iterdir() if path.is_file()}))


class Seats:
    """The rules of one server."""

    def __init__(self, engines: tuple[str, ...] = (), threads: int = 1) -> None:
        """``engines`` are the commands of the HTP engines that may play, ``threads`` the most of one player."""
        self.engines = engines
        self._most = MOST | {"threads": threads}

    def player(self, seat: str) -> Seated:
        """The player of a seat; ``Refusal`` when it is a person's, wrong or not allowed."""
        if seat == PERSON:
            raise Refusal("refused", "a person cannot be asked: name a player")
        if seat.startswith(LEVEL):
            return self._level(seat.removeprefix(LEVEL))
        try:
            said = spec.parse(seat)
            if said.kind == "htp":
                return self._engine(said)
        except ValueError as error:
            raise Refusal("refused", str(error)) from None
        try:
            kind = spec.find(said.kind)
        except ValueError:
            raise Refusal("refused", f"there is no player {said.kind[:40]!r}; there are {self._all()}") from None
        if kind.name == "human":
            raise Refusal("refused", "human asks on the terminal: a person at the page is called person")
        given = dict(said.settings)
        if said.argument is not None and kind.argument is not None:
            given[kind.argument.name] = said.argument
        for key, value in given.items():
            self._check(kind.name, key, value)
        try:
            spec.check(said, kind)  # what no player could be opened with is said now, not when it is to move
        except ValueError as error:
            raise Refusal("refused", str(error)) from None
        return Seated(str(said), given.get("name") or str(said))

    def strongest(self) -> Seated:
        """Who analyses where nobody is named."""
        return Seated(ANALYST, "Fingal")

    def names(self, settings: messages.Settings, said: Mapping[ColourName, str]) -> dict[ColourName, str]:
        """What the players of a game are called; ``Refusal`` where one is not possible."""
        found: dict[ColourName, str] = {}
        seats: dict[ColourName, str] = {"black": settings.black, "white": settings.white}
        for colour, seat in seats.items():
            name = "Person" if seat == PERSON else self.player(seat).name
            found[colour] = (said.get(colour) or name)[:80]
        return found

    def about(self) -> list[dict[str, Any]]:
        """The kinds that may play, for the page."""
        return [kind.as_dict() for kind in spec.kinds() if kind.name not in ("human", "htp")]

    def _all(self) -> str:
        """What may sit at a board here, in words."""
        kinds = [kind["name"] for kind in self.about()] + (["htp"] if self.engines else [])
        return f"{PERSON}, {LEVEL}NAME, {', '.join(kinds)}"

    def _level(self, name: str) -> Seated:
        try:
            level = levels.find(name[:40])
        except ValueError as error:
            raise Refusal("refused", str(error)) from None
        return Seated(level.player, level.title)

    def _check(self, kind: str, key: str, value: str) -> None:
        if key in NETS:
            if value not in nets():
                raise Refusal("refused", f"there is no net {value[:40]!r} here; there are {', '.join(nets())}")
        elif key == "name":
            if len(value) > 60 or not value.isprintable():
                raise Refusal("refused", "a player's name has at most 60 letters")
        elif key in self._most:
            try:
                too_much = not 0 <= float(value) <= self._most[key]
            except ValueError:
                too_much = True
            if too_much:
                raise Refusal("refused", f"{key}={value[:20]} is not possible here: {self._most[key]:g} at most")
        elif key not in HARMLESS:
            raise Refusal("refused", f"{kind} has no setting {key[:40]!r} that may be given here")
        elif key != "seed" and _is_large(value):
            raise Refusal("refused", f"{key}={value[:20]} is not possible here: {LARGEST:g} at most")

    def _engine(self, said: spec.Spec) -> Seated:
        if said.argument is None or said.argument not in self.engines:
            allowed = ", ".join(self.engines) or "none"
            raise Refusal(
                "refused", f"engines are named when 'fingal serve' is started, with --htp; there is {allowed}"
            )
        if set(said.settings) - {"name"}:
            raise Refusal("refused", "an engine's settings are given when 'fingal serve' is started")
        self._check("htp", "name", name := said.settings.get("name", said.argument.split()[0]))
        return Seated(str(said), name)


def _is_large(value: str) -> bool:
    try:
        return abs(float(value)) > LARGEST
    except ValueError:
        return False  # no number: a player says itself what it takes
