"""10,000 claims of inferior cells on 4x4 to 6x6: by plain search, none changes the winner."""

from functools import partial

import pytest

from fingal.solve.inferior_check import CORNER_LEMMAS, prove_corner_lemma
from tests.analysis.exhaustive import Exhaustive
from tests.analysis.inferior_claims import check_claims, positions
from tests.slow.spread import spread

CLAIMS = 2_500


def attack(width: int, height: int, fewest: int, seed: int, claims: int) -> None:
    search = Exhaustive(width, height)
    for board in positions(width, height, fewest, seed):
        claims -= len(check_claims(search, board).claims)
        if claims <= 0:
            return
        if len(search.known) > 2_000_000:
            search.known.clear()


@pytest.mark.parametrize(("width", "height", "fewest"), [(4, 4, 4), (5, 5, 11), (5, 6, 16), (6, 6, 22)])
def test_no_claim_changes_the_winner(width: int, height: int, fewest: int) -> None:
    print()
    spread(f"{width}x{height}", partial(attack, width, height, fewest), CLAIMS, 500)


@pytest.mark.parametrize("lemma", CORNER_LEMMAS)
def test_the_corner_lemmas_are_proved(
    lemma: tuple[tuple[int, int], tuple[int, int], frozenset[tuple[int, int]]],
) -> None:
    assert prove_corner_lemma(*lemma)
