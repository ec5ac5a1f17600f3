"""Time on a clock: what a move gets, and whole games on a clock that only the test moves."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingal.game import Board, Record
from fingal.players.adjusted import Adjusted
from fingal.players.clock import LAG, RESERVE, Doubt, Lateness, is_enough, share, wanted
from fingal.players.player import Limit
from fingal.players.searching import SearchPlayer
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.tree import Search, Settings
from fingal.serve.htp import HtpEngine

SECONDS = st.floats(0, 1e5)
DOUBTS = st.builds(
    Doubt,
    st.integers(0, 361),
    st.floats(0, 1e6),
    st.floats(0, 1e6),
    st.one_of(st.just(math.inf), st.floats(0, 1e6)),
    st.floats(-2, 2),
)


@given(SECONDS, st.integers(1, 361), st.data())
def test_no_game_takes_more_than_its_clock(left: float, cells: int, data: st.DataObject) -> None:
    """Every move takes all that it may, and a lag; the opponent moves in between, or does not."""
    begun, empty = left, cells
    for _ in range((cells + 1) // 2):
        spent = share(left, empty).most
        left -= spent + (LAG if begun >= LAG * ((cells + 1) // 2) else 0)
        assert left >= -1e-6
        left, empty = max(left, 0.0), empty - 2


@given(SECONDS, st.integers(1, 361), st.integers(1, 400))
def test_no_period_takes_more_than_it_has(left: float, cells: int, moves: int) -> None:
    """Every move takes all that it may, and a lag where there was time for any; a reserve stays."""
    empty = cells
    while moves > 0 and empty > 0:
        given = share(left, empty, moves)
        assert given.usual <= given.most
        if given.most > 0:
            left -= given.most + LAG
            assert left >= RESERVE - 1e-6
        moves, empty = moves - 1, empty - 2


@given(st.floats(20, 1e5), st.integers(100, 361), st.integers(1, 40))
def test_all_moves_of_a_period_get_the_same(left: float, cells: int, moves: int) -> None:
    usual = share(left, cells, moves).usual
    assert usual == pytest.approx((left - RESERVE) / moves - LAG)
    for made in range(1, moves):
        rest = left - made * (usual + LAG)
        assert share(rest, cells - 2 * made, moves - made).usual == pytest.approx(usual, rel=1e-6)
    assert share(left, cells, 1) == share(left, cells - 1, 1)
    assert share(left, cells, 1).most == share(left, cells, 1).usual


def test_a_period_with_more_moves_than_the_board_has_room_for() -> None:
    assert share(60, 25, 1000) == share(60, 25, 13)


@given(SECONDS, SECONDS, st.integers(1, 361), DOUBTS)
def test_more_time_left_never_gives_less_time_for_a_move(one: float, other: float, empty: int, doubt: Doubt) -> None:
    less, more = share(min(one, other), empty), share(max(one, other), empty)
    assert less.usual <= more.usual
    assert less.most <= more.most
    assert wanted(less, doubt) <= wanted(more, doubt)
    assert 0 <= wanted(more, doubt) <= more.most


@pytest.mark.parametrize(("seconds", "least", "most"), [(600, 0.15, 0.3), (8, 0.5, 0.7)])
def test_time_is_for_the_moves_that_decide_unless_it_is_scarce(seconds: float, least: float, most: float) -> None:
    """Between equals a game on 11x11 is decided after some sixteen moves of either side."""
    left = seconds
    for move in range(16):
        left -= share(left, 121 - 2 * move).usual
    assert least < left / seconds < most


def test_hard_moves_get_more_time_and_clear_ones_less() -> None:
    usual = share(100, 100)
    clear = wanted(usual, Doubt(90, 0.9, 0.05, math.inf, 0.0))
    close = wanted(usual, Doubt(90, 0.4, 0.39, math.inf, 0.0))
    falling = wanted(usual, Doubt(90, 0.9, 0.05, math.inf, 0.3))
    assert clear < usual.usual < close <= usual.most
    assert falling > clear
    assert wanted(usual, Doubt(1, 1.0, 0.0, 0.0, 0.0)) == 0


def test_a_lead_that_cannot_be_overtaken_is_enough() -> None:
    usual = share(
        384 + 3.6, 240
    )  # 36 of these seconds are scarce: 36 / 60 + 348 / 20 = 18 for a move, 9 if it is clear
    leading = Doubt(90, 1000, 0, 1000, 0.0)
    assert wanted(usual, leading) == pytest.approx(9)
    assert not is_enough(9, leading, spent=3, rate=200)  # 1200 visits are still to come
    assert is_enough(9, leading, spent=5, rate=200)  # 800
    assert not is_enough(9, Doubt(90, 1000, 0, math.inf, 0.0), spent=5, rate=200)
    assert is_enough(9, Doubt(90, 1000, 0, math.inf, 0.0), spent=9, rate=200)


class Time:
    """A clock that only judging moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
        self.now, self.cost, self.asked = 0.0, cost, 0
        monkeypatch.setattr("time.monotonic", lambda: self.now)

    def evaluator(self, positions: Positions) -> Evaluation:
        self.now += self.cost
        self.asked += 1
        number, cells = len(positions.white_to_move), positions.width * positions.height
        rng = np.random.default_rng(self.asked)
        logits = rng.normal(size=(number, cells)).astype(np.float32)
        return Evaluation(logits, rng.uniform(-0.5, 0.5, number).astype(np.float32))

    def player(self, gumbel: bool = True) -> SearchPlayer:
        return SearchPlayer.with_net("timed", self.evaluator, Settings(gumbel=gumbel), Limit(simulations=100))


