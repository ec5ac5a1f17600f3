"""Proof trees, checked in plain Python: ``python -m fingal.solve.check FILE``.

This file, ``inferior_check.py`` beside it and the rules of Hex are all there is to trust: nothing is imported from the
solver or the core, and nothing that a proof says of itself is believed.

A proof is an object ``{"format": FORMAT, "width": w, "height": h, "root": number, "nodes": [node, ...]}``. Cells are
numbered ``row * width + column``. Colours are 0 (Black, who joins top and bottom) and 1 (White, left and right). A node
says that ``winner`` wins a position:

``{"position": "..B.W....", "to_move": colour, "winner": colour, "claims": [...], ...}``

Its ``claims`` are about inferior cells: see ``inferior_check.py``. They fill cells in, and strike moves of the loser.
The rest shows that the winner wins the position so filled, in one of these ways:

``"joined": true``
    His stones join his edges.
``"connection": [step, ...]``
    He joins them whatever the opponent does; when he is to move, with his move. The steps derive it: see `Connection`.
``"move": cell, "child": number``
    He is to move, and wins with this move.
``"moves": [[cell, number], ...]``
    The loser is to move, and each of these moves loses. So does every move that is neither struck nor among them,
    because it lies outside the carrier of one of them.

A child is the number of an earlier node, whose position is this one with everything filled in and the move made.

**Carriers.** The checker computes for every node a set of cells, its carrier, such that the winner still wins when all
other empty cells are given to the loser. A connection's carrier is the cells it uses. After a winning move it is the
child's and the move. Where the loser moves it is all that his moves' carriers have: in the position in which everything
else is his, a move outside one of the carriers changes nothing there. When a struck move is in the carrier, so is the
region of its claim, where the reason lies. A captured region that gains the winner a cell belongs to the carrier; a
dead one does not, since its colour makes no difference.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fingal.solve.inferior_check import Refused, check_inferior

FORMAT = "fingal proof 1"
BLACK, WHITE = 0, 1

Node = Mapping[str, Any]


def check(proof: Mapping[str, Any]) -> tuple[str, int, int]:
    """The position, the side to move and the winner that a proof proves; ``Refused`` when it does not.

    The position is a text as in the nodes: row by row, ``B``, ``W`` and ``.``.
    """
    _require(proof.get("format") == FORMAT, f"the format is not {FORMAT!r}")
    width, height, root = (_whole(proof, key) for key in ("width", "height", "root"))
    nodes: Any = proof.get("nodes")
    _require(isinstance(nodes, list), "it has no nodes")
    _require(1 <= width <= 19 and 1 <= height <= 19, "there is no such board")
    _require(0 <= root < len(nodes), "the root is no node")
    carriers: list[frozenset[int]] = []
    for number, node in enumerate(nodes):
        try:
            carriers.append(_check_node(width, height, node, nodes[:number], carriers))
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise Refused(f"node {number} is malformed: {error!r}") from error
        except Refused as error:
            raise Refused(f"node {number} proves nothing: {error}") from None
    return nodes[root]["position"], nodes[root]["to_move"], nodes[root]["winner"]


def _whole(proof: Mapping[str, Any], key: str) -> int:
    value = proof.get(key)
    if not isinstance(value, int):
        raise Refused(f"{key} is not a whole number")
    return value


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise Refused(otherwise)


def _check_node(
    width: int, height: int, node: Node, earlier: Sequence[Node], carriers: Sequence[frozenset[int]]
) -> frozenset[int]:
    """The node's carrier."""
    position, mover, winner, claims = node["position"], node["to_move"], node["winner"], node.get("claims", [])
    _require(len(position) == width * height and set(position) <= set("BW."), "the position is not one")
    _require(mover in (BLACK, WHITE) and winner in (BLACK, WHITE), "a colour is not one")
    stones = [{cell for cell, mark in enumerate(position) if mark == letter} for letter in "BW"]
    black, white, left = check_inferior(width, height, stones[BLACK], stones[WHITE], mover, claims)
    own, theirs = (black, white) if winner == BLACK else (white, black)
    filled = "".join("B" if cell in black else "W" if cell in white else "." for cell in range(width * height))

    def child(move: int, number: int) -> frozenset[int]:
        _require(isinstance(number, int) and 0 <= number < len(earlier), f"{number} is no earlier node")
        _require(filled[move] == ".", f"the move {move} is not on an empty cell")
        after = filled[:move] + "BW"[mover] + filled[move + 1 :]
        said = earlier[number]
        _require(said["position"] == after, f"node {number} is not the position after {move}")
        _require(said["to_move"] == 1 - mover, f"in node {number} the wrong side is to move")
        _require(said["winner"] == winner, f"node {number} has another winner")
        return carriers[number]

    board = Stones(width, height, winner, own, theirs)
    ways = [key for key in ("joined", "connection", "move", "moves") if key in node]
    _require(len(ways) == 1, f"it must be shown in one way, not {len(ways)}")
    carrier: set[int] = set()
    if ways == ["joined"]:
        _require(board.group(board.first) == board.group(board.second), "the edges are not joined")
    elif ways == ["connection"]:
        carrier |= Connection(board, node["connection"]).between_edges(full=mover != winner)
    elif ways == ["move"]:
        _require(mover == winner, "the loser is to move")
        carrier |= child(node["move"], node["child"]) | {node["move"]}
    else:
        _require(mover != winner, "the winner is to move")
        answers = {move: child(move, number) for move, number in node["moves"]}
        for move in left:
            lost = move in answers or any(move not in needed for needed in answers.values())
            _require(lost, f"nothing is said of the move {move}")
        carrier = carrier.union(*answers.values())
        _close(carrier, [claim for claim in claims if "cell" in claim])
    for claim in claims:
        if claim["kind"] == "captured" and claim[("black", "white")[winner]]:
            carrier.update(claim["region"])
    return frozenset(carrier)


