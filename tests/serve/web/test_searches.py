"""Searches: what is told, what is kept, what is cancelled. Every wait is for an event."""

import gc
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fingal.game import Record
from fingal.players import spec
from fingal.players.player import Limit
from fingal.serve.web import jobs, searches
from fingal.serve.web.kept import Kept
from fingal.serve.web.searches import Busy, Chosen, Searches, Seen

WAIT = 60.0
"""Nothing takes so long; without it a fault would hang the tests."""

ONE_WINS = Record.of(["b1", "a2", "b2", "a3"], 3)
"""Black has b1 and b2, and wins by b3; White, with a2 and a3, has nothing."""


@pytest.fixture
def pool() -> Iterator[Searches]:
    made = Searches(2)
    yield made
    made.close()


class Heard:
    """Keeps what is told, and waits for it."""

    def __init__(self) -> None:
        self.said: queue.Queue[Any] = queue.Queue()

    def __call__(self, said: Any) -> None:
        self.said.put(said)

    def next(self) -> Any:
        return self.said.get(timeout=WAIT)

    def last(self) -> Seen:
        while True:
            seen = self.next()
            assert isinstance(seen, Seen), seen
            if seen.done:
                return seen


def gate() -> tuple[threading.Event, threading.Event, Callable[[Callable[[], bool]], str]]:
    """Work that says when it has begun and ends when it is let go."""
    begun, let_go = threading.Event(), threading.Event()

    def work(cancelled: Callable[[], bool]) -> str:
        begun.set()
        assert let_go.wait(WAIT)
        return "cancelled" if cancelled() else "done"

    return begun, let_go, work


@pytest.mark.parametrize(
    "player", ["puct:net=fingal-small,sims=20", "uct:sims=200", "resistance", "shortest-path", "solver"]
)
def test_every_player_makes_the_move_that_wins(pool: Searches, player: str) -> None:
    heard = Heard()
    pool.choose("game", player, ONE_WINS, Limit(), heard)
    chosen = heard.next()
    assert isinstance(chosen, Chosen), chosen
    assert ONE_WINS.name(chosen.move) == "b3"


def test_a_search_tells_its_value_as_blacks(pool: Searches) -> None:
    heard = Heard()
    pool.choose("game", "uct:sims=200", ONE_WINS, Limit(), heard)
    chosen = heard.next()
    assert chosen.value == 1.0
    assert chosen.seen.proof == 1
    assert chosen.seen.candidates[0].move == "b3"
    white_wins = Record.of(["a1", "b2", "a2", "a3", "c1"], 3)  # c2 joins a3, b2 to the right edge
    pool.choose("game", "uct:sims=200", white_wins, Limit(), heard)
    chosen = heard.next()
    assert chosen.value == -1.0
    assert chosen.seen.candidates[0].value == -1.0
    assert chosen.seen.candidates[0].loss == 0.0


def test_an_analysis_ends_with_the_proof(pool: Searches) -> None:
    heard = Heard()
    pool.analyse("page", "uct", ONE_WINS, 5, heard)
    last = heard.last()
    assert (last.value, last.proof) == (1.0, 1)
    assert [candidate.move for candidate in last.candidates][:1] == ["b3"]
    assert last.message("game0000", 3, 1).candidates[0].move == "b3"


def test_an_analysis_of_one_that_does_not_search_is_one_answer(pool: Searches) -> None:
    heard = Heard()
    pool.analyse("page", "resistance:epsilon=0.9,seed=1", ONE_WINS, 5, heard)
    seen = heard.next()
    assert seen.done
    assert [candidate.move for candidate in seen.candidates] == ["b3"]


class Deaf:
    """A player that does not search, and moves when it is let go."""

    name = "deaf"

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def choose(self, record: Record, limit: Limit) -> int:
        self.begun.set()
        assert self.let_go.wait(WAIT)
        return record.board().legal_moves[0]

    def close(self) -> None: ...


class Attentive(Deaf):
    """The same, but an interrupt lets it go."""

    def interrupt(self) -> None:
        self.let_go.set()


