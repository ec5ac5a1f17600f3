"""A process that plays games for another: ``python -m fingal.arena.worker SOCKET MEMORY PARENT``.

A task is answered with an outcome, a player's text and a board's size with None when the player can be made and plays
there, and either with the error that it led to. The process ends with the one that started it, however that one ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from fingal.arena.glance import Glance
from fingal.arena.seats import Seats, Task
from fingal.players.player import MissingPlayer, PlayerError

_PATIENCE = 5.0
"""Seconds for closing the engines when the parent is gone."""


def main(handle: int, memory: int, parent: int) -> None:
    """Answer until the pipe closes."""
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    pipe: Connection[Any, Any] = Connection(handle)
    glance, seats = Glance(memory), Seats()
    try:
        with contextlib.suppress(EOFError, OSError):
            while True:
                asked = pipe.recv()
                try:
                    if isinstance(asked, Task):
                        glance.begin()
                        pipe.send(seats.play(asked, glance))
                    else:
                        seats.check(*asked)
                        pipe.send(None)
                except MissingPlayer as error:
                    pipe.send(MissingPlayer(str(error)))
                except PlayerError as error:
                    pipe.send(PlayerError(str(error)))
                except ValueError as error:
                    pipe.send(ValueError(str(error)))
    finally:
        seats.close()


def _leave(number: int, frame: FrameType | None) -> None:
    # Once is enough: a second signal would only break into the closing of engines and of Python itself.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _follow(parent: int) -> None:
    """End this process, and with it its engines, when the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    # A real signal, to the thread that may be waiting for an engine.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(_PATIENCE)
    os._exit(1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
