"""Results: counted one after the other, they are those of the list of games."""

from hypothesis import given
from hypothesis import strategies as st

from fingal.arena.results import Meeting, Tally, games_of
from fingal.arena.store import StoredGame, distinct
from fingal.game import BLACK, WHITE
from tests.arena.games import game

GAMES = st.lists(
    st.builds(
        game,
        st.integers(1, 9),
        st.sampled_from("ab"),
        st.sampled_from("bc"),
        st.sampled_from([BLACK, WHITE]),
        st.sampled_from(["", "", "it died"]),
        st.sampled_from("klm"),
    ),
    max_size=20,
)


@given(GAMES)
def test_counts_are_those_of_the_list(games: list[StoredGame]) -> None:
    tally = Tally(games)
    assert (tally.games, tally.distinct) == (len(games), distinct(games))
    assert tally.players == {player for one in games for player in (one.black, one.white)}
    assert [(one.number, one.player, one.rival) for one in tally.failures] == [
        (one.number, one.lost_by, one.won_by) for one in games if one.failure
    ]
    for part in tally.meetings():
        own = [one for one in games if (one.black, one.white) == (part.black, part.white)]
        assert part == Meeting(part.black, part.white, len(own), sum(one.winner is BLACK for one in own), distinct(own))
    assert sum(part.games for part in tally.meetings()) == len(games)
    played = [(one.black, one.white, one.winner) for one in games_of(tally.meetings())]
    assert sorted(played) == sorted((one.black, one.white, one.winner) for one in games)


def forfeiters(*games: StoredGame) -> list[tuple[str, int]]:
    return [(first.player, first.number) for first in Tally(games).forfeiters()]


def test_who_forfeits_every_game() -> None:
    lost = [game(1, "a", "b", BLACK, "b died"), game(2, "b", "a", WHITE, "b died")]
    assert forfeiters() == []
    assert forfeiters(*lost) == [("b", 1)]
    assert forfeiters(*lost, game(3, "a", "b", BLACK)) == [], "a game that b lost on the board"
    assert forfeiters(*lost, game(3, "a", "c", WHITE)) == [("b", 1)]
    assert forfeiters(game(1, "a", "b", BLACK), game(2, "b", "a", BLACK)) == []


def test_who_wins_because_others_forfeit_sooner_has_not_played_either() -> None:
    """Two engines die at their first move: whoever moves first loses. The third never fails."""
    games = [game(1, "x", "y", WHITE, "x died"), game(2, "y", "x", WHITE, "y died"), game(3, "a", "x", BLACK, "x died")]
    assert forfeiters(*games) == [("x", 1), ("y", 2)]


def test_a_player_against_itself_that_always_forfeits() -> None:
    assert forfeiters(game(1, "x", "x", WHITE, "x died"), game(2, "x", "x", WHITE, "x died")) == [("x", 1)]
    assert forfeiters(game(1, "x", "x", WHITE, "x died"), game(2, "x", "x", WHITE)) == []
