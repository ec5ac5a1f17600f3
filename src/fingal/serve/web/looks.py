"""What a page wants to know: live analyses, hints, topics, reviews. All of it is thought out in ``Searches``.

When the page goes, everything that goes on for it ends. What an analysis found is kept, and shown at once when the same
player is asked about the same node again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from fingal.serve.web import messages
from fingal.serve.web.engines import Engines, code_of, here, sentence
from fingal.serve.web.game import LiveGame
from fingal.serve.web.games import Games
from fingal.serve.web.knowledge import Scholar, Solvers
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.review import review
from fingal.serve.web.searches import Busy, Searches, Seen
from fingal.serve.web.seats import Seats
from fingal.serve.web.teaching import Teacher, Tip

T = TypeVar("T")


class Asking(Protocol):
    """A page, as far as it matters here."""

    number: int

    def tell(self, message: messages.Said) -> None:
        """Send a message."""
        ...


@dataclass(frozen=True, slots=True)
class Minds:
    """What all pages share."""

    games: Games
    searches: Searches
    seats: Seats
    engines: Engines
    solvers: Solvers
    scholar: Scholar
    teacher: Teacher

    @classmethod
    def of(cls, games: Games, searches: Searches, seats: Seats) -> Minds:
        """With solvers that all share; from now on engines play in the games."""
        solvers = Solvers()
        teacher = Teacher(solvers)
        engines = Engines(games, searches, seats, teacher)
        return cls(games, searches, seats, engines, solvers, Scholar(solvers), teacher)


@dataclass(slots=True)
class _Slot:
    """An analysis that goes on."""

    game: str
    node: int
    player: str
    last: messages.Analysis | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """Something that was asked. A page chooses its own numbers: two questions may have the same."""

    request: int


class Looks:
    """Of one page."""

    def __init__(self, page: Asking, minds: Minds) -> None:
        """Nothing goes on yet."""
        self._page, self._minds = page, minds
        self._slots: dict[int, _Slot] = {}
        self._keys: set[str] = set()
        self._pending: dict[str, _Question] = {}
        """By key: what has not been answered yet."""

    async def analyse(self, asked: messages.Analyse) -> None:
        """Stream what a player thinks of a node, instead of what went on in the slot."""
        minds, node, slot = self._minds, asked.node, asked.slot
        seated = minds.seats.strongest() if asked.player is None else minds.seats.player(asked.player)
        before = self._slots.get(slot)
        game = await self._open(asked.game, node)
        self.stop(slot, forget=before is None or before.player != seated.text)
        now, record = _Slot(game.id, node, seated.text), game.tree.until(node)

        def told(seen: Seen | Exception) -> None:
            if self._slots.get(slot) is not now:
                return
            if isinstance(seen, Exception):
                self._fail(asked.request, code_of(seen), sentence(seen, "the analysis"))
                del self._slots[slot]
                return
            if known is None or seen.done or seen.visits > known.visits:
                now.last = seen.message(game.id, node, slot)
                self._page.tell(now.last)
            if seen.done:
                self._keep(now)

        if (known := await self._known(now, slot)) is not None:
            self._page.tell(known)
            if known.done:
                return
        self._slots[slot] = now
        try:
            minds.searches.analyse(self._key(f"slot {slot}"), seated.text, record, asked.lines, here(told))
        except Busy as busy:
            del self._slots[slot]
            raise Refusal("busy", str(busy)) from None

    def stop(self, slot: int, *, forget: bool = True) -> None:
        """Stop analysing in a slot."""
        going = self._slots.pop(slot, None)
        if going is not None:
            key = self._key(f"slot {slot}")
            (self._minds.searches.forget if forget else self._minds.searches.cancel)(key)
            self._keep(going)

    async def ask(self, asked: messages.Ask) -> None:
        """Answer with what is known of a node."""
        game = await self._minds.games.get(asked.game)
        board = game.tree.board(asked.node)
        topics, scholar = asked.topics, self._minds.scholar

        def work(cancelled: Callable[[], bool]) -> messages.Knowledge:
            return scholar.know(
                board, topics, request=asked.request, game=asked.game, node=asked.node, cancelled=cancelled
            )

        # Each set of topics by itself: an overlay that is quick does not wait for, or end, one that is slow.
        self._run(f"ask {' '.join(sorted(topics))}", asked.request, "the question", work, self._page.tell)

    async def hint(self, asked: messages.Hint) -> None:
        """Answer with what a strong player would do where the game stands."""
        game = await self._open(asked.game, None)
        node = game.current
        record, teacher = game.tree.until(node), self._minds.teacher

        def work(cancelled: Callable[[], bool]) -> Tip:
            return teacher.hint(record, cancelled)

        def told(tip: Tip) -> None:
            self._page.tell(tip.message(record, asked.request, node))

        self._run("hint", asked.request, "the hint", work, told, urgent=True)

    async def review(self, asked: messages.Review) -> None:
        """Look at every move that leads to a node; what was found before is told again."""
        minds, node = self._minds, asked.node
        game = await minds.games.get(asked.game)
        record = game.tree.until(node)
        ids = [game.tree.ids[step] for step in game.tree.node(node).line()]
        player = None if asked.player is None else minds.seats.player(asked.player).text
        if (known := await minds.games.kept(game.id, node, "review", player or "")) is not None:
            found = messages.Found.model_validate_json(known)
            self._page.tell(found.model_copy(update={"request": asked.request}))
            return
        tell = here(self._page.tell)

        def work(cancelled: Callable[[], bool]) -> messages.Found:
            return review(
                record,
                ids,
                request=asked.request,
                game=asked.game,
                tell=tell,
                cancelled=cancelled,
                player=player,
                solvers=minds.solvers,
            )

        async def finish(found: messages.Found) -> None:
            minds.games.keep(asked.game, node, "review", player or "", found.model_dump_json())
            values = {move.node: round(move.after, 4) for move in found.moves}
            with contextlib.suppress(Refusal):  # the game may have been deleted meanwhile, or cannot be stored now
                async with minds.games.open(asked.game) as reviewed:
                    await minds.games.apply(reviewed, reviewed.value(values))
            self._page.tell(found)

        def told(found: messages.Found) -> None:
            minds.games.spawn(finish(found))

        self._run("review", asked.request, "the review", work, told)

    def leave(self) -> None:
        """Nobody is there any more."""
        for slot in list(self._slots):
            self.stop(slot)
        for key in self._keys:
            self._minds.searches.forget(key)

    def _run(
        self,
        name: str,
        request: int,
        doing: str,
        work: Callable[[Callable[[], bool]], T],
        told: Callable[[T], None],
        *,
        urgent: bool = False,
    ) -> None:
        """Have something done for the page, and say what came of it."""

        key, question = self._key(name), _Question(request)
        if (older := self._pending.pop(key, None)) is not None:
            self._minds.searches.cancel(key)
            self._fail(older.request, "refused", "another question came before the answer")

        def done(answer: T | Exception) -> None:
            if self._pending.get(key) is not question:
                return  # it was on its way when the next question came, and has been answered with that
            del self._pending[key]
            if isinstance(answer, Exception):
                self._fail(request, code_of(answer), sentence(answer, doing))
            else:
                told(answer)

        try:
            self._minds.searches.run(key, work, here(done), urgent=urgent)
            self._pending[key] = question
        except Busy as busy:
            raise Refusal("busy", str(busy)) from None

    async def _open(self, id: str, node: int | None) -> LiveGame:
        """A game that is not over at a node, or where it stands, to be read at once."""
        game = await self._minds.games.get(id)
        node = game.current if node is None else node
        if game.decided(node)[0] is not None and game.decided(node)[1] != "time":
            raise Refusal("illegal", "the game is over there: there is nothing to think about")
        return game

    async def _known(self, slot: _Slot, number: int) -> messages.Analysis | None:
        """What the same player found out about the same node before."""
        text = await self._minds.games.kept(slot.game, slot.node, "analysis", slot.player)
        if text is None:
            return None
        return messages.Analysis.model_validate_json(text).model_copy(update={"slot": number})

    def _keep(self, slot: _Slot) -> None:
        if slot.last is not None:
            text = slot.last.model_dump_json()
            self._minds.games.keep(slot.game, slot.node, "analysis", slot.player, text)

    def _key(self, name: str) -> str:
        key = f"page {self._page.number} {name}"
        self._keys.add(key)
        return key

    def _fail(self, request: int | None, code: str, message: str) -> None:
        self._page.tell(messages.Failed.model_validate({"request": request, "code": code, "message": message}))
