import random
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from fingal.game import Board, Colour
from fingal.solve.dfpn import Settings, Solver
from tests.solve.truth import OPENINGS, plain_winner, random_board, text

SMALL = Settings(memory=64)


@pytest.mark.parametrize("size", ["2x2", "3x3", "4x4", "5x5", "6x6"])
def test_every_opening_is_as_published(size: str) -> None:
    board = Board(*map(int, size.split("x")))
    found = Solver(board.width, board.height, SMALL).solve(board, find_all=True)
    assert {board.name(move) for move in found.winning} == set(OPENINGS[size])
    assert set(found.winning) | set(found.losing) == set(board.empty_cells)
    assert found.winner is Colour.BLACK


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 3), (4, 4), (3, 5), (5, 3), (2, 7)])
def test_winner_and_winning_moves_agree_with_trying_everything(width: int, height: int) -> None:
    rng = random.Random(f"{width}x{height}")
    solver = Solver(width, height, SMALL)
    cells = width * height
    for _ in range(60):
        board = random_board(width, height, rng.randint(cells // 4, cells - 1), rng)
        one, found = solver.solve(board), solver.solve(board, find_all=True)
        assert set(one.winning) <= set(found.winning)
        assert bool(one.winning) is bool(found.winning)
        truth = plain_winner(width, height, text(board), int(board.turn))
        assert found.winner == truth, text(board)
        for move in board.empty_cells:
            after = board.copy()
            after.push(move)
            wins = plain_winner(width, height, text(after), int(after.turn)) == board.turn
            assert (move in found.winning, move in found.losing) == (wins, not wins), (text(board), move)


def test_the_variation_keeps_the_win() -> None:
    solver = Solver(5, 5, SMALL)
    for opening in range(25):
        board = Board(5)
        board.push(opening)
        found = solver.solve(board)
        for move in found.variation:
            board.push(move)
            if not board.is_over():
                assert solver.solve(board).winner is found.winner


def test_threads_find_the_same() -> None:
    board = Board(6)
    found = Solver(6, 6, Settings(memory=64, threads=3)).solve(board, find_all=True)
    assert {board.name(move) for move in found.winning} == set(OPENINGS["6x6"])


def test_a_policy_orders_the_moves() -> None:
    board = Board(6)
    asked = []

    def from_the_last(stones: Sequence[Sequence[int]], to_move: int) -> list[float]:
        asked.append((stones, to_move))
        return [float(cell) for cell in range(36)]

    solver = Solver(6, 6, SMALL, from_the_last)
    first = solver.solve(board, nodes=1)
    assert asked == [([[0], [0]], 0)]
    assert list(first.open[:5]) == sorted(first.open[:5], reverse=True)
    found = solver.solve(board, find_all=True)
    assert {board.name(move) for move in found.winning} == set(OPENINGS["6x6"])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_policy_that_fails_ends_the_search(threads: int) -> None:
    def fails(stones: Sequence[Sequence[int]], to_move: int) -> list[float]:
        raise ArithmeticError("no idea")

    with pytest.raises(ArithmeticError, match="no idea"):
        Solver(6, 6, Settings(memory=8, threads=threads), fails).solve(Board(6))


def test_a_tiny_table_still_proves() -> None:
    board = Board(5)
    found = Solver(5, 5, Settings(memory=1)).solve(board, find_all=True)
    assert {board.name(move) for move in found.winning} == set(OPENINGS["5x5"])


def test_limits_end_the_search_and_it_goes_on_from_there() -> None:
    board = Board(6)
    board.push("a6")
    solver = Solver(6, 6, SMALL)
    first = solver.solve(board, nodes=20)
    assert first.winner is None
    assert first.progress.nodes == 20
    assert set(first.open) == set(board.empty_cells)
    assert first.progress.to_win > 0
    assert first.progress.to_lose > 0
    second = solver.solve(board)
    whole = Solver(6, 6, SMALL).solve(board)
    assert second.winner is whole.winner is Colour.BLACK
    assert second.progress.nodes < whole.progress.nodes


def test_a_large_board_says_how_far_it_got() -> None:
    board = Board(19)
    found = Solver(19, 19, SMALL).solve(board, nodes=3)
    assert found.winner is None
    assert found.progress.nodes == 3
    assert len(found.open) == 361


def test_an_interrupt_keeps_what_was_found() -> None:
    board = Board(9)
    solver = Solver(9, 9, SMALL)
    seen = []
    threading.Timer(0.3, solver.interrupt).start()
    found = solver.solve(board, progress=seen.append)
    assert found.winner is None
    assert found.progress.nodes > 0
    assert seen
    solver.take_back_interrupt()
    assert solver.solve(board, nodes=1).progress.nodes == 1


def test_a_table_can_be_saved_and_loaded(tmp_path: Path) -> None:
    board = Board(6)
    board.push("a6")
    solver = Solver(6, 6, SMALL)
    assert solver.solve(board).winner is Colour.BLACK
    solver.save(tmp_path / "6x6.table")
    other = Solver(6, 6, SMALL)
    other.load(tmp_path / "6x6.table")
    found = other.solve(board)
    assert found.winner is Colour.BLACK
    assert found.progress.nodes == 0


def test_bad_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table"
    solver = Solver(4, 4, SMALL)
    solver.solve(Board(4), find_all=True)
    solver.save(path)
    with pytest.raises(ValueError, match="its boards are 4x4, not 5x5"):
        Solver(5, 5, SMALL).load(path)
    data = bytearray(path.read_bytes())
    for damaged in (data[:-1], data[:30], bytearray(b"nothing of the sort"), data[:100] + b"\xff" + data[101:]):
        path.write_bytes(damaged)
        fresh = Solver(4, 4, SMALL)
        with pytest.raises(ValueError, match="cannot be taken"):
            fresh.load(path)
        assert fresh.solve(Board(4)).progress.nodes > 0
    with pytest.raises(ValueError, match="cannot be read"):
        solver.load(tmp_path / "missing")
    with pytest.raises(ValueError, match="cannot be written"):
        solver.save(tmp_path / "no folder" / "table")


def test_a_game_that_is_over_needs_no_search() -> None:
    board = Board(2)
    for move in ("a1", "b1", "a2"):
        board.push(move)
    found = Solver(2, 2, SMALL).solve(board, find_all=True)
    assert found.winner is Colour.BLACK
    assert found.progress.nodes == 0
    assert found.winning == found.losing == found.open == found.variation == ()


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="memory must be from 1 to 100000000, not 0"):
        Settings(memory=0)
    with pytest.raises(ValueError, match="threads must be from 1 to 256, not 0"):
        Settings(threads=0)
    with pytest.raises(ValueError, match="this solver is for 3x3 boards"):
        Solver(3, 3, SMALL).solve(Board(4))
    with pytest.raises(ValueError, match="nodes=0 is not possible"):
        Solver(3, 3, SMALL).solve(Board(3), nodes=0)
    with pytest.raises(ValueError, match=r"memory=50000000 is not possible: a table of [0-9]+ MB cannot be had"):
        Solver(3, 3, Settings(memory=50_000_000))
