"""Games in lockstep, pairs picked from them and continuations, against boards that are played one by one."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fingal.game import Board, Colour
from fingal.learn.parts import returns
from fingal.learn.parts.policy import legal_in_planes
from fingal.learn.parts.policy_games import Games, Pairs, Rows
from fingal.learn.parts.policy_sampler import Sampler, drawn
from fingal.nets import bridges
from fingal.nets.convolutional import Config, Convolutional
from fingal.nets.planes import positions_of


def planes_of(board: Board) -> NDArray[np.uint8]:
    found: NDArray[np.uint8] = bridges.encode(positions_of([board]))[0]
    return found


def lowest(planes: NDArray[np.uint8]) -> Rows:
    """The first empty cell: a policy that anyone can follow."""
    return legal_in_planes(torch.from_numpy(planes)).int().argmax(1).int().numpy()


def play_lowest(board: Board) -> Board:
    while not board.is_over():
        board.push(min(board.empty_cells))
    return board


class Random:
    """Uniformly random moves."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, rows: Rows, ply: int, planes: NDArray[np.uint8]) -> Rows:
        legal = legal_in_planes(torch.from_numpy(planes)).numpy()
        cells: Rows = np.where(legal, self.rng.random(legal.shape), -1).argmax(1).astype(np.int32)
        return cells


def games_of(pairs: Pairs, size: int) -> dict[int, list[int]]:
    """The moves of each game; the opening is the only stone of its first pair."""
    moves: dict[int, list[int]] = {}
    for planes, cell, game, ply, _ in zip(*pairs, strict=True):
        if ply == 1:
            moves[int(game)] = [int(planes[0, 1:-1, 1:-1].argmax())]
        assert len(moves[int(game)]) == ply
        moves[int(game)].append(int(cell))
    return moves


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_every_pair_of_every_game(size: int) -> None:
    games = Games(size, 9)
    pairs, length = games.play(Random(size), np.random.default_rng(size), every=True)
    for game, moves in games_of(pairs, size).items():
        of_game = pairs.game == game
        board = Board(size)
        board.push(moves[0])
        z = returns.signed(torch.from_numpy(length[pairs.game]), torch.from_numpy(pairs.ply))[of_game].tolist()
        for move, planes, over, result in zip(moves[1:], pairs.planes[of_game], pairs.over[of_game], z, strict=True):
            assert np.array_equal(planes, planes_of(board))
            mover = board.turn
            board.push(move)
            assert over == board.is_over()
            winner = play_winner(moves, size)
            assert result == (1 if mover == winner else -1)
        assert all(a == -b for a, b in itertools.pairwise(z))  # movers alternate, and so do their results
        assert len(moves) == length[game]
    assert games.asked == len(pairs.cells)


def play_winner(moves: list[int], size: int) -> object:
    board = Board(size)
    for move in moves:
        board.push(move)
    return board.winner


def test_one_pair_of_each_game_is_as_likely_as_another() -> None:
    games = Games(3, 6000)
    pairs, length = games.play(Random(1), np.random.default_rng(2), every=False)
    assert list(pairs.game) == list(range(6000))
    for stones in (6, 7, 8):
        plies = Counter(pairs.ply[length == stones].tolist())
        assert set(plies) == set(range(1, stones))  # the opening is never picked, the last move may be
        count = (length == stones).sum() / (stones - 1)
        assert all(abs(seen - count) < 4.5 * np.sqrt(count) for seen in plies.values())
    assert np.array_equal(pairs.over, pairs.ply == length - 1)


def position_before(planes: NDArray[np.uint8], size: int) -> Board:
    """A board with the stones of planes and the side to move."""
    board = Board(size)
    for colour in (0, 1):
        for cell in np.flatnonzero(planes[colour, 1:-1, 1:-1]):
            board.set_stone(int(cell), Colour(colour))
    board.turn = Colour(int(planes[3, 0, 0]))
    return board


@pytest.mark.parametrize("size", [2, 3, 5])
def test_continuations_after_the_move_itself(size: int) -> None:
    games = Games(size, 40, 3)
    pairs, length = games.play(lambda rows, ply, planes: lowest(planes), np.random.default_rng(size), every=False)
    further = games.branch(pairs, lowest, 3)
    # Whoever always plays the first empty cell goes on as the game did.
    wanted = np.where(pairs.over, 0, length)[:, None, None]
    assert np.array_equal(further, np.broadcast_to(wanted, (40, 3, 1)))


