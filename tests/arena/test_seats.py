"""The players of one process: kept or made anew, seeded by the game, replaced after a failure."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fingal.arena.crew import Alone
from fingal.arena.seats import Seats, Task, is_kept, key, seeded
from fingal.arena.tournament import Plan, play
from fingal.game import BLACK, WHITE, Colour, Record, Result, formats
from fingal.players import spec
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError
from tests.serve.scripted import Answers, First

ONE, TWO = "random:name=one", "random:name=two"


class Counted(First):
    """Plays the first empty cell, fails when it is told to, and counts what happens to it."""

    made = 0
    closed = 0

    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        Counted.made += 1
        self.fails = fails

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        if self.fails:
            raise PlayerError("out of ideas")
        return super().choose(record, limit)

    def close(self) -> None:
        Counted.closed += 1


@pytest.fixture(autouse=True)
def _fresh_counts() -> None:
    Counted.made = Counted.closed = 0


def crew(one: Callable[[], Player], two: Callable[[], Player], *, kept: bool = True) -> Alone:
    """One process in which the two texts stand for these players."""
    players = {"one": one, "two": two}
    return Alone(Seats(lambda text: players[spec.parse(text).settings["name"]](), lambda text: kept))


def plan(games: int, side: int = 3) -> Plan:
    return Plan("match", (ONE, TWO), side, side, games)


def moves(record: Record) -> list[str]:
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def test_the_winner_is_the_one_who_joined() -> None:
    """Two that play the first empty cell: on 3x3 Black joins c1, b2 and a3, whoever has Black."""
    games = list(play(plan(4), crew(First, First)))
    assert [game.number for game in games] == [1, 2, 3, 4]
    assert [game.black for game in games] == [ONE, TWO, ONE, TWO]
    for game in games:
        assert moves(game.record) == ["B a1", "W b1", "B c1", "W a2", "B b2", "W c2", "B a3"]
        assert (game.winner, game.how, game.failure, game.moves) == (BLACK, "", "", 7)
        assert min(game.seconds) > 0


def test_a_player_that_fails_loses_that_game_and_is_made_anew() -> None:
    fails = iter([True, False])
    alone = crew(lambda: Counted(next(fails)), First)
    games = list(play(plan(4), alone))
    # It fails as Black in game 1 and, made anew, plays on in games 2, 3 and 4: Black wins each of them.
    assert [game.failure for game in games] == ["out of ideas", "", "", ""]
    assert [game.won_by for game in games] == [TWO, TWO, ONE, TWO]
    assert games[0].record.result == Result(WHITE, "forfeit")
    assert (games[0].how, games[0].moves, moves(games[0].record)) == ("forfeit", 0, ["B forfeit"])
    assert (Counted.made, Counted.closed) == (2, 1)
    alone.close()
    assert Counted.closed == 2


def test_a_player_that_cannot_be_made_anew_forfeits() -> None:
    made = iter([Counted(True)])

    def make() -> Player:
        try:
            return next(made)
        except StopIteration:
            raise PlayerError("the engine does not start any more") from None

    games = list(play(plan(3), crew(make, First)))
    assert [game.won_by for game in games] == [TWO, TWO, TWO]
    again = "the engine does not start any more"
    assert [game.failure for game in games] == ["out of ideas", again, again]


@pytest.mark.parametrize("error", [PlayerError("no such engine"), ValueError("no such player")])
def test_what_cannot_start_at_all_is_an_error(error: Exception) -> None:
    def fail() -> Player:
        raise error

    with pytest.raises(type(error), match="no such"):
        next(play(plan(2), crew(Counted, fail)))


def test_a_player_that_does_not_play_this_size_is_an_error_that_names_it() -> None:
    alone = crew(Counted, lambda: Answers(ValueError("this net knows 11x11 only")))
    with pytest.raises(ValueError, match=r"^oracle does not play here: this net knows 11x11 only$"):
        list(play(plan(2), alone))
    alone.close()
    assert Counted.closed == 1


def test_the_plans_limits_reach_both_players() -> None:
    players = [First(), First()]
    seated = iter(players)
    list(play(replace(plan(2), simulations=7, seconds=0.5), crew(lambda: next(seated), lambda: next(seated))))
    assert [set(player.limits) for player in players] == [{Limit(simulations=7, seconds=0.5)}] * 2


def test_players_that_are_not_kept_are_made_for_every_game() -> None:
    list(play(plan(3), crew(Counted, First, kept=False)))
    assert (Counted.made, Counted.closed) == (4, 4)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("random", False),
        ("solver", True),
        ("solver:epsilon=0.1", False),
        ('htp:"mohex"', True),
        ("net:fingal-small", False),
        ("puct:net=fingal-small", False),
    ],
)
def test_what_draws_random_numbers_is_not_kept(text: str, kept: bool) -> None:
    assert is_kept(text) is kept


def test_seeds_differ_by_event_player_game_and_colour() -> None:
    games = [(number, colour) for number in (1, 2) for colour in Colour]
    cases = [("random", 0), ("random", 1), ("random:seed=1", 0), ("random:seed=2", 0)]
    seeds = {(*case, *game): spec.parse(seeded(*case, *game)).settings["seed"] for case in cases for game in games}
    assert len(set(seeds.values())) == len(cases) * len(games)
    # A text's own seed counts before the event's.
    assert seeded("random:seed=1", 5, 1, BLACK) == seeded("random:seed=1", 6, 1, BLACK)
    spec.make(seeded("random:name=x", 0, 1, BLACK))


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    texts = ("random", "shortest-path:epsilon=0.3")
    tasks = [Task(number, *texts, formats.write(Record(5, 5)), seed=3) for number in (1, 2, 3)]
    forwards, backwards = Alone(), Alone()
    there = {outcome.number: outcome.sgf for outcome in forwards.play(tasks)}
    back = {outcome.number: outcome.sgf for outcome in backwards.play(tasks[::-1])}
    assert there == back
    assert len(set(there.values())) == 3
    # The players are called what they were called, without the seeds of the games.
    assert {formats.read(sgf).players[BLACK] for sgf in there.values()} == {"random"}


def test_a_key_is_the_same_for_a_game_and_its_half_turn() -> None:
    game, turned = Record.of(["a1", "b2", "c1"], 3), Record.of(["c3", "b2", "a3"], 3)
    other = Record.of(["a1", "c1", "b2"], 3)
    assert key(game) == key(turned) != key(other)
    given = "(;FF[4]GM[11]SZ[3]AB[a1]AW[c3];B[b2])"
    half = "(;FF[4]GM[11]SZ[3]AB[c3]AW[a1];B[b2])"
    assert key(formats.read(given)) == key(formats.read(half)) != key(Record.of(["b2"], 3))


def test_openings_with_stones_set_up(tmp_path: Path) -> None:
    opening = "(;FF[4]GM[11]SZ[3]AB[b1]AB[b2]AW[a2]PL[W])"
    (game,) = play(Plan("match", (ONE, TWO), 3, 3, 1, starts=(opening,)), crew(First, First))
    assert moves(game.record) == ["W a1", "B c1", "W c2", "B a3"]
    assert (game.opening, game.moves, game.winner) == (opening, 4, BLACK)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_sizes(width: int, height: int) -> None:
    for adjudicate in (False, True)[: 1 + (width < 19)]:
        for game in play(Plan("match", ("random", "random"), width, height, 2, adjudicate=adjudicate, seed=1)):
            assert game.record.board().winner is (game.winner if game.how == "" else None)
            assert game.how in ("", "proof" if adjudicate else "")
