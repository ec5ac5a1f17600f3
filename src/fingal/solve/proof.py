"""Proof trees of solved positions, in the form that ``fingal.solve.check`` reads."""

from __future__ import annotations

from typing import Any

from fingal.analysis.inferior import Claim, find_inferior
from fingal.game import Board, Colour
from fingal.solve.check import FORMAT, Stones
from fingal.solve.derive import derive
from fingal.solve.dfpn import Solver


def prove(solver: Solver, board: Board) -> dict[str, Any]:
    """The proof of who wins a position, ready for JSON.

    The solver searches what its table has forgotten, and what the checker does not take on its word: that may take
    time.
    """
    tree = _Tree(solver)
    nodes = _reached(tree.nodes, tree.number(board))
    return {
        "format": FORMAT,
        "width": board.width,
        "height": board.height,
        "root": len(nodes) - 1,
        "nodes": nodes,
    }


class _Tree:
    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.nodes: list[dict[str, Any]] = []
        self.carriers: list[frozenset[int]] = []
        self.known: dict[tuple[str, int], int] = {}

    def number(self, board: Board) -> int:
        """The number of the node of a position; it is added when it is not there."""
        key = (_text(board), int(board.turn))
        if key not in self.known:
            node, carrier = self._node(board)
            self.known[key] = len(self.nodes)
            self.nodes.append(node)
            self.carriers.append(carrier)
        return self.known[key]

    def _node(self, board: Board) -> tuple[dict[str, Any], frozenset[int]]:
        found = self.solver.finding(board)
        winner = Colour(found.winner)
        loses = winner is not board.turn
        inferior = find_inferior(board)
        claims = [claim for claim in inferior.claims if loses or claim.cell is None]
        filled = board.copy()
        for colour, cells in inferior.fill.items():
            for cell in cells:
                filled.set_stone(cell, colour)
        filled.turn = board.turn
        node: dict[str, Any] = {"position": _text(board), "to_move": int(board.turn), "winner": int(winner)}
        carrier: frozenset[int]
        if filled.winner is not None:
            node["joined"], carrier = True, frozenset()
        else:
            carrier = frozenset(found.proof).intersection(filled.empty_cells)
            steps = derive(_stones(filled, winner), carrier, full=loses)
            if steps is not None:
                node["connection"] = steps
            elif loses:
                node["moves"], carrier = self._all_moves(
                    filled, set(filled.empty_cells) - set(inferior.pruned), carrier
                )
            else:
                move = self.solver.winning_move(filled)
                node["move"], node["child"] = move, self._child(filled, move)
                carrier = self.carriers[node["child"]] | {move}
        if "moves" not in node:
            claims = [claim for claim in claims if claim.cell is None]
        if claims:
            node["claims"] = [claim.as_dict() for claim in claims]
        return node, carrier | _added(carrier, claims, winner)

    def _all_moves(
        self, filled: Board, left: set[int], proof: frozenset[int]
    ) -> tuple[list[tuple[int, int]], frozenset[int]]:
        """Moves whose refutations refute all that are left, none of them in vain, with the numbers of their nodes."""
        answers: dict[int, int] = {}
        open_moves = set(left)
        while open_moves:
            # A move that the winner need not answer comes first: his threat rules out most others.
            move = min(open_moves, key=lambda cell: (cell in proof, cell))
            answers[move] = self._child(filled, move)
            open_moves &= self.carriers[answers[move]] - {move}
        for move in list(answers):
            others = [at for at in answers if at != move]
            if all(cell in others or any(cell not in self.carriers[answers[at]] for at in others) for cell in left):
                del answers[move]
        needed = frozenset().union(*(self.carriers[number] for number in answers.values()))
        return list(answers.items()), needed

    def _child(self, filled: Board, move: int) -> int:
        after = filled.copy()
        after.push(move)
        return self.number(after)


def _reached(nodes: list[dict[str, Any]], root: int) -> list[dict[str, Any]]:
    """The nodes that the root rests on, numbered anew; the root comes last."""
    wanted = {root}
    for number in range(root, -1, -1):
        if number in wanted:
            node = nodes[number]
            wanted.update([node["child"]] if "child" in node else (child for _, child in node.get("moves", ())))
    numbers = {old: new for new, old in enumerate(sorted(wanted))}
    kept = []
    for old in numbers:
        node = dict(nodes[old])
        if "child" in node:
            node["child"] = numbers[node["child"]]
        if "moves" in node:
            node["moves"] = [(move, numbers[child]) for move, child in node["moves"]]
        kept.append(node)
    return kept


def _text(board: Board) -> str:
    colours = [board.colour_at(cell) for cell in range(board.cells)]
    return "".join("." if colour is None else "BW"[colour] for colour in colours)


def _stones(board: Board, colour: Colour) -> Stones:
    own, theirs = (
        frozenset(cell for cell in range(board.cells) if board.colour_at(cell) is side)
        for side in (colour, colour.other)
    )
    return Stones(board.width, board.height, int(colour), own, theirs)


def _added(carrier: frozenset[int], claims: list[Claim], winner: Colour) -> frozenset[int]:
    """What inferior cells add to a node's carrier, as the checker reckons it."""
    cells = set(carrier)
    size = -1
    while size != len(cells):
        size = len(cells)
        for claim in claims:
            if claim.cell in cells:
                cells.update(claim.region)
    for claim in claims:
        if claim.kind == "captured" and (claim.black, claim.white)[winner]:
            cells.update(claim.region)
    return frozenset(cells)
