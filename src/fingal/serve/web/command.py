"""What ``fingal serve`` does: find a port, start the server, open the browser, stop cleanly."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from fingal.serve.web import messages
from fingal.serve.web.app import Options, create

TRIED_PORTS = 20
"""Where no port is given and the first is taken, the next ones are tried."""

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


def config(options: Options, level: str = "warning") -> uvicorn.Config:
    """How uvicorn runs the application: small messages, no compression, no logs of requests."""
    return uvicorn.Config(
        create(options),
        log_level=level,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # What is a little too long is answered with an error; what is more is cut off before it is read.
        ws_max_size=2 * messages.MOST_BYTES,
        ws_max_queue=8,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
    )


class Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """``ready`` is called once it answers."""
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(options: Options, *, exactly: bool, browser: bool, say: Say) -> None:
    """Serve until Ctrl-C or a signal ends it."""
    if options.searches is not None and options.searches < 1:
        raise ValueError(f"searches={options.searches} is not possible: it must be at least 1")
    listening = listen(options.host, options.port, exactly=exactly)
    host, port = listening.getsockname()[:2]
    shown = "localhost" if host in ("127.0.0.1", "::1") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"

    def ready() -> None:
        say(f"Fingal is at {address}")
        say("Ctrl-C ends it; games are kept.")
        if browser and has_display():
            # A browser that takes its time must not keep the server waiting.
            threading.Thread(target=_open, args=(address,), daemon=True).start()

    with listening:
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