def _close(carrier: set[int], struck: Sequence[Mapping[str, Any]]) -> None:
    """Add the regions of all struck moves that are in the carrier, and of those that come in with them."""
    size = -1
    while size != len(carrier):
        size = len(carrier)
        for claim in struck:
            if claim["cell"] in carrier:
                carrier.update(claim["region"])


class Stones:
    """One colour's stones and the opponent's. Ends are cells, then the colour's first and second edge."""

    def __init__(self, width: int, height: int, colour: int, own: frozenset[int], theirs: frozenset[int]) -> None:
        self.width, self.height, self.colour, self.own, self.theirs = width, height, colour, own, theirs
        self.first, self.second = width * height, width * height + 1
        self._name: dict[int, int] = {}
        for start in (self.first, self.second, *sorted(own)):
            todo = [start]
            while todo:
                at = todo.pop()
                if at not in self._name:
                    self._name[at] = start
                    todo += (end for end in self.touching(at) if end in own or end >= self.first)

    def touching(self, end: int) -> list[int]:
        """The cells and own edges that touch a cell or an edge."""
        if end >= self.first:
            return [cell for cell in range(self.first) if end in self._edges(cell)]
        row, column = divmod(end, self.width)
        around = [(row + down, column + right) for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))]
        cells = [r * self.width + c for r, c in around if 0 <= r < self.height and 0 <= c < self.width]
        return cells + self._edges(end)

    def _edges(self, cell: int) -> list[int]:
        place, last = divmod(cell, self.width)[self.colour], (self.height, self.width)[self.colour] - 1
        return [self.first] * (place == 0) + [self.second] * (place == last)

    def is_empty(self, end: int) -> bool:
        """Whether it is an empty cell."""
        return 0 <= end < self.first and end not in self.own and end not in self.theirs

    def group(self, end: int) -> int:
        """The name of the group of a stone or an edge; an empty cell is its own."""
        _require(self.is_empty(end) or end in self._name, f"{end} is neither an empty cell nor the winner's")
        return self._name.get(end, end)

    def touch(self, a: int, b: int) -> bool:
        """Whether two groups or empty cells touch."""
        members = [at for at, name in self._name.items() if name == a] or [a]
        return any(self.group(end) == b for at in members for end in self.touching(at) if end not in self.theirs)


