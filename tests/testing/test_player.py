"""The conformance suite passes what is right and names what is wrong."""

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fingal.game import BLACK, RESIGN, SWAP, WHITE, Board, Record
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError, open_board
from fingal.players.random import RandomPlayer
from fingal.testing import check_player

SMALL = ((1, 1), (2, 2), (3, 5), (6, 6))


class Breaks(RandomPlayer):
    """A random player with one fault, given as a function from its board and record to the answer."""

    def __init__(self, fault: Callable[[Board, Record], object]) -> None:
        super().__init__(seed=1)
        self.name = "broken"
        self.fault = fault

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        return self.fault(open_board(record), record)  # type: ignore[return-value]


def changes_record(board: Board, record: Record) -> int:
    record.push(board.turn, board.empty_cells[0])
    return board.empty_cells[0]


def forgets_turn(board: Board, record: Record) -> int:
    record.end.turn = board.turn
    return board.empty_cells[0]


def ignores_setup(board: Board, record: Record) -> int:
    replayed = Board(record.width, record.height)
    for colour, move in record.moves:
        if move == SWAP:
            return board.empty_cells[0]
        replayed.turn = colour
        replayed.push(move)
    return replayed.empty_cells[0]


def ignores_swap(board: Board, record: Record) -> int:
    played = {move for _, move in record.moves} | {cell for node in record.main_line for cell in node.setup}
    return next(cell for cell in range(board.cells) if cell not in played)


def counts_moves(board: Board, record: Record) -> int:
    """Takes the parity of the moves for the side to move: raises where they do not alternate."""
    if board.turn != len(record.moves) % 2:
        raise IndexError("whose turn is it?")
    return board.empty_cells[0]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (lambda board, _: 0, r"broken answered a1, which is not legal, on 2x2"),
        (lambda board, _: board.cells, r"broken answered 1, which is not legal, on 1x1, at the start"),
        (lambda board, _: -7, r"broken answered -7, which is not legal"),
        (lambda board, _: SWAP, r"broken answered swap-pieces where there is no swap on 1x1, at the start"),
        (lambda board, _: SWAP if board.ply == 1 else board.empty_cells[0], r"swap-pieces where there is no swap"),
        (lambda board, _: str(board.empty_cells[0]), r"broken answered '0', which is no int but str"),
        (lambda board, _: np.int64(board.empty_cells[0]), r"which is no int but int64"),
        (lambda board, _: None, r"broken answered None, which is no int but NoneType"),
        (lambda board, _: board.empty_cells[50], r"broken raised IndexError"),
        (changes_record, r"broken changed the record on 1x1, at the start \(moves: "),
        (forgets_turn, r"broken changed the record"),
        (ignores_setup, r"not legal, on .*, (after set-up|in a game from a set-up position|after a stone)"),
        (ignores_swap, r"not legal, on .*, (after a swap|in a game with a swap)"),
        (counts_moves, r"broken raised IndexError\('whose turn is it\?'\) on 1x1, in a game from a set-up position"),
    ],
)
def test_faults_are_found(fault: Callable[[Board, Record], object], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence) as error:
        check_player(Breaks(fault), sizes=SMALL)
    assert "\n" not in str(error.value)


class PlaysOn(RandomPlayer):
    """Does not notice the end of a game."""

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        return random.choice(record.board().legal_moves or [RESIGN])


class Fails(RandomPlayer):
    """Raises the wrong error at the end of a game."""

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        try:
            return super().choose(record)
        except ValueError:
            raise PlayerError("over") from None


class Nameless(RandomPlayer):
    def __init__(self) -> None:
        super().__init__()
        self.name = " "


class ClosesOnce(RandomPlayer):
    def close(self) -> None:
        del self._random


class Remembers(RandomPlayer):
    """Keeps its board from one question to the next, and trusts the number of moves to tell them apart."""

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        board = open_board(record)
        key = (len(record.moves), record.width)
        if getattr(self, "key", None) != key:
            self.key, self.empty = key, [*board.empty_cells]
        return self.empty[0]


class Interrupted(RandomPlayer):
    """Has nothing to answer when it is interrupted."""

    halted = False

    def interrupt(self) -> None:
        self.halted = True

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        return -99 if self.halted else super().choose(record)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (PlaysOn, r"random must raise ValueError after black has won on 1x1, but answered"),
        (Fails, r"random must raise ValueError after black has won on 1x1, but raised PlayerError\('over'\)"),
        (Nameless, r"a player needs a name"),
        (ClosesOnce, r"random must bear to be closed twice, but raised AttributeError"),
        (Remembers, r"which is not legal"),
        (Interrupted, r"answered -99, which is not legal, on 1x1, after an interrupt"),
    ],
)
def test_faults_of_other_kinds_are_found(make: Callable[[], Player], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_player(make, sizes=SMALL)


def test_a_seed_that_does_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec.find("random").module, "make", lambda settings: RandomPlayer(time.perf_counter_ns()))
    with pytest.raises(AssertionError, match="random:seed=1 must answer the same whenever it is asked the same"):
        check_player("random", sizes=SMALL)


class Sound(RandomPlayer):
    """Counts where it was asked."""

    def __init__(self) -> None:
        super().__init__(seed=2)
        self.asked: list[tuple[int, int, int, bool]] = []
        self.closed = 0

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        board = open_board(record)
        self.asked.append((board.width, board.height, board.turn, board.can_swap))
        return super().choose(record, limit)

    def close(self) -> None:
        self.closed += 1


def test_a_sound_player_is_asked_everywhere() -> None:
    player = Sound()
    check_player(player)
    asked = set(player.asked)
    for width, height in ((2, 2), (3, 5), (11, 11), (19, 19)):
        assert {(width, height, BLACK, False), (width, height, WHITE, False)} <= asked
        assert ((width, height, WHITE, True) in asked) == (width == height)
    assert (1, 1, BLACK, False) in asked
    assert player.closed == 2


def test_boards_of_one_row_or_column() -> None:
    check_player("random", sizes=((1, 2), (2, 1), (1, 19), (19, 1)))


def test_example() -> None:
    path = Path(__file__).parents[2] / "examples" / "my_player.py"
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=True)
    first, *board, last = done.stdout.splitlines()
    assert first == "my-player keeps the contract of a player."
    assert "has won" in board[-1]
    assert re.fullmatch(r"(my-player:reach=2|random):?,?seed=1 made the last move: [BW]\+", last)
    assert done.stderr == ""
