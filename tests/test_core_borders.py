"""The compiled core checks what comes in, whoever calls: one sentence, and nothing has changed."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingal import _core
from tests.core_arguments import model
from tests.core_fuzzing import entries, run_batches

Call = Callable[[], object]


def board(side: int, *moves: int) -> _core.Board:
    made = _core.Board(side, side)
    for move in moves:
        made.push(move)
    return made


def won() -> _core.Board:
    """Black has the first column of 3x3."""
    return board(3, 0, 1, 3, 4, 6)


def tree(side: int = 3, **settings: float) -> _core.TreeSearch:
    return _core.TreeSearch(board(side), search_settings(**settings))


def uct(side: int = 3) -> _core.UctSearch:
    return _core.UctSearch(board(side), model(0), _core.UctSettings())


def search_settings(**settings: float) -> _core.SearchSettings:
    made = _core.SearchSettings()
    for name, value in settings.items():
        setattr(made, name, value)
    return made


def solver(side: int = 3, **settings: float) -> _core.Solver:
    made = _core.SolverSettings()
    made.memory_mb = 1
    for name, value in settings.items():
        setattr(made, name, value)
    return _core.Solver(side, side, made)


def pool(**settings: float) -> _core.SelfplayPool:
    made = _core.SelfplaySettings()
    for name, value in settings.items():
        setattr(made, name, value)
    return _core.SelfplayPool(3, 3, 2, made, 1)


def room(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros((2, count, 1), np.uint64), np.zeros(count, np.bool_), np.zeros(count, np.int32)


def selected(count: int = 1) -> _core.TreeSearch:
    """A search with a batch under way: the root."""
    made = tree()
    assert made.select(count, 100, *room(count)) == 1
    return made


def stepped(action: np.ndarray, reward: np.ndarray) -> None:
    _core.Batch(3, 3, len(action)).step(action, reward, np.zeros(len(action), np.bool_))


SHARED = np.zeros(5, np.int32)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: uct().set_position(board(7)), "a board of 7x7 does not fit: this search is for boards of 3x3"),
        (lambda: tree(6).set_position(board(9)), "a board of 9x9 does not fit"),
        (lambda: tree().set_position(won()), "the game is over"),
        (lambda: uct().set_position(won()), "the game is over"),
        (lambda: uct().prove(7, -1), "proof=7 is not possible"),
        (lambda: uct().prove(1, 99), "winning=99 is not possible"),
        (lambda: _core.inferior(board(3), 255), "colour 255 is not possible: 0 is Black, 1 is White"),
        (lambda: _core.inferior(won(), 0), "the game is over"),
        (lambda: _core.regions(won()), "the game is over"),
        (lambda: _core.Connections(board(3), 5), "colour 5 is not possible"),
        (lambda: _core.Connections(board(3), 0, fulls=2**31 - 1), "from 1 to 10000"),
        (lambda: _core.connection_wires(board(3), 7), "colour 7 is not possible"),
        (lambda: _core.TemplateFinder().find(board(4), 9), "colour 9 is not possible"),
        (lambda: _core.TemplateFinder(most_cells=63), "most_cells=63 is not possible"),
        (lambda: board(3)._packed(9), "colour 9 is not possible"),
        (lambda: board(3)._start(-1), "colour -1 is not possible"),
        (lambda: board(3)._set_stone(0, 77), "colour 77 is not possible"),
        (lambda: board(3)._set_turn(9), "colour 9 is not possible"),
        (lambda: _core.Connections(board(6), 0)._smallest_win(), "no connection joins the edges"),
        (lambda: tree(noise_share=0.25, noise_total=math.inf), "noise_total=inf is not possible"),
        (lambda: tree(noise_share=math.nan), "noise_share=nan is not possible"),
        (lambda: tree().prepare(10, search_settings(c_init=math.nan)), "c_init=nan is not possible"),
        (lambda: tree().prepare(2**30, search_settings(gumbel=True)), "a plan of 1073741824 simulations"),
        (lambda: tree().prepare(-1, search_settings()), "a negative number of simulations"),
        (lambda: selected().run_constant(10), "a batch is under way"),
        (lambda: selected().select(1, 100, *room(1)), "batch 0 is under way"),
        (lambda: selected().update(np.full((1, 9), np.nan, np.float32), np.zeros(1, np.float32)), "must be finite"),
        (lambda: selected().update(np.zeros((1, 9), np.float32), np.full(1, np.nan, np.float32)), "from -1 to 1"),
        (lambda: selected().update(np.zeros((1, 8), np.float32), np.zeros(1, np.float32)), "8 logits do not answer"),
        (lambda: tree().select(-1, 100, *room(0)), "a negative number of positions"),
        (lambda: _core.considered_visits(4, -5), "a plan of -5 simulations is not possible"),
        (lambda: _core.Batch(3, 3, 2**62), "games are not possible: at most"),
        (lambda: _core.PolicyGames(3, 3, 0), "0 games are not possible: at least 1"),
        (lambda: _core.random_games(3, 3, 1, 0, 10**9), "threads are not possible: at most"),
        (lambda: pool(full_share=math.nan), "full_share=nan is not possible"),
        (lambda: pool(resign_below=math.nan), "resign_below=nan is not possible"),
        (lambda: solver(epsilon=math.nan), "epsilon=nan is not possible"),
        (lambda: solver(wide_base=-5), "wide_base=-5 is not possible"),
        (lambda: solver().run(board(3), 10, math.nan), "a limit of nan seconds"),
        (lambda: solver().save("a\0b"), "no zero bytes"),
        (lambda: _core.resistance_value(math.nan, 1), "conductances of nan"),
        (lambda: stepped(SHARED[:4], SHARED.view(np.float32)[1:]), "reward and action share memory"),
        (
            lambda: _core.Batch(3, 3, 1).unpack(np.zeros((2, 1, 1), np.uint64), np.array([7], np.uint8).view(np.bool_)),
            "white_to_move holds bytes other than 0 and 1",
        ),
    ],
)
def test_hostile_calls_are_refused_in_one_sentence(call: Call, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_what_is_written_is_never_a_copy() -> None:
    with pytest.raises(TypeError):
        _core.Batch(3, 3, 2).random_actions(5, np.zeros(2, np.int64))


def test_a_search_that_refuses_a_board_goes_on_where_it_was() -> None:
    search = tree()
    search.run_constant(50)
    before = search.candidates()
    for other in (board(7), won()):
        with pytest.raises(ValueError, match=r"fit|over"):
            search.set_position(other)
    assert search.candidates() == before
    search.run_constant(60)
    assert search.visits == 61


def test_a_broken_state_of_games_changes_nothing() -> None:
    first = pool()
    first.select(*room(2))
    first.update(np.zeros((2, 9), np.float32), np.zeros(2, np.float32))
    state = first.save()
    attacked, left_alone, played = pool(), pool(), pool()
    for games in (attacked, left_alone):
        games.restore(state)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(1000):
        broken = bytearray(state)
        broken[rng.integers(len(broken))] = rng.integers(256)
        try:
            played.restore(bytes(broken))
        except ValueError:
            refused += 1
            with pytest.raises(ValueError, match="saved games"):
                attacked.restore(bytes(broken))
        for _ in range(3):
            played.select(*room(2))
            played.update(np.zeros((2, 9), np.float32), np.zeros(2, np.float32))
            played.drain()
    assert refused > 100
    assert attacked.save() == left_alone.save()


def sum_of(slots: bytearray) -> int:
    """The sum at the end of a solver's table, after its 32 bytes of header and its slots."""
    total = 0
    for byte in slots:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return total


