"""Fingal and OpenSpiel agree on the rules."""

import pytest

from tests.game.openspiel import compare_games


@pytest.mark.parametrize(("width", "height"), [(3, 3), (5, 5), (9, 9), (11, 11), (7, 9)])
def test_random_games_agree_move_by_move(width: int, height: int) -> None:
    compare_games(width, height, games=2000, seed=width * height)
