"""Reviews: exact where everything can be tried, and what a person would say of hand-made games."""

import random

import pytest

from fingal.game import BLACK, Colour, Record
from fingal.serve.web.messages import Found
from fingal.serve.web.review import review
from tests.serve.web.exact import winner


def reviewed(record: Record, **how: str) -> Found:
    ids = [10 * number for number in range(len(record.main_line))]
    return review(record, ids, request=1, game="a-game-id", **how)  # type: ignore[arg-type]


def random_game(size: int, seed: int, *, swap: bool = False) -> Record:
    rng = random.Random(seed)
    record = Record(size, size, swap)
    while not (board := record.board()).is_over():
        record.push(board.turn, rng.choice(board.legal_moves if len(board.moves) > 1 else board.empty_cells))
    return record


@pytest.mark.parametrize("seed", range(6))
def test_losses_on_3x3_are_those_of_trying_everything(seed: int) -> None:
    record, known = random_game(3, seed), dict[tuple[int, ...], Colour]()
    line = record.main_line
    found = reviewed(record)
    assert [move.node for move in found.moves] == [10 * number for number in range(1, len(line))]
    for move, before, after in zip(found.moves, line, line[1:], strict=False):
        was, became = (winner(record.board(node), known) for node in (before, after))
        assert move.proven
        assert move.before == (1.0 if was is BLACK else -1.0)
        assert move.after == (1.0 if became is BLACK else -1.0)
        assert move.loss == (2.0 if was is after.colour and became is not after.colour else 0.0)
        if move.loss:
            better = record.until(before)
            better.push(better.board().turn, better.board().cell(move.best))
            assert winner(better.board(), known) is after.colour
        else:
            assert move.best == record.name(after.move or 0)


@pytest.mark.parametrize("seed", range(3))
def test_losses_late_on_5x5_are_those_of_trying_everything(seed: int) -> None:
    record, known = random_game(5, seed), dict[tuple[int, ...], Colour]()
    found = {move.node: move for move in reviewed(record).moves}
    for number, node in enumerate(record.main_line):
        board = record.board(node)
        if node.parent is not None and len(board.empty_cells) <= 11:
            was, became = winner(record.board(node.parent), known), winner(board, known)
            lost = 2.0 if was is node.colour and became is not node.colour else 0.0
            assert (found[10 * number].loss, found[10 * number].proven) == (lost, True)


def test_a_solved_5x5_game_loses_2_at_each_blunder() -> None:
    # a1 loses as an opening, by the published tables; then White has won, and gives it back by a corner of its own,
    # after which the middle wins for Black: two ways to each edge, from c3, past all that is on the board.
    record = Record.of(["a1", "e5", "c3"], 5)
    found = reviewed(record)
    assert [move.loss for move in found.moves] == [2.0, 2.0, 0.0]
    assert [(move.before, move.after) for move in found.moves] == [(1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
    assert found.mistakes == [10, 20]
    assert found.done
    assert found.share == 1.0
    assert found.swap is None


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested does not depend on how strong the search is."""
    monkeypatch.setattr("fingal.serve.web.review.MOST", 12)


@pytest.mark.usefixtures("_few")
def test_progress_is_told_and_grows() -> None:
    record = Record.of(["c2", "f6", "g5", "e7", "h3", "d8"], 11)
    told: list[Found] = []
    last = review(record, range(7), request=4, game="a-game-id", tell=told.append)
    assert [found.share for found in told] == sorted(found.share for found in told)
    assert not any(found.done for found in told)
    assert any(0 < len(found.moves) < 6 for found in told)
    assert len(last.moves) == 6
    assert all(0 <= move.loss <= 2 and -1 <= move.before <= 1 for move in last.moves)
    # What a position is worth is the same at the end of a move as at the beginning of the next one.
    assert [move.after for move in last.moves[:-1]] == [move.before for move in last.moves[1:]]


def test_a_cancelled_review_ends() -> None:
    record = Record.of(["c2", "f6", "g5", "e7"], 11)
    told: list[Found] = []
    review(record, range(5), request=4, game="a-game-id", tell=told.append, cancelled=lambda: True)
    assert told == []


@pytest.mark.parametrize(
    ("opening", "answer", "should", "said"),
    [
        ("c3", "swap-pieces", True, "On 5x5, c3 wins for Black: that is proved. White was right to swap."),
        ("c3", "a1", True, "On 5x5, c3 wins for Black: that is proved. White should have swapped."),
        ("a1", "c3", False, "On 5x5, a1 loses for Black: that is proved. White was right not to swap."),
        ("a1", "swap-pieces", False, "On 5x5, a1 loses for Black: that is proved. White should not have swapped."),
    ],
)
def test_the_swap_by_the_tables(opening: str, answer: str, should: bool, said: str) -> None:
    found = reviewed(Record.of([opening, answer], 5, swap=True))
    assert found.swap is not None
    assert (found.swap.opening, found.swap.should) == (opening, should)
    assert found.swap.did == (answer == "swap-pieces")
    assert found.swap.text == said
    right = should == (answer == "swap-pieces") or (opening, answer) == ("a1", "c3")
    assert found.moves[1].loss == (0.0 if right else 2.0)
    if opening == "c3" and not right:
        assert found.moves[1].best == "swap-pieces"


@pytest.mark.usefixtures("_few")
def test_the_swap_by_the_net_on_11x11() -> None:
    found = reviewed(Record.of(["f6", "a1"], 11, swap=True))
    assert found.swap is not None
    assert found.swap.should
    assert not found.swap.did
    assert "White should have swapped." in found.swap.text
    assert found.moves[1].best == "swap-pieces"
    assert found.moves[0].loss > 0.3  # the middle, where it may be swapped, is a bad first move
    edge = reviewed(Record.of(["a1"], 11, swap=True)).swap
    assert edge is not None
    assert "White should not swap." in edge.text


def test_to_resign_a_won_position_is_a_mistake() -> None:
    record = Record.of(["b2", "a1"], 3)
    record.push(BLACK, -4)
    found = reviewed(record)
    assert found.moves[-1].loss == 2.0
    assert found.mistakes[0] == 30
    assert found.moves[-1].after == -1.0


def test_setup_stones_and_rectangles() -> None:
    record = Record(4, 3)
    record.root.setup = {0: Colour.WHITE}
    for name in ("b2", "c1", "b1"):
        board = record.board()
        record.push(board.turn, board.cell(name))
    assert len(reviewed(record).moves) == 3


def test_a_player_that_does_not_search_cannot_review() -> None:
    with pytest.raises(ValueError, match="does not search"):
        reviewed(Record.of(["b2"], 3), player="shortest-path")
    assert reviewed(Record.of(["b2"], 6), player="uct:sims=100").done