def test_a_cancelled_analysis_ends_though_its_player_does_not_search(
    pool: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, heard, free = Attentive(), Heard(), Heard()
    monkeypatch.setattr(spec, "make", lambda text: player)
    pool.analyse("page", "resistance", ONE_WINS, 5, heard)
    assert player.begun.wait(WAIT)
    pool.cancel("page")
    assert player.let_go.is_set()
    pool.run("page", lambda cancelled: "free", free)
    assert free.next() == "free"
    assert heard.said.empty()


def test_a_player_that_nothing_interrupted_is_kept(pool: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Deaf] = []
    monkeypatch.setattr(spec, "make", lambda text: made.append(Deaf()) or made[-1])  # type: ignore[func-returns-value]
    heard = Heard()
    for _ in range(2):
        pool.analyse("page", "resistance", ONE_WINS, 5, heard)
        while not made or not made[0].begun.wait(0.01):
            pass
        if not made[0].let_go.is_set():
            pool.cancel("page")
            made[0].let_go.set()
    assert heard.next().done
    assert len(made) == 1


def test_an_analysis_leaves_the_swap_out(pool: Searches) -> None:
    heard = Heard()
    centre = Record.of(["b2"], 3, swap=True)
    for player in ("resistance", "uct"):
        pool.analyse("page", player, centre, 9, heard)
        assert all(len(candidate.move) == 2 for candidate in heard.last().candidates)


def test_a_swap_is_chosen_and_told_from_the_other_side(pool: Searches) -> None:
    heard = Heard()
    pool.choose("game", "uct:sims=500", Record.of(["b2"], 3, swap=True), Limit(), heard)
    chosen = heard.next()
    assert Record(3, 3, True).name(chosen.move) == "swap-pieces"
    assert chosen.value == pytest.approx(-1.0)  # the stone in the middle is White's now, and wins


def test_thinking_is_shown(pool: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "EVERY", 0.0)
    heard, shown = Heard(), Heard()
    pool.choose("game", "puct:net=fingal-small,sims=40", Record(5, 5), Limit(), heard, shown)
    assert isinstance(heard.next(), Chosen)
    assert not shown.next().done


def test_errors_are_told(pool: Searches) -> None:
    heard = Heard()
    over = Record.of(["b1", "a2", "b2", "a3", "b3"], 3)
    pool.choose("game", "uct:sims=10", over, Limit(), heard)
    assert "the game is over" in str(heard.next())
    pool.analyse("game", "nobody", Record(5, 5), 5, heard)
    assert "there is no player" in str(heard.next())
    pool.choose("game", "uct:threads=64", Record(5, 5), Limit(), heard)
    assert str(heard.next()) == "threads=64 is not possible here: 1 at most"
    pool.run("game", lambda cancelled: 1 // 0, heard)
    assert isinstance(heard.next(), ZeroDivisionError)


def test_a_move_goes_before_analyses(pool: Searches) -> None:
    analyses, heard = [Heard() for _ in range(3)], Heard()
    for number, told in enumerate(analyses):
        pool.analyse(f"page {number}", "puct:net=fingal-small", Record(11, 11), 5, told)
        assert not told.next().done
    pool.choose("game", "shortest-path", Record(11, 11), Limit(), heard)
    assert isinstance(heard.next(), Chosen)
    for told in analyses:  # they go on, all three with two threads
        seen = told.next()
        while seen.seconds <= 0.1:
            seen = told.next()
        assert not seen.done


def test_a_review_leaves_a_thread_for_moves(pool: Searches) -> None:
    begun, let_go, work = gate()
    second, heard, move = Heard(), Heard(), Heard()
    pool.run("review", work, heard)
    assert begun.wait(WAIT)
    pool.run("another review", lambda cancelled: "second", second)
    pool.choose("game", "shortest-path", Record(5, 5), Limit(), move)
    assert isinstance(move.next(), Chosen)
    assert second.said.empty()
    let_go.set()
    assert heard.next() == "done"
    assert second.next() == "second"


def test_what_is_cancelled_tells_nothing(pool: Searches) -> None:
    begun, let_go, work = gate()
    heard, other = Heard(), Heard()
    pool.run("review", work, heard)
    assert begun.wait(WAIT)
    pool.cancel("review")
    let_go.set()
    pool.run("review", lambda cancelled: "new", other)
    assert other.next() == "new"
    assert heard.said.empty()


def test_a_new_search_under_a_key_ends_the_old_one_and_keeps_its_tree(pool: Searches) -> None:
    old, new = Heard(), Heard()
    pool.analyse("page", "puct:net=fingal-small", Record(5, 5), 5, old)
    seen = old.next()
    while seen.visits < 100:
        seen = old.next()
    pool.analyse("page", "puct:net=fingal-small", Record.of([seen.candidates[0].move], 5), 5, new)
    told = old.said.qsize()
    first = new.next()
    assert first.visits > 50  # most of what the old one had seen is of this move
    assert old.said.qsize() == told


def test_a_full_queue_says_so(pool: Searches) -> None:
    begun, let_go, work = gate()
    heard = Heard()
    pool.run("first", work, heard)
    assert begun.wait(WAIT)
    for number in range(jobs.MOST_WAITING):
        pool.run(str(number), lambda cancelled: "", Heard())
    with pytest.raises(Busy, match="waiting already"):
        pool.run("one more", lambda cancelled: "", Heard())
    let_go.set()
    assert heard.next() == "done"


def test_a_tree_that_has_its_share_of_the_memory_ends_the_analysis() -> None:
    pool, heard = Searches(2, megabytes=4), Heard()
    pool.analyse("page", "puct:net=fingal-small", Record(11, 11), 5, heard)
    assert heard.last().visits < 3_000_000 / (31 * 100)
    pool.choose("game", "puct:net=fingal-small,sims=1000000", Record(11, 11), Limit(), heard)
    assert isinstance(heard.next(), Chosen)
    pool.close()


def test_a_thousand_cancelled_searches_leave_nothing() -> None:
    pool = Searches(2)
    heard = Heard()
    threads = threading.active_count()
    for number in range(1000):
        key = f"page {number % 7}"
        if number % 3:
            pool.analyse(key, "puct:net=fingal-small", Record(11, 11), 5, lambda seen: None)
        else:
            pool.choose(key, "uct", Record(9, 9), Limit(), lambda chosen: None)
        pool.cancel(key)
    pool.run("last", lambda cancelled: "alive", heard)
    assert heard.next() == "alive"
    pool.close()
    assert pool.busy == 0
    assert threading.active_count() == threads
    gc.collect()
    assert not [thing for thing in gc.get_objects() if type(thing).__name__ == "Job"]


def test_closing_ends_what_is_under_way() -> None:
    pool, heard = Searches(2), Heard()
    pool.analyse("page", "uct", Record(11, 11), 5, heard)
    assert not heard.next().done
    pool.close()
    with pytest.raises(Busy):
        pool.run("late", lambda cancelled: None, heard)


def test_one_at_a_time_is_one_at_a_time() -> None:
    pool, heard = Searches(1), Heard()
    begun, let_go, work = gate()
    try:
        pool.run("review", work, heard)
        assert begun.wait(WAIT)
        pool.run("hint", lambda cancelled: threading.current_thread().name, heard, urgent=True)
        let_go.set()
        assert heard.next() == "done", "a review runs though there is no second thread"
        assert heard.next() == "search 1"
    finally:
        pool.close()


def test_tables_of_solvers_count_as_trees_do() -> None:
    room = Kept(100_000_000)
    players = [spec.make("solver:memory=40,time=1") for _ in range(4)]
    for number, player in enumerate(players):
        player.choose(ONE_WINS)
        room.keep(f"game {number}", "solver", player)
    assert len(room) == 2
    large = spec.make("solver:memory=200,time=1")
    large.choose(ONE_WINS)
    room.keep("game 5", "solver", large)
    assert len(room) == 3, "it is kept, without its table"
    room.close()


def test_a_tree_is_let_go_though_it_is_forgotten_while_it_grows(pool: Searches) -> None:
    heard = Heard()
    pool.analyse("page", "uct", Record(11, 11), 5, heard)
    heard.next()
    pool.forget("page")
    pool.run("page", lambda cancelled: len(pool._kept), heard)  # begins when the other one has ended
    while isinstance(kept := heard.next(), Seen):
        pass
    assert kept == 0
