"""One game: who moves, how it ends, and what happens when a player fails."""

import random

import pytest

from fingal.arena.play import play_game, proven_winner
from fingal.game import BLACK, RESIGN, WHITE, Board, Colour, Record, Result, Special, formats
from fingal.players.player import Limit, is_careless
from fingal.players.spec import make
from fingal.solve.dfpn import Settings, Solver
from tests.serve.scripted import Answers, First


def moves(record: Record) -> list[str]:
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


@pytest.mark.parametrize("answer", [0, 99, -1, Special.PASS, Special.FORFEIT])
def test_an_illegal_move_loses(answer: int) -> None:
    record, failure = play_game([First(), Answers(answer)], Record(3, 3))
    assert moves(record) == ["B a1", "W forfeit"]
    assert record.result == Result(BLACK, "forfeit")
    assert failure == f"oracle answered {answer}, which is not a legal move"


def test_resignation() -> None:
    record, failure = play_game([First(), Answers(RESIGN)], Record(3, 3))
    assert moves(record) == ["B a1", "W resign"]
    assert record.result == Result(BLACK, "resign")
    assert failure == ""


def test_limits_reach_both_players() -> None:
    players = [First(), First()]
    play_game(players, Record(3, 3), Limit(simulations=7))
    assert [set(player.limits) for player in players] == [{Limit(simulations=7)}] * 2


def test_swap_is_played_where_the_opening_allows_it() -> None:
    record, _ = play_game([First(), First()], Record.of(["b1"], 3, swap=True))
    assert moves(record)[:3] == ["B b1", "W swap-pieces", "B a1"]


def test_a_game_begins_with_all_of_the_opening_and_leaves_it_alone() -> None:
    """Stones that were set up, and who is to move, count as much as moves do."""
    opening = formats.read("(;FF[4]GM[11]SZ[3]AB[b1]AB[b2]AW[a2]PL[W]RE[B+])")
    before = formats.write(opening)
    record, _ = play_game([First(), First()], opening)
    # White is to move and plays a1; Black's c1 joins nothing; White's c2 neither; Black's a3 joins b1, b2 and a3.
    assert moves(record) == ["W a1", "B c1", "W c2", "B a3"]
    assert record.result == Result(BLACK)
    assert record.players == {BLACK: "first", WHITE: "first"}
    assert formats.write(opening) == before


def test_who_moves_is_told_before_every_move() -> None:
    seen: list[tuple[Colour, int]] = []
    record, _ = play_game([First(), First()], Record(3, 3), watch=lambda board: seen.append((board.turn, board.ply)))
    assert seen == [(Colour(ply % 2), ply) for ply in range(len(record.moves))]


def test_a_proof_ends_the_game() -> None:
    """b2 on 3x3 is joined to both sides: Black needs no further move."""
    record, failure = play_game([First(), First()], Record.of(["b2"], 3), prove=proven_winner)
    assert moves(record) == ["B b2"]
    assert (record.result, failure) == (Result(BLACK), "")
    assert "proof" in record.end.comment


def test_a_careless_player_must_win_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same game: who plays the first empty cell does not answer threats to b2, and White joins its sides."""
    black = First()
    monkeypatch.setattr(black, "careless", True, raising=False)
    record, _ = play_game([black, First()], Record.of(["b2"], 3), prove=proven_winner)
    assert len(record.moves) > 1
    white = play_game([First(), black], Record.of(["b2"], 3), prove=proven_winner)[0]
    assert moves(white) == ["B b2"]  # who loses may be careless


def test_no_proof_counts_while_the_swap_is_open() -> None:
    """b2 wins for whoever has it, and White takes it; the empty board is Black's only where nobody may swap."""
    record, _ = play_game([First(), First()], Record.of(["b2"], 3, swap=True), prove=proven_winner)
    assert moves(record) == ["B b2", "W swap-pieces"]
    assert record.result == Result(WHITE)
    record, _ = play_game([First(), First()], Record(3, 3, swap=True), prove=proven_winner)
    assert moves(record)[:2] == ["B a1", "W swap-pieces"]
    record, _ = play_game([First(), First()], Record(3, 3), prove=proven_winner)
    assert (moves(record), record.result) == ([], Result(BLACK))


@pytest.mark.parametrize(
    ("text", "careless"),
    [
        ("random", True),
        ("shortest-path:seed=1", True),
        ("resistance:epsilon=0.1", True),
        ("uct:sims=9,temperature=0.5", True),
        ("net:ezo-7,temperature=1", True),
        ("net:ezo-7,temperature=0", False),
        ("resistance", False),
        ("uct:sims=9", False),
    ],
)
def test_who_is_careless(text: str, careless: bool) -> None:
    assert is_careless(make(text)) is careless


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (4, 4), (5, 4)])
def test_what_is_proven_is_true(width: int, height: int) -> None:
    """Against the solver, on positions of random games."""
    solver, rng = Solver(width, height, Settings(memory=16)), random.Random(1)
    proven = 0
    for _ in range(20):
        board = Board(width, height)
        while not board.is_over():
            if (winner := proven_winner(board)) is not None:
                assert solver.solve(board).winner is winner
                proven += 1
            board.push(rng.choice(board.legal_moves))
    assert proven > 0