class Connection:
    """A derivation, step by step; a later step may use the earlier ones, by number.

    Each step joins two ends, either whatever the opponent does (full) or when the owner moves first (semi), on the
    empty cells of its carrier alone:

    ``["touch", a, b]``
        a and b touch: full, with nothing needed.
    ``["through", p, q]``
        Two full connections that meet in a group of stones or an edge, with nothing else in common: full.
    ``["key", p, q]``
        Two full connections that meet in an empty cell, with nothing else in common: semi; the owner plays on the cell.
    ``["or", s, t, ...]``
        Connections of the same ends; no cell is in all of them: full. The opponent cannot spoil all with one move.
    """

    def __init__(self, board: Stones, steps: Sequence[Sequence[Any]]) -> None:
        """Check every step."""
        self.board = board
        # (ends, whether full, carrier)
        self.found: list[tuple[frozenset[int], bool, frozenset[int]]] = []
        for number, step in enumerate(steps):
            try:
                rule, *given = step
                if rule == "touch":
                    self.found.append(self._touch(*given))
                elif rule in ("through", "key"):
                    self.found.append(self._and(rule == "through", *(self._earlier(part) for part in given)))
                else:
                    _require(rule == "or", f"there is no rule {rule!r}")
                    self.found.append(self._or([self._earlier(part) for part in given]))
            except Refused as error:
                raise Refused(f"step {number} of its connection: {error}") from None

    def between_edges(self, full: bool) -> frozenset[int]:
        """The carrier of the last step, which must join the owner's edges."""
        _require(bool(self.found), "its connection has no steps")
        ends, is_full, carrier = self.found[-1]
        edges = {self.board.group(self.board.first), self.board.group(self.board.second)}
        _require(ends == edges, "its connection does not join the edges")
        _require(is_full or not full, "its connection needs a move first")
        return carrier

    def _earlier(self, number: int) -> tuple[frozenset[int], bool, frozenset[int]]:
        _require(isinstance(number, int) and 0 <= number < len(self.found), f"{number} is no earlier step")
        return self.found[number]

    def _touch(self, a: int, b: int) -> tuple[frozenset[int], bool, frozenset[int]]:
        a, b = self.board.group(a), self.board.group(b)
        _require(a != b and self.board.touch(a, b), f"{a} and {b} do not touch")
        return frozenset((a, b)), True, frozenset()

    def _and(
        self,
        through: bool,
        p: tuple[frozenset[int], bool, frozenset[int]],
        q: tuple[frozenset[int], bool, frozenset[int]],
    ) -> tuple[frozenset[int], bool, frozenset[int]]:
        middle, ends = p[0] & q[0], p[0] ^ q[0]
        _require(p[1] and q[1], "a part is not full")
        _require(len(middle) == 1 and len(ends) == 2, "the parts do not meet in one end")
        _require(not p[2] & q[2] and not (p[2] | q[2]) & (ends | middle), "the parts have cells in common")
        at = next(iter(middle))
        _require(self.board.is_empty(at) != through, "the parts do not meet in such an end")
        return ends, through, p[2] | q[2] | (frozenset() if through else middle)

    def _or(
        self, parts: Sequence[tuple[frozenset[int], bool, frozenset[int]]]
    ) -> tuple[frozenset[int], bool, frozenset[int]]:
        _require(len(parts) > 1 and len({part[0] for part in parts}) == 1, "the parts have not the same ends")
        carriers = [part[2] for part in parts]
        _require(not carriers[0].intersection(*carriers[1:]), "one move would spoil all parts")
        return parts[0][0], True, frozenset().union(*carriers)


def main(arguments: Sequence[str]) -> int:
    """Check a file; 0 when it proves something, 1 when not, 2 when it cannot be read."""
    if len(arguments) != 1:
        print("usage: check.py FILE", file=sys.stderr)
        return 2
    try:
        proof = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        position, mover, winner = check(proof)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, AttributeError) as error:
        print(f"{arguments[0]} cannot be read: {error}", file=sys.stderr)
        return 2
    except Refused as error:
        print(f"{arguments[0]} is refused: {error}")
        return 1
    width = proof["width"]
    for row in range(proof["height"]):
        print(" " * row + " ".join(position[row * width : (row + 1) * width]))
    print(f"{('Black', 'White')[winner]} wins, {('Black', 'White')[mover]} to move: {len(proof['nodes'])} nodes hold.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
