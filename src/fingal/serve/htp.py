"""The Hex Text Protocol: a player as an engine for HexGui and other programs.

Framing is GTP 2's: a line with an optional number and a command, answered by ``=`` or ``?``, the number, a text and an
empty line. The commands are those of benzene's engines that HexGui and benzene's tournament scripts use.

Until the controller sets a clock, with ``time_left`` or ``param_game game_time``, a move may take as long as the player
wants. From then on a move gets the time left divided by the moves to come, estimated as a quarter of the empty cells
(a game fills about half of a board, and half of that is the opponent's), 8 at least; and 0.05 seconds at least.
"""

from __future__ import annotations

import contextlib
import operator
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import fingal
from fingal.game import RESIGN, SWAP, Board, Colour, Record, Special
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Interruptible, Limit, Player, PlayerError
from fingal.serve.htp_text import (
    framed,
    one_line,
    read_lines,
    seconds_text,
    short,
    taken_apart,
    to_bool,
    to_colour,
    to_int,
    to_seconds,
)

_ANALYSES = """\
param/Game Param/param_game
plist/All Legal Moves/all_legal_moves %c
string/ShowBoard/showboard
string/Final Score/final_score
varc/Reg GenMove/reg_genmove %c"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the protocol: how it is written, and what carries it out."""

    usage: str
    run: Callable[[Any, list[str]], str]

    def check(self, count: int) -> None:
        """Refuse a wrong number of arguments."""
        name, *words = self.usage.split()
        if not sum(word[0] != "[" for word in words) <= count <= len(words):
            if not words:
                raise ValueError(f"{name} takes no argument")
            raise ValueError(f"{name} does not take {count} argument{'' if count == 1 else 's'}: write {self.usage}")


COMMANDS: dict[str, Command] = {}
"""The commands by name."""


def _command(usage: str) -> Callable[[Callable[[Any, list[str]], str]], Callable[[Any, list[str]], str]]:
    """Enter a method among the commands; optional arguments stand in brackets."""

    def enter(run: Callable[[Any, list[str]], str]) -> Callable[[Any, list[str]], str]:
        COMMANDS[usage.split()[0]] = Command(usage, run)
        return run

    return enter


