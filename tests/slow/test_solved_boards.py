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


def test_a_proof_of_7x7_is_accepted() -> None:
    board = Board(7)
    board.push("a1")
    proof = prove(Solver(7, 7, Settings(templates=False)), board)
    print(f"7x7 a1: {len(proof['nodes']):,} nodes")
    assert check(proof)[2] == (0 if "a1" in OPENINGS["7x7"] else 1)
