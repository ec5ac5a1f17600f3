"""The checker takes what is proved, refuses what is not, and is itself held against plain search."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from fingal.analysis.inferior import find_inferior
from fingal.game import Board
from fingal.solve.inferior_check import CORNER_LEMMAS, Refused, check_inferior, prove_corner_lemma
from tests.analysis.exhaustive import Exhaustive
from tests.analysis.inferior_claims import positions, stones


def check(board: Board, claims: list[dict[str, Any]]) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    return check_inferior(board.width, board.height, *stones(board), board.turn, claims)


@pytest.mark.parametrize(("width", "height", "fewest", "count"), [(4, 4, 0, 40), (6, 5, 5, 30), (9, 9, 10, 10)])
def test_what_the_core_claims_is_accepted(width: int, height: int, fewest: int, count: int) -> None:
    for board in islice(positions(width, height, fewest, seed=4), count):
        found = find_inferior(board)
        _, _, moves = check(board, [claim.as_dict() for claim in found.claims])
        assert moves == set(board.empty_cells).difference(*found.fill.values(), found.pruned)


def random_claims(board: Board, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Claims about anything, most of them false."""
    while True:
        size = rng.randrange(1, 4)
        start = rng.choice(board.empty_cells)
        near = [cell for cell in board.neighbours(start) if board.colour_at(cell) is None]
        region = [start, *rng.sample(near, min(size - 1, len(near)))]
        if rng.random() < 0.4:
            sides: list[list[int]] = [[], []]
            for cell in region:
                rng.choice(sides).append(cell)
            yield {"kind": "captured", "region": region, "black": sides[0], "white": sides[1]}
        elif len(region) > 1:
            cell, by = rng.sample(region, 2)
            kind = rng.choice(["vulnerable", "reversible", "dominated"])
            yield {"kind": kind, "cell": cell, "by": by, "region": region}


def test_what_is_accepted_is_true() -> None:
    search, rng = Exhaustive(4, 4), random.Random(5)
    accepted = 0
    for board in islice(positions(4, 4, 7, seed=5), 100):
        for claim in islice(random_claims(board, rng), 15):
            try:
                black, white, moves = check(board, [claim])
            except Refused:
                continue
            accepted += 1
            for to_move in (0, 1):
                assert search.winner(black, white, to_move) == search.winner(*stones(board), to_move), claim
            wins = search.winning_moves(*stones(board), board.turn)
            assert not wins or search.decided(black, white) or wins & moves, claim
    assert accepted > 100


def cells(board: Board, names: str) -> list[int]:
    return [board.cell(name) for name in names.split()]


def claim(board: Board, kind: str, text: str) -> dict[str, Any]:
    """'b2 by c2 in b2 c2' or 'black b1 c1 white a1 in a1 b1 c1' as a claim."""
    what, region = text.split(" in ")
    if kind in ("dead", "captured"):
        black, white = what.removeprefix("black").split("white")
        sides = {"black": cells(board, black), "white": cells(board, white)}
        return {"kind": kind, "region": cells(board, region), **sides}
    cell, by = cells(board, what.replace(" by ", " "))
    return {"kind": kind, "cell": cell, "by": by, "region": cells(board, region)}


def board_with(black: str = "", white: str = "") -> Board:
    board = Board(7)
    for colour, names in enumerate((black, white)):
        for name in names.split():
            board.set_stone(name, colour)  # type: ignore[arg-type]
    return board


def test_a_second_row_stone_owns_the_cells_below() -> None:
    board = board_with(black="d2")
    black, _, _ = check(board, [claim(board, "captured", "black d1 e1 white in d1 e1")])
    assert set(cells(board, "d1 e1 d2")) == black
    with pytest.raises(Refused, match="not worth the same"):
        check(board, [claim(board, "captured", "black white d1 e1 in d1 e1")])


def test_claims_of_another_position_are_refused() -> None:
    board = board_with(black="d3")
    with pytest.raises(Refused, match=r"claim 0 \(captured\) is not proved"):
        check(board, [claim(board, "captured", "black d1 e1 white in d1 e1")])
    with pytest.raises(Refused, match="not empty"):
        check(board, [claim(board, "captured", "black d3 e3 white in d3 e3")])


def test_a_middle_cell_is_not_inferior() -> None:
    board = board_with()
    for kind in ("vulnerable", "reversible", "dominated"):
        with pytest.raises(Refused, match="claim 0"):
            check(board, [claim(board, kind, "d4 by d3 in d3 d4")])


def test_dominators_that_go_round_in_a_circle_are_refused() -> None:
    # Between stones of both colours c1 and d1 are as good as each other for Black.
    board = next(
        board
        for board in positions(4, 4, 5, seed=6)
        if any(c.kind == "dominated" and len(c.region) == 2 for c in find_inferior(board).claims)
    )
    one = next(c for c in find_inferior(board).claims if c.kind == "dominated" and len(c.region) == 2).as_dict()
    fills = [c.as_dict() for c in find_inferior(board, prune=False).claims]
    other = {**one, "cell": one["by"], "by": one["cell"]}
    check(board, [*fills, one])
    with pytest.raises(Refused):
        check(board, [*fills, one, other])


def test_symmetry_is_looked_at() -> None:
    board = Board(5)
    half = {"kind": "dominated", "cell": 0, "by": 24, "region": board.empty_cells}
    assert check(board, [half])[2] == set(range(1, 25))
    with pytest.raises(Refused):
        check(board, [{**half, "by": 23}])
    board.push("c2")
    with pytest.raises(Refused):
        check(board, [{**half, "region": board.empty_cells}])


def test_the_order_of_claims_matters() -> None:
    board = board_with(black="d2")
    fill = claim(board, "captured", "black d1 e1 white in d1 e1")
    prune = claim(board, "vulnerable", "a1 by a2 in a1 a2")
    check(board, [fill, prune])
    with pytest.raises(Refused, match="fill-ins come first"):
        check(board, [prune, fill])
    with pytest.raises(Refused, match="pruned already"):
        check(board, [fill, prune, prune])


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"kind": "captured", "region": [0]},
        {"kind": "captured", "region": [], "black": [], "white": []},
        {"kind": "captured", "region": [0, 0], "black": [0], "white": []},
        {"kind": "captured", "region": [0], "black": [0], "white": [0]},
        {"kind": "captured", "region": [0], "black": [1], "white": []},
        {"kind": "captured", "region": [99], "black": [99], "white": []},
        {"kind": "captured", "region": ["a1"], "black": ["a1"], "white": []},
        {"kind": "captured", "region": list(range(12)), "black": list(range(12)), "white": []},
        {"kind": "vulnerable", "cell": 0, "by": 0, "region": [0]},
        {"kind": "vulnerable", "cell": 0, "by": 1, "region": [0]},
        {"kind": "vulnerable", "cell": None, "by": None, "region": [0, 1]},
        {"kind": "wrong", "cell": 0, "by": 1, "region": [0, 1]},
        {"kind": "dominated", "cell": [0], "by": 1, "region": 3},
    ],
)
def test_nonsense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="claim 0"):
        check(board_with(), [bad])


def test_impossible_positions_are_refused() -> None:
    with pytest.raises(Refused, match="on each other"):
        check_inferior(3, 3, {0, 1}, {1}, 0, [])


def test_the_smaller_corner_lemma_is_proved() -> None:
    assert prove_corner_lemma(*CORNER_LEMMAS[0])
    worse, better, region = CORNER_LEMMAS[0]
    assert not prove_corner_lemma(better, worse, region)
