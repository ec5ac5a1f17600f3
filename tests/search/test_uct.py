"""Search with playouts: what patterns are, what was learned of them, the tree, proofs, limits."""

import itertools
import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from fingal import _core
from fingal.game import Board
from fingal.nets.planes import positions_of
from fingal.search import patterns
from fingal.search.policy import uniform
from fingal.search.uct import Search, Settings
from fingal.solve import tables
from fingal.solve.dfpn import Solver
from tests.search.golden import board_of, text
from tests.search.test_tree import wins

PLACES = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (1, 1), (2, -1), (1, -2), (-1, -1), (-2, 1), (-1, 2)]


def searched(board: Board, simulations: int, settings: Settings | None = None, seed: int = 1) -> Search:
    search = Search(settings, seed)
    search.set_position(board)
    search.finish(simulations)
    return search


def slow_pattern(board: Board, cell: int) -> int:
    """The pattern around a cell, for Black, as the definition says it."""
    row, column = divmod(cell, board.width)
    number = 0
    for place, (down, right) in enumerate(PLACES):
        r, c = row + down, column + right
        off_rows, off_columns = not 0 <= r < board.height, not 0 <= c < board.width
        if off_rows and off_columns:
            state = 0
        elif off_rows or off_columns:
            state = 1 if off_rows else 2
        else:
            colour = board.colour_at(r * board.width + c)
            state = 0 if colour is None else 1 + int(colour)
        number += state * 3**place
    return number


