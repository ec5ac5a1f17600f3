"""Random games replayed move by move on Fingal's board and on OpenSpiel's."""

import random

import pyspiel

from fingal import BLACK, WHITE, Board


def compare_games(width: int, height: int, games: int, seed: int) -> None:
    """Play random games on both; legal moves, side to move, end and winner must agree after every move."""
    game = pyspiel.load_game("hex", {"num_cols": width, "num_rows": height})
    chooser = random.Random(seed)
    for _ in range(games):
        board, state = Board(width, height), game.new_initial_state()
        while not state.is_terminal():
            assert not board.is_over()
            legal = state.legal_actions()
            assert board.legal_moves == legal
            assert board.turn == state.current_player()
            move = chooser.choice(legal)
            board.push(move)
            state.apply_action(move)
        assert board.winner is (BLACK if state.returns()[0] > 0 else WHITE)
        assert board.legal_moves == []