class HtpEngine:
    """A player and a game, told what to do line by line."""

    def __init__(self, player: Player) -> None:
        """Start with an empty 11x11 board. The player stays its owner's to close."""
        self.player = player
        self.record = Record()
        self.board = self.record.board()
        self.has_quit = False
        self._allow_swap = False
        self._resigned: Colour | None = None
        """Who gave up in this position: no move, since HexGui does not take it back as it does with moves."""
        self._game_time = 1800.0
        self._has_game_time = self._has_clock = False
        self._left = dict.fromkeys(Colour, self._game_time)
        self._searching = False
        self._interrupted = threading.Event()

    def answer(self, line: str | bytes, *, interrupted: bool = False) -> str:
        """Carry out one line and return the whole answer; '' for lines that have none. Never raises.

        ``interrupted`` says that the controller has asked already for an end of the search this line may start.
        """
        try:
            number, words = taken_apart(line)
        except ValueError as error:
            return framed("?", "", str(error))
        if not number and not words:
            return ""
        if interrupted:
            self._interrupted.set()
        try:
            if not words:
                raise ValueError("there is no command after the number")
            name, arguments = words[0], words[1:]
            if name not in COMMANDS:
                raise ValueError(f"unknown command: {short(name)}")
            COMMANDS[name].check(len(arguments))
            return framed("=", number, COMMANDS[name].run(self, arguments))
        except (ValueError, OSError) as error:
            return framed("?", number, one_line(str(error)))
        except Exception as error:
            return framed("?", number, one_line(f"{name} failed: {type(error).__name__}: {error}"))
        finally:
            self._interrupted.clear()

    def interrupt(self) -> None:
        """End the search under way, if there is one and the player can; from any thread."""
        self._interrupted.set()
        if self._searching and isinstance(self.player, Interruptible):
            self.player.interrupt()

    # The program

    @_command("name")
    def _name(self, _: list[str]) -> str:
        return f"Fingal {self.player.name}"

    @_command("version")
    def _version(self, _: list[str]) -> str:
        return fingal.__version__

    @_command("protocol_version")
    def _protocol_version(self, _: list[str]) -> str:
        return "2"

    @_command("known_command COMMAND")
    def _known_command(self, arguments: list[str]) -> str:
        return str(arguments[0] in COMMANDS).lower()

    @_command("list_commands")
    def _list_commands(self, _: list[str]) -> str:
        return "\n".join(sorted(COMMANDS))

    @_command("hexgui-analyze_commands")
    def _analyze_commands(self, _: list[str]) -> str:
        return _ANALYSES

    @_command("gogui-interrupt")
    def _gogui_interrupt(self, _: list[str]) -> str:
        """Nothing to do: that the command is known says that the line '# interrupt' is understood."""
        return ""

    @_command("quit")
    def _quit(self, _: list[str]) -> str:
        self.has_quit = True
        return ""

    # The game

    @_command("boardsize WIDTH [HEIGHT]")
    def _boardsize(self, arguments: list[str]) -> str:
        sides = [to_int(argument) for argument in arguments]
        width, height = sides[0], sides[-1]
        self._begin(Record(width, height, self._allow_swap and width == height))
        return ""

    @_command("clear_board")
    def _clear_board(self, _: list[str]) -> str:
        self._begin(Record(self.record.width, self.record.height, self.record.swap))
        return ""

    @_command("play COLOUR MOVE")
    def _play(self, arguments: list[str]) -> str:
        colour, move = to_colour(arguments[0]), arguments[1].lower()
        if move == "resign":
            self._resigned = colour
        elif move in ("swap-pieces", "swap"):
            self._push(colour, SWAP)
        else:
            self._push(colour, self._cell(move))
        return ""

    @_command("genmove COLOUR")
    def _genmove(self, arguments: list[str]) -> str:
        colour = to_colour(arguments[0])
        if self.board.winner is not None and self.board.winner is not colour:
            return "resign"  # As benzene does: its tournament scripts play until somebody resigns.
        began = time.monotonic()
        move = self._choose(colour)
        if self._has_clock:
            self._left[colour] = max(0.0, self._left[colour] - (time.monotonic() - began))
        if move == RESIGN:
            self._resigned = colour
            return "resign"
        self._push(colour, move)
        return self.board.name(move)

    @_command("reg_genmove COLOUR")
    def _reg_genmove(self, arguments: list[str]) -> str:
        move = self._choose(to_colour(arguments[0]))
        return "resign" if move == RESIGN else self.board.name(move)

    @_command("undo")
    def _undo(self, _: list[str]) -> str:
        if not self.record.moves:
            raise ValueError("there is no move to take back")
        while self.record.pop().move is None:
            pass
        self._resigned = None
        self.board = self.record.board()
        return ""

    @_command("showboard")
    def _showboard(self, _: list[str]) -> str:
        return f"\n{self.board}"

    @_command("final_score")
    def _final_score(self, _: list[str]) -> str:
        winner = self.board.winner
        if winner is None and self._resigned is not None:
            winner = self._resigned.other
        return "cannot score" if winner is None else f"{winner.letter}+"

    @_command("all_legal_moves [COLOUR]")
    def _all_legal_moves(self, arguments: list[str]) -> str:
        board = self._board_for(to_colour(arguments[0]) if arguments else self.board.turn)
        names = [board.name(move) for move in board.legal_moves]
        return " ".join([*names, "resign"] if names else [])

    @_command("loadsgf FILE [MOVES]")
    def _loadsgf(self, arguments: list[str]) -> str:
        """Read a game and go to the position after that many moves, or to the end."""
        from fingal.game import formats

        path = Path(arguments[0])
        if not path.is_file():
            raise ValueError(f"cannot read {short(arguments[0])}: there is no such file")
        record = formats.load(path)
        wanted = to_int(arguments[1]) if len(arguments) > 1 else len(record.moves)
        record = record.until(record.after(min(max(0, wanted), len(record.moves))))
        loser = record.pop().colour if record.end.move in (Special.RESIGN, Special.FORFEIT) else None
        self._begin(record)
        self._resigned = loser
        self._allow_swap = self._allow_swap or record.swap
        return ""

    @_command("param_game [NAME] [VALUE]")
    def _param_game(self, arguments: list[str]) -> str:
        if not arguments:
            swap, game_time = int(self._allow_swap), seconds_text(self._game_time)
            return f"\n[bool] allow_swap {swap}\n[string] game_time {game_time}"
        if len(arguments) == 1:
            raise ValueError("param_game takes no argument, or a name and a value")
        name, value = arguments
        if name == "allow_swap":
            self._set_swap(to_bool(value))
        elif name == "game_time":
            self._game_time = to_seconds(value)
            self._left = dict.fromkeys(Colour, self._game_time)
            self._has_game_time = self._has_clock = True
        else:
            raise ValueError(f"unknown parameter: {short(name)}; there are allow_swap and game_time")
        return ""

    @_command("time_left [COLOUR] [SECONDS] [STONES]")
    def _time_left(self, arguments: list[str]) -> str:
        if not arguments:
            return ", ".join(f"{str(c).capitalize()}: {seconds_text(self._left[c])}" for c in Colour)
        colour = to_colour(arguments[0])
        if len(arguments) == 1:
            return seconds_text(self._left[colour])
        self._left[colour] = to_seconds(arguments[1])
        self._has_clock = True
        return ""

    # What the commands share

    def _begin(self, record: Record) -> None:
        """Take over a record, and start the clocks afresh."""
        self.board = record.board()
        self.record = record
        self._resigned = None
        self._left = dict.fromkeys(Colour, self._game_time)
        self._has_clock = self._has_game_time

    def _set_swap(self, allowed: bool) -> None:
        record, before = self.record, self.record.swap
        record.swap = allowed and record.width == record.height
        try:
            self.board = record.board()
        except ValueError:
            record.swap = before
            raise ValueError("allow_swap cannot change now: swap-pieces has been played in this game") from None
        self._allow_swap = allowed

    def _push(self, colour: Colour, move: int) -> None:
        """Play a move of either colour; ValueError, and nothing changed, when it is illegal."""
        turn = self.board.turn
        self.board.turn = colour
        try:
            self.board.push(move)
        except ValueError as error:
            self.board.turn = turn
            raise ValueError(f"illegal move: {colour} {self.board.name(move)} ({error})") from None
        self.record.push(colour, move)
        self._resigned = None

    def _board_for(self, colour: Colour) -> Board:
        """The board with that side to move."""
        board = self.board.copy()
        board.turn = colour
        return board

    def _cell(self, name: str) -> int:
        try:
            return self.board.cell(name[:20])
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from None

    def _choose(self, colour: Colour) -> int:
        """The player's move for a side; ValueError with one sentence when it fails. The game is not changed."""
        board, end = self._board_for(colour), self.record.end
        if board.winner is not None:
            raise ValueError(f"the game is over: {board.winner} has won")
        before, end.turn = end.turn, colour
        self._searching = True
        try:
            if self._interrupted.is_set():
                self.interrupt()
            move = operator.index(self.player.choose(self.record, self._limit(colour)))
            if move != RESIGN and not board.is_legal(move):
                raise PlayerError(f"{self.player.name} answered {move}, which is not a legal move")
        except PlayerError as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise ValueError(f"{self.player.name} failed: {type(error).__name__}: {error}") from error
        finally:
            self._searching = False
            end.turn = before
        return move

    def _limit(self, colour: Colour) -> Limit:
        if not self._has_clock:
            return NO_LIMIT
        moves = max(8.0, len(self.board.empty_cells) / 4)
        return Limit(seconds=max(0.05, self._left[colour] / moves))


