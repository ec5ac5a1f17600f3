"""Benzene's commands over HTP, beside a plain search of every move."""

import re

import pytest

from fingal.game import BLACK, WHITE, Board, Colour
from fingal.serve.htp import HtpEngine
from tests.analysis.positions import random_positions
from tests.players.test_resistance import plain_value
from tests.serve.scripted import First


def engine_for(board: Board) -> HtpEngine:
    engine = HtpEngine(First())
    engine.answer(f"boardsize {board.width} {board.height}")
    for colour in Colour:
        for cell in range(board.cells):
            if board.colour_at(cell) is colour:
                engine.answer(f"play {colour} {board.name(cell)}")
    return engine


def said(engine: HtpEngine, line: str) -> str:
    answer = engine.answer(line)
    assert answer.startswith("= "), answer
    return answer[2:].rstrip("\n")


def pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def winning_moves(board: Board) -> set[str]:
    found = set()
    for cell in board.empty_cells:
        after = board.copy()
        after.push(cell)
        if after.winner is board.turn or plain_value(after, len(after.empty_cells)) == -1:
            found.add(board.name(cell))
    return found


@pytest.fixture(scope="module")
def positions() -> list[Board]:
    return [b for b in random_positions(4, 4, 60, seed=11) if not b.is_over() and len(b.empty_cells) < 10][:15]


def test_solver(positions: list[Board]) -> None:
    for board in positions:
        engine = engine_for(board)
        wins = winning_moves(board)
        assert set(said(engine, f"dfpn-solver-find-winning {board.turn}").split()) == wins
        winner = board.turn if wins else board.turn.other
        assert said(engine, f"dfpn-solve-state {board.turn}") == str(winner)
        line = said(engine, f"dfpn-get-pv {board.turn}").split()
        assert (line[0] in wins) if wins else set(line) <= {board.name(cell) for cell in board.empty_cells}


def test_fill_in(positions: list[Board]) -> None:
    """What is filled in does not change the winner."""
    for board in positions:
        filled = board.copy()
        for cell, sign in pairs(said(engine_for(board), f"compute-inferior {board.turn}")).items():
            if sign.startswith("f"):
                assert re.fullmatch("f[dc][bw]", sign)
                filled.set_stone(cell, BLACK if sign[2] == "b" else WHITE)
        filled.turn = board.turn
        wins = filled.winner is board.turn or plain_value(filled, filled.cells) == 1
        assert wins == bool(winning_moves(board))


def test_must_play() -> None:
    """Of the opponent's winning semi connections, as they are listed, one at least does not need a cell crossed out."""
    crossed = 0
    for board in random_positions(6, 6, 25, seed=3):
        if board.is_over():
            continue
        engine = engine_for(board)
        known = pairs(said(engine, f"vc-get-mustplay {board.turn}"))
        outside = {cell for cell, sign in known.items() if sign == "x"}
        edges = "west east" if board.turn is BLACK else "north south"
        semis = said(engine, f"vc-between-cells-semi {board.turn.other} {edges}").splitlines()[1:]
        needed = [set(line.split("]")[0].split("[")[1].split()) for line in semis]
        for cell in outside:
            crossed += 1
            assert any(cell not in carrier for carrier in needed)
    assert crossed > 0


def test_connections_hold() -> None:
    """A full connection survives any single intrusion as a semi one, by the engine's own next answer."""
    board = Board(5)
    board.push("c3")
    engine = engine_for(board)
    line = said(engine, "vc-between-cells-full b c3 north").splitlines()[1]
    match = re.fullmatch(r"black c3 north full or \[ (.*?) ?\] \[ \] ", line)
    assert match is not None
    for cell in match[1].split():
        engine.answer(f"play w {cell}")
        semis = said(engine, "vc-between-cells-semi b c3 north").splitlines()[1:]
        fulls = said(engine, "vc-between-cells-full b c3 north").splitlines()[1:]
        assert semis or fulls
        for semi in semis:
            key = semi.split()[-1]
            assert f" {key} " in semi.split("]")[0]
        engine.answer("undo")


def test_interrupt() -> None:
    """An interrupt that comes before the solver is made ends its search all the same."""
    engine = HtpEngine(First())
    engine.answer("param_dfpn timelimit 0")
    assert engine.answer("dfpn-solve-state b", interrupted=True) == "= empty\n\n"
    engine.answer("boardsize 3")
    assert engine.answer("dfpn-solve-state b") == "= black\n\n"


def test_the_table_is_of_one_size() -> None:
    engine = HtpEngine(First())
    for size in (2, 4, 3):
        engine.answer(f"boardsize {size}")
        assert engine.answer("dfpn-solve-state b") == "= black\n\n"
