"""The engine of the Hex Text Protocol: a player and a game, told what to do line by line."""

from __future__ import annotations

import math
import operator
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import fingal
from fingal.background import Flag
from fingal.game import RESIGN, SWAP, Board, Colour, Record, Special
from fingal.players import clock
from fingal.players.player import NO_LIMIT, Interruptible, Limit, Player, PlayerError, check_size
from fingal.players.searching import LEAST_SECONDS, searching
from fingal.search.evaluator import EvaluationError
from fingal.serve import htp_analysis, htp_knowledge
from fingal.serve.htp_analysis import Live
from fingal.serve.htp_text import (
    COMMANDS,
    MAX_LINE,
    command,
    framed,
    one_line,
    seconds_text,
    short,
    taken_apart,
    to_bool,
    to_colour,
    to_count,
    to_int,
    to_seconds,
    unit,
)

_ANALYSES = """\
string/Analysis/fingal-analyze %c
param/Game Param/param_game
plist/All Legal Moves/all_legal_moves %c
string/ShowBoard/showboard
string/Final Score/final_score
varc/Reg GenMove/reg_genmove %c"""

LEAST_TO_PONDER = 0.25
"""Nobody ponders with less than this for a usual move, in seconds: ending it takes as long as a batch of the net."""


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
        """Seconds,"""
        self._stones = dict.fromkeys(Colour, 0)
        """and how many moves they are for; 0: for the rest of the game."""
        self._given = clock.Share(math.inf, math.inf)
        """What the last move was given: the next will get about as much, even where it is from another clock."""
        self._late = {colour: clock.Lateness() for colour in Colour}
        self.prover = htp_knowledge.Prover()
        self._at_work: object = None
        """What searches now, if it does."""
        self._reaching = threading.Lock()
        """Held by who looks for what searches, in order to interrupt it, and by who says what does."""
        self._interrupted = Flag()
        self._began = 0.0
        """When the line under way came."""
        self._pondered: object = None
        """The end of the record after the player's own last move: there it ponders between two commands, if it does."""
        self._live: Live | None = None

    def answer(self, line: str | bytes, *, interrupted: bool = False, live: Live | None = None) -> str:
        """Carry out one line and return the answer; '' for lines that have none. Never raises.

        ``interrupted`` says that the controller has asked already for an end of the search this line may start.
        ``live`` is sent the lines of an analysis as they come; what is returned is then the end of the answer.
        """
        try:
            number, words = taken_apart(line)
        except ValueError as error:
            number, _ = taken_apart(line[:MAX_LINE])
            return framed("?", number, str(error))
        if not number and not words:
            return ""
        self._began = time.monotonic()
        if interrupted:
            self._interrupted.set()
        self.rest()
        try:
            if not words:
                raise ValueError("there is no command after the number")
            name, arguments = words[0], words[1:]
            if name not in COMMANDS:
                raise ValueError(f"unknown command: {short(name)}")
            COMMANDS[name].check(len(arguments))
            self._live = live
            result = COMMANDS[name].run(self, arguments)
            return framed("=", number, result) if isinstance(result, str) else self._streamed(number, result)
        except (ValueError, OSError) as error:
            return framed("?", number, one_line(str(error)))
        except Exception as error:
            return framed("?", number, one_line(f"{name} failed: {type(error).__name__}: {error}"))
        finally:
            self.take_back_interrupt()

    def rest(self) -> None:
        """Let the player ponder no more."""
        if (player := searching(self.player)) is not None:
            player.rest()

    def ponder(self) -> None:
        """Let the player think on while the opponent does, if it just moved here; for when the answer has been sent.

        Never raises.
        """
        player = searching(self.player)
        if player is None or self.has_quit or self.record.end is not self._pondered or self._resigned is not None:
            return
        if self.board.winner is None and not self._is_hurried():
            with suppress(Exception):
                player.ponder(self.record)

    def _is_hurried(self) -> bool:
        """Whether who has just moved has no time to wait until a batch that is pondered on ends."""
        colour = self.record.end.colour
        if not self._has_clock or colour is None:
            return False
        return self._given.usual < LEAST_TO_PONDER

    def _streamed(self, number: str, lines: Generator[str]) -> str:
        """Send an answer line by line and return its end; all of it where nobody reads along."""
        with closing(lines):
            first = f"={number} \n{next(lines)}\n"
            if self._live is None:
                return first + "\n"
            self._live.write(first)
            with suppress(Exception):  # The answer has begun: whatever fails now, it can only end.
                for line in lines:
                    self._live.write(f"{line}\n")
            return "\n"

    def interrupt(self) -> None:
        """End the search under way, if there is one and the player can; from any thread."""
        self._interrupted.set()
        with self._reaching:
            if isinstance(self._at_work, Interruptible):
                self._at_work.interrupt()

    def take_back_interrupt(self) -> None:
        """Forget an interrupt that came when there was nothing to end any more."""
        self._interrupted.clear()

    # The program

    @command("name")
    def _name(self, _: list[str]) -> str:
        return f"Fingal {self.player.name}"

    @command("version")
    def _version(self, _: list[str]) -> str:
        return fingal.__version__

    @command("protocol_version")
    def _protocol_version(self, _: list[str]) -> str:
        return "2"

    @command("known_command COMMAND")
    def _known_command(self, arguments: list[str]) -> str:
        return str(arguments[0] in COMMANDS).lower()

    @command("list_commands")
    def _list_commands(self, _: list[str]) -> str:
        return "\n".join(sorted(COMMANDS))

    @command("hexgui-analyze_commands")
    def _analyze_commands(self, _: list[str]) -> str:
        return f"{_ANALYSES}\n{htp_knowledge.ANALYSES}"

    @command("gogui-interrupt")
    def _gogui_interrupt(self, _: list[str]) -> str:
        """Nothing to do: that the command is known says that the line '# interrupt' is understood."""
        return ""

    @command("quit")
    def _quit(self, _: list[str]) -> str:
        self.has_quit = True
        return ""

    # The game

    @command("boardsize WIDTH [HEIGHT]")
    def _boardsize(self, arguments: list[str]) -> str:
        sides = [to_int(argument) for argument in arguments]
        record = self._with_swap(Record(sides[0], sides[-1]))
        check_size(self.player, record.width, record.height)
        self._begin(record)
        return ""

    @command("clear_board")
    def _clear_board(self, _: list[str]) -> str:
        self._begin(self._with_swap(Record(self.record.width, self.record.height)))
        return ""

    @command("play COLOUR MOVE")
    def _play(self, arguments: list[str]) -> str:
        colour, move = to_colour(arguments[0]), arguments[1].lower()
        if move == "resign":
            self._resigned = colour
        elif move in ("swap-pieces", "swap"):
            self._push(colour, SWAP)
        else:
            self._push(colour, self._cell(move))
        return ""

    @command("genmove COLOUR")
    def _genmove(self, arguments: list[str]) -> str:
        colour = to_colour(arguments[0])
        if self.board.winner is not None and self.board.winner is not colour:
            return "resign"  # As benzene does: its tournament scripts play until somebody resigns.
        given = self._given = self._share(colour)
        move = self._choose(colour)
        if self._has_clock:
            spent = time.monotonic() - self._began
            self._left[colour] = max(0.0, self._left[colour] - spent)
            self._stones[colour] = max(0, self._stones[colour] - 1)
            player = searching(self.player)
            self._late[colour].moved(spent, given.most if player is None or player.meant is None else player.meant)
        if move == RESIGN:
            self._resigned = colour
            return "resign"
        self._push(colour, move)
        self._pondered = self.record.end
        return self.board.name(move)

    @command("reg_genmove COLOUR")
    def _reg_genmove(self, arguments: list[str]) -> str:
        move = self._choose(to_colour(arguments[0]))
        return "resign" if move == RESIGN else self.board.name(move)

    @command("undo")
    def _undo(self, _: list[str]) -> str:
        if not self.record.moves:
            raise ValueError("there is no move to take back")
        while self.record.pop().move is None:
            pass
        self._resigned = None
        self.board = self.record.board()
        return ""

    @command("showboard")
    def _showboard(self, _: list[str]) -> str:
        return f"\n{self.board}"

    @command("final_score")
    def _final_score(self, _: list[str]) -> str:
        winner = self.board.winner
        if winner is None and self._resigned is not None:
            winner = self._resigned.other
        return "cannot score" if winner is None else f"{winner.letter}+"

    @command("all_legal_moves [COLOUR]")
    def _all_legal_moves(self, arguments: list[str]) -> str:
        board = self.board_for(to_colour(arguments[0]) if arguments else self.board.turn)
        names = [board.name(move) for move in board.legal_moves]
        return " ".join([*names, "resign"] if names else [])

    @command("loadsgf FILE [MOVES]")
    def _loadsgf(self, arguments: list[str]) -> str:
        """Read a game and go to the position after that many moves, or to the end."""
        from fingal.game import formats

        path = Path(arguments[0])
        try:
            is_there = path.is_file()
        except OSError:  # a name longer than names can be
            is_there = False
        if not is_there:
            raise ValueError(f"cannot read {short(arguments[0])}: there is no such file")
        record = formats.load(path)
        wanted = to_int(arguments[1]) if len(arguments) > 1 else len(record.moves)
        record = record.until(record.after(min(max(0, wanted), len(record.moves))))
        loser = record.pop().colour if record.end.move in (Special.RESIGN, Special.FORFEIT) else None
        self._begin(self._with_swap(record))
        self._resigned = loser
        return ""

    @command("param_game [NAME] [VALUE]")
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
            self._start_clocks()
            self._has_game_time = self._has_clock = True
        else:
            raise ValueError(f"unknown parameter: {short(name)}; there are allow_swap and game_time")
        return ""

    @command("time_left [COLOUR] [SECONDS] [STONES]")
    def _time_left(self, arguments: list[str]) -> str:
        if not arguments:
            return ", ".join(f"{str(c).capitalize()}: {seconds_text(self._left[c])}" for c in Colour)
        colour = to_colour(arguments[0])
        if len(arguments) == 1:
            return seconds_text(self._left[colour])
        left, stones = to_seconds(arguments[1]), to_int(arguments[2]) if len(arguments) > 2 else 0
        if stones < 0:
            raise ValueError(f"{stones} is not a number of stones: a whole number from 0 is expected")
        self._late[colour].told(self._left[colour] - left - unit(arguments[1]))
        self._left[colour], self._stones[colour] = left, stones
        self._has_clock = True
        return ""

    # Analysis, for players that search

    @command("kata-analyze [COLOUR] [interval] [CENTISECONDS]")
    def _kata_analyze(self, arguments: list[str]) -> Generator[str]:
        return self._reports(arguments, htp_analysis.kata)

    @command("lz-analyze [COLOUR] [interval] [CENTISECONDS]")
    def _lz_analyze(self, arguments: list[str]) -> Generator[str]:
        return self._reports(arguments, htp_analysis.leela)

    def _reports(self, arguments: list[str], shown: htp_analysis.Shown) -> Generator[str]:
        colour, interval = htp_analysis.arguments(arguments, self.board.turn)
        player = htp_analysis.player_of(self.player)
        with self._asking(colour):
            yield from htp_analysis.reports(player, self.record, interval, self._live, shown)

    @command("fingal-analyze [COLOUR] [SIMULATIONS]")
    def _fingal_analyze(self, arguments: list[str]) -> str:
        colour = to_colour(arguments[0]) if arguments else self.board.turn
        simulations = to_count(arguments[1]) if len(arguments) > 1 else None
        player = htp_analysis.player_of(self.player)
        with self._asking(colour):
            return "\n" + "\n".join(htp_analysis.once(player, self.record, simulations))

    # What the commands share

    def _start_clocks(self) -> None:
        self._left = dict.fromkeys(Colour, self._game_time)
        self._stones = dict.fromkeys(Colour, 0)

    def _begin(self, record: Record) -> None:
        """Take over a record, and start the clocks afresh."""
        self.board = record.board()
        self.record = record
        self._resigned = None
        self._start_clocks()
        self._late = {colour: clock.Lateness() for colour in Colour}
        self._has_clock = self._has_game_time

    def _with_swap(self, record: Record) -> Record:
        """The same game, with swap where it is allowed now; a game that was read may have it anyway."""
        record.swap = record.swap or (self._allow_swap and record.width == record.height)
        return record

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

    def board_for(self, colour: Colour) -> Board:
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
        with self._asking(colour) as board:
            move = operator.index(self.player.choose(self.record, self._limit(colour)))
            if move != RESIGN and not board.is_legal(move):
                raise PlayerError(f"{self.player.name} answered {move}, which is not a legal move")
        return move

    @contextmanager
    def _asking(self, colour: Colour) -> Iterator[Board]:
        """Let the player look at the record with a side to move, on that board; ValueError when it fails."""
        board, end = self.board_for(colour), self.record.end
        if board.winner is not None:
            raise ValueError(f"the game is over: {board.winner} has won")
        before, end.turn = end.turn, colour
        try:
            with self.at_work(self.player):
                yield board
        except (PlayerError, EvaluationError) as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise ValueError(f"{self.player.name} failed: {type(error).__name__}: {error}") from error
        finally:
            end.turn = before

    @contextmanager
    def at_work(self, worker: object) -> Iterator[None]:
        """Let an interrupt reach a worker that can be interrupted, one that has come already too."""
        with self._reaching:
            self._at_work = worker
        try:
            if self._interrupted.is_set():
                self.interrupt()
            yield
        finally:
            with self._reaching:
                self._at_work = None
                if (player := searching(self.player)) is not None:
                    player.search.take_back_interrupt()

    def _limit(self, colour: Colour) -> Limit:
        """Players that search share their time out themselves; others are told what this move may take."""
        if not self._has_clock:
            return NO_LIMIT
        left, moves = self._to_share(colour)
        if searching(self.player) is not None:
            return Limit(clock=left, moves=moves)
        return Limit(seconds=max(LEAST_SECONDS, self._share(colour).usual), clock=left, moves=moves)

    def _to_share(self, colour: Colour) -> tuple[float, int | None]:
        """The seconds of a clock that may be thought away, and how many moves they are for, if that is known."""
        empty, moves = len(self.board.empty_cells), self._stones[colour] or None
        return clock.without_lateness(self._left[colour], empty, self._late[colour].seconds, moves), moves

    def _share(self, colour: Colour) -> clock.Share:
        left, moves = self._to_share(colour)
        return clock.share(left, len(self.board.empty_cells), moves)
