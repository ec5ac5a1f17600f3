"""Tournaments of players whose games can be foretold."""

import numpy as np
import pytest
from numpy.typing import NDArray

from fingal.experiments.paper_000.tournament import (
    CONTRASTS,
    ENTERED,
    KINDS,
    Game,
    Kind,
    difference,
    direct,
    play,
    standings,
)
from fingal.learn.parts.truth import Truth, packed


def test_the_papers_four_are_part_of_the_eight() -> None:
    assert [kind.name for kind in ENTERED] == ["CNN-MSE (Q)", "CNN-PBE (SARSA)", "RNN-MSE (Q)", "RNN-PBE (SARSA)"]
    assert len(set(KINDS)) == 8


def perfect(good: set[int]) -> list[Game]:
    """Two tournaments in which some of the four play perfectly and the others always the first empty cell."""
    truth = Truth(3)
    number = {(int(b), int(w)): at for at, (b, w) in enumerate(truth.positions.stones[:, :, 0].T.tolist())}

    def values(players: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.float64]:
        stones = packed(moves, 3).stones[:, :, 0]
        winning = truth.winning[[number[int(b), int(w)] for b, w in stones.T.tolist()]]
        knows = np.isin(players % 4, list(good))[:, None]
        return np.where(knows, winning, -np.arange(9.0))

    return play(ENTERED, 2, values)


def test_everyone_meets_everyone_as_first_and_as_second() -> None:
    games = perfect({1})
    assert len(games) == 2 * 12
    assert len({(game.tournament, game.first, game.second) for game in games}) == 24
    for game in games:
        assert len(set(game.moves)) == len(game.moves)
        assert game.first_won == (len(game.moves) % 2 == 1)


def test_who_plays_perfectly_wins_as_first() -> None:
    games = perfect({1})
    assert all(game.first_won for game in games if game.first == ENTERED[1])
    # The others open with a1, which loses against perfect play.
    assert not any(game.first_won for game in games if game.second == ENTERED[1])
    table = {stand.kind: stand for stand in standings(games, ENTERED)}
    assert table[ENTERED[1]].seasons == ((3, 3), (3, 3))
    assert (table[ENTERED[1]].wins, table[ENTERED[1]].games) == (12, 12)
    assert sum(stand.wins for stand in table.values()) == len(games)
    assert table[ENTERED[1]].share.value == 1.0


def game(tournament: int, first: Kind, second: Kind, first_won: bool) -> Game:
    return Game(tournament, first, second, first_won, ())


def test_contrasts_are_worked_over_tournaments() -> None:
    """PBE wins 2 of 2 against MSE in the first tournament and 1 of 2 in the second: differences 1 and 0, mean 1/2."""
    mse, pbe = Kind("cnn", "mse", "q"), Kind("cnn", "pbe", "q")
    games = [game(0, pbe, mse, True), game(0, mse, pbe, False), game(1, pbe, mse, True), game(1, mse, pbe, True)]
    found = difference(games, CONTRASTS[0])
    assert (found.value, found.size) == (pytest.approx(0.5), 2)
    assert direct(games, CONTRASTS[0]).value == pytest.approx(0.75)


def test_only_twins_meet_directly() -> None:
    mse, pbe, other = Kind("cnn", "mse", "q"), Kind("cnn", "pbe", "q"), Kind("rnn", "mse", "q")
    games = [game(0, pbe, mse, True), game(0, other, pbe, True), game(0, pbe, other, False)]
    assert direct(games, CONTRASTS[0]).value == 1.0