def serve(player: str | Player, input: BinaryIO | None = None, output: BinaryIO | None = None) -> int:
    """Answer commands until ``quit`` or the end of the input; the exit status.

    A player given by text is made first (``ValueError`` and ``PlayerError`` as ``spec.make``) and closed in the end.
    Without streams it uses standard input and output, and sends what a player prints to standard error meanwhile.
    """
    ours = spec.make(player) if isinstance(player, str) else player
    try:
        engine = HtpEngine(ours)
        if output is not None:
            return _talk(engine, input or sys.stdin.buffer, output)
        output = sys.stdout.buffer
        with contextlib.redirect_stdout(sys.stderr):
            return _talk(engine, input or sys.stdin.buffer, output)
    finally:
        if isinstance(player, str):
            ours.close()


class _Line:
    """A line on its way to the engine."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.is_running = self.is_interrupted = False


def _talk(engine: HtpEngine, input: BinaryIO, output: BinaryIO) -> int:
    """Answer one line after the other, while a thread reads on: '# interrupt' must be heard during a search."""
    lines: queue.Queue[_Line | None] = queue.Queue(maxsize=1000)
    lock = threading.Lock()
    # Weakly: the thread may wait for input until the interpreter ends, and would keep the game alive until after that.
    listening = weakref.ref(engine)

    def listen() -> None:
        last: _Line | None = None
        for text in read_lines(input):
            if text.strip() == b"# interrupt":
                with lock:
                    if last is not None:
                        last.is_interrupted = True
                        if last.is_running and (engine := listening()) is not None:
                            engine.interrupt()
            else:
                last = _Line(text)
                lines.put(last)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while not engine.has_quit and (line := lines.get()) is not None:
        with lock:
            line.is_running = True
        answer = engine.answer(line.text, interrupted=line.is_interrupted)
        with lock:
            line.is_running = False
        if answer:
            try:
                output.write(answer.encode("utf-8", "replace"))
                output.flush()
            except (BrokenPipeError, ValueError):
                _forget(output)
                return 0
    return 0


def _forget(output: BinaryIO) -> None:
    """Let what is still in a broken pipe's buffer go nowhere, so that the interpreter's last flush says nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
