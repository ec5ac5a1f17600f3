"""Fingal and OpenSpiel agree on the rules, in 100,000 games a size."""

from functools import partial

import pytest

from tests.game.openspiel import compare_games
from tests.slow.spread import spread

GAMES = 100_000


def compare(width: int, height: int, seed: int, games: int) -> None:
    compare_games(width, height, games, seed)


@pytest.mark.parametrize(("width", "height"), [(3, 3), (5, 5), (9, 9), (11, 11), (7, 9)])
def test_random_games_agree_move_by_move(width: int, height: int) -> None:
    print()
    spread(f"{width}x{height}", partial(compare, width, height), GAMES, 2_500)
