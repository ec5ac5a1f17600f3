"""Means and variances of policy-gradient estimators, against games of 2x2 played out one by one in plain Python.

The oracle walks through every game, every pick and every continuation with its probability, on a ``Board``.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from fingal.game import Board
from fingal.learn.gradient_bias import ESTIMATORS, chances, cosine, logits, table
from fingal.learn.parts.exact_gradients import (
    Estimator,
    SelfPlay,
    average,
    best_responder_gradient,
    least_reply_gradient,
    moments,
    self_play_gradient,
)
from fingal.learn.parts.truth import Truth

TRUTH = Truth(2)
PLAY = SelfPlay(TRUTH, chances(logits(TRUTH, "rough", seed=3)))


def number(board: Board) -> int:
    """Which of the listed positions a board is."""
    key = board.packed()
    (found,) = np.flatnonzero(
        (TRUTH.positions.stones == key[:, None]).all((0, 2)) & (TRUTH.positions.white_to_move == (int(board.turn) == 1))
    )
    return int(found)


def endings(board: Board) -> Iterator[tuple[float, list[tuple[int, int]], int]]:
    """Every way to play on: how likely it is, its positions and moves, and the stones at the end."""
    if board.is_over():
        yield 1.0, [], len(board.moves)
        return
    here = number(board)
    first = len(board.moves) == 0
    for cell in board.legal_moves:
        chance = 1 / board.cells if first else PLAY.policy[here, cell]
        board.push(cell)
        for likely, line, stones in endings(board):
            yield chance * likely, [(here, cell), *line], stones
        board.pop()


def value(board: Board, ply: int) -> float:
    """How likely the one who moved with ``ply`` stones on the board wins from here."""
    return sum(chance for chance, _, stones in endings(board) if (stones - ply) % 2 == 1)


def likeliest(board: Board) -> list[int]:
    """The replies that there are, the likeliest first."""
    if board.is_over():
        return []
    here = number(board)
    return sorted(board.legal_moves, key=lambda cell: -PLAY.policy[here, cell])


def weights(board: Board, estimator: Estimator, ply: int, result: float) -> Iterator[tuple[float, float]]:
    """The chance of every weight R after a move, given its own game's result; ``board`` is after the move."""
    if estimator.kind in ("amcpg-b", "average"):
        wins = []
        for cell in likeliest(board)[: estimator.k]:
            board.push(cell)
            wins.append(value(board, ply))
            board.pop()
        each = estimator.m if estimator.kind == "average" else 1
        for ends in itertools.product(itertools.product((1.0, -1.0), repeat=each), repeat=len(wins)):
            chance = np.prod([win if end > 0 else 1 - win for win, row in zip(wins, ends, strict=True) for end in row])
            means = [float(np.mean(row)) for row in ends]
            own = [] if estimator.kind == "average" else [result]
            yield float(chance), min([*means, *own]) if means or own else 1.0
        return
    win = value(board, ply)
    for more in itertools.product((1.0, -1.0), repeat=estimator.k):
        chance = float(np.prod([win if end > 0 else 1 - win for end in more]))
        ends = np.array([result, *more])
        if estimator.kind == "soft":
            heat = estimator.temperature
            yield chance, float(-heat * np.log(np.exp(-ends / heat).mean()))
        else:
            yield chance, float(ends.mean() if estimator.kind == "reinforce-b" else ends.min())


def by_hand(estimator: Estimator) -> tuple[np.ndarray, float, float]:
    """An estimator's mean gradient, its variance, and the mean of R."""
    mean, square, weight = np.zeros_like(PLAY.policy), 0.0, 0.0
    for chance, line, stones in endings(Board(2)):
        if estimator.kind == "reinforce-v":
            sample = np.zeros_like(mean)
            for ply, (at, cell) in list(enumerate(line))[1:]:
                sample[at] += (1 - 2 * ((stones - 1 - ply) % 2)) * (np.eye(4)[cell] - PLAY.policy[at])
            mean += chance * sample
            square += chance * float((sample**2).sum())
            continue
        for ply in range(1, len(line)):
            at, cell = line[ply]
            board = Board(2)
            for _, move in line[: ply + 1]:
                board.push(move)
            direction = np.eye(4)[cell] - PLAY.policy[at]
            for likely, given in weights(board, estimator, ply, 1.0 if (stones - ply) % 2 == 1 else -1.0):
                picked = chance * likely / (len(line) - 1)
                mean[at] += picked * given * direction
                square += picked * given**2 * float((direction**2).sum())
                weight += picked * given
    return mean, square - float((mean**2).sum()), weight


