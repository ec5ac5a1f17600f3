"""Every opening of boards to 7x8 is as published, and the shipped tables say the same."""

import pytest

from fingal.game import Board
from fingal.solve import tables
from fingal.solve.check import check
from fingal.solve.dfpn import Settings, Solver
from fingal.solve.proof import prove
from tests.solve.truth import OPENINGS


@pytest.mark.parametrize("size", ["6x6", "6x7", "7x7", "7x8"])
def test_every_opening_is_as_published(size: str) -> None:
    width, height = map(int, size.split("x"))
    solver = Solver(width, height, Settings(memory=4096, threads=2))
    wins = {cell: Board(width, height).name(cell) in OPENINGS[size] for cell in range(width * height)}
    for cell, truth in wins.items():
        board = Board(width, height)
        board.push(cell)
        found = solver.solve(board)
        print(f"{size} {board.name(cell)}: {found.progress.nodes:,} positions, {found.progress.seconds:.1f} s")
        assert (found.winner == 0) is truth
    assert tables.openings(width, height) == wins


@pytest.mark.parametrize("opening", ["a1", "d4", "c1"])
def test_proofs_of_7x7_are_accepted(opening: str) -> None:
    board = Board(7)
    board.push(opening)
    proof = prove(Solver(7, 7, Settings()), board)
    print(f"7x7 {opening}: {len(proof['nodes']):,} nodes")
    assert check(proof)[2] == (0 if opening in OPENINGS["7x7"] else 1)
