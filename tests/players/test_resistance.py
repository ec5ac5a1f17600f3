"""The players that judge by resistance, by distance, and by both."""

import random

import pytest

from fingal.arena.match import Match
from fingal.arena.tournament import Plan, play
from fingal.game import BLACK, SWAP, Board, Record
from fingal.players import make
from fingal.players.player import Interruptible
from fingal.search.alphabeta import alphabeta
from fingal.testing import check_player
from tests.analysis.positions import random_positions


@pytest.mark.parametrize(
    "text",
    [
        "resistance",
        "resistance:depth=2,width=4",
        "resistance:connections=no",
        "shortest-path",
        "shortest-path:seed=1",
        "characteristics",
        "characteristics:depth=2,connections=no",
    ],
)
def test_contract(text: str) -> None:
    check_player(text, sizes=((1, 1), (2, 2), (3, 5), (7, 7), (19, 2)))


@pytest.mark.parametrize("text", ["resistance", "shortest-path:seed=1", "characteristics:connections=no"])
def test_wins_every_game_against_chance(text: str) -> None:
    games = list(play(Plan("match", (text, "random:seed=1"), 7, 7, games=10)))
    assert [game.failure for game in games if game.failure] == []
    assert Match((text, "random:seed=1"), games).summary()["win_rate"] == 1


def plain_value(board: Board, depth: int) -> int:
    """1 or -1 when the side to move wins or loses within so many moves, else 0: moves are tried until one wins."""
    if board.winner is not None:
        return 1 if board.winner is board.turn else -1
    if depth == 0:
        return 0
    most = -1
    for move in board.empty_cells:
        board.push(move)
        most = max(most, -plain_value(board, depth - 1))
        board.pop()
        if most == 1:
            break
    return most


@pytest.mark.parametrize("connections", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_it_proves_is_true(depth: int, connections: bool) -> None:
    proofs = set()
    for board in random_positions(4, 4, 60, seed=depth):
        if board.is_over() or len(board.empty_cells) > 9:
            continue
        found = alphabeta(board, depth, width=16, connections=connections)
        proofs.add(found.proof)
        if found.proof:
            assert plain_value(board, len(board.empty_cells)) == found.proof
            assert found.value == found.proof
        assert plain_value(board, min(2, depth)) in (0, found.proof)
        for move in found.line:
            board.push(move)
    assert proofs >= {-1, 1}
    assert connections or 0 in proofs


def test_a_won_game_is_won() -> None:
    """Black's c3 on 5x5 is joined to both edges: any defence loses, and Black sees it at every move."""
    rng = random.Random(1)
    for _ in range(5):
        board = Board(5)
        board.push("c3")
        while not board.is_over():
            found = alphabeta(board)
            assert found.proof == (1 if board.turn is BLACK else -1)
            move = found.line[0] if board.turn is BLACK else rng.choice(board.empty_cells)
            board.push(move)
        assert board.winner is BLACK


def test_a_threat_is_met() -> None:
    """Black threatens to join b3 with the bottom by a4 or b4, unless White takes both at once: White is lost."""
    board = Board(4)
    for move in ("b3", "d1", "b2", "d2", "b1"):
        board.push(move)
    assert alphabeta(board, 1).proof == -1
    assert board.name(alphabeta(board, 1).line[0]) in ("a4", "b4")


def test_an_interrupt_ends_the_choice_of_an_even_opening() -> None:
    player = make("resistance")
    assert isinstance(player, Interruptible)
    assert player.choose(Record(7, 7, swap=True)) != 0
    player.interrupt()
    assert player.choose(Record(7, 7, swap=True)) == 0  # the first cell, and no other


def test_swap() -> None:
    player = make("resistance")
    assert player.choose(Record.of(["d4"], 7, swap=True)) == SWAP
    assert player.choose(Record.of(["a1"], 7, swap=True)) != SWAP
    assert player.choose(Record(7, 7, swap=True)) not in (0, 24, 48)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("resistance:depth=0", "depth must be from 1 to 2147483647, not 0"),
        ("resistance:width=-1", "width must be from 1 to 2147483647, not -1"),
        ("resistance:deep=2", "resistance has no setting 'deep' (did you mean depth?)"),
        ("resistance:temperature=1", "resistance has no scores to draw from: temperature must be 0"),
    ],
)
def test_bad_settings(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="^" + sentence.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?")):
        make(text)


def test_bad_search() -> None:
    board = Board(1)
    with pytest.raises(ValueError, match="a depth of 0 is not possible: at least 1"):
        alphabeta(board, 0)
    board.push(0)
    with pytest.raises(ValueError, match="the game is over"):
        alphabeta(board)
