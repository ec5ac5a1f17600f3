"""The twelve planes of stones and bridges: drawn by hand, and against a search for patterns in plain Python."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board
from fingal.nets import bridges
from fingal.nets.planes import mirrored, positions_of, rotated, take, unpack
from fingal.search.evaluator import Positions
from tests.nets.sample import SIZES, random_positions

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
"""From a cell to its neighbours, as (rows, columns), in a circle."""

Cell = tuple[int, int]
Places = set[Cell]


def around(cell: Cell) -> Places:
    return {(cell[0] + down, cell[1] + right) for down, right in STEPS}


def carriers(first: Cell, second: Cell) -> Places | None:
    """The common neighbours of two cells that form a bridge: they do not touch, and have exactly two of them."""
    shared = around(first) & around(second)
    return shared if second not in around(first) and len(shared) == 2 else None


def slow_planes(positions: Positions, index: int) -> NDArray[np.uint8]:
    """The table of ``bridges`` read aloud: cells as pairs, colours as sets, every pair of stones looked at."""
    width, height = positions.width, positions.height
    grid = unpack(positions.stones, width * height)[:, index].reshape(2, height, width)
    board = list(itertools.product(range(1, height + 1), range(1, width + 1)))
    ring = [cell for cell in itertools.product(range(height + 2), range(width + 2)) if cell not in set(board)]
    put = [{(int(r) + 1, int(c) + 1) for r, c in np.argwhere(grid[colour])} for colour in range(2)]
    black_ring = {cell for cell in ring if cell[0] in (0, height + 1)}
    stones = [put[0] | black_ring, put[1] | (set(ring) - black_ring)]
    empty = set(board) - put[0] - put[1]
    mover = int(positions.white_to_move[index])
    last = int(positions.last[index])
    last_cell = (last // width + 1, last % width + 1)
    planes: list[Places] = [set() for _ in range(bridges.PLANES)]
    planes[0], planes[1], planes[2] = stones[0], stones[1], empty
    planes[3] = set(board) | set(ring) if mover else set()
    for colour in range(2):
        taken = put[mover]
        if colour == mover:
            taken = {last_cell} & put[1 - mover] if last >= 0 else set()
        save, join, form = (6, 7, 8) if colour == mover else (9, 11, 10)
        for first, second in itertools.combinations(sorted(stones[colour]), 2):
            between = carriers(first, second)
            if between is None:
                continue
            if not between & stones[1 - colour]:
                planes[4 + colour] |= {first, second}
            for one, other in (sorted(between), sorted(between)[::-1]):
                if one in empty and other in taken:
                    planes[save].add(one)
        for cell in empty:
            for stone in stones[colour]:
                between = carriers(cell, stone)
                if between is not None and between <= empty:
                    planes[form].add(cell)
            for down, right in STEPS:
                if {(cell[0] + down, cell[1] + right), (cell[0] - down, cell[1] - right)} <= stones[colour]:
                    planes[join].add(cell)
    out = np.zeros((bridges.PLANES, height + 2, width + 2), np.uint8)
    for plane, places in enumerate(planes):
        for cell in places:
            out[plane][cell] = 1
    return out


def with_last_moves(positions: Positions, seed: int = 0) -> Positions:
    """The same with a last move in most of them: any cell, as a stone of either side or an empty one."""
    cells = positions.width * positions.height
    last = np.random.default_rng(seed).integers(-1, cells, len(positions.last))
    return positions._replace(last=last.astype(np.int32))


def cells_of(plane: NDArray[np.uint8]) -> set[str]:
    """The board's cells of a plane, by name."""
    inside = plane[1:-1, 1:-1]
    return {f"{chr(97 + int(c))}{int(r) + 1}" for r, c in np.argwhere(inside)}


@pytest.mark.parametrize(
    ("width", "height", "count"),
    [
        (1, 1, 20),
        (2, 2, 60),
        (3, 5, 200),
        (5, 3, 200),
        (6, 6, 300),
        (9, 7, 150),
        (11, 11, 60),
        (16, 16, 6),
        (19, 4, 20),
    ],
)
def test_planes_against_a_search_for_patterns(width: int, height: int, count: int) -> None:
    positions = with_last_moves(random_positions(width, height, count, seed=width), seed=height)
    seen = bridges.encode(positions)
    assert seen.shape == (count, bridges.PLANES, height + 2, width + 2)
    for index in range(count):
        expected = slow_planes(positions, index)
        assert np.array_equal(seen[index], expected), np.argwhere(seen[index] != expected)


