"""Exact measures of greedy players, beside games played out one by one in plain Python."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from fingal.game import Board
from fingal.learn.parts.truth import Truth, packed
from tests.arena.exam.plain import Plain

Cell = tuple[int, int]


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth(3)


class Greedy:
    """A player in plain Python, which looks its values up by the stones; one of equal moves is drawn."""

    def __init__(self, truth: Truth, q: NDArray[np.float64]) -> None:
        self.n, self.plain = truth.size, Plain(truth.size)
        self.q = {self.stones(truth, number): q[number] for number in range(len(truth.legal))}
        self.share = cache(self._share)

    def stones(self, truth: Truth, number: int) -> tuple[frozenset[Cell], frozenset[Cell], int]:
        moves = [divmod(int(move), self.n) for move in truth.histories[number] if move >= 0]
        sides = frozenset(moves[0::2]), frozenset(moves[1::2])
        axis = len(moves) % 2
        return sides[axis], sides[1 - axis], axis

    def best(self, own: frozenset[Cell], other: frozenset[Cell], axis: int) -> list[Cell]:
        values = self.q[own, other, axis]
        legal = [cell for cell in self.plain.cells if cell not in own | other]
        most = max(values[row * self.n + column] for row, column in legal)
        return [(row, column) for row, column in legal if values[row * self.n + column] == most]

    def _share(self, own: frozenset[Cell], other: frozenset[Cell], axis: int, moving: bool, best: bool) -> float:
        """The player's won games from here, against a best responder or random moves."""
        legal = [cell for cell in self.plain.cells if cell not in own | other]
        results = []
        for cell in self.best(own, other, axis) if moving else legal:
            after = own | {cell}
            if self.plain.joined(after, axis):
                results.append(1.0 if moving else 0.0)
            else:
                results.append(self.share(other, after, 1 - axis, not moving, best))
        return min(results) if best and not moving else sum(results) / len(results)

    def measure(self) -> dict[str, float]:
        none: frozenset[Cell] = frozenset()
        losing = [cell for cell in self.plain.cells if cell not in self.plain.winning(none, none, 0)]
        answered = [self.share(none, frozenset([cell]), 1, True, True) for cell in losing]
        return {
            "first_vs_best": self.share(none, none, 0, True, True),
            "first_vs_random": self.share(none, none, 0, True, False),
            "second_vs_random": self.share(none, none, 0, False, False),
            "second_vs_best": sum(answered) / len(answered),
        }

    def right(self) -> float:
        """The mean number of positions whose move is as good as any."""
        total = 0.0
        for stones in self.q:
            winning, best = self.plain.winning(*stones), self.best(*stones)
            total += sum(cell in winning for cell in best) / len(best) if winning else 1.0
        return total


def noisy(truth: Truth, seed: int, noise: float, values: int = 3) -> NDArray[np.float64]:
    """Values that are right but for noise, in few steps so that there are ties."""
    rng = np.random.default_rng(seed)
    right = np.where(truth.winning, 1.0, -1.0) + noise * rng.normal(size=truth.winning.shape)
    rounded: NDArray[np.float64] = np.round(values * right) / values
    return rounded


@pytest.mark.parametrize("size", [2, 3])
def test_measures_are_those_of_games_played_one_by_one(size: int) -> None:
    truth = Truth(size)
    q = np.stack([noisy(truth, seed, noise) for seed, noise in enumerate([0.3, 0.8, 1.0, 3.0])])
    measured = truth.measure(q)
    for run, values in enumerate(q):
        plain = Greedy(truth, values)
        for name, share in plain.measure().items():
            assert measured[name][run] == pytest.approx(share), name
        assert measured["right"][run] == pytest.approx(plain.right())


def test_all_positions_are_there_and_the_first_is_empty(truth: Truth) -> None:
    assert len(truth.positions.last) == 4520
    assert truth.positions.last[0] == -1
    assert truth.legal.sum() == 16167
    board = Board(3)
    assert [board.name(cell) for cell in np.flatnonzero(truth.winning[0])] == ["c1", "a2", "b2", "c2", "a3"]


def test_positions_are_where_the_moves_lead(truth: Truth) -> None:
    for number in (0, 1, 50, 2000, 4519):
        board = Board(3)
        for move in truth.histories[number]:
            if move >= 0:
                board.push(int(move))
        assert not board.is_over()
        assert np.array_equal(board.packed(), truth.positions.stones[:, number])
        assert truth.positions.white_to_move[number] == bool(board.turn)
        assert truth.positions.last[number] == (board.moves[-1] if board.moves else -1)
        assert np.array_equal(np.flatnonzero(truth.legal[number]), board.empty_cells)


def test_known_numbers_of_3x3(truth: Truth) -> None:
    """Random moves win two games of three as first; perfect play, drawn among equals, 81.9% as second."""
    measured = truth.measure(np.stack([np.zeros(truth.legal.shape), np.where(truth.winning, 1.0, -1.0)]))
    assert measured["first_vs_random"] == pytest.approx([2 / 3, 1.0])
    assert measured["second_vs_random"] == pytest.approx([1 / 3, 0.819], abs=5e-4)
    assert measured["first_vs_best"][1] == measured["second_vs_best"][1] == 1.0
    assert measured["right"][1] == 4520
    assert list(measured["sign"]) == [0.0, 1.0]


