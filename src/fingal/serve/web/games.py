"""All games: made, loaded, changed. Every change is stored before anybody is told of it.

Everything here runs in the server's one thread, and nothing waits.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from fingal.game import Record
from fingal.serve.web import messages
from fingal.serve.web.game import Edit, Follower, LiveGame, begun
from fingal.serve.web.messages import ColourName
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.seats import PERSON
from fingal.serve.web.store import MOST_GAMES, Store

MOST_LIVE = 256
"""Games in memory that nobody follows and no clock runs in: the others are read again when they are asked for."""

Names = Callable[[messages.Settings, Mapping[ColourName, str]], dict[ColourName, str]]
"""What the players of a game are called, given what a file calls them; ``Refusal`` where a seat is not possible."""


class Games:
    """The games of one store."""

    def __init__(self, store: Store, names: Names, now: Callable[[], float] = time.monotonic) -> None:
        """``names`` checks the seats of new games as well."""
        self.store = store
        self.now = now
        self.wake: Callable[[LiveGame], None] = lambda game: None
        """Called whenever it may be another's turn: engines look then whether it is theirs."""
        self.ended: Callable[[str], None] = lambda game: None
        """Called with the id of a game that is gone, or that nobody follows any more."""
        self._names = names
        self._live: OrderedDict[str, LiveGame] = OrderedDict()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def create(self, settings: messages.Settings, record: Record | None = None) -> LiveGame:
        """A new game, from a record where one is given."""
        if self.store.count() >= MOST_GAMES:
            raise Refusal("too_many", f"there are {MOST_GAMES} games already: delete some first")
        said: dict[ColourName, str] = {}
        if record is not None:
            for side, name in record.players.items():
                colour: ColourName = "white" if side else "black"
                if getattr(settings, colour) == PERSON:  # an engine is called what it is
                    said[colour] = name[:80]
            if not settings.title and record.tags.get("name"):
                settings = settings.model_copy(update={"title": record.tags["name"][:120]})
        game = begun(secrets.token_urlsafe(9), settings, self._names(settings, said), record)
        game.arrived = self.now()
        self._live[game.id] = game
        game.start(self.now())
        self.apply(game, Edit(tuple(game.tree.nodes)))
        self._forget_some()
        return game

    def get(self, id: str) -> LiveGame:
        """A game; ``Refusal`` when there is none."""
        game = self._live.get(id)
        if game is None:
            stored = self.store.load(id)
            if stored is None:
                raise Refusal("not_found", "there is no such game: it may have been deleted")
            game = self._live[id] = LiveGame.restored(stored)
            game.start(self.now())
            self._set_timer(game)
        self._live.move_to_end(id)
        self._forget_some()
        return game

    def summaries(self, limit: int, before: float | None) -> list[messages.Summary]:
        """The games that were changed last, the latest first."""
        return [messages.Summary.model_validate_json(text) for text in self.store.summaries(limit, before)]

    def apply(self, game: LiveGame, edit: Edit) -> None:
        """Store a change that was made to a game, then tell everyone who follows it.

        Where it cannot be stored the game is as it was stored last, and ``Refusal`` says why. So it does of a game that
        was deleted, or read anew, while somebody was busy with it: to store that one would bring it back.
        """
        if self._live.get(game.id) is not game:
            raise Refusal("not_found", "there is no such game: it may have been deleted")
        game.revision += 1
        game.changed = time.time()
        self.wake(game)
        try:
            rows = [game.tree.row(number) for number in edit.nodes]
            if edit.first is not None:
                rows.append(game.tree.row(edit.first))
            summary = game.summary().model_dump_json()
            self.store.save(game.id, game.head(self.now()), summary, rows, edit.removed)
        except Refusal:
            self._reload(game)
            raise
        self._set_timer(game)
        if game.followers:
            self.tell(game, game.change(edit, self.now()))

    def agree(self, game: LiveGame, asked: messages.Change) -> Edit:
        """Give a game other players, a title and so on; ``Refusal`` where a player is not possible."""
        said = {
            name: value
            for name in ("black", "white", "teaching", "thinking", "title")
            if (value := getattr(asked, name)) is not None
        }
        settings = game.settings.model_copy(update=said)
        kept = {
            side: game.names[side] for side in game.names if getattr(settings, side) == getattr(game.settings, side)
        }
        return game.agree(settings, self._names(settings, kept), self.now())

    def tell(self, game: LiveGame, message: messages.Said) -> None:
        """Tell everyone who follows a game."""
        for follower in list(game.followers):
            follower.tell(message)

    def tell_status(self, game: LiveGame) -> None:
        """Tell that an engine has begun or ceased to think: nothing that is stored."""
        self.tell(game, game.change(Edit(), self.now()))

    def follow(self, id: str, follower: Follower) -> LiveGame:
        """A game, which the follower is told of from now on."""
        game = self.get(id)
        game.followers.add(follower)
        self.wake(game)
        return game

    def unfollow(self, id: str, follower: Follower) -> None:
        """Tell a follower no more."""
        game = self._live.get(id)
        if game is not None:
            game.followers.discard(follower)
            self.wake(game)
            if not game.followers and game.thinking is None:
                self.ended(id)

    def delete(self, id: str) -> None:
        """Remove a game; those who follow it are told."""
        game = self.get(id)
        self.store.delete(id)
        del self._live[id]
        if (timer := self._timers.pop(id, None)) is not None:
            timer.cancel()
        self.tell(game, messages.Failed(code="not_found", message="the game has been deleted"))
        game.followers.clear()
        game.thinking = None
        self.ended(id)

    def close(self) -> None:
        """Store where the clocks stand."""
        for timer in self._timers.values():
            timer.cancel()
        for game in self._live.values():
            if game.on_the_clock:
                self.store.save(game.id, game.head(self.now()), game.summary().model_dump_json())

    def __len__(self) -> int:
        return len(self._live)

    def _set_timer(self, game: LiveGame) -> None:
        """Look again when the running clock has run out."""
        if (timer := self._timers.pop(game.id, None)) is not None:
            timer.cancel()
        if game.clock is not None and game.clock.running is not None:
            left = game.clock.remaining(game.clock.running, self.now())
            self._timers[game.id] = asyncio.get_running_loop().call_later(left, self._look_at_clock, game)

    def _look_at_clock(self, game: LiveGame) -> None:
        edit = game.flag(self.now())
        if edit is None:
            self._set_timer(game)  # timers may come a moment early
        else:
            self.apply(game, edit)

    def _reload(self, game: LiveGame) -> None:
        """Make a game what the store has of it."""
        stored = self.store.load(game.id)
        if stored is None:
            self._live.pop(game.id, None)
            return
        was = LiveGame.restored(stored)
        for name in ("settings", "names", "tree", "current", "changed", "revision", "clock", "ended"):
            setattr(game, name, getattr(was, name))
        game.start(self.now())
        self.wake(game)
        self.tell(game, messages.Whole(game=game.whole(self.now())))

    def _forget_some(self) -> None:
        if len(self._live) <= MOST_LIVE:
            return
        for id, game in list(self._live.items())[:-1]:
            clock = game.clock is not None and game.clock.running is not None
            if not game.followers and game.thinking is None and not clock:
                del self._live[id]
                self.ended(id)
            if len(self._live) <= MOST_LIVE:
                return
