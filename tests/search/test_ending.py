"""The end of a game: the fewest moves and the longest defence, against trying everything."""

import random
from functools import cache

import pytest

from fingal.game import Board, Record
from fingal.players.player import Limit
from fingal.players.searching import SearchPlayer
from fingal.search.ending import fewest_moves, longest_defence
from fingal.search.tree import Settings
from tests.search.golden import central


@cache
def ending(board: Board) -> tuple[bool, int]:
    """Whether the side to move wins, and how many moves the winner needs, by trying everything: slow and obvious."""
    wins, loses = [], [0]
    for cell in board.empty_cells:
        after = board.copy()
        after.push(cell)
        if after.is_over():
            return True, 1
        won, moves = ending(after)
        (loses if won else wins).append(moves)
    return (True, 1 + min(wins)) if wins else (False, max(loses))


def positions(count: int, seed: int) -> list[Board]:
    rng, found = random.Random(seed), []
    while len(found) < count:
        width, height = rng.choice([(3, 3), (4, 3), (3, 4), (4, 4)])
        board = Board(width, height)
        stones = rng.randrange(1 if board.cells < 16 else 7, 2 + board.cells // 2)
        for cell in rng.sample(range(board.cells), stones):
            if not board.is_over():
                board.push(cell)
        if not board.is_over():
            found.append(board)
    return found


def test_fewest_moves_and_longest_defence_are_exact() -> None:
    seen = [0, 0]
    for board in positions(120, seed=2):
        won, moves = ending(board)
        after = {cell: board.copy() for cell in board.empty_cells}
        for cell, then in after.items():
            then.push(cell)
        seen[won] += 1
        if won:
            found = fewest_moves(board, 10**6)
            assert found is not None
            assert found[0] == moves
            then = after[found[1]]
            assert then.is_over() if moves == 1 else ending(then) == (False, moves - 1)
        else:
            assert fewest_moves(board, 10**6) is None
            longest = [cell for cell, then in after.items() if ending(then) == (True, moves)]
            assert sorted(longest_defence(board, 10**6)) == longest
    assert min(seen) > 20


def test_nodes_are_a_limit() -> None:
    assert fewest_moves(Board(11), nodes=100) is None
    assert len(longest_defence(Board(11), nodes=100)) > 100
    over = Board(1)
    over.push("a1")
    with pytest.raises(ValueError, match="the game is over"):
        fewest_moves(over)


@pytest.mark.parametrize("gumbel", [False, True])
def test_a_player_that_has_won_takes_no_move_more_than_it_needs(gumbel: bool) -> None:
    """And one that has lost holds out as long as it can."""
    for start in positions(25, seed=5):
        board = start.copy()
        record = Record(board.width, board.height)
        before = Board(board.width, board.height)
        for played in board.moves:
            record.push(before.turn, played)
            before.push(played)
        won, moves = ending(board)
        winner = board.turn if won else board.turn.other
        players = [
            SearchPlayer.with_net("one", central, Settings(gumbel=gumbel), Limit(simulations=20_000)) for _ in range(2)
        ]
        made = 0
        while not board.is_over():
            made += board.turn is winner
            move = players[int(board.turn)].choose(record)
            record.push(board.turn, move)
            board.push(move)
        assert board.winner is winner
        assert made == moves, str(start)


def test_an_interrupt_while_it_thinks_of_the_end_is_not_kept_for_the_next_move(monkeypatch: pytest.MonkeyPatch) -> None:
    player = SearchPlayer.with_net("one", central, Settings(), Limit(simulations=300))

    def interrupted(board: Board, nodes: int) -> tuple[int, int] | None:
        player.interrupt()
        return fewest_moves(board, nodes)

    monkeypatch.setattr("fingal.players.searching.ending.fewest_moves", interrupted)
    won = Record.of(["b1", "a2", "b2", "a3"], 3)
    assert won.name(player.choose(won)) == "b3"
    player.choose(Record.of(["c3"], 5))
    assert player.search.visits > 250
