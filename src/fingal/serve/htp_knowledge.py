"""What is known of a position, over HTP: benzene's commands, in the form in which HexGui draws their answers.

Connections are those of the position with its dead and captured cells filled in.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fingal.analysis.connections import EDGES, Connections
from fingal.analysis.distance import two_distance
from fingal.analysis.inferior import Inferior, find_inferior
from fingal.analysis.resistance import resistance
from fingal.background import Flag
from fingal.game import Board, Colour
from fingal.serve.analyse import SOLVER_MEMORY
from fingal.serve.htp_text import command, seconds_text, short, to_colour, to_seconds
from fingal.solve.dfpn import Settings, Solution, Solver

if TYPE_CHECKING:
    from fingal.serve.htp_engine import HtpEngine

ANALYSES = """\
inferior/Compute Inferior/compute-inferior %m
inferior/Compute Fillin/compute-fillin %m
pspairs/Show TwoDistance/eval-twod %c
string/Show Resist/eval-resist %c
pspairs/Show Cell Energy/eval-resist-cells %c
inferior/VC Build/vc-build %m
vc/VC Between Cells Full/vc-between-cells-full %c %P
vc/VC Between Cells Semi/vc-between-cells-semi %c %P
inferior/VC Get Mustplay/vc-get-mustplay %m
param/DFPN Param/param_dfpn
string/DFPN Solve State/dfpn-solve-state %m
plist/DFPN Find Winning/dfpn-solver-find-winning %m
var/DFPN Get PV/dfpn-get-pv %m"""
"""What HexGui puts into its Analyze window: the way to draw the answer, a name, the command."""

SIDES = {"north": "top", "south": "bottom", "west": "left", "east": "right"}
"""HTP's names of the edges, and ours."""

_CODES = {"vulnerable": "iv", "reversible": "ir", "dominated": "id"}


@command("eval-resist COLOUR")
def _eval_resist(engine: HtpEngine, arguments: list[str]) -> str:
    """The logarithms of White's resistance over Black's, of White's and of Black's; the same for either colour."""
    to_colour(arguments[0])
    found = resistance(engine.board)
    white, black = (_logarithm(found.resistance(colour)) for colour in (Colour.WHITE, Colour.BLACK))
    return f" res {white - black:.3f} rew {white:.3f} reb {black:.3f}"


@command("eval-resist-cells COLOUR")
def _eval_resist_cells(engine: HtpEngine, arguments: list[str]) -> str:
    """How many per cent of a colour's energy each empty cell turns to heat."""
    shares = resistance(engine.board).energy[to_colour(arguments[0])]
    return _pairs(engine.board, {cell: f"{100 * shares[cell]:.3f}" for cell in engine.board.empty_cells})


@command("eval-twod COLOUR")
def _eval_twod(engine: HtpEngine, arguments: list[str]) -> str:
    """The sum of each empty cell's two-distances from a colour's edges; -1 where there is none."""
    through = two_distance(engine.board).through[to_colour(arguments[0])]
    return _pairs(engine.board, {cell: str(through[cell]) for cell in engine.board.empty_cells})


@command("compute-inferior COLOUR")
def _compute_inferior(engine: HtpEngine, arguments: list[str]) -> str:
    """Cells that are filled in, and moves that the colour need not try, with the moves that make them so."""
    found = find_inferior(engine.board, to_colour(arguments[0]))
    return _listed(engine.board, _filled(found) | _pruned(engine.board, found))


@command("compute-fillin COLOUR")
def _compute_fillin(engine: HtpEngine, arguments: list[str]) -> str:
    """Cells that are filled in."""
    return _listed(engine.board, _filled(find_inferior(engine.board, to_colour(arguments[0]), prune=False)))


@command("vc-build COLOUR")
def _vc_build(engine: HtpEngine, arguments: list[str]) -> str:
    """What compute-inferior says, and the cells outside the colour's must-play region."""
    colour = to_colour(arguments[0])
    found = find_inferior(engine.board, colour)
    known = _filled(found) | _pruned(engine.board, found)
    return _listed(engine.board, known) + _outside(engine.board, colour, known)


@command("vc-get-mustplay COLOUR")
def _vc_get_mustplay(engine: HtpEngine, arguments: list[str]) -> str:
    """What compute-fillin says, and the cells outside the colour's must-play region."""
    colour = to_colour(arguments[0])
    known = _filled(find_inferior(engine.board, colour, prune=False))
    return _listed(engine.board, known) + _outside(engine.board, colour, known)


