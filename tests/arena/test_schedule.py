"""Schedules: who meets whom, how often, with which colours and openings."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingal.arena.number_set import NumberSet
from fingal.arena.schedule import DoubleGames, Pairing, rounds, swiss_pairs


def all_of(kind: str, players: int, games: int, **more: int) -> list[Pairing]:
    (only,) = rounds(kind, players, games, {}, **more)
    return list(only)


def test_a_match() -> None:
    assert all_of("match", 2, 5) == [
        Pairing(1, 0, 1, 0),
        Pairing(2, 1, 0, 0),
        Pairing(3, 0, 1, 1),
        Pairing(4, 1, 0, 1),
        Pairing(5, 0, 1, 2),
    ]


@pytest.mark.parametrize("players", [2, 3, 6, 9])
@pytest.mark.parametrize("games", [1, 2, 6])
def test_a_round_robin(players: int, games: int) -> None:
    due = all_of("round-robin", players, games)
    met = Counter(frozenset((pairing.black, pairing.white)) for pairing in due)
    assert len(met) == players * (players - 1) // 2
    assert set(met.values()) == {games}
    assert len({pairing.number for pairing in due}) == len(due)
    # Of the games from an opening, each of the two has Black once.
    colours = Counter((pairing.black, pairing.white, pairing.opening) for pairing in due)
    assert set(colours.values()) == {1}
    if games % 2 == 0:
        assert all((white, black, opening) in colours for black, white, opening in colours)


def test_a_gauntlet() -> None:
    due = all_of("gauntlet", 5, 2, heads=2)
    met = {frozenset((pairing.black, pairing.white)) for pairing in due}
    assert met == {frozenset(pair) for pair in [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]}
    assert len(due) == 12


@pytest.mark.parametrize("kind", ["match", "round-robin", "gauntlet"])
@pytest.mark.parametrize("games", [1, 3, 4])
def test_more_games_leave_the_earlier_ones_as_they_were(kind: str, games: int) -> None:
    players = 2 if kind == "match" else 4
    assert set(all_of(kind, players, games)) < set(all_of(kind, players, games + 3))


@pytest.mark.parametrize(("players", "count"), [(4, 3), (7, 6), (8, 3), (8, 7), (16, 5), (21, 5)])
def test_a_swiss_tournament(players: int, count: int) -> None:
    """Player 0 beats all, player 1 all but 0, and so on: nobody meets twice, and the best are found."""
    won: dict[int, int] = {}
    score: Counter[int] = Counter()
    met: list[frozenset[int]] = []
    byes: list[int] = []
    numbers: list[int] = []
    for due in rounds("swiss", players, 2, won, swiss_rounds=count):
        pairs = {frozenset((pairing.black, pairing.white)) for pairing in due}
        assert Counter(player for pair in pairs for player in pair).most_common(1)[0][1] == 1
        assert len(pairs) == players // 2
        byes += set(range(players)) - {player for pair in pairs for player in pair}
        met += pairs
        numbers += [pairing.number for pairing in due]
        for pairing in due:
            won[pairing.number] = min(pairing.black, pairing.white)
            score[won[pairing.number]] += 1
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(set(met)) == len(met)
    assert len(set(byes)) == len(byes) == (count if players % 2 else 0)
    if 2**count >= players:
        assert score.most_common(1)[0] == (0, 2 * count - 2 * byes.count(0))


def test_swiss_players_of_like_scores_meet() -> None:
    paired, bye = swiss_pairs({0: 0, 1: 2, 2: 2, 3: 0}, [[(0, 2), (1, 3)]])
    assert (paired, bye) == ([(1, 2), (0, 3)], None)
    # Where the leaders have met already, the next best is taken.
    assert swiss_pairs({0: 4, 1: 2, 2: 2, 3: 0}, [[(0, 1), (2, 3)]])[0] == [(0, 2), (1, 3)]


def test_swiss_rivals_meet_again_where_nothing_else_is_left() -> None:
    paired, _ = swiss_pairs({0: 2.0, 1: 0.0}, [[(0, 1)]])
    assert paired == [(0, 1)]


def test_double_games_go_on_with_numbers_and_openings() -> None:
    assert list(DoubleGames([(3, 1)], 2, first=9, opening=4)) == [Pairing(9, 3, 1, 4), Pairing(10, 1, 3, 4)]


def listed(met: Sequence[tuple[int, int]], games: int, first: int, opening: int) -> list[Pairing]:
    """The slow, obvious schedule: one game after the other, as they were listed before they were computed."""
    found = []
    for turn in range((games + 1) // 2):
        for index, (one, two) in enumerate(met):
            number = first + 2 * (turn * len(met) + index)
            found.append(Pairing(number, one, two, opening + turn))
            if 2 * turn + 1 < games:
                found.append(Pairing(number + 1, two, one, opening + turn))
    return found


@pytest.mark.parametrize(("players", "games", "first"), [*product((2, 3, 5), (1, 2, 3, 4, 7), (1, 9))])
def test_a_computed_schedule_is_the_listed_one(players: int, games: int, first: int) -> None:
    met = [(one, two) for one in range(players) for two in range(one)]
    wanted = listed(met, games, first, 4)
    schedule = DoubleGames(met, games, first=first, opening=4)
    assert list(schedule) == wanted
    by_number = {pairing.number: pairing for pairing in wanted}
    for number in range(-3, schedule.stop + 3):
        assert (number in schedule) == (number in by_number)
        if number in by_number:
            assert schedule[number] == by_number[number]
        else:
            with pytest.raises(KeyError):
                schedule[number]


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 9))
def test_what_has_been_played_is_left_out(numbers: list[int], games: int) -> None:
    played = NumberSet()
    for number in numbers:
        played.add(number)
    schedule = DoubleGames([(0, 1), (2, 0)], games)
    assert list(schedule.without(played)) == [pairing for pairing in schedule if pairing.number not in numbers]


@given(st.lists(st.integers(-20, 20)))
def test_a_set_of_numbers_holds_what_was_added(numbers: list[int]) -> None:
    held = NumberSet()
    for number in numbers:
        held.add(number)
    for number in range(-25, 25):
        assert (number in held) == (number in numbers)
        assert held.first_missing(number) == next(n for n in range(number, 50) if n not in numbers)


@pytest.mark.parametrize("kind", ["match", "round-robin", "gauntlet", "swiss"])
def test_a_schedule_of_any_length_begins_at_once(kind: str) -> None:
    """A list of its games would need more memory than there is."""
    players = 2 if kind == "match" else 5
    due = next(iter(rounds(kind, players, 10**12, {}, swiss_rounds=3)))
    few = next(iter(rounds(kind, players, 8, {}, swiss_rounds=3)))
    assert list(islice(due, 8)) == list(islice(few, 8))
    last = due[due.stop - 1]
    assert (last.number, last.opening) == (due.stop - 1, 10**12 // 2 - 1)