@pytest.mark.parametrize(
    "estimator",
    [
        Estimator("reinforce-v"),
        Estimator("reinforce-b", 0),
        Estimator("reinforce-b", 2),
        Estimator("amcpg-a", 1),
        Estimator("amcpg-a", 3),
        Estimator("amcpg-b", 1),
        Estimator("amcpg-b", 9),
        Estimator("soft", 2, temperature=0.7),
        Estimator("average", 2, 2),
        Estimator("average", 9, 3),
    ],
    ids=str,
)
def test_mean_and_variance_are_those_of_all_games(estimator: Estimator) -> None:
    found = average(PLAY, estimator)
    mean, variance, _ = by_hand(estimator)
    assert np.allclose(found.gradient, mean, atol=1e-12)
    assert found.variance == pytest.approx(variance)


def test_the_mean_weight_is_that_of_all_games() -> None:
    for estimator in (Estimator("reinforce-b", 0), Estimator("amcpg-a", 2), Estimator("amcpg-b", 2)):
        assert average(PLAY, estimator).weight == pytest.approx(by_hand(estimator)[2])
    # The more games, the nearer the mean comes to what moves are worth.
    many = average(PLAY, Estimator("reinforce-b", 400))
    assert many.weight == pytest.approx(many.worth, abs=1e-3)
    assert average(PLAY, Estimator("amcpg-a", 2)).weight < many.worth - 0.05


@pytest.mark.parametrize(
    "estimator", [Estimator("amcpg-a", 2), Estimator("amcpg-b", 2), Estimator("average", 1, 3)], ids=str
)
def test_moves_are_those_of_the_game_and_of_its_continuations(estimator: Estimator) -> None:
    made = 0.0
    for chance, line, _ in endings(Board(2)):
        made += chance * (len(line) - 1)
        for ply in range(1, len(line)):
            board = Board(2)
            for _, move in line[: ply + 1]:
                board.push(move)
            more = 0.0
            if estimator.kind == "amcpg-a":
                more = estimator.k * sum(likely * len(rest) for likely, rest, _ in endings(board))
            else:
                for cell in likeliest(board)[: estimator.k]:
                    board.push(cell)
                    more += estimator.m * sum(likely * len(rest) for likely, rest, _ in endings(board))
                    board.pop()
            made += chance * more / (len(line) - 1)
    assert average(PLAY, estimator).moves == pytest.approx(made)


def test_the_least_of_several_results_is_2p_to_the_k_plus_1_less_1() -> None:
    for k, even, sure in ((1, -0.5, 0.62), (3, -0.875, 0.3122), (6, -0.984375, -0.0434)):
        for wins, expected in ((0.5, even), (0.9, sure)):
            play = SelfPlay(TRUTH, PLAY.policy)
            play.wins = np.full_like(PLAY.policy, wins)
            own = [moments(play, Estimator("amcpg-a", k), result)[0][0, 0] for result in (1, -1)]
            assert wins * own[0] + (1 - wins) * own[1] == pytest.approx(expected, abs=1e-4)


def test_self_plays_gradient_by_small_differences() -> None:
    """Each side's own result, differentiated with regard to its own logits."""
    start = logits(TRUTH, "rough", seed=3)
    exact = self_play_gradient(PLAY)

    def result(changed: np.ndarray, white: bool) -> float:
        play = SelfPlay(TRUTH, chances(changed))
        black = sum(play.lengths[0, cell, stones] for cell in range(4) for stones in (1, 3)) / 4
        return float(1 - 2 * black if white else 2 * black - 1)

    for at, cell in zip(*np.nonzero(TRUTH.legal), strict=True):
        if at == 0:  # the first move is random
            assert exact[at, cell] == 0
            continue
        white = bool(TRUTH.positions.white_to_move[at])
        step = np.zeros_like(start)
        step[at, cell] = 1e-5
        slope = (result(start + step, white) - result(start - step, white)) / 2e-5
        assert exact[at, cell] == pytest.approx(slope, abs=1e-8)


