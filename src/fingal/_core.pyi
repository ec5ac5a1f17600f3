"""Fingal's compiled core. Use it through fingal.game and its neighbours."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
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

    def __eq__(self, arg: object, /) -> bool: ...

def random_games(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]:
    """
    Uniformly random games, each to its connecting move: (Black's wins, White's wins, moves).
    """

def random_fills(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]:
    """
    Boards filled at random, then the winner found: (Black's wins, White's wins, cells filled).
    """

def fill_values(stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu', writable=False)], width: int, height: int, fills: int, seed: int) -> NDArray[numpy.float32]:
    """
    Values [b], in the side to move's view, by random fillings of stones [2, b, words], white_to_move [b].
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

def bridge_planes(stones: numpy.typing.NDArray[numpy.uint64], white_to_move: numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32], width: int, height: int, out: numpy.typing.NDArray[numpy.uint8] | None = None) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Planes [b, 12, height + 2, width + 2] of stones and bridges of packed positions, in absolute colours.
    """

class PolicyGames:
    """
    Games of one size that a policy plays; calls name some by their rows, int32 [k]. A game that is over stays so until it is reset, set or copied over.
    """

    def __init__(self, width: int, height: int, count: int, threads: int = 1) -> None: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def count(self) -> int: ...

    def reset(self, rows: numpy.typing.NDArray[numpy.int32] | None = None) -> None:
        """
        The games, or all of them, begin again on the empty board with Black to move.
        """

    def set(self, rows: numpy.typing.NDArray[numpy.int32], stones: numpy.typing.NDArray[numpy.uint64], white_to_move: numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32]) -> None:
        """
        Sets games from packed positions: stones [2, k, words], white_to_move [k], last [k] (-1: none).
        """

    def pack(self, rows: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32]]:
        """
        Packed positions of games: stones [2, k, words], white_to_move [k], last [k] (-1: none).
        """

    def copy(self, from_rows: numpy.typing.NDArray[numpy.int32], to_rows: numpy.typing.NDArray[numpy.int32], source: PolicyGames | None = None) -> None:
        """
        Game from_rows[i] of the source, or of these games, becomes game to_rows[i] here.
        """

    def play(self, rows: numpy.typing.NDArray[numpy.int32], cells: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.bool_]:
        """Plays cells [k] in games: which of them that has ended, [k]."""

    def planes(self, rows: numpy.typing.NDArray[numpy.int32], out: numpy.typing.NDArray[numpy.uint8] | None = None) -> numpy.typing.NDArray[numpy.uint8]:
        """
        bridge_planes of games, [k, 12, height + 2, width + 2], in `out` where it is given.
        """

    def empty(self, rows: numpy.typing.NDArray[numpy.int32], out: numpy.typing.NDArray[numpy.bool_] | None = None) -> numpy.typing.NDArray[numpy.bool_]:
        """Which cells are empty, [k, cells], in `out` where it is given."""

    def winning(self, rows: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.bool_]:
        """Where the side to move would win at once, [k, cells]."""

    def winner(self, rows: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.int8]:
        """0 for Black, 1 for White, -1 while a game goes on: [k]."""

def considered_visits(considered: int, simulations: int) -> list[int]:
    """
    Sequential halving: how many visits the moves under consideration have at each simulation.
    """

class SearchSettings:
    def __init__(self) -> None: ...

    @property
    def gumbel(self) -> bool: ...

    @gumbel.setter
    def gumbel(self, arg: bool, /) -> None: ...

    @property
    def c_init(self) -> float: ...

    @c_init.setter
    def c_init(self, arg: float, /) -> None: ...

    @property
    def c_base(self) -> float: ...

    @c_base.setter
    def c_base(self, arg: float, /) -> None: ...

    @property
    def fpu_reduction(self) -> float: ...

    @fpu_reduction.setter
    def fpu_reduction(self, arg: float, /) -> None: ...

    @property
    def c_visit(self) -> float: ...

    @c_visit.setter
    def c_visit(self, arg: float, /) -> None: ...

    @property
    def c_scale(self) -> float: ...

    @c_scale.setter
    def c_scale(self, arg: float, /) -> None: ...

    @property
    def considered(self) -> int: ...

    @considered.setter
    def considered(self, arg: int, /) -> None: ...

    @property
    def gumbel_scale(self) -> float: ...

    @gumbel_scale.setter
    def gumbel_scale(self, arg: float, /) -> None: ...

    @property
    def noise_share(self) -> float: ...

    @noise_share.setter
    def noise_share(self, arg: float, /) -> None: ...

    @property
    def noise_total(self) -> float: ...

    @noise_total.setter
    def noise_total(self, arg: float, /) -> None: ...

    @property
    def connections(self) -> int: ...

    @connections.setter
    def connections(self, arg: int, /) -> None: ...

class SearchedTree:
    """What any search's tree can be asked."""

    @property
    def visits(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def value(self) -> float:
        """For the side to move at the root."""

    @property
    def proof(self) -> int:
        """1: the side to move wins, -1: it loses, 0: not known."""

    def best_move(self) -> int: ...

    def candidates(self, line: Sequence[int] = []) -> list[tuple[int, int, float, float, int]]:
        """
        The moves after a line from the root, the best first: (move, visits, value, prior, proof), the mover's view.
        """

    def principal_variation(self, line: Sequence[int]) -> list[int]:
        """The moves expected after a line from the root."""

class TreeSearch(SearchedTree):
    """A tree search of one position; a net judges what select() hands out."""

    def __init__(self, board: Board, settings: SearchSettings, seed: int = 0) -> None: ...

    @property
    def words(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def simulations(self) -> int: ...

    def set_position(self, board: Board) -> None: ...

    def prepare(self, simulations: int, settings: SearchSettings) -> None: ...

    def select(self, most: int, simulations: int, stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')], last: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], batch: int = 0) -> int:
        """
        How many positions were written: stones [2, most, words], white_to_move [most], last [most]. Batches of several numbers may be under way at once; the calls must come one at a time.
        """

    def update(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], batch: int = 0) -> None: ...

    def cancel(self, batch: int = 0) -> None: ...

    def cancel_all(self) -> None: ...

    def improved_policy(self) -> NDArray[numpy.float32]: ...

    def run_constant(self, simulations: int) -> None: ...

class SelfplaySettings:
    def __init__(self) -> None: ...

    @property
    def search(self) -> SearchSettings: ...

    @search.setter
    def search(self, arg: SearchSettings, /) -> None: ...

    @property
    def full_simulations(self) -> int: ...

    @full_simulations.setter
    def full_simulations(self, arg: int, /) -> None: ...

    @property
    def cheap_simulations(self) -> int: ...

    @cheap_simulations.setter
    def cheap_simulations(self, arg: int, /) -> None: ...

    @property
    def cheap_considered(self) -> int: ...

    @cheap_considered.setter
    def cheap_considered(self, arg: int, /) -> None: ...

    @property
    def cheap_noise(self) -> float: ...

    @cheap_noise.setter
    def cheap_noise(self, arg: float, /) -> None: ...

    @property
    def full_share(self) -> float: ...

    @full_share.setter
    def full_share(self, arg: float, /) -> None: ...

    @property
    def cheap_positions(self) -> bool: ...

    @cheap_positions.setter
    def cheap_positions(self, arg: bool, /) -> None: ...

    @property
    def proven_positions(self) -> bool: ...

    @proven_positions.setter
    def proven_positions(self, arg: bool, /) -> None: ...

    @property
    def resign_below(self) -> float: ...

    @resign_below.setter
    def resign_below(self, arg: float, /) -> None: ...

    @property
    def resign_moves(self) -> int: ...

    @resign_moves.setter
    def resign_moves(self, arg: int, /) -> None: ...

    @property
    def play_on_share(self) -> float: ...

    @play_on_share.setter
    def play_on_share(self, arg: float, /) -> None: ...

class SelfplayPool:
    """Games that play themselves: select(), let a net judge, update()."""

    def __init__(self, width: int, height: int, count: int, settings: SelfplaySettings, seed: int, threads: int = 1) -> None: ...

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

    def set_openings(self, lines: Sequence[Sequence[int]]) -> None: ...

    def select(self, stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')], last: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> None:
        """
        One position a game: stones [2, n, words], white_to_move [n], last [n].
        """

    def update(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """logits [n, cells], value [n] for the side to move."""

    def drain(self) -> tuple[dict[str, numpy.typing.NDArray[Any]], list[tuple[int, int, int, bool, list[int]]]]:
        """
        What has finished: (samples by name, [(id, opening moves, winner, resigned, moves)]).
        """

    def resignations(self) -> tuple[int, int]:
        """
        In games played on: (sides that would have resigned, those that won after all).
        """

    def save(self) -> bytes: ...

    def restore(self, state: bytes) -> None: ...

def edge_templates() -> list[str]:
    """
    The edge templates that the search begins with: rows down to the edge with / between them, O the stone, S stones that it takes, * the carrier.
    """

class TemplateFinder:
    def __init__(self, highest: int = 5, most_cells: int = 44, most_positions: int = 50000) -> None: ...

    def add(self, picture: str) -> None:
        """Adds a template to those that are known."""

    @property
    def known(self) -> list[str]: ...

    def find(self, board: Board, colour: int) -> list[str]:
        """
        Templates that stand in a position though connections with what is known do not say so.
        """

    def shrunk(self, picture: str, order: Sequence[int]) -> str | None:
        """
        A template without what it does not need, cells tried in this order; None when it does not hold.
        """

    def holds(self, picture: str) -> bool:
        """Whether a template holds, by search of its carrier alone."""

    def is_minimal(self, picture: str) -> bool:
        """Whether it no longer holds without any one of its cells or stones."""

    def is_found(self, picture: str) -> bool:
        """
        Whether connections with what is known join it, with only the opponent's stones around it.
        """

class Connections:
    def __init__(self, board: Board, colour: int, filled_black: Sequence[int] = [], filled_white: Sequence[int] = [], fulls: int = 30, semis: int = 150, templates: bool = True, record: bool = False) -> None: ...

    def build(self, board: Board, filled_black: Sequence[int] = [], filled_white: Sequence[int] = []) -> None:
        """Searches from scratch, on a board of the same size."""

    @property
    def won(self) -> bool:
        """Whether a full connection joins both edges."""

    def end_of(self, end: int) -> int:
        """The number that stands for a cell's group or edge."""

    def add(self, own: Sequence[int], opponent: Sequence[int]) -> None:
        """Adds stones to those of the board."""

    def undo(self) -> None:
        """Takes the last add() back; IndexError when there is none."""

    def between(self, a: int, b: int, semi: bool) -> list[list[int]]:
        """The carriers between two ends."""

    def _derivation(self, a: int, b: int, carrier: Sequence[int]) -> list[tuple[int, int, int, list[int], int, list[int], list[tuple[int, list[int]]]]]: ...

    def _smallest_win(self) -> list[int]: ...

    def _must_play(self) -> list[int]: ...

    def listing(self, semi: bool) -> tuple[NDArray[numpy.int16], NDArray[numpy.uint64]]:
        """
        All connections of a kind: ends [N, 2] and carriers [N, words], cell i in bit i % 64 of word i / 64.
        """

    def holds(self, a: int, b: int, carrier: Sequence[int], owner_first: bool) -> bool:
        """
        Whether a claimed connection holds, by plain search of its carrier with every other cell the opponent's.
        """

class JudgedGames:
    """
    Games of one size, played in lockstep on threads with the GIL released; each keeps its connections from move to move. Arrays are written in place.
    """

    def __init__(self, width: int, height: int, count: int, connections: bool = True, threads: int = 1) -> None: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def count(self) -> int: ...

    def reset(self) -> None:
        """Every game begins again, on the empty board with Black to move."""

    def play(self, games: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], cell: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], over: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]) -> None:
        """Plays cell [k] int32 in games [k] int32 -> over [k] bool."""

    def judge(self, games: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], proof: Annotated[NDArray[numpy.int8], dict(order='C', device='cpu')], winning: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], moves: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]) -> None:
        """
        What connections say of games [k] int32: proof, winning and moves as from judge_by_connections.
        """

