from pathlib import Path

import pytest
import torch

from fingal.arena.exam.questions import shipped
from fingal.arena.play import play_game
from fingal.game import SWAP, Board, Colour, Record
from fingal.nets import checkpoint
from fingal.nets.hexagonal import Config as HexagonalConfig
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.inference import open_evaluator
from fingal.nets.narrowing import Config, Narrowing
from fingal.players import make
from fingal.players.minimax import MinimaxPlayer
from fingal.players.player import Limit
from fingal.search.evaluator import Evaluation, Positions


@pytest.fixture
def net(tmp_path: Path) -> Path:
    torch.manual_seed(1)
    checkpoint.save(Narrowing(Config(4, channels=8, dense=8)), tmp_path / "value.safetensors")
    return tmp_path / "value.safetensors"


@pytest.mark.parametrize("depth", [1, 2])
def test_it_plays_whole_games_and_wins_what_connections_have_won(net: Path, depth: int) -> None:
    player = make(f"minimax:net={net},depth={depth}")
    # After b3 Black has won on 4x4 by connection: it must finish against whatever White does.
    for reply in range(16):
        record = Record.of(["b3"], 4)
        board = record.board()
        if board.empty_cells.count(reply) == 0:
            continue
        while not board.is_over():
            mover = board.turn
            move = reply if reply in board.empty_cells and mover is Colour.WHITE else player.choose(record)
            record.push(mover, move)
            board = record.board()
        assert board.winner is Colour.BLACK


def test_without_connections_it_goes_by_the_values(net: Path) -> None:
    plain = MinimaxPlayer(open_evaluator(net), connections=False)
    assert plain.choose(Record(4, 4)) in Board(4).empty_cells
    assert plain.value is not None
    assert -1 <= plain.value <= 1


def test_an_interrupt_and_a_limit_of_seconds_end_the_second_look(net: Path) -> None:
    judged: list[int] = []

    def counting(positions: Positions) -> Evaluation:
        judged.append(len(positions.last))
        return evaluator(positions)

    evaluator = open_evaluator(net)
    player, record = MinimaxPlayer(counting, depth=2, connections=False), Record(4, 4)
    player.interrupt()
    hurried = player.choose(record)
    assert judged == [16]
    assert hurried == MinimaxPlayer(evaluator, connections=False).choose(record)
    player.choose(record, Limit(seconds=1e-9))
    assert judged == [16, 16]
    player.choose(record)
    assert sum(judged) > 2 * 16 + 16 + 15


def test_it_swaps_by_its_value(net: Path) -> None:
    player = MinimaxPlayer(open_evaluator(net))
    for cell in Board(4).empty_cells:
        record = Record(4, 4, swap=True)
        record.push(record.board().turn, cell)
        move = player.choose(record)
        assert (move == SWAP) == (player.value is not None and player.value < 0)


def test_a_net_without_values_and_another_depth_are_refused(tmp_path: Path, net: Path) -> None:
    checkpoint.save(Hexagonal(HexagonalConfig(squash="none")), tmp_path / "policy.safetensors")
    with pytest.raises(ValueError, match="has no values, only a policy"):
        make(f"minimax:net={tmp_path / 'policy.safetensors'}")
    with pytest.raises(ValueError, match="depth=3 is not possible: 1 or 2"):
        make(f"minimax:net={net},depth=3")


def test_the_net_that_ships_keeps_wins_by_its_values_alone() -> None:
    # Nine in ten of the won positions, by the solver; a random move keeps about half of them.
    player = make("minimax:net=ezo-7,connections=no")
    asked = [question for question in shipped(7) if question.winning][::8]
    kept = sum(player.choose(Record.of([Board(7).name(move) for move in one.moves], 7)) in one.winning for one in asked)
    assert kept >= 0.9 * len(asked)
    with pytest.raises(ValueError, match="7x7"):
        player.choose(Record(5, 5))


def test_the_net_that_ships_for_9x9_wins_without_the_first_move() -> None:
    record, failure = play_game((make("shortest-path:seed=1"), make("minimax:net=ezo-9")), Record(9, 9))
    assert record.board().winner is Colour.WHITE, failure
