"""Exams: players whose marks are known beforehand, and those that fail."""

import random

import pytest

from fingal.arena.exam import games
from fingal.arena.exam.enumeration import enumeration
from fingal.arena.exam.marks import Marks
from fingal.arena.exam.oracle import Listed
from fingal.arena.exam.questions import shipped
from fingal.arena.exam.sitting import Sitting
from fingal.game import BLACK, RESIGN, WHITE, Record
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError
from tests.arena.exam.plain import Plain
from tests.serve.scripted import Answers, First


class Perfect(First):
    """Plays the first winning move, or the first of all."""

    value: float | None = None

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        board = record.board()
        self.value = 1.0 if Listed(enumeration(3, 3)).wins(board) else -1.0
        return [*Listed(enumeration(3, 3)).winning(board), *board.empty_cells][0]


class Tires(Perfect):
    """Is perfect, but fails at every second question."""

    asked = 0

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        Tires.asked += 1
        if Tires.asked % 2 == 0:
            raise PlayerError("out of ideas")
        return super().choose(record, limit)


def sit(player: Player | str, size: int = 3, **settings: int) -> Marks:
    if isinstance(player, str):
        return Sitting(player, size, **settings).sit()
    return Sitting("x", size, make=lambda text: player, **settings).sit()


def truth_of_random(n: int) -> float:
    """The mean share of moves that keep the win, over all reachable won positions, in plain Python."""
    plain = Plain(n)
    shares = []
    for own, other, axis in plain.reachable():
        winning = plain.winning(own, other, axis)
        if winning:
            shares.append(len(winning) / (n * n - len(own) - len(other)))
    return sum(shares) / len(shares)


def test_random_moves_on_three_by_three() -> None:
    marks = sit("random:seed=1")
    assert marks.keeps_win().value == pytest.approx(truth_of_random(3), abs=1e-12)
    assert marks.keeps_win().count == 3401
    assert marks.lost == 1119
    assert sum(share.count for _, share in marks.groups) == 3401
    low, high = marks.as_dict()["intervals"]["keeps_win"]
    assert low == high


def test_random_moves_on_four_by_four() -> None:
    """The figure is that of tests/slow/test_exam.py, found there in plain Python."""
    said = sit("random:seed=1", 4).as_dict()
    assert said["keeps_win"] == pytest.approx(0.4931641488084, abs=1e-12)
    assert said["counts"]["won"] == 5_896_679
    # A sample is near it.
    drawn = sit("random:seed=1", 4, positions=400).as_dict()
    low, high = drawn["intervals"]["keeps_win"]
    assert low < 0.4931641488084 < high
    assert drawn["positions"] == "400 drawn from all 8,188,705"


def test_a_perfect_player_is_perfect() -> None:
    marks = sit(Perfect())
    assert marks.keeps_win().value == marks.converts.value == 1
    said = marks.as_dict()
    assert said["brier"] == 0
    assert said["counts"] | {"own_won": 0, "own_lost": 0} == {
        "won": 3401,
        "lost": 1119,
        "valued": 4520,
        "games": 54,
        "own_won": 0,
        "own_lost": 0,
        "own_unsolved": 0,
    }
    assert said["by_source"]["own"]["share"] == 1
    assert said["counts"]["own_won"] + said["counts"]["own_lost"] == 54 + 30


def test_the_solver_on_five_by_five() -> None:
    said = sit("solver", 5).as_dict()
    assert said["keeps_win"] == said["converts"] == said["by_source"]["own"]["share"] == 1
    assert said["brier"] == 0
    assert said["finished"]


def test_a_known_rate_of_random_moves_is_found() -> None:
    """A random move keeps the win with probability k/n: the true rate is the mean of 1 - ε + ε k/n."""
    rates = [
        0.9 + 0.1 * len(question.winning) / (25 - len(question.moves)) for question in shipped(5) if question.winning
    ]
    low, high = sit("solver:epsilon=0.1,seed=1", 5).as_dict()["intervals"]["keeps_win"]
    assert low < sum(rates) / len(rates) < high
    assert high < 1


def test_a_failure_counts_as_wrong_and_the_player_is_made_anew() -> None:
    made: list[Tires] = []

    def make(text: str) -> Player:
        made.append(Tires())
        return made[-1]

    marks = Sitting("x", 3, positions=40, make=make).sit()
    won = [answer for answer in marks.answers if answer.keeping]
    assert marks.keeps_win().value == sum(answer.score for answer in won) / len(won)
    assert {answer.score for answer in won} == {0, 1}
    assert set(marks.failures) == {"out of ideas"}
    assert len(made) == 1 + len(marks.failures) > 20


def test_a_player_that_does_not_start_again_is_wrong_from_there_on() -> None:
    made: list[Tires] = []

    def make(text: str) -> Player:
        if len(made) == 3:
            raise PlayerError("no licence")
        made.append(Tires())
        return made[-1]

    Tires.asked = 0
    marks = Sitting("x", 3, positions=40, make=make).sit()
    assert marks.finished
    won = [answer.score for answer in marks.answers if answer.keeping]
    assert sum(won) == 3
    assert set(won[6:]) == {0}
    assert set(marks.failures[3:]) == {"no licence"}
    assert marks.converts.value == 0


def test_who_fails_at_the_first_question_is_not_asked_on() -> None:
    with pytest.raises(PlayerError, match="out of ideas"):
        sit(Answers(PlayerError("out of ideas")))


def test_no_player_is_asked_about_lost_positions_for_nothing() -> None:
    marks = sit(First())
    assert marks.lost == 1119
    assert marks.as_dict()["brier"] is None


def test_a_won_opening_that_is_let_go_ends_there() -> None:
    listed = Listed(enumeration(3, 3))
    game = games.convert(First(), 5, 3, listed, random.Random(1), NO_LIMIT)
    assert game.side is BLACK
    assert not game.won
    assert not game.record.board().is_over()
    resigned = games.convert(Resigns(), 5, 3, listed, random.Random(1), NO_LIMIT)
    assert not resigned.won
    assert [move for _, move in resigned.turns] == [RESIGN]
    # a1 is lost for Black on 3x3: the player has White there.
    assert games.convert(Perfect(), 0, 3, listed, random.Random(1), NO_LIMIT).side is WHITE


class Resigns(First):
    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        return RESIGN


def test_an_interrupted_exam_keeps_what_it_has() -> None:
    def stop(what: str, done: int, total: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    sitting = Sitting("solver", 5)
    with pytest.raises(KeyboardInterrupt):
        sitting.sit(stop)
    said = sitting.marks.as_dict()
    assert said["counts"]["valued"] == 10
    assert not said["finished"]
    assert said["converts"] is None
