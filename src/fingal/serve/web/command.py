"""What ``fingal serve`` does: find a port, start the server, open the browser, stop cleanly."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import uvicorn

from fingal.serve.web import messages
from fingal.serve.web.access import new_token
from fingal.serve.web.app import Options, create
from fingal.serve.web.bounded_log import bounded_log
from fingal.serve.web.connections import IDLE_SECONDS, Connections, Limits
from fingal.serve.web.protocol import Config

TRIED_PORTS = 20
"""Where no port is given and the first is taken, the next ones are tried."""

ACCEPTED_AT_ONCE, MOST_UNACCEPTED = 4, 1024
"""New connections that are taken before others have their turn again, and those that may wait to be taken."""

Say = Callable[[str], None]


def data_folder() -> Path:
    """Where games are kept unless the command says otherwise."""
    home = os.environ.get("XDG_DATA_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share") / "fingal"


def listen(host: str, port: int, *, exactly: bool) -> socket.socket:
    """A socket that listens at a port or, unless it must be that one, at one of the next."""
    if not 0 <= port <= 65535:
        raise ValueError(f"port={port} is not possible: it is a number from 0 to 65535, and 0 takes any that is free")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, port + (1 if exactly or port == 0 else TRIED_PORTS)):
        taken = socket.socket(family)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, candidate))
            taken.listen(256)
            return taken
        except OSError as error:
            taken.close()
            reason = error.strerror or str(error)
    raise ValueError(f"cannot listen at {host} port {port}: {reason}")


def config(options: Options, level: str = "warning") -> Config:
    """How uvicorn runs the application: small messages, no compression, no logs of requests, bounded connections."""
    limits = Limits.of_process()
    # However few files the process may open, some connections are left for what is no socket.
    options = replace(
        options,
        connections=min(options.connections, limits.connections * 3 // 4),
        connections_of_one=min(options.connections_of_one, limits.of_one_address * 3 // 4),
    )
    return Config(
        create(options),
        Connections(limits),
        log_level=level,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # What is a little too long is answered with an error; what is more is cut off before it is read.
        ws_max_size=2 * messages.MOST_BYTES,
        ws_max_queue=8,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=IDLE_SECONDS,
        backlog=ACCEPTED_AT_ONCE,
    )


class Server(uvicorn.Server):
    """A server that says when it is ready, and looks after its connections."""

    config: Config

    def __init__(self, config: Config, ready: Callable[[], None]) -> None:
        """``ready`` is called once it answers."""
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        for listening in sockets or []:
            # asyncio takes as many connections at a time as it lets wait: now more may wait than are taken.
            listening.listen(MOST_UNACCEPTED)
        if self.started:
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        """Do what is to be done ten times a second."""
        if counter % 10 == 0:
            self.config.connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, without waiting for requests that may never be sent to their end."""
        self.config.connections.close()
        await super().shutdown(sockets)


def serve(options: Options, *, exactly: bool, everyone: bool, browser: bool, say: Say) -> None:
    """Serve until Ctrl-C or a signal ends it.

    Where other machines can reach it, a token is required unless ``everyone`` is to be served.
    """
    if options.searches is not None and options.searches < 1:
        raise ValueError(f"searches={options.searches} is not possible: it must be at least 1")
    listening = listen(options.host, options.port, exactly=exactly)
    host, port = listening.getsockname()[:2]
    here = ipaddress.ip_address(host)
    if not (here.is_loopback or everyone):
        options = replace(options, token=new_token())
    shown = "localhost" if here.is_loopback or here.is_unspecified else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + ("" if options.token is None else f"?token={options.token}")

    def ready() -> None:
        say(f"Fingal is at {address}")
        if here.is_unspecified:
            say("On other machines, put this one's address instead of localhost.")
        if options.token is not None:
            say("Nobody is served without the token in this link; --open serves everybody who can reach the server.")
        say("Ctrl-C ends it; games are kept.")
        if browser and has_display():
            # A browser that takes its time must not keep the server waiting.
            threading.Thread(target=_open, args=(address,), daemon=True).start()

    with listening, bounded_log(sys.stderr):
        server = Server(config(options), ready)
        server.run(sockets=[listening])
    if not server.started:
        raise ValueError("the server could not start: its log says why")


def has_display() -> bool:
    """Whether a browser has somewhere to open: one that would fill this terminal is not wanted."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)
