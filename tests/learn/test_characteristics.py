"""Learning to foresee the winner from network characteristics."""

from pathlib import Path

import numpy as np

from fingal.learn.characteristics import fit, foreseen, read


def test_a_fit_finds_the_weights_that_made_the_data() -> None:
    rng = np.random.default_rng(1)
    weights = np.append(rng.normal(size=12), 0.5)
    x = rng.normal(size=(20000, 12))
    won = rng.random(20000) < 1 / (1 + np.exp(-(x @ weights[:-1] + weights[-1])))
    np.testing.assert_allclose(fit(x, won), weights, atol=0.12)


def test_games_are_read_with_their_winners(tmp_path: Path) -> None:
    # On 3x3 Black wins with the last move of the first game, White with that of the second.
    file = tmp_path / "games.txt"
    file.write_text("b1 a1 b2 c1 b3\nB 1 c1 a2 b1 b2 a3 c2\n", encoding="utf-8")
    found = read("3", 100, file)
    # Side to move: White lost, Black won ... ; then White won, Black lost ...
    assert found.won.tolist() == [False, True, False, True, True, False, True, False, True]
    assert found.held_out.tolist() == [True] * 4 + [False] * 5
    # After Black's b2 between b1 and b3 it needs one cell more, White two or three: White, to move, is worse off.
    white_to_move = found.features[2]
    assert white_to_move[0] > white_to_move[6]
    assert foreseen(np.r_[-1, np.zeros(5), 1, np.zeros(6)], found) == 1.0
