"""Claimed connections of real games and edge templates, by search that knows only the rules."""

from fingal import _core
from fingal.analysis.connections import Connections, Limits
from fingal.game import Board, Colour
from tests.analysis.game_claims import attack, games

CLAIMS = 10_000
LARGEST = 21
"""Cells in a carrier: each more doubles the time of the search."""


def test_no_claim_of_real_games_can_be_broken() -> None:
    print()
    attacked, sizes = 0, dict.fromkeys(range(5, 10), 0)
    for seed in range(100):
        for size, moves in games():
            count = attack(size, moves, each=8, largest=LARGEST, seed=seed)
            attacked += count
            sizes[size] += count
        print(f"{attacked:,} claims attacked: {sizes}")
        if attacked >= CLAIMS:
            break
    assert attacked >= CLAIMS
    assert all(sizes.values())


def test_edge_templates_hold() -> None:
    """Each one at one place of a board that has no other room, with nothing outside its carrier to help."""
    for picture in _core.edge_templates():
        rows = [row.split() for row in picture.splitlines()]
        width, height = len(rows[0]), len(rows) + 1
        at = {(i + 1) * width + j: mark for i, row in enumerate(rows) for j, mark in enumerate(row)}
        board = Board(width, height)
        for cell, mark in at.items():
            if mark == "S":
                board.set_stone(cell, Colour.BLACK)
        end = next(cell for cell, mark in at.items() if mark == "O")
        carrier = sorted(cell for cell, mark in at.items() if mark == "*")
        view = Connections(board, Colour.BLACK, limits=Limits(templates=False))
        print(f"\n{picture}\n{len(carrier)} cells")
        assert view.holds(end, board.cells + 1, carrier, False)
        if len(carrier) > 25:
            continue  # takes too long
        assert not any(view.holds(end, board.cells + 1, [c for c in carrier if c != cell], False) for cell in carrier)
