"""A program that speaks the Hex Text Protocol, run as a child process: one command, one answer.

Everything an engine can do wrong ends in a ``PlayerError`` with one sentence, and with the engine and its children
gone: it may be missing, die, hang, write without end, or answer what is no answer.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
import weakref
from typing import IO, NoReturn

from fingal.players.player import MissingPlayer, PlayerError

MAX_ANSWER = 1_000_000
"""Bytes; an engine that writes more without finishing its answer has failed."""
MAX_CHUNKS = 32
"""Pieces of an engine's output that wait to be read, of 64 kB at most."""
_QUIT_SECONDS = 2.0


class Refused(Exception):
    """The engine answered ``?``: it is well, but would not do as it was told. The message is what it said."""


class Engine:
    """A running engine."""

    def __init__(self, command: str, seconds: float) -> None:
        """Start it, without a shell, and wait for its first answer.

        Raises ``ValueError`` when the command is none, ``PlayerError`` when it does not start or is no engine.
        """
        try:
            arguments = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"the command {command!r} cannot be split into words: {error}") from None
        if not arguments:
            raise ValueError("the command of an engine must not be empty")
        self.label = os.path.basename(arguments[0])
        """What error messages call it."""
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise MissingPlayer(f"cannot start the engine {arguments[0]!r}: there is no such program") from None
        except OSError as error:
            raise MissingPlayer(f"cannot start the engine {arguments[0]!r}: {error.strerror}") from None
        self._finalizer = weakref.finalize(self, _kill, self._process)
        # Not bound methods: a thread that held the engine would keep it alive for ever.
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last_words = bytearray()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._reader = threading.Thread(target=_pump, args=(self._process.stdout, self._chunks), daemon=True)
        drain = threading.Thread(target=_drain, args=(self._process.stderr, self._last_words), daemon=True)
        self._threads = (self._reader, drain)
        self._writing = threading.Lock()
        self._buffer = b""
        self._failure: str | None = None
        self._greeted = False
        # GTP has numbered commands, which show an answer that belongs to an earlier one. HexGui never sends numbers,
        # so not every engine knows them: the first command finds out.
        self._number: int | None = 0
        try:
            for thread in self._threads:
                thread.start()
            with contextlib.suppress(Refused):
                self.ask("protocol_version", seconds)
        except KeyboardInterrupt:
            self.kill()
            raise

    def ask(self, command: str, seconds: float) -> str:
        """Send a command and return what follows ``=``, stripped; ``Refused`` when the engine answers ``?``."""
        if self._failure is not None:
            raise PlayerError(self._failure)
        self._check_silence()
        self._write(command if self._number is None else f"{self._number} {command}", command)
        status, number, text = self._receive(command, seconds)
        if not self._greeted:
            self._greeted = True
            if number != "0":
                self._number = None
                if status == "?":
                    return self.ask(command, seconds)
        elif self._number is not None and number != str(self._number):
            self._fail(f"gave {number or 'no number'} as the number of its answer to {command!r}, not {self._number}")
        if self._number is not None:
            self._number += 1
        if status == "?":
            raise Refused(one_line(text))
        return text

    def interrupt(self) -> None:
        """Tell an engine that knows ``gogui-interrupt`` to end its search; from any thread."""
        with contextlib.suppress(PlayerError):
            self._write("# interrupt", "# interrupt")

    def close(self) -> None:
        """Send ``quit``, wait a little, and end it by force if that does not help."""
        if self._failure is None:
            self._failure = f"{self.label} has been closed"
            assert self._process.stdin is not None
            with contextlib.suppress(PlayerError, OSError):
                self._write("quit", "quit")
                self._process.stdin.close()
            deadline = time.monotonic() + _QUIT_SECONDS
            while self._reader.is_alive() and time.monotonic() < deadline:
                self._skip_chunk()
        self._end()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        self._failure = self._failure or f"{self.label} has been ended"
        self._end()

    def _write(self, line: str, command: str) -> None:
        if len(line) > 4096 or not line.isprintable():
            raise PlayerError(
                f"a command of {len(line)} characters cannot be sent to {self.label}: one line, 4096 at most"
            )
        assert self._process.stdin is not None
        try:
            with self._writing:
                self._process.stdin.write(line.encode() + b"\n")
        except (OSError, ValueError):
            if self._failure is None:
                self._fail(f"ended before {command!r}", ended=True)

    def _receive(self, command: str, seconds: float) -> tuple[str, str, str]:
        """Status, number and text of the next answer."""
        deadline = time.monotonic() + seconds
        banner = 0
        while (block := self._take(command)) is None:
            if max(len(self._buffer), banner) > MAX_ANSWER:
                self._fail(f"wrote more than {MAX_ANSWER} bytes without finishing its answer to {command!r}")
            try:
                chunk = self._chunks.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                chunk = None
            # Looked at even if there is a chunk: a flood always has one.
            if chunk is None or time.monotonic() > deadline:
                self._fail(f"did not answer {command!r} within {seconds:g} seconds")
            if not chunk:
                self._fail(f"ended without answering {command!r}", ended=True)
            self._buffer += chunk.replace(b"\r", b"")
            banner += 0 if self._greeted else len(chunk)
        text = block.decode("utf-8", "replace").replace("\t", " ")
        match = re.match(r"([=?])([0-9]*)(?:[ \n]|\Z)", text)
        if match is None:
            self._fail(f"gave no answer to {command!r} but {one_line(text)!r}")
        return match[1], match[2], text[match.end() :].strip()

    def _take(self, command: str) -> bytes | None:
        """Cut the next answer out of the buffer; None when it is not whole yet."""
        if not self._greeted:
            # A banner before the first answer is forgiven: drop the lines that begin like none.
            start = re.search(rb"^[=?]", self._buffer, re.MULTILINE)
            cut = start.start() if start else self._buffer.rfind(b"\n") + 1
            if f"0 {command}".encode() in self._buffer[:cut].split(b"\n"):
                self._fail("repeats what it is told: it is no engine that speaks HTP")
            self._buffer = self._buffer[cut:]
        while True:
            self._buffer = self._buffer.lstrip(b"\n")
            is_answer = self._buffer.startswith((b"=", b"?"))
            is_drawing = self._buffer.startswith(b"gogui-gfx:")
            block, end, rest = self._buffer.partition(b"\n\n" if is_answer or is_drawing else b"\n")
            if not end:
                return None
            self._buffer = rest
            if is_answer:
                return block
            # Drawings for HexGui may come at any time.
            if not is_drawing:
                self._fail(f"gave no answer to {command!r} but {one_line(block.decode('utf-8', 'replace'))!r}")

    def _check_silence(self) -> None:
        """Fail when the engine has written anything since its last answer: the next answer could be mistaken."""
        while self._greeted and len(self._buffer) <= MAX_ANSWER:
            try:
                chunk = self._chunks.get_nowait()
            except queue.Empty:
                break
            if not chunk:
                self._fail("ended", ended=True)
            self._buffer += chunk.replace(b"\r", b"")
        if self._greeted and (said := self._buffer.strip()) and not said.startswith(b"gogui-gfx:"):
            self._fail(f"said {one_line(said.decode('utf-8', 'replace'))!r} without being asked")

    def _fail(self, what: str, *, ended: bool = False) -> NoReturn:
        """End the engine and raise; the same error answers every later command."""
        if ended:
            # Its output closes a moment before it is gone: wait for the exit status.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=0.5)
        self._end()
        if ended and self._process.returncode >= 0:
            what += f", with exit status {self._process.returncode}"
        if ended and (words := one_line(self._last_words.decode("utf-8", "replace")[-120:])):
            what += f", and its last words were {words!r}"
        self._failure = f"the engine {self.label} {what}"
        raise PlayerError(self._failure)

    def _end(self) -> None:
        """End the process and those it started, and wait for the threads that read from it."""
        self._finalizer()
        deadline = time.monotonic() + _QUIT_SECONDS
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < deadline:
            self._skip_chunk()

    def _skip_chunk(self) -> None:
        with contextlib.suppress(queue.Empty):
            self._chunks.get(timeout=0.02)


def one_line(text: str, length: int = 120) -> str:
    """A text as an error shows it: on one line, not too long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * length]).split())
    return line if len(line) <= length else line[: length - 3] + "..."


def _pump(stream: IO[bytes], chunks: queue.SimpleQueue[bytes]) -> None:
    """Hand on what a stream gives, then an empty chunk; with ``MAX_CHUNKS`` waiting the engine has to wait too."""
    with stream, contextlib.suppress(OSError):
        while chunk := os.read(stream.fileno(), 65536):
            chunks.put(chunk)
            while chunks.qsize() >= MAX_CHUNKS:
                time.sleep(0.01)
    chunks.put(b"")


def _drain(stream: IO[bytes], last: bytearray) -> None:
    """Read a stream so that its writer never waits, and keep the end of it."""
    with stream, contextlib.suppress(OSError):
        while chunk := os.read(stream.fileno(), 65536):
            last += chunk
            del last[:-2000]


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    # The group, so that what the engine started goes too, even if the engine itself is gone already.
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
