"""One page's socket: what it asks is read, checked, counted and carried out, what it is told waits in a short queue.

A message that is none is answered with an error, and the socket lives on. A page that floods us, or that does not read
what it is told, is cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import assert_never

import anyio
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from fingal.serve.web import messages
from fingal.serve.web.game import Edit, LiveGame
from fingal.serve.web.guard import Bucket
from fingal.serve.web.looks import Looks, Minds
from fingal.serve.web.refusal import Refusal

MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 40.0, 120.0
"""What a page may ask: more than a person who holds a key down does."""
BYTES_A_SECOND, BYTES_AT_ONCE = 128 * 1024.0, 1024 * 1024.0
NODES_A_TOKEN = 100
"""A whole game costs one more for so many nodes: the largest may be asked for once a second."""
BAD_COST = 4.0
"""What is no message costs so many."""
MOST_REFUSED = 100
"""So many messages beyond that are answered with an error; then the page is cut off."""
MOST_WAITING, MOST_WAITING_BYTES = 400, 8 * 1024 * 1024
"""What may wait to be sent to one page."""
HELLO_SECONDS = 10.0
"""A socket that has not said hello by then is closed."""

GOING_AWAY, TOO_LONG, BROKE_RULES, TRY_LATER = 1001, 1009, 1008, 1013

_log = logging.getLogger(__name__)
_numbers = itertools.count(1)


class Page:
    """One page."""

    def __init__(self, socket: WebSocket, minds: Minds) -> None:
        """Of a socket that has not been accepted yet."""
        self.number = next(_numbers)
        self.address = socket.client.host if socket.client is not None else ""
        self.games = minds.games
        self._engines = minds.engines
        self._looks = Looks(self, minds)
        self.followed: str | None = None
        self._socket = socket
        self._greeted = asyncio.Event()
        self._asked = Bucket(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)
        self._read = Bucket(BYTES_A_SECOND, BYTES_AT_ONCE)
        self._refused = 0
        self._waiting: deque[str] = deque()
        self._waiting_bytes = 0
        self._something = asyncio.Event()
        self._cut: int | None = None
        """The code to close with, once the page is to be cut off."""
        self._scope: anyio.CancelScope | None = None
        """Of the tasks, while they run."""

    @property
    def greeted(self) -> bool:
        """Whether it has said hello."""
        return self._greeted.is_set()

    async def serve(self) -> None:
        """Until the page goes, or is sent away."""
        await self._socket.accept()
        try:
            async with anyio.create_task_group() as group:
                self._scope = group.cancel_scope
                for work in (self._listen, self._speak, self._wait_for_hello):
                    group.start_soon(self._until_the_end, work)
        finally:
            self.leave()
        if self._socket.client_state is not WebSocketState.DISCONNECTED:
            with anyio.move_on_after(2), contextlib.suppress(Exception):
                await self._socket.close(self._cut or GOING_AWAY)

    def tell(self, message: messages.Said) -> None:
        """Send a message as soon as the page takes it; a page that has let too many wait is cut off."""
        if self._cut is not None:
            return
        passing = isinstance(message, messages.Thought | messages.Analysis) and len(self._waiting) > 8
        if passing and not (isinstance(message, messages.Analysis) and message.done):
            return  # the next one says the same and more
        text = message.model_dump_json()
        self._waiting.append(text)
        self._waiting_bytes += len(text)
        if len(self._waiting) > MOST_WAITING or self._waiting_bytes > MOST_WAITING_BYTES:
            self.cut(TRY_LATER)
        self._something.set()

    def cut(self, code: int) -> None:
        """End the connection; nothing that waits is sent."""
        self._cut = code
        self._waiting.clear()
        if self._scope is not None:
            self._scope.cancel()

    def leave(self) -> None:
        """Nobody is there any more: nothing goes on for this page."""
        self._cut = self._cut or GOING_AWAY
        self._looks.leave()
        if self.followed is not None:
            self.games.unfollow(self.followed, self)
            self.followed = None

    # --- the three tasks --------------------------------------------------------------------------------------------

    async def _until_the_end(self, work: Callable[[], Awaitable[bool]]) -> None:
        """Do one of the tasks; the others end when it says that all is over."""
        try:
            over = await work()
        except (WebSocketDisconnect, RuntimeError):
            over = True  # the page has gone while something was sent
        if over and self._scope is not None:
            self._scope.cancel()

    async def _listen(self) -> bool:
        while self._cut is None:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            # What was begun is carried through, even if the page goes: a change is stored and told, or neither.
            with anyio.CancelScope(shield=True):
                await self._take(message.get("text"), message.get("bytes"))
            await asyncio.sleep(0)  # others have their turn between two messages of one page
        return True

    async def _speak(self) -> bool:
        while self._cut is None:
            while self._waiting:
                text = self._waiting.popleft()
                self._waiting_bytes -= len(text)
                await self._socket.send_text(text)
            self._something.clear()
            if self._cut is None:
                await self._something.wait()
        return True

    async def _wait_for_hello(self) -> bool:
        with anyio.move_on_after(HELLO_SECONDS):
            await self._greeted.wait()
            return False
        self.cut(BROKE_RULES)
        return True

    # --- what is asked ----------------------------------------------------------------------------------------------

    async def _take(self, text: str | None, data: bytes | None) -> None:
        """Check and carry out one message."""
        length = len(data) if text is None and data is not None else len((text or "").encode(errors="replace"))
        if not self._asked.take() or not self._read.take(length):
            self._refused += 1
            if self._refused > MOST_REFUSED:
                return self.cut(BROKE_RULES)
            return self._fail(None, "too_many", "there were too many messages: wait a moment")
        request: int | None = None
        try:
            if length > messages.MOST_BYTES:
                raise Refusal("too_long", f"a message has at most {messages.MOST_BYTES} bytes")
            if text is None:
                raise Refusal("bad_message", "a message is JSON, sent as text")
            asked = messages.ASKED.validate_json(text)
            request = asked.request
            if not self._greeted.is_set() and not isinstance(asked, messages.Hello):
                raise Refusal("bad_message", "the first message must be hello")
            await self._carry_out(asked)
        except ValidationError as error:
            self._asked.take(BAD_COST - 1)
            self._fail(_request(text or ""), "bad_message", _sentence(error))
        except Refusal as refusal:
            if refusal.code in ("bad_message", "too_long"):
                self._asked.take(BAD_COST - 1)
            self._fail(request, refusal.code, refusal.message)
        except Exception:
            _log.exception("a request has failed")
            self._fail(request, "failed", "something went wrong in the server: it has been noted in its log")

    def _fail(self, request: int | None, code: str, message: str) -> None:
        self.tell(messages.Failed.model_validate({"request": request, "code": code, "message": message}))

    async def _carry_out(self, asked: messages.Asked) -> None:
        match asked:
            case messages.Hello(version=version):
                if version != messages.VERSION:
                    raise Refusal("version", f"this page is of another version ({version}): load it anew")
                self._greeted.set()
                self._done(asked)
            case messages.Follow():
                await self._follow(asked)
            case messages.Analyse():
                await self._looks.analyse(asked)
                self._done(asked)
            case messages.Stop(slot=slot):
                self._looks.stop(slot)
                self._done(asked)
            case messages.Ask():
                await self._looks.ask(asked)
            case messages.Review():
                await self._looks.review(asked)
            case messages.Hint():
                await self._looks.hint(asked)
            case _:
                async with self.games.open(asked.game) as game:
                    edit = self._edit(asked, game)
                    await self.games.apply(game, edit)
                    self._done(asked, edit.node)
                    if isinstance(asked, messages.Play) and game.settings.teaching and edit.node == game.current:
                        self._engines.teach(game, edit.node)

    async def _follow(self, asked: messages.Follow) -> None:
        if self.followed is not None and self.followed != asked.game:
            self.games.unfollow(self.followed, self)
            self.followed = None
        async with self.games.open(asked.game) as game:
            if not self._asked.take(len(game.tree.nodes) / NODES_A_TOKEN):
                raise Refusal("too_many", "a large game was asked for too often: wait a moment")
            self.games.follow(game, self)
            self.followed = game.id
            self.tell(messages.Whole(request=asked.request, game=game.whole(self.games.now())))

    def _edit(self, asked: messages.Edits, game: LiveGame) -> Edit:
        """Change an open game as a message wants it."""
        now = self.games.now()
        match asked:
            case messages.Play(parent=parent, move=move):
                return game.play(parent, move, now)
            case messages.TakeBack():
                return game.take_back(now)
            case messages.GoTo(node=node):
                return game.go_to(node, now)
            case messages.Annotate(node=node, comment=comment, marks=marks):
                return game.annotate(node, comment, marks)
            case messages.Remove(node=node):
                return game.remove(node, now)
            case messages.Promote(node=node):
                return game.promote(node)
            case messages.Change():
                return self.games.agree(game, asked)
            case _:
                assert_never(asked)

    def _done(self, asked: messages.Asked, node: int | None = None) -> None:
        self.tell(messages.Done(request=asked.request, node=node))


def _request(text: str) -> int | None:
    """The number of a request that may be wrong otherwise."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = found.get("request") if isinstance(found, dict) else None
    return number if type(number) is int and 0 <= number <= 2**31 else None


def _sentence(error: ValidationError) -> str:
    """What is wrong with a message: the first finding."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}"[:300] if place else first["msg"][:300]