def test_a_table_that_names_cells_off_the_board_is_refused_though_its_sum_is_right(tmp_path: Path) -> None:
    file = tmp_path / "table"
    first = solver(4)
    first.run(board(4), 30, math.inf)
    first.save(str(file))
    table = bytearray(file.read_bytes())
    assert int.from_bytes(table[-8:], "little") == sum_of(table[32:-8])
    table[32 + 3] = 255  # of the first slot's stones
    table[-8:] = sum_of(table[32:-8]).to_bytes(8, "little")
    file.write_bytes(table)
    second = solver(4)
    with pytest.raises(RuntimeError, match="it is damaged"):
        second.load(str(file))
    assert second.table_used == 0


def test_a_solver_at_work_refuses_other_work_and_answers_questions() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def waits(stones: Sequence[Sequence[int]], to_move: int) -> list[float]:
        begun.set()
        assert go_on.wait(60)
        return []

    works = solver(6)
    works.set_policy(waits)
    winners: list[int] = []
    thread = threading.Thread(target=lambda: winners.append(works.run(board(6), 10**6, math.inf)))
    thread.start()
    assert begun.wait(60)
    refused: list[Call] = [
        lambda: works.run(board(6), 10, 1.0),
        lambda: works.set_policy(None),
        lambda: works.save("nowhere"),
        lambda: works.load("nowhere"),
    ]
    for call in refused:
        with pytest.raises(RuntimeError, match="this solver is at work in another thread"):
            call()
    assert not works.look_up(board(6)).known
    assert works.nodes == 0
    go_on.set()
    thread.join()
    assert winners == [0]