def judge_by_connections(stones: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], white_to_move: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu', writable=False)], width: int, height: int, proof: Annotated[NDArray[numpy.int8], dict(order='C', device='cpu')], winning: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], moves: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    What connections say of n positions that are not over: proof [n] int8 (1: the side to move wins, -1: it loses, 0: not known), winning [n] int32 (a move that wins, or -1), moves [n, cells] bool (those worth trying).
    """

def resistance_value(own: float, opponent: float) -> float:
    """
    How much better one side conducts, in [-1, 1]: tanh of half the logarithm of the resistances' ratio.
    """

def measure_resistance(stones: numpy.typing.NDArray[numpy.uint64], width: int, height: int, connections: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Conductances [2, b] and shares of energy [2, b, cells] of stones [2, b, words].
    """

def connection_wires(board: Board, colour: int) -> list[tuple[int, int, float]]:
    """
    The wires that virtual connections make in a colour's circuit: (end, end, conductance). Ends are cells, then the number of cells for the colour's first edge and one more for its second.
    """

def measure_distance(stones: numpy.typing.NDArray[numpy.uint64], width: int, height: int, two: bool) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
    """
    Ways through each cell [2, b, cells], the least [2, b] and how many have it [2, b]; -1 where there is none.
    """

class StopFlag:
    """Ends a search soon, from any thread."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

def search_alphabeta(board: Board, depth: int, width: int, connections: bool, stop: StopFlag) -> tuple[float, int, list[int], int]:
    """
    Alpha-beta over resistance: the value in the view of the side to move, 1, -1 or 0 for won, lost and not proven, the moves expected and the positions searched.
    """

def inferior(board: Board, to_move: int, prune: bool = True) -> tuple[list[int], list[int], list[int], list[tuple[int, int, int, list[int], list[int], list[int]]]]:
    """
    Black's fill-in, White's, the pruned cells, and the claims: (kind, cell, by, region, black, white).
    """

def regions(board: Board) -> list[tuple[list[int], list[list[int]], list[list[int]], int]]:
    """
    The regions of empty cells: (cells, those that touch each black group, each white one, owner or -1).
    """

def fewest_moves(board: Board, nodes: int) -> tuple[int, list[int]]:
    """
    For a side to move that wins: (how many of its moves it takes at least, [the first]); (0, []) beyond the nodes.
    """

def longest_defence(board: Board, nodes: int) -> tuple[int, list[int]]:
    """
    For a side to move that loses: (how many moves the other needs at most, or 0 beyond the nodes, [moves that hold out longest]).
    """

class SolverSettings:
    def __init__(self) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def memory_mb(self) -> float: ...

    @memory_mb.setter
    def memory_mb(self, arg: float, /) -> None: ...

    @property
    def wide_base(self) -> int: ...

    @wide_base.setter
    def wide_base(self, arg: int, /) -> None: ...

    @property
    def wide_factor(self) -> float: ...

    @wide_factor.setter
    def wide_factor(self, arg: float, /) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def templates(self) -> bool: ...

    @templates.setter
    def templates(self, arg: bool, /) -> None: ...

class Finding:
    """What a solver knows of a position, in the view of its side to move."""

    @property
    def known(self) -> bool: ...

    @property
    def winner(self) -> int: ...

    @property
    def phi(self) -> int: ...

    @property
    def delta(self) -> int: ...

    @property
    def best(self) -> int: ...

    @property
    def work(self) -> int: ...

    @property
    def proof(self) -> list[int]: ...

    @property
    def moves(self) -> list[int]: ...

    @property
    def filled(self) -> list[list[int]]: ...

class Solver:
    """Proves who wins; what it finds is kept from position to position."""

    def __init__(self, width: int, height: int, settings: SolverSettings) -> None: ...

    def run(self, board: Board, nodes: int, seconds: float, stops: int | None = None) -> int:
        """
        The winner, or -1 when a limit or stop() came first. With `stops`, which the property had at some time before, a stop() since then ends the run at once; without, only one that comes during the run counts. What the policy raises ends the run and is raised here.
        """

    def stop(self) -> None:
        """Ends the run() under way soon, from any thread."""

    @property
    def stops(self) -> int:
        """How often stop() has been called."""

    def set_policy(self, policy: Callable[[Sequence[Sequence[int]], int], Sequence[float]] | None) -> None:
        """
        Orders moves by what policy(stones [2][words], to_move) returns: a finite score for every cell, the best the highest, or [] where it has none. None: by electric currents.
        """

    def look_up(self, board: Board) -> Finding: ...

    @property
    def nodes(self) -> int: ...

    @property
    def table_used(self) -> int: ...

    @property
    def table_capacity(self) -> int: ...

    @property
    def table_bytes(self) -> int: ...

    def save(self, path: str) -> None: ...

    def load(self, path: str) -> None: ...

class PatternScores:
    """
    Logarithms of what patterns are worth, in Black's view: pattern [3^12], reply [12, 3^6], energy [12, 12].
    """

    def __init__(self, pattern: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], reply: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], energy: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

class PatternModel:
    """What was learned of patterns, for priors and for playouts."""

    def __init__(self, prior: PatternScores, playout: PatternScores, sharpness: float) -> None: ...

def pattern_features(stones: numpy.typing.NDArray[numpy.uint64], white_to_move: numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32], width: int, height: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
    """
    Pattern, reply and energy of every empty cell's move, [b, cells] each, -1 where there is none.
    """

def pattern_playouts(board: Board, model: PatternModel, count: int, seed: int = 0) -> numpy.typing.NDArray[numpy.int32]:
    """
    How often each cell is Black's at the end of so many playouts, then how often Black wins: [cells + 1].
    """

class UctSettings:
    def __init__(self) -> None: ...

    @property
    def expand(self) -> int: ...

    @expand.setter
    def expand(self, arg: int, /) -> None: ...

    @property
    def knowledge(self) -> int: ...

    @knowledge.setter
    def knowledge(self, arg: int, /) -> None: ...

    @property
    def net(self) -> int: ...

    @net.setter
    def net(self, arg: int, /) -> None: ...

    @property
    def in_flight(self) -> int: ...

    @in_flight.setter
    def in_flight(self, arg: int, /) -> None: ...

    @property
    def least_reply(self) -> float: ...

    @least_reply.setter
    def least_reply(self, arg: float, /) -> None: ...

    @property
    def rave_initial(self) -> float: ...

    @rave_initial.setter
    def rave_initial(self, arg: float, /) -> None: ...

    @property
    def rave_final(self) -> float: ...

    @rave_final.setter
    def rave_final(self, arg: float, /) -> None: ...

    @property
    def even(self) -> float: ...

    @even.setter
    def even(self, arg: float, /) -> None: ...

    @property
    def bias(self) -> float: ...

    @bias.setter
    def bias(self, arg: float, /) -> None: ...

    @property
    def c(self) -> float: ...

    @c.setter
    def c(self, arg: float, /) -> None: ...

    @property
    def fpu_reduction(self) -> float: ...

    @fpu_reduction.setter
    def fpu_reduction(self, arg: float, /) -> None: ...

class UctSearch(SearchedTree):
    """
    A tree search with playouts. A net may give it priors, but it needs none.
    """

    def __init__(self, board: Board, model: PatternModel, settings: UctSettings, seed: int = 0, threads: int = 1) -> None: ...

    def set_position(self, board: Board) -> None: ...

    def run(self, simulations: int, seconds: float, nodes: int, left: float = float('inf')) -> int:
        """
        Simulates until a limit is reached, the result is proven, or all visits wait for a net. The number of games played. A question about connections may take half of the `left` seconds.
        """

    def waiting(self) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int32]]:
        """
        The positions that visits wait for a net's priors of: stones [2, k, words], white_to_move [k] (0 or 1), last [k] (-1: none).
        """

    def answer(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        What a net says of them: logits [k, cells]. The visits go on in the next run.
        """

    def cancel(self) -> None:
        """Takes back the visits that wait or were answered."""

    def prove(self, proof: int, winning: int) -> None:
        """The root is known to be won (1) by a move, or lost (-1)."""