@command("vc-between-cells-full COLOUR CELL CELL")
def _vc_between_cells_full(engine: HtpEngine, arguments: list[str]) -> str:
    """The full connections of two cells, groups or edges, the smallest first."""
    colour, ends = to_colour(arguments[0]), arguments[1:]
    found = _connections(engine.board, colour)
    a, b = (_end(found, name) for name in ends)
    said = [_vc(engine.board, found, (a, b), "full or", carrier) for carrier in _sorted(found.full(a, b))]
    return "".join(f"\n{line}" for line in said)


@command("vc-between-cells-semi COLOUR CELL CELL")
def _vc_between_cells_semi(engine: HtpEngine, arguments: list[str]) -> str:
    """The semi connections of two cells, groups or edges, the smallest first, each with the move that makes it full."""
    colour, ends = to_colour(arguments[0]), arguments[1:]
    found = _connections(engine.board, colour)
    a, b = (_end(found, name) for name in ends)
    carriers = _sorted(found.semi(a, b))
    keys = _keys(found, a, b, carriers)
    said = [
        f"{_vc(engine.board, found, (a, b), 'semi and', carrier)}{engine.board.name(keys[carrier])} "
        for carrier in carriers
        if carrier in keys
    ]
    return "".join(f"\n{line}" for line in said)


@command("dfpn-solve-state [COLOUR]")
def _dfpn_solve_state(engine: HtpEngine, arguments: list[str]) -> str:
    """The winner; 'empty' when an interrupt or the limit came first."""
    winner = _solved(engine, arguments, find_all=False).winner
    return "empty" if winner is None else str(winner)


@command("dfpn-solver-find-winning COLOUR")
def _dfpn_solver_find_winning(engine: HtpEngine, arguments: list[str]) -> str:
    """Every move that wins for a colour."""
    found = _solved(engine, arguments, find_all=True)
    return "".join(f" {engine.board.name(move)}" for move in found.winning)


@command("dfpn-get-pv COLOUR")
def _dfpn_get_pv(engine: HtpEngine, arguments: list[str]) -> str:
    """The moves that dfpn-solve-state expects; nothing when it has not been asked about this position."""
    board = engine.board_for(to_colour(arguments[0]))
    found = engine.prover.solutions.get(board)
    return "" if found is None else " ".join(board.name(move) for move in found.variation)


@command("param_dfpn [NAME] [VALUE]")
def _param_dfpn(engine: HtpEngine, arguments: list[str]) -> str:
    """Show or set how long the solver may take."""
    if not arguments:
        return f"\n[string] timelimit {seconds_text(engine.prover.seconds or 0)}"
    if len(arguments) == 1:
        raise ValueError("param_dfpn takes no argument, or a name and a value")
    if arguments[0] != "timelimit":
        raise ValueError(f"unknown parameter: {short(arguments[0])}; there is timelimit")
    engine.prover.seconds = to_seconds(arguments[1]) or None
    return ""


class Prover:
    """A solver of the size that was last asked for, and what it has said about positions."""

    def __init__(self, memory: int = SOLVER_MEMORY, seconds: float | None = 60.0) -> None:
        """``memory``, in megabytes, is set aside when there is something to solve; ``seconds`` are for a question."""
        self.solutions: dict[Board, Solution] = {}
        self.seconds = seconds
        self._memory = memory
        self._solver: Solver | None = None
        self._size = (0, 0)
        self._is_interrupted = Flag()

    def solve(self, board: Board, *, find_all: bool) -> Solution:
        """Solve a position, or come as far as the limit and interrupts allow."""
        solver = self._for(board)
        if self._is_interrupted.is_set():
            solver.interrupt()
        try:
            found = solver.solve(board, find_all=find_all, seconds=self.seconds)
        finally:
            solver.take_back_interrupt()
            self._is_interrupted.clear()
        self.solutions[board.copy()] = found
        return found

    def interrupt(self) -> None:
        """End the search under way, or the next one, soon, from any thread."""
        self._is_interrupted.set()
        if self._solver is not None:
            self._solver.interrupt()

    def _for(self, board: Board) -> Solver:
        if self._solver is None or self._size != (board.width, board.height):
            self._size = board.width, board.height
            self._solver = None  # Its memory goes before the next one's comes.
            self._solver = Solver(*self._size, Settings(memory=self._memory))
            self.solutions.clear()
        return self._solver


