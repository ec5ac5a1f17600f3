"""What stands before every request: whom we serve, from where, how much and how often, and what a page may do.

- The ``Host`` must be one of ours: a foreign name that resolves to this machine (DNS rebinding) is refused.
- An ``Origin`` must be that host: other sites' pages can neither open the socket nor change anything.
- A server on the network serves nothing without its token: see ``access``.
- Bodies have 64 KiB at most, and an address that floods us is refused until it has calmed down.
- Every answer carries a Content-Security-Policy under which nothing but our own files is loaded or run.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fingal.serve.web.access import MISSING, WRONG, Access
from fingal.serve.web.messages import MOST_BYTES
from fingal.serve.web.refusal import STATUS, Code

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}
"""Of every answer that says nothing else itself."""

_log = logging.getLogger(__name__)

MOST_ADDRESSES = 1024
"""So many addresses are remembered."""

FILE_COST = 0.1
"""A request for one of the page's own files, of which it loads dozens, costs so much of another one."""
COSTLY = ("/api/", "/ws", "/reports/", "/openapi.json")
"""The beginnings of all other paths."""


class Bucket:
    """Tokens that come back at a steady rate, up to a number; every message costs some."""

    def __init__(self, rate: float, most: float, now: Callable[[], float] = time.monotonic) -> None:
        """``rate`` tokens a second."""
        self.rate, self.most, self._now = rate, most, now
        self.tokens, self._since = most, now()

    def take(self, cost: float = 1.0) -> bool:
        """Pay; False, and nothing paid, when there is not enough."""
        now = self._now()
        self.tokens = min(self.most, self.tokens + (now - self._since) * self.rate)
        self._since = now
        if self.tokens < cost:
            return False
        self.tokens -= cost
        return True


class Buckets:
    """A bucket for each address; those seen longest ago are forgotten."""

    def __init__(self, rate: float, most: float) -> None:
        """As for ``Bucket``."""
        self._rate, self._most = rate, most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str, cost: float = 1.0) -> bool:
        """Whether the address may."""
        bucket = self._buckets.pop(address, None) or Bucket(self._rate, self._most)
        self._buckets[address] = bucket
        if len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return bucket.take(cost)


@dataclass(frozen=True, slots=True)
class Doors:
    """The names that the server goes by."""

    names: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    addresses: bool = False
    """Whether any address of digits will do: nobody can make one of those point elsewhere."""

    @classmethod
    def of(cls, host: str, names: Iterable[str] = ()) -> Doors:
        """Those of a server that listens at ``host``, besides names that it was told."""
        known = cls().names | {name.lower() for name in names}
        if host in known:
            return cls(known)
        return cls(known | {host.lower()}, addresses=True)

    def serve(self, host: str) -> bool:
        """Whether a ``Host`` header, with or without a port, is one of ours."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name.lower() in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.addresses

    def refuse(self, host: str, origin: str | None) -> str:
        """Why a request is not served; '' when it is."""
        if not self.serve(host):
            return f"{host[:80]!r} is not a name of this server: it is served at {', '.join(sorted(self.names))}"
        if origin is not None:
            try:
                parts = urlsplit(origin)
            except ValueError:
                parts = urlsplit("")
            if parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower():
                return f"requests of other sites are refused: this one comes from {origin[:80]!r}"
        return ""


class Guard:
    """The application behind the rules above. The socket's messages are counted by the socket itself."""

    def __init__(self, app: ASGIApp, doors: Doors, requests: Buckets, access: Access | None = None) -> None:
        """``requests`` counts those of each address; without ``access`` no token is required."""
        self._app, self._doors, self._requests, self._access = app, doors, requests, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        why = self._doors.refuse(headers.get(b"host", ""), headers.get(b"origin"))
        address = scope["client"][0] if scope.get("client") else ""
        cost = 1.0 if scope["path"].startswith(COSTLY) else FILE_COST
        token = "cookie" if self._access is None else self._access.check(scope)
        if scope["type"] == "websocket":
            if not why and token in ("missing", "wrong"):
                why = MISSING if token == "missing" else WRONG
            if why or not self._requests.take(address):
                await receive()
                return await send({"type": "websocket.close", "code": 1008, "reason": why[:100] or "too many"})
            return await self._app(scope, receive, send)
        if why:
            return await _answer(send, "refused", why)
        if not self._requests.take(address, cost):
            return await _answer(send, "too_many", "there were too many requests: wait a moment")
        if token == "missing":
            return await _answer(send, "refused", MISSING, 401)
        if token == "wrong":
            return await _answer(send, "refused", WRONG)
        if self._access is not None and token == "link":
            send = _with_cookie(send, self._access.header(scope))
        length = headers.get(b"content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return await _answer(send, "too_long", f"a request has at most {MOST_BYTES} bytes")
        try:
            body = await _read(receive) if scope["method"] not in ("GET", "HEAD") else b""
        except ClientDisconnect:
            return None  # what was not sent to the end is not carried out
        if body is None:
            return await _answer(send, "too_long", f"a request has at most {MOST_BYTES} bytes")
        given = False

        async def replay() -> Message:
            nonlocal given
            if given or scope["method"] in ("GET", "HEAD"):
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, replay, _with_headers(sending))
        except Exception:
            _log.exception("%s %s has failed", scope["method"], scope["path"])
            if started:
                raise
            await _answer(send, "failed", "something went wrong in the server: it has been noted in its log")


async def _read(receive: Receive) -> bytes | None:
    """A request's body; None when it is too long, whatever its header says; ``ClientDisconnect`` when it has no end."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            extra = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in known]
            message["headers"] = [*message["headers"], *extra]
        await send(message)

    return sending


def _with_cookie(send: Send, cookie: bytes) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"set-cookie", cookie)]
        await send(message)

    return sending


async def _answer(send: Send, code: Code, message: str, status: int | None = None) -> None:
    body = json.dumps({"code": code, "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    start = {"type": "http.response.start", "status": status or STATUS[code], "headers": headers}
    sending = _with_headers(send)
    await sending(start)
    await sending({"type": "http.response.body", "body": body})
