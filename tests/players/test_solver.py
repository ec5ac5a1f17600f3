import random

from fingal.game import SWAP, Board, Colour, Record
from fingal.players import spec
from fingal.players.player import Limit
from fingal.players.solver import Settings, make
from fingal.testing.player import check_player
from tests.solve.truth import OPENINGS


def test_it_keeps_the_contract() -> None:
    check_player("solver:time=0.05,memory=8", sizes=[(1, 1), (2, 2), (3, 5), (11, 11)])


def test_a_won_position_is_won_against_any_play() -> None:
    rng = random.Random(0)
    player = make(Settings(memory=16))
    for side in Colour:
        for opening in range(16):
            record = Record(4, 4)
            record.push(Colour.BLACK, opening)
            wins = record.name(opening) in OPENINGS["4x4"]
            if wins is (side is Colour.WHITE):
                continue
            while (winner := record.board().winner) is None:
                board = record.board()
                mine = board.turn is side
                record.push(board.turn, player.choose(record) if mine else rng.choice(board.empty_cells))
                if mine:
                    assert player.remark == f"Proved: {side} wins."
            assert winner is side


def test_it_says_when_it_guesses() -> None:
    player = make(Settings(memory=8))
    record = Record(11, 11)
    assert Board(11).is_legal(player.choose(record, Limit(nodes=3)))
    assert player.remark == "A guess: not solved after 3 positions."


def test_it_swaps_what_wins_and_nothing_else() -> None:
    player = make(Settings(memory=16))
    for opening in range(16):
        record = Record(4, 4, swap=True)
        record.push(Colour.BLACK, opening)
        assert (player.choose(record) == SWAP) is (record.name(opening) in OPENINGS["4x4"])


def test_its_settings_can_be_given_as_text() -> None:
    player = spec.make("solver:time=0.1,memory=8,threads=2")
    assert player.name == "solver:time=0.1,memory=8,threads=2"
    assert player.choose(Record(2, 2)) in (1, 2)