def test_the_best_response_to_random_moves_wins_97_8_percent_as_second(truth: Truth) -> None:
    plain = Plain(3)

    @cache
    def worth(own: frozenset[Cell], other: frozenset[Cell], axis: int, ours: bool) -> float:
        """The share won by the side that plays best, against one that plays at random."""
        results = []
        for cell in plain.cells:
            if cell not in own | other:
                after = own | {cell}
                over = plain.joined(after, axis)
                results.append(float(ours) if over else worth(other, after, 1 - axis, not ours))
        return max(results) if ours else sum(results) / len(results)

    q = np.zeros((1, *truth.legal.shape))
    greedy = Greedy(truth, q[0])
    for number in range(len(truth.legal)):
        own, other, axis = greedy.stones(truth, number)
        for cell in np.flatnonzero(truth.legal[number]):
            after = own | {(int(cell) // 3, int(cell) % 3)}
            q[0, number, cell] = 1.0 if plain.joined(after, axis) else worth(other, after, 1 - axis, False)
    assert truth.measure(q)["second_vs_random"][0] == pytest.approx(0.978, abs=5e-4)


def test_canonical_values_are_turned_back_where_white_is_to_move(truth: Truth) -> None:
    q = noisy(truth, 5, 0.7)[None]
    white = truth.positions.white_to_move
    turned = q.copy()
    turned[:, white] = q[:, white].reshape(1, -1, 3, 3).transpose(0, 1, 3, 2).reshape(1, -1, 9)
    on_board, canonical = truth.measure(q), truth.measure(turned, canonical=True)
    assert all(np.array_equal(on_board[name], canonical[name]) for name in on_board)
    assert truth.measure(turned)["right"] != on_board["right"]


def test_a_player_without_use_for_its_memory_is_measured_the_same(truth: Truth) -> None:
    rng = np.random.default_rng(7)
    right = np.where(truth.winning, 1.0, -1.0)
    q = np.stack([right + noise * rng.normal(size=right.shape) for noise in (0.1, 0.6, 0.9, 2.0)])
    number = {
        (int(black), int(white)): at for at, (black, white) in enumerate(truth.positions.stones[:, :, 0].T.tolist())
    }

    def values(players: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.float64]:
        stones = packed(moves, 3).stones[:, :, 0]
        found: NDArray[np.float64] = q[players, [number[int(black), int(white)] for black, white in stones.T.tolist()]]
        return found

    expected = truth.measure(q)
    for name, share in truth.measure_with_memory(4, values).items():
        assert share == pytest.approx(expected[name]), name
    assert len(set(expected["first_vs_random"])) > 1


def test_memory_counts() -> None:
    """A player that plays well only after the games that it likes, those that begin with a1."""
    truth = Truth(2)
    number = {(int(b), int(w)): at for at, (b, w) in enumerate(truth.positions.stones[:, :, 0].T.tolist())}

    def values(players: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.float64]:
        stones = packed(moves, 2).stones[:, :, 0]
        winning = truth.winning[[number[int(b), int(w)] for b, w in stones.T.tolist()]]
        likes = (moves[:, :1] == 0) if moves.shape[1] else np.zeros((len(moves), 1), bool)
        return np.where(likes == winning, 1.0, -1.0)

    measured = truth.measure_with_memory(1, values)
    assert measured["first_vs_best"][0] == 0.0
    # On 2x2 two first moves lose, a1 and b2. After a1 it plays right, after b2 wrong.
    assert measured["second_vs_best"][0] == 0.5


@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_perfect_values_are_right_everywhere(size: int) -> None:
    truth = Truth(size)
    measured = truth.measure(np.where(truth.winning, 1.0, -1.0)[None])
    assert measured["keeps_win"] == measured["sign"] == 1.0
    assert measured["right"] == len(truth.legal)
    assert ("first_vs_best" in measured) == (size <= 3)
    wrong = truth.measure(np.where(truth.winning, -1.0, 1.0)[None])
    assert wrong["sign"][0] < 0.9 or size == 1


def test_a_run_without_numbers_draws_its_moves(truth: Truth) -> None:
    q = np.stack([np.full(truth.legal.shape, np.nan), np.zeros(truth.legal.shape)])
    measured = truth.measure(q)
    for name in ("first_vs_random", "keeps_win", "sign"):
        assert measured[name][0] == measured[name][1]


def test_bad_input(truth: Truth) -> None:
    with pytest.raises(ValueError, match="size=8 is not possible: the truth is known from 1x1 to 7x7"):
        Truth(8)
    with pytest.raises(ValueError, match=r"values \[R, 4520, 9\] are expected, not \[2, 4519, 9\]"):
        truth.measure(np.zeros((2, 4519, 9)))
    with pytest.raises(ValueError, match="games on 4x4 cannot be worked out"):
        Truth(4).measure_with_memory(1, lambda players, moves: np.zeros((len(players), 16)))