@pytest.mark.parametrize(("size", "k", "repeats"), [(2, 2, 1), (3, 4, 1), (4, 3, 2)])
def test_continuations_after_the_best_replies(size: int, k: int, repeats: int) -> None:
    def last_cells(planes: NDArray[np.uint8], k: int) -> Rows:
        """The k last empty cells, the very last one first."""
        legal = legal_in_planes(torch.from_numpy(planes)).numpy()
        found = np.full((len(planes), k), -1, np.int32)
        for row, cells in enumerate(legal):
            some = np.flatnonzero(cells)[::-1][:k]
            found[row, : len(some)] = some
        return found

    games = Games(size, 60, k * repeats)
    pairs, _ = games.play(Random(3), np.random.default_rng(4), every=False)
    further = games.branch(pairs, lowest, k, repeats, last_cells)
    assert further.shape == (60, k, repeats)
    fewer = 0
    for game in range(60):
        board = position_before(pairs.planes[game], size)
        board.push(int(pairs.cells[game]))
        replies = [] if board.is_over() else sorted(board.empty_cells, reverse=True)[:k]
        fewer += 0 < len(replies) < k
        stones = int(pairs.ply[game]) + 1
        for number, reply in enumerate(replies):
            after = board.copy()
            after.push(reply)
            play_lowest(after)
            assert (further[game, number] == stones + len(after.moves) - len(board.moves)).all()
        assert (further[game, len(replies) :] == 0).all()
    assert fewer  # near the end there are not k replies


NET = Config(layers=2, channels=8)


@pytest.fixture
def net() -> Convolutional:
    torch.manual_seed(5)
    return Convolutional(NET)


def some_planes(size: int, count: int) -> NDArray[np.uint8]:
    pairs, _ = Games(size, count).play(Random(6), np.random.default_rng(7), every=False)
    return pairs.planes


def test_moves_are_drawn_from_the_softmax_over_empty_cells(net: Convolutional) -> None:
    with torch.no_grad():
        net.policy.weight *= 8  # a policy that differs between cells
    planes = some_planes(3, 1)
    sampler = Sampler(net, torch.device("cpu"), half=False)
    sampler.seed(1)
    count = 20_000
    seen = np.bincount(sampler.draw(planes.repeat(count, 0)), minlength=9)
    with torch.no_grad():
        said = net(torch.from_numpy(planes).float())[0].double().exp().numpy()
    said *= planes[0, 2, 1:-1, 1:-1].ravel()
    chance = said / said.sum()
    assert chance.max() > 2 * np.median(chance)
    assert (seen[chance == 0] == 0).all()
    assert (np.abs(seen - count * chance) < 4.5 * np.sqrt(count * chance * (1 - chance)) + 1e-9).all()


def test_noise_of_zero_does_not_free_a_stone() -> None:
    legal = torch.tensor([[False, True, True]])
    assert drawn(torch.zeros(1, 3), legal, torch.zeros(1, 3)).item() in (1, 2)


@pytest.mark.parametrize("size", [3, 7])
def test_what_the_net_says_does_not_depend_on_parts(size: int, net: Convolutional) -> None:
    planes = some_planes(size, 150)
    sampler = Sampler(net, torch.device("cpu"), half=False)
    found = sampler.logits(planes)
    with torch.no_grad():
        wanted = net(torch.from_numpy(planes).float())
    empty = torch.from_numpy(planes[:, 2, 1:-1, 1:-1].reshape(150, -1) > 0)
    assert torch.allclose(found[empty], wanted[empty], atol=1e-5)
    assert torch.isneginf(found[~empty]).all()


def test_half_precision_says_nearly_the_same(net: Convolutional) -> None:
    planes = some_planes(5, 64)
    full, half = (Sampler(net, torch.device("cpu"), half=half).logits(planes).softmax(1) for half in (False, True))
    assert (full - half).abs().max() < 0.01


def test_a_sampler_plays_with_the_weights_that_it_last_took_over(net: Convolutional) -> None:
    planes = some_planes(4, 8)
    sampler = Sampler(net, torch.device("cpu"), half=False)
    before = sampler.logits(planes)
    with torch.no_grad():
        net.policy.weight += 1
    assert torch.equal(sampler.logits(planes), before)
    sampler.follow()
    assert not torch.equal(sampler.logits(planes), before)
