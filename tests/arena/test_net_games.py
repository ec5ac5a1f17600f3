"""Games between nets, many at once: the rules, the players' moves and the counts, against games played one by one."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from fingal.arena import net_games
from fingal.arena.net_games import Game, Games, Randomly
from fingal.arena.ratings import rate
from fingal.game import BLACK, WHITE, Board
from fingal.nets import choice
from fingal.nets.agreement import legal_logits
from fingal.nets.card import Card
from fingal.nets.plain_evaluator import PlainEvaluator
from fingal.nets.planes import positions_of
from fingal.search.evaluator import Evaluation, Positions


def net(seed: int, size: int, name: str = "convolutional") -> PlainEvaluator:
    torch.manual_seed(seed)
    return PlainEvaluator(choice.build(name, size, width=4))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_every_game_is_the_one_that_two_nets_play_alone(size: int) -> None:
    players = [
        net(seed, size, name) for seed, name in enumerate(("convolutional", "feed-forward", "convolutional-cube"))
    ]
    pairs = net_games.round_robin(3)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    games = net_games.play(players, pairs, size)
    for number, seats in enumerate(pairs):
        board = Board(size, size)
        while not board.is_over():
            positions = positions_of([board])
            board.push(int(legal_logits(players[seats[board.ply % 2]](positions), positions).argmax()))
        assert games.moves[number, : board.ply].tolist() == list(board.moves)
        assert (games.moves[number, board.ply :] == -1).all()
        assert games.lengths[number] == board.ply
        assert games.black_won[number] == (board.winner is BLACK)


class Counting:
    """Likes the last cell best, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, positions: Positions) -> Evaluation:
        count, cells = len(positions.last), positions.width * positions.height
        self.asked.append(count)
        return Evaluation(np.tile(np.arange(cells, dtype=np.float32), (count, 1)), np.zeros(count, np.float32))


def test_equal_positions_are_asked_about_once_and_the_random_player_is_not_the_same_in_them() -> None:
    player = Counting()
    pairs = net_games.between([0], [1], rounds=50)
    assert len(pairs) == 100
    games = net_games.play([player, Randomly(3)], pairs, 3)
    # Fifty first moves on the empty board were one question; after any of nine first stones nine; and the random
    # player's fifty replies to its one first move differ.
    assert player.asked[:3] == [1, 9, 8]
    replies = games.moves[games.pairs[:, 0] == 0, 1]
    assert len(set(replies.tolist())) == 8, "all cells but the last"
    again = net_games.play([Counting(), Randomly(3)], pairs, 3)
    assert (again.moves == games.moves).all()
    other = net_games.play([Counting(), Randomly(4)], pairs, 3)
    assert (other.moves != games.moves).any()


class Scripted:
    """Likes cells by what it is shown."""

    def __init__(self, chosen: Callable[[int, int], int], encoder: str) -> None:
        """``chosen`` gives the best cell by the number of stones and the last move."""
        self.chosen, self.card = chosen, Card("scripted", {}, encoder=encoder)

    def __call__(self, positions: Positions) -> Evaluation:
        stones = np.unpackbits(positions.stones.view(np.uint8), axis=2).sum((0, 2))
        cells = [self.chosen(int(count), int(last)) for count, last in zip(stones, positions.last, strict=True)]
        return Evaluation(np.eye(9, dtype=np.float32)[cells], np.zeros(len(cells), np.float32))


def test_equal_stones_are_two_questions_to_a_net_that_sees_the_last_move() -> None:
    """Black has a1 and c1 in either order, White b2 between them and then the cell two rows below the last stone."""
    black = Scripted(lambda stones, last: 2 if stones == 2 else 0, "canonical-ring-1")
    white = Scripted(lambda stones, last: 4 if stones == 1 else (last + 6) % 9, "bridges-1")
    third = Scripted(lambda stones, last: 0, "canonical-ring-1")
    games = net_games.play([black, third, white], np.array([[0, 2], [1, 2]]), 3, np.array([0, 2]))
    assert games.moves[:, :4].tolist() == [[0, 4, 2, 8], [2, 4, 0, 6]]


def test_two_random_players_on_3x3_win_as_often_as_is_known() -> None:
    """The first player wins 66.7% of random games on 3x3; of 4,000 it is within four deviations."""
    pairs = np.tile([[0, 1]], (4000, 1))
    games = net_games.play([Randomly(1), Randomly(2)], pairs, 3)
    assert abs(games.black_won.mean() - 2 / 3) < 4 * np.sqrt(2 / 9 / 4000)


def test_openings_are_given_to_black() -> None:
    pairs, openings = net_games.from_every_opening(net_games.round_robin(2), 9)
    assert (len(pairs), openings[:9].tolist()) == (18, list(range(9)))
    games = net_games.play([net(0, 3), net(1, 3)], pairs, 3, openings)
    assert games.moves[:, 0].tolist() == list(range(9)) * 2
    assert games.distinct <= 18


def made(pairs: list[list[int]], black_won: list[bool]) -> Games:
    count = len(pairs)
    return Games(np.array(pairs), np.full(count, -1), np.array(black_won), np.zeros((count, 4), np.int16))


def test_counts_by_hand() -> None:
    games = made([[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]], [True, False, True, True, False, True])
    assert games.won(3).tolist() == [[2, 1], [0, 0], [2, 1]]
    assert games.played(3).tolist() == [[2, 2]] * 3
    total, first, second = games.rates([0, 1])
    # Of the four games with player 2: Black won by 0, lost by 1, and 2 won both of its games with Black.
    assert (tuple(total), tuple(first), tuple(second)) == ((1, 4), (1, 2), (0, 2))
    some = games.where(games.black_won)
    assert len(some) == 4
    assert len(net_games.play([], np.zeros((0, 2), np.int64), 3)) == 0


def test_ratings_are_the_arenas() -> None:
    games = made([[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]], [True, False, True, True, False, True])
    names = ["a", "b", "c"]
    plain = [
        Game(names[black], names[white], BLACK if won else WHITE)
        for (black, white), won in zip(games.pairs.tolist(), games.black_won, strict=True)
    ]
    assert games.ratings(names, resamples=20) == rate(plain, None, 20)


def test_a_net_that_does_not_play_the_board() -> None:
    with pytest.raises(ValueError, match="plays on 3x3 only, not on 4x4"):
        net_games.play([net(0, 3, "feed-forward"), net(0, 3)], net_games.round_robin(2), 4)
