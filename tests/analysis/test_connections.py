"""Connections against plain search of their carriers, plain rules, and what people know."""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import pytest

from fingal.analysis.connections import Connection, Connections, Limits, Step, must_play, verdicts
from fingal.game import Board, Colour
from fingal.nets.planes import positions_of
from tests.analysis.exhaustive import Exhaustive
from tests.analysis.game_claims import attack, games
from tests.analysis.plain_connections import holds, is_sound
from tests.analysis.positions import SIZES, random_positions


def placed(size: int, black: str = "", white: str = "") -> Board:
    board = Board(size)
    for colour, cells in ((Colour.BLACK, black), (Colour.WHITE, white)):
        for cell in cells.split():
            board.set_stone(cell, colour)
    return board


def cells(board: Board, names: str) -> frozenset[int]:
    return frozenset(board.cell(name) for name in names.split())


def by_search(view: Connections, step: Step) -> bool:
    return view.holds(step.a, step.b, sorted(step.carrier), False)


def claims(view: Connections) -> Iterator[Connection]:
    yield from view.fulls()
    yield from view.semis()


def test_a_bridge_is_full_and_an_intrusion_leaves_a_semi_connection() -> None:
    board = placed(7, "c3 d4")
    view = Connections(board, Colour.BLACK)
    assert cells(board, "d3 c4") in view.full("c3", "d4")
    board.set_stone("d3", Colour.WHITE)
    assert cells(board, "c4") in Connections(board, Colour.BLACK).semi("c3", "d4")


def test_the_ziggurat() -> None:
    # The template of the third row: two cells beside the stone's row, three or four below, four or five at the edge.
    board = placed(9, "e7")
    template = cells(board, "d7 c8 d8 e8 b9 c9 d9 e9")
    assert template in Connections(board, Colour.BLACK).full("e7", "bottom")
    mirrored = Connections(board.mirrored(), Colour.WHITE)
    assert any(len(carrier) == len(template) for carrier in mirrored.full("g5", "right"))


def test_the_middle_of_3x3_wins() -> None:
    board = placed(3, "b2")
    assert Connections(board, Colour.BLACK).winning_carrier() == cells(board, "b1 c1 a3 b3")
    assert Connections(board, Colour.WHITE).winning_carrier() is None
    board.turn = Colour.WHITE
    assert must_play(board) is None


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_any_size(width: int, height: int) -> None:
    board = Board(width, height)
    for colour in Colour:
        view = Connections(board, colour)
        for connection in claims(view):
            assert connection.carrier <= set(board.empty_cells) - {connection.a, connection.b}


@pytest.mark.parametrize(("width", "height"), [(3, 3), (4, 4), (3, 5), (5, 4)])
def test_claims_hold_when_every_line_of_play_is_tried(width: int, height: int) -> None:
    tried = 0
    for board in random_positions(width, height, 12, seed=1):
        for colour in Colour:
            view = Connections(board, colour)
            for connection in claims(view):
                if 1 < len(connection.carrier) <= 8:
                    arguments = board, colour, connection.a, connection.b, connection.carrier
                    assert holds(*arguments, owner_first=connection.semi), (board.moves, connection)
                    tried += 1
    assert tried > 100


def test_the_core_search_of_carriers_agrees_with_a_plain_one() -> None:
    rng, broken = random.Random(5), 0
    for board in random_positions(4, 4, 40, seed=2):
        for colour in Colour:
            view = Connections(board, colour)
            for connection in claims(view):
                # Without one of its cells a claim may hold or not.
                carrier = connection.carrier
                if not 2 <= len(carrier) <= 7:
                    continue
                less = carrier - {rng.choice(sorted(carrier))}
                plain = holds(board, colour, connection.a, connection.b, less, owner_first=connection.semi)
                assert view.holds(connection.a, connection.b, sorted(less), connection.semi) is plain
                broken += not plain
    assert broken > 100


def test_what_is_recognised_as_won_is_won_and_moves_outside_must_play_lose() -> None:
    search, decided = Exhaustive(4, 4), 0

    def mover_wins(board: Board) -> bool:
        own, other = (
            sum(1 << cell for cell in range(16) if board.colour_at(cell) is colour)
            for colour in (board.turn, board.turn.other)
        )
        return search.mover_wins(own, other, int(board.turn))

    for board in random_positions(4, 4, 60, seed=3):
        if board.is_over():
            continue
        cells_left = must_play(board)
        if cells_left is None:
            assert not mover_wins(board)
            decided += 1
            continue
        for cell in set(board.empty_cells) - cells_left:
            after = board.copy()
            after.push(cell)
            assert not after.is_over()
            assert mover_wins(after)
            decided += 1
    assert decided > 50


def test_claims_hold_after_stones_are_added_and_undo_restores_all() -> None:
    rng = random.Random(7)
    for _ in range(6):
        board = Board(6, 5)
        views = [Connections(board, colour) for colour in Colour]
        before = [list(claims(view)) for view in views]
        added = rng.sample(range(board.cells), 8)
        for cell in added:
            mover = board.turn
            if board.is_over():
                break
            board.push(cell)
            for colour, view in zip(Colour, views, strict=True):
                view.add([cell] if colour is mover else [], [] if colour is mover else [cell])
                for connection in claims(view):
                    if 1 < len(connection.carrier) <= 6:
                        arguments = board, colour, connection.a, connection.b, connection.carrier
                        assert holds(*arguments, owner_first=connection.semi)
        for _ in range(board.ply):
            for view in views:
                view.undo()
        assert [list(claims(view)) for view in views] == before


