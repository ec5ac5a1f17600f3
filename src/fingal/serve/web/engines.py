"""Engines at the board: whenever it is an engine's turn in a game that is open, it is asked for a move.

It is asked in ``Searches``'s threads; what it answers comes back to the server's thread and counts only if the game
still stands where it was asked. Two engines play on only while somebody watches or a clock runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TypeVar

from fingal.game import Colour, Special
from fingal.players.player import NO_LIMIT, Limit, PlayerError
from fingal.search.evaluator import EvaluationError
from fingal.serve.web import messages
from fingal.serve.web.game import LiveGame
from fingal.serve.web.games import Games
from fingal.serve.web.refusal import Code, Refusal
from fingal.serve.web.searches import Busy, Chosen, Searches, Seen
from fingal.serve.web.seats import PERSON, Seats
from fingal.serve.web.teaching import Lesson, Teacher

AGAIN_SECONDS = 2.0
"""When all searches are taken, an engine is asked again after so long."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


def here(call: Callable[[T], None]) -> Callable[[T], None]:
    """A function for another thread, which has ``call`` called in the server's, unless the server has stopped."""
    loop = asyncio.get_running_loop()

    def hand_over(value: T) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(call, value)

    return hand_over


def sentence(error: Exception, doing: str) -> str:
    """Why something failed, for a person; what is nobody's fault but ours goes to the log."""
    if isinstance(error, Refusal | PlayerError | ValueError | Busy):
        return str(error)
    _log.error("%s has failed", doing, exc_info=error)
    return f"{doing} has failed: the server's log says why"


def code_of(error: Exception) -> Code:
    """The code of an error: ``refused`` where what was asked is not possible, ``failed`` where it went wrong."""
    if isinstance(error, Refusal):
        return error.code
    if isinstance(error, Busy):
        return "busy"
    # A net that lies raises a ValueError too, but nothing was wrong with the request.
    return "refused" if isinstance(error, ValueError) and not isinstance(error, EvaluationError) else "failed"


class Engines:
    """Those of all games."""

    def __init__(self, games: Games, searches: Searches, seats: Seats, teacher: Teacher) -> None:
        """Begin to listen to the games."""
        self._games, self._searches, self._seats, self._teacher = games, searches, seats, teacher
        games.wake, games.ended = self.wake, self.ended

    def wake(self, game: LiveGame) -> None:
        """Ask an engine if it is one's turn, and stop one whose turn it is no more."""
        wanted = self._wanted(game)
        if wanted == game.thinking:
            return
        if game.thinking is not None:
            self._searches.cancel(_key(game.id))
            game.thinking = None
        if wanted is not None and wanted != game.failed:
            self._ask(game, *wanted)

    def ended(self, id: str) -> None:
        """Let go of the engines of a game."""
        self._searches.forget(_key(id))
        self._searches.forget(_lesson_key(id))

    def teach(self, game: LiveGame, node: int) -> None:
        """Have the teacher look at a person's move, and tell everyone if it was a mistake."""
        record = game.tree.until(node)

        def done(lesson: Lesson | Exception | None) -> None:
            if isinstance(lesson, Exception):
                sentence(lesson, "the teacher")
            elif lesson is not None and game.stands_after(node):
                self._games.tell(game, lesson.message(record, game.id, node))

        def work(cancelled: Callable[[], bool]) -> Lesson | None:
            return self._teacher.mistake(record, cancelled)

        with contextlib.suppress(Busy):  # then nothing is said of this move
            self._searches.run(_lesson_key(game.id), work, here(done), urgent=True)

    def _wanted(self, game: LiveGame) -> tuple[int, str] | None:
        """At which node which player is to be at work."""
        if all(game.seat(side) == PERSON for side in Colour):
            return None
        board = game.tree.board(game.current)
        seat = game.seat(board.turn)
        ticking = game.clock is not None and game.clock.running is not None
        watched = game.followers or ticking or game.seat(board.turn.other) == PERSON
        if seat == PERSON or not watched or game.decided(game.current, board)[0] is not None:
            return None
        return game.current, seat

    def _ask(self, game: LiveGame, node: int, seat: str) -> None:
        game.thinking = node, seat
        side = game.tree.board(node).turn
        limit = NO_LIMIT
        if game.clock is not None and not game.clock.over:
            limit = Limit(seconds=game.clock.allowance(side, self._games.now()))

        def done(answer: Chosen | Exception) -> None:
            self._games.spawn(self._move(game, node, seat, answer))

        def shown(seen: Seen) -> None:
            if game.thinking == (node, seat):
                self._games.tell(game, messages.Thought(analysis=seen.message(game.id, node)))

        try:
            text = self._seats.player(seat).text
            record = game.tree.until(node)
            show = here(shown) if game.settings.thinking else None
            self._searches.choose(_key(game.id), text, record, limit, here(done), show)
        except Busy:
            game.thinking = None
            self._try_later(game.id)
        except Refusal as refusal:
            # A game of an earlier run, whose player is not allowed in this one.
            game.thinking, game.failed = None, (node, seat)
            self._games.tell(game, messages.Failed(code=refusal.code, message=refusal.message))

    def _try_later(self, id: str) -> None:
        def again() -> None:
            self._games.spawn(self._try_again(id))

        asyncio.get_running_loop().call_later(AGAIN_SECONDS, again)

    async def _try_again(self, id: str) -> None:
        try:
            async with self._games.open(id) as game:
                self.wake(game)
                if game.thinking is not None:
                    self._games.tell_status(game)
        except Refusal as refusal:
            if refusal.code != "not_found":  # otherwise it has been deleted meanwhile
                self._try_later(id)

    async def _move(self, game: LiveGame, node: int, seat: str, answer: Chosen | Exception) -> None:
        """Make an engine's move if the game still stands where it was asked, or say why there is none."""
        try:
            async with self._games.open(game.id) as now:
                if now is game and game.thinking == (node, seat):
                    game.thinking = None
                    await self._move_in(game, node, seat, answer)
        except Refusal as refusal:
            if refusal.code != "not_found":
                # The game cannot be opened: the engine is asked once more when it can.
                game.thinking = None
                self._try_later(game.id)

    async def _move_in(self, game: LiveGame, node: int, seat: str, answer: Chosen | Exception) -> None:
        try:
            if isinstance(answer, Exception):
                raise answer
            name = "resign" if answer.move == Special.RESIGN else game.tree.record.name(answer.move)
            edit = game.play(node, name, self._games.now(), engine=True)
            if edit.node is not None and answer.value is not None:
                game.tree.facts[edit.node].value = round(answer.value, 4)
            if game.settings.thinking and answer.seen is not None:
                self._games.tell(game, messages.Thought(analysis=answer.seen.message(game.id, node)))
            await self._games.apply(game, edit)
        except Exception as error:
            if isinstance(error, Refusal) and error.code in ("busy", "failed"):
                # The move could not be stored, which is no fault of the engine's. The game was read anew, and its
                # engine asked at once: while the disk is full that would go on without end.
                self._searches.cancel(_key(game.id))
                game.thinking = None
                self._try_later(game.id)
            else:
                game.failed = node, seat
            told = messages.Failed(code="failed", message=sentence(error, f"{seat}'s move"))
            self._games.tell(game, told)
            self._games.tell_status(game)


def _key(game: str) -> str:
    return f"play {game}"


def _lesson_key(game: str) -> str:
    return f"teach {game}"
