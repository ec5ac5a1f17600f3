"""The Hex Text Protocol: a player as an engine for HexGui and other programs.

Framing is GTP 2's: a line with an optional number and a command, answered by ``=`` or ``?``, the number, a text and an
empty line. The commands are those of benzene's engines that HexGui and benzene's tournament scripts use, and analysis
as KataGo and Leela Zero stream it (``fingal.serve.htp_analysis``): its lines come until the next line is sent.

Until the controller sets a clock, with ``time_left`` or ``param_game game_time``, a move may take as long as the player
wants. From then on the time left is shared out among the moves to come (``fingal.players.clock``).
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import weakref
from typing import BinaryIO

from fingal.players import spec
from fingal.players.player import Player
from fingal.serve.htp_engine import HtpEngine
from fingal.serve.htp_text import COMMANDS, read_lines

__all__ = ["COMMANDS", "HtpEngine", "serve"]


def serve(player: str | Player, input: BinaryIO | None = None, output: BinaryIO | None = None) -> int:
    """Answer commands until ``quit`` or the end of the input; the exit status.

    A player given by text is made first (``ValueError`` and ``PlayerError`` as ``spec.make``) and closed in the end.
    Without streams it uses standard input and output, and sends what a player prints to standard error meanwhile.
    """
    ours = spec.make(player) if isinstance(player, str) else player
    engine = HtpEngine(ours)
    try:
        if output is not None:
            return _talk(engine, input or sys.stdin.buffer, output)
        output = sys.stdout.buffer
        with contextlib.redirect_stdout(sys.stderr):
            return _talk(engine, input or sys.stdin.buffer, output)
    finally:
        engine.rest()
        if isinstance(player, str):
            ours.close()


class _Line:
    """A line on its way to the engine."""

    def __init__(self, text: bytes, number: int) -> None:
        self.text = text
        self.number = number
        self.is_running = self.is_interrupted = False


class _Controller:
    """Whoever sends the lines and reads the answers: see ``htp_analysis.Live``."""

    def __init__(self, output: BinaryIO) -> None:
        self.is_gone = False
        self.running = 0
        """The number of the line that the engine works on."""
        self._output = output
        self._heard = 0
        self._changed = threading.Condition()

    def hear(self) -> int:
        """Count a line, an interrupt or the end of the input; its number."""
        with self._changed:
            self._heard += 1
            self._changed.notify_all()
            return self._heard

    def write(self, text: str) -> None:
        try:
            self._output.write(text.encode("utf-8", "replace"))
            self._output.flush()
        except (BrokenPipeError, ValueError):
            _forget(self._output)
            self.is_gone = True

    def has_spoken(self, seconds: float | None = 0.0) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.is_gone or self._heard > self.running, seconds)


def _talk(engine: HtpEngine, input: BinaryIO, output: BinaryIO) -> int:
    """Answer one line after the other, while a thread reads on: '# interrupt' must be heard during a search."""
    lines: queue.Queue[_Line | None] = queue.Queue(maxsize=1000)
    lock = threading.Lock()
    controller = _Controller(output)
    # Weakly: the thread may wait for input until the interpreter ends, and would keep the game alive until after that.
    listening = weakref.ref(engine)

    def interrupt() -> None:
        # Here and not in listen, which would hold on to the engine while it waits for the next line.
        if (engine := listening()) is not None:
            engine.interrupt()

    def listen() -> None:
        last: _Line | None = None
        for text in read_lines(input):
            number = controller.hear()
            if text.strip() == b"# interrupt":
                with lock:
                    if last is not None:
                        last.is_interrupted = True
                        if last.is_running:
                            interrupt()
            else:
                last = _Line(text, number)
                lines.put(last)
        controller.hear()
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while not engine.has_quit and not controller.is_gone and (line := lines.get()) is not None:
        with lock:
            line.is_running = True
        controller.running = line.number
        answer = engine.answer(line.text, interrupted=line.is_interrupted, live=controller)
        with lock:
            line.is_running = False
            engine.take_back_interrupt()  # one that came after the engine had its answer
        if answer:
            controller.write(answer)
        engine.ponder()
    return 0


def _forget(output: BinaryIO) -> None:
    """Let what is still in a broken pipe's buffer go nowhere, so that the interpreter's last flush says nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
