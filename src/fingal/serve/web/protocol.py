"""uvicorn's protocols, whose connections are counted and have time limits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from fingal.serve.web.connections import Connections, State

if TYPE_CHECKING:
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol as WebSocketProtocol
else:
    WebSocketProtocol = AutoWebSocketsProtocol


class Config(uvicorn.Config):
    """uvicorn's settings, with the connections of the server."""

    def __init__(self, app: Any, connections: Connections, **settings: Any) -> None:
        """``settings`` are uvicorn's."""
        super().__init__(app, http=HttpConnection, ws=SocketConnection, **settings)
        self.connections = connections


class HttpConnection(H11Protocol):
    """A connection with requests of HTTP."""

    config: Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or refuse where there are too many connections."""
        super().connection_made(transport)
        self.config.connections.admit(transport)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        if self.transport.is_closing():
            return  # it has been dropped, and this had arrived before
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        self._note()

    def resume_writing(self) -> None:
        """Go on sending."""
        self.config.connections.drained(self.transport)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.config.connections.lost(self.transport)
        super().connection_lost(exc)

    def _note(self) -> None:
        """Note what the connection is at, unless it has become a socket."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        theirs = self.conn.their_state
        if theirs is h11.SEND_BODY:
            state = State.BODY
        elif theirs is not h11.IDLE:
            state = State.ANSWER
        elif self.cycle is None or self.conn.trailing_data[0]:
            state = State.HEADERS
        else:
            state = State.IDLE
        self.config.connections.change(self.transport, state)


class SocketConnection(WebSocketProtocol):
    """A connection that has become a WebSocket; it was counted when it was opened."""

    config: Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take over the connection."""
        super().connection_made(transport)
        self.config.connections.change(transport, State.SOCKET)

    def resume_writing(self) -> None:
        """Go on sending."""
        self.config.connections.drained(self.transport)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.config.connections.lost(self.transport)
        super().connection_lost(exc)