def long_work() -> list[tuple[Call, Call]]:
    """Calls that last long enough to be met at work, each with another call of the same object."""
    large = board(9)
    games = np.arange(200, dtype=np.int32)
    judged = _core.JudgedGames(9, 9, 200)
    for move in range(12):
        judged.play(games, np.full(200, 7 * move, np.int32), np.zeros(200, np.bool_))
    outs = np.zeros(200, np.int8), np.zeros(200, np.int32), np.zeros((200, 81), np.bool_)
    settings = _core.SelfplaySettings()
    settings.full_simulations = settings.cheap_simulations = 64
    several = _core.SelfplayPool(9, 9, 3_000, settings, 1)
    many = np.zeros((2, 3_000, 2), np.uint64), np.zeros(3_000, np.bool_), np.zeros(3_000, np.int32)
    logits, values = np.zeros((3_000, 81), np.float32), np.zeros(3_000, np.float32)

    def play() -> None:
        for _ in range(20):
            several.select(*many)
            several.update(logits, values)

    search, playouts, joined = tree(9), uct(9), _core.Connections(large, 0)
    policy_games = _core.PolicyGames(19, 19, 20_000)
    rows = np.arange(20_000, dtype=np.int32)
    return [
        (lambda: search.run_constant(50_000), lambda: search.visits),
        (lambda: playouts.run(5_000, math.inf, 10**9), lambda: playouts.candidates()),
        (lambda: joined.build(large), lambda: joined.won),
        (lambda: judged.judge(games, *outs), judged.reset),
        (play, several.resignations),
        (lambda: policy_games.planes(rows), policy_games.reset),
    ]


@pytest.mark.parametrize("index", range(6), ids=["tree", "uct", "connections", "judged", "selfplay", "policy games"])
def test_an_object_at_work_refuses_a_second_thread(index: int) -> None:
    work, other = long_work()[index]
    thread = threading.Thread(target=work)
    refused = 0
    thread.start()
    while thread.is_alive():
        try:
            other()
        except RuntimeError as error:
            refused += "is at work in another thread" in str(error)
            time.sleep(0.001)
    thread.join()
    assert refused > 0
    other()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_a_policy_raises_is_raised_by_run(error: type[BaseException], threads: int) -> None:
    def fails(stones: Sequence[Sequence[int]], to_move: int) -> list[float]:
        raise error

    works = solver(6, threads=threads)
    works.set_policy(fails)
    with pytest.raises(error):
        works.run(board(6), 10**6, math.inf)
    works.set_policy(None)
    assert works.run(board(6), 10**6, math.inf) == 0


@pytest.mark.parametrize(
    ("scores", "error", "sentence"),
    [
        ([1.0] * 35, ValueError, "returned 35 scores: one for every cell, 36, is expected"),
        ([math.nan] * 36, ValueError, "not finite"),
        ("sixteen", TypeError, "something else than a list of numbers"),
    ],
)
def test_a_policy_must_have_a_score_for_every_cell(scores: Any, error: type[Exception], sentence: str) -> None:
    works = solver(6)
    works.set_policy(lambda stones, to_move: scores)
    with pytest.raises(error, match=sentence):
        works.run(board(6), 10**6, math.inf)


def test_a_stop_before_the_run_is_not_lost_where_the_run_says_what_it_knows() -> None:
    works = solver(5)
    known = works.stops
    works.stop()
    assert works.run(board(5), 10**6, math.inf, known) == -1
    assert works.nodes == 0
    assert works.run(board(5), 10**6, math.inf) == 0


def test_every_entry_of_the_stub_is_called_at_random_and_none_breaks() -> None:
    reached = run_batches(range(24), 4_000)
    assert [entry.key for entry in entries() if not reached[entry.key]] == []


def test_two_threads_on_one_object_break_nothing() -> None:
    run_batches(range(8), 2_400, threads=True)
