"""All games: made, loaded, changed. Every change is stored before anybody is told of it.

Everything here runs in the server's one thread, but for the store's work, which ``StoreQueue`` does in its own. While a
change of a game is being stored nobody else sees or changes that game: see ``Games.open``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any
from weakref import WeakValueDictionary

from fingal.game import Record
from fingal.serve.web import messages
from fingal.serve.web.game import Edit, Follower, LiveGame, begun
from fingal.serve.web.messages import ColourName
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.seats import PERSON
from fingal.serve.web.store import MOST_GAMES, Store
from fingal.serve.web.store_queue import PATIENCE, StoreQueue

MOST_LIVE = 256
"""Games in memory that nobody follows and no clock runs in: the others are read again when they are asked for."""

AGAIN_SECONDS = 1.0
"""A flag that has fallen is stored again after so long when it could not be stored."""

WAITED = "other changes of this game are still being stored: nothing was changed, try again in a moment"

_log = logging.getLogger(__name__)

Names = Callable[[messages.Settings, Mapping[ColourName, str]], dict[ColourName, str]]
"""What the players of a game are called, given what a file calls them; ``Refusal`` where a seat is not possible."""


class Games:
    """The games of one store."""

    def __init__(self, store: Store, names: Names, now: Callable[[], float] = time.monotonic) -> None:
        """``names`` checks the seats of new games as well; the store is closed with the games."""
        self.now = now
        self.wake: Callable[[LiveGame], None] = lambda game: None
        """Called whenever it may be another's turn: engines look then whether it is theirs."""
        self.ended: Callable[[str], None] = lambda game: None
        """Called with the id of a game that is gone, or that nobody follows any more."""
        self._queue = StoreQueue(store)
        self._names = names
        self._live: OrderedDict[str, LiveGame] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By a game's id: held while the game is used."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._keeping: dict[str, set[asyncio.Task[None]]] = {}
        """By a game's id: analyses that are being written."""

    async def create(self, settings: messages.Settings, record: Record | None = None) -> LiveGame:
        """A new game, from a record where one is given."""
        if await self._queue.read(self._queue.store.count) >= MOST_GAMES:
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
        async with self._lock(game.id):
            self._live[game.id] = game
            game.start(self.now())
            await self.apply(game, Edit(tuple(game.tree.nodes)))
        self._forget_some()
        return game

    @contextlib.asynccontextmanager
    async def open(self, id: str) -> AsyncIterator[LiveGame]:
        """A game to be read or changed, as it is stored; everybody else waits for it until it is left.

        ``Refusal`` when there is none, or when it could not be had in ``PATIENCE`` seconds.
        """
        lock = self._lock(id)
        try:
            async with asyncio.timeout(PATIENCE):
                await lock.acquire()
        except TimeoutError:
            raise Refusal("busy", WAITED) from None
        try:
            yield await self._load(id)
        finally:
            lock.release()

    async def get(self, id: str) -> LiveGame:
        """A game to be read at once, as it is stored; ``Refusal`` when there is none.

        Whoever has waited for anything since must not look at it any more: others may be changing it.
        """
        async with self.open(id) as game:
            return game

    async def summaries(self, limit: int, before: float | None) -> list[messages.Summary]:
        """The games that were changed last, the latest first."""
        found = await self._queue.read(self._queue.store.summaries, limit, before)
        return [messages.Summary.model_validate_json(text) for text in found]

    async def apply(self, game: LiveGame, edit: Edit) -> None:
        """Store a change that was made to an open game, then tell everyone who follows it.

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
            now = self.now()
            head = game.head(now)
            await self._queue.write(self._queue.store.save, game.id, head, summary, rows, edit.removed)
        except Exception:
            await self._reload(game)
            raise
        except asyncio.CancelledError:
            game.stale = True  # the server is stopping, and nobody knows whether the change will be stored
            raise
        game.stored = now
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

    def follow(self, game: LiveGame, follower: Follower) -> None:
        """Tell a follower of an open game from now on."""
        game.followers.add(follower)
        self.wake(game)

    def unfollow(self, id: str, follower: Follower) -> None:
        """Tell a follower no more."""
        game = self._live.get(id)
        if game is not None:
            game.followers.discard(follower)
            self.wake(game)
            if not game.followers and game.thinking is None:
                self.ended(id)

    async def delete(self, id: str) -> None:
        """Remove a game; those who follow it are told."""
        async with self.open(id) as game:
            await self._queue.write(self._queue.store.delete, id)
            self._drop(game)
            self.tell(game, messages.Failed(code="not_found", message="the game has been deleted"))
            game.followers.clear()

    def keep(self, game: str, node: int, kind: str, player: str, data: str) -> None:
        """Keep what was thought of a node, as JSON, soon; nobody waits for it, and it may fail."""

        async def keep() -> None:
            with contextlib.suppress(Refusal):
                await self._queue.write(self._queue.store.keep, game, node, kind, player, data)

        task = self.spawn(keep())
        self._keeping.setdefault(game, set()).add(task)

        def kept(task: asyncio.Task[None]) -> None:
            self._keeping[game].discard(task)
            if not self._keeping[game]:
                del self._keeping[game]

        task.add_done_callback(kept)

    async def kept(self, game: str, node: int, kind: str, player: str) -> str | None:
        """What was thought of a node, as JSON."""
        if game in self._keeping:
            await asyncio.wait(list(self._keeping[game]))
        return await self._queue.read(self._queue.store.kept, game, node, kind, player)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin something that nobody waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    async def close(self) -> None:
        """Store where the clocks stand, and close the store."""
        for timer in self._timers.values():
            timer.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=PATIENCE)
        try:
            for game in list(self._live.values()):
                if game.on_the_clock and not game.stale:
                    head, summary = game.head(self.now()), game.summary().model_dump_json()
                    await self._queue.write(self._queue.store.save, game.id, head, summary)
        except Refusal as refusal:
            _log.warning("the clocks of the games could not be stored: %s", refusal.message)
        await self._queue.close()

    def __len__(self) -> int:
        return len(self._live)

    def _set_timer(self, game: LiveGame) -> None:
        """Look again when the running clock has run out."""
        if (timer := self._timers.pop(game.id, None)) is not None:
            timer.cancel()
        if game.clock is not None and game.clock.running is not None:
            left = game.clock.remaining(game.clock.running, self.now())
            self._timers[game.id] = asyncio.get_running_loop().call_later(left, self._look_at_clock, game.id)

    def _look_at_clock(self, id: str) -> None:
        self.spawn(self._fall(id))

    async def _fall(self, id: str) -> None:
        """Note that a game's running clock has run out, if it has."""
        try:
            async with self.open(id) as game:
                edit = game.flag(self.now())
                if edit is None:
                    self._set_timer(game)  # timers may come a moment early
                else:
                    await self.apply(game, edit)
        except Refusal as refusal:
            if refusal.code != "not_found":
                again = asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._look_at_clock, id)
                if (timer := self._timers.pop(id, None)) is not None:
                    timer.cancel()
                self._timers[id] = again

    def _lock(self, id: str) -> asyncio.Lock:
        lock = self._locks.get(id)
        if lock is None:
            lock = self._locks[id] = asyncio.Lock()
        return lock

    async def _load(self, id: str) -> LiveGame:
        """A game, its lock being held; ``Refusal`` when there is none."""
        game = self._live.get(id)
        if game is None:
            stored = await self._queue.read(self._queue.store.load, id)
            if stored is None:
                raise Refusal("not_found", "there is no such game: it may have been deleted")
            game = self._live[id] = LiveGame.restored(stored)
            game.stored = self.now()
            game.start(game.stored)
            self._set_timer(game)
        elif game.stale:
            await self._restore(game)
            if game.id not in self._live:
                raise Refusal("not_found", "there is no such game: it may have been deleted")
        self._live.move_to_end(id)
        self._forget_some()
        return game

    async def _reload(self, game: LiveGame) -> None:
        """Make a game what the store has of it, now or when it is opened again."""
        game.stale = True
        with contextlib.suppress(Refusal):
            await self._restore(game)

    async def _restore(self, game: LiveGame) -> None:
        stored = await self._queue.read(self._queue.store.load, game.id)
        if stored is None:
            self._drop(game)
            return
        was = LiveGame.restored(stored)
        for name in ("settings", "names", "tree", "current", "changed", "revision", "clock", "ended"):
            setattr(game, name, getattr(was, name))
        game.stale = False
        game.start(game.stored)  # its clock has run since then
        self._set_timer(game)
        self.wake(game)
        self.tell(game, messages.Whole(game=game.whole(self.now())))

    def _drop(self, game: LiveGame) -> None:
        """Forget a game that is not in the store."""
        self._live.pop(game.id, None)
        if (timer := self._timers.pop(game.id, None)) is not None:
            timer.cancel()
        game.thinking = None
        self.ended(game.id)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("work on a game has failed", exc_info=error)

    def _forget_some(self) -> None:
        if len(self._live) <= MOST_LIVE:
            return
        for id, game in list(self._live.items())[:-1]:
            clock = game.clock is not None and game.clock.running is not None
            if not game.followers and game.thinking is None and not clock and not self._lock(id).locked():
                del self._live[id]
                self.ended(id)
            if len(self._live) <= MOST_LIVE:
                return
