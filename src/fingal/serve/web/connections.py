"""TCP connections of the server: how many there may be, how long a request may take, and which are dropped first.

A connection on which no request is complete yet is half-open. Where a bound is reached, a new connection takes the
place of the oldest half-open one, then of the oldest one that only waits for another request, then of one whose client
does not take its answer. Those that are being answered and sockets are never dropped for another. So whoever opens
connections by the thousand drops mostly his own, and every page that sends its request at once is served.
"""

from __future__ import annotations

import asyncio
import enum
import ipaddress
import json
import logging
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fingal.serve.web.refusal import Code

HEADER_SECONDS = 10.0
"""A request's first line and headers have to arrive in this time, counted from the first byte or the connection."""
BODY_SECONDS = 20.0
"""A request's body has to arrive in this time."""
IDLE_SECONDS = 15
"""A connection is closed when no other request has come for so long."""
STALLED_SECONDS = 3.0
"""A client that takes nothing of its answer for so long may be dropped for another."""
STUCK_SECONDS = 30.0
"""A client that takes nothing of what is sent to it is cut off after this time."""
TAKEN_BYTES = 16 * 1024
"""A client that takes so much of what is sent to it has taken something."""
CLOSING_SECONDS = 5.0
"""A connection that is being closed is cut off after this time, whatever has still to be sent."""

MOST, SHARE_OF_ONE = 1000, 0.75
"""Connections at a time, and the share of them that one address may have."""
OTHER_FILES = 160
"""File descriptors that are left for everything but connections: the store, engines, files that are read."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections there may be."""

    connections: int
    of_one_address: int

    @classmethod
    def of_process(cls) -> Limits:
        """The limits for the number of files that this process may have open."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files == resource.RLIM_INFINITY:
            files = MOST + OTHER_FILES
        most = max(4, min(MOST, files - min(OTHER_FILES, files // 2)))
        return cls(most, max(3, int(SHARE_OF_ONE * most)))


class State(enum.Enum):
    """What a connection is at."""

    HEADERS = "headers"
    """A request's headers have not arrived yet."""
    BODY = "body"
    """A request's body has not arrived yet."""
    ANSWER = "answer"
    """A request has arrived, and its answer is on its way."""
    IDLE = "idle"
    """A request was answered, and another one may follow."""
    SOCKET = "socket"
    """The connection is a WebSocket."""


HALF_OPEN = (State.HEADERS, State.BODY)


@dataclass(eq=False, slots=True)
class _Connection:
    """One open connection."""

    transport: asyncio.Transport
    address: _Address
    state: State
    since: float
    """When it came to its state."""
    drained: float
    """When something that was sent had last been taken."""
    unsent: int = 0
    """The most bytes since then that had still to be taken."""
    closing: float | None = None
    """When its end was first seen to be under way."""


@dataclass(eq=False, slots=True)
class _Address:
    """The connections of one address."""

    key: str
    count: int = 0
    half_open: dict[_Connection, None] = field(default_factory=dict)
    """The oldest first."""
    idle: dict[_Connection, None] = field(default_factory=dict)
    """The oldest first."""
    stalled: dict[_Connection, None] = field(default_factory=dict)
    """Those whose answer is not taken, the oldest first."""

    def oldest(self) -> _Connection | None:
        """The connection to drop first; None when all are in use."""
        return next((found for all in (self.half_open, self.idle, self.stalled) for found in all), None)

    def remove(self, connection: _Connection) -> None:
        """Have a connection in no state."""
        for all in (self.half_open, self.idle, self.stalled):
            all.pop(connection, None)

    def place(self, connection: _Connection, state: State) -> None:
        """Sort a connection into its new state."""
        self.remove(connection)
        connection.state = state
        if state in HALF_OPEN:
            self.half_open[connection] = None
        elif state is State.IDLE:
            self.idle[connection] = None