@pytest.mark.parametrize("gumbel", [True, False])
@pytest.mark.parametrize("seconds", [1, 3, 20])
@pytest.mark.parametrize("swap", ["0", "1"])
def test_whole_games_end_in_time(gumbel: bool, seconds: int, swap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Time(monkeypatch, cost=0.02)
    engine, rng = HtpEngine(ticking.player(gumbel)), random.Random(seconds)
    for line in ("boardsize 7", f"param_game allow_swap {swap}", f"param_game game_time {seconds}"):
        assert engine.answer(line).startswith("=")
    while not engine.board.is_over():
        assert engine.answer(f"genmove {engine.board.turn}").startswith("=")
        if not engine.board.is_over():
            engine.answer(f"play {engine.board.turn} {engine.board.name(rng.choice(engine.board.legal_moves))}")
        assert min(engine._left.values()) > 0
    assert ticking.now <= seconds
    assert ticking.now > 0.2 * seconds or seconds == 1  # and it is used


@pytest.mark.parametrize("batch", [0.02, 0.15])
@pytest.mark.parametrize("way", [0.0, 0.12])
def test_games_end_in_time_where_everything_takes_longer(
    batch: float, way: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch takes longer than is kept back for it, or the way to the referee does, who alone knows of it."""
    for seed in range(6):
        ticking = Time(monkeypatch, cost=batch)
        engine, rng = HtpEngine(ticking.player()), random.Random(seed)
        engine.answer("boardsize 7")
        left, moves = 6.5, 0
        while not engine.board.is_over():
            began = ticking.now
            engine.answer(f"time_left black {left}")
            assert engine.answer("genmove black").startswith("=")
            left -= ticking.now - began + way
            moves += 1
            assert left > 0, f"game {seed} is lost on time after {moves} moves"
            if not engine.board.is_over():
                engine.answer(f"play white {engine.board.name(rng.choice(engine.board.legal_moves))}")
        assert left < 5  # and time was used


def used(ticking: Time, player: SearchPlayer, seconds: float, decimals: int = 3) -> float:
    """The seconds that an engine takes for its first ten moves as White, with swap; the referee tells what is left."""
    engine, left = HtpEngine(player), seconds
    for line in ("boardsize 11", "param_game allow_swap 1", "play black a1"):
        engine.answer(line)
    for cell in engine.board.empty_cells[-10:]:
        engine.answer(f"time_left white {math.floor(left * 10**decimals) / 10**decimals:.{decimals}f}")
        began = ticking.now
        assert engine.answer("genmove white").startswith("=")
        left -= ticking.now - began
        engine.answer(f"play black {engine.board.name(cell)}")  # refused where White has a stone
    return seconds - left


def test_a_referee_who_counts_whole_seconds_takes_no_time_away(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Time(monkeypatch, cost=0.02)
    assert used(ticking, ticking.player(), 20, decimals=0) > 4


def test_threads_that_are_looked_at_seldom_are_not_late(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    for _ in range(6):  # when threads are looked at is up to the machine, so that one game says little
        ticking = Time(monkeypatch, cost=0.02)
        settings, limit = Settings(gumbel=True, threads=2), Limit(simulations=100)
        taken.append(used(ticking, SearchPlayer.with_net("two", ticking.evaluator, settings, limit), 20))
    assert sum(taken) / len(taken) > 5


def test_the_time_for_the_swap_on_a_board_that_the_net_does_not_know_is_not_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticking = Time(monkeypatch, cost=0.1)

    def for_white(positions: Positions) -> Evaluation:  # so that White lets Black have the first stone
        said = ticking.evaluator(positions)
        return Evaluation(said.logits, np.where(positions.white_to_move, 0.5, -0.5).astype(np.float32))

    player = SearchPlayer("small", lambda _: Search(for_white), pytest.fail, Limit(simulations=100), largest=5)
    assert used(ticking, player, 40) > 10


def test_what_is_late() -> None:
    late = Lateness()
    late.told(0.5)  # a clock before the first move
    assert late.seconds == 0
    late.moved(spent=0.4, meant=0.5)
    late.told(0.3)  # of these a tenth of a second was still free
    assert late.seconds == pytest.approx(0.2)
    late.told(0.9)  # counted already
    assert late.seconds == pytest.approx(0.2)
    late.moved(spent=0.1, meant=0.5)
    late.told(25.0)  # another clock
    assert 0 < late.seconds < 0.2
    for _ in range(100):
        late.moved(spent=0.1, meant=0.5)
    assert late.seconds < 0.001


def test_with_next_to_no_time_the_first_thought_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Time(monkeypatch, cost=0.02)
    for swap in (False, True):
        record = Record(11, 11, swap)
        ticking.asked = 0
        assert ticking.player().choose(record, Limit(clock=0.05)) in record.board().legal_moves
        assert ticking.asked <= 1


def test_a_forced_move_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Time(monkeypatch, cost=0.05)
    record, board = Record(7, 7), Board(7)
    for move in ("d2", "a1", "d3", "a2", "d4", "a3", "d5", "a4", "d6", "c7", "d1"):
        record.push(board.turn, board.cell(move))
        board.push(move)
    assert board.name(ticking.player().choose(record, Limit(clock=1000))) == "d7"
    assert ticking.asked <= 2


@pytest.mark.parametrize("own", [Limit(seconds=0.5), Limit(simulations=10)])
def test_the_players_own_limit_holds_under_a_clock(own: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Time(monkeypatch, cost=0.1)
    player = Adjusted(ticking.player(), limit=own)
    player.choose(Record(9, 9), Limit(clock=1000))
    assert ticking.now < 0.65
    ticking.now = 0
    player.choose(Record(9, 9), Limit(clock=0.0))
    assert ticking.now < 0.15


def test_a_clock_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="a clock of -1 seconds is not possible"):
        Limit(clock=-1)