def test_a_bridge_and_its_intrusion_drawn_by_hand() -> None:
    #  . . . . .
    #   . . B . .        c2 and b4 are a bridge of Black's: its carriers are b3 and c3
    #    . . . . .
    #     . B . . .
    #      . . . . .
    board = Board(5)
    for move in ("c2", "e1", "b4", "c3"):
        board.push(move)
    seen = bridges.encode(positions_of([board]))[0]
    assert cells_of(seen[0]) == {"c2", "b4"}
    assert cells_of(seen[1]) == {"e1", "c3"}
    assert not seen[3].any()
    # c3 is White's now: c2 and b4 are the ends of no bridge to each other, but b4's to the bottom and c2's to the top.
    assert cells_of(seen[4]) == {"c2", "b4"}
    assert cells_of(seen[6]) == {"b3"}
    # Without the last move there is nothing to save.
    forgotten = positions_of([board])._replace(last=np.array([-1], np.int32))
    assert cells_of(bridges.encode(forgotten)[0, 6]) == set()
    # With White to move, White asks where Black would save it.
    turned = positions_of([board])._replace(white_to_move=np.array([True]))
    assert cells_of(bridges.encode(turned)[0, 9]) == {"b3"}
    assert bridges.encode(turned)[0, 3].all()


def test_bridges_to_the_edges_drawn_by_hand() -> None:
    # Black's stone on the second row of 4x4 bridges to the top, whichever it is; White's on b3 to the left.
    board = Board(4)
    for move in ("c2", "b3"):
        board.push(move)
    seen = bridges.encode(positions_of([board]))[0]
    assert cells_of(seen[4]) == {"c2"}
    assert cells_of(seen[5]) == {"b3"}
    # The other ends of the bridges stand in the ring: above c1 and d1, which carry it, is the cell above d1.
    assert seen[4, 0].tolist() == [0, 0, 0, 0, 1, 0]
    assert seen[5, :, 0].tolist() == [0, 0, 0, 0, 1, 0]
    # Black, to move, forms a bridge to the bottom anywhere on the third row, but where a carrier is White's or no cell.
    bottom = {name for name in cells_of(seen[8]) if name.endswith("3")}
    assert bottom == {"c3", "d3"}


def test_a_line_of_three_makes_a_connection_for_both_colours() -> None:
    board = Board(5)
    for move in ("b2", "d3", "d2", "d5"):
        board.push(move)
    seen = bridges.encode(positions_of([board]))[0]
    assert "c2" in cells_of(seen[7])
    assert "c2" not in cells_of(seen[11])
    assert "d4" in cells_of(seen[11])
    assert "d4" not in cells_of(seen[7])
    # d1 stands between Black's d2 and the top edge.
    assert "d1" in cells_of(seen[7])
    assert "d1" not in cells_of(seen[11])


def test_corners_are_black_and_sides_belong_to_those_who_join_them() -> None:
    seen = bridges.encode(positions_of([Board(4, 3)]))[0]
    ring = np.full((5, 6), -1)
    ring[seen[0] == 1], ring[seen[1] == 1] = 0, 1
    assert ring.tolist() == [[0] * 6, *([[1, -1, -1, -1, -1, 1]] * 3), [0] * 6]


@pytest.mark.parametrize("size", [(3, 5), (7, 7)])
def test_turned_by_half_a_circle_the_planes_turn(size: tuple[int, int]) -> None:
    positions = with_last_moves(random_positions(*size, count=50))
    assert np.array_equal(bridges.encode(rotated(positions)), bridges.encode(positions)[:, :, ::-1, ::-1])


def test_mirrored_with_colours_exchanged_the_board_shows_the_same_but_for_the_corners() -> None:
    positions = with_last_moves(random_positions(6, 6, count=50))
    inside = np.s_[:, :, 2:-2, 2:-2]  # the corners' colour is seen from the cells next to the ring
    one, other = bridges.encode(positions)[inside], bridges.encode(mirrored(positions))[inside].swapaxes(2, 3)
    assert np.array_equal(one[:, [1, 0]], other[:, [0, 1]])
    assert np.array_equal(one[:, [5, 4]], other[:, [4, 5]])
    assert np.array_equal(one[:, 3], 1 - other[:, 3])
    assert np.array_equal(one[:, 6:], other[:, 6:])