def slow_reply(board: Board, cell: int, last: int) -> int:
    """Where the last move stands, and the six cells that touch; -1 when it stands elsewhere."""
    row, column = divmod(cell, board.width)
    for place, (down, right) in enumerate(PLACES):
        if (row + down, column + right) == divmod(last, board.width):
            return place * 3**6 + slow_pattern(board, cell) % 3**6
    return -1


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_features(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    boards = []
    for count in range(0, size[0] * size[1] - 1, 1 + size[0] * size[1] // 12):
        board = Board(*size)
        for cell in rng.permutation(board.cells)[:count]:
            if not board.is_over():
                board.push(int(cell))
        if not board.is_over():
            boards.append(board)
    for board in boards:
        found = positions_of([board])
        pattern, reply, energy = _core.pattern_features(found.stones, found.white_to_move, found.last, *size)
        # White's view is Black's of the board mirrored, colours exchanged.
        seen = board if board.turn == 0 else board.mirrored()
        there = {
            cell: cell if seen is board else cell % size[0] * size[1] + cell // size[0] for cell in range(board.cells)
        }
        for cell in range(board.cells):
            if cell not in board.empty_cells:
                assert (pattern[0, cell], reply[0, cell], energy[0, cell]) == (-1, -1, -1)
                continue
            assert pattern[0, cell] == slow_pattern(seen, there[cell])
            expected = slow_reply(seen, there[cell], there[board.moves[-1]]) if board.ply else -1
            assert reply[0, cell] == expected
            assert 0 <= energy[0, cell] < 144


def test_features_of_nonsense() -> None:
    stones, white = np.zeros((2, 1, 1), np.uint64), np.zeros(1, np.bool_)
    with pytest.raises(ValueError, match="position 0 has its last move off the board"):
        _core.pattern_features(stones, white, np.array([9], np.int32), 3, 3)
    with pytest.raises(ValueError, match="stones has 2 elements, expected 4"):
        _core.pattern_features(stones, white, np.array([0], np.int32), 10, 10)


def test_patterns_turned() -> None:
    assert patterns.rotated(np.array([1, 2 * 3**8])).tolist() == [27, 2 * 3**11]
    every = np.arange(3**12)
    assert (patterns.rotated(patterns.rotated(every)) == every).all()
    assert patterns.rotated(np.array([3**5]), places=6).tolist() == [9]


def test_the_shipped_scores_are_small() -> None:
    assert patterns.FILE.stat().st_size < 300_000


def test_what_was_learned_saves_bridges() -> None:
    """Bridges of both colours, in the open and to the edge, with the last move in one of their two cells.

    By chance the other cell would be theirs in about half of the playouts.
    """
    cases = [
        (["e5", "a1", "f6", "f5"], "e6", 0),
        (["e5", "a1", "f6", "e6"], "f5", 0),
        (["a1", "e5", "a2", "f6", "f5"], "e6", 1),
        (["e2", "a9", "b9", "e1"], "f1", 0),
        (["a9", "b5", "i1", "c9", "a5"], "a6", 1),
    ]
    for moves, reply, owner in cases:
        board = board_of(*moves, width=9)
        black = _core.pattern_playouts(board, patterns.model(), 400, 1)[board.cell(reply)] / 400
        assert (black if owner == 0 else 1 - black) > 0.8, (moves, reply, black)


def test_playouts_of_nonsense() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        _core.pattern_playouts(board_of("a1", width=1), patterns.model(), 1)
    with pytest.raises(ValueError, match="a negative number of playouts"):
        _core.pattern_playouts(Board(3), patterns.model(), -1)


@pytest.mark.parametrize("settings", [Settings(), Settings(knowledge=0), Settings(knowledge=1, expand=3)], ids=str)
def test_the_same_seed_gives_the_same_tree(settings: Settings) -> None:
    board = board_of("c3", "e4", width=7, height=6)
    trees = [text(searched(board, 300, settings, seed=5), board) for _ in range(2)]
    assert trees[0] == trees[1]
    assert text(searched(board, 300, settings, seed=6), board) != trees[0]


def test_openings_of_3x3_without_connections() -> None:
    """Against enumeration: there is nothing but the rules, and it takes more simulations."""
    for opening in range(5):
        board = Board(3)
        board.push(opening)
        search = searched(board, 20_000, Settings(knowledge=0))
        assert search.analysis().proof == (1 if wins(board) else -1)
        if wins(board):
            board.push(search.best_move())
            assert board.is_over() or not wins(board)


@pytest.mark.parametrize(("size", "knowledge"), [(4, 1), (4, 20), (5, 20)])
def test_openings_against_the_tables(size: int, knowledge: int) -> None:
    known, solver = tables.openings(size, size), Solver(size)
    for opening in range((size * size + 1) // 2):
        board = Board(size)
        board.push(opening)
        search = searched(board, 20_000, Settings(knowledge=knowledge))
        found = search.analysis()
        assert found.value == found.proof == (-1 if known[opening] else 1)
        if found.proof == 1:
            turn = board.turn
            board.push(search.best_move())
            assert solver.solve(board).winner is turn


def test_the_solver_beside_it_ends_the_search() -> None:
    board = board_of("a1", width=6)
    search = Search(Settings(knowledge=0, solver=16))
    search.set_position(board)
    found = search.finish(seconds=60)
    assert found.proof == (-1 if tables.openings(6, 6)[0] else 1)
    assert found.seconds < 50
    board.push(search.best_move())
    search.set_position(board)  # and goes on from there
    assert search.finish(seconds=60).proof == -found.proof


def test_limits() -> None:
    board = Board(9)
    assert searched(board, 37).analysis().visits == 38
    search = Search()
    search.set_position(board)
    assert search.finish(nodes=30).visits <= 40
    assert search.finish(nodes=10).visits <= 60
    begin = time.monotonic()
    before = search.analysis().visits
    assert search.finish(seconds=0.2).visits > before
    assert time.monotonic() - begin < 30
    for limit in ({"simulations": 0}, {"seconds": 0.0}, {"nodes": -1}):
        with pytest.raises(ValueError, match="is not possible: it must be more than 0"):
            search.finish(**limit)  # type: ignore[arg-type]


def test_interrupts() -> None:
    search = Search()
    search.set_position(Board(9))
    threading.Timer(0.2, search.interrupt).start()
    search.finish(seconds=100)
    search.interrupt()
    before = search.analysis().visits
    assert search.finish(100).visits <= before + 1
    assert search.finish(100).visits >= before + 100


@pytest.mark.parametrize("limit", [{"simulations": 1}, {"seconds": 1e-9}], ids=str)
def test_what_is_proven_once_is_won_with_next_to_no_search(limit: dict[str, float]) -> None:
    """Connections say so at once, where the search before has proven it: no position needs its usual visits."""
    rng, proven = random.Random(1), 0
    for game in range(400):
        board, search = Board(6), Search(seed=game)
        for cell in rng.sample(range(36), rng.randrange(12)):
            board.push(cell)
        turn, is_proven = board.turn, False
        while not board.is_over():
            if board.turn is turn:
                search.set_position(board)
                found = search.finish(**limit) if is_proven else search.finish(100)  # type: ignore[arg-type]
                is_proven = found.proof == 1 or is_proven
                board.push(search.best_move())
            else:
                board.push(rng.choice(board.empty_cells))
        proven += is_proven
        assert board.winner is turn or not is_proven
    assert proven > 300


def test_questions_that_were_cut_short_elsewhere_are_forgotten() -> None:
    """In this position of 6x6 semi connections win, but none of their cells is seen to."""
    rng, search, board = random.Random(1), Search(), Board(6)
    for cell in (35, 11, 24, 26):
        board.push(cell)
    for _ in range(60):
        elsewhere = Board(6)
        for cell in rng.sample(range(36), rng.randrange(2, 8)):
            elsewhere.push(cell)
        search.set_position(elsewhere)
        search.finish(seconds=rng.uniform(0.003, 0.03))
        search.set_position(board)
        assert search.finish(60, seconds=20).proof == 1


def test_a_proof_that_there_was_no_time_for_comes_back() -> None:
    rng, search, seen = random.Random(1), Search(), 0
    for game in range(3):
        board, proven = Board(13), False
        while not board.is_over():
            if int(board.turn) == game % 2:
                search.set_position(board)
                if proven:
                    search.finish(seconds=1e-9)  # too little for the connections of 13x13, mostly
                    after = board.copy()
                    after.push(search.best_move())
                    if not after.is_over():
                        after.push(rng.choice(after.empty_cells))
                    if not after.is_over():
                        search.set_position(after)
                        assert search.finish(1).proof == 1
                        seen += 1
                    break
                proven = search.finish(300).proof == 1
                board.push(search.best_move())
            else:
                board.push(rng.choice(board.empty_cells))
    assert seen == 3


def test_who_has_more_time_asks_again() -> None:
    """A position that connections decide is proven, though there was no time to look at them in the search before."""
    rng, decided = random.Random(3), 0
    for _ in range(25):
        board = Board(11)
        for cell in rng.sample(range(121), 40):
            board.push(cell)
        if board.is_over() or not searched(board, 100).analysis().proof:
            continue
        search = Search()
        search.set_position(board)
        search.finish(seconds=0.008)
        decided += 1
        assert search.finish(100).proof != 0
    assert decided > 10


def test_next_to_no_time_ends_with_a_net_too() -> None:
    search = Search(net=uniform)
    search.set_position(Board(9))
    assert search.finish(seconds=1e-9).visits == 1


def test_lost_moves_are_told_by_how_long_they_took_to_refute() -> None:
    rng, lost = random.Random(2), 0
    for _ in range(150):
        board = Board(5)
        for cell in rng.sample(range(25), rng.randrange(4, 12)):
            if not board.is_over():
                board.push(cell)
        if not board.is_over() and (found := searched(board, 150).analysis()).proof == -1:
            visits = [candidate.visits for candidate in found.candidates]
            lost += visits[0] > visits[-1]
            assert visits == sorted(visits, reverse=True)
    assert lost > 10


def test_the_tree_is_kept_from_move_to_move() -> None:
    search, board = Search(Settings(knowledge=10)), Board(7)
    for move in itertools.count():
        search.set_position(board)
        kept = search.analysis().visits
        if move > 0:
            assert kept > 1 or search.analysis().proof != 0
        search.finish(200)
        if board.is_over() or search.analysis().proof != 0:
            break
        board.push(search.best_move())
    search.set_position(Board(5))  # another size
    assert search.finish(20).visits >= 1
    search.clear()
    with pytest.raises(ValueError, match="the search has no position yet"):
        search.analysis()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"bias": -1.0}, "bias must be from 0 to 1000000, not -1.0"),
        ({"rave_final": 0.0}, "rave_final must be from 1e-06 to 1000000, not 0.0"),
        ({"expand": 0}, "expand must be from 1 to 2147483647, not 0"),
        ({"threads": 257}, "threads must be from 1 to 256, not 257"),
    ],
)
def test_settings_that_cannot_be(setting: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Settings(**setting)  # type: ignore[arg-type]


def test_learning(tmp_path: Path) -> None:
    """Games in which every move is the lowest empty cell that touches the last one, or else the lowest."""
    from fingal.learn import patterns as learner

    lines = []
    for start in range(25):
        board = board_of(Board(5).name(start), width=5)
        while not board.is_over():
            near = [cell for cell in board.neighbours(board.moves[-1]) if board.colour_at(cell) is None]
            board.push(min(near or board.empty_cells))
        lines.append("x 1 " + " ".join(board.name(move) for move in board.moves))
    games = tmp_path / "games.txt"
    games.write_text("\n".join(lines), encoding="utf-8")
    learner.main([f"5:1000:{games}", "-o", str(tmp_path / "out.npz")])
    with np.load(tmp_path / "out.npz") as file:
        scores = patterns.scores(file, "playout")
        assert isinstance(scores, _core.PatternScores)
        reply = file["playout_reply"].reshape(12, 729)
    touching, bridge = reply[:6, 0].astype(int), reply[6:, 0].astype(int)
    assert touching.max() > bridge.max()
