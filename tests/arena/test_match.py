"""What is said of a match: scores by player and colour, copies, the sequential test."""

import io

import pytest
from rich.console import Console

from fingal.arena.match import Match, Trial
from fingal.arena.sprt import Sprt
from fingal.game import BLACK, WHITE, Colour
from tests.arena.games import game


def shown(match: Match, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    with console.capture() as capture:
        console.print(match.table())
    return capture.get()


def test_summary() -> None:
    games = [
        game(1, "one", "two", BLACK),
        game(2, "two", "one", WHITE),
        game(3, "one", "two", WHITE, failure="it died"),
    ]
    match = Match(("one", "two"), games)
    summary = match.summary()
    assert summary["games"] == 3
    assert summary["win_rate"] == pytest.approx(2 / 3)
    # Wilson's interval for 2/3: (2/3 + 3.841459/6 ± 1.959964 · √(2/27 + 3.841459/36)) / (1 + 3.841459/3).
    assert summary["interval"] == pytest.approx((0.2077, 0.9385), abs=5e-5)
    one, two = summary["sides"]
    assert (one["player"], one["wins"], two["player"], two["wins"]) == ("one", 2, "two", 1)
    assert [(one[colour]["wins"], one[colour]["games"]) for colour in ("black", "white")] == [(1, 2), (1, 1)]
    assert [(two[colour]["wins"], two[colour]["games"]) for colour in ("black", "white")] == [(0, 1), (1, 2)]
    # 1/2: ½ ± 1.959964 / (2 · √5.841459).
    assert one["black"]["interval"] == pytest.approx((0.0945, 0.9055), abs=5e-5)
    assert summary["failures"] == [{"game": 3, "reason": "it died"}]
    assert "sprt" not in summary


def test_a_player_against_itself() -> None:
    """The texts are the same: the number says who is who."""
    match = Match(("random", "random"), [game(1, "random", "random", BLACK), game(2, "random", "random", WHITE)])
    assert match.rate(0) == (2, 2)
    assert [match.rate(1, colour) for colour in Colour] == [(0, 1), (0, 1)]


def test_copies_are_counted_once() -> None:
    """The same moves with exchanged colours are another game: two players have shown what they do."""
    games = [game(n, *(("one", "two") if n % 2 else ("two", "one")), BLACK, key="same") for n in range(1, 7)]
    assert Match(("one", "two"), games).summary()["distinct_games"] == 2
    assert "6 games, 2 distinct" in shown(Match(("one", "two"), games), 80)


def test_the_table_fits_on_80_columns() -> None:
    name = 'htp:"/opt/engines/benzene/build/src/mohex/mohex --config=/home/person/mohex.htp"'
    table = shown(Match((name, "puct:net=fingal-small,sims=400"), [game(1, "one", "two", BLACK)] * 10_000), 80)
    assert max(map(len, table.splitlines())) <= 80
    assert table.count("100.0%  10000/10000") == 2
    assert "mohex" in table
    # A player with a name is shown by it.
    assert "│ [/b]  " in shown(Match(("random:name=[/b]", "random"), [game(1, "a", "b", BLACK)]), 80)


def test_a_trial_counts_pairs_in_order_and_stops_at_its_verdict() -> None:
    """Nine pairs lost: with a mean of ½ or 0.64 that is worth 9 · log((1 - 0.64) / (1 - 0.5)) = -2.956."""
    sprt = Sprt(0, 100)
    lost = {n: game(n, "a", "b", WHITE if n % 2 else BLACK) for n in range(1, 41)}
    trial = Trial(sprt)
    trial.update({n: lost[n] for n in lost if n != 5})
    assert (trial.pairs, trial.verdict) == ([2, 0, 0], None)
    trial.update(lost)
    assert (trial.pairs, trial.verdict) == ([9, 0, 0], 0)
    assert "+0 Elo is accepted: a is +0 or +100 Elo better" in trial.line("a")
    summary = Match(("a", "b"), list(lost.values()), sprt).summary()
    assert (summary["games"], summary["sprt"]["pairs"], summary["sprt"]["accepted"]) == (40, [9, 0, 0], 0)
