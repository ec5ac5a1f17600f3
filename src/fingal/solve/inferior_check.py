"""Claims about inferior cells, checked in plain Python.

Nothing of Fingal is imported: this file and the rules of Hex are all there is to trust.

A position is given by width, height and the sets of black and white cells, numbered ``row * width + column``. A claim
is a dictionary, as it stands in the JSON of a proof tree:

``{"kind": "dead" or "captured", "region": [cells], "black": [cells], "white": [cells]}``
    The position is worth the same with these cells of the region filled in, and a move in the rest of the region that
    wins then wins without the fill-in too.
``{"kind": "vulnerable", "cell": x, "by": z, "region": [cells]}``
    The side to move need not try x: after the opponent's answer on z the whole region is as good as the opponent's.
``{"kind": "reversible", "cell": x, "by": z, "region": [cells]}``
    The side to move need not try x: the answer on z leaves it no better off than before, and every move that wins
    then wins at once.
``{"kind": "dominated", "cell": x, "by": y, "region": [cells]}``
    The side to move need not try x: y is at least as good; or the position turned by 180 degrees is the same and x
    comes to lie on y, and then the region is all that is empty.

x, y and z are in the region, and all of the region is empty. The reason lies in the region and in what touches it.

**How a claim is proved.** Two full fillings of the region are compared in every colouring of the empty cells that touch
it: one is at least as good for Black when it joins every two black neighbours of the region that the other joins, or
when the other joins every two white ones that it joins. Two states of the region (cells Black, White or empty) are
compared as games: the first is at least as good for Black when Black has an answer to every white move in the first and
every black move in the second, namely a black move in the first, a white move in the second, or none, until both are
full. By induction over the empty cells Black then wins with the first state whatever he wins with the second, whoever
is to move and whatever stands elsewhere.

**Further reasons, by shortest paths.** Join two empty cells in a colour's graph when they touch each other or a common
group of its stones, and either with an edge when it touches the edge or the edge's group. A shortest winning path uses
no two joined nodes other than one after the other. So a cell is dead when its neighbours in the graph are all joined to
each other, or when it cannot be reached from both edges, or when it can be reached from no edge but through the
neighbours of one group (of an edge's group: not from the other edge), or when the empty cells around it, up to the
nearest stones, touch no more than one group of the colour. ``dead`` also holds for any number of such
cells; ``vulnerable`` also when x is such a cell with the opponent on z; ``captured`` also for two cells of which each
is such a cell when the owner has the other.

**How claims go together.** Fill-ins come first, each in the position with those before it filled in. Pruned moves
follow, all in the position with everything filled in. Vulnerable cells go together: each answer leaves nothing but
stones of the opponent, which spoil no other answer. A reversible cell's region meets no region of another answer. A
dominator has not been pruned before; it may be pruned later, by a dominator that was there then, so that every chain of
dominators ends at a move that is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

BLACK, WHITE = 0, 1
LARGEST_REGION = 5  # that is compared here and now
LARGEST_CLOSED_REGION = 8  # the same, when no empty cell touches it: there is one colouring around it

# Black's dominated cells in the corner a1: (cell, dominator, region), each cell as (row, column). The regions are too
# large to compare every time: that these hold is proved by the same comparison once, in the slow tests.
CORNER_LEMMAS = (
    ((1, 1), (1, 2), frozenset({(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)})),
    ((2, 0), (2, 1), frozenset({(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)})),
)

Claim = Mapping[str, Any]
State = tuple[int, int]  # masks of a region's cells: Black's and White's
Order = tuple[int, ...]
_ORDERS: dict[object, Order] = {}


class Refused(ValueError):
    """A claim that is not proved; the message says which and why."""


def check_inferior(
    width: int, height: int, black: Collection[int], white: Collection[int], to_move: int, claims: Sequence[Claim]
) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """Black's cells and White's with everything filled in, and the moves that are left to try; or ``Refused``.

    The winner is the same with the fill-in, whoever is to move. If the side to move (0 Black, 1 White) wins, one of the
    moves that are left wins, both with the fill-in and without.
    """
    board = _Board(width, height, frozenset(black), frozenset(white))
    pruned: set[int] = set()
    filling, answering = True, True
    answered: set[int] = set()  # the regions of all answers
    alone: set[int] = set()  # the regions of reversible cells, which meet no other
    for number, claim in enumerate(claims):
        try:
            kind, region = claim["kind"], tuple(claim["region"])
            board.check_region(region)
            if kind in ("dead", "captured"):
                _require(filling, "fill-ins come first")
                board = _filled(board, region, frozenset(claim["black"]), frozenset(claim["white"]))
                continue
            filling = False
            cell, by = claim["cell"], claim["by"]
            _require(cell != by and cell in region and by in region, "its two cells are not both in the region")
            _require(cell not in pruned, "its cell is pruned already")
            if kind == "dominated":
                answering = False
                _require(by not in pruned, "the dominator is pruned already")
                _require(_dominates(board, region, to_move, cell, by), "the dominator can be worse")
            else:
                _require(answering, "vulnerable and reversible cells come before dominated ones")
                _require(not alone.intersection(region), "its region meets that of a reversible cell")
                if kind == "vulnerable":
                    _require(_kills(board, region, to_move, cell, by), "the answer does not make the region theirs")
                else:
                    _require(kind == "reversible", f"there is no such kind as {kind!r}")
                    _require(not answered.intersection(region), "its region meets that of another answer")
                    _require(_reverses(board, region, to_move, cell, by), "the exchange can gain something")
                    alone.update(region)
                answered.update(region)
            pruned.add(cell)
        except Refused as error:
            raise Refused(f"claim {number} ({claim['kind']}) is not proved: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            raise Refused(f"claim {number} is malformed: {error!r}") from None
    moves = frozenset(board.empty - pruned)
    if board.empty and not moves:
        raise Refused("no move is left")
    return board.black, board.white, moves


def prove_corner_lemma(cell: tuple[int, int], by: tuple[int, int], region: Collection[tuple[int, int]]) -> bool:
    """Whether Black on ``by`` is at least as good as on ``cell``, whatever stands around the region in the corner.

    All around it is empty here, which stands for anything; the largest takes minutes.
    """
    side = 2 + max(max(at) for at in region)
    board = _Board(side, side, frozenset(), frozenset())
    cells = [row * side + column for row, column in sorted(region)]
    worse, better = (row * side + column for row, column in (cell, by))
    return _at_least(board, cells, BLACK, {better: BLACK}, {worse: BLACK}, largest=len(cells))


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise Refused(otherwise)


class _Board:
    """Stones on cells, and two more stones for each colour: its edges."""

    def __init__(self, width: int, height: int, black: frozenset[int], white: frozenset[int]) -> None:
        self.width, self.height, self.black, self.white = width, height, black, white
        self.cells = frozenset(range(width * height))
        _require(not black & white and black | white <= self.cells, "stones lie on each other or off the board")
        self.empty = self.cells - black - white

    def order(self, region: tuple[int, ...]) -> Order:
        """The order of a region's fillings, found once for all places that look alike."""
        place = _Region(self, region)
        key = place.looks()
        if key not in _ORDERS:
            _ORDERS[key] = place.order()
        return _ORDERS[key]

    def neighbours(self, cell: int) -> Iterator[int]:
        row, column = divmod(cell, self.width)
        for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            if 0 <= row + down < self.height and 0 <= column + right < self.width:
                yield (row + down) * self.width + column + right

    def edges(self, cell: int, colour: int) -> Iterator[int]:
        """The colour's edges that a cell touches: -1 and -2."""
        place, last = (cell // self.width, self.height) if colour == BLACK else (cell % self.width, self.width)
        if place == 0:
            yield -1
        if place == last - 1:
            yield -2

    def is_symmetric(self) -> bool:
        """Whether the position turned by 180 degrees is the same."""
        return all({max(self.cells) - cell for cell in side} == side for side in (self.black, self.white))

    def check_region(self, region: Sequence[int]) -> None:
        _require(len(region) > 0, "its region has no cells")
        _require(len(set(region)) == len(region), "a cell is in its region twice")
        _require(self.empty.issuperset(region), "its region is not empty")

    def dead_by_paths(self, more: Mapping[int, int] | None = None) -> frozenset[int]:
        """The cells that no shortest path needs, with more stones (cell: colour)."""
        extra = more or {}
        black = self.black.union(cell for cell, colour in extra.items() if colour == BLACK)
        white = self.white.union(cell for cell, colour in extra.items() if colour == WHITE)
        return _dead(self.width, self.height, black, white)

    def groups(self, colour: int) -> dict[int, int]:
        """By stone or edge of a colour: the name of its group."""
        stones = self.black if colour == BLACK else self.white
        name: dict[int, int] = {}
        for start in (-1, -2, *stones):
            todo = [start]
            while todo:
                at = todo.pop()
                if at in name:
                    continue
                name[at] = start
                if at < 0:
                    todo += (stone for stone in stones if at in self.edges(stone, colour))
                else:
                    todo += (cell for cell in self.neighbours(at) if cell in stones)
                    todo += self.edges(at, colour)
        return name


class _Region:
    """A region of empty cells with all that touches it, and the order of its fillings."""

    def __init__(self, board: _Board, region: Sequence[int]) -> None:
        self.board, self.region = board, region
        touching = {cell for at in region for cell in board.neighbours(at)}
        self.around = sorted((touching & board.empty).difference(region))
        self.names = [board.groups(colour) for colour in (BLACK, WHITE)]

    def looks(self) -> object:
        """All that ``order`` depends on: who touches whom, among the region, the empty cells around, and the groups."""
        nodes = [*self.region, *self.around]
        seen: list[dict[int, int]] = [{}, {}]  # groups by colour, numbered in the order in which they are met
        return len(self.region), tuple(
            (
                tuple(i for i, other in enumerate(nodes) if other in self.board.neighbours(cell)),
                *(
                    tuple(
                        seen[colour].setdefault(self.names[colour][at], len(seen[colour]))
                        for at in (*self.board.neighbours(cell), *self.board.edges(cell, colour))
                        if at in self.names[colour]
                    )
                    for colour in (BLACK, WHITE)
                ),
            )
            for cell in nodes
        )

    def joined(self, colour: int, own_around: frozenset[int], own_inside: frozenset[int]) -> frozenset[tuple[Any, Any]]:
        """The pairs of the region's neighbours of a colour (groups, or empty cells that it takes) that are joined."""
        root: dict[Any, Any] = {}

        def find(node: Any) -> Any:
            while root.setdefault(node, node) != node:
                node = root[node]
            return node

        touching: set[Any] = set()
        own = own_around | own_inside
        for cell in own:
            nearby: list[Any] = [other for other in self.board.neighbours(cell) if other in own]
            stones = [at for at in self.board.neighbours(cell) if at in self.names[colour]]
            nearby += (("group", self.names[colour][at]) for at in (*stones, *self.board.edges(cell, colour)))
            for node in nearby:
                root[find(node)] = find(cell)
        for cell in self.region:
            touching.update(other for other in self.board.neighbours(cell) if other in own_around)
            stones = [at for at in self.board.neighbours(cell) if at in self.names[colour]]
            touching.update(("group", self.names[colour][at]) for at in (*stones, *self.board.edges(cell, colour)))
        return frozenset((a, b) for a in touching for b in touching if find(a) == find(b))

    def order(self) -> Order:
        """By filling (a mask of Black's cells): a mask of the fillings that it is at least as good as for Black."""
        everything = (1 << len(self.region)) - 1
        fillings = range(everything + 1)
        inside = [frozenset(at for i, at in enumerate(self.region) if filling >> i & 1) for filling in fillings]
        rows = [(1 << len(fillings)) - 1] * len(fillings)
        for taken in product((BLACK, WHITE), repeat=len(self.around)):
            around = [
                frozenset(cell for cell, owner in zip(self.around, taken, strict=True) if owner == colour)
                for colour in (BLACK, WHITE)
            ]
            ours = [self.joined(BLACK, around[BLACK], inside[filling]) for filling in fillings]
            theirs = [self.joined(WHITE, around[WHITE], inside[everything - filling]) for filling in fillings]
            for a in fillings:
                for b in fillings:
                    if rows[a] >> b & 1 and not (ours[a] >= ours[b] or theirs[b] >= theirs[a]):
                        rows[a] &= ~(1 << b)
        return tuple(rows)


@lru_cache(maxsize=1_000)
def _dead(width: int, height: int, black: frozenset[int], white: frozenset[int]) -> frozenset[int]:
    board = _Board(width, height, black, white)
    return frozenset().union(*(_Paths(board, colour).dead() for colour in (BLACK, WHITE)))


class _Paths:
    """A colour's graph: empty cells and the colour's edges, -1 and -2."""

    def __init__(self, board: _Board, colour: int) -> None:
        self.empty = board.empty
        self.touching = {cell: {near for near in board.neighbours(cell) if near in board.empty} for cell in board.empty}
        self.joined: dict[int, set[int]] = {-1: set(), -2: set()} | {cell: set(s) for cell, s in self.touching.items()}
        reach: dict[int, set[int]] = {}
        names = board.groups(colour)
        for cell in board.empty:
            stones = [near for near in board.neighbours(cell) if near in names]
            for at in (*stones, *board.edges(cell, colour)):
                reach.setdefault(names[at], set()).add(cell)
        # A path ends at an edge, so the cells that touch an edge's group are joined to it and not to each other.
        self.edges = {edge: names[edge] for edge in (-1, -2)}
        self.reach = {name: cells for name, cells in reach.items() if name not in self.edges.values()}
        self.edge_reach = {edge: reach.get(name, set()) for edge, name in self.edges.items()}
        for cells in self.reach.values():
            for cell in cells:
                self.joined[cell] |= cells - {cell}
        for edge, cells in self.edge_reach.items():
            self.joined[edge] |= cells
            for cell in cells:
                self.joined[cell].add(edge)

    def dead(self) -> set[int]:
        found = {cell for cell in self.empty if self.is_simplicial(cell)}
        found |= self.empty - (self.reached(-1, set()) & self.reached(-2, set()))
        for cut in self.reach.values():
            found |= self.empty - cut - self.reached(-1, cut) - self.reached(-2, cut)
        for edge, cut in self.edge_reach.items():
            found |= self.empty - cut - self.reached(-3 - edge, cut)
        return found | self.in_dead_regions()

    def in_dead_regions(self) -> set[int]:
        """The cells of every region of empty cells that touches no more than one group."""
        found: set[int] = set()
        left = set(self.empty)
        while left:
            region: set[int] = set()
            todo = [left.pop()]
            while todo:
                cell = todo.pop()
                region.add(cell)
                todo += self.touching[cell] - region
            left -= region
            groups = (*self.reach.values(), *self.edge_reach.values())
            if sum(not region.isdisjoint(cells) for cells in groups) < 2:
                found |= region
        return found

    def is_simplicial(self, cell: int) -> bool:
        near = self.joined[cell]
        return all(near <= self.joined[node] | {node} for node in near)

    def reached(self, edge: int, cut: set[int]) -> set[int]:
        """What can be reached from an edge without the cells of ``cut``, and not through the other edge."""
        seen: set[int] = set()
        todo = [edge]
        while todo:
            for node in self.joined[todo.pop()] - cut - seen:
                if node >= 0:
                    seen.add(node)
                    todo.append(node)
        return seen


class _Games:
    """States of a region as games: (Black's cells, White's cells), as masks, given the order of its fillings."""

    def __init__(self, size: int, order: Order) -> None:
        self.all, self.order = (1 << size) - 1, order
        self.bits = [1 << i for i in range(size)]
        self.known: dict[tuple[int, int, int, int], bool] = {}

    def at_least(self, first: State, second: State) -> bool:
        """Whether the first state is proved to be at least as good for Black as the second."""
        (black, white), (other_black, other_white) = first, second
        if not other_black & ~black and not white & ~other_white:
            return True  # cell by cell
        if not self.order[self.all & ~white] >> other_black & 1:
            return False  # not even if Black gets the rest of the first and White the rest of the second
        key = (black, white, other_black, other_white)
        if key not in self.known:
            self.known[key] = self._search(black, white, other_black, other_white)
        return self.known[key]

    def _search(self, black: int, white: int, other_black: int, other_white: int) -> bool:
        first, second = black | white, other_black | other_white
        if first == second == self.all:
            return bool(self.order[black] >> other_black & 1)
        return all(
            (first & bit or self._answered(black, white | bit, other_black, other_white, bit))
            and (second & bit or self._answered(black, white, other_black | bit, other_white, bit))
            for bit in self.bits
        )

    def _answered(self, black: int, white: int, other_black: int, other_white: int, move: int) -> bool:
        """Whether Black has an answer to a move; the same cell in the other state is tried first."""
        if self.at_least((black, white), (other_black, other_white)):
            return True
        first, second = black | white, other_black | other_white
        return any(
            (not first & bit and self.at_least((black | bit, white), (other_black, other_white)))
            or (not second & bit and self.at_least((black, white), (other_black, other_white | bit)))
            for bit in (move, *self.bits)
        )


@lru_cache(maxsize=10_000)
def _games(size: int, order: Order) -> _Games:
    return _Games(size, order)


def _at_least(
    board: _Board,
    region: Sequence[int],
    colour: int,
    first: Mapping[int, int],
    second: Mapping[int, int],
    largest: int = LARGEST_REGION,
) -> bool:
    """Whether one state of a region (cell: colour) is at least as good for ``colour`` as another."""
    closed = not any(near in board.empty and near not in region for at in region for near in board.neighbours(at))
    most = max(largest, LARGEST_CLOSED_REGION if closed else 0)
    _require(len(region) <= most, f"a region of {len(region)} cells is too large to compare")
    games = _games(len(region), board.order(tuple(region)))

    def masks(state: Mapping[int, int]) -> State:
        sides = ((i for i, at in enumerate(region) if state.get(at) == side) for side in (BLACK, WHITE))
        black, white = (sum(1 << i for i in side) for side in sides)
        return black, white

    a, b = masks(first), masks(second)
    return games.at_least(a, b) if colour == BLACK else games.at_least(b, a)


def _filled(board: _Board, region: Sequence[int], black: frozenset[int], white: frozenset[int]) -> _Board:
    _require(bool(black or white) and not black & white, "it fills nothing in, or a cell twice")
    _require((black | white).issubset(region), "it fills in cells outside its region")
    after = _Board(board.width, board.height, board.black | black, board.white | white)
    if board.dead_by_paths() >= black | white or _captured_pair(board, black, white):
        return after
    filled = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
    _require(_same(board, region, {}, filled), "the region is not worth the same when it is filled")
    for cell in set(region) - black - white:
        for mover in (BLACK, WHITE):
            keeps = _at_least(board, region, mover, {cell: mover}, {**filled, cell: mover})
            _require(keeps, "a move in the region can be better with the fill-in than without")
    return after


def _captured_pair(board: _Board, black: frozenset[int], white: frozenset[int]) -> bool:
    if len(black | white) != 2 or (black and white):
        return False
    x, y = black | white
    owner = BLACK if black else WHITE
    return x in board.dead_by_paths({y: owner}) and y in board.dead_by_paths({x: owner})


def _same(board: _Board, region: Sequence[int], first: Mapping[int, int], second: Mapping[int, int]) -> bool:
    return _at_least(board, region, BLACK, first, second) and _at_least(board, region, BLACK, second, first)


def _dominates(board: _Board, region: Sequence[int], mover: int, cell: int, by: int) -> bool:
    if _is_corner_lemma(board, region, mover, cell, by):
        return True
    if len(region) == len(board.empty) and cell + by == max(board.cells) and board.is_symmetric():
        return True
    return _at_least(board, region, mover, {by: mover}, {cell: mover})


def _is_corner_lemma(board: _Board, region: Sequence[int], mover: int, cell: int, by: int) -> bool:
    """Whether a claim is one of the lemmas, seen from either corner, and in the mirror for White."""

    def seen(at: int, turned: bool) -> tuple[int, int]:
        row, column = divmod(board.width * board.height - 1 - at if turned else at, board.width)
        return (row, column) if mover == BLACK else (column, row)

    views = (
        (seen(cell, turned), seen(by, turned), frozenset(seen(at, turned) for at in region)) for turned in (False, True)
    )
    return any(view in CORNER_LEMMAS for view in views)


def _kills(board: _Board, region: Sequence[int], mover: int, cell: int, by: int) -> bool:
    if len(region) == 2 and cell in board.dead_by_paths({by: 1 - mover}):
        return True
    theirs = dict.fromkeys(region, 1 - mover)
    return _at_least(board, region, mover, theirs, {cell: mover, by: 1 - mover})


def _reverses(board: _Board, region: Sequence[int], mover: int, cell: int, by: int) -> bool:
    exchange = {cell: mover, by: 1 - mover}
    rest = [at for at in region if at not in exchange]
    return _at_least(board, region, mover, {}, exchange) and all(
        _at_least(board, region, mover, {at: mover}, {**exchange, at: mover}) for at in rest
    )