@pytest.mark.parametrize("size", SIZES)
def test_games_show_the_planes_of_their_positions(size: tuple[int, int]) -> None:
    random = np.random.default_rng(1)
    games = _core.PolicyGames(*size, 4)
    boards = [Board(*size) for _ in range(4)]
    rows = np.arange(4, dtype=np.int32)
    while len(rows):
        positions = positions_of([boards[row] for row in rows])
        assert np.array_equal(games.planes(rows), bridges.encode(positions))
        packed = games.pack(rows)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(packed, positions[2:], strict=True))
        cells = np.array([random.choice(boards[row].legal_moves) for row in rows], np.int32)
        over = games.play(rows, cells)
        for row, cell in zip(rows, cells, strict=True):
            boards[row].push(int(cell))
        assert over.tolist() == [boards[row].is_over() for row in rows]
        rows = rows[~over]
    winners = [board.winner for board in boards]
    assert games.winner(np.arange(4, dtype=np.int32)).tolist() == [int(w) for w in winners if w is not None]


def test_games_are_set_copied_and_begun_again() -> None:
    positions = with_last_moves(random_positions(3, 5, 6))
    games, more = _core.PolicyGames(3, 5, 8), _core.PolicyGames(3, 5, 4)
    rows = np.array([7, 0, 2, 3, 5, 6], np.int32)
    games.set(rows, positions.stones, positions.white_to_move, positions.last)
    assert np.array_equal(games.planes(rows), bridges.encode(positions))
    two = np.array([2, 2], np.int32)
    more.copy(two, np.array([1, 3], np.int32), games)
    assert np.array_equal(more.planes(np.array([1, 3], np.int32)), bridges.encode(take(positions, np.array([2, 2]))))
    empty = bridges.encode(positions_of([Board(3, 5)]))
    assert np.array_equal(more.planes(np.array([0], np.int32)), empty)
    games.reset(np.array([7], np.int32))
    assert np.array_equal(games.planes(np.array([7], np.int32)), empty)
    assert np.array_equal(games.planes(rows[1:]), bridges.encode(positions)[1:])
    games.reset()
    assert np.array_equal(games.planes(rows), np.repeat(empty, 6, 0))


def test_planes_are_written_where_the_caller_wants_them() -> None:
    games = _core.PolicyGames(4, 4, 3)
    rows = np.arange(3, dtype=np.int32)
    out, free = np.full((3, 12, 6, 6), 7, np.uint8), np.zeros((3, 16), np.bool_)
    assert np.shares_memory(games.planes(rows, out), out)
    assert np.array_equal(out, games.planes(rows))
    assert games.empty(rows, free).all()
    assert free.all()
    with pytest.raises(ValueError, match="out has 1296 elements, expected 864"):
        games.planes(rows[:2], out)
    with pytest.raises(TypeError):
        games.planes(rows, np.asfortranarray(out))


def test_what_cannot_be_is_refused_and_nothing_is_changed() -> None:
    games = _core.PolicyGames(3, 3, 2)
    rows = np.array([0, 1], np.int32)
    games.play(rows, np.array([4, 4], np.int32))
    before = games.planes(rows)
    stones, white, last = games.pack(rows)
    for call, why in (
        (lambda: games.play(rows, np.array([0, 4], np.int32)), "cell 4 is not an empty cell of game 1"),
        (lambda: games.play(rows[[0, 0]], np.array([0, 1], np.int32)), "game 0 is named twice"),
        (lambda: games.planes(np.array([2], np.int32)), "game 2 is not one of 2"),
        (lambda: games.set(rows, stones[[0, 0]], white, last), "stones on each other"),
        (lambda: games.set(rows, stones, white, np.array([0, 9], np.int32)), "last move, 9, off the board"),
        (lambda: games.set(rows, stones, white[:1], last), "white_to_move has 1 elements, expected 2"),
        (lambda: _core.bridge_planes(stones, white, np.array([-2, 0], np.int32), 3, 3), "last move, -2"),
        (lambda: _core.PolicyGames(20, 3, 1), "20x3"),
    ):
        with pytest.raises(ValueError, match=why):
            call()  # type: ignore[no-untyped-call]
    assert np.array_equal(games.planes(rows), before)