class Connections:
    """All connections of one server. Everything here runs in the server's thread."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        """There are none yet."""
        self.limits = limits
        self._now = now
        self._open: dict[asyncio.Transport, _Connection] = {}
        self._addresses: dict[str, _Address] = {}
        self._refused = self._dropped = self._late = 0
        """Connections since the last line of the log."""

    def admit(self, transport: asyncio.Transport) -> bool:
        """Take in a new connection, instead of another where there are too many; False, and it is closed, if not."""
        key = _key(transport)
        address = self._addresses.get(key) or _Address(key)
        crowd: _Address | None = None
        if address.count >= self.limits.of_one_address:
            crowd = address
        elif len(self._open) >= self.limits.connections:
            # Whoever has the most connections loses one.
            loose = (each for each in self._addresses.values() if each.oldest() is not None)
            crowd = max(loose, key=lambda each: each.count, default=address)
        if crowd is not None:
            victim = crowd.oldest()
            if victim is None:
                self._refused += 1
                _end(transport, "too_many", "there are too many connections: try again in a moment")
                return False
            self._dropped += 1
            self._drop(victim, "too_many", "there are too many connections, and this one had sent no whole request")
        now = self._now()
        self._addresses[key] = address
        address.count += 1
        connection = self._open[transport] = _Connection(transport, address, State.HEADERS, now, now)
        address.place(connection, State.HEADERS)
        return True

    def change(self, transport: asyncio.Transport, state: State) -> None:
        """Note what a connection is at."""
        connection = self._open.get(transport)
        if connection is not None and connection.state is not state:
            connection.address.place(connection, state)
            connection.since = connection.drained = self._now()

    def drained(self, transport: asyncio.Transport) -> None:
        """Note that a client has taken much of what was sent to it."""
        if (connection := self._open.get(transport)) is not None:
            connection.drained = self._now()
            connection.unsent = transport.get_write_buffer_size()
            connection.address.stalled.pop(connection, None)

    def lost(self, transport: asyncio.Transport) -> None:
        """Note that a connection is gone."""
        connection = self._open.pop(transport, None)
        if connection is None:
            return
        address = connection.address
        address.remove(connection)
        address.count -= 1
        if not address.count:
            del self._addresses[address.key]

    def sweep(self) -> None:
        """Drop what has taken too long, and log what was dropped; to be called about once a second."""
        now = self._now()
        for connection in list(self._open.values()):
            waited, transport = now - connection.since, connection.transport
            if transport.is_closing():
                connection.closing = connection.closing or now
                if now - connection.closing > CLOSING_SECONDS:
                    transport.abort()
                continue
            unsent = transport.get_write_buffer_size()
            connection.unsent = max(connection.unsent, unsent)
            if not unsent or connection.unsent - unsent >= TAKEN_BYTES:
                self.drained(transport)
            if connection.state is State.HEADERS and waited > HEADER_SECONDS:
                self._late += 1
                self._drop(connection, None, f"the request did not arrive within {HEADER_SECONDS:g} seconds")
            elif connection.state is State.BODY and waited > BODY_SECONDS:
                self._late += 1
                self._drop(connection, None, f"the request's body did not arrive within {BODY_SECONDS:g} seconds")
            elif now - connection.drained > STUCK_SECONDS:
                self._late += 1
                transport.abort()
            elif connection.state is State.ANSWER and now - connection.drained > STALLED_SECONDS:
                connection.address.stalled[connection] = None
        self._report()

    def close(self) -> None:
        """End the half-open connections, for which the server would wait when it stops."""
        for connection in list(self._open.values()):
            if connection.state in HALF_OPEN:
                self.lost(connection.transport)
                connection.transport.abort()
        self._report()

    def __len__(self) -> int:
        return len(self._open)

    def _report(self) -> None:
        if self._refused or self._dropped or self._late:
            _log.warning(
                "connections: %d refused and %d half-open or idle dropped because there were too many, %d too slow",
                self._refused,
                self._dropped,
                self._late,
            )
            self._refused = self._dropped = self._late = 0

    def _drop(self, connection: _Connection, code: Code | None, message: str) -> None:
        """End a connection on which nothing is being answered; its place is free at once."""
        self.lost(connection.transport)
        if connection.state in HALF_OPEN:
            _end(connection.transport, code, message)
        else:
            connection.transport.abort()


def _end(transport: asyncio.Transport, code: Code | None, message: str) -> None:
    """Answer in one sentence and close; a request that came too late has no code of its own."""
    status = 408 if code is None else 503
    body = json.dumps({"code": code or "bad_message", "message": message}).encode()
    phrase = "Request Timeout" if code is None else "Service Unavailable"
    head = f"HTTP/1.1 {status} {phrase}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
    # What the system has not taken by now is not worth a file descriptor.
    transport.abort()


def _key(transport: asyncio.Transport) -> str:
    """The address of a client; of IPv6 the network, whose addresses are one client's."""
    peer = transport.get_extra_info("peername")
    host = str(peer[0]) if peer else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host
