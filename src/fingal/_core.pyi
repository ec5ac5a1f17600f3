"""Fingal's compiled core. Use it through fingal.game and its neighbours."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


MAX_SIDE: int = 19

SWAP: int = -1

def cell_name(cell: int, width: int, height: int) -> str:
    """'a1' for 0, row by row from the top-left corner."""

def parse_cell(text: str, width: int, height: int) -> int:
    """The cell that 'a1' names, in either case; ValueError otherwise."""

class Board:
    @overload
    def __init__(self, width: int, height: int, swap: bool = False) -> None: ...

    @overload
    def __init__(self, other: Board) -> None: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def swap(self) -> bool:
        """Whether the game is played with swap-pieces."""

    @property
    def can_swap(self) -> bool:
        """Whether swap-pieces is legal now."""

    @property
    def zobrist(self) -> int:
        """A 64-bit hash of size, stones and side to move."""

    @property
    def empty_cells(self) -> list[int]:
        """The empty cells, in order."""

    @property
    def ply(self) -> int:
        """How many moves have been pushed."""

    def is_over(self) -> bool: ...

    def _turn(self) -> int: ...

    def _winner(self) -> int: ...

    def _moves(self) -> list[int]: ...

    def _movers(self) -> list[int]: ...

    def _start(self, colour: int) -> list[int]: ...

    def _colour_at(self, cell: int) -> int: ...

    def _set_stone(self, cell: int, colour: int) -> None: ...

    def _set_turn(self, colour: int) -> None: ...

    def _packed(self, colour: int) -> list[int]: ...

    @overload
    def push(self, move: int) -> None:
        """
        Plays a cell (number or name) or SWAP ('swap'); ValueError, and nothing changed, when it is illegal.
        """

    @overload
    def push(self, move: str) -> None: ...

    def pop(self) -> int:
        """
        Takes back the last move and returns it; IndexError when there is none.
        """

    def winning_chain(self) -> list[int]:
        """
        The cells of a shortest winning chain, in order; [] when nobody has won.
        """

    def rotated(self) -> Board: ...

    def mirrored(self) -> Board: ...

    def fill_randomly(self, count: int, seed: int) -> int:
        """How many of `count` random fillings of the empty cells Black wins."""

    def __eq__(self, arg: Board, /) -> bool: ...

def random_games(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]:
    """
    Uniformly random games, each to its connecting move: (Black's wins, White's wins, moves).
    """

def random_fills(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]:
    """
    Boards filled at random, then the winner found: (Black's wins, White's wins, cells filled).
    """

class Batch:
    """
    Games of one size, stepped together on threads with the GIL released. Arrays are written in place.
    """

    def __init__(self, width: int, height: int, count: int, swap: bool = False, threads: int = 1) -> None: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def count(self) -> int: ...

    def reset(self) -> None: ...

    def step(self, action: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], over: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]) -> None:
        """
        action [n] int32 (cells, and `cells` for swap) -> reward [n] float32 in the mover's view, over [n] bool; ended games start again.
        """

    def observe(self, plane: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')], legal: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]) -> None:
        """
        plane [n, height, width, 4] bool: own stones, the other side's, White to move, swap possible; legal [n, cells + 1] bool.
        """

    def random_actions(self, seed: int, action: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> None:
        """A uniformly random legal action for every game -> action [n] int32."""

    def pack(self, stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')], last: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> None:
        """
        stones [2, n, words] uint64 (Black's, White's), white_to_move [n] bool, last [n] int32 (-1: none).
        """

    def unpack(self, stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu', writable=False)]) -> None:
        """Sets every game from packed positions, as pack writes them."""