def test_the_least_reply_by_hand() -> None:
    expected = np.zeros_like(PLAY.policy)
    for chance, line, _ in endings(Board(2)):
        for ply in range(1, len(line)):
            at, cell = line[ply]
            board = Board(2)
            for _, move in line[: ply + 1]:
                board.push(move)
            after = []
            for reply in [] if board.is_over() else board.legal_moves:
                board.push(reply)
                after.append(value(board, ply))
                board.pop()
            expected[at] += (2 * min(after, default=1.0) - 1) * chance * (np.eye(4)[cell] - PLAY.policy[at])
    assert np.allclose(least_reply_gradient(PLAY), expected, atol=1e-12)


@pytest.mark.parametrize("size", [2, 3])
def test_a_best_responders_gradient_by_small_differences(size: int) -> None:
    """What is kept against a best responder, differentiated: who should lose wins nothing, whatever it does."""
    truth = Truth(size)
    start = logits(truth, "taught", seed=2)
    exact = best_responder_gradient(SelfPlay(truth, chances(start)))
    lots = np.random.default_rng(1)
    # Some coordinates at random, and those that count most.
    flat = np.concatenate([np.argsort(-np.abs(exact).ravel())[:30], lots.choice(exact.size, 20, replace=False)])
    places = [
        (at, cell) for at, cell in zip(*np.unravel_index(flat, exact.shape), strict=True) if truth.legal[at, cell]
    ]
    changed = np.repeat(start[None], 2 * len(places), 0)
    for number, (at, cell) in enumerate(places):
        changed[2 * number, at, cell] += 1e-4
        changed[2 * number + 1, at, cell] -= 1e-4
    # What is kept is rounded to nine decimals, so the step must not be too small.
    kept = 2 * truth.openings_kept(chances(changed))
    slopes = (kept[0::2] - kept[1::2]) / 2e-4
    assert np.allclose([exact[place] for place in places], slopes, atol=3e-5)
    assert np.abs(slopes).max() > 0.01


def test_the_table_says_that_the_minimum_is_biased_on_3x3() -> None:
    chosen = [one for one in ESTIMATORS if one.k in (0, 3) and one.kind in ("reinforce-v", "reinforce-b", "amcpg-a")]
    rows = {row.estimator: row for row in table(3, ("taught",), chosen)}
    plain, mean, least = rows["reinforce-v"], rows["reinforce-b (k=3)"], rows["amcpg-a (k=3)"]
    assert plain.self_play == pytest.approx(1)
    assert plain.bias == pytest.approx(0, abs=1e-6)
    # One move of each game: short games count more, and that is all.
    assert 0.95 < mean.self_play < 1
    assert least.self_play < mean.self_play - 0.1
    assert least.least_reply > mean.least_reply
    assert least.offset < -0.3 < -0.01 < mean.offset
    assert least.noise > mean.noise
    assert mean.moves > plain.moves


def test_cosine_of_a_right_angle() -> None:
    assert cosine(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == 0
    assert cosine(np.array([1.0, 1.0]), np.array([0.0, 2.0])) == pytest.approx(0.5**0.5)


def test_bad_estimators_and_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 0, not -1"):
        Estimator("amcpg-a", -1)
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        Estimator("average")
    with pytest.raises(ValueError, match="m must be at least 1"):
        Estimator("average", 1, 0)
    with pytest.raises(ValueError, match="temperature must be at least 0"):
        Estimator("soft", 1, temperature=-1)
    with pytest.raises(ValueError, match="there is no policy 'wild'"):
        logits(TRUTH, "wild")
    with pytest.raises(ValueError, match="size=5 is not possible"):
        SelfPlay(Truth(5), np.zeros((1, 25)))
