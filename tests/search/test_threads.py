"""Several threads in one tree: limits, proofs, failures and interrupts end cleanly, whoever looks meanwhile."""

import _thread
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from fingal import _core
from fingal.game import Board
from fingal.search import crew
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.tree import Search, Settings
from tests.search.golden import board_of, central

BOTH = [Settings(threads=3, batch=4), Settings(gumbel=True, threads=3, batch=4)]


@pytest.fixture(autouse=True)
def _nobody_stays_behind() -> Iterator[None]:
    before = _thread._count()
    yield
    end = time.monotonic() + 10
    while (
        _thread._count() > before and time.monotonic() < end
    ):  # one that has said that it is done may end a moment later
        time.sleep(0.001)
    assert _thread._count() <= before


def slow(positions: Positions) -> Evaluation:
    """As ``central``, and slow enough that threads meet."""
    time.sleep(0.001)
    return central(positions)


def search_of(settings: Settings, board: Board | None = None, evaluator: object = slow) -> Search:
    search = Search(evaluator, settings)  # type: ignore[arg-type]
    search.set_position(board or Board(9))
    return search


@pytest.mark.parametrize("settings", BOTH, ids=str)
@pytest.mark.parametrize("simulations", [1, 2, 7, 100, 500])
def test_simulations_are_exact_and_every_visit_is_counted_once(settings: Settings, simulations: int) -> None:
    search = search_of(settings)
    found = search.finish(simulations)
    assert found.visits == simulations + 1
    assert sum(candidate.visits for candidate in found.candidates) == simulations
    assert search.finish(simulations).visits == 2 * simulations + 1


def test_threads_judge_at_the_same_time_and_no_position_twice() -> None:
    seen: list[bytes] = []
    at_once = [0, 0]
    lock = threading.Lock()

    def evaluator(positions: Positions) -> Evaluation:
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
            seen.extend(row.tobytes() for row in np.moveaxis(positions.stones, 1, 0))
        time.sleep(0.002)
        with lock:
            at_once[0] -= 1
        return central(positions)

    found = search_of(Settings(threads=3, batch=2), evaluator=evaluator).finish(300)
    assert at_once == [0, 3]
    assert len(seen) == found.visits == 301
    # Other orders of the same moves lead to the same stones in other nodes; the root's own moves have one order.
    first = [stones for stones in seen if sum(byte.bit_count() for byte in stones) == 1]
    assert len(first) == len(set(first)) == len([c for c in found.candidates if c.visits > 0])


def test_gumbel_halves_as_with_one_thread() -> None:
    """Whatever the threads do, so many moves get so many visits: 8 * 12, 4 * 24 more, 2 * 48 more."""
    for seed in range(5):
        search = Search(slow, Settings(gumbel=True, considered=8, threads=3, batch=4, noise=1.0), seed)
        search.set_position(Board(7))
        visits = sorted(candidate.visits for candidate in search.finish(288).candidates)
        assert visits == [12, 12, 12, 12, 36, 36, 84, 84]


def test_what_is_dropped_is_judged_first() -> None:
    """16 moves once each, then 8 of them again: nobody gets a leaf of the second round before the first is judged."""
    settings = Settings(gumbel=True, considered=16).core()
    tree = _core.TreeSearch(Board(7), settings, 0)
    tree.prepare(100, settings)

    def select(batch: int) -> int:
        return tree.select(8, 100, np.zeros((2, 8, 1), np.uint64), np.zeros(8, np.bool_), np.zeros(8, np.int32), batch)

    def update(number: int, batch: int) -> None:
        tree.update(np.zeros((number, 49), np.float32), np.zeros(number, np.float32), batch)

    assert select(0) == 1
    update(1, 0)
    assert [select(0), select(1)] == [8, 8]
    update(8, 0)
    assert select(0) == 0
    update(8, 1)
    assert select(0) == 8


@pytest.mark.parametrize("settings", BOTH, ids=str)
def test_small_boards_are_proven(settings: Settings) -> None:
    for opening, proof in (("b2", -1), ("a1", 1), ("c1", -1)):
        search = search_of(settings, board_of(opening, width=3))
        assert search.finish(20_000).proof == proof


@pytest.mark.parametrize("settings", BOTH, ids=str)
def test_a_failure_of_one_ends_all_and_leaves_the_tree_sound(settings: Settings) -> None:
    failing = threading.Event()
    main = threading.get_ident()

    def evaluator(positions: Positions) -> Evaluation:
        if failing.is_set() and threading.get_ident() != main:
            raise RuntimeError("no more")
        return slow(positions)

    search = search_of(settings, evaluator=evaluator)
    search.finish(100)
    failing.set()
    with pytest.raises(RuntimeError, match="no more"):
        search.finish(100_000)
    visits = search.visits
    failing.clear()
    found = search.finish(100)
    assert found.visits == visits + 100
    assert sum(candidate.visits for candidate in found.candidates) == found.visits - 1


@pytest.mark.parametrize("settings", BOTH, ids=str)
def test_interrupts_deadlines_and_callers_that_leave(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "SLICE", 0.01)
    monkeypatch.setattr(crew, "LEAST_BATCHES", 1)
    search = search_of(settings)
    timer = threading.Timer(0.1, search.interrupt)
    timer.start()
    assert search.finish().visits > 1
    timer.join()
    before = search.visits
    assert search.finish(seconds=2).visits > before
    for look, _ in enumerate(search.run()):
        found = search.analysis()
        assert sum(candidate.visits for candidate in found.candidates) == found.visits - 1
        assert threading.active_count() == 1 + sum(t.daemon for t in threading.enumerate())
        if look == 5:
            break
    assert search.finish(50).visits == found.visits + 50
    nodes = search.finish(nodes=100).visits - found.visits - 50
    assert 100 <= nodes < 100 + 3 * 4
    search.interrupt()
    assert search.finish(100).visits == found.visits + 50 + nodes


def test_threads_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="threads must be from 1 to 256, not 0"):
        Settings(threads=0)
