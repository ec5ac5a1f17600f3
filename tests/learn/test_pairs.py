"""Positions and moves as a net sees them, against games replayed stone by stone and turned by hand."""

import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.learn.parts.game_lines import Game
from fingal.learn.parts.pairs import Pairs, choices, fingerprint
from fingal.nets import bridges, planes
from fingal.search.evaluator import Positions

CPU = torch.device("cpu")


def random_game(size: int, given: int, seed: int) -> Game:
    board, lots = Board(size), np.random.default_rng(seed)
    for cell in lots.permutation(size * size).tolist():
        if board.is_over():
            break
        board.push(cell)
    return Game(tuple(board.moves), given)


def positions(stones: dict[int, int], white: bool, last: int, size: int) -> Positions:
    """One position of stones, cell to 0 for Black or 1 for White."""
    grid = np.zeros((2, 1, size * size), np.uint8)
    for cell, colour in stones.items():
        grid[colour, 0, cell] = 1
    return Positions(size, size, planes.pack(grid), np.array([white]), np.array([last], np.int32))


@pytest.mark.parametrize("size", [2, 5, 11])
@pytest.mark.parametrize(("mirror", "turn"), [(False, False), (True, False), (False, True), (True, True)])
def test_every_way_to_see_a_pair(size: int, mirror: bool, turn: bool) -> None:
    games = [random_game(size, given, seed) for seed, given in enumerate((0, 1, 2))]
    pairs = Pairs(games, size, CPU, mirror, turn)
    expected = []
    for mirrored in (False, True) if mirror else (False,):
        for turned in (False, True) if turn else (False,):

            def moved(cell: int, mirrored: bool = mirrored, turned: bool = turned) -> int:
                row, column = divmod(cell, size)
                row, column = (column, row) if mirrored else (row, column)
                return (size - 1 - row) * size + size - 1 - column if turned else row * size + column

            seen = []
            for game in games:
                for ply in range(game.given, len(game.moves)):
                    before = [moved(cell) for cell in game.moves[:ply]]
                    stones = {cell: (at + mirrored) % 2 for at, cell in enumerate(before)}
                    white = (ply + mirrored) % 2 == 1
                    there = bridges.encode(positions(stones, white, before[-1] if before else -1, size))[0]
                    legal = [cell not in before for cell in range(size * size)]
                    seen.append((there, legal, moved(game.moves[ply])))
            expected.append(seen)
    assert pairs.ways == len(expected)
    found = pairs.at(torch.arange(len(pairs) * pairs.ways))
    number = {(cell, *there.ravel().tolist()) for seen in expected for there, _, cell in seen}
    got = {(int(cell), *seen.ravel().int().tolist()) for seen, cell in zip(found.planes, found.cell, strict=True)}
    assert got == number
    assert len(pairs) == sum(len(game.moves) - game.given for game in games)
    # As they are, in order.
    for at, (there, legal, cell) in enumerate(expected[0]):
        assert np.array_equal(found.planes[at].numpy(), there)
        assert found.legal[at].tolist() == legal
        assert int(found.cell[at]) == cell
        assert bool(found.legal[at, found.cell[at]])


def test_positions_are_packed_as_a_board_packs_them() -> None:
    game = random_game(11, 3, seed=5)
    found, cells = choices([game], 11)
    board = Board(11)
    for ply, cell in enumerate(game.moves):
        if ply >= 3:
            expected = planes.positions_of([board])
            assert np.array_equal(found.stones[:, ply - 3], expected.stones[:, 0])
            assert found.white_to_move[ply - 3] == expected.white_to_move[0]
            assert found.last[ply - 3] == expected.last[0]
            assert cells[ply - 3] == cell
        board.push(cell)


def test_a_fingerprint_tells_games_apart() -> None:
    game = random_game(5, 1, seed=1)
    assert fingerprint([game]) == fingerprint([Game(*game)])
    assert fingerprint([game]) != fingerprint([game._replace(given=2)])
    assert fingerprint([game]) != fingerprint([game, game])


def test_no_games_are_no_pairs() -> None:
    assert len(Pairs([], 5, CPU, True, True)) == 0