def test_every_derivation_follows_by_plain_rules() -> None:
    checked = 0
    for board in random_positions(5, 6, 8, seed=4):
        if board.is_over():
            continue
        for colour in Colour:
            view = Connections(board, colour, record=True)
            free = board.empty_cells
            if len(free) > 2:
                # Derivations are said in terms of the stones that are there now.
                view.add([free[0]], [free[-1]])
                board = board.copy()
                board.set_stone(free[0], colour)
                board.set_stone(free[-1], colour.other)
            for connection in claims(view):
                steps = view.derivation(connection)
                assert {steps[-1].a, steps[-1].b} == {connection.a, connection.b}
                assert steps[-1].carrier <= connection.carrier
                template_holds = partial(by_search, view)
                assert is_sound(view, board, steps, template_holds), (board.moves, connection, steps)
                checked += 1
            board = board.copy()
            if len(free) > 2:
                board.set_stone(free[0], None)
                board.set_stone(free[-1], None)
    assert checked > 500


def test_a_derivation_with_a_cell_less_is_refused() -> None:
    board = placed(5, "b2 c3")
    view = Connections(board, Colour.BLACK, record=True)
    wanted = next(c for c in view.fulls() if c.carrier == cells(board, "c2 b3") and {c.a, c.b} == {6, 12})
    steps = view.derivation(wanted)
    assert is_sound(view, board, steps, lambda step: False)
    last = steps[-1]
    less = Step(last.rule, last.a, last.b, last.carrier - {7}, last.middle, last.parents, last.captured)
    assert not is_sound(view, board, [*steps[:-1], less], lambda step: False)


def test_no_claim_of_a_few_real_games_can_be_broken() -> None:
    some = list(games())[::9]
    assert sum(attack(size, moves, each=4, largest=14, seed=1) for size, moves in some) > 200


def test_limits() -> None:
    board = Board(7)
    few = Connections(board, Colour.BLACK, limits=Limits(fulls=1, semis=2))
    assert max(len(few.full(a, b)) for a in range(10) for b in range(10, 40)) == 1
    assert max(len(few.semi(a, b)) for a in range(10) for b in range(10, 40)) <= 2
    with pytest.raises(ValueError, match="from 1 to 10000 connections"):
        Connections(board, Colour.BLACK, limits=Limits(fulls=0))


def test_no_full_connection_of_a_pair_needs_all_that_another_does() -> None:
    by_pair = defaultdict[tuple[int, int], list[frozenset[int]]](list)
    for found in Connections(placed(8, "d4", "e5"), Colour.BLACK).fulls():
        by_pair[found.a, found.b].append(found.carrier)
    several = [carriers for carriers in by_pair.values() if len(carriers) > 1]
    assert len(several) > 20
    assert not any(one < other for carriers in several for one in carriers for other in carriers)
    # Also those are there that need all that the others have in common.
    assert any(frozenset.intersection(*set(carriers) - {one}) <= one for carriers in several for one in carriers)


def test_wide_semi_connections_are_kept_only_where_a_stone_or_an_edge_is_an_end() -> None:
    board = placed(9, "e5", "d3")
    view = Connections(board, Colour.BLACK)
    sizes = {True: 0, False: 0}
    for found in view.semis():
        between_cells = not {found.a, found.b} & {board.cell("e5"), 81, 82}
        sizes[between_cells] = max(sizes[between_cells], len(found.carrier))
    assert sizes[True] == 20
    assert sizes[False] > 20


def test_bad_input() -> None:
    board = placed(5, "b2", "c3")
    view = Connections(board, Colour.BLACK)
    for bad, message in zip(
        (27, -1, "c3"), ("the edges 25 and 26", "cells are 0 to 24", "the opponent's"), strict=True
    ):
        with pytest.raises(ValueError, match=message):
            view.full(bad, "top")
    with pytest.raises(ValueError, match="left"):
        view.full("b2", "left")
    with pytest.raises(ValueError, match="b2 is not empty"):
        view.add([6], [])
    with pytest.raises(ValueError, match="a1 is not empty"):
        view.add([0], [0])
    with pytest.raises(ValueError, match="off the board"):
        view.add([25], [])
    with pytest.raises(IndexError, match="nothing to take back"):
        view.undo()
    with pytest.raises(ValueError, match="c3 is not empty"):
        Connections(board, Colour.BLACK, filled=([12], []))
    with pytest.raises(ValueError, match="does not fit"):
        view.build(Board(6))
    with pytest.raises(ValueError, match="too large to search"):
        Connections(Board(9), Colour.BLACK).holds(81, 82, list(range(81)), False)


def test_filled_cells_count_as_stones() -> None:
    board = Board(3)
    assert Connections(board, Colour.BLACK, filled=([4], [])).won


def test_many_positions_are_judged_at_once() -> None:
    # On 3x3 Black wins after b2, and on the empty board with a move that is named.
    boards = [Board(3), Board(3), Board(3)]
    boards[1].push("b2")
    here, after = positions_of(boards[:2]), boards[2]
    said = verdicts(here.stones, here.white_to_move, 3, 3, threads=2)
    assert said.proof.tolist() == [1, -1]
    assert said.moves[0].all()
    after.push(int(said.winning[0]))
    there = positions_of([after])
    assert verdicts(there.stones, there.white_to_move, 3, 3).proof.tolist() == [-1]