def _solved(engine: HtpEngine, arguments: list[str], *, find_all: bool) -> Solution:
    colour = to_colour(arguments[0]) if arguments else engine.board.turn
    with engine.at_work(engine.prover):
        return engine.prover.solve(engine.board_for(colour), find_all=find_all)


def _connections(board: Board, colour: Colour) -> Connections:
    fill = find_inferior(board, prune=False).fill
    return Connections(board, colour, filled=(fill[Colour.BLACK], fill[Colour.WHITE]))


def _end(found: Connections, name: str) -> int:
    side = SIDES.get(name.lower())
    if side is not None and side not in EDGES[found.colour]:
        raise ValueError(f"{name} is not an edge of {found.colour}'s")
    try:
        return found.end(side or name[:20])
    except ValueError as error:
        raise ValueError(f"{short(name)} is not an end of a connection: {error}") from None


def _sorted(carriers: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    return sorted(carriers, key=lambda carrier: (len(carrier), sorted(carrier)))


def _keys(found: Connections, a: int, b: int, carriers: list[frozenset[int]]) -> dict[frozenset[int], int]:
    """For each semi connection a cell of it that makes it full."""
    keys: dict[frozenset[int], int] = {}
    for cell in sorted(frozenset().union(*carriers)):
        found.add([cell], [])
        fulls = found.full(a, b)
        found.undo()
        for carrier in carriers:
            if cell in carrier and any(full <= carrier - {cell} for full in fulls):
                keys.setdefault(carrier, cell)
    return keys


def _vc(board: Board, found: Connections, ends: tuple[int, int], kind: str, carrier: frozenset[int]) -> str:
    """'black a1 north full or [ b1 ] [ ] ': ends, carrier, and the stones, which nobody has ever listed."""
    names = {ours: theirs for theirs, ours in SIDES.items()}
    said = [board.name(end) if end < board.cells else names[EDGES[found.colour][end - board.cells]] for end in ends]
    cells = "".join(f"{board.name(cell)} " for cell in sorted(carrier))
    return f"{found.colour} {said[0]} {said[1]} {kind} [ {cells}] [ ] "


def _outside(board: Board, colour: Colour, known: Mapping[int, str]) -> str:
    """Cells that are outside the must-play region and of which nothing is known yet; none when the game is decided."""
    own, opponent = _connections(board, colour), _connections(board, colour.other)
    must = opponent.must_block()
    is_decided = must is None or own.won or bool(own.semi(*EDGES[colour]))
    if is_decided or must is None:
        return ""
    return _pairs(board, {cell: "x" for cell in board.empty_cells if cell not in must and cell not in known})


def _filled(found: Inferior) -> dict[int, str]:
    """'fdb': filled in, dead, for Black; 'fcw': filled in, captured by White."""
    dead = set(found.cells("dead"))
    return {
        cell: f"f{'d' if cell in dead else 'c'}{colour.letter.lower()}"
        for colour in Colour
        for cell in found.fill[colour]
    }


def _pruned(board: Board, found: Inferior) -> dict[int, str]:
    """'iv[a2-b1]': inferior, vulnerable to a2 and to b1. Of several reasons, the first kind that there is."""
    reasons: dict[str, dict[int, list[str]]] = {kind: defaultdict(list) for kind in _CODES}
    for claim in found.claims:
        if claim.cell is not None and claim.by is not None:
            reasons[claim.kind][claim.cell].append(board.name(claim.by))
    said: dict[int, str] = {}
    for kind, cells in reasons.items():
        said = {cell: f"{_CODES[kind]}[{'-'.join(by)}]" for cell, by in cells.items()} | said
    return said


def _pairs(board: Board, values: Mapping[int, str]) -> str:
    """Cells and values, on one line."""
    return "".join(f" {board.name(cell)} {value}" for cell, value in sorted(values.items()))


def _listed(board: Board, values: Mapping[int, str]) -> str:
    """Cells and values, four a line."""
    pairs = [f" {board.name(cell)} {value}" for cell, value in sorted(values.items())]
    return "\n".join("".join(pairs[start : start + 4]) for start in range(0, len(pairs), 4))


def _logarithm(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
