"""The ledger of games against a plain set of all names, with games that come again, in any order, after restarts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingal.learn.parts.ledger import Ledger

SLOTS = 3


@given(st.lists(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.integers(0, 14)), max_size=8)))
def test_it_says_what_a_set_says(batches: list[list[tuple[str, int, int]]]) -> None:
    ledger, seen = Ledger(), set[tuple[str, int, int]]()
    for batch in batches:
        for actor, pool in {(actor, pool) for actor, pool, _ in batch}:
            games = [game for a, p, game in batch if (a, p) == (actor, pool)]
            expected = []
            for game in games:
                expected.append((actor, pool, game) not in seen)
                seen.add((actor, pool, game))
            assert ledger.take(actor, pool, SLOTS, games).tolist() == expected
        assert len(ledger) == len(seen)
        ledger, kept = Ledger(), {name: tensor.clone() for name, tensor in ledger.kept().items()}
        ledger.restore(kept)


def test_one_started_in_another_ones_place_is_somebody_else() -> None:
    ledger = Ledger()
    assert ledger.take("one", 0, 2, [0, 1, 2]).tolist() == [True, True, True]
    assert ledger.take("one-again", 0, 2, [0, 1, 2]).tolist() == [True, True, True]
    assert ledger.take("one", 0, 2, [2, 3]).tolist() == [False, True]


def test_many_games_in_their_turn_take_no_room() -> None:
    ledger = Ledger()
    for start in range(0, 5000, 50):
        # A batch backwards: most of its games come before their turn.
        assert ledger.take("one", 0, 10, range(start + 49, start - 1, -1)).all()
    assert sum(tensor.numel() for tensor in ledger.kept().values()) == 10
    assert len(ledger) == 5000
    assert not ledger.take("one", 0, 10, range(5000)).any()


def test_a_pool_does_not_change_its_width() -> None:
    ledger = Ledger()
    ledger.take("one", 0, 2, np.array([0]))
    with pytest.raises(ValueError, match="pool 0 of one has 2 games at once, not 3"):
        ledger.take("one", 0, 3, [0])
